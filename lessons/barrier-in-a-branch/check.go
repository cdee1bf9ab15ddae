// Package barrierinabranch checks the question of that name.
package barrierinabranch

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

// Check launches each kernel and looks for a report about its barrier.
var Check = &lesson.Questions{Questions: []lesson.Question{
	{
		Name: "part", Form: "fine or error", Answer: verdict("part"),
		Mistakes: map[string]string{"fine": "where do the threads from 48 on wait for the others?"},
		Why:      "the threads from 48 on go past it",
	},
	{
		Name: "whole", Form: "fine or error", Answer: verdict("whole"),
		Mistakes: map[string]string{"error": "which thread of the block does not enter the if?"},
		Why:      "the condition holds for every thread of the block",
	},
	{
		Name: "turns", Form: "fine or error", Answer: verdict("turns"),
		Mistakes: map[string]string{"fine": "each warp agrees with itself, but how often does each of the two come to the barrier?"},
		Why:      "warp 1 comes to it once, and warp 0 never",
	},
	{
		Name: "early", Form: "fine or error", Answer: verdict("early"),
		Mistakes: map[string]string{"fine": "a thread that has returned does not come to a barrier any more"},
		Why:      "24 threads have returned before it; let them stay, and guard what they would touch",
	},
	{
		Name: "part-missing", Form: "a whole number of threads", Answer: missing("part"),
		Mistakes: map[string]string{
			"48": "those come to it",
			"1":  "it is asked for threads, and not for warps",
			"32": "half of warp 1 comes to the barrier",
		},
		Why: "the threads 48 to 63, in the same warp as 16 that wait for them",
	},
	{
		Name: "turns-missing", Form: "a whole number of threads", Answer: missing("turns"),
		Mistakes: map[string]string{
			"0": "how often does a thread of the first warp go through the loop?",
			"1": "it is asked for threads, and not for warps",
		},
		Why: "those of warp 0, for which t / 32 is 0",
	},
	{
		Name: "early-missing", Form: "a whole number of threads", Answer: missing("early"),
		Mistakes: map[string]string{
			"40": "those come to it",
			"32": "8 threads of warp 1 come to the barrier",
			"0":  "a thread that has returned does not come any more",
		},
		Why: "the threads 40 to 63 have returned",
	},
}}

func run(ctx context.Context, on lesson.On, kernel string) (*launch.Result, error) {
	more := ""
	if kernel == "early" {
		more = `, {"name": "n", "type": "i32", "value": 40}`
	}
	return on.One(ctx, fmt.Sprintf(`{"source": "kernel.cu", "kernel": %q, "grid": [1], "block": [64], "args": [
		{"name": "out", "type": "i32", "shape": [64], "out": true}%s]}`, kernel, more))
}

func verdict(kernel string) func(context.Context, lesson.On) ([]string, error) {
	return func(ctx context.Context, on lesson.On) ([]string, error) {
		r, err := run(ctx, on, kernel)
		if err != nil {
			return nil, err
		}
		for _, report := range r.Reports {
			if report.Kind == launch.DivergentBarrier {
				return []string{"error"}, nil
			}
		}
		return []string{"fine"}, nil
	}
}

// comes is how a report counts the threads that come to a barrier.
var comes = regexp.MustCompile(`^(\d+) of the (\d+) threads`)

// missing counts the threads that do not come to a kernel's barrier.
func missing(kernel string) func(context.Context, lesson.On) ([]string, error) {
	return func(ctx context.Context, on lesson.On) ([]string, error) {
		r, err := run(ctx, on, kernel)
		if err != nil {
			return nil, err
		}
		for _, report := range r.Reports {
			if m := comes.FindStringSubmatch(report.Message); m != nil && report.Kind == launch.DivergentBarrier {
				here, _ := strconv.Atoi(m[1])
				all, _ := strconv.Atoi(m[2])
				return []string{strconv.Itoa(all - here)}, nil
			}
		}
		return nil, fmt.Errorf("%s has no report that counts the threads at its barrier", kernel)
	}
}
