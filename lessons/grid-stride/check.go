// Package gridstride checks the exercise of that name.
package gridstride

import (
	"fmt"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

// Check has arrays shorter than the grid, as long, and longer by whole rounds and by
// parts of one.
var Check = &lesson.CUDA{Cases: cases, Measured: measured}

func cases() []lesson.Case {
	var cases []lesson.Case
	for _, of := range []struct{ blocks, threads, n int }{
		{1, 32, 1}, {2, 32, 3}, {2, 32, 64}, {2, 32, 65}, {3, 32, 192}, {2, 64, 300}, {3, 32, 331},
	} {
		// A square is the sum of the odd numbers up to it.
		squares := make([]float64, of.n+3)
		for k := 1; k < len(squares); k++ {
			squares[k] = squares[k-1] + float64(2*k-1)
		}
		in := lesson.Given("in", "float", []int{of.n}, func(i int) float64 { return float64((i%2*2 - 1) * (i + 2)) })
		out := lesson.Wanted("out", "float", []int{of.n}, func(i int) float64 { return squares[i+2] })
		cases = append(cases, lesson.Case{
			Name: fmt.Sprintf("n = %d, %d × %d threads", of.n, of.blocks, of.threads),
			Launches: []lesson.Launch{{
				Kernel: "grid_stride", Grid: lesson.Extent(of.blocks), Block: lesson.Extent(of.threads), Args: []any{in, out, int32(of.n)},
			}},
		})
	}
	return cases
}

// measured wants a warp's numbers to be neighbours: 32 floats in four sectors. A
// kernel may read a number twice to square it.
func measured(_ *lesson.Case, m []*launch.Measurement) *lesson.Finding {
	const most = 4
	for _, x := range []struct {
		traffic launch.Traffic
		what    string
	}{{m[0].Loads, "reads"}, {m[0].Stores, "writes"}} {
		if x.traffic.Sectors > most*x.traffic.Requests {
			return &lesson.Finding{
				Kind: lesson.TooSlow,
				Text: fmt.Sprintf("The squares are right, but a warp that %s moves %.1f sectors of 32 bytes, and %d hold 32 numbers.", x.what, float64(x.traffic.Sectors)/float64(x.traffic.Requests), most),
				Next: "let neighbouring threads take neighbouring numbers in every round, and let all of them jump by the size of the grid",
			}
		}
	}
	return nil
}
