package cpu

import (
	"fmt"
	"math"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// Explain computes one cell of a product again and keeps every value of its
// chain. Left and right are the cell's K operands in contraction order; a
// different number of them is a *tensor.ShapeError.
func (d *Device) Explain(p device.Precision, left, right []float64) (device.Chain, error) {
	if d.closed.Load() {
		return device.Chain{}, fmt.Errorf("explain: %w", &device.ClosedError{Spec: d.spec})
	}
	if p > device.BFloat16 {
		return device.Chain{}, fmt.Errorf("explain: %s is not a precision: use one of device.Precisions", p)
	}
	if len(left) != len(right) {
		return device.Chain{}, &tensor.ShapeError{Op: "explain", Left: []int{len(left)}, Right: []int{len(right)}, Reason: "a cell has as many left as right operands"}
	}
	chain := device.Chain{
		Device: d.spec, Precision: p,
		Left: make([]float64, len(left)), Right: make([]float64, len(left)),
		Products: make([]float64, len(left)), Sums: make([]float64, len(left)),
	}
	fused := d.spec.Contract == device.Fused
	if p == device.Float64 {
		sum := 0.0
		for k := range left {
			a, b := left[k], right[k]
			product := float64(a * b)
			if fused {
				sum = math.FMA(a, b, sum)
			} else {
				sum = product + sum
			}
			chain.Left[k], chain.Right[k], chain.Products[k], chain.Sums[k] = a, b, product, sum
		}
		chain.Result = sum
		return chain, nil
	}
	arithmetic := arithmetic{precision: p, contract: d.spec.Contract}
	operand := arithmetic.operand()
	sum := float32(0)
	for k := range left {
		a, b := operand(left[k]), operand(right[k])
		product := float32(a * b)
		if fused {
			sum = fma32(a, b, sum)
		} else {
			sum = product + sum
		}
		chain.Left[k], chain.Right[k], chain.Products[k], chain.Sums[k] = float64(a), float64(b), float64(product), float64(sum)
	}
	chain.Result = arithmetic.result()(sum)
	return chain, nil
}
