// Package mean checks the exercise of that name.
package mean

import (
	"math/big"

	"workbench/lessons/lesson"
)

// Check has means whose last bit depends on how one divides, and nothing at all.
var Check = &lesson.Go{
	Functions: []lesson.Function{{Name: "Mean", Signature: "func(values []float64) (float64, error)"}},
	Calls:     calls,
}

func calls() []lesson.Call {
	ones := make([]float64, 49)
	for i := range ones {
		ones[i] = 1
	}
	var calls []lesson.Call
	for _, t := range []struct {
		name   string
		values []float64
	}{
		{"the row 1 2 3", []float64{1, 2, 3}},
		{"1, 2 and 2", []float64{1, 2, 2}},
		{"49 ones", ones},
		{"one value", []float64{-7}},
		{"values that cancel", []float64{5, -5}},
		{"1, 2 and 4", []float64{1, 2, 4}},
		{"seven values", []float64{3, -1, 4, 1, -5, 9, 2}},
	} {
		// Their sum is a small whole number. The quotient is found as a fraction,
		// and rounded once.
		sum := int64(0)
		each := 0.0
		for _, v := range t.values {
			sum += int64(v)
			each += v / float64(len(t.values))
		}
		want, _ := big.NewRat(sum, int64(len(t.values))).Float64()
		scaled := float64(sum) * (1 / float64(len(t.values)))
		call := lesson.Call{Name: t.name, Function: "Mean", Args: []any{t.values}, Want: []any{want, false}}
		if scaled != want {
			call.Mistakes = append(call.Mistakes, lesson.Mistake{
				Array: "0", Values: []float64{scaled},
				Text: "the sum was multiplied by 1/K, which rounds twice: divide it by K",
			})
		}
		if each != want {
			call.Mistakes = append(call.Mistakes, lesson.Mistake{
				Array: "0", Values: []float64{each},
				Text: "each value was divided before it was added: divide the finished sum",
			})
		}
		calls = append(calls, call)
	}
	return append(calls,
		lesson.Call{Name: "no values", Function: "Mean", Args: []any{[]float64{}}, Want: []any{nil, true}},
		lesson.Call{Name: "a nil slice", Function: "Mean", Args: []any{[]float64(nil)}, Want: []any{nil, true}},
	)
}
