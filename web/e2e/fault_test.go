package e2e

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"workbench/engine"
	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/web/run"
)

// TestFlippedBitIsNamed compares the CPU with a device that is the CPU but for
// the lowest bit of one logit: the example, its table and its file name it.
func TestFlippedBitIsNamed(t *testing.T) {
	t.Parallel()
	const name, at = "logits[0,1,40]", 1*258 + 40
	flip := func(inner device.Device) device.Device {
		return flipper{inner, func(plan *tensor.MatmulPlan) int {
			if plan.M == 3 && plan.N == 258 { // the head, and no other product
				return at
			}
			return -1
		}}
	}
	o := withDevice(options(false), flip)
	tab, id := openComparison(t, serve(t, o))
	folder := tab.downloads()
	get[bool](tab, `(() => {
		const menu = e2e.widget(%s).querySelectorAll('.device-select')[1];
		menu.value = 'emulator';
		menu.dispatchEvent(new Event('change', { bubbles: true }));
		return true;
	})()`, id)
	tab.click(script("e2e.find(%s, '.run')", id))
	tab.until("the comparison", "!e2e.state(%s).stale && e2e.state(%s).title.includes('of emulator against cpu')", id, id)

	if said := tab.state(id).Title; !strings.HasPrefix(said, "Failed: ") {
		t.Errorf("the example says %q", said)
	}
	row := get[[]string](tab, `(() => {
		const row = [...e2e.find(%s, 'table.groups').tBodies[0].rows].find((one) => e2e.words(one.querySelector('th')) === 'logits');
		return [...row.querySelectorAll('td')].map(e2e.words);
	})()`, id)
	// shape, values, failures, differing bits, first failure, worst
	if len(row) != 6 || row[1] != "774" || row[2] != "1" || row[3] != "1" || !strings.HasPrefix(row[4], "[0, 1, 40]") || !strings.HasPrefix(row[5], "[0, 1, 40]") {
		t.Errorf("of the logits the summary says %q", row)
	}

	tab.filter(id, "Show", "failures")
	tab.filter(id, "of", "logits")
	rows := tab.entries(id)
	if len(rows) != 1 || rows[0].Name != name || len(rows[0].Bits) != 2 {
		t.Fatalf("the failures among the logits are %+v", rows)
	}
	a, b := parseBits(t, rows[0].Bits[0]), parseBits(t, rows[0].Bits[1])
	if a^b != 1 {
		t.Errorf("the two have the bits %x and %x", a, b)
	}
	tab.filter(id, "Show", "all")
	tab.filter(id, "of", "")
	tab.click(script("[...e2e.widget(%s).querySelectorAll('.downloads button')].find((one) => one.textContent === 'Download CSV')", id))
	csv := readFile(t, folder, "cpu-and-emulator.csv")
	var failing []string
	for line := range strings.SplitSeq(csv, "\n") {
		if strings.HasPrefix(line, "logits,") && strings.Contains(line, ",false,") {
			failing = append(failing, line)
		}
	}
	if len(failing) != 1 || !strings.HasPrefix(failing[0], `logits,"[0, 1, 40]",298,`) || !strings.Contains(failing[0], ","+rows[0].Bits[0]+","+rows[0].Bits[1]+",") {
		t.Errorf("the CSV names %q", failing)
	}
	if want := csvOf(t, reportBy(t, o, "cpu", "emulator")); csv != want {
		t.Errorf("the page's CSV differs from the engine's: %s", firstDifference(csv, want))
	}
}

// TestFlippedBitOfAProduct runs a product on such a device: the cell says that
// it is not what its products come to.
func TestFlippedBitOfAProduct(t *testing.T) {
	t.Parallel()
	flip := func(inner device.Device) device.Device {
		return flipper{inner, func(*tensor.MatmulPlan) int { return 1 }}
	}
	tab, id := openProduct(t, serve(t, withDevice(options(false), flip)))
	tab.choose(id, "emulator")
	tab.click(script("e2e.find(%s, '.run')", id))
	tab.until("the run", "e2e.state(%s).made.startsWith('Made by emulator (')", id)
	tab.focusOn(id)
	for _, want := range []struct{ value, verdict string }{
		{"58", "yes"}, {strconv.FormatFloat(math.Nextafter(64, 65), 'f', -1, 64), "no"}, {"139", "yes"}, {"154", "yes"},
	} {
		tab.press("j")
		if s := tab.state(id); !strings.HasPrefix(s.Sentence, want.value+" = ") || s.Verdict != want.verdict {
			t.Errorf("step %d: %q, equal in every bit: %q; want %s, %s", s.Step, s.Sentence, s.Verdict, want.value, want.verdict)
		}
	}
}

func parseBits(t *testing.T, text string) uint64 {
	t.Helper()
	bits, err := strconv.ParseUint(text, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return bits
}

// TestPagesShowWhatTheyAreTold serves a run that is all lies: every example
// shows them, when the page comes and after a run. A page that computed any of
// its numbers would show another.
func TestPagesShowWhatTheyAreTold(t *testing.T) {
	t.Parallel()
	o := options(false)
	honest := run.NewEngine(engine.Open, engine.List, engine.Emulator)
	t.Cleanup(func() { _ = honest.Close() })
	o.Runner, o.Chapters = &liar{Runner: honest}, withoutNotes(o.Chapters)
	site := serve(t, o)
	for _, c := range []struct{ name, path, id, digits string }{
		{"product", "/chapters/01-one-product?widget=first-product&step=7&device=cpu#first-product", "first-product", ""},
		{"reduction", "/chapters/02-rows-sums-means?widget=row-sums&step=9&device=cpu#row-sums", "row-sums", ""},
		{"view", "/chapters/03-views-and-packing?widget=pack-then-reshape&step=3&cell=0,0,0#pack-then-reshape", "pack-then-reshape", ""},
		{"boundary", "/chapters/05-memory-boundary?widget=tiny-requests&step=6&device=cpu#tiny-requests", "tiny-requests", ""},
		{"decoder", "/chapters/04-tiny-decoder?widget=tiny-decoder&step=9&device=cpu#tiny-decoder", "tiny-decoder", "all"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tab := newTab(t, site)
			tab.open(c.path)
			tab.until("the focus", "e2e.focus().widget === %s", c.id)
			first := checkLies(t, tab, c.id, 0)
			tab.click(script("e2e.find(%s, '.run')", c.id))
			tab.until("the run", "e2e.state(%s).made.includes('run in ')", c.id)
			checkLies(t, tab, c.id, first)
		})
	}
	t.Run("comparison", func(t *testing.T) {
		tab, id := openComparison(t, site)
		first := checkReportLies(t, tab, id, 0)
		tab.click(script("e2e.find(%s, '.run')", id))
		tab.until("the run", "e2e.state(%s).made.includes('run in ')", id)
		checkReportLies(t, tab, id, first)
	})
}

// checkLies holds every number on an example's stage to be a lie about that
// very element, of one run that is not the one before. It returns the run.
func checkLies(t *testing.T, tab *Tab, id string, before int64) int64 {
	t.Helper()
	get[bool](tab, `(() => {
		const digits = e2e.find(%s, '[aria-label="Digits in the tables"]');
		if (digits) {
			digits.value = '';
			digits.dispatchEvent(new Event('change'));
		}
		return true;
	})()`, id)
	var told int64
	check := func(text string) (tensor, flat int) {
		t.Helper()
		x, err := strconv.ParseFloat(text, 64)
		run, tensor, flat, ok := lieOf(x)
		if err != nil || !ok || run == before || told != 0 && run != told {
			t.Fatalf("%s shows %q, which is no lie of this run", id, text)
		}
		told = run
		return tensor, flat
	}
	grids := tab.grids(id)
	if len(grids) < 2 {
		t.Fatalf("%s shows %d tensors", id, len(grids))
	}
	for _, g := range grids {
		if len(g.Cells) == 0 {
			t.Fatalf("%s of %s has no cells", g.Name, id)
		}
		of := -1
		for r, row := range g.Cells {
			for c, text := range row {
				tensor, flat := check(text)
				if of < 0 {
					of = tensor
				}
				if tensor != of || flat != r*len(row)+c {
					t.Errorf("%s shows at [%d, %d] what belongs to element %d of tensor %d", g.Name, r, c, flat, tensor)
				}
			}
		}
	}
	s := tab.state(id)
	if s.Loss != "" {
		if tensor, _ := check(strings.Fields(s.Loss)[1]); tensor != 9999 {
			t.Errorf("the loss is %q", s.Loss)
		}
	}
	if s.Sentence != "" {
		check(strings.Fields(s.Sentence)[0])
		for k, row := range get[[][]string](tab, "e2e.terms(%s)", id) {
			if tensor, _ := check(row[len(row)-1]); tensor != 5000+k {
				t.Errorf("term %d of %s has the running sum %s", k, id, row[len(row)-1])
			}
		}
	}
	return told
}

// checkReportLies is checkLies for a comparison.
func checkReportLies(t *testing.T, tab *Tab, id string, before int64) int64 {
	t.Helper()
	var told int64
	rows := tab.entries(id)
	if len(rows) < 20 {
		t.Fatalf("the table has %d rows", len(rows))
	}
	if said := tab.state(id).Title; !strings.Contains(said, "4242 failures, 4343 with other bits") {
		t.Errorf("the example says %q", said)
	}
	for i, row := range rows {
		for k, text := range get[[]string](tab, `[...e2e.find(%s, 'table.entries').tBodies[0].rows[%s].querySelectorAll('td.number')].slice(0, 3)
			.map((cell) => e2e.words(cell.firstChild))`, id, i) {
			x, err := strconv.ParseFloat(text, 64)
			run, side, flat, ok := lieOf(x)
			if err != nil || !ok || run == before || told != 0 && run != told || side != k+1 || flat != i {
				t.Fatalf("%s shows %q in column %d, which is no lie of this run", row.Name, text, k)
			}
			told = run
		}
	}
	return told
}
