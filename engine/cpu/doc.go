// Package cpu is the device that is always there, and the one the others are
// held against. Its results are defined here, bit by bit; everything else in
// the package is a faster way to the same bits.
//
// # The chain
//
// A product's cell (b, i, j) is a chain over the contraction index, in
// ascending order, that starts from +0:
//
//	s₀ = +0
//	separate:  sₖ₊₁ = round(round(aₖ·bₖ) + sₖ)     float64(a*b) + s
//	fused:     sₖ₊₁ = round(aₖ·bₖ + sₖ)            math.FMA(a, b, s)
//
// with aₖ = left[b, i, k] and bₖ = right[b, k, j]. Nothing is skipped: a zero
// times a NaN or an infinity is a NaN. Since the chain starts from +0, a cell
// whose products are all −0 is +0.
//
//	precision           operands rounded to   chain in   cell
//	float64             -                     float64    the last sum
//	float32             float32               float32    the last sum
//	float16, bfloat16   the format            float32    the last sum, rounded to the format
//
// Every rounding is to nearest, ties to even, from the exact value: a float64
// becomes a float16 in one step, not by way of float32. Subnormal numbers are
// kept, and what is too large for the format becomes an infinity.
//
// Two float16 values have a product that float32 holds, so in float16 both
// contracts give the same bits. In bfloat16 they differ only where a product
// leaves the range of float32.
//
// # Sums and means
//
// The sum of a group is its chain with a column of ones. Its mean divides the
// last sum by the number of elements K, both in the chain's type, and rounds to
// the format afterwards: the mean of many large float16 values is finite even
// where their sum, as a float16, is not.
//
// # Empty requests
//
// A contraction of no terms gives zeros, an output without cells nothing, the
// sum of an empty axis zero. The mean of an empty axis is a tensor.ShapeError.
//
// # NaN
//
// A cell that is a NaN is a NaN on every device and every tier, but its sign
// and payload are not part of the contract: processors choose them
// differently, even between two orders of the same operands. Any NaN equals any
// NaN where results are compared; every other value is compared in every bit,
// the sign of a zero included.
//
// # Speed
//
// Cells do not depend on each other, so many can be computed at once, in the
// lanes of vector registers and on several cores, as long as each keeps its own
// chain. Nothing is split along the contraction. TiersVariable names the ways
// there are; reference.go is the one that the others are tested against, on
// every tile's edge, in every layout and with special values.
package cpu
