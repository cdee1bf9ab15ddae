package conform

import (
	"math"
	"math/big"
	"math/bits"

	"workbench/engine/device"
	"workbench/engine/scalar"
)

// The bounds of what is not held to bits follow from the roundings that lie between
// the inputs and a result, as in Higham, "Accuracy and Stability of Numerical
// Algorithms", chapters 3 and 4. With u half the distance from 1 to the next number
// of the type, an operation is exact but for a factor 1 + δ, |δ| ≤ u, and k of them
// in a row for γ(k) = k·u / (1 − k·u).
//
// In a sum each term goes through as many roundings as there are additions between
// it and the result: those of one lane or thread, and one for each step that
// combines them.

// unit returns u.
func unit(p device.Precision) float64 {
	if p == device.Float32 {
		return 0x1p-24
	}
	return 0x1p-53
}

// gamma returns γ(k).
func gamma(p device.Precision, k float64) float64 {
	ku := float64(k * unit(p))
	return ku / (1 - ku)
}

// smallest returns the smallest positive number of the type: below its normal
// numbers an operation is off by half of it, whatever its size.
func smallest(p device.Precision) float64 {
	if p == device.Float32 {
		return 0x1p-149
	}
	return 0x1p-1074
}

// ofWarp is how many additions a term of a row goes through at most: those of a
// lane, which has every 32nd column, and five that combine the lanes.
func ofWarp(columns int) float64 { return math.Ceil(float64(columns)/32) + 5 }

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

// exponentialULP is the error of CUDA's exp and expf, in the last place of their
// results (CUDA C++ Programming Guide, mathematical functions: 1; older editions
// say 2), and more than that of engine/scalar.
const exponentialULP = 2

// softmaxRow returns the softmax of a row and the bound of each element.
//
// With t = x − max rounded, an exponential is off by the factor exp(|t|·u) of that
// rounding and by the function's own error, exponentialULP last places of at most
// 2u each: η = (|t| + 2·exponentialULP)·u. The sum weighs the η of its terms by
// their shares, which are the results, and adds its roundings; the quotient adds
// one. The reference is computed in the same way in float64, so its own error is of
// the same form.
func softmaxRow(p device.Precision, row []float64) (want, bound []float64) {
	largest := math.Inf(-1)
	for _, x := range row {
		if math.IsNaN(x) {
			largest = x
			break
		}
		largest = max(largest, x)
	}
	want, bound = make([]float64, len(row)), make([]float64, len(row))
	sum := 0.0
	for i, x := range row {
		want[i] = scalar.Exp(x - largest)
		sum += want[i]
	}
	share := 0.0 // Σ y·(|t| + 2·exponentialULP)
	off := func(x float64) float64 { return max(x-largest, largest-x) + 2*exponentialULP }
	for i, x := range row {
		want[i] /= sum
		if want[i] > 0 {
			share += float64(want[i] * off(x))
		}
	}
	for i, x := range row {
		if want[i] == 0 && !(off(x) < math.Inf(1)) {
			continue // exp(−∞) is 0, to the bit
		}
		own := float64(want[i] * gamma(p, off(x)+share+ofWarp(len(row))+2))
		reference := float64(want[i] * gamma(device.Float64, off(x)+share+float64(len(row))+2))
		bound[i] = own + reference + 4*smallest(p)
	}
	return want, bound
}

// rmsnormRow returns a row divided by the root of the mean of its squares plus
// epsilon, times gain, and the bound of each element.
//
// The sum of squares has a rounding for the square and ofWarp for the additions, and
// all its terms are positive; the division of the mean and the addition of epsilon
// add two. The root halves all of these and adds one, and so do the reciprocal and
// the two products.
func rmsnormRow(p device.Precision, row, gain []float64, epsilon float64) (want, bound []float64) {
	sum := exact(func(yield func(*big.Float) bool) {
		for _, x := range row {
			yield(product(x, x))
		}
	})
	scale := 1 / math.Sqrt(sum/float64(len(row))+p.Round(epsilon))
	roundings := (ofWarp(len(row))+3)/2 + 4
	want, bound = make([]float64, len(row)), make([]float64, len(row))
	for i, x := range row {
		want[i] = float64(x*scale) * gain[i]
		bound[i] = float64(math.Abs(want[i])*(gamma(p, roundings)+gamma(device.Float64, 6))) + 4*smallest(p)
	}
	return want, bound
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
