package e2e

import "testing"

// TestChosenCellIsInSight holds a link to a cell of a wide table to show that
// cell, on a laptop and on a telephone, and the arrow keys to keep it there.
func TestChosenCellIsInSight(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const id = "tiny-decoder"
	for _, width := range []int64{1280, 360} {
		tab.size(width, 900)
		tab.open("/chapters/04-tiny-decoder?widget=tiny-decoder&step=99&cell=0,1,40&device=cpu#tiny-decoder")
		const hidden = `((cell) => {
			const box = cell.closest('.grid-scroll').getBoundingClientRect();
			const { left, right } = cell.getBoundingClientRect();
			return Math.max(box.left - left, right - box.right);
		})`
		tab.until("the chosen cell", "e2e.find(%s, 'td.selected') !== null", id)
		tab.settle()
		if px := get[float64](tab, hidden+"(e2e.find(%s, 'td.selected'))", id); px > 1 {
			t.Errorf("at %d px the chosen cell stands %.0f px outside its box", width, px)
		}
		get[bool](tab, "(e2e.find(%s, 'td.selected').closest('table').querySelector('[tabindex=\"0\"]').focus(), true)", id)
		for _, key := range []string{"End", "Home"} {
			tab.press(key)
			if px := get[float64](tab, hidden+"(document.activeElement)"); px > 1 {
				t.Errorf("at %d px %s leads to a cell %.0f px outside its box", width, key, px)
			}
		}
	}
}

// TestComparisonIsNotCut holds a row of the comparison to stand whole on a
// laptop: a number without its exponent is another number.
func TestComparisonIsNotCut(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const id = "cpu-and-fused"
	tab.open("/chapters/04-tiny-decoder?widget=cpu-and-fused&cell=logits[0,1,40]#cpu-and-fused")
	tab.until("the found row", "e2e.find(%s, 'tr.found') !== null", id)
	tab.settle()
	if px := get[int](tab, "((box) => box.scrollWidth - box.clientWidth)(e2e.find(%s, '.entries').parentElement)", id); px > 0 {
		t.Errorf("%d px of the rows are cut off", px)
	}
	// The bound is shortened there, and nowhere lost.
	if short := get[[]string](tab, `e2e.data(%s).report.entries.filter((one) => String(one.allowed).length > 8).slice(0, 1).map(() => {
		const cell = e2e.find(%s, 'tr.found > td:last-child');
		const entry = e2e.data(%s).report.entries.find((one) => one.group === 'logits' && one.coordinate.join() === '0,1,40');
		return cell.title === String(entry.allowed) && cell.textContent.length < cell.title.length ? '' : cell.outerHTML;
	})`, id, id, id); len(short) != 1 || short[0] != "" {
		t.Errorf("the bound is written as %q", short)
	}
}

// TestFormulasAreNotCut holds the limits of sums and the roots of displayed
// formulas to stand inside their boxes, which are scrolled sideways alone.
func TestFormulasAreNotCut(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, true))
	for _, path := range []string{"/chapters/01-one-product", "/chapters/03-views-and-packing", "/chapters/04-tiny-decoder"} {
		tab.open(path)
		tab.settle()
		const boxes = "[...document.querySelectorAll('p.math, .formula-display, .step-formula')].filter(e2e.shown)"
		if n := get[int](tab, boxes+".length"); n == 0 {
			t.Fatalf("%s has no displayed formula", path)
		}
		for _, cut := range get[[]string](tab, boxes+`.filter((box) => box.scrollHeight > box.clientHeight)
			.map((box) => box.scrollHeight + ' px in ' + box.clientHeight + ': ' + e2e.words(box).slice(0, 60))`) {
			t.Errorf("%s: %s", path, cut)
		}
	}
}
