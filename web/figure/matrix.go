package figure

import (
	"fmt"
	"strconv"

	"workbench/engine/tensor"
	"workbench/engine/trace"
)

// mostValues bounds the table of one tensor: a page is for reading.
const mostValues = 1 << 14

// matrix writes a tensor as a table per matrix. Rank 0 and 1 are a table of
// one row.
func (w writer) matrix(t trace.Tensor) {
	if len(t.Bytes) > 0 { // with the values beside them
		w.bytes(t)
		return
	}
	w.values(t, t.Name, func(flat int) string { return Number(tensor.Number(t.Values[flat])) }, len(t.Values))
	if t.Layout != nil {
		w.layout(t)
	}

}

// values writes one table per matrix of a tensor of t's shape, the text of
// each element from spell.
func (w writer) values(t trace.Tensor, name string, spell func(flat int) string, count int) {
	rows, columns := extent(t.Shape)
	rank := len(t.Shape)
	if count == 0 || rows*columns == 0 {
		w.open("p", "class", "matrix-empty")
		w.textf("%s has shape %s: no values.", name, tensor.FormatShape(t.Shape))
		w.line("p")
		return
	}
	shown := min(count, mostValues)
	for base := 0; base < shown; base += rows * columns {
		caption := fmt.Sprintf("%s, shape %s", name, tensor.FormatShape(t.Shape))
		if rank > 2 {
			caption = fmt.Sprintf("%s%s of shape %s", name, matrixIndex(t.Shape[:rank-2], base/(rows*columns)), tensor.FormatShape(t.Shape))
		}
		w.scroll(caption, columns)
		w.open("table", "class", "matrix")
		w.element("caption", caption)
		w.open("thead")
		w.open("tr")
		if rank > 1 {
			w.out.WriteString("<td></td>")
		}
		for j := range columns {
			w.element("th", label(t.Columns, j), "scope", "col")
		}
		w.close("tr")
		w.close("thead")
		w.out.WriteString("\n<tbody>\n")
		for i := range rows {
			w.open("tr")
			if rank > 1 {
				w.element("th", label(t.Rows, i), "scope", "row")
			}
			for j := range columns {
				w.out.WriteString("<td>")
				if flat := base + i*columns + j; flat < count {
					w.text(spell(flat))
				}
				w.out.WriteString("</td>")
			}
			w.line("tr")
		}
		w.close("tbody")
		w.close("table")
		w.line("div")
	}
	if count > shown {
		w.open("p", "class", "matrix-more")
		w.textf("%s has %d values; the rest is in the page's data.", name, count)
		w.line("p")
	}
}

// extent returns the size of the last two axes; a missing one counts 1.
func extent(shape []int) (rows, columns int) {
	rows, columns = 1, 1
	if rank := len(shape); rank > 0 {
		columns = shape[rank-1]
		if rank > 1 {
			rows = shape[rank-2]
		}
	}
	return rows, columns
}

// fewColumns is how many columns fit on a page without scrolling.
const fewColumns = 6

// scroll opens a box around a table that may be wider than the page. Where it
// may scroll, the keyboard must reach it.
func (w writer) scroll(name string, columns int) {
	if columns <= fewColumns {
		w.open("div", "class", "matrix-scroll")
		return
	}
	w.open("div", "class", "matrix-scroll", "role", "region", "aria-label", name, "tabindex", "0")
}

// label is a row's or a column's name, or else its index.
func label(labels []string, i int) string {
	if i < len(labels) {
		return labels[i]
	}
	return strconv.Itoa(i)
}

// matrixIndex writes the coordinate of a matrix among the leading axes: [1, 0].
func matrixIndex(lead []int, flat int) string {
	return tensor.FormatShape(tensor.Coordinate(lead, flat))
}

// layout says how a tensor reads its storage, and the storage index of each of
// its elements.
func (w writer) layout(t trace.Tensor) {
	l := t.Layout
	w.open("p", "class", "layout")
	w.textf("%s reads its storage from offset %d with strides %s", t.Name, l.Offset, tensor.FormatShape(l.Strides))
	if l.Contiguous {
		w.text(": contiguous, element after element.")
	} else {
		w.text(": not contiguous.")
	}
	w.line("p")
	w.values(t, "storage index of "+t.Name, func(flat int) string { return strconv.Itoa(l.Indices[flat]) }, len(l.Indices))
}
