// Package histogram checks the exercise of that name.
package histogram

import (
	"fmt"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

const bins = 20

// Check has fewer values than threads, and more, in which every value comes another
// number of times.
var Check = &lesson.CUDA{Cases: cases, Measured: measured}

func cases() []lesson.Case {
	var cases []lesson.Case
	for _, of := range []struct{ blocks, threads, n int }{{1, 64, 3}, {2, 64, 97}, {2, 32, 500}, {3, 64, 1000}} {
		// The squares below 401 fall among the values very unevenly.
		value := func(i int) float64 { return float64((i*i + i/7) % 401 % bins) }
		in := lesson.Given("in", "unsigned char", []int{of.n}, value)
		counts := &lesson.Array{Name: "bins", Type: "unsigned int", Shape: []int{bins}, Values: make([]float64, bins), Want: make([]float64, bins)}
		for i := range of.n {
			counts.Want[int(value(i))]++
		}
		cases = append(cases, lesson.Case{
			Name: fmt.Sprintf("n = %d, %d × %d threads", of.n, of.blocks, of.threads),
			Launches: []lesson.Launch{{
				Kernel: "histogram", Grid: lesson.Extent(of.blocks), Block: lesson.Extent(of.threads), Args: []any{in, counts, int32(of.n)},
			}},
		})
	}
	return cases
}

// measured wants an addition in memory for each bin of a block and no more, as soon
// as there are more values than that.
func measured(c *lesson.Case, m []*launch.Measurement) *lesson.Finding {
	allowed := int64(bins * c.Launches[0].Grid.X)
	if m[0].Atomics.Lanes <= allowed {
		return nil
	}
	return &lesson.Finding{
		Kind: lesson.TooSlow,
		Text: fmt.Sprintf("The counts are right, but there are %d atomic additions in memory, and %d would do.", m[0].Atomics.Lanes, allowed),
		Next: "count in `counts` first, in shared memory, and add that to bins at the end",
	}
}
