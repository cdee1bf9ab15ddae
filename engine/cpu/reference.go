package cpu

import (
	"context"
	"math"

	"workbench/engine/device"
	"workbench/engine/scalar"
)

// reference is the product as the contract states it, and what every faster
// path is held to. It uses no other code of the package but the rounding of
// formats.
func reference(ctx context.Context, p product, a arithmetic) error {
	if a.precision == device.Float64 {
		return referenceFloat64(ctx, p, a.contract)
	}
	return referenceFloat32(ctx, p, a)
}

func referenceFloat64(ctx context.Context, p product, contract device.Contract) error {
	left, right := p.left, p.right
	// region:contraction
	for i := range p.m {
		if err := ctx.Err(); err != nil {
			return err
		}
		for j := range p.n {
			sum := 0.0
			for k := range p.k {
				a, b := left.at(i, k), right.at(k, j)
				if contract == device.Fused {
					sum = math.FMA(a, b, sum) // one rounding
				} else {
					sum = float64(a*b) + sum // the product is rounded, then the sum
				}
			}
			p.out[i*p.n+j] = sum
		}
	}
	// endregion:contraction
	return nil
}

func referenceFloat32(ctx context.Context, p product, a arithmetic) error {
	operand, result := a.operand(), a.result()
	for i := range p.m {
		if err := ctx.Err(); err != nil {
			return err
		}
		for j := range p.n {
			sum := float32(0)
			for k := range p.k {
				x, y := operand(p.left.at(i, k)), operand(p.right.at(k, j))
				if a.contract == device.Fused {
					sum = scalar.FMA32(x, y, sum)
				} else {
					sum = float32(x*y) + sum
				}
			}
			p.out[i*p.n+j] = result(sum)
		}
	}
	return nil
}
