// Package stablesoftmax checks the exercise of that name.
package stablesoftmax

import (
	"fmt"
	"math"

	"workbench/lessons/lesson"
)

// Check has scores far from 0 on both sides, scores that are left out, and rows of
// one.
var Check = &lesson.Go{
	Functions: []lesson.Function{{Name: "Softmax", Signature: "func(scores []float64) []float64"}},
	Calls:     calls,
}

func calls() []lesson.Call {
	out := math.Inf(-1)
	var calls []lesson.Call
	for _, scores := range [][]float64{
		{0, 1, 2},
		{1000, 1001, 1002},
		{-1000, -1002, -1001.5},
		{0.425, -0.7, 1.25, 3, -2},
		{2.5, out, 1, out},
		{out, -900, out},
		{-3},
		{1e300, -1e300, 1e300},
		{88, -745, 710, 709.5, 3, 700},
	} {
		// Each weight for itself, without a largest score: one divided by the sum of
		// e to the power of every difference to its own.
		want := make([]float64, len(scores))
		for i, own := range scores {
			sum := 0.0
			for _, s := range scores {
				if own != out {
					sum += math.Exp(s - own)
				}
			}
			if own != out {
				want[i] = 1 / sum
			}
		}
		calls = append(calls, lesson.Call{Name: fmt.Sprint(scores), Function: "Softmax", Args: []any{scores}, Want: []any{want}})
	}
	return calls
}
