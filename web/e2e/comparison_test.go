package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"workbench/engine/compare"
	"workbench/engine/trace"
	"workbench/web"
	"workbench/web/run"
)

const comparisonPage = "/chapters/04-tiny-decoder?widget=cpu-and-fused&device=cpu+cpu,fused#cpu-and-fused"

func openComparison(t *testing.T, site *Site) (tab *Tab, id string) {
	t.Helper()
	tab = newTab(t, site)
	tab.open(comparisonPage)
	tab.until("the focus", "e2e.focus().widget === 'cpu-and-fused'")
	return tab, "cpu-and-fused"
}

// reportOf is what the engine says of two devices, by itself.
func reportOf(t *testing.T, reference, candidate string) *compare.Report {
	t.Helper()
	return reportBy(t, options(false), reference, candidate)
}

// reportBy is what the devices of a site come to.
func reportBy(t *testing.T, o web.Options, reference, candidate string) *compare.Report {
	t.Helper()
	e := run.NewEngine(o.Open, o.List, o.Emulator)
	defer e.Close()
	r, err := e.Compare(t.Context(), reference, candidate, trace.ExampleDecoder, json.RawMessage(`{"text":"ab"}`), func(string, int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func csvOf(t *testing.T, r *compare.Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := r.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// An Entry is a row of the table of values.
type Entry struct {
	Name        string
	Cells, Bits []string
	Found       bool
}

func (tab *Tab) entries(id string) []Entry {
	tab.t.Helper()
	return get[[]Entry](tab, `[...e2e.find(%s, 'table.entries').tBodies[0].rows].map((row) => ({
		name: e2e.words(row.querySelector('th')), cells: [...row.querySelectorAll('td')].map(e2e.words),
		bits: [...row.querySelectorAll('code')].map(e2e.words), found: row.classList.contains('found'),
	}))`, id)
}

func (tab *Tab) caption(id string) string {
	tab.t.Helper()
	return get[string](tab, "e2e.words(e2e.find(%s, 'table.entries caption'))", id)
}

// filter chooses in one of the menus above the table.
func (tab *Tab) filter(id, label, value string) {
	tab.t.Helper()
	get[bool](tab, `(() => {
		const menu = [...e2e.widget(%s).querySelectorAll('.table-tools label')].find((one) => one.firstChild.textContent.trim() === %s).control;
		menu.value = %s;
		if (menu.selectedIndex < 0) throw new Error('the menu has no such entry');
		menu.dispatchEvent(new Event('change', { bubbles: true }));
		return true;
	})()`, id, label, value)
}

// jump asks the table for a value by its name.
func (tab *Tab) jump(id, name string) {
	tab.t.Helper()
	tab.write(script("e2e.find(%s, '.search')", id), name)
	tab.press("Enter")
}

// TestComparisonTable sorts, filters and searches the values of both contracts.
func TestComparisonTable(t *testing.T) {
	t.Parallel()
	tab, id := openComparison(t, course(t, false))
	report := reportOf(t, "cpu", "cpu,fused")
	if len(report.Entries) != 2155 {
		t.Fatalf("the comparison has %d values, want 2155", len(report.Entries))
	}
	said := tab.state(id).Title
	for _, want := range []string{"Passed", "2155 values of cpu,fused against cpu", "0 failures", strconv.Itoa(report.Differing) + " with other bits"} {
		if !strings.Contains(said, want) {
			t.Errorf("the example says %q, and not %q", said, want)
		}
	}
	if got := tab.caption(id); !strings.HasPrefix(got, "2155 of 2155 values") {
		t.Errorf("the table says %q", got)
	}

	worst := &report.Entries[0]
	for i := range report.Entries {
		if e := &report.Entries[i]; e.Absolute > worst.Absolute {
			worst = e
		}
	}
	sort := script("[...e2e.widget(%s).querySelectorAll('table.entries button.sort')][0]", id)
	get[bool](tab, "("+sort+".focus(), true)")
	tab.press("Enter")
	if dir := get[string](tab, sort+".closest('th').getAttribute('aria-sort')"); dir != "descending" {
		t.Errorf("the column is sorted %q", dir)
	}
	if rows := tab.entries(id); rows[0].Name != nameOf(worst) {
		t.Errorf("the largest error is %s by the table, %s by the report", rows[0].Name, nameOf(worst))
	}
	tab.press("Enter")
	if dir := get[string](tab, sort+".closest('th').getAttribute('aria-sort')"); dir != "ascending" {
		t.Errorf("the column is sorted %q", dir)
	}
	tab.press("Enter")
	if rows := tab.entries(id); rows[0].Name != "matrix[0,0]" {
		t.Errorf("in its own order the table begins with %s", rows[0].Name)
	}

	tab.filter(id, "Show", "differing")
	if got := tab.caption(id); !strings.HasPrefix(got, strconv.Itoa(report.Differing)+" of 2155 values") {
		t.Errorf("of values with other bits the table says %q, want %d", got, report.Differing)
	}
	for _, row := range tab.entries(id) {
		if len(row.Bits) != 2 || row.Bits[0] == row.Bits[1] {
			t.Errorf("among the values with other bits %s has %q", row.Name, row.Bits)
		}
	}
	tab.filter(id, "Show", "failures")
	if got := tab.caption(id); !strings.HasPrefix(got, "0 of 2155 values") {
		t.Errorf("of failures the table says %q", got)
	}
	if rows := tab.entries(id); len(rows) != 1 || !strings.Contains(rows[0].Cells[0], "No value is like that") {
		t.Errorf("without failures the table shows %+v", rows)
	}

	// A jump lets go of the filters that hide what it leads to.
	for _, name := range []string{"logits[0, 1, 40]", "logits[1,40]", " logits [ 0 1 40 ] "} {
		tab.filter(id, "Show", "failures")
		tab.jump(id, name)
		tab.until("the value", "document.activeElement.matches('tr.found') && e2e.words(document.activeElement.querySelector('th')) === 'logits[0,1,40]'")
	}
	checkAddress(t, tab.state(id).URL, "/chapters/04-tiny-decoder", map[string][]string{"widget": {id}, "cell": {"logits[0,1,40]"}})
	tab.jump(id, "logits[0, 9, 0]")
	tab.until("the mistake", "[...e2e.widget(%s).querySelectorAll('.field-error')].some((one) => e2e.shown(one) && one.textContent.includes('axis 1 has length 3'))", id)
	tab.jump(id, "loss")
	tab.until("the loss", "e2e.words(document.activeElement.querySelector('th')) === 'loss'")

	tab.filter(id, "of", "logits")
	if got := tab.caption(id); !strings.HasPrefix(got, "774 of 2155 values") {
		t.Errorf("of the logits the table says %q", got)
	}
	tab.click(script("e2e.find(%s, '.pager [aria-label=\"later rows\"]')", id))
	if rows := tab.entries(id); rows[0].Name != "logits[0,0,25]" {
		t.Errorf("the second page begins with %s", rows[0].Name)
	}
}

func nameOf(e *compare.Entry) string {
	if len(e.Coordinate) == 0 {
		return e.Group
	}
	text, _ := json.Marshal(e.Coordinate) // whole numbers
	return e.Group + string(text)
}

// TestLinkToAValue opens a comparison at a value.
func TestLinkToAValue(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	tab.open("/chapters/04-tiny-decoder?widget=cpu-and-fused&cell=logits[0,1,40]&device=cpu+cpu,fused#cpu-and-fused")
	found := ""
	for _, row := range tab.entries("cpu-and-fused") {
		if row.Found {
			found = row.Name
		}
	}
	if found != "logits[0,1,40]" {
		t.Errorf("the link leads to %q", found)
	}
}

// TestOtherDevicesAndInputs compares a device with itself, and another text.
func TestOtherDevicesAndInputs(t *testing.T) {
	t.Parallel()
	tab, id := openComparison(t, course(t, false))
	get[bool](tab, `(() => {
		const menu = e2e.widget(%s).querySelectorAll('.device-select')[1];
		menu.value = 'cpu';
		menu.dispatchEvent(new Event('change', { bubbles: true }));
		return true;
	})()`, id)
	if s := tab.state(id); !s.Stale {
		t.Error("with another device the comparison is not stale")
	}
	tab.click(script("e2e.find(%s, '.run')", id))
	tab.until("the comparison", "!e2e.state(%s).stale && e2e.state(%s).title.includes('2155 values of cpu against cpu, 0 failures, 0 with other bits')", id, id)
	tab.edit(id, "Text", "a")
	tab.press("Ctrl+Enter")
	tab.until("a shorter text", "!e2e.state(%s).stale && e2e.state(%s).title.includes('1897 values')", id, id)
}

// TestDownloads holds the files that the page makes against those of the
// engine, byte for byte.
func TestDownloads(t *testing.T) {
	t.Parallel()
	tab, id := openComparison(t, course(t, false))
	folder := tab.downloads()
	report := reportOf(t, "cpu", "cpu,fused")
	body, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	button := func(text string) string {
		return script("[...e2e.widget(%s).querySelectorAll('.downloads button')].find((one) => one.textContent === %s)", id, text)
	}
	tab.click(button("Download CSV"))
	if got, want := readFile(t, folder, "cpu-and-cpu-fused.csv"), csvOf(t, report); got != want {
		t.Errorf("the CSV differs from the engine's: %s", firstDifference(got, want))
	}
	tab.click(button("Download JSON"))
	if got, want := readFile(t, folder, "cpu-and-cpu-fused.json"), string(body)+"\n"; got != want {
		t.Errorf("the JSON differs from the engine's: %s", firstDifference(got, want))
	}
	// What is filtered and sorted is downloaded so, under another name.
	tab.filter(id, "Show", "differing")
	tab.filter(id, "of", "loss")
	tab.filter(id, "of", "logits")
	tab.click(button("Download CSV"))
	part := readFile(t, folder, "cpu-and-cpu-fused-part.csv")
	want := 0
	for i := range report.Entries {
		if e := &report.Entries[i]; e.Group == "logits" && e.ReferenceBits != e.CandidateBits {
			want++
		}
	}
	if got := strings.Count(part, "\n") - 1; got != want || !strings.HasPrefix(part, "group,coordinate,") {
		t.Errorf("the part has %d rows, want %d:\n%.200s", got, want, part)
	}
}

// downloads lets the tab's page save files, and returns where.
func (tab *Tab) downloads() string {
	tab.t.Helper()
	folder := tab.t.TempDir()
	ctx := chromedp.FromContext(tab.ctx)
	_, err := chromedp.CallBrowser(tab.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, BrowserContextID: ctx.BrowserContextID, DownloadPath: folder,
	})
	if err != nil {
		tab.t.Fatal(err)
	}
	return folder
}

// readFile waits for a file and returns it once it no longer grows.
func readFile(t *testing.T, folder, name string) string {
	t.Helper()
	path, size := filepath.Join(folder, name), -1
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		body, err := os.ReadFile(path)
		if err == nil && len(body) == size {
			return string(body)
		}
		if err == nil && len(body) > 0 {
			size = len(body)
		}
	}
	entries, _ := os.ReadDir(folder)
	t.Fatalf("waited in vain for the file %s; there is %v", name, entries)
	return ""
}

// firstDifference shows where two texts part.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "line " + strconv.Itoa(i+1) + " is\n" + clip(g[i]) + "\nwant\n" + clip(w[i])
		}
	}
	return strconv.Itoa(len(g)) + " lines, want " + strconv.Itoa(len(w))
}

func clip(s string) string { return s[:min(len(s), 400)] }
