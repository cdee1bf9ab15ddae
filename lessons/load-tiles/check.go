// Package loadtiles checks the exercise of that name.
package loadtiles

import (
	"workbench/lessons/lesson"
	"workbench/lessons/lesson/matrix"
)

var kernel = matrix.Kernel{Name: "load_tiles", Threads: [2]int{8, 8}, Cells: [2]int{8, 8}, Round: 8}

// Check has shapes that end within a tile, along each of the three extents.
var Check = &lesson.CUDA{Cases: cases, Measured: kernel.Measured}

func cases() []lesson.Case {
	return append(kernel.Cases(
		[3]int{1, 1, 1}, [3]int{2, 3, 2}, [3]int{8, 8, 8}, [3]int{3, 17, 5},
		[3]int{9, 3, 5}, [3]int{5, 9, 17}, [3]int{17, 24, 9},
	), kernel.NaN(), kernel.Ordered())
}
