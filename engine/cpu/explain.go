package cpu

import (
	"context"
	"fmt"
	"math"

	"workbench/engine/device"
	"workbench/engine/scalar"
	"workbench/engine/tensor"
)

// Explain computes one cell of a product again and keeps every value of its
// chain. Left and right are the cell's K operands in contraction order; a
// different number of them is a *tensor.ShapeError, and a context that is done its
// error.
func (d *Device) Explain(ctx context.Context, p device.Precision, left, right []float64) (device.Chain, error) {
	return d.explain(ctx, p, left, right, 0)
}

// ExplainMean computes the mean of one group again: the chain of its sum, whose
// right operands are ones, and a Result divided as Reduce divides.
func (d *Device) ExplainMean(ctx context.Context, p device.Precision, values []float64) (device.Chain, error) {
	if len(values) == 0 {
		return device.Chain{}, &tensor.ShapeError{Op: "explain mean", Left: []int{0}, Reason: "a mean of nothing is undefined"}
	}
	column := make([]float64, len(values))
	for k := range column {
		column[k] = 1
	}
	return d.explain(ctx, p, values, column, len(values))
}

// explain writes out a chain. A divisor of 0 leaves its sum undivided.
func (d *Device) explain(ctx context.Context, p device.Precision, left, right []float64, divisor int) (device.Chain, error) {
	if err := d.admit(ctx, p); err != nil {
		return device.Chain{}, fmt.Errorf("explain: %w", err)
	}
	if len(left) != len(right) {
		return device.Chain{}, &tensor.ShapeError{Op: "explain", Left: []int{len(left)}, Right: []int{len(right)}, Reason: "a cell has as many left as right operands"}
	}
	chain := device.Chain{
		Device: d.spec, Precision: p,
		Left: make([]float64, len(left)), Right: make([]float64, len(left)),
		Products: make([]float64, len(left)), Sums: make([]float64, len(left)),
	}
	arithmetic := arithmetic{precision: p, contract: d.spec.Contract, divisor: divisor}
	fused := d.spec.Contract == device.Fused
	if p == device.Float64 {
		sum := 0.0
		for k := range left {
			if err := look(ctx, k); err != nil {
				return device.Chain{}, err
			}
			a, b := left[k], right[k]
			product := float64(a * b)
			if fused {
				sum = math.FMA(a, b, sum)
			} else {
				sum = product + sum
			}
			chain.Left[k], chain.Right[k], chain.Products[k], chain.Sums[k] = a, b, product, sum
		}
		chain.Result = quotient(arithmetic, sum)
		return chain, nil
	}
	operand := arithmetic.operand()
	sum := float32(0)
	for k := range left {
		if err := look(ctx, k); err != nil {
			return device.Chain{}, err
		}
		a, b := operand(left[k]), operand(right[k])
		product := float32(a * b)
		if fused {
			sum = scalar.FMA32(a, b, sum)
		} else {
			sum = product + sum
		}
		chain.Left[k], chain.Right[k], chain.Products[k], chain.Sums[k] = float64(a), float64(b), float64(product), float64(sum)
	}
	chain.Result = arithmetic.result()(sum)
	return chain, nil
}

// look returns the error of a context that is done, at one term in 65536.
func look(ctx context.Context, k int) error {
	if k%(1<<16) != 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("explain: %w", err)
	}
	return nil
}
