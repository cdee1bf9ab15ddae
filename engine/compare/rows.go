package compare

import (
	"math"

	"workbench/engine/device"
	"workbench/engine/scalar"
)

// Rounded is how often what computes a row may round.
type Rounded struct {
	// Additions that a term of a sum goes through at most: of n terms in an order
	// that nobody knows n−1 (Higham 2002, §4.2), and fewer where several threads add
	// a part each.
	Additions float64

	// Of a root and a reciprocal together, in units of roundoff: 2 where each rounds
	// once.
	Root float64
}

// InAnyOrder is Rounded of whatever computes a row of n: its root and its reciprocal
// are CUDA's, or one function for both.
func InAnyOrder(n int) Rounded {
	return Rounded{Additions: float64(max(n-1, 0)), Root: 2 * functionRoundings}
}

// An elementary function of CUDA's errs by two units in the last place at most (CUDA
// C++ Programming Guide, mathematical functions: exp and expf by 1 or 2, as the edition
// says), and engine/scalar by less. A unit is at most two of roundoff.
const functionRoundings = 2 * 2

// SoftmaxRow returns exp(x − max) / Σ exp(x − max) of a row, and by how much each
// element may be off that is computed in p.
//
// With t = x − max rounded, an exponential is off by the factor exp(|t|·u) of that
// rounding and by the function's own error, functionRoundings: η = (|t| + that)·u. The
// sum weighs the η of its terms by their shares, which are the results, and adds
// its roundings; the quotient adds one, and p's format one where it is narrower than
// the sum's. What is returned is computed in the same way in float64, so its own
// error has the same form.
func SoftmaxRow(p device.Precision, row []float64, r Rounded) (want, bound []float64) {
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
	off := func(x float64) float64 { return math.Abs(x-largest) + functionRoundings }
	share := 0.0 // Σ y·η/u
	for i, x := range row {
		want[i] /= sum
		if want[i] > 0 {
			share += float64(want[i] * off(x))
		}
	}
	for i, x := range row {
		if want[i] == 0 && math.IsInf(x-largest, -1) {
			continue // exp(−∞) is 0, to the bit
		}
		bound[i] = rowBound(p, want[i], off(x)+share+r.Additions+2, off(x)+share+float64(len(row))+2)
	}
	return want, bound
}

// RMSNormRow returns x / √(mean of x² + epsilon) · gain of a row, and by how much each
// element may be off that is computed in p.
//
// The sum of the squares, all of which are positive, has a rounding for the square
// and r.Additions; the division by their number and the addition of epsilon, which is
// one of p's numbers, add two. The root halves all of these and adds its own, as the
// reciprocal does; two products follow. What is returned has the sum in twice the
// precision of float64, and rounds where else it must.
func RMSNormRow(p device.Precision, row, gain []float64, epsilon float64, r Rounded) (want, bound []float64) {
	scale := 1 / math.Sqrt(sumOfSquares(row)/float64(len(row))+p.Round(epsilon))
	want, bound = make([]float64, len(row)), make([]float64, len(row))
	for i, x := range row {
		want[i] = float64(x*scale) * gain[i]
		bound[i] = rowBound(p, want[i], (1+r.Additions+2)/2+r.Root+2, 8)
	}
	return want, bound
}

// rowBound is the bound of an element that went through some roundings, and whose
// reference went through others, in float64. Where both are in its subnormal numbers
// a few operations may be off by a step.
func rowBound(p device.Precision, want, roundings, reference float64) float64 {
	a := arithmeticOf(p)
	bound := float64(8 * a.tiny)
	if want != 0 {
		bound += float64(math.Abs(want) * (gamma(roundings, a.unit) + gamma(reference, unit64)))
	}
	if a.resultUnit != 0 {
		bound += float64((math.Abs(want)+bound)*a.resultUnit) + a.resultTiny
	}
	return bound
}

// gamma is Gamma of a number of roundings that need not be whole.
func gamma(k, unit float64) float64 {
	if !(k < 1<<53) {
		return math.Inf(1)
	}
	return Gamma(int(math.Ceil(k)), unit)
}

// sumOfSquares adds squares up as if in twice the precision, and rounds the sum: what
// each square and each addition rounds away is added up beside (Ogita, Rump and Oishi
// 2005, algorithm 5.3).
func sumOfSquares(row []float64) float64 {
	sum, rest := 0.0, 0.0
	for _, x := range row {
		square := float64(x * x)
		low := math.FMA(x, x, -square)
		next := sum + square
		added := next - sum
		lost := (sum - (next - added)) + (square - added)
		sum = next
		rest += low + lost
	}
	if math.IsInf(sum, 0) || math.IsNaN(sum) {
		return sum // what was lost is no number
	}
	return sum + rest
}
