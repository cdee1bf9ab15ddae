package e2e

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

const productPage = "/chapters/01-one-product?widget=first-product&step=2&device=cpu#first-product"

// openProduct opens the first product at the step of the whole result.
func openProduct(t *testing.T, site *Site) (tab *Tab, id string) {
	t.Helper()
	tab = newTab(t, site)
	tab.open(productPage)
	tab.until("the focus", "e2e.focus().class === 'stage'")
	return tab, "first-product"
}

// corner is the last element of the product's result.
const corner = "e2e.grids(%s).at(-1).cells.at(-1).at(-1)"

// TestEditAndRunAgain changes an input: the result goes stale, and is made anew
// when it is asked for.
func TestEditAndRunAgain(t *testing.T) {
	t.Parallel()
	tab, id := openProduct(t, course(t, false))
	if s := tab.state(id); s.Stale || s.Notice != "" {
		t.Fatalf("a fresh page is stale: %+v", s)
	}
	tab.edit(id, "Left matrix A", "1 2 3\n4 5 7")
	s := tab.state(id)
	if !s.Stale || !strings.Contains(s.Notice, "Inputs changed since this result was made") {
		t.Errorf("after an edit the result is not stale: %+v", s)
	}
	if got := get[string](tab, corner, id); got != "154" {
		t.Errorf("before it is run the result is %s, want the old 154", got)
	}
	tab.press("Ctrl+Enter")
	tab.until("the new result", corner+" === '166'", id)
	s = tab.state(id)
	if s.Stale || s.Notice != "" || s.Step != 3 {
		t.Errorf("after the run: %+v", s)
	}
	if !strings.Contains(s.Made, "run in ") {
		t.Errorf("the result says %q of how it was made", s.Made)
	}
	// What came with the page is explained by the page's run, this by the new.
	tab.focusOn(id)
	tab.press("End", "k")
	if s := tab.state(id); s.Sentence != "166 = 4·8 + 5·10 + 7·12" || s.Verdict != "yes" {
		t.Errorf("the cell says %q, equal in every bit: %q", s.Sentence, s.Verdict)
	}
	// Back at the old text nothing is stale that was run with it … and this was not.
	tab.edit(id, "Left matrix A", "1 2 3\n4 5 6")
	if s := tab.state(id); !s.Stale {
		t.Error("the chapter's inputs are not those of the result, and it is not stale")
	}
}

// TestAnotherShape runs a product of another size, which has other steps.
func TestAnotherShape(t *testing.T) {
	t.Parallel()
	tab, id := openProduct(t, course(t, false))
	tab.edit(id, "Left matrix A", "1 2 3\n4 5 6\n7 8 9")
	tab.press("Ctrl+Enter")
	tab.until("three rows", "e2e.grids(%s).at(-1).cells.length === 3", id)
	if s := tab.state(id); s.Steps != 10 || s.Step != 3 {
		t.Errorf("step %d of %d, want 3 of 10", s.Step, s.Steps)
	}
	// Pasted from elsewhere: lists, and a shape of its own.
	tab.edit(id, "Left matrix A", "[[1, 2, 3, 4, 5, 6]]")
	tab.write(script("e2e.widget(%s).querySelector('[aria-label=\"Shape of Left matrix A\"]')", id), "2 × 3")
	tab.press("Ctrl+Enter")
	tab.until("two rows", "e2e.grids(%s).at(-1).cells.length === 2 && "+corner+" === '154'", id, id)
}

// TestMistakesAreExplained holds each mistake to stand beside its field, and
// nothing to be lost by it.
func TestMistakesAreExplained(t *testing.T) {
	t.Parallel()
	site := course(t, false)
	for _, c := range []struct{ name, field, text, at, mistake string }{
		{"ragged", "Left matrix A", "1 2\n3 4 5", "Left matrix A", "row 1 has 3 values and row 0 has 2"},
		{"no number", "Left matrix A", "1 2 x\n4 5 6", "Left matrix A", "“x” is not a number"},
		{"too large", "Right matrix B", "1 1e999\n1 1\n1 1", "Right matrix B", "“1e999” is larger than a float64 can hold"},
		{"does not fit", "Left matrix A", "1 2\n3 4", "Right matrix B", "the left side has 2 columns and the right side 3 rows"}, // only the engine knows
	} {
		t.Run(c.name, func(t *testing.T) {
			tab, id := openProduct(t, site)
			tab.edit(id, c.field, c.text)
			tab.press("Ctrl+Enter")
			tab.until("the mistake beside its field", "e2e.mistake(%s, %s).includes(%s)", id, c.at, c.mistake)
			if !get[bool](tab, "e2e.field(%s, %s).getAttribute('aria-invalid') === 'true'", id, c.at) {
				t.Error("the field is not marked as invalid")
			}
			s := tab.state(id)
			if !s.Stale || !strings.Contains(s.Notice, "The inputs have a mistake, marked below.") {
				t.Errorf("the example says %q (stale: %v)", s.Notice, s.Stale)
			}
			if text := get[string](tab, "e2e.field(%s, %s).value", id, c.field); text != c.text {
				t.Errorf("the field lost %q: it has %q", c.text, text)
			}
			if got := get[string](tab, corner, id); got != "154" {
				t.Errorf("the result before it is gone: %q", got)
			}
			// Mended, it runs.
			tab.edit(id, c.field, map[string]string{"Left matrix A": "1 2 3\n4 5 7", "Right matrix B": "7 8\n9 10\n11 13"}[c.field])
			if m := get[string](tab, "e2e.mistake(%s, %s)", id, c.at); m != "" {
				t.Errorf("the mended field still says %q", m)
			}
			tab.press("Ctrl+Enter")
			tab.until("a result", "!e2e.state(%s).stale && "+corner+" !== '154'", id, id)
		})
	}
}

// TestNumbersThatAreNone edits an example of infinities, as its chapter asks.
func TestNumbersThatAreNone(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const id = "not-finite"
	tab.open("/chapters/02-rows-sums-means?widget=not-finite&step=9#not-finite")
	tab.edit(id, "Left matrix A", "1 Infinity 2\ninf -inf 1\nnan 0 0\n1e308 -1e308 1e308")
	tab.press("Ctrl+Enter")
	tab.until("the other order", "e2e.state(%s).sentence.startsWith('1e+308 = ')", id)
	grids := tab.grids(id)
	if want := [][]string{{"∞", "∞"}, {"NaN", "NaN"}, {"NaN", "NaN"}, {"1e+308", "0"}}; !reflect.DeepEqual(grids[2].Cells, want) {
		t.Errorf("the result is %v, want %v", grids[2].Cells, want)
	}
}

// TestOperationsOfAView edits the list of a view's operations, whose mistakes
// belong to one of them.
func TestOperationsOfAView(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const id = "pack-then-reshape"
	tab.open("/chapters/03-views-and-packing?widget=pack-then-reshape&step=1#pack-then-reshape")
	get[bool](tab, "(e2e.find(%s, '.edit').open = true)", id)
	remove := script("e2e.find(%s, '[aria-label=\"remove operation 1, pack\"]')", id)
	tab.click(remove)
	if !tab.state(id).Stale {
		t.Error("without one of its operations the view is not stale")
	}
	tab.click(script("e2e.find(%s, '.edit-form [type=submit]')", id))
	tab.until("the mistake beside the operation", `[...e2e.find(%s, '.edit-ops').children].some((op) =>
		e2e.words(op).includes('reshape') && [...op.querySelectorAll('.field-error')].some((e) => e2e.shown(e) && e2e.words(e).length > 20))`, id)
	tab.click(script("[...e2e.widget(%s).querySelectorAll('.edit button')].find((one) => one.textContent === 'Undo')", id))
	tab.click(script("e2e.find(%s, '.edit-form [type=submit]')", id))
	tab.until("the view as it was", "!e2e.state(%s).stale && e2e.state(%s).notice === ''", id, id)
}

// TestResetAsks holds the way back to the chapter's example to ask first, and
// to have a way back itself.
func TestResetAsks(t *testing.T) {
	t.Parallel()
	tab, id := openProduct(t, course(t, false))
	const mine = "9 8 7\n6 5 4"
	button := func(text string) string {
		return script("[...e2e.widget(%s).querySelectorAll('.edit button')].find((one) => one.textContent === %s)", id, text)
	}
	has := func(text string) {
		t.Helper()
		tab.until("the text "+text, "e2e.field(%s, 'Left matrix A').value.replace(/ +/g, ' ').trim() === %s", id, text)
	}
	tab.edit(id, "Left matrix A", mine)
	tab.click(button("Chapter’s example"))
	tab.until("the question", "e2e.widget(%s).querySelector('dialog').open", id)
	has(mine)
	tab.click(button("Keep my edits"))
	tab.until("the answer", "!e2e.widget(%s).querySelector('dialog').open", id)
	has(mine)
	tab.click(button("Chapter’s example"))
	tab.press("Escape")
	tab.until("the answer", "!e2e.widget(%s).querySelector('dialog').open", id)
	has(mine)
	tab.click(button("Chapter’s example"))
	tab.click(button("Replace them"))
	has("1 2 3\n4 5 6")
	if s := tab.state(id); s.Stale {
		t.Error("the chapter's example is stale beside its own result")
	}
	tab.click(button("Undo"))
	has(mine)
}

// TestEditsSurviveReload holds what was typed and what was run to be there
// again when the page is.
func TestEditsSurviveReload(t *testing.T) {
	t.Parallel()
	tab, id := openProduct(t, course(t, false))
	const ragged = "1 2\n3 4 5"
	tab.edit(id, "Left matrix A", "1 2 3\n4 5 7")
	tab.press("Ctrl+Enter")
	tab.until("the new result", corner+" === '166'", id)
	tab.reload()
	tab.until("the new result again", corner+" === '166'", id)
	if s := tab.state(id); s.Stale || s.Step != 3 {
		t.Errorf("after the reload: %+v", s)
	}
	// A mistake is kept too, and not run.
	tab.edit(id, "Left matrix A", ragged)
	tab.reload()
	if text := get[string](tab, "e2e.field(%s, 'Left matrix A').value", id); text != ragged {
		t.Errorf("after the reload the field has %q, want %q", text, ragged)
	}
	if m := get[string](tab, "e2e.mistake(%s, 'Left matrix A')", id); !strings.Contains(m, "row 1 has 3 values") {
		t.Errorf("after the reload the field says %q", m)
	}
	if s := tab.state(id); !s.Stale {
		t.Error("a result of other inputs is not stale after the reload")
	}
	// Another example of the page has nothing of it.
	if get[bool](tab, "e2e.widget('two-batches').querySelector('.edit').open") {
		t.Error("the edits of one example open another one's form")
	}
}

// TestStop cancels a run that takes too long, on the page and on the device.
func TestStop(t *testing.T) {
	t.Parallel()
	slow := newSleeper()
	o := withDevice(options(false), slow.around)
	o.Limits.Progress = 50 * time.Millisecond
	o.Limits.RunTime = time.Hour // nothing but the reader ends the run
	site := serve(t, o)
	tab, id := openProduct(t, site)

	slow.asleep.Store(true)
	tab.choose(id, "emulator")
	tab.until("the choice to be known", "e2e.state(%s).stale && e2e.state(%s).notice.includes('The device changed')", id, id)
	tab.click(script("e2e.find(%s, '.run')", id))
	await(t, slow.started, "the device to be asked")
	tab.until("progress", "e2e.state(%s).running && e2e.state(%s).notice.includes('product runs on emulator')", id, id)
	if !get[bool](tab, "e2e.shown(e2e.find(%s, 'progress'))", id) {
		t.Error("a long run has no progress to see")
	}
	// The steps of the result before can be gone through meanwhile.
	tab.focusOn(id)
	tab.press("j")
	if s := tab.state(id); s.Step != 4 || s.Sentence != "58 = 1·7 + 2·9 + 3·11" {
		t.Errorf("during a run j leads to step %d, %q", s.Step, s.Sentence)
	}
	tab.click(script("e2e.find(%s, '.stop')", id))
	await(t, slow.stopped, "the device to be let go")
	tab.until("the end", "!e2e.state(%s).running && e2e.state(%s).notice.includes('Stopped')", id, id)
	if s := tab.state(id); !s.Stale || !strings.HasPrefix(s.Made, "Made by cpu (") {
		t.Errorf("after a run that was stopped: %+v", s)
	}

	slow.asleep.Store(false)
	tab.click(script("e2e.find(%s, '.run')", id))
	tab.until("the run", "e2e.state(%s).made.startsWith('Made by emulator (')", id)
}

// choose picks a device from an example's menu, as a mouse does.
func (tab *Tab) choose(id, device string) {
	tab.t.Helper()
	get[bool](tab, `(() => {
		const menu = e2e.find(%s, '.device-select');
		const option = [...menu.options].find((one) => one.value === %s);
		if (!option || option.disabled) throw new Error('the menu has no such device');
		menu.value = option.value;
		menu.dispatchEvent(new Event('input', { bubbles: true }));
		menu.dispatchEvent(new Event('change', { bubbles: true }));
		return true;
	})()`, id, device)
}

// await waits for a token.
func await(t *testing.T, tokens <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-tokens:
	case <-time.After(patience):
		t.Fatalf("waited in vain for %s", what)
	}
}
