// Package missingbarriers checks the exercise of that name.
package missingbarriers

import (
	"fmt"
	"math/big"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

const threads = 64

// Check goes round a few times.
var Check = &lesson.CUDA{Cases: cases, Measured: measured}

func cases() []lesson.Case {
	var cases []lesson.Case
	for _, steps := range []int{1, 2, 7} {
		numbers := lesson.Given("numbers", "int", []int{threads}, func(i int) float64 { return float64(i*i - 40*i) })
		for t := range threads {
			// After s steps the number k places to the right counts C(s, k) times.
			sum := 0.0
			for k := range steps + 1 {
				sum += float64(new(big.Int).Binomial(int64(steps), int64(k)).Int64()) * numbers.Values[(t+k)%threads]
			}
			numbers.Want = append(numbers.Want, sum)
		}
		cases = append(cases, lesson.Case{
			Name:     fmt.Sprintf("steps = %d", steps),
			Launches: []lesson.Launch{{Kernel: "missing_barriers", Grid: lesson.Extent(1), Block: lesson.Extent(threads), Args: []any{numbers, int32(steps)}}},
		})
	}
	return cases
}

// measured counts barriers: each of the two warps comes to one twice in a step, and
// may do so once before or behind.
func measured(c *lesson.Case, m []*launch.Measurement) *lesson.Finding {
	steps := int64(c.Launches[0].Args[1].(int32))
	if each := m[0].Barriers / m[0].Warps; each > 2*steps+1 {
		return &lesson.Finding{
			Kind: lesson.TooSlow,
			Text: fmt.Sprintf("The numbers are right, but each thread waits at %d barriers in %d steps: two for each step do.", each, steps),
			Next: "leave out the barrier between two accesses that another one keeps apart already",
		}
	}
	return nil
}
