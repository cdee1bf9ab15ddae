// Package sharedtile checks the exercise of that name.
package sharedtile

import (
	"fmt"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

const threads = 64

// Check has arrays that end in the first block, at its end, and in later ones.
var Check = &lesson.CUDA{Cases: cases, Measured: measured}

func cases() []lesson.Case {
	var cases []lesson.Case
	for _, n := range []int{1, 2, 3, 63, 64, 65, 200} {
		// The sums of the first i numbers say what three of them sum to.
		value := func(i int) float64 { return float64(i*i%127 + 1) }
		before := make([]float64, n+1)
		for i := range n {
			before[i+1] = before[i] + value(i)
		}
		in := lesson.Given("in", "float", []int{n}, value)
		out := lesson.Wanted("out", "float", []int{n}, func(i int) float64 { return before[min(i+2, n)] - before[max(i-1, 0)] })
		// As if there were nothing beyond a block.
		alone := lesson.Wanted("out", "float", []int{n}, func(i int) float64 {
			first := i / threads * threads
			return before[min(i+2, n, first+threads)] - before[max(i-1, first)]
		})
		blocks := (n + threads - 1) / threads
		cases = append(cases, lesson.Case{
			Mistakes: []lesson.Mistake{{Array: "out", Values: alone.Want, Text: "the neighbour that another block has counts as 0: look at the edges of the blocks"}},
			Name:     fmt.Sprintf("n = %d", n),
			Launches: []lesson.Launch{{Kernel: "shared_tile", Grid: lesson.Extent(blocks), Block: lesson.Extent(threads), Args: []any{in, out, int32(n)}}},
		})
	}
	return cases
}

// measured wants a block to read its numbers once, and one more on each side.
func measured(c *lesson.Case, m []*launch.Measurement) *lesson.Finding {
	n := c.Launches[0].Args[0].(*lesson.Array).Shape[0]
	allowed := int64(c.Launches[0].Grid.X * (threads + 2)) // surplus threads may read some number
	for _, b := range m[0].Buffers {
		if b.Name == "in" && b.Loads > allowed {
			return &lesson.Finding{
				Kind: lesson.Unused,
				Text: fmt.Sprintf("The sums are right, but the %d numbers of in were read from memory %d times.", n, b.Loads),
				Next: "read a number once, store it in tile, and add what is in the tile",
			}
		}
	}
	return nil
}
