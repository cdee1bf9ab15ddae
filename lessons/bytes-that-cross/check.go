// Package bytesthatcross checks the question of that name.
package bytesthatcross

import (
	"context"
	"fmt"

	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/lessons/lesson"
)

const form = "two whole numbers of bytes, in and out"

// Check makes the requests on the emulator, whose memory is its own, and reads its
// counters.
var Check = &lesson.Questions{Questions: []lesson.Question{
	{
		Name: "product", Form: form,
		Answer: crossing(device.Float32, product(false)),
		Mistakes: map[string]string{
			"56, 15":   "those are values; a float32 has 4 bytes",
			"448, 120": "that is float64",
			"140, 60":  "B has to cross too",
		},
		Why: "35 + 21 values in and 15 out, of 4 bytes",
	},
	{
		Name: "sums", Form: form,
		Answer: crossing(device.Float32, reduction(device.Sum)),
		Mistakes: map[string]string{
			"140, 20": "the column of ones is sent too",
			"160, 20": "a row is 7 long, and so is the column of ones",
			"42, 5":   "those are values; a float32 has 4 bytes",
			"168, 28": "a sum for each row comes back",
		},
		Why: "35 + 7 values in and 5 out, of 4 bytes",
	},
	{
		Name: "means", Form: form,
		Answer: crossing(device.Float32, reduction(device.Mean)),
		Mistakes: map[string]string{
			"140, 20": "the column of ones is sent too",
			"0, 20":   "every request brings its own operands",
			"172, 20": "what is divided by travels with the order, and not as an operand",
		},
		Why: "the same as the sums: what is divided by is no operand",
	},
	{
		Name: "launches", Form: "a whole number",
		Answer: func(ctx context.Context, on lesson.On) ([]string, error) {
			all, err := run(ctx, on, device.Float32, product(false), reduction(device.Sum), reduction(device.Mean))
			return []string{fmt.Sprint(all.Launches)}, err
		},
		Mistakes: map[string]string{
			"2": "the means are a request of their own",
			"4": "the division is made by the kernel that adds",
			"1": "each request is a launch",
		},
		Why: "one for each request; a mean's division is in its kernel",
	},
	{
		Name: "transposed", Form: form,
		Answer: crossing(device.Float32, product(true)),
		Mistakes: map[string]string{
			"364, 60": "it is packed on the host, in the order in which it is read; it crosses once",
			"0, 60":   "the view costs nothing, but the values have to cross",
		},
		Why: "the host packs it in another order, and the values are as many",
	},
	{
		Name: "double", Form: form,
		Answer:   crossing(device.Float64, product(false)),
		Mistakes: map[string]string{"224, 60": "that is float32", "448, 60": "the result is float64 too"},
		Why:      "twice the bytes, each way",
	},
}}

// A request is made on a run, in a precision.
type request func(ctx context.Context, on *device.Run, p device.Precision) error

func product(transposed bool) request {
	return func(ctx context.Context, on *device.Run, p device.Precision) error {
		shape := []int{5, 7}
		if transposed {
			shape = []int{7, 5}
		}
		left, err := tensor.New(shape...)
		if err != nil {
			return err
		}
		right, err := tensor.New(7, 3)
		if err != nil {
			return err
		}
		_, err = on.Multiply(ctx, device.Product{Left: left.View(), Right: right.View(), TransposeLeft: transposed, Precision: p})
		return err
	}
}

func reduction(op device.ReduceOp) request {
	return func(ctx context.Context, on *device.Run, p device.Precision) error {
		a, err := tensor.New(5, 7)
		if err != nil {
			return err
		}
		_, err = on.Reduce(ctx, device.Reduction{Input: a.View(), Axis: 1, Op: op, Precision: p})
		return err
	}
}

func run(ctx context.Context, on lesson.On, p device.Precision, requests ...request) (device.Stats, error) {
	emulator, err := on.Open(ctx, "emulator")
	if err != nil {
		return device.Stats{}, err
	}
	defer emulator.Close()
	r := device.NewRun(emulator)
	for _, ask := range requests {
		if err := ask(ctx, r, p); err != nil {
			return device.Stats{}, err
		}
	}
	return r.Stats(), nil
}

func crossing(p device.Precision, ask request) func(context.Context, lesson.On) ([]string, error) {
	return func(ctx context.Context, on lesson.On) ([]string, error) {
		s, err := run(ctx, on, p, ask)
		return []string{fmt.Sprintf("%d, %d", s.BytesIn, s.BytesOut)}, err
	}
}
