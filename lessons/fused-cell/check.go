// Package fusedcell checks the exercise of that name.
package fusedcell

import (
	"math/big"
	"slices"

	"workbench/lessons/lesson"
)

// Check has cells in which one rounding a step gives other bits than two, and
// some in which it does not.
var Check = &lesson.Go{
	Functions: []lesson.Function{{Name: "Cell", Signature: "func(row, column []float64) float64"}},
	Calls:     calls,
}

func calls() []lesson.Call {
	var calls []lesson.Call
	for _, t := range []struct {
		name        string
		row, column []float64
	}{
		{"whole numbers, where both contracts agree", []float64{1, 2, 3}, []float64{8, 10, 12}},
		{"a tail that the sum keeps", []float64{1, 0.1}, []float64{-1, 10}},
		{"the same terms the other way", []float64{0.1, 1}, []float64{10, -1}},
		{"0.1·0.7 + 0.2·0.9 + 0.3·1.1", []float64{0.1, 0.2, 0.3}, []float64{0.7, 0.9, 1.1}},
		{"0.1·0.1 + 0.3·0.3", []float64{0.1, 0.3}, []float64{0.1, 0.3}},
		{"a large value first", []float64{1e16, 1, -1e16}, []float64{1, 1, 1}},
		{"one term", []float64{0.3}, []float64{1.1}},
		{"no term", []float64{}, []float64{}},
		{"five terms", []float64{0.1, -0.7, 1.3, 0.9, -1.1}, []float64{3.3, 0.3, 0.7, -1.9, 0.2}},
	} {
		want := chain(t.row, t.column, exact)
		call := lesson.Call{Name: t.name, Function: "Cell", Args: []any{t.row, t.column}, Want: []any{want}}
		if got := chain(t.row, t.column, rounded); got != want {
			call.Mistakes = append(call.Mistakes, lesson.Mistake{
				Array: "0", Values: []float64{got},
				Text: "this is the separate contract: each product was rounded before it was added",
			})
		}
		row, column := slices.Clone(t.row), slices.Clone(t.column)
		slices.Reverse(row)
		slices.Reverse(column)
		if got := chain(row, column, exact); got != want {
			call.Mistakes = append(call.Mistakes, lesson.Mistake{
				Array: "0", Values: []float64{got},
				Text: "this is what comes out if k descends from the last term",
			})
		}
		calls = append(calls, call)
	}
	return calls
}

// Bits that a product keeps: all of them, or a float64's.
const (
	rounded = 53
	exact   = 400
)

// chain adds the products in ascending order in arithmetic that says how many
// bits each result keeps, and not by the instruction that the exercise is about.
func chain(row, column []float64, product uint) float64 {
	sum := new(big.Float).SetPrec(rounded)
	for k := range row {
		p := new(big.Float).SetPrec(product).Mul(big.NewFloat(row[k]), big.NewFloat(column[k]))
		sum.Add(sum, p)
	}
	x, _ := sum.Float64()
	return x
}
