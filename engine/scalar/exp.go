package scalar

import "math"

// The method of Exp, Exp2 and the last half of Pow is Tang's (P. T. P. Tang,
// "Table-driven implementation of the exponential function in IEEE
// floating-point arithmetic", ACM TOMS 15(2), 1989):
//
//	x = (128·m + j)·ln2/128 + r      |r| ≤ ln2/256, a little more after rounding
//	eˣ = 2^m · 2^(j/128) · (1 + p)   p = e^r − 1, a short Taylor polynomial
//
// with 2^(j/128) = hi + lo from a table. Since |p| < 2^-8, the roundings of p
// and of its product with the table value are 2^-8 of the last place each, and
// the one rounding that counts is that of the last addition.
const (
	steps     = 128 // table entries in a factor of two
	stepsLog2 = 7

	// toInteger = 1.5·2^52: adding it to |x| < 2^51 rounds x to an integer, which
	// then stands in the low bits of the sum.
	toInteger = 0x1.8p52

	stepsPerE = 0x1.71547652b82fep+7 // 128/ln2
	// ln2/128 in two parts. The first has 29 significant bits, so that its product
	// with an integer below 2^18 is exact (W. J. Cody and W. Waite, "Software
	// Manual for the Elementary Functions", 1980).
	ln2StepHi = 0x1.62e42ffp-8
	ln2StepLo = -0x1.718432a1b0e26p-42
)

// Exp returns e^x. Special cases are:
//
//	Exp(+Inf) = +Inf
//	Exp(-Inf) = 0
//	Exp(NaN) = NaN
//
// Above 709.7827 the result is +Inf, below -745.1332 it is 0.
func Exp(x float64) float64 {
	x = float64(x)
	switch {
	case x != x:
		return nan()
	case x > 710:
		return math.Inf(1)
	case x < -746:
		return 0
	}
	t, p, m := expParts(x, 0)
	return scale(t, p, m)
}

// Exp2 returns 2^x, exactly where x is an integer. Special cases are those of
// Exp; from 1024 on the result is +Inf, at -1075 and below it is 0.
func Exp2(x float64) float64 {
	x = float64(x)
	switch {
	case x != x:
		return nan()
	case x >= 1024:
		return math.Inf(1)
	case x <= -1075:
		return 0
	}
	// x·128 and the difference from its integer are exact.
	n := float64(x*steps) + toInteger
	k := int(int32(math.Float64bits(n)))
	d := x - float64((n-toInteger)*(1.0/steps))
	entry := &exp2Table[k&(steps-1)]
	p := float64(entry.hi * expm1(float64(d*math.Ln2)))
	return scale(entry.hi, entry.lo+p, k>>stepsLog2)
}

// expParts returns e^(hi+lo) as (t + p)·2^m, where t in [1, 2) is a table value
// and |p| < 2^-7: t + p has an error below 2^-60. |hi| ≤ 1100 and |lo| < 2^-8.
func expParts(hi, lo float64) (t, p float64, m int) {
	n := float64(hi*stepsPerE) + toInteger
	k := int(int32(math.Float64bits(n)))
	n -= toInteger
	r := hi - float64(n*ln2StepHi) - float64(n*ln2StepLo) + lo
	entry := &exp2Table[k&(steps-1)]
	return entry.hi, entry.lo + float64(entry.hi*expm1(r)), k >> stepsLog2
}

// expm1 returns e^r − 1 for |r| < 2^-8 by its Taylor polynomial, whose first
// term left out, r⁷/5040, is below 2^-68.
func expm1(r float64) float64 {
	q := float64(r*(1.0/720)) + 1.0/120
	q = float64(r*q) + 1.0/24
	q = float64(r*q) + 1.0/6
	q = float64(r*q) + 1.0/2
	return r + float64(float64(r*r)*q)
}

// scale returns (t + p)·2^m rounded once, also to a subnormal number. t in [1, 2)
// and |p| < 2^-7.
func scale(t, p float64, m int) float64 {
	y := t + p
	pattern := math.Float64bits(y)
	exponent := int(pattern>>52) + m
	if 0 < exponent && exponent < 0x7ff {
		return math.Float64frombits(pattern + uint64(m)<<52)
	}
	if exponent > 0 {
		return math.Inf(1)
	}
	// y has drop more bits than the subnormal result has room for. What y's own
	// rounding left out decides where those bits say "the middle".
	rest := (t - y) + p
	drop := uint(1 - exponent)
	if drop > 53 {
		return 0 // below half the smallest subnormal number
	}
	significand := pattern&(1<<52-1) | 1<<52
	kept, cut, half := significand>>drop, significand&(1<<drop-1), uint64(1)<<(drop-1)
	if cut > half || cut == half && (rest > 0 || rest == 0 && kept&1 == 1) {
		kept++
	}
	return math.Float64frombits(kept)
}

// nan returns the one NaN that every function of this package gives, whichever
// NaN or invalid operation it comes from: processors disagree on the sign and
// the payload of the NaNs that they make.
func nan() float64 { return math.Float64frombits(0x7ff8000000000001) }
