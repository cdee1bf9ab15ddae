// Package rowsum checks the exercise of that name.
package rowsum

import (
	"fmt"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

// Check has rows shorter than a warp, as long, and longer, and surplus warps.
var Check = &lesson.CUDA{Cases: cases, Measured: measured}

func cases() []lesson.Case {
	var cases []lesson.Case
	for _, of := range []struct{ rows, columns int }{{1, 1}, {4, 3}, {3, 32}, {5, 33}, {6, 50}, {7, 131}} {
		// Whole numbers whose sums are exact in any order.
		value := func(i int) float64 { return float64(i*i%101 - 40) }
		in := lesson.Given("in", "float", []int{of.rows, of.columns}, value)
		// The sums of the columns that are among some of a warp's rounds and lanes.
		sum := func(rounds, lanes int) func(row int) float64 {
			return func(row int) float64 {
				sum := 0.0
				for column := of.columns - 1; column >= 0; column-- {
					if column/32 < rounds && column%32 < lanes {
						sum += value(row*of.columns + column)
					}
				}
				return sum
			}
		}
		sums := lesson.Wanted("sums", "float", []int{of.rows}, sum(of.columns, 32))
		var mistakes []lesson.Mistake
		if of.columns > 32 {
			first := lesson.Wanted("sums", "float", sums.Shape, sum(1, 32))
			mistakes = append(mistakes, lesson.Mistake{Array: "sums", Values: first.Want, Text: "these are the sums of the first 32 columns: each lane took one element and no more"})
		}
		if of.columns > 16 {
			half := lesson.Wanted("sums", "float", sums.Shape, sum(of.columns, 16))
			mistakes = append(mistakes, lesson.Mistake{Array: "sums", Values: half.Want, Text: "the elements of lanes 16 to 31 are not in these sums: the exchange that is 16 lanes away is missing"})
		}
		cases = append(cases, lesson.Case{
			Mistakes: mistakes,
			Name:     fmt.Sprintf("a matrix of %d × %d", of.rows, of.columns),
			Launches: []lesson.Launch{{
				Kernel: "row_sum", Grid: lesson.Extent((of.rows + 3) / 4), Block: lesson.Extent(32, 4),
				Args: []any{in, sums, int32(of.rows), int32(of.columns)},
			}},
		})
	}
	return cases
}

// measured wants a round of 32 columns to be one request for neighbours. Those lie
// in four sectors, or in five where the row begins within one.
func measured(c *lesson.Case, m []*launch.Measurement) *lesson.Finding {
	shape := c.Launches[0].Args[0].(*lesson.Array).Shape
	rounds := int64(shape[0] * ((shape[1] + 31) / 32))
	switch loads := m[0].Loads; {
	case loads.Requests > rounds:
		return &lesson.Finding{
			Kind: lesson.TooSlow,
			Text: fmt.Sprintf("The sums are right, but the warps made %d requests to read %d × %d numbers: %d would do.", loads.Requests, shape[0], shape[1], rounds),
			Next: "let all 32 lanes read in every round: lane 0 the first of 32 columns, lane 1 the second",
		}
	case loads.Sectors > 5*rounds:
		return &lesson.Finding{
			Kind: lesson.TooSlow,
			Text: fmt.Sprintf("The sums are right, but each request moved %.1f sectors of 32 bytes, and 4 hold what 32 lanes want.", float64(loads.Sectors)/float64(loads.Requests)),
			Next: "let neighbouring lanes read neighbouring columns in every round, and go on by 32",
		}
	}
	return nil
}
