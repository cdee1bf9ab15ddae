// Package blocksum checks the exercise of that name.
package blocksum

import (
	"fmt"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

const threads = 128

// Check has blocks that are full, nearly empty, and something in between.
var Check = &lesson.CUDA{Cases: cases, Measured: measured}

func cases() []lesson.Case {
	var cases []lesson.Case
	for _, n := range []int{1, 2, 3, 127, 128, 129, 300} {
		value := func(i int) float64 { return float64(i*i%211 - 90) }
		blocks := (n + threads - 1) / threads
		// The sums of those numbers of a block that some of its threads have.
		of := func(has func(t int) bool) []float64 {
			sums := make([]float64, blocks)
			for i := n - 1; i >= 0; i-- {
				if has(i % threads) {
					sums[i/threads] += value(i)
				}
			}
			return sums
		}
		in := lesson.Given("in", "float", []int{n}, value)
		all := of(func(int) bool { return true })
		sums := lesson.Wanted("sums", "float", []int{blocks}, func(b int) float64 { return all[b] })
		cases = append(cases, lesson.Case{
			Name:     fmt.Sprintf("n = %d, %d × %d threads", n, blocks, threads),
			Launches: []lesson.Launch{{Kernel: "block_sum", Grid: lesson.Extent(blocks), Block: lesson.Extent(threads), Args: []any{in, sums, int32(n)}}},
			Mistakes: []lesson.Mistake{
				{Array: "sums", Values: of(func(t int) bool { return t < threads/2 }), Text: "the upper half of each block's numbers is not in the sums: the first step has to reach 64 places up"},
				{Array: "sums", Values: of(func(t int) bool { return t%2 == 0 }), Text: "every second number is missing in the sums: the last step, in which thread 0 adds what thread 1 has, was not taken"},
			},
		})
	}
	return cases
}

// measured tells a tree from a loop by how often warps go to shared memory: 17 times
// in a block, or up to 60 where a tree takes other pairs, and 128 times where one
// thread does it all. An atomic addition takes the block's numbers one by one.
func measured(_ *lesson.Case, m []*launch.Measurement) *lesson.Finding {
	if m[0].Atomics.Requests > 0 {
		return &lesson.Finding{
			Kind: lesson.Unused,
			Text: "The sums are right, but by atomic additions in memory: threads of a block take turns there, and the order is open.",
			Next: "add in shared memory, pair by pair, and let thread 0 write the sum",
		}
	}
	const most = 64
	each := (m[0].SharedLoads.Requests + m[0].SharedAtomics.Turns) / m[0].Blocks
	if each <= most {
		return nil
	}
	return &lesson.Finding{
		Kind: lesson.TooSlow,
		Text: fmt.Sprintf("The sums are right, but they take %d turns in each block, one after the other; a tree takes about 17.", each),
		Next: "let 64 threads add at the same time in the first step, 32 in the next one, and so on",
	}
}
