// Package registerblocking checks the exercise of that name.
package registerblocking

import (
	"fmt"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
	"workbench/lessons/lesson/matrix"
)

var kernel = matrix.Kernel{Name: "register_blocking", Threads: [2]int{8, 8}, Cells: [2]int{16, 16}, Round: 8}

// Check counts what is read from shared memory for each product.
var Check = &lesson.CUDA{Cases: cases, Measured: measured}

func cases() []lesson.Case {
	return append(kernel.Cases(
		[3]int{1, 1, 1}, [3]int{2, 3, 2}, [3]int{9, 3, 15}, [3]int{16, 16, 16},
		[3]int{5, 17, 19}, [3]int{2, 25, 3}, [3]int{33, 9, 17},
	), kernel.Ordered())
}

func measured(c *lesson.Case, m []*launch.Measurement) *lesson.Finding {
	if f := kernel.Measured(c, m); f != nil {
		return f
	}
	reads := float64(m[0].SharedLoads.Lanes) / (float64(m[0].Flops) / 2)
	if reads <= 1 {
		return nil
	}
	return &lesson.Finding{
		Kind: lesson.TooSlow,
		Text: fmt.Sprintf("The result is right, but %.4g values are read from shared memory for each multiplication; with 2 × 2 cells in a thread it is one.", reads),
		Next: "for each term read two values of the left tile and two of the right one into variables, and use the variables in all four products",
	}
}
