// Package checkedview checks the exercise of that name.
package checkedview

import (
	"fmt"

	"workbench/lessons/lesson"
)

// Check has every kind of view, read at its corners and just beyond them.
var Check = &lesson.Go{
	Functions: []lesson.Function{{Name: "View.At", Signature: "func(v exercise.View, index []int) (float64, error)"}},
	Calls:     calls,
}

type view struct {
	name           string
	n              int // elements of its data
	shape, strides []int
	offset         int
}

func calls() []lesson.Call {
	matrix := view{"a 2×3 matrix", 6, []int{2, 3}, []int{3, 1}, 0}
	slice := view{"every second row and column of a 4×6 matrix", 24, []int{2, 3}, []int{12, 2}, 7}
	transposed := view{"a transposed 2×3 matrix", 6, []int{3, 2}, []int{1, 3}, 0}
	repeated := view{"three numbers as five equal rows", 3, []int{5, 3}, []int{0, 1}, 0}
	reversed := view{"five numbers backwards", 5, []int{5}, []int{-1}, 4}
	scalar := view{"one number", 4, []int{}, []int{}, 2}
	empty := view{"no row of three", 3, []int{0, 3}, []int{3, 1}, 0}
	tooLong := view{"a wrong view of 3 rows over 8 numbers", 8, []int{3, 3}, []int{3, 1}, 0}
	tooEarly := view{"a wrong view that walks back too far", 8, []int{4}, []int{-2}, 5}

	calls := []lesson.Call{
		is(matrix, 1, 2), is(matrix, 0, 0), is(slice, 1, 2), is(slice, 0, 1), is(transposed, 2, 0), is(transposed, 1, 1),
		is(repeated, 4, 2), is(reversed, 0), is(reversed, 4), is(scalar), is(tooLong, 2, 1), is(tooEarly, 2),
	}
	return append(calls,
		beyond(slice, 1, 3), beyond(matrix, 0, 3), beyond(matrix, 2, 0), beyond(matrix, 1, -1), beyond(slice, -1, 2), beyond(repeated, 5, 0), beyond(empty, 0, 0),
		isNot(matrix, 1), isNot(matrix, 1, 2, 0), isNot(scalar, 0), isNot(matrix),
		isNot(tooLong, 2, 2), isNot(tooEarly, 3))
}

// beyond has an index that lies outside of the shape.
func beyond(v view, index ...int) lesson.Call {
	c := isNot(v, index...)
	c.Mistakes = []lesson.Mistake{{
		Array: "1", Values: []float64{0},
		Text: fmt.Sprintf("the index %v lies outside of the shape %v, and no error says so", index, v.shape),
	}}
	return c
}

func (v view) call(index []int) lesson.Call {
	data := make([]float64, v.n)
	for i := range data {
		data[i] = float64(100 + i)
	}
	if index == nil {
		index = []int{}
	}
	return lesson.Call{
		Name: fmt.Sprintf("%s, element %v", v.name, index), Function: "View.At",
		Args: []any{map[string]any{"Data": data, "Shape": v.shape, "Strides": v.strides, "Offset": v.offset}, index},
	}
}

// is has an element that is there. Each number says in which place it lies.
func is(v view, index ...int) lesson.Call {
	c := v.call(index)
	place := v.offset
	for axis, i := range index {
		place += i * v.strides[axis]
	}
	c.Want = []any{float64(100 + place), false}
	if v.offset != 0 {
		c.Mistakes = []lesson.Mistake{{Array: "0", Values: []float64{float64(100 + place - v.offset)}, Text: "this is the element that lies there without the offset"}}
	}
	return c
}

func isNot(v view, index ...int) lesson.Call {
	c := v.call(index)
	c.Want = []any{nil, true}
	return c
}
