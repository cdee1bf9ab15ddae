// Package surplusthreads checks the question of that name.
package surplusthreads

import (
	"context"
	"encoding/binary"
	"fmt"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

// The launch.
const n, threads = 300, 128

// Check launches the kernel of the statement, and two that count its surplus
// threads.
var Check = &lesson.Questions{Questions: []lesson.Question{
	{
		Name: "blocks", Form: "a whole number",
		// As few as there are when every element is written.
		Answer: func(ctx context.Context, on lesson.On) ([]string, error) {
			for blocks := 1; blocks < n; blocks++ {
				m, err := square(ctx, on, blocks)
				if err != nil {
					return nil, err
				}
				if m.Stores.Lanes == n {
					return []string{fmt.Sprint(blocks)}, nil
				}
			}
			return nil, fmt.Errorf("no grid writes all %d elements", n)
		},
		Mistakes: map[string]string{
			"2": "256 threads do not reach 300 elements: the division is rounded up",
		},
		Why: "300/128 is 2.34, and blocks are whole",
	},
	{
		Name: "surplus", Form: "a whole number of threads",
		Answer: count(func(surplus, _, _ int) int { return surplus }),
		Mistakes: map[string]string{
			"44":  "that is how many threads of the last block have an element",
			"83":  "element 299 is the last one: the elements are counted from 0",
			"212": "there is one block too many",
		},
		Why: "3·128 = 384 threads for 300 elements",
	},
	{
		Name: "first", Form: "a thread’s number in its block",
		Answer: count(func(_, first, _ int) int { return first }),
		Mistakes: map[string]string{
			"300": "that is its number in the grid; threadIdx.x begins anew in each block",
			"43":  "that one has element 299",
			"45":  "that is the second one: threads are counted from 0",
		},
		Why: "300 − 2·128 threads of block 2 have an element",
	},
	{
		Name: "lane", Form: "a whole number from 0 to 31",
		Answer: count(func(_, first, _ int) int { return first % 32 }),
		Mistakes: map[string]string{
			"44": "a warp has 32 lanes",
			"1":  "that is its warp",
			"11": "that one has element 299",
		},
		Why: "44 is 32 + 12: lane 12 of warp 1",
	},
	{
		Name: "idle", Form: "a whole number of warps",
		Answer: count(func(_, _, idle int) int { return idle }),
		Mistakes: map[string]string{
			"3": "in one of these warps some lanes have an element",
			"1": "count the warps of the last block: there are four",
			"6": "there is one block too many",
		},
		Why: "warps 2 and 3 of block 2",
	},
	{
		Name: "parted", Form: "a whole number of warps",
		Answer: func(ctx context.Context, on lesson.On) ([]string, error) {
			m, err := square(ctx, on, blocks)
			if err != nil {
				return nil, err
			}
			return []string{fmt.Sprint(m.Diverged)}, nil
		},
		Mistakes: map[string]string{
			"12": "a warp whose lanes agree goes one way",
			"3":  "a warp in which no lane has an element goes one way",
			"2":  "those go one way: none of their lanes has an element",
			"0":  "in one warp some lanes have an element and some have none",
		},
		Why: "warp 1 of block 2, after its lane 11",
	},
}}

const blocks = (n + threads - 1) / threads

func square(ctx context.Context, on lesson.On, blocks int) (*launch.Measurement, error) {
	r, err := on.One(ctx, fmt.Sprintf(`{"source": "kernel.cu", "kernel": "square", "grid": [%d], "block": [%d], "args": [
		{"name": "in", "type": "f32", "shape": [%d], "fill": "iota"},
		{"name": "out", "type": "f32", "shape": [%d], "out": true},
		{"name": "n", "type": "i32", "value": %d}]}`, blocks, threads, n, n, n))
	if err != nil {
		return nil, err
	}
	return r.Measurement, nil
}

// count has two kernels count the threads that have no element, find the first
// one's place in its block, and count the warps that have nothing to do.
func count(answer func(surplus, first, idle int) int) func(context.Context, lesson.On) ([]string, error) {
	return func(ctx context.Context, on lesson.On) ([]string, error) {
		results, err := on.Run(ctx, fmt.Sprintf(`{"source": "kernel.cu", "buffers": [
				{"name": "threads", "type": "i32", "values": [0], "out": true},
				{"name": "first", "type": "i32", "values": [1024], "out": true},
				{"name": "warps", "type": "i32", "values": [0], "out": true}],
			"launches": [
				{"kernel": "surplus", "grid": [%d], "block": [%d], "args": ["threads", "first", {"name": "n", "type": "i32", "value": %d}]},
				{"kernel": "idle", "grid": [%d], "block": [%d], "args": ["warps", {"name": "n", "type": "i32", "value": %d}]}]}`,
			blocks, threads, n, blocks, threads, n))
		if err != nil {
			return nil, err
		}
		value := func(launch, buffer int) int {
			return int(binary.LittleEndian.Uint32(results[launch].Buffers[buffer]))
		}
		return []string{fmt.Sprint(answer(value(0, 0), value(0, 1), value(1, 0)))}, nil
	}
}
