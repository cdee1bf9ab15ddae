// Package alongmemory checks the exercise of that name.
package alongmemory

import (
	"fmt"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
	"workbench/lessons/lesson/matrix"
)

// Check measures the shape that fills its tiles, in which every sector can be used.
var Check = &lesson.CUDA{Cases: cases, Measured: measured}

func cases() []lesson.Case {
	var cases []lesson.Case
	for _, size := range [][3]int{{1, 1, 1}, {2, 3, 2}, {3, 17, 5}, {17, 5, 19}, {2, 40, 3}, {32, 32, 48}} {
		m, k, n := size[0], size[1], size[2]
		a, b := matrix.Array("a", m, k, 1), matrix.Array("b", n, k, 2)
		c := matrix.Result("c", m, n, matrix.Product(a.Values, matrix.Transposed(b.Values, n, k), m, k, n))
		cases = append(cases, lesson.Case{
			Name: fmt.Sprintf("m = %d, k = %d, n = %d", m, k, n),
			Launches: []lesson.Launch{{
				Kernel: "along_memory", Block: launch.Dim3{X: 16, Y: 16, Z: 1},
				Grid: launch.Dim3{X: matrix.Blocks(n, 16), Y: matrix.Blocks(m, 16), Z: 1},
				Args: []any{a, b, c, int32(m), int32(k), int32(n)},
			}},
			Mistakes: matrix.Rounds("c", a.Values, matrix.Transposed(b.Values, n, k), m, k, n, 16),
		})
	}
	return cases
}

func measured(c *lesson.Case, ms []*launch.Measurement) *lesson.Finding {
	m, grid := ms[0], c.Launches[0].Grid
	if f := matrix.TooOften(m, "a", grid.X); f != nil {
		return f
	}
	if f := matrix.TooOften(m, "b", grid.Y); f != nil {
		return f
	}
	if grid.Count() < 6 {
		return nil // where tiles are not full, no order of loading is the best
	}
	// 32 floats are 4 sectors. Both operands are loaded by as many requests.
	if m.SectorsPerRequest > 4 {
		return &lesson.Finding{
			Kind: lesson.TooSlow,
			Text: fmt.Sprintf("The result is right, but a request to memory touches %.1f sectors on average, where 4 are enough for the 32 floats of a warp.", m.SectorsPerRequest),
			Next: "let x, which differs between neighbouring threads, be added to the place in memory as it is, and not times k",
		}
	}
	// Two rows of 16 that are stored together begin 17 banks apart, and meet in one.
	if conflicts := m.SharedLoads.Conflicts + m.SharedStores.Conflicts; 10*conflicts > m.SharedLoads.Requests+m.SharedStores.Requests {
		return &lesson.Finding{
			Kind: lesson.BankConflicts,
			Text: fmt.Sprintf("The result is right and memory is read well, but %d requests to shared memory need %d turns: %d of them wait for a bank.",
				m.SharedLoads.Requests+m.SharedStores.Requests, m.SharedLoads.Turns+m.SharedStores.Turns, conflicts),
			Next: "write down the words that the lanes of a warp want, and their numbers mod 32; a column that nobody uses moves each row to another bank",
		}
	}
	return matrix.TooManyBarriers(m, matrix.Blocks(int(c.Launches[0].Args[4].(int32)), 16))
}
