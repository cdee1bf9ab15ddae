// Package sparserows checks the exercise of that name.
package sparserows

import (
	"fmt"

	"workbench/lessons/lesson"
)

// Check has matrices with rows that are empty, in the middle and at the end, and one
// that is full.
var Check = &lesson.CUDA{Cases: cases}

func cases() []lesson.Case {
	var cases []lesson.Case
	for _, n := range []int{1, 3, 31, 33, 70} {
		// Entry by entry of the whole matrix, of which most are left out.
		entry := func(r, c int) float64 {
			switch {
			case r == n/2 || (r+c)%11 == 0 && r%4 != 1 && r != n-1:
				return float64((r*7+c*3)%13 + 1)
			}
			return 0
		}
		vector := func(i int) float64 { return float64(i*i%29 - 11) }
		starts := &lesson.Array{Name: "starts", Type: "int", Shape: []int{n + 1}, Values: []float64{0}}
		columns := &lesson.Array{Name: "columns", Type: "int"}
		values := &lesson.Array{Name: "values", Type: "float"}
		first, numbered, own := make([]float64, n), make([]float64, n), make([]float64, n)
		for r := range n {
			for c := range n {
				if e := entry(r, c); e != 0 {
					k := len(values.Values)
					if float64(k) == starts.Values[r] {
						first[r] = e * vector(c)
					}
					numbered[r] += e * vector(k%n)
					own[r] += e * vector(r)
					columns.Values, values.Values = append(columns.Values, float64(c)), append(values.Values, e)
				}
			}
			starts.Values = append(starts.Values, float64(len(values.Values)))
		}
		columns.Shape, values.Shape = []int{len(values.Values)}, []int{len(values.Values)}
		x := lesson.Given("x", "float", []int{n}, vector)
		y := lesson.Wanted("y", "float", []int{n}, func(r int) float64 {
			sum := 0.0
			for c := n - 1; c >= 0; c-- { // as a matrix that is not sparse
				sum += entry(r, c) * vector(c)
			}
			return sum
		})
		cases = append(cases, lesson.Case{
			Name: fmt.Sprintf("a matrix of %d × %d, entries kept: %d", n, n, len(values.Values)),
			Launches: []lesson.Launch{{
				Kernel: "sparse_rows", Grid: lesson.Extent((n + 31) / 32), Block: lesson.Extent(32),
				Args: []any{starts, columns, values, x, y, int32(n)},
			}},
			Mistakes: []lesson.Mistake{
				{Array: "y", Values: first, Text: "only the first entry of each row is in y"},
				{Array: "y", Values: numbered, Text: "the number of an entry was taken for its column: its x is not x[k] but x[columns[k]]"},
				{Array: "y", Values: own, Text: "every entry of a row was multiplied by x[row], and not by the x of its own column"},
			},
		})
	}
	return cases
}
