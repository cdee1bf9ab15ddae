// Package samebits checks the exercise of that name.
package samebits

import (
	"fmt"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

const threads = 64

// Check has numbers of very different sizes, so that each order of the additions
// gives other bits.
var Check = &lesson.CUDA{Cases: cases, Measured: measured}

func cases() []lesson.Case {
	var cases []lesson.Case
	for _, of := range []struct{ n, blocks int }{{199, 5}, {486, 7}, {458, 11}} {
		in := lesson.Given("in", "float", []int{of.n}, func(i int) float64 {
			return float64(float32(i*i%1009+1) / 7 * float32([]int{1, -1000, 30, 977}[i%4]))
		})
		partials := make([]float32, of.blocks)
		for b := range partials {
			partials[b] = ofBlock(in.Values, b, of.blocks)
		}
		total := &lesson.Array{Name: "total", Type: "float", Shape: []int{1}, Want: []float64{ascending(partials)}}
		between := lesson.Wanted("partials", "float", []int{of.blocks}, func(b int) float64 { return float64(partials[b]) })
		c := lesson.Case{
			Name: fmt.Sprintf("n = %d, %d blocks", of.n, of.blocks),
			Launches: []lesson.Launch{
				{Kernel: "partial_sums", Grid: lesson.Extent(of.blocks), Block: lesson.Extent(threads), Args: []any{in, between, int32(of.n)}},
				{Kernel: "same_bits", Grid: lesson.Extent(1), Block: lesson.Extent(threads), Args: []any{between, total, int32(of.blocks)}},
			},
		}
		for _, m := range mistakes(partials) {
			if m.Values[0] != total.Want[0] {
				c.Mistakes = append(c.Mistakes, m)
			}
		}
		cases = append(cases, c)
	}
	return cases
}

// ofBlock is the partial sum of a block: each thread's numbers in ascending order,
// and then the threads as a tree.
func ofBlock(in []float64, block, blocks int) float32 {
	sums := make([]float32, threads)
	for i := block * threads; i < len(in); i += blocks * threads {
		for t := range min(threads, len(in)-i) {
			sums[t] += float32(in[i+t])
		}
	}
	return tree(sums)
}

func tree(sums []float32) float32 {
	for len(sums) > 1 {
		half := len(sums) / 2
		next := make([]float32, half)
		for t := range next {
			next[t] = sums[t] + sums[t+half]
		}
		sums = next
	}
	return sums[0]
}

func ascending(partials []float32) float64 {
	sum := float32(0)
	for _, x := range partials {
		sum += x
	}
	return float64(sum)
}

// mistakes are the totals of other orders.
func mistakes(partials []float32) []lesson.Mistake {
	backwards, exact := float32(0), 0.0
	for b := len(partials) - 1; b >= 0; b-- {
		backwards += partials[b]
		exact += float64(partials[b])
	}
	padded := append(append([]float32{}, partials...), make([]float32, threads-len(partials))...)
	var list []lesson.Mistake
	for _, m := range []struct {
		total float64
		text  string
	}{
		{float64(backwards), "this is the sum from the last block to the first: the order is fixed, but it is another one than was asked for"},
		{float64(tree(padded)), "this is the sum of the blocks as a tree: its order is fixed, but it is another one than was asked for"},
		{float64(float32(exact)), "this is the sum rounded once at its end: each addition is to be one of floats"},
		{ascending(partials[1:]), "the partial sum of block 0 is missing"},
	} {
		list = append(list, lesson.Mistake{Array: "total", Values: []float64{m.total}, Text: m.text})
	}
	return list
}

// measured finds what a run on the emulator, which takes threads in their order,
// cannot show in the result.
func measured(_ *lesson.Case, m []*launch.Measurement) *lesson.Finding {
	for _, launched := range m {
		if launched.Atomics.Requests+launched.SharedAtomics.Requests == 0 {
			continue
		}
		f := &lesson.Finding{
			Kind: lesson.Unrepeatable,
			Text: fmt.Sprintf("%s adds with atomics, in whatever order its threads come: here the sum came out right, and in another run it has other bits.", launched.Kernel),
			Next: "let one thread add the partial sums, in a loop from the first block to the last",
		}
		for _, line := range launched.Lines {
			if line.Atomics.Requests+line.SharedAtomics.Requests > 0 {
				f.Line = line.Line
			}
		}
		return f
	}
	return nil
}
