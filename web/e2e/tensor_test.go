package e2e

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestGroupByKeyboard chooses a mean with the arrow keys: its row is marked,
// and the values, the running sum and the division are written out.
func TestGroupByKeyboard(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const id = "row-sums"
	tab.open("/chapters/02-rows-sums-means?widget=row-sums&device=cpu#row-sums")
	tab.until("the focus", "e2e.focus().widget === 'row-sums' && e2e.focus().class === 'stage'")
	tab.press("End")
	grids := tab.grids(id)
	if len(grids) != 3 {
		t.Fatalf("there are %d tensors: %+v", len(grids), grids)
	}
	name, _, _ := strings.Cut(grids[2].Name, ",")
	tab.tabToGrid(name + ",")
	tab.press("ArrowDown", "Enter")
	tab.until("the mean", "e2e.state(%s).sentence === '5 = (4 + 5 + 6)/3'", id)
	s := tab.state(id)
	if s.Verdict != "yes" || !strings.Contains(s.Title, "mean") && !strings.Contains(s.Title, "/ 3") {
		t.Errorf("the step is %q, equal in every bit: %q", s.Title, s.Verdict)
	}
	want := [][]string{{"[1, 0] 4", "4"}, {"[1, 1] 5", "9"}, {"[1, 2] 6", "15"}}
	if terms := get[[][]string](tab, "e2e.terms(%s)", id); !reflect.DeepEqual(terms, want) {
		t.Errorf("the values are %q, want %q", terms, want)
	}
	if said := get[string](tab, "e2e.words(e2e.find(%s, '.cell-division'))", id); said != "15 / 3 = 5" {
		t.Errorf("the division is %q", said)
	}
	grids = tab.grids(id)
	if !slices.Equal(grids[0].Operands, []string{"1,0", "1,1", "1,2"}) || !slices.Equal(grids[2].Selected, []string{"1,0"}) {
		t.Errorf("marked: %+v", grids)
	}
}

// TestElementOfAView chooses an element of a transpose with the arrow keys, and
// then a stored value: each leads to the other, and to the formula between.
func TestElementOfAView(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const id = "transpose"
	tab.open("/chapters/03-views-and-packing?widget=transpose&step=1#transpose")
	tab.until("the focus", "e2e.focus().class === 'stage'")
	grids := tab.grids(id)
	if len(grids) != 2 || len(grids[0].Cells) != 3 || len(grids[1].Cells[0]) != 6 {
		t.Fatalf("the view is %+v", grids)
	}
	tab.tabToChoosable()
	tab.press("ArrowDown", "ArrowRight", "Enter") // [1, 1] of the transpose
	chosen := func(element, stored, formula string) {
		t.Helper()
		tab.until("the element "+element, "e2e.grids(%s)[0].selected.join(' ') === %s && e2e.grids(%s)[1].selected.join(' ') === %s", id, element, id, stored)
		if said := get[string](tab, "e2e.words(e2e.find(%s, '.offset-numbers'))", id); !strings.HasSuffix(said, formula) {
			t.Errorf("the formula is %q, want %q", said, formula)
		}
	}
	chosen("1,1", "0,4", "[1, 1]: 0 + 1·1 + 1·3 = 4")
	tab.tabToChoosable()
	tab.press("Home", "ArrowRight", "ArrowRight", "Enter")
	chosen("2,0", "0,2", "[2, 0]: 0 + 2·1 + 0·3 = 2")
	// The element stays chosen from step to step.
	tab.press("j")
	if got := tab.grids(id)[0].Selected; tab.state(id).Step != 3 || len(got) != 1 {
		t.Errorf("at step %d the elements %q are chosen", tab.state(id).Step, got)
	}
}

// TestBroadcastSharesValues holds an element of a broadcast to show which
// others read the same stored value.
func TestBroadcastSharesValues(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const id = "broadcast"
	tab.open("/chapters/03-views-and-packing?widget=broadcast&step=1#broadcast")
	tab.until("the focus", "e2e.focus().class === 'stage'")
	tab.tabToChoosable()
	tab.press("Enter")
	tab.until("the others", "/[2-9] elements read this stored value/.test(e2e.words(e2e.find(%s, '.offset')))", id)
	if n := get[int](tab, "e2e.widget(%s).querySelectorAll('.widget-live td.same').length", id); n < 2 {
		t.Errorf("%d elements are marked as reading the same value", n)
	}
}

// TestLargeProduct multiplies to more cells than get a step each: a cell is
// asked of the server, and found through the table's window.
func TestLargeProduct(t *testing.T) {
	t.Parallel()
	const n = 65 // 65² = 4225
	var column, row []string
	for i := range n {
		column = append(column, fmt.Sprint(i))
		row = append(row, fmt.Sprint(100+i))
	}
	tab, id := openProduct(t, course(t, false))
	tab.edit(id, "Left matrix A", strings.Join(column, "\n"))
	tab.edit(id, "Right matrix B", strings.Join(row, " "))
	tab.press("Ctrl+Enter")
	tab.until("the product", "!e2e.state(%s).stale && e2e.state(%s).steps === 4", id, id)
	tab.focusOn(id)
	tab.press("Home", "j", "j")
	tab.tabToChoosable()
	tab.press("Ctrl+End", "Enter")
	tab.until("the last cell", "e2e.state(%s).sentence === '10496 = 64·164'", id)
	if s := tab.state(id); s.Flat != "C[64, 64]: flat index q = (0·65 + 64)·65 + 64 = 4224" || s.Verdict != "yes" {
		t.Errorf("the cell says %q, equal in every bit: %q", s.Flat, s.Verdict)
	}
	grids := tab.grids(id)
	last := grids[len(grids)-1]
	if end := last.Cells[len(last.Cells)-1]; end[len(end)-1] != "10496" || len(last.Cells) >= n {
		t.Errorf("the window is %d by %d and ends with %s", len(last.Cells), len(end), end[len(end)-1])
	}
	// Its address opens it again.
	if s := tab.state(id); !strings.Contains(s.URL, "cell=0,64,64") {
		t.Errorf("the address is %s", s.URL)
	}
	tab.reload()
	tab.until("the last cell again", "e2e.state(%s).sentence === '10496 = 64·164'", id)
}

// TestWideTensor walks the logits, which are wider than any page: by keys, and
// by the number of a column.
func TestWideTensor(t *testing.T) {
	t.Parallel()
	tab, id := openDecoder(t)
	step := get[int](tab, "e2e.data(%s).trace.steps.findIndex((step) => step.phase === 'forward' && step.product?.n === 258)", id)
	if step < 0 {
		t.Fatal("no step makes the logits")
	}
	tab.open(fmt.Sprintf("/chapters/04-tiny-decoder?widget=tiny-decoder&step=%d&device=cpu#tiny-decoder", step))
	tab.until("the focus", "e2e.focus().class === 'stage'")
	tab.tabToChoosable()
	column := func() string {
		t.Helper()
		return get[string](tab, `(() => {
			const cell = document.activeElement;
			return e2e.words(cell.closest('table').tHead.rows[0].cells[cell.cellIndex].querySelector('.index') ?? cell.closest('table').tHead.rows[0].cells[cell.cellIndex]);
		})()`)
	}
	for range 13 {
		tab.press("ArrowRight")
	}
	if got := column(); got != "13" {
		t.Errorf("13 presses of → lead to column %s", got)
	}
	tab.press("End")
	if got := column(); got != "257" {
		t.Errorf("End leads to column %s", got)
	}
	field := "[...document.activeElement.closest('.grid-box').querySelectorAll('.pager-field')].find((one) => e2e.words(one.labels[0]) === 'go to column')"
	get[bool](tab, "("+field+".focus(), true)")
	tab.press("4", "0", "Enter")
	tab.until("column 40", "e2e.grids(%s).at(-1).name.includes('258') && [...e2e.widget(%s).querySelectorAll('table[data-choosable] thead th')].some((one) => e2e.words(one).split(' ').at(-1) === '40')", id, id)
}
