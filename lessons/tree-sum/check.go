// Package treesum checks the exercise of that name.
package treesum

import (
	"fmt"

	"workbench/lessons/lesson"
)

// Check has counts that are powers of two, and all the ways in which they are
// not, and numbers whose sum says in which order they met.
var Check = &lesson.Go{
	Functions: []lesson.Function{{Name: "TreeSum", Signature: "func(values []float64) float64"}},
	Calls:     calls,
}

func calls() []lesson.Call {
	tried := [][]float64{{1e16, 1, 1, 1, 1, 1, 1, 1}, {}, {-3}, {1, 2}, {1, 1e16, -1e16}}
	for _, n := range []int{5, 6, 7, 11, 16, 29} {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64((i*37+11)%n+1) / 10
			if i%3 == 1 {
				values[i] *= -1e3
			}
		}
		tried = append(tried, values)
	}
	var calls []lesson.Call
	for _, values := range tried {
		want := tree(values)
		call := lesson.Call{
			Name: fmt.Sprintf("%d values", len(values)), Function: "TreeSum",
			Args: []any{values}, Want: []any{want},
		}
		add := func(got float64, text string) {
			if got != want {
				call.Mistakes = append(call.Mistakes, lesson.Mistake{Array: "0", Values: []float64{got}, Text: text})
			}
		}
		add(chain(values), "this is the chain, in which each value is added to the sum of all before it")
		add(far(values), "this is a tree whose pairs are half a round apart: add neighbours")
		calls = append(calls, call)
	}
	return calls
}

// tree splits the values where a tree of rounds does: behind the largest power of
// two that leaves something over.
func tree(values []float64) float64 {
	switch len(values) {
	case 0:
		return 0
	case 1:
		return values[0]
	}
	split := 1
	for split*2 < len(values) {
		split *= 2
	}
	return tree(values[:split]) + tree(values[split:])
}

func chain(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum
}

func far(values []float64) float64 {
	if len(values) < 2 {
		return chain(values)
	}
	half := (len(values) + 1) / 2
	sums := append([]float64(nil), values[:half]...)
	for i, v := range values[half:] {
		sums[i] += v
	}
	return far(sums)
}
