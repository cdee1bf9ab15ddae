// Package index2d checks the exercise of that name.
package index2d

import (
	"fmt"

	"workbench/lessons/lesson"
)

// Check has matrices that blocks of 8 × 4 threads do not fill, none of them square
// but the smallest.
var Check = &lesson.CUDA{Cases: cases}

func cases() []lesson.Case {
	var cases []lesson.Case
	for _, of := range []struct{ rows, columns int }{{1, 1}, {2, 3}, {3, 2}, {13, 3}, {5, 9}, {1, 31}, {17, 8}, {33, 7}} {
		shape := []int{of.rows, of.columns}
		a := lesson.Given("a", "float", shape, func(i int) float64 { return float64(3*i + 1) })
		b := lesson.Given("b", "float", shape, func(i int) float64 { return float64(1000 - i*i) })
		out := lesson.Wanted("out", "float", shape, func(i int) float64 { return float64(1001 + i*(3-i)) })
		grid := lesson.Extent((of.columns+7)/8, (of.rows+3)/4)
		cases = append(cases, lesson.Case{
			Name: fmt.Sprintf("a matrix of %d × %d, a grid of %v blocks", of.rows, of.columns, grid),
			Launches: []lesson.Launch{{
				Kernel: "index_2d", Grid: grid, Block: lesson.Extent(8, 4),
				Args: []any{a, b, out, int32(of.rows), int32(of.columns)},
			}},
		})
	}
	return cases
}
