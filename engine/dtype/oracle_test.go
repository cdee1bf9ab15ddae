package dtype

import (
	"math"
	"math/big"
)

// oracle is the slow, obviously right way: the pattern of the value of f nearest
// to x, found by searching the format's patterns with exact rational arithmetic.
// Positive patterns ascend with their value, so that the search can halve.
func (f format) oracle(x float64) uint16 {
	width := f.exponent + f.fraction
	infinity := uint16(1<<f.exponent-1) << f.fraction
	sign := uint16(0)
	if math.Signbit(x) {
		sign = 1 << width
	}
	abs := math.Abs(x)
	if math.IsInf(abs, 1) {
		return sign | infinity
	}
	want := new(big.Rat).SetFloat64(abs)
	// below is the largest pattern whose value is not above want.
	below, above := uint16(0), infinity
	for above-below > 1 {
		middle := below + (above-below)/2
		if f.rational(middle).Cmp(want) <= 0 {
			below = middle
		} else {
			above = middle
		}
	}
	// The infinity takes the place of the power of two that would follow, in
	// the midpoint as everywhere (IEEE 754-2019 §4.3.1).
	midpoint := new(big.Rat).Add(f.rational(below), f.rational(below+1))
	midpoint.Quo(midpoint, big.NewRat(2, 1))
	switch want.Cmp(midpoint) {
	case -1:
		return sign | below
	case 1:
		return sign | (below + 1)
	default:
		return sign | (below + below&1)
	}
}

// rational is the value of a positive pattern by the definition of the format,
// with the pattern of the infinity read as the power of two it stands for.
func (f format) rational(pattern uint16) *big.Rat {
	exponent := int(pattern >> f.fraction)
	significand := int64(pattern & (1<<f.fraction - 1))
	if exponent == 0 {
		exponent = 1
	} else {
		significand += 1 << f.fraction
	}
	power := exponent - (1<<(f.exponent-1) - 1) - int(f.fraction)
	value := new(big.Rat).SetInt64(significand)
	scale := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(power, -power))))
	if power < 0 {
		return value.Quo(value, scale)
	}
	return value.Mul(value, scale)
}
