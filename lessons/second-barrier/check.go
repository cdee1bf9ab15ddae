// Package secondbarrier checks the exercise of that name.
package secondbarrier

import (
	"fmt"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
	"workbench/lessons/lesson/matrix"
)

// Check has one round, several, and a last one that is not full.
var Check = &lesson.CUDA{Cases: cases, Measured: measured}

// measured wants each value of x to be loaded once for each block.
func measured(c *lesson.Case, m []*launch.Measurement) *lesson.Finding {
	if f := matrix.TooOften(m[0], "x", c.Launches[0].Grid.X); f != nil {
		return f
	}
	return matrix.TooManyBarriers(m[0], matrix.Blocks(int(c.Launches[0].Args[4].(int32)), 64))
}

func cases() []lesson.Case {
	var cases []lesson.Case
	for _, size := range [][2]int{{1, 1}, {3, 64}, {64, 65}, {5, 128}, {70, 150}} {
		m, k := size[0], size[1]
		a := matrix.Array("a", m, k, 1)
		x := &lesson.Array{Name: "x", Type: "float", Shape: []int{k}, Values: matrix.Values(k, 1, 2)}
		y := &lesson.Array{Name: "y", Type: "float", Shape: []int{m}, Want: matrix.Product(a.Values, x.Values, m, k, 1)}
		cases = append(cases, lesson.Case{
			Name: fmt.Sprintf("%d rows, %d terms", m, k),
			Launches: []lesson.Launch{{
				Kernel: "second_barrier", Block: launch.Dim3{X: 64, Y: 1, Z: 1},
				Grid: launch.Dim3{X: matrix.Blocks(m, 64), Y: 1, Z: 1},
				Args: []any{a, x, y, int32(m), int32(k)},
			}},
		})
	}
	return cases
}
