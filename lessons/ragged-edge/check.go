// Package raggededge checks the exercise of that name.
package raggededge

import (
	"fmt"
	"math"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
	"workbench/lessons/lesson/matrix"
)

// Check has shapes that fill their tiles, and that do not along each extent.
var Check = &lesson.CUDA{Cases: cases, Measured: measured}

func cases() []lesson.Case {
	var cases []lesson.Case
	for number, size := range [][3]int{{2, 1, 1}, {1, 1, 1}, {2, 3, 2}, {8, 8, 16}, {3, 5, 17}, {9, 4, 5}, {9, 5, 17}, {3, 17, 2}, {17, 13, 35}} {
		m, k, n := size[0], size[1], size[2]
		a, b := matrix.Array("a", m, k, 1), matrix.Array("b", k, n, 2)
		name := fmt.Sprintf("m = %d, k = %d, n = %d", m, k, n)
		if number == 0 {
			// No zero hides what is read of another row: 0 times NaN is NaN.
			a.Values[1] = math.NaN()
			name += ", and the second row of a is NaN"
		}
		c := matrix.Result("c", m, n, matrix.Product(a.Values, b.Values, m, k, n))
		cases = append(cases, lesson.Case{
			Name: name,
			Launches: []lesson.Launch{{
				Kernel: "ragged_edge", Block: launch.Dim3{X: 16, Y: 8, Z: 1},
				Grid: launch.Dim3{X: matrix.Blocks(n, 16), Y: matrix.Blocks(m, 8), Z: 1},
				Args: []any{a, b, c, int32(m), int32(k), int32(n)},
			}},
			Mistakes: matrix.Rounds("c", a.Values, b.Values, m, k, n, 4),
		})
	}
	return cases
}

// measured wants each element to be loaded once for each block that needs it.
func measured(c *lesson.Case, m []*launch.Measurement) *lesson.Finding {
	grid := c.Launches[0].Grid
	if f := matrix.TooOften(m[0], "a", grid.X); f != nil {
		return f
	}
	if f := matrix.TooOften(m[0], "b", grid.Y); f != nil {
		return f
	}
	rounds := matrix.Blocks(int(c.Launches[0].Args[4].(int32)), 4)
	if f := matrix.TooManyRequests(m[0], rounds); f != nil {
		return f
	}
	return matrix.TooManyBarriers(m[0], rounds)
}
