// Package guard checks the exercise of that name.
package guard

import (
	"fmt"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

// Check has sizes below, at and above a block's, and none that blocks of 32 fill
// but one.
var Check = &lesson.CUDA{Cases: cases}

func cases() []lesson.Case {
	var cases []lesson.Case
	for _, n := range []int{1, 2, 3, 31, 32, 33, 97} {
		in := &lesson.Array{Name: "in", Type: "float", Shape: []int{n}}
		out := &lesson.Array{Name: "out", Type: "float", Shape: []int{n}}
		for i := range n {
			in.Values = append(in.Values, float64(3*i+1))
			out.Want = append(out.Want, float64(3*i+11))
		}
		blocks := (n + 31) / 32
		cases = append(cases, lesson.Case{
			Name: fmt.Sprintf("n = %d, 32 threads in each of the %d blocks", n, blocks),
			Launches: []lesson.Launch{{
				Kernel: "guard", Grid: launch.Dim3{X: blocks, Y: 1, Z: 1}, Block: launch.Dim3{X: 32, Y: 1, Z: 1},
				Args: []any{in, out, int32(n)},
			}},
		})
	}
	return cases
}
