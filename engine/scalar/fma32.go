package scalar

import "math"

// FMA32 returns a·b + c rounded once to float32, as a fused multiply-add
// instruction of single precision does (IEEE 754-2019 §5.4.1), subnormal results,
// overflow and signed zeros included. Every NaN result is the same quiet NaN.
//
// float32(math.FMA(…)) of the same values is not this: it rounds twice.
func FMA32(a, b, c float32) float32 {
	// 24 bits times 24 fit into a float64's 53, and the exponents are far from its
	// limits: the product is exact. The sum is rounded to odd: if it is inexact,
	// to that neighbour whose last bit is 1. Such a number rounds to float32 as
	// the exact sum does, since it has at least two bits more (S. Boldo and
	// G. Melquiond, "Emulation of a FMA and correctly rounded sums: proved
	// algorithms using rounding to odd", IEEE ToC 57(4), 2008).
	product, addend := float64(float64(a)*float64(b)), float64(c)
	sum := product + addend
	if sum != sum {
		return math.Float32frombits(0x7fc00000)
	}
	// What the addition lost, exactly (D. E. Knuth, TAOCP 2, §4.2.2, theorem B).
	// Of an infinite sum it is NaN, which compares as not lost.
	part := sum - product
	lost := (product - (sum - part)) + (addend - part)
	pattern := math.Float64bits(sum)
	if pattern&1 == 0 && (lost < 0 || lost > 0) {
		if (lost > 0) == (sum > 0) {
			pattern++
		} else {
			pattern--
		}
	}
	return float32(math.Float64frombits(pattern))
}
