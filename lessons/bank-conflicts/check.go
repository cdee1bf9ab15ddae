// Package bankconflicts checks the exercise of that name.
package bankconflicts

import (
	"fmt"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

const (
	blockRows = 32
	columns   = 48
)

// Check has blocks that are full, and some that are not.
var Check = &lesson.CUDA{Cases: cases, Measured: measured}

func cases() []lesson.Case {
	var cases []lesson.Case
	for _, rows := range []int{1, 3, 31, 32, 71} {
		value := func(i int) float64 { return float64(i*i%257 - 100) }
		in := lesson.Given("in", "float", []int{rows, columns}, value)
		sum := func(first int) func(row int) float64 {
			return func(row int) float64 {
				sum := 0.0
				for c := first - 1; c >= 0; c-- {
					sum += value(row*columns + c)
				}
				return sum
			}
		}
		sums := lesson.Wanted("sums", "float", []int{rows}, sum(columns))
		cases = append(cases, lesson.Case{
			Name: fmt.Sprintf("a matrix of %d × %d", rows, columns),
			Launches: []lesson.Launch{{
				Kernel: "bank_conflicts", Grid: lesson.Extent((rows + blockRows - 1) / blockRows), Block: lesson.Extent(blockRows),
				Args: []any{in, sums, int32(rows)},
			}},
			Mistakes: []lesson.Mistake{{
				Array: "sums", Values: lesson.Wanted("sums", "float", []int{rows}, sum(32)).Want,
				Text: "these are the sums of the first 32 columns, and a row has 48",
			}},
		})
	}
	return cases
}

// measured wants no conflict, and each row read from memory once: 48 floats, six
// sectors.
func measured(c *lesson.Case, m []*launch.Measurement) *lesson.Finding {
	rows := int64(c.Launches[0].Args[2].(int32))
	const sectors = columns * 4 / 32
	if m[0].Loads.Sectors > sectors*rows {
		return &lesson.Finding{
			Kind: lesson.TooSlow,
			Text: fmt.Sprintf("The sums are right, but %d sectors were moved from memory to read %d rows, and %d hold them.", m[0].Loads.Sectors, rows, sectors*rows),
			Next: "keep the tile: the warp copies a row at a time, neighbours by neighbours, and the rows are added up in shared memory",
		}
	}
	var worst launch.LineCounts
	conflicts := func(c *launch.Counts) int64 { return c.SharedLoads.Conflicts + c.SharedStores.Conflicts }
	for _, line := range m[0].Lines {
		if conflicts(&line.Counts) > conflicts(&worst.Counts) {
			worst = line
		}
	}
	if conflicts(&worst.Counts) == 0 {
		return nil
	}
	shared := worst.SharedLoads
	shared.Add(worst.SharedStores)
	return &lesson.Finding{
		Kind: lesson.BankConflicts, Line: worst.Line,
		Text: fmt.Sprintf("The sums are right, but %d requests to shared memory took %d turns: %d of them are bank conflicts.", shared.Requests, shared.Turns, shared.Conflicts),
		Next: "work out which banks the 32 threads want at this line, for one value of c",
	}
}
