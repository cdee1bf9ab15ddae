package compare

import (
	"fmt"
	"math"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// Gamma returns γ(k) = k·u / (1 − k·u), the relative error of k roundings in a
// row with unit roundoff u, half the distance from 1 to the next number: 2^-53
// in float64, 2^-24 in float32. A sum of k products, added in any order and
// fused or not, differs from the exact one by at most γ(k)·Σ|a||b|, unless a
// product underflows (Higham, Accuracy and Stability of Numerical Algorithms,
// 2nd edition, 2002, §3.1: lemma 3.1 and equation 3.5).
//
// The result is rounded up, so that it is a bound itself. It is +Inf where
// k·u ≥ 1: then there is no bound.
func Gamma(k int, unit float64) float64 {
	if k <= 0 {
		return 0
	}
	// For a unit that is a power of two the product is exact.
	ku := float64(float64(k) * unit)
	if ku >= 1 {
		return math.Inf(1)
	}
	// The difference and the quotient round once each, by less than a step of
	// the quotient together with a step of the divisor.
	return math.Nextafter(ku/math.Nextafter(1-ku, 0), math.Inf(1))
}

// arithmetic is how a precision rounds.
type arithmetic struct {
	operand func(float64) float64
	unit    float64 // unit roundoff of the accumulation
	tiny    float64 // the most by which a step of it errs when it underflows

	// The same of the format the result is rounded to at the end; zero where it
	// is the accumulator's.
	resultUnit, resultTiny float64
}

const (
	unit64 = 0x1p-53
	unit32 = 0x1p-24
)

func arithmeticOf(p device.Precision) arithmetic {
	switch p {
	case device.Float64:
		// Half of the smallest float64 is no float64: this is the whole.
		return arithmetic{operand: p.Rounding(), unit: unit64, tiny: 0x1p-1074}
	case device.Float32:
		return arithmetic{operand: p.Rounding(), unit: unit32, tiny: 0x1p-150}
	case device.Float16:
		return arithmetic{operand: p.Rounding(), unit: unit32, tiny: 0x1p-150, resultUnit: 0x1p-11, resultTiny: 0x1p-25}
	case device.BFloat16:
		return arithmetic{operand: p.Rounding(), unit: unit32, tiny: 0x1p-150, resultUnit: 0x1p-8, resultTiny: 0x1p-134}
	}
	panic(fmt.Sprintf("BUG: no bounds for %v", p))
}

// bound returns the most by which a computed value can differ from the exact
// one, given the sum of its terms' magnitudes and the number of roundings that
// a term goes through.
func (a arithmetic) bound(magnitude float64, roundings int) float64 {
	if roundings == 0 {
		return 0 // the empty sum is an exact zero
	}
	gamma := Gamma(roundings, a.unit)
	err := float64(gamma*magnitude) + float64(float64(roundings)*a.tiny*(1+gamma))
	if a.resultUnit != 0 {
		err += float64(a.resultUnit*(magnitude+err)) + a.resultTiny
	}
	// The magnitude and this formula were themselves computed in float64, which
	// may have made them too small.
	return math.Nextafter(err*(1+Gamma(roundings+8, unit64)), math.Inf(1))
}

// ProductBounds returns for each output cell, row-major, the most by which a
// product computed in a precision differs from another value of the cell, in
// whatever order and under whichever contract it was computed: one side's error
// where the other is exact, or both sides' where both were computed in the
// precision. The operands are the plan's, rounded to the format as a device
// rounds them. Sides is 1 or 2. A result or a running sum that overflows its
// format has no bound, and fails a comparison by being infinite.
func ProductBounds(plan *tensor.MatmulPlan, p device.Precision, sides int) []float64 {
	a := arithmeticOf(p)
	left, right := plan.PackLeft(), plan.PackRight()
	for _, operands := range [][]float64{left, right} {
		for i, x := range operands {
			operands[i] = math.Abs(a.operand(x))
		}
	}
	out := make([]float64, plan.B*plan.M*plan.N)
	for b := range plan.B {
		for i := range plan.M {
			row := left[(b*plan.M+i)*plan.K:][:plan.K]
			for j := range plan.N {
				magnitude := 0.0
				for k, x := range row {
					magnitude += float64(x * right[(b*plan.K+k)*plan.N+j])
				}
				out[plan.Flat(b, i, j)] = float64(sides) * a.bound(magnitude, plan.K)
			}
		}
	}
	return out
}

// ReductionBounds does for a sum or mean what ProductBounds does for a product.
// A mean may divide the sum or scale it by a rounded 1/K: two roundings more. The
// axis of a mean is not empty.
func ReductionBounds(plan *tensor.AxisPlan, op device.ReduceOp, p device.Precision, sides int) []float64 {
	a := arithmeticOf(p)
	groups := plan.Pack()
	out := make([]float64, plan.G)
	for g := range out {
		magnitude := 0.0
		for _, x := range groups[g*plan.K:][:plan.K] {
			magnitude += math.Abs(a.operand(x))
		}
		roundings := plan.K
		if op == device.Mean {
			magnitude /= float64(plan.K)
			roundings += 2
		}
		out[g] = float64(sides) * a.bound(magnitude, roundings)
	}
	return out
}
