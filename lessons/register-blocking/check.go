// Package registerblocking checks the exercise of that name.
package registerblocking

import (
	"fmt"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
	"workbench/lessons/lesson/matrix"
)

// Check counts what is read from shared memory for each product.
var Check = &lesson.CUDA{Cases: cases, Measured: measured}

func cases() []lesson.Case {
	var cases []lesson.Case
	for _, size := range [][3]int{{1, 1, 1}, {2, 3, 2}, {9, 3, 15}, {16, 16, 16}, {5, 17, 19}, {2, 25, 3}, {33, 9, 17}} {
		m, k, n := size[0], size[1], size[2]
		a, b := matrix.Array("a", m, k, 1), matrix.Array("b", k, n, 2)
		c := matrix.Result("c", m, n, matrix.Product(a.Values, b.Values, m, k, n))
		cases = append(cases, lesson.Case{
			Name: fmt.Sprintf("m = %d, k = %d, n = %d", m, k, n),
			Launches: []lesson.Launch{{
				Kernel: "register_blocking", Block: launch.Dim3{X: 8, Y: 8, Z: 1},
				Grid: launch.Dim3{X: matrix.Blocks(n, 16), Y: matrix.Blocks(m, 16), Z: 1},
				Args: []any{a, b, c, int32(m), int32(k), int32(n)},
			}},
			Mistakes: matrix.Rounds("c", a.Values, b.Values, m, k, n, 8),
		})
	}
	return append(cases, ordered())
}

// ordered is a product whose bits say in which order its terms are added.
func ordered() lesson.Case {
	a, b, want, backwards := matrix.Ordered()
	return lesson.Case{
		Name: "m = 2, k = 3, n = 2, numbers whose order counts",
		Launches: []lesson.Launch{{
			Kernel: "register_blocking", Block: launch.Dim3{X: 8, Y: 8, Z: 1}, Grid: launch.Dim3{X: 1, Y: 1, Z: 1},
			Args: []any{a, b, matrix.Result("c", 2, 2, want), int32(2), int32(3), int32(2)},
		}},
		Mistakes: []lesson.Mistake{{
			Array: "c", Values: backwards,
			Text: "this is what comes out if the terms are added from the last to the first, or in double; in ascending order 16777216 + 3 comes first, and a float rounds it to 16777220",
		}},
	}
}

func measured(c *lesson.Case, ms []*launch.Measurement) *lesson.Finding {
	m, grid := ms[0], c.Launches[0].Grid
	if f := matrix.TooOften(m, "a", grid.X); f != nil {
		return f
	}
	if f := matrix.TooOften(m, "b", grid.Y); f != nil {
		return f
	}
	if reads := float64(m.SharedLoads.Lanes) / (float64(m.Flops) / 2); reads > 1 {
		return &lesson.Finding{
			Kind: lesson.TooSlow,
			Text: fmt.Sprintf("The result is right, but %.4g values are read from shared memory for each multiplication; with 2 × 2 cells in a thread it is one.", reads),
			Next: "for each term read two values of the left tile and two of the right one into variables, and use the variables in all four products",
		}
	}
	return matrix.TooManyBarriers(m, matrix.Blocks(int(c.Launches[0].Args[4].(int32)), 8))
}
