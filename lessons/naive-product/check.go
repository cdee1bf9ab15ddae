// Package naiveproduct checks the exercise of that name.
package naiveproduct

import (
	"workbench/lessons/lesson"
	"workbench/lessons/lesson/matrix"
)

var kernel = matrix.Kernel{Name: "naive_product", Threads: [2]int{8, 4}, Cells: [2]int{8, 4}}

// Check has shapes with different extents, of which one fills its blocks.
var Check = &lesson.CUDA{Cases: cases}

func cases() []lesson.Case {
	var cases []lesson.Case
	for _, size := range [][3]int{{1, 1, 1}, {2, 3, 2}, {3, 1, 5}, {5, 7, 3}, {1, 33, 2}, {4, 5, 8}, {11, 2, 7}, {9, 17, 33}} {
		m, k, n := size[0], size[1], size[2]
		one := kernel.Cases(size)[0]
		args := one.Launches[0].Args
		a, b := args[0].(*lesson.Array), args[1].(*lesson.Array)
		if k > 1 && n > 1 {
			one.Mistakes = append(one.Mistakes, lesson.Mistake{
				Array: "c", Values: matrix.Product(a.Values, matrix.Transposed(b.Values, n, k), m, k, n),
				Text: "this is what comes out if one goes along a row of b, at b[j * k + t]; a column goes down, and a row of b is n long",
			})
		}
		if k > 1 && m > 1 {
			one.Mistakes = append(one.Mistakes, lesson.Mistake{
				Array: "c", Values: matrix.Product(matrix.Transposed(a.Values, k, m), b.Values, m, k, n),
				Text: "this is what comes out if one goes down a column of a, at a[t * m + i]; a row goes along, and is k long",
			})
		}
		cases = append(cases, one)
	}
	return append(cases, kernel.Ordered())
}
