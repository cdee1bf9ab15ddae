// Package wholeproduct checks the exercise of that name.
package wholeproduct

import (
	"fmt"

	"workbench/lessons/lesson"
	"workbench/lessons/lesson/matrix"
)

// Check has products none of whose three sizes are alike, the two extremes of
// one cell and of no reduction, and those in which a size is 0.
var Check = &lesson.Go{
	Functions: []lesson.Function{{Name: "Product", Signature: "func(left, right []float64, m, k, n int) []float64"}},
	Calls:     calls,
}

func calls() []lesson.Call {
	calls := []lesson.Call{call([]float64{1, 2, 3, 4, 5, 6}, []float64{7, 8, 9, 10, 11, 12}, 2, 3, 2)}
	for i, size := range [][3]int{{3, 2, 5}, {5, 7, 3}, {1, 6, 1}, {3, 1, 4}, {1, 1, 1}, {2, 0, 3}, {0, 4, 2}} {
		m, k, n := size[0], size[1], size[2]
		calls = append(calls, call(matrix.Values(m, k, 2*i), matrix.Values(k, n, 2*i+1), m, k, n))
	}
	return calls
}

func call(left, right []float64, m, k, n int) lesson.Call {
	want := matrix.Product(left, right, m, k, n)
	c := lesson.Call{
		Name: fmt.Sprintf("a %d×%d matrix times a %d×%d one", m, k, k, n), Function: "Product",
		Args: []any{left, right, m, k, n}, Want: []any{want}, Shapes: [][]int{{m, n}},
	}
	// What comes out if right's numbers are taken for n rows of k.
	read := matrix.Product(left, matrix.Transposed(right, n, k), m, k, n)
	for i := range want {
		if read[i] != want[i] {
			c.Mistakes = []lesson.Mistake{{
				Array: "0", Values: read,
				Text: "right was read along its rows, as if it had n rows of k numbers",
			}}
		}
	}
	return c
}
