package cpu

import (
	"context"

	"workbench/engine/device"
	"workbench/engine/dtype"
)

// arithmetic is how a chain is rounded: everything about a request that is not
// its shape.
type arithmetic struct {
	precision device.Precision
	contract  device.Contract
	divisor   int // of a mean; 0 for a product or a sum
}

// operand returns the rounding of an operand on its way into a chain that runs
// in float32. Both half formats are subsets of float32, so only the first
// rounding can change a value.
func (a arithmetic) operand() func(float64) float32 {
	switch a.precision {
	case device.Float16:
		return func(x float64) float32 { return float32(dtype.RoundFloat16(x)) }
	case device.BFloat16:
		return func(x float64) float32 { return float32(dtype.RoundBFloat16(x)) }
	}
	return func(x float64) float32 { return float32(x) }
}

// result returns what becomes of a float32 chain's last sum: divided for a
// mean, then rounded to the precision's format.
func (a arithmetic) result() func(float32) float64 {
	format := func(s float32) float64 { return float64(s) }
	switch a.precision {
	case device.Float16:
		format = func(s float32) float64 { return dtype.RoundFloat16(float64(s)) }
	case device.BFloat16:
		format = func(s float32) float64 { return dtype.RoundBFloat16(float64(s)) }
	}
	if a.divisor == 0 {
		return format
	}
	divisor := float32(a.divisor)
	return func(s float32) float64 { return format(s / divisor) }
}

// represented returns a copy of the matrix with its elements rounded to the half
// format. Kernels round to float32 while they pack, but rounding to a half costs
// more than a copy, and packing may read an element several times.
func (a arithmetic) represented(ctx context.Context, workers int, m matrix, rows, columns int) (matrix, error) {
	round := dtype.RoundFloat16
	if a.precision == device.BFloat16 {
		round = dtype.RoundBFloat16
	}
	out := matrix{data: make([]float64, rows*columns), row: columns, column: 1}
	err := parallelSpans(ctx, workers, len(out.data), func(first, last int) {
		for q := first; q < last; q++ {
			out.data[q] = round(m.at(q/columns, q%columns))
		}
	})
	return out, err
}
