package e2e

import (
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"workbench/engine"
	"workbench/web/run"
)

// bare opens a page in a browser that runs no script. What a test asks of it
// the browser answers itself.
func bare(t *testing.T, site *Site, path string) *Tab {
	t.Helper()
	tab := newTab(t, site)
	call(tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	tab.load(path)
	if get[bool](tab, "Boolean(document.querySelector('.widget-live, .page-tools'))") {
		t.Fatal("the page's scripts ran")
	}
	return tab
}

// TestPagesWithoutScripts reads the numbers of each example where no script
// runs.
func TestPagesWithoutScripts(t *testing.T) {
	t.Parallel()
	site := course(t, false)
	report := reportOf(t, "cpu", "cpu,fused")
	for _, c := range []struct {
		path, id string
		tables   map[string][][]string // by the words that their caption begins with
		says     []string
	}{
		{"/chapters/01-one-product", "first-product", map[string][][]string{
			"A, shape [2, 3]": {{"1", "2", "3"}, {"4", "5", "6"}},
			"B, shape [3, 2]": {{"7", "8"}, {"9", "10"}, {"11", "12"}},
			"C, shape [2, 2]": {{"58", "64"}, {"139", "154"}},
			"":                {{"1", "7", "7", "7"}, {"2", "9", "18", "25"}, {"3", "11", "33", "58"}}, // of the first cell
		}, []string{"Made by cpu", "q = (0·2 + 0)·2 + 1 = 1", "The run's value is 64, bits 4050000000000000"}},
		{"/chapters/01-one-product", "fused", map[string][][]string{
			"C, shape [2, 2]": {{"5.551115123125783e-17", "9.9"}, {"9.9", "0"}},
		}, []string{"Made by cpu,fused", "3c90000000000000"}},
		{"/chapters/02-rows-sums-means", "row-sums", map[string][][]string{"A, shape [2, 3]": {{"1", "2", "3"}, {"4", "5", "6"}}}, []string{"Made by cpu", "6", "15", "2", "5"}},
		{"/chapters/03-views-and-packing", "transpose", nil, []string{"with strides [1, 3]", "not contiguous"}},
		{"/chapters/04-tiny-decoder", "tiny-decoder", nil, []string{"Loss 5.668398842431571 nats", "4016ac70bf03b620", "“ab” as tokens"}},
		{"/chapters/05-memory-boundary", "tiny-requests", map[string][][]string{
			"C, shape [2, 2]":       {{"58", "64"}, {"139", "154"}},
			"The bytes of packed A": {{"1", "00 00 00 00 00 00 f0 3f"}, {"2", "00 00 00 00 00 00 00 40"}, {"3", "00 00 00 00 00 00 08 40"}, {"4", "00 00 00 00 00 00 10 40"}, {"5", "00 00 00 00 00 00 14 40"}, {"6", "00 00 00 00 00 00 18 40"}},
			"What cpu counted": {
				{"96", "0", "0", "0", "0", "–", "–", "–"}, {"72", "0", "0", "0", "0", "–", "–", "–"},
				{"72", "0", "0", "0", "0", "–", "–", "–"}, {"", "0", "0", "0", "0", "–", "–", "–"},
			},
		}, []string{"Counted so far: nothing.", "48 + 24 = 72 bytes"}},
		{"/chapters/05-memory-boundary", "tenths", nil, []string{"0.5800000000000001 3fe28f5c28f5c290", "0.58 3fe28f5c28f5c28f 1 ulp", "cpu,fused: 2 of 4 values have other bits than cpu.", "Not asked for this page: cuda:0, cuda:0,fused, cuda:0,library."}},
		{"/chapters/07-product-in-three-versions", "naive-and-tiled", map[string][][]string{
			"What block (1,0,0) loaded and stored in its 5 phases": {
				{"a [32, 32]", "global", "256", "256", "1", "0", "0"}, {"b [32, 32]", "global", "256", "256", "1", "0", "0"},
				{"left [16, 16]", "shared", "0", "0", "", "256", "256"}, {"right [16, 16]", "shared", "0", "0", "", "256", "256"},
				{"left [16, 16]", "shared", "256", "4096", "16", "0", "0"}, {"right [16, 16]", "shared", "256", "4096", "16", "0", "0"},
				{"a [32, 32]", "global", "256", "256", "1", "0", "0"}, {"b [32, 32]", "global", "256", "256", "1", "0", "0"},
				{"left [16, 16]", "shared", "0", "0", "", "256", "256"}, {"right [16, 16]", "shared", "0", "0", "", "256", "256"},
				{"left [16, 16]", "shared", "256", "4096", "16", "0", "0"}, {"right [16, 16]", "shared", "256", "4096", "16", "0", "0"},
				{"c [32, 32]", "global", "0", "0", "", "256", "256"},
			},
		}, []string{"What block (1,0,0) loaded and stored", "8192"}},
		{"/chapters/04-tiny-decoder", "cpu-and-fused", nil, []string{"cpu,fused agrees with cpu", "of 2155 values", strconv.Itoa(report.Differing) + " have other bits", "All 2155 values"}},
	} {
		t.Run(c.id, func(t *testing.T) {
			tab := bare(t, site, c.path)
			static := script("document.getElementById(%s).querySelector('.widget-static')", c.id)
			if !get[bool](tab, static+".checkVisibility()") {
				t.Fatal("what the server drew is not shown")
			}
			said := get[string](tab, static+".textContent.replace(/\\s+/g, ' ')")
			for _, want := range c.says {
				if !strings.Contains(said, want) {
					t.Errorf("the example does not say %q: %s", want, clip(said))
				}
			}
			for caption, want := range c.tables {
				got := get[[][]string](tab, `(() => {
					const table = [...document.getElementById(%s).querySelectorAll('.widget-static table')].find((one) => %s ? one.caption?.textContent.startsWith(%s) : one.matches('.terms'));
					return table ? [...table.tBodies[0].rows].map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)) : [];
				})()`, c.id, caption, caption)
				if !slices.EqualFunc(got, want, slices.Equal) {
					t.Errorf("the table %s has %q, want %q", caption, got, want)
				}
			}
			for _, width := range []int64{360, 1920} {
				tab.size(width, 800)
				if wide := get[int](tab, "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"); wide > 0 {
					t.Errorf("at %d px the page is %d px too wide", width, wide)
				}
			}
		})
	}
}

// TestFilesWithoutScripts follows the links to a comparison's files.
func TestFilesWithoutScripts(t *testing.T) {
	t.Parallel()
	site := course(t, false)
	tab := bare(t, site, "/chapters/04-tiny-decoder")
	links := get[[]string](tab, "[...document.querySelectorAll('#cpu-and-fused .downloads a')].map((a) => a.href)")
	if len(links) != 2 {
		t.Fatalf("the links are %q", links)
	}
	for _, link := range links {
		answer, err := http.Get(link)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s, %v", link, answer.Status, err)
		}
		if strings.Contains(link, ".csv") {
			if want := csvOf(t, reportOf(t, "cpu", "cpu,fused")); string(body) != want {
				t.Errorf("the CSV differs from the engine's: %s", firstDifference(string(body), want))
			}
		} else if !strings.HasPrefix(string(body), `{"version":1,"reference":"cpu","candidate":"cpu,fused"`) {
			t.Errorf("the JSON begins with %s", clip(string(body)))
		}
	}
}

// TestLiesWithoutScripts holds the pages themselves to show what a run says,
// where no script could mend it.
func TestLiesWithoutScripts(t *testing.T) {
	t.Parallel()
	o := options(false)
	honest := run.NewEngine(engine.Open, engine.List, engine.Emulator)
	t.Cleanup(func() { _ = honest.Close() })
	o.Runner, o.Chapters = &liar{Runner: honest}, withoutNotes(o.Chapters)
	site := serve(t, o)
	for path, id := range map[string]string{
		"/chapters/01-one-product": "first-product", "/chapters/02-rows-sums-means": "row-sums",
		"/chapters/03-views-and-packing": "broadcast", "/chapters/04-tiny-decoder": "tiny-decoder",
		"/chapters/05-memory-boundary": "tiny-requests",
	} {
		tab := bare(t, site, path)
		cells := get[[]string](tab, `[...document.getElementById(%s).querySelectorAll('.widget-static table.matrix')]
			.filter((one) => !one.caption.textContent.startsWith('storage index')).flatMap((one) => [...one.tBodies[0].querySelectorAll('td')].map((cell) => cell.textContent))`, id)
		if len(cells) < 6 {
			t.Fatalf("%s has %d values", id, len(cells))
		}
		for _, text := range cells {
			x, err := strconv.ParseFloat(text, 64)
			if _, _, _, ok := lieOf(x); err != nil || !ok {
				t.Fatalf("%s shows %q, which is no lie", id, text)
			}
		}
	}
}
