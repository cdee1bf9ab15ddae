// Package fetchedhowoften checks the question of that name.
package fetchedhowoften

import (
	"context"
	"fmt"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

const form = "a whole number of times"

// Check measures both kernels.
var Check = &lesson.Questions{Questions: []lesson.Question{
	{
		Name: "naive-a", Form: form, Answer: of("naive", 40, loads("a")),
		Mistakes: map[string]string{
			"24": "a row of a is used for each column of the result, not for each row",
			"16": "that is how many values a thread loads of it",
			"1":  "every thread loads for itself",
		},
		Why: "once for each of the 40 columns",
	},
	{
		Name: "naive-b", Form: form, Answer: of("naive", 40, loads("b")),
		Mistakes: map[string]string{
			"40": "a column of b is used for each row of the result, not for each column",
			"16": "that is how many values a thread loads of it",
			"1":  "every thread loads for itself",
		},
		Why: "once for each of the 24 rows",
	},
	{
		Name: "tiled-a", Form: form, Answer: of("tiled", 40, loads("a")),
		Mistakes: map[string]string{
			"3":  "that is how many blocks there are down; a row of a is needed by those across",
			"1":  "each block that needs it loads it",
			"15": "not every block needs it",
			"8":  "that is how often it is read from the tile",
			"40": "within a block one thread loads it",
		},
		Why: "once for each of the five blocks across",
	},
	{
		Name: "tiled-b", Form: form, Answer: of("tiled", 40, loads("b")),
		Mistakes: map[string]string{
			"5":  "that is how many blocks there are across; a column of b is needed by those down",
			"1":  "each block that needs it loads it",
			"15": "not every block needs it",
			"24": "within a block one thread loads it",
		},
		Why: "once for each of the three blocks down",
	},
	{
		Name: "shared", Form: form,
		Answer: of("tiled", 40, func(m *launch.Measurement) (int64, error) {
			left := m.Shared[0]
			return whole(left.Loads, left.Stores)
		}),
		Mistakes: map[string]string{
			"64": "that is how many threads there are; those of one row read it",
			"16": "that is for both tiles together, or for all terms",
			"1":  "it is stored once, and read by all that need it",
			"2":  "each of the threads that need it reads it once in its round",
		},
		Why: "by the eight threads of its row, once each",
	},
	{
		Name: "barriers", Form: form,
		Answer: of("tiled", 40, func(m *launch.Measurement) (int64, error) { return whole(m.Barriers, m.Warps) }),
		Mistakes: map[string]string{
			"2":  "that is one round; how many tiles are there along k = 16?",
			"8":  "that is both warps of a block, or a round for each term",
			"32": "the loop goes on by whole tiles",
		},
		Why: "two in each of 16/8 rounds",
	},
	{
		Name: "one-more", Form: form, Answer: of("tiled", 41, loads("a")),
		Mistakes: map[string]string{
			"5":  "a block for the last column alone loads its tiles too",
			"41": "within a block one thread loads it",
		},
		Why: "a sixth block across, for one column, loads the tiles like the others",
	},
}}

// of runs a kernel for so many columns, and answers from what was counted.
func of(kernel string, n int, answer func(*launch.Measurement) (int64, error)) func(context.Context, lesson.On) ([]string, error) {
	return func(ctx context.Context, on lesson.On) ([]string, error) {
		const m, k = 24, 16
		r, err := on.One(ctx, fmt.Sprintf(`{"source": "kernel.cu", "kernel": %q, "grid": [%d, %d], "block": [8, 8], "args": [
			{"name": "a", "type": "f32", "shape": [%d, %d], "fill": "iota"},
			{"name": "b", "type": "f32", "shape": [%d, %d], "fill": "iota"},
			{"name": "c", "type": "f32", "shape": [%d, %d], "out": true},
			{"name": "m", "type": "i32", "value": %d},
			{"name": "k", "type": "i32", "value": %d},
			{"name": "n", "type": "i32", "value": %d}]}`,
			kernel, (n+7)/8, m/8, m, k, k, n, m, n, m, k, n))
		if err != nil {
			return nil, err
		}
		if len(r.Reports) > 0 {
			return nil, fmt.Errorf("%s is reported: %s", kernel, r.Reports[0].Text())
		}
		times, err := answer(r.Measurement)
		return []string{fmt.Sprint(times)}, err
	}
}

func loads(name string) func(*launch.Measurement) (int64, error) {
	return func(m *launch.Measurement) (int64, error) {
		for _, array := range m.Buffers {
			if array.Name == name {
				return whole(array.Loads, array.Loaded)
			}
		}
		return 0, fmt.Errorf("nothing of %s is loaded", name)
	}
}

// whole divides what has to be divisible.
func whole(a, b int64) (int64, error) {
	if b == 0 || a%b != 0 {
		return 0, fmt.Errorf("%d accesses do not fall alike on %d", a, b)
	}
	return a / b, nil
}
