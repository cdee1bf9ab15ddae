// Package onethreadeach checks the exercise of that name.
package onethreadeach

import (
	"fmt"

	"workbench/lessons/lesson"
)

// Check has grids whose blocks have as many threads as the array has elements, and
// no two alike.
var Check = &lesson.CUDA{Cases: cases}

func cases() []lesson.Case {
	var cases []lesson.Case
	for _, of := range []struct{ blocks, threads int }{{1, 1}, {1, 3}, {2, 3}, {5, 2}, {3, 32}, {7, 37}} {
		shape := []int{of.blocks * of.threads}
		in := lesson.Given("in", "float", shape, func(i int) float64 { return float64(5*i - 3) })
		out := lesson.Wanted("out", "float", shape, func(i int) float64 { return float64(10*i - 5) })
		cases = append(cases, lesson.Case{
			Name:     fmt.Sprintf("%d × %d threads", of.blocks, of.threads),
			Launches: []lesson.Launch{{Kernel: "one_thread_each", Grid: lesson.Extent(of.blocks), Block: lesson.Extent(of.threads), Args: []any{in, out}}},
		})
	}
	return cases
}
