package runner

import (
	"fmt"
	"slices"
)

// plane is an array seen as rows and columns: the last axis, and all before it.
func (c *comparison) plane() (rows, columns int) {
	if len(c.shape) == 0 {
		return 1, 1
	}
	columns = c.shape[len(c.shape)-1]
	if columns == 0 {
		return 0, 0
	}
	return len(c.want) / columns, columns
}

// where says which elements these are, in ascending order: "everything from element
// 32 on", "row 4", "every 4th element from element 3 on".
func (c *comparison) where(places []int) string {
	n := len(c.want)
	switch {
	case len(places) == 0:
		return "none"
	case len(places) == 1:
		return c.element(places[0])
	case len(places) == n:
		return "all of them"
	}
	if len(c.shape) == 2 {
		if s := c.whereInPlane(places); s != "" {
			return s
		}
	}
	if len(c.shape) == 1 {
		if s := along(places, n, "element"); s != "" {
			return s
		}
	}
	if len(c.shape) == 3 {
		if s := c.whereInBatch(places); s != "" {
			return s
		}
	}
	return "the first of them " + c.element(places[0])
}

// whereInBatch describes elements of several matrices: which of them are meant, if
// they are whole.
func (c *comparison) whereInBatch(places []int) string {
	size := c.shape[1] * c.shape[2]
	var whole []int
	for k := 0; k < len(places); k += size {
		if places[k]%size != 0 || k+size > len(places) || places[k+size-1]-places[k] != size-1 {
			return ""
		}
		whole = append(whole, places[k]/size)
	}
	return named(whole, c.shape[0], "matrix")
}

func plural(what string) string {
	if what == "matrix" {
		return "matrices"
	}
	return what + "s"
}

// along describes numbers below n of something that is counted; "" if there is no
// rule in them.
func along(places []int, n int, what string) string {
	first, last := places[0], places[len(places)-1]
	solid := last-first+1 == len(places)
	switch {
	case len(places) == 1:
		return fmt.Sprintf("%s %d", what, first)
	case solid && last == n-1:
		return fmt.Sprintf("everything from %s %d on", what, first)
	case solid && first == 0:
		return fmt.Sprintf("everything before %s %d", what, last+1)
	case solid:
		return fmt.Sprintf("%s %d to %d", plural(what), first, last)
	}
	if step := places[1] - places[0]; len(places) >= enough && evenly(places, step) && last+step >= n {
		if first == 0 {
			return fmt.Sprintf("every %s %s", ordinal(step), what)
		}
		return fmt.Sprintf("every %s %s from %s %d on", ordinal(step), what, what, first)
	}
	var others []int
	for i := range n {
		if _, found := slices.BinarySearch(places, i); !found {
			others = append(others, i)
		}
	}
	if len(others) <= len(places)/2 {
		switch {
		case len(others) == 1:
			return fmt.Sprintf("all but %s %d", what, others[0])
		case len(others) >= enough && evenly(others, others[1]-others[0]) && others[len(others)-1]+others[1]-others[0] >= n:
			return "all but " + along(others, n, what)
		case others[len(others)-1]-others[0]+1 == len(others):
			return fmt.Sprintf("all but %s %d to %d", plural(what), others[0], others[len(others)-1])
		}
	}
	return ""
}

func evenly(places []int, step int) bool {
	for i := 1; i < len(places); i++ {
		if places[i]-places[i-1] != step {
			return false
		}
	}
	return step > 1
}

func ordinal(n int) string {
	switch {
	case n == 2:
		return "second"
	case n%10 == 1 && n%100 != 11:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2 && n%100 != 12:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3 && n%100 != 13:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}

// whereInPlane describes elements of a matrix; "" if there is no rule in them.
func (c *comparison) whereInPlane(places []int) string {
	rows, columns := c.plane()
	in := make([]bool, len(c.want))
	inRow, inColumn := make([]int, rows), make([]int, columns)
	for _, i := range places {
		in[i] = true
		inRow[i/columns]++
		inColumn[i%columns]++
	}
	whole := func(counts []int, of int) (list []int, all bool) {
		all = true
		for k, n := range counts {
			if n == of {
				list = append(list, k)
			}
			all = all && (n == of || n == 0)
		}
		return list, all
	}
	wholeRows, onlyRows := whole(inRow, columns)
	wholeColumns, onlyColumns := whole(inColumn, rows)
	switch {
	case onlyRows:
		return named(wholeRows, rows, "row")
	case onlyColumns:
		return named(wholeColumns, columns, "column")
	}
	// The two edges of a matrix: everything behind a row, and behind a column.
	if suffix(wholeRows, rows) && suffix(wholeColumns, columns) {
		covered := len(wholeRows)*columns + len(wholeColumns)*(rows-len(wholeRows))
		if covered == len(places) {
			return named(wholeRows, rows, "row") + ", and " + named(wholeColumns, columns, "column")
		}
	}
	var diagonal, above, below int
	for _, i := range places {
		switch r, k := i/columns, i%columns; {
		case r == k:
			diagonal++
		case k > r:
			above++
		default:
			below++
		}
	}
	short := min(rows, columns)
	allAbove, allBelow := 0, 0
	for r := range rows {
		for k := range columns {
			if k > r {
				allAbove++
			} else if k < r {
				allBelow++
			}
		}
	}
	switch {
	case rows < 2 || columns < 2:
	case diagonal == short && above+below == 0:
		return "the diagonal"
	case diagonal == 0 && above == allAbove && below == allBelow:
		return "all but the diagonal"
	case above == allAbove && above > 1 && diagonal == 0 && below == 0:
		return "what lies above the diagonal"
	case below == allBelow && below > 1 && diagonal == 0 && above == 0:
		return "what lies below the diagonal"
	}
	// A rectangle.
	var hasRows, hasColumns []int
	for r, n := range inRow {
		if n > 0 {
			hasRows = append(hasRows, r)
		}
	}
	for k, n := range inColumn {
		if n > 0 {
			hasColumns = append(hasColumns, k)
		}
	}
	if len(hasRows)*len(hasColumns) == len(places) {
		if a, b := span(hasRows, "row"), span(hasColumns, "column"); a != "" && b != "" {
			return a + ", " + b
		}
	}
	return ""
}

// named describes whole rows or columns.
func named(list []int, n int, what string) string {
	if s := along(list, n, what); s != "" {
		return s
	}
	return fmt.Sprintf("%d whole %s, the first of them %s %d", len(list), plural(what), what, list[0])
}

// span writes "row 3" or "rows 3 to 5", "" if there are holes.
func span(list []int, what string) string {
	first, last := list[0], list[len(list)-1]
	switch {
	case len(list) == 1:
		return fmt.Sprintf("%s %d", what, first)
	case last-first+1 == len(list):
		return fmt.Sprintf("%s %d to %d", plural(what), first, last)
	}
	return ""
}

// edge says in which last piece all wrong elements lie, most of it; "" if there is
// none.
func (c *comparison) edge() string {
	rows, columns := c.plane()
	if len(c.shape) == 0 || len(c.shape) > 2 || len(c.wrong) == len(c.want) {
		return ""
	}
	// From a row and from a column on; what has as many rows or columns is whole.
	within := func(fromRow, fromColumn int) bool {
		for _, i := range c.wrong {
			if i/columns < fromRow && i%columns < fromColumn {
				return false
			}
		}
		return 2*len(c.wrong) >= rows*columns-fromRow*fromColumn
	}
	const several = 8 // of fewer, the last one may be wrong by chance
	if len(c.shape) == 1 {
		if columns >= several && within(1, columns-1) {
			return "the last element"
		}
		for _, t := range c.edges() {
			if begin := columns / t[1] * t[1]; begin > 0 && begin < columns && within(1, begin) {
				return fmt.Sprintf("what lies behind the last whole %d, from element %d on", t[1], begin)
			}
		}
		return ""
	}
	switch {
	case rows >= several/2 && within(rows-1, columns):
		return "the last row"
	case columns >= several/2 && within(rows, columns-1):
		return "the last column"
	}
	for _, t := range c.edges() {
		row, column := rows/t[0]*t[0], columns/t[1]*t[1]
		switch {
		case row > 0 && row < rows && within(row, columns):
			return fmt.Sprintf("the rows behind the last whole tile, from row %d on", row)
		case column > 0 && column < columns && within(rows, column):
			return fmt.Sprintf("the columns behind the last whole tile, from column %d on", column)
		case row > 0 && row < rows && column > 0 && column < columns && within(row, column):
			return fmt.Sprintf("what lies behind the last whole tile, from row %d and from column %d on", row, column)
		}
	}
	return ""
}

// edges are the extents of the pieces that are likely: those of the blocks, and
// squares as wide as a block, which several rows of threads share.
func (c *comparison) edges() [][2]int {
	var out [][2]int
	add := func(t [2]int) {
		if t[0] > 0 && t[1] > 1 && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	for _, t := range c.tiles {
		add(t)
		add([2]int{t[1], t[1]})
	}
	return out
}
