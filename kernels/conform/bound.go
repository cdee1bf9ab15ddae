package conform

import (
	"math"
	"math/big"
	"math/bits"

	"workbench/engine/compare"
	"workbench/engine/device"
)

// The bounds of what is not held to bits follow from the roundings that lie between
// the inputs and a result, as in Higham, "Accuracy and Stability of Numerical
// Algorithms", chapters 3 and 4. With u half the distance from 1 to the next number
// of the type, an operation is exact but for a factor 1 + δ, |δ| ≤ u, and k of them
// in a row for γ(k) = k·u / (1 − k·u).
//
// In a sum each term goes through as many roundings as there are additions between
// it and the result: those of one lane or thread, and one for each step that
// combines them. Those of a row are in package compare.

// unit returns u.
func unit(p device.Precision) float64 {
	if p == device.Float32 {
		return 0x1p-24
	}
	return 0x1p-53
}

// gamma returns γ(k).
func gamma(p device.Precision, k float64) float64 { return compare.Gamma(int(math.Ceil(k)), unit(p)) }

// smallest returns the smallest positive number of the type: below its normal
// numbers an operation is off by half of it, whatever its size.
func smallest(p device.Precision) float64 {
	if p == device.Float32 {
		return 0x1p-149
	}
	return 0x1p-1074
}

// ofWarp is how a row's kernel rounds. A term of a sum goes through the additions of a
// lane, which has every 32nd column, and five that combine the lanes; root and
// reciprocal round once each.
func ofWarp(columns int) compare.Rounded {
	return compare.Rounded{Additions: math.Ceil(float64(columns)/32) + 5, Root: 2}
}

// exact adds terms without rounding: to 600 bits, where all that is added here
// fits.
func exact(terms func(yield func(x *big.Float) bool)) float64 {
	sum := new(big.Float).SetPrec(600)
	terms(func(x *big.Float) bool {
		sum.Add(sum, x)
		return true
	})
	out, _ := sum.Float64()
	return out
}

// product returns x·y without rounding.
func product(x, y float64) *big.Float {
	return new(big.Float).SetPrec(600).Mul(big.NewFloat(x), big.NewFloat(y))
}

// sumOfSquares returns the sum of the squares of x, and the bound of what threads
// and blocks make of it: a rounding for the square, those of one thread's additions
// and of the steps that combine a block's threads, and in float64 those of adding
// the partial sums up. All terms are positive.
func sumOfSquares(p device.Precision, x []float64, blocks, threads int) (want, bound float64) {
	want = exact(func(yield func(*big.Float) bool) {
		for _, v := range x {
			yield(product(v, v))
		}
	})
	each := math.Ceil(float64(len(x)) / float64(blocks*threads))
	steps := float64(bits.Len(uint(threads - 1))) // halving
	return want, float64(want*(gamma(p, 1+each+steps)+gamma(device.Float64, float64(blocks+1)))) + float64(float64(len(x))*smallest(p))
}

// inAnyOrder is the bound of a sum of n terms whose order is nobody's: each goes
// through n − 1 additions at most.
func inAnyOrder(p device.Precision, terms []float64) float64 {
	magnitude := 0.0
	for _, x := range terms {
		magnitude += math.Abs(x)
	}
	return float64(magnitude * gamma(p, float64(len(terms)))) // one more, for magnitude itself
}

// exactSum adds numbers up without rounding.
func exactSum(terms []float64) float64 {
	return exact(func(yield func(*big.Float) bool) {
		for _, x := range terms {
			yield(big.NewFloat(x))
		}
	})
}
