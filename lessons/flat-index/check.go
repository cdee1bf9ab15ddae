// Package flatindex checks the exercise of that name.
package flatindex

import (
	"fmt"

	"workbench/lessons/lesson"
)

// Check has tensors of none to four axes, none of whose extents are alike.
var Check = &lesson.Go{
	Functions: []lesson.Function{{Name: "FlatIndex", Signature: "func(shape, index []int) int"}},
	Calls:     calls,
}

func calls() []lesson.Call {
	tried := []struct{ shape, index []int }{
		{[]int{2, 3}, []int{0, 0}},
		{[]int{2, 3}, []int{0, 2}},
		{[]int{2, 3}, []int{1, 2}},
		{[]int{3, 2}, []int{1, 0}},
		{[]int{7}, []int{5}},
		{[]int{}, []int{}},
		{[]int{1, 1}, []int{0, 0}},
		{[]int{2, 3, 4}, []int{1, 2, 3}},
		{[]int{5, 2, 3}, []int{3, 0, 1}},
		{[]int{2, 5, 3, 7}, []int{1, 4, 1, 6}},
	}
	var calls []lesson.Call
	for _, t := range tried {
		// The element's place is how many indices come before its own.
		place, columns, stride := 0, 0, 1
		for axis, extent := range t.shape {
			place = place*extent + t.index[axis]
			columns += t.index[axis] * stride
			stride *= extent
		}
		call := lesson.Call{
			Name: fmt.Sprintf("the element at %v of a tensor of shape %v", t.index, t.shape), Function: "FlatIndex",
			Args: []any{t.shape, t.index}, Want: []any{place},
		}
		if columns != place {
			call.Mistakes = []lesson.Mistake{{
				Array: "0", Values: []float64{float64(columns)},
				Text: "this is its place where the first axis runs fastest, which is column-major",
			}}
		}
		calls = append(calls, call)
	}
	return calls
}
