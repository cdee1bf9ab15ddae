// Package strides checks the exercise of that name.
package strides

import (
	"fmt"
	"slices"

	"workbench/lessons/lesson"
)

// Check has shapes of none to five axes, of which one is empty.
var Check = &lesson.Go{
	Functions: []lesson.Function{{Name: "Strides", Signature: "func(shape []int) []int"}},
	Calls:     calls,
}

func calls() []lesson.Call {
	var calls []lesson.Call
	for _, shape := range [][]int{{2, 3}, {2, 3, 4}, {7}, {}, {5, 1, 3}, {2, 3, 5, 7}, {4, 2, 3, 5, 2}, {2, 0, 3}} {
		want, columns, own := make([]int, len(shape)), make([]float64, len(shape)), make([]float64, len(shape))
		for axis := range shape {
			want[axis] = product(shape[axis+1:])
			columns[axis] = float64(product(shape[:axis]))
			own[axis] = float64(product(shape[axis:]))
		}
		call := lesson.Call{Name: fmt.Sprintf("shape %v", shape), Function: "Strides", Args: []any{shape}, Want: []any{want}}
		add := func(got []float64, text string) {
			if !slices.EqualFunc(got, want, func(a float64, b int) bool { return a == float64(b) }) {
				call.Mistakes = append(call.Mistakes, lesson.Mistake{Array: "0", Values: got, Text: text})
			}
		}
		add(columns, "these are the strides of a column-major tensor, whose first axis runs fastest")
		add(own, "each stride has the extent of its own axis in it: only the axes behind count")
		calls = append(calls, call)
	}
	return calls
}

func product(extents []int) int {
	n := 1
	for _, extent := range extents {
		n *= extent
	}
	return n
}
