// Package leftadjoint checks the exercise of that name.
package leftadjoint

import (
	"fmt"
	"slices"

	"workbench/lessons/lesson"
	"workbench/lessons/lesson/matrix"
)

// Check has products none of whose three sizes are alike, and some with a size of
// 1 or 0.
var Check = &lesson.Go{
	Functions: []lesson.Function{{Name: "GradLeft", Signature: "func(g, w []float64, m, k, n int) []float64"}},
	Calls:     calls,
}

func calls() []lesson.Call {
	calls := []lesson.Call{call([]float64{1, 2, 3, 4}, []float64{7, 8, 9, 10, 11, 12}, 2, 3, 2)}
	for i, size := range [][3]int{{3, 2, 5}, {5, 7, 3}, {1, 4, 1}, {4, 1, 3}, {1, 1, 6}, {2, 3, 0}} {
		m, k, n := size[0], size[1], size[2]
		calls = append(calls, call(matrix.Values(m, n, 2*i), matrix.Values(k, n, 2*i+1), m, k, n))
	}
	return calls
}

func call(g, w []float64, m, k, n int) lesson.Call {
	want := matrix.Product(g, matrix.Transposed(w, k, n), m, n, k)
	c := lesson.Call{
		Name: fmt.Sprintf("A %d×%d, W %d×%d", m, k, k, n), Function: "GradLeft",
		Args: []any{g, w, m, k, n}, Want: []any{want}, Shapes: [][]int{{m, k}},
	}
	add := func(got []float64, text string) {
		if !slices.Equal(got, want) {
			c.Mistakes = append(c.Mistakes, lesson.Mistake{Array: "0", Values: got, Text: text})
		}
	}
	add(matrix.Product(g, w, m, n, k), "this is G·W, with W's numbers read as n rows of k: the sum walks along W's own rows")
	last := make([]float64, m*k)
	for place := range last {
		if n > 0 {
			last[place] = g[place/k*n+n-1] * w[place%k*n+n-1]
		}
	}
	add(last, "only the last share of each sum is there: += adds, and = does not")
	return c
}
