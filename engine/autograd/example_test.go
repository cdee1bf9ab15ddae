package autograd_test

import (
	"context"
	"fmt"

	"workbench/engine/autograd"
	"workbench/engine/cpu"
	"workbench/engine/device"
	"workbench/engine/tensor"
)

// One row times a matrix of weights, the mean of the result, and back: the
// weights' gradient is Xᵀ·G, each of two columns with its share of 1/2.
func Example() {
	d, err := cpu.New(device.Spec{Kind: device.CPU})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()

	x := autograd.Constant(tensor.Must(tensor.FromRows([][]float64{{1, 2, 3}})))
	w := autograd.Parameter("w", tensor.Must(tensor.FromRows([][]float64{{7, 8}, {9, 10}, {11, 12}})))

	c := autograd.Recording(context.Background(), device.NewRun(d))
	y := c.Matmul(x, w)
	loss := c.MeanAxis(y, 1, false)
	if err := c.Err(); err != nil {
		fmt.Println(err)
		return
	}
	if err := loss.Backward(c); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("y       ", y.Value().Data())
	fmt.Println("loss    ", loss.Value().Data())
	fmt.Println("∂loss/∂w", w.Gradient().Shape(), w.Gradient().Data())
	// Output:
	// y        [58 64]
	// loss     [61]
	// ∂loss/∂w [3 2] [0.5 0.5 1 1 1.5 1.5]
}

// A watcher sees every operation, forward and then backward.
func ExampleContext_WithWatch() {
	d, err := cpu.New(device.Spec{Kind: device.CPU})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()

	c := autograd.Recording(context.Background(), device.NewRun(d)).WithWatch(func(e autograd.Event) {
		arrow := "→"
		if e.Backward {
			arrow = "←"
		}
		fmt.Println(arrow, e.Op, e.Output.Data())
	})
	x := autograd.Parameter("x", tensor.Must(tensor.FromSlice([]float64{1, 2}, 2)))
	square := c.As("square").Mul(x, x)
	if err := c.SumAxis(square, 0, false).Backward(c); err != nil {
		fmt.Println(err)
	}
	// Output:
	// → mul [1 4]
	// → sum [5]
	// ← repeat [1 1]
	// ← mul [1 2]
	// ← mul [1 2]
	// ← accumulate [2 4]
}
