// Package turnsofthebanks checks the question of that name.
package turnsofthebanks

import (
	"context"
	"fmt"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

// Check counts the turns of each kernel's one request to read.
var Check = &lesson.Questions{Questions: []lesson.Question{
	{
		Name: "width32", Form: "a whole number of turns", Answer: turns("column", 32),
		Mistakes: map[string]string{
			"1": "write down the words of the first few rows, and their banks: how many different ones are there?",
		},
		Why: "all 32 words are in bank 5",
	},
	{
		Name: "width33", Form: "a whole number of turns", Answer: turns("column", 33),
		Mistakes: map[string]string{
			"32": "the words lie 33 apart now: what is w mod 32 of the first few?",
			"2":  "no bank has to give two words",
		},
		Why: "each row begins one bank further",
	},
	{
		Name: "width34", Form: "a whole number of turns", Answer: turns("column", 34),
		Mistakes: map[string]string{
			"1":  "each row begins two banks further, so only every second bank is used",
			"16": "that is how many banks are used; each has to give as many words as there are rows for it",
			"32": "the words are not all in one bank",
		},
		Why: "16 banks give two words each",
	},
	{
		Name: "width40", Form: "a whole number of turns", Answer: turns("column", 40),
		Mistakes: map[string]string{
			"1": "40 mod 32 is 8: rows 0, 4, 8 … begin in the same bank",
			"4": "that is how many banks are used; each has to give as many words as there are rows for it",
		},
		Why: "four banks give eight words each",
	},
	{
		Name: "along", Form: "a whole number of turns", Answer: turns("row", 32),
		Mistakes: map[string]string{
			"2":  "two threads that want the same word get it together",
			"16": "that is how many banks are used, all in the same turn",
		},
		Why: "16 neighbouring words, each for two threads",
	},
	{
		Name: "spare", Form: "a whole number of words",
		Answer: func(ctx context.Context, on lesson.On) ([]string, error) {
			wide, err := run(ctx, on, "column", 33)
			if err != nil {
				return nil, err
			}
			tight, err := run(ctx, on, "column", 32)
			if err != nil {
				return nil, err
			}
			return []string{fmt.Sprint(wide.Shared[0].Elements - tight.Shared[0].Elements)}, nil
		},
		Mistakes: map[string]string{
			"1":   "there is one more in every row",
			"128": "those are bytes",
			"33":  "count the rows of the tile, and not the words of one",
		},
		Why: "one in each row: that is the price of 31 turns",
	},
}}

func run(ctx context.Context, on lesson.On, kernel string, width int) (*launch.Measurement, error) {
	r, err := on.One(ctx, fmt.Sprintf(`{"source": "kernel.cu", "kernel": "%s<%d>", "grid": [1], "block": [32],
		"args": [{"name": "out", "type": "f32", "shape": [32], "out": true}]}`, kernel, width))
	if err != nil {
		return nil, err
	}
	return r.Measurement, nil
}

func turns(kernel string, width int) func(context.Context, lesson.On) ([]string, error) {
	return func(ctx context.Context, on lesson.On) ([]string, error) {
		m, err := run(ctx, on, kernel, width)
		if err != nil {
			return nil, err
		}
		if m.SharedLoads.Requests != 1 {
			return nil, fmt.Errorf("%d requests read the tile, and not one", m.SharedLoads.Requests)
		}
		return []string{fmt.Sprint(m.SharedLoads.Turns)}, nil
	}
}
