// Package readsforaproduct checks the question of that name.
package readsforaproduct

import (
	"context"
	"fmt"
	"strconv"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

const (
	form    = "a number, as in 0.25"
	again   = "what is in a register is not read again: count the reads of one term, and the products that are made of them"
	threads = 64
)

// Check measures instances of the statement's kernel.
var Check = &lesson.Questions{Questions: []lesson.Question{
	{
		Name: "one", Form: form, Answer: reads(1, 1),
		Mistakes: map[string]string{
			"1":    "a product has two factors, and each is read",
			"16":   "that is all terms together; they make as many multiplications as there are terms",
			"0.25": "that is the example of how to write it",
		},
		Why: "one of each tile for one product",
	},
	{
		Name: "two", Form: form, Answer: reads(2, 2),
		Mistakes: map[string]string{"2": again, "4": "that is how many reads a term takes; divide by the products that are made of them", "0.5": "two of each tile are four reads"},
		Why:      "2 + 2 reads for 4 products",
	},
	{
		Name: "four", Form: form, Answer: reads(4, 4),
		Mistakes: map[string]string{"2": again, "8": "that is how many reads a term takes; divide by the products that are made of them", "0.25": "four of each tile are eight reads"},
		Why:      "4 + 4 reads for 16 products",
	},
	{
		Name: "row", Form: form, Answer: reads(1, 4),
		Mistakes: map[string]string{"2": again, "1": "one of the left tile and four of the right one are five reads", "5": "that is how many reads a term takes; divide by the products that are made of them"},
		Why:      "1 + 4 reads for 4 products: a square has the fewest",
	},
	{
		Name: "tall", Form: form, Answer: reads(4, 2),
		Mistakes: map[string]string{"2": again, "6": "that is how many reads a term takes; divide by the products that are made of them", "1": "four of the left tile and two of the right one are six reads for eight products"},
		Why:      "4 + 2 reads for 8 products",
	},
	{
		Name: "block", Form: "a whole number of cells",
		Answer: measured(4, 2, func(m *launch.Measurement) (float64, error) { return float64(m.Stores.Lanes), nil }),
		Mistakes: map[string]string{
			"8":   "that is one thread",
			"64":  "each of the 64 threads has more than one cell",
			"256": "a thread has 4 × 2 cells",
		},
		Why: "8 · 4 rows and 8 · 2 columns",
	},
	{
		Name: "words", Form: "a whole number of words",
		Answer: measured(4, 2, func(m *launch.Measurement) (float64, error) {
			words := 0.0
			for _, a := range m.Shared {
				words += float64(a.Elements)
			}
			return words, nil
		}),
		Mistakes: map[string]string{
			"1536": "those are bytes; a word has four",
			"256":  "that is the left tile alone",
			"128":  "that is the right tile alone, or what a block of cells<1, 1> takes",
			"512":  "the right tile has 8 rows of 8 · 2 columns",
		},
		Why: "32 · 8 and 8 · 16: three times as much as for one cell a thread, for eight times as many cells",
	},
}}

// reads are the loads from shared memory for each multiplication.
func reads(p, q int) func(context.Context, lesson.On) ([]string, error) {
	return measured(p, q, func(m *launch.Measurement) (float64, error) {
		// Every multiplication comes with an addition.
		if m.Flops == 0 || m.Threads != threads {
			return 0, fmt.Errorf("%d operations by %d threads", m.Flops, m.Threads)
		}
		return float64(m.SharedLoads.Lanes) / (float64(m.Flops) / 2), nil
	})
}

func measured(p, q int, answer func(*launch.Measurement) (float64, error)) func(context.Context, lesson.On) ([]string, error) {
	return func(ctx context.Context, on lesson.On) ([]string, error) {
		r, err := on.One(ctx, fmt.Sprintf(`{"source": "kernel.cu", "kernel": "cells<%d, %d>", "grid": [1], "block": [8, 8], "args": [
			{"name": "a", "type": "f32", "shape": [%d, 8], "fill": "iota"},
			{"name": "b", "type": "f32", "shape": [8, %d], "fill": "iota"},
			{"name": "c", "type": "f32", "shape": [%d, %d], "out": true}]}`, p, q, 8*p, 8*q, 8*p, 8*q))
		if err != nil {
			return nil, err
		}
		if len(r.Reports) > 0 {
			return nil, fmt.Errorf("the kernel is reported: %s", r.Reports[0].Text())
		}
		x, err := answer(r.Measurement)
		return []string{strconv.FormatFloat(x, 'g', -1, 64)}, err
	}
}
