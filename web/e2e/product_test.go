package e2e

import (
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"testing"
)

// TestCellByKeyboard chooses the cell that holds 64 with the arrow keys, and
// holds everything that explains it.
func TestCellByKeyboard(t *testing.T) {
	t.Parallel()
	for _, b := range bundles {
		t.Run(b.name, func(t *testing.T) {
			tab := newTab(t, course(t, b.present))
			const id = "first-product"
			tab.open("/chapters/01-one-product")
			tab.tabTo(id)
			tab.press("Home", "j", "j")
			if s := tab.state(id); s.Step != 3 {
				t.Fatalf("the whole product is at step %d", s.Step)
			}
			tab.tabToGrid("C,")
			tab.press("ArrowRight", "Enter")
			tab.until("the cell's step", "e2e.state(%s).step === 5", id)

			s := tab.state(id)
			if s.Sentence != "64 = 1·8 + 2·10 + 3·12" {
				t.Errorf("the cell says %q", s.Sentence)
			}
			if want := "C[0, 1]: flat index q = (0·2 + 0)·2 + 1 = 1"; s.Flat != want {
				t.Errorf("the flat index is %q, want %q", s.Flat, want)
			}
			if s.Verdict != "yes" {
				t.Errorf("is the cell equal in every bit: %q", s.Verdict)
			}
			checkAddress(t, s.URL, "/chapters/01-one-product", url.Values{"widget": {id}, "step": {"4"}, "cell": {"0,0,1"}, "device": {"cpu"}})

			terms := get[[][]string](tab, "e2e.terms(%s)", id)
			want := [][]string{{"[0, 0] 1", "[0, 1] 8", "8", "8"}, {"[0, 1] 2", "[1, 1] 10", "20", "28"}, {"[0, 2] 3", "[2, 1] 12", "36", "64"}}
			if !reflect.DeepEqual(terms, want) {
				t.Errorf("the terms are %q, want %q", terms, want)
			}
			grids := tab.grids(id)
			if len(grids) != 3 || !slices.Equal(grids[0].Operands, []string{"0,0", "0,1", "0,2"}) || !slices.Equal(grids[1].Operands, []string{"0,1", "1,1", "2,1"}) {
				t.Fatalf("the operands are marked at %+v", grids)
			}
			if !slices.Equal(grids[2].Selected, []string{"0,1"}) || !reflect.DeepEqual(grids[2].Cells, [][]string{{"58", "64"}, {"139", "154"}}) {
				t.Errorf("the result is %+v", grids[2])
			}

			if b.present {
				tab.until("the chart", "e2e.shown(e2e.find(%s, '.chart svg')) && e2e.find(%s, '.chart svg').querySelectorAll('path').length > 3", id, id)
				label := get[string](tab, "e2e.find(%s, '.chart-canvas').getAttribute('aria-label')", id)
				if label != "Contributions to the sum and the running sum: 64 = 1·8 + 2·10 + 3·12" {
					t.Errorf("the chart is called %q", label)
				}
			} else if get[bool](tab, "e2e.shown(e2e.find(%s, '.chart')) || Boolean(e2e.find(%s, 'svg:not(.icon)'))", id, id) {
				t.Error("there is a chart without the bundle")
			}
		})
	}
}

// tabToGrid presses Tab until a cell of the table has the focus whose caption
// begins with those words.
func (tab *Tab) tabToGrid(caption string) {
	tab.t.Helper()
	for range mostStops {
		tab.press("Tab")
		if get[bool](tab, "e2e.focus().role === 'gridcell' && e2e.focus().caption.startsWith(%s)", caption) {
			return
		}
	}
	tab.t.Fatalf("Tab does not lead to the table %s", caption)
}

// TestArrowsInATable holds the arrow keys to walk a table and to leave the
// steps alone.
func TestArrowsInATable(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const id = "two-batches"
	tab.open("/chapters/01-one-product?widget=two-batches&step=2&device=cpu#two-batches")
	tab.until("the focus", "e2e.focus().class === 'stage'")
	tab.tabToGrid("C,")
	at := func(key, text string) {
		t.Helper()
		tab.press(key)
		if got := get[string](tab, "e2e.focus().text"); got != text {
			t.Errorf("after %s the focus is on %q, want %q", key, got, text)
		}
	}
	grid := tab.grids(id)[2].Cells
	at("ArrowRight", grid[0][1])
	at("ArrowDown", grid[1][1])
	at("End", grid[1][2])
	at("ArrowRight", grid[1][2]) // the edge
	at("ArrowUp", grid[0][2])
	at("Home", grid[0][0])
	at("Ctrl+End", grid[1][2])
	at("Ctrl+Home", grid[0][0])
	if s := tab.state(id); s.Step != 3 {
		t.Errorf("walking a table moved to step %d", s.Step)
	}
	tab.press("j")
	if s := tab.state(id); s.Step != 4 {
		t.Errorf("j in a table leads to step %d, want 4", s.Step)
	}
}

// TestClickOnACell chooses with the mouse.
func TestClickOnACell(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const id = "first-product"
	tab.open("/chapters/01-one-product?widget=first-product&step=2&device=cpu#first-product")
	tab.until("the focus", "e2e.focus().class === 'stage'")
	tab.click(script("[...e2e.widget(%s).querySelectorAll('td[role=gridcell]')].find((cell) => cell.textContent === '139')", id))
	tab.until("the cell", "e2e.state(%s).sentence === '139 = 4·7 + 5·9 + 6·11'", id)
	for _, key := range []string{"Next step", "Last step", "Previous step", "First step"} {
		tab.click(script("e2e.find(%s, '[aria-label=\"' + %s + '\"]')", id, key))
	}
	if s := tab.state(id); s.Step != 1 {
		t.Errorf("the buttons lead to step %d, want 1", s.Step)
	}
}

// TestSlider moves the slider with its own keys.
func TestSlider(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const id = "first-product"
	tab.open("/chapters/01-one-product?widget=first-product&step=0&device=cpu#first-product")
	get[bool](tab, "(e2e.find(%s, '.step-slider').focus(), true)", id)
	for want, key := range map[int]string{2: "ArrowRight", 8: "End", 1: "Home"} {
		tab.press("Home", key)
		s := tab.state(id)
		if s.Step != want {
			t.Errorf("%s on the slider leads to step %d, want %d", key, s.Step, want)
		}
		checkAddress(t, s.URL, "/chapters/01-one-product", url.Values{"widget": {id}, "step": {strconv.Itoa(want - 1)}})
		said := get[string](tab, "e2e.find(%s, '.step-slider').getAttribute('aria-valuetext')", id)
		if want := "Step " + strconv.Itoa(want-1) + " of 0–7: " + s.Title; said != want {
			t.Errorf("the slider says %q, want %q", said, want)
		}
	}
}

func mustInt(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func queryOf(t *testing.T, link string) string {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	return "?" + u.RawQuery
}

// TestCellBeforeItsStep chooses a cell of C before C is computed: the page says
// where that happens, and leads there.
func TestCellBeforeItsStep(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const id = "first-product"
	tab.open("/chapters/01-one-product?widget=first-product&step=0#first-product")
	tab.until("the focus", "e2e.focus().class === 'stage'")
	tab.click(script("e2e.widget(%s).querySelectorAll('.widget-live table.grid')[2].querySelectorAll('[role=gridcell]')[1]", id))
	if said := get[string](tab, "e2e.words(e2e.find(%s, '.cell-hint'))", id); said != "C is computed at step 2, and is still blank here. Go to C[0, 1]" {
		t.Errorf("before its step C says %q", said)
	}
	tab.click(script("e2e.find(%s, '.cell-hint button')", id))
	if s := tab.state(id); s.Step != 5 || s.Verdict != "yes" {
		t.Errorf("the button leads to step %d, equal in every bit: %q; want the fifth", s.Step, s.Verdict)
	}
	if at := get[string](tab, "e2e.focus().class"); at != "stage" {
		t.Errorf("and the focus to %q", at)
	}
}
