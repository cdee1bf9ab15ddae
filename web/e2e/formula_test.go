package e2e

import "testing"

// TestFormulasAreSet holds formulas to be typeset: an index stands below its
// letter, and no line begins with the comma of a formula.
func TestFormulasAreSet(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, true))
	tab.open("/chapters/03-views-and-packing")
	checkFormulas(t, tab, true)
	tab.settle()
	// Without any font for mathematics a browser has nothing to lower by.
	if get[bool](tab, "['DejaVu Math TeX Gyre', 'STIX Two Math', 'Latin Modern Math', 'Cambria Math', 'Noto Sans Math', 'Libertinus Math'].some(e2e.installed)") {
		low := get[[]float64](tab, `[...document.querySelectorAll('.prose math msub')].filter(e2e.shown)
			.map((one) => one.children[1].getBoundingClientRect().bottom - one.children[0].getBoundingClientRect().bottom)`)
		if len(low) < 4 {
			t.Fatalf("the chapter has %d indices", len(low))
		}
		for _, px := range low {
			if px < 2 {
				t.Errorf("an index stands %.1f px below its letter", px)
			}
		}
	}
	for _, width := range []int64{1280, 700, 360} {
		tab.size(width, 800)
		tab.settle()
		for _, line := range get[[]string](tab, `[...document.querySelectorAll('.prose .formula')].filter(e2e.shown).flatMap((formula) => {
			const next = formula.nextSibling;
			if (next?.nodeType !== Node.TEXT_NODE || !/^[.,;:!?)\]]/.test(next.data)) return [];
			const range = document.createRange();
			range.setStart(next, 0);
			range.setEnd(next, 1);
			const mark = range.getBoundingClientRect();
			const box = formula.getBoundingClientRect();
			return mark.left < box.right - 1 ? [e2e.words(formula) + ' ' + next.data.slice(0, 20)] : [];
		})`) {
			t.Errorf("at %d px a line begins with the mark after %s", width, line)
		}
	}
}
