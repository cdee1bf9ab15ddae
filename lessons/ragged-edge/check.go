// Package raggededge checks the exercise of that name.
package raggededge

import (
	"workbench/lessons/lesson"
	"workbench/lessons/lesson/matrix"
)

var kernel = matrix.Kernel{Name: "ragged_edge", Threads: [2]int{16, 8}, Cells: [2]int{16, 8}, Round: 4}

// Check has shapes that fill their tiles, and that do not along each extent.
var Check = &lesson.CUDA{Cases: cases, Measured: kernel.Measured}

func cases() []lesson.Case {
	return append(kernel.Cases(
		[3]int{1, 1, 1}, [3]int{2, 3, 2}, [3]int{8, 8, 16}, [3]int{3, 5, 17},
		[3]int{9, 4, 5}, [3]int{9, 5, 17}, [3]int{3, 17, 2}, [3]int{17, 13, 35},
	), kernel.NaN(), kernel.Ordered())
}
