// Package sectorsofarequest checks the question of that name.
package sectorsofarequest

import (
	"context"
	"fmt"

	"workbench/lessons/lesson"
)

const form = "a whole number of sectors"

// Check counts the sectors of each kernel's one request to read.
var Check = &lesson.Questions{Questions: []lesson.Question{
	{
		Name: "neighbours", Form: form, Answer: sectors("read", "f32", 0, 1),
		Mistakes: map[string]string{
			"32": "eight floats lie in one sector, and all of them are wanted",
			"1":  "that would be 128 bytes in a sector",
			"8":  "that is how many floats a sector has",
		},
		Why: "128 bytes in a row",
	},
	{
		Name: "second", Form: form, Answer: sectors("read", "f32", 0, 2),
		Mistakes: map[string]string{
			"4":  "the elements lie in twice as many bytes",
			"16": "four of them lie in each sector",
			"32": "four of them lie in each sector",
		},
		Why: "of each sector every second float is wanted, and all of it is moved",
	},
	{
		Name: "third", Form: form, Answer: sectors("read", "f32", 0, 3),
		Mistakes: map[string]string{
			"11": "the last element is x[93]: which sector is that in, counted from 0?",
			"32": "two or three of them lie in each sector",
		},
		Why: "the last element is at byte 372, in sector 11 from 0, and none between is left out",
	},
	{
		Name: "apart", Form: form, Answer: sectors("read", "f32", 0, 100),
		Mistakes: map[string]string{
			"400": "a sector that nobody wants anything of is not moved",
			"388": "a sector that nobody wants anything of is not moved",
			"4":   "the elements lie 400 bytes apart",
		},
		Why: "no two of them are in the same one: of 1024 bytes 128 are wanted",
	},
	{
		Name: "late", Form: form, Answer: sectors("read", "f32", 1, 1),
		Mistakes: map[string]string{
			"4": "the last of them is x[32], and a sector begins at a multiple of 32 bytes",
			"8": "only the last of them lies beyond the first 128 bytes",
		},
		Why: "x[32] is the first float of one more",
	},
	{
		Name: "backwards", Form: form, Answer: sectors("read", "f32", 31, -1),
		Mistakes: map[string]string{
			"32": "the same elements are wanted, by other threads",
			"5":  "the elements are x[31] to x[0]",
		},
		Why: "which thread wants which element of a sector does not matter",
	},
	{
		Name: "same", Form: form, Answer: sectors("read", "f32", 0, 0),
		Mistakes: map[string]string{"32": "all threads want one element, and one request fetches it once"},
		Why:      "all want x[0]",
	},
	{
		Name: "doubles", Form: form, Answer: sectors("read8", "f64", 0, 1),
		Mistakes: map[string]string{
			"4":  "a double has 8 bytes",
			"16": "four doubles lie in one sector",
		},
		Why: "256 bytes in a row",
	},
}}

func sectors(kernel, number string, start, step int) func(context.Context, lesson.On) ([]string, error) {
	return func(ctx context.Context, on lesson.On) ([]string, error) {
		r, err := on.One(ctx, fmt.Sprintf(`{"source": "kernel.cu", "kernel": %q, "grid": [1], "block": [32], "args": [
			{"name": "x", "type": %q, "shape": [3200], "fill": "iota"},
			{"name": "out", "type": %q, "shape": [32], "out": true},
			{"name": "start", "type": "i32", "value": %d},
			{"name": "step", "type": "i32", "value": %d}]}`, kernel, number, number, start, step))
		if err != nil {
			return nil, err
		}
		if loads := r.Measurement.Loads; loads.Requests != 1 {
			return nil, fmt.Errorf("%d requests read, and not one", loads.Requests)
		}
		return []string{fmt.Sprint(r.Measurement.Loads.Sectors)}, nil
	}
}
