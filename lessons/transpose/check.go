// Package transpose checks the exercise of that name.
package transpose

import (
	"fmt"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

const tile = 32

// Check has matrices of which no two tiles are alike, and none is square but one of
// one element.
var Check = &lesson.CUDA{Cases: cases, Measured: measured}

func cases() []lesson.Case {
	var cases []lesson.Case
	for _, of := range []struct{ rows, columns int }{{1, 1}, {2, 3}, {5, 37}, {35, 2}, {32, 96}, {40, 70}} {
		value := func(i int) float64 { return float64(3*i + 2) }
		in := lesson.Given("in", "float", []int{of.rows, of.columns}, value)
		// Going through out in order is going through in by steps of a row.
		out := lesson.Wanted("out", "float", []int{of.columns, of.rows}, func(i int) float64 {
			if last := of.rows*of.columns - 1; last > 0 && i < last {
				return value(i * of.columns % last)
			}
			return value(i)
		})
		grid := lesson.Extent((of.columns+tile-1)/tile, (of.rows+tile-1)/tile)
		cases = append(cases, lesson.Case{
			Name: fmt.Sprintf("a matrix of %d × %d, a grid of %v blocks", of.rows, of.columns, grid),
			Launches: []lesson.Launch{{
				Kernel: "transpose", Grid: grid, Block: lesson.Extent(tile, tile),
				Args: []any{in, out, int32(of.rows), int32(of.columns)},
			}},
		})
	}
	return cases
}

// measured wants the row of a tile that a warp has to be read and written as such:
// 128 bytes, in four sectors, or five where it begins within one.
func measured(_ *lesson.Case, m []*launch.Measurement) *lesson.Finding {
	const most = 5
	for _, x := range []struct {
		traffic launch.Traffic
		what    string
	}{{m[0].Loads, "reads from in"}, {m[0].Stores, "writes to out"}} {
		if x.traffic.Sectors > most*x.traffic.Requests {
			return &lesson.Finding{
				Kind: lesson.TooSlow,
				Text: fmt.Sprintf("The matrix is right, but a warp that %s moves %.1f sectors of 32 bytes, and %d are enough.", x.what, float64(x.traffic.Sectors)/float64(x.traffic.Requests), most),
				Next: "let threads that are neighbours along x take neighbours of a row, in both: through the tile, whose indices are exchanged in one of the two",
			}
		}
	}
	return nil
}
