// Package causalmask checks the exercise of that name.
package causalmask

import (
	"fmt"
	"math"

	"workbench/lessons/lesson"
)

// Check has one to seven positions, with scores of which no two rows are alike.
var Check = &lesson.Go{
	Functions: []lesson.Function{{Name: "Weights", Signature: "func(scores []float64, n int) []float64"}},
	Calls:     calls,
}

func calls() []lesson.Call {
	calls := []lesson.Call{call([]float64{0, 2, 1, 1, 1.5, 3, 0.5, 2, 0.8}, 3)}
	for _, n := range []int{1, 2, 4, 7} {
		scores := make([]float64, n*n)
		for i := range scores {
			scores[i] = float64((i*29+n*7)%31-15) / 4
		}
		calls = append(calls, call(scores, n))
	}
	return calls
}

func call(scores []float64, n int) lesson.Call {
	want, zero, after := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		row := scores[i*n : i*n+n]
		past, ahead := 0.0, 0.0
		for j, s := range row {
			if j <= i {
				past += math.Exp(s)
			} else {
				ahead += math.Exp(s)
			}
		}
		for j, s := range row {
			if j <= i {
				want[i*n+j] = math.Exp(s) / past
				zero[i*n+j] = math.Exp(s) / (past + float64(n-1-i))
				after[i*n+j] = math.Exp(s) / (past + ahead)
			} else {
				zero[i*n+j] = 1 / (past + float64(n-1-i))
			}
		}
	}
	c := lesson.Call{
		Name: fmt.Sprintf("%d positions", n), Function: "Weights",
		Args: []any{scores, n}, Want: []any{want}, Shapes: [][]int{{n, n}},
	}
	if n > 1 {
		c.Mistakes = []lesson.Mistake{
			{Array: "0", Values: zero, Text: "a score of 0 was given to what is ahead, and with it a weight: −∞ has none"},
			{Array: "0", Values: after, Text: "the mask came after softmax, so that the rows add up to less than 1"},
		}
	}
	return c
}
