// Package lostinasum checks the question of that name.
package lostinasum

import (
	"context"
	"strconv"

	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/lessons/lesson"
)

// Check has the CPU add the numbers up.
var Check = &lesson.Questions{Questions: []lesson.Question{
	{
		Name: "twice", Form: "a number", Answer: sum(device.Float64, 1e16, 1, 1, -1e16),
		Mistakes: map[string]string{
			"2": "that is the sum on paper; each addition rounds by itself",
			"1": "the second 1 meets the same 1e16 as the first",
		},
		Why: "1e16 + 1 is half-way between 1e16 and 1e16 + 2 and becomes 1e16, and so once more",
	},
	{
		Name: "together", Form: "a number", Answer: sum(device.Float64, 1, 1, 1e16, -1e16),
		Mistakes: map[string]string{"0": "what meets 1e16 is no longer a 1"},
		Why:      "1 + 1 is made before anything large is near, and 1e16 + 2 exists",
	},
	{
		Name: "three", Form: "a number", Answer: sum(device.Float64, 1e16, 3, -1e16),
		Mistakes: map[string]string{
			"3": "1e16 + 3 is no float64: its neighbours are 2 apart",
			"2": "1e16 + 3 is half-way between two float64 values; the smaller one ends in an odd bit",
			"0": "3 is more than the distance of two neighbours",
		},
		Why: "1e16 + 3 lies half-way between 1e16 + 2 and 1e16 + 4, and the even one is the larger",
	},
	{
		Name: "long", Form: "a number", Answer: sum(device.Float64, 16777216, 1, -16777216),
		Mistakes: map[string]string{"0": "float64 has every whole number of that size"},
		Why:      "16777217 is far below 2^53",
	},
	{
		Name: "short", Form: "a number", Answer: sum(device.Float32, 16777216, 1, -16777216),
		Mistakes: map[string]string{
			"1": "16777217 is no float32",
			"2": "half-way between two values goes to the one whose last bit is 0",
		},
		Why: "16777217 lies half-way between 16777216 and 16777218, and the even one is the smaller",
	},
	{
		Name: "larger", Form: "a number", Answer: sum(device.Float32, 33554432, 2, 2, -33554432),
		Mistakes: map[string]string{
			"4": "the two 2 do not meet before they meet 33554432",
			"2": "2 is half of the distance, and so is the next 2",
		},
		Why: "each 2 is half of the distance to the next value, and goes back to the even one",
	},
}}

// sum adds up the numbers in a precision, from left to right.
func sum(p device.Precision, numbers ...float64) func(context.Context, lesson.On) ([]string, error) {
	return func(ctx context.Context, on lesson.On) ([]string, error) {
		row, err := tensor.FromSlice(numbers, len(numbers))
		if err != nil {
			return nil, err
		}
		cpu, err := on.Open(ctx, "cpu")
		if err != nil {
			return nil, err
		}
		defer cpu.Close()
		out, _, err := cpu.Reduce(ctx, device.Reduction{Input: row.View(), Op: device.Sum, Precision: p})
		if err != nil {
			return nil, err
		}
		return []string{strconv.FormatFloat(out.Data()[0], 'g', -1, 64)}, nil
	}
}
