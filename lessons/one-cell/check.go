// Package onecell checks the exercise of that name.
package onecell

import (
	"math/big"

	"workbench/lessons/lesson"
)

// Check has cells whose bits depend on the order and on each rounding, and one
// without a term.
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
		{"the cell that holds 64", []float64{1, 2, 3}, []float64{8, 10, 12}},
		{"a large value first", []float64{1e16, 1, -1e16}, []float64{1, 1, 1}},
		{"the large values cancel first", []float64{1e16, -1e16, 1}, []float64{1, 1, 1}},
		{"a product whose tail is lost", []float64{1, 0.1}, []float64{-1, 10}},
		{"tenths", []float64{0.1, 0.2, 0.3}, []float64{0.7, 0.9, 1.1}},
		{"tenths the other way", []float64{0.3, 0.2, 0.1}, []float64{1, 1, 1}},
		{"one term", []float64{3}, []float64{-7}},
		{"no term", []float64{}, []float64{}},
		{"one large value and seven small ones", []float64{1e16, 1, 1, 1, 1, 1, 1, 1}, []float64{1, 1, 1, 1, 1, 1, 1, 1}},
	} {
		want := separate(t.row, t.column)
		call := lesson.Call{Name: t.name, Function: "Cell", Args: []any{t.row, t.column}, Want: []any{want}}
		add := func(got float64, text string) {
			if got != want {
				call.Mistakes = append(call.Mistakes, lesson.Mistake{Array: "0", Values: []float64{got}, Text: text})
			}
		}
		back, columnBack := backwards(t.row), backwards(t.column)
		add(separate(back, columnBack), "this is what comes out if k descends from the last term")
		add(fused(t.row, t.column), "the products are not rounded before they are added: write float64(a*b)")
		evens := separate(every(t.row, 0), every(t.column, 0))
		odds := separate(every(t.row, 1), every(t.column, 1))
		add(separate([]float64{evens, odds}, []float64{1, 1}), "this is what comes out if even and odd terms are added up apart")
		calls = append(calls, call)
	}
	return calls
}

// number is a float64's exact value. Sums and products of it are rounded to the
// bits that it is given, to the nearest and to even in a tie, as a processor does.
func number(x float64, bits uint) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }

const (
	bits  = 53  // of a float64
	exact = 400 // enough for every product and sum here
)

// separate rounds each product and each sum.
func separate(row, column []float64) float64 {
	sum := number(0, bits)
	for k := range row {
		product := new(big.Float).SetPrec(bits).Mul(number(row[k], bits), number(column[k], bits))
		sum.Add(sum, product)
	}
	x, _ := sum.Float64()
	return x
}

// fused rounds each sum alone.
func fused(row, column []float64) float64 {
	sum := number(0, bits)
	for k := range row {
		product := new(big.Float).SetPrec(exact).Mul(number(row[k], bits), number(column[k], bits))
		sum.Add(sum, product)
	}
	x, _ := sum.Float64()
	return x
}

func backwards(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[len(values)-1-i] = v
	}
	return out
}

func every(values []float64, from int) (out []float64) {
	for i := from; i < len(values); i += 2 {
		out = append(out, values[i])
	}
	return out
}
