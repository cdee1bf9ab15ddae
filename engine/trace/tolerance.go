package trace

import (
	"fmt"

	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/engine/tensor"
)

// toleranceOf fixes the criterion of what a model computes, before anything is
// run.
func toleranceOf(a, b device.Spec, p device.Precision) compare.Tolerance {
	switch {
	case sameChain(a, b):
		return compare.Exact("both devices add in the same order under the contract " + a.Contract.String() + ", so every bit agrees")
	case p == device.Float64:
		return compare.Float64()
	}
	return composed(p)
}

// sameChain reports whether both devices carry out the same operations in the
// same order. A library's order is its own.
func sameChain(a, b device.Spec) bool { return a.Contract == b.Contract && !a.Library && !b.Library }

// made says how two devices compute, and what follows for the bits.
func made(reference, candidate device.Device, p device.Precision) *compare.Made {
	maker := func(d device.Device) compare.Maker {
		return compare.Maker{Name: device.NameOf(d), Contract: d.Spec().Contract.String(), Library: d.Spec().Library}
	}
	return &compare.Made{
		Precision: p.String(), Reference: maker(reference), Candidate: maker(candidate),
		Bits: bitsOf(reference.Spec(), candidate.Spec()),
	}
}

// bitsOf says why the bits of two devices may differ, or why none may.
func bitsOf(a, b device.Spec) string {
	how := func(s device.Spec) string {
		if s.Contract == device.Fused {
			return "rounds once, after the addition (fused)"
		}
		return "rounds each product before it adds it (separate)"
	}
	library := func(s device.Spec) string {
		return fmt.Sprintf("behind %s %s, and %s", s, ownOrder, ownMean)
	}
	switch {
	case sameChain(a, b):
		return "no bit may differ: each side adds the products of a cell in ascending order and " + how(a)
	case a.Library && b.Library:
		return "last bits may differ: both leave the order of a cell's additions to cuBLAS, which may choose another on another GPU"
	case a.Library && b.Contract == a.Contract:
		return "last bits may differ: " + library(a)
	case b.Library && b.Contract == a.Contract:
		return "last bits may differ: " + library(b)
	}
	reason := fmt.Sprintf("last bits may differ: %s %s, %s %s", a, how(a), b, how(b))
	switch {
	case a.Library:
		reason += "; " + library(a)
	case b.Library:
		reason += "; " + library(b)
	}
	return reason
}

// composed is the tolerance of logits, loss and gradients in a precision below
// float64. One product has an a-priori bound; what hundreds of them, exponentials
// and norms make of its error has none that is of use. So this is a number of
// rounding units that was measured, with a margin: five models of 2 to 16 blocks
// with 25 seeds each, the separate contract against the fused one and against
// fused sums in reverse order. The worst was 1557 units of float32, 5 of float16
// and 3 of bfloat16, whose operands are rounded far more coarsely than their
// sums.
func composed(p device.Precision) compare.Tolerance {
	units, unit := 0, 0.0
	switch p {
	case device.Float32:
		units, unit = 4096, 0x1p-24
	case device.Float16:
		units, unit = 16, 0x1p-11
	case device.BFloat16:
		units, unit = 16, 0x1p-8
	default:
		panic(fmt.Sprintf("BUG: no tolerance for %v", p))
	}
	allowed := tensor.Number(float64(units) * unit)
	return compare.Tolerance{
		Absolute: allowed, Relative: allowed,
		Source: fmt.Sprintf("%d units of roundoff of %s, measured and not derived: about three times the worst of 125 small models between contracts and orders; the one product and reductions have their own bound, γ(K)·Σ|a||b| (Higham 2002, §3.1)", units, p),
	}
}

// tinyBounds returns the bounds of matrix, sums and means where both sides
// computed them in a precision below float64 and not by the same chain, and none
// otherwise.
func tinyBounds(a, b device.Spec, p device.Precision) (matrix, sums, means []float64) {
	if p == device.Float64 || sameChain(a, b) {
		return nil, nil, nil
	}
	product, sum, mean := tiny(p)
	plan, err := product.Plan()
	if err != nil {
		panic("BUG: " + err.Error())
	}
	reduction := func(r device.Reduction) []float64 {
		plan, err := r.Plan()
		if err != nil {
			panic("BUG: " + err.Error())
		}
		return compare.ReductionBounds(plan, r.Op, p, 2)
	}
	return compare.ProductBounds(plan, p, 2), reduction(sum), reduction(mean)
}
