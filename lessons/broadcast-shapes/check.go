// Package broadcastshapes checks the exercise of that name.
package broadcastshapes

import (
	"fmt"

	"workbench/lessons/lesson"
)

// Check has pairs of shapes that go together and pairs that nearly do.
var Check = &lesson.Go{
	Functions: []lesson.Function{{Name: "Broadcast", Signature: "func(a, b []int) ([]int, error)"}},
	Calls:     calls,
}

func calls() []lesson.Call {
	var calls []lesson.Call
	for _, t := range []struct{ a, b, want []int }{
		{[]int{2, 3}, []int{3}, []int{2, 3}},
		{[]int{2, 3}, []int{2, 1}, []int{2, 3}},
		{[]int{2, 1}, []int{2, 3}, []int{2, 3}},
		{[]int{4, 1, 3}, []int{5, 1}, []int{4, 5, 3}},
		{[]int{7}, []int{}, []int{7}},
		{[]int{}, []int{}, []int{}},
		{[]int{3}, []int{5, 2, 3}, []int{5, 2, 3}},
		{[]int{1, 6}, []int{4, 1}, []int{4, 6}},
		{[]int{2, 0}, []int{2, 1}, []int{2, 0}},
		{[]int{1}, []int{0}, []int{0}},
		{[]int{0, 3}, []int{1, 3}, []int{0, 3}},
		{[]int{2, 3}, []int{2}, nil},
		{[]int{3}, []int{3, 2}, nil},
		{[]int{4}, []int{2}, nil},
		{[]int{2}, []int{6}, nil},
		{[]int{0}, []int{3}, nil},
		{[]int{2, 3, 4}, []int{3, 3, 4}, nil},
	} {
		call := lesson.Call{
			Name: fmt.Sprintf("%v and %v", t.a, t.b), Function: "Broadcast",
			Args: []any{t.a, t.b}, Want: []any{t.want, false},
		}
		if t.want == nil {
			call.Want = []any{nil, true}
		}
		var larger []float64
		zero := false
		for _, extent := range t.want {
			zero = zero || extent == 0
			larger = append(larger, float64(max(1, extent)))
		}
		if zero {
			call.Mistakes = []lesson.Mistake{{Array: "0", Values: larger, Text: "this is the larger of 0 and 1: what is repeated 0 times is empty"}}
		}
		calls = append(calls, call)
	}
	return calls
}
