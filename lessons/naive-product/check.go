// Package naiveproduct checks the exercise of that name.
package naiveproduct

import (
	"fmt"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
	"workbench/lessons/lesson/matrix"
)

// Check has shapes with different extents, of which one fills its blocks.
var Check = &lesson.CUDA{Cases: cases}

func cases() []lesson.Case {
	var cases []lesson.Case
	for _, size := range [][3]int{{1, 1, 1}, {2, 3, 2}, {3, 1, 5}, {5, 7, 3}, {1, 33, 2}, {4, 5, 8}, {11, 2, 7}, {9, 17, 33}} {
		m, k, n := size[0], size[1], size[2]
		a, b := matrix.Array("a", m, k, 1), matrix.Array("b", k, n, 2)
		c := matrix.Result("c", m, n, matrix.Product(a.Values, b.Values, m, k, n))
		one := lesson.Case{
			Name: fmt.Sprintf("m = %d, k = %d, n = %d", m, k, n),
			Launches: []lesson.Launch{{
				Kernel: "naive_product", Block: launch.Dim3{X: 8, Y: 4, Z: 1},
				Grid: launch.Dim3{X: matrix.Blocks(n, 8), Y: matrix.Blocks(m, 4), Z: 1},
				Args: []any{a, b, c, int32(m), int32(k), int32(n)},
			}},
		}
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
	return append(cases, ordered())
}

// ordered is a product whose bits say in which order its terms are added.
func ordered() lesson.Case {
	a, b, want, backwards := matrix.Ordered()
	return lesson.Case{
		Name: "m = 2, k = 3, n = 2, numbers whose order counts",
		Launches: []lesson.Launch{{
			Kernel: "naive_product", Block: launch.Dim3{X: 8, Y: 4, Z: 1}, Grid: launch.Dim3{X: 1, Y: 1, Z: 1},
			Args: []any{a, b, matrix.Result("c", 2, 2, want), int32(2), int32(3), int32(2)},
		}},
		Mistakes: []lesson.Mistake{{
			Array: "c", Values: backwards,
			Text: "this is what comes out if the terms are added from the last to the first, or in double; in ascending order 16777216 + 3 comes first, and a float rounds it to 16777220",
		}},
	}
}
