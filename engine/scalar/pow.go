package scalar

import "math"

// Pow returns x^y. Special cases are those of the C standard (ISO/IEC 9899,
// annex F.10.4.4), in this order:
//
//	Pow(x, ±0) = 1 for any x
//	Pow(1, y) = 1 for any y
//	Pow(x, 1) = x for any x but NaN
//	Pow(NaN, y) = NaN
//	Pow(x, NaN) = NaN
//	Pow(±0, y) = ±Inf for y an odd integer < 0
//	Pow(±0, -Inf) = +Inf
//	Pow(±0, +Inf) = +0
//	Pow(±0, y) = +Inf for finite y < 0 and not an odd integer
//	Pow(±0, y) = ±0 for y an odd integer > 0
//	Pow(±0, y) = +0 for finite y > 0 and not an odd integer
//	Pow(-1, ±Inf) = 1
//	Pow(x, +Inf) = +Inf for |x| > 1
//	Pow(x, -Inf) = +0 for |x| > 1
//	Pow(x, +Inf) = +0 for |x| < 1
//	Pow(x, -Inf) = +Inf for |x| < 1
//	Pow(+Inf, y) = +Inf for y > 0
//	Pow(+Inf, y) = +0 for y < 0
//	Pow(-Inf, y) = Pow(-0, -y)
//	Pow(x, y) = NaN for finite x < 0 and finite non-integer y
func Pow(x, y float64) float64 {
	x, y = float64(x), float64(y)
	switch {
	case y == 0 || x == 1:
		return 1
	case x != x || y != y:
		return nan()
	case y == 1:
		return x
	}
	abs := math.Abs(x)
	var sign uint64
	if math.Signbit(x) {
		switch parity(y) {
		case odd:
			sign = 1 << 63
		case fractional:
			if abs != 0 && abs != math.Inf(1) {
				return nan()
			}
		}
	}
	return math.Float64frombits(math.Float64bits(powPositive(abs, y)) | sign)
}

// powPositive is Pow for x ≥ 0, neither being NaN and y not 0.
func powPositive(x, y float64) float64 {
	switch {
	case x == 1:
		return 1
	case x == 0 || x == math.Inf(1) || math.Abs(y) == math.Inf(1):
		if (x > 1) == (y > 0) {
			return math.Inf(1)
		}
		return 0
	}
	// A result needs |y·log x| < 746, and |log x| is at least 2^-53. So a larger
	// |y| over- or underflows, and a smaller one than 2^-65 gives 1: neither needs
	// a logarithm, and y's product below cannot overflow or lose bits.
	if math.Abs(y) >= 0x1p64 {
		if (x > 1) == (y > 0) {
			return math.Inf(1)
		}
		return 0
	}
	if math.Abs(y) < 0x1p-65 {
		return 1
	}
	hi, lo := logDouble(x)
	// y·(hi + lo) in two parts, the first exact: 26 bits times 26.
	top, yTop := head(hi), head(y)
	lo += hi - top
	eh := float64(yTop * top)
	el := float64((y-yTop)*top) + float64(y*lo)
	switch {
	case eh > 711:
		return math.Inf(1)
	case eh < -747:
		return 0
	}
	t, p, m := expParts(eh, el)
	return scale(t, p, m)
}

// logDouble returns log x as hi + lo, with an error below 2^-68 of it: y·log x is
// up to 2^9.5, an error in it is one of its exponential's relative error, and
// 2^-58 is a thirtieth of a last place. It is Log with r − r²/2 in two parts.
func logDouble(x float64) (hi, lo float64) {
	k, entry, rh, rl := logParts(x)
	w := float64(k*ln2Hi) + entry.hi
	hi = w + rh
	lo = (w - hi) + rh

	// r²/2 = top²/2 + (r − top)·(r + top)/2; the first is exact.
	top := head(rh)
	half := float64(-0.5 * top)
	sh := float64(half * top)
	sl := float64(float64(-0.5*(rh-top)) * (rh + top))
	sum := hi + sh
	lo += (hi - sum) + sh
	hi = sum

	cube := float64(float64(rh*rh) * rh)
	lo += float64(k*ln2Lo) + entry.lo + float64(rl*(1-rh)) + sl + float64(cube*log1pTail3(rh))
	sum = hi + lo
	return sum, (hi - sum) + lo
}

// log1pTail3 returns (log(1+r) − r + r²/2)/r³ for |r| < 2^-7 by its Taylor
// polynomial, whose first term left out, r⁷/10, is below 2^-52.
func log1pTail3(r float64) float64 {
	r2 := float64(r * r)
	low := 1.0/3 - float64(r*(1.0/4))
	middle := 1.0/5 - float64(r*(1.0/6))
	high := 1.0/7 - float64(r*(1.0/8)) + float64(r2*(1.0/9))
	return low + float64(r2*(middle+float64(r2*high)))
}

// Whether a finite y is an integer, and which.
const (
	fractional = iota
	even
	odd
)

func parity(y float64) int {
	abs := math.Abs(y)
	switch {
	case abs >= 0x1p53: // infinity too, as in the C standard
		return even
	case abs != math.Floor(abs):
		return fractional
	}
	return even + int(int64(abs)&1)
}
