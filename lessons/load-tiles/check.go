// Package loadtiles checks the exercise of that name.
package loadtiles

import (
	"fmt"
	"math"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
	"workbench/lessons/lesson/matrix"
)

// Check has shapes that end within a tile, along each of the three extents.
var Check = &lesson.CUDA{Cases: cases, Measured: measured}

func cases() []lesson.Case {
	var cases []lesson.Case
	for number, size := range [][3]int{{2, 1, 1}, {1, 1, 1}, {2, 3, 2}, {8, 8, 8}, {3, 17, 5}, {9, 3, 5}, {5, 9, 17}, {17, 24, 9}} {
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
				Kernel: "load_tiles", Block: launch.Dim3{X: 8, Y: 8, Z: 1},
				Grid: launch.Dim3{X: matrix.Blocks(n, 8), Y: matrix.Blocks(m, 8), Z: 1},
				Args: []any{a, b, c, int32(m), int32(k), int32(n)},
			}},
			Mistakes: matrix.Rounds("c", a.Values, b.Values, m, k, n, 8),
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
	rounds := matrix.Blocks(int(c.Launches[0].Args[4].(int32)), 8)
	if f := matrix.TooManyRequests(m[0], rounds); f != nil {
		return f
	}
	return matrix.TooManyBarriers(m[0], rounds)
}
