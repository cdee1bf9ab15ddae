// Package sumalongaxis checks the exercise of that name.
package sumalongaxis

import (
	"fmt"
	"slices"

	"workbench/lessons/lesson"
)

// Check has every axis of tensors of one to four axes, and axes without an
// element.
var Check = &lesson.Go{
	Functions: []lesson.Function{{Name: "SumAlong", Signature: "func(values []float64, shape []int, axis int) []float64"}},
	Calls:     calls,
}

func calls() []lesson.Call {
	var calls []lesson.Call
	for _, shape := range [][]int{{2, 3}, {5}, {2, 3, 4}, {3, 2, 1, 5}, {2, 0}, {0, 3}, {1, 1}} {
		for axis := range shape {
			calls = append(calls, call(shape, axis))
		}
	}
	return calls
}

func call(shape []int, axis int) lesson.Call {
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(i + 1)
		if n > 6 {
			values[i] = float64((i*i+3*i)%41 - 11)
		}
	}
	left := slices.Delete(slices.Clone(shape), axis, axis+1)
	groups := 1
	for _, extent := range left {
		groups *= extent
	}
	// Each value says itself to which group it belongs: by its index without the
	// axis.
	want, neighbours, mean := make([]float64, groups), make([]float64, groups), make([]float64, groups)
	for place, value := range values {
		index := make([]int, len(shape))
		rest := place
		for a := len(shape) - 1; a >= 0; a-- {
			index[a], rest = rest%shape[a], rest/shape[a]
		}
		group := 0
		for a, i := range index {
			if a != axis {
				group = group*shape[a] + i
			}
		}
		want[group] += value
		neighbours[place/shape[axis]] += value
	}
	c := lesson.Call{
		Name: fmt.Sprintf("shape %v along axis %d", shape, axis), Function: "SumAlong",
		Args: []any{values, shape, axis}, Want: []any{want}, Shapes: [][]int{left},
	}
	for g, sum := range want {
		mean[g] = sum / float64(shape[axis])
	}
	if !slices.Equal(neighbours, want) {
		c.Mistakes = append(c.Mistakes, lesson.Mistake{
			Array: "0", Values: neighbours,
			Text: fmt.Sprintf("these are the sums of %d neighbours each, which are not the groups of axis %d", shape[axis], axis),
		})
	}
	if shape[axis] > 1 {
		c.Mistakes = append(c.Mistakes, lesson.Mistake{Array: "0", Values: mean, Text: "these are the means, not the sums"})
	}
	return c
}
