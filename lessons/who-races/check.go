// Package whoraces checks the question of that name.
package whoraces

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing/fstest"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

// Check asks the emulator who races.
var Check = &lesson.Questions{Questions: []lesson.Question{
	{
		Name: "writers", Form: "two thread numbers, as in 3 and 5", Unordered: true,
		Answer: from("scatter", func(r launch.Report) string {
			return fmt.Sprintf("%d and %d", r.Thread[0], r.Other.Thread[0])
		}),
		Mistakes: map[string]string{
			"0 and 1":  "they write 6 places apart",
			"0 and 44": "there are only 23 threads; % 44 brings some of their places back earlier",
			"0 and 23": "the last thread is 22",
			"1 and 22": "write down (6 · t + 8) % 44 for both of them",
		},
		Why: "6·22 is 132, which is 3·44: thread 22 is where thread 0 began",
	},
	{
		Name: "place", Form: "the number of an element of out",
		Answer: from("scatter", func(r launch.Report) string { return index(r.Address) }),
		Mistakes: map[string]string{
			"0":   "the 8 is added for thread 0 too",
			"140": "that is before % 44",
			"14":  "that is where thread 1 writes, alone",
		},
		Why: "both write to out[8]",
	},
	{
		Name: "reader", Form: "a thread number",
		Answer: from("shift", func(r launch.Report) string { return thread(r, "read") }),
		Mistakes: map[string]string{
			"9": "that one writes",
			"4": "the if lets another one through",
		},
		Why: "only thread 5 passes the if",
	},
	{
		Name: "writer", Form: "a thread number",
		Answer: from("shift", func(r launch.Report) string { return thread(r, "write") }),
		Mistakes: map[string]string{
			"5": "a thread does not race with itself: what it wrote it finds",
			"4": "t + 4 is counted from the reader",
			"1": "t + 4 is behind the reader, and not before it",
		},
		Why: "each thread writes the element of its own number",
	},
	{
		Name: "element", Form: "the number of an element of line",
		Answer: from("shift", func(r launch.Report) string { return index(r.Address) }),
		Mistakes: map[string]string{
			"5": "that one the reader wrote itself",
			"0": "that is an element of out, which one thread writes",
			"4": "t is 5",
		},
		Why: "5 + 4",
	},
	{
		Name: "mended", Form: "scatter or shift",
		// Put the barrier in, and see which kernel still races.
		Answer: func(ctx context.Context, on lesson.On) ([]string, error) {
			source, err := fs.ReadFile(on.Files, "kernel.cu")
			if err != nil {
				return nil, err
			}
			text := string(source)
			for _, third := range []string{"out[(6 * t + 8) % 44] = in[t];", "line[t] = in[t];"} {
				if strings.Count(text, third) != 1 {
					return nil, fmt.Errorf("kernel.cu has no line %q", third)
				}
				text = strings.Replace(text, third, third+"\n\t__syncthreads();", 1)
			}
			on.Files = fstest.MapFS{"kernel.cu": {Data: []byte(text)}}
			var mended []string
			for _, kernel := range []string{"scatter", "shift"} {
				races, err := run(ctx, on, kernel)
				if err != nil {
					return nil, err
				}
				if len(races) == 0 {
					mended = append(mended, kernel)
				}
			}
			if len(mended) != 1 {
				return nil, fmt.Errorf("the barrier mends %v, and not one of both", mended)
			}
			return mended, nil
		},
		Mistakes: map[string]string{
			"scatter": "both of its writes come before the barrier, and the barrier says nothing of which is first",
			"both":    "in one of them both accesses are on the same side of the barrier",
			"none":    "a barrier puts what is before it in front of what is behind it",
		},
		Why: "shift writes in front of the barrier and reads behind it; of two writes in front of it, as in scatter, neither is first",
	},
}}

// run returns the races of a kernel.
func run(ctx context.Context, on lesson.On, kernel string) ([]launch.Report, error) {
	threads, in, out := 23, 23, 44
	if kernel == "shift" {
		threads, in, out = 16, 16, 1
	}
	r, err := on.One(ctx, fmt.Sprintf(`{"source": "kernel.cu", "kernel": %q, "grid": [1], "block": [%d], "args": [
		{"name": "in", "type": "f32", "shape": [%d], "fill": "iota"},
		{"name": "out", "type": "f32", "shape": [%d], "out": true}]}`, kernel, threads, in, out))
	if err != nil {
		return nil, err
	}
	for _, report := range r.Reports {
		if report.Kind != launch.Race {
			return nil, fmt.Errorf("the emulator reports something else: %s", report.Text())
		}
	}
	return r.Reports, nil
}

// from answers from the one race of a kernel.
func from(kernel string, answer func(launch.Report) string) func(context.Context, lesson.On) ([]string, error) {
	return func(ctx context.Context, on lesson.On) ([]string, error) {
		races, err := run(ctx, on, kernel)
		if err != nil {
			return nil, err
		}
		if len(races) != 1 || races[0].Count != 1 || races[0].Other == nil {
			return nil, fmt.Errorf("%s does not race once: %d reports", kernel, len(races))
		}
		return []string{answer(races[0])}, nil
	}
}

// thread is the one of the two that accesses as is said.
func thread(r launch.Report, access string) string {
	if r.Access == access {
		return fmt.Sprint(r.Thread[0])
	}
	return fmt.Sprint(r.Other.Thread[0])
}

// index is 8 of out[8].
func index(address string) string {
	_, place, _ := strings.Cut(address, "[")
	return strings.TrimSuffix(place, "]")
}
