package scalar

import "math"

// The method of Sin and Cos: x = n·π/2 + r with |r| ≤ π/4 (reduce.go), then by
// table (P. T. P. Tang, "Table-lookup algorithms for elementary functions and
// their error analysis", ARITH 10, 1991)
//
//	|r| = c + d      c = j/128, |d| ≤ 2^-8
//	sin r = S + (C·sin d − S·(1 − cos d))      S = sin c, C = cos c
//	cos r = C − (S·sin d + C·(1 − cos d))
//
// with S and C in two parts each and Taylor polynomials in d. Below 3/16 the sine
// is too small for the table's absolute error, and its own Taylor polynomial in r
// does instead: at 3/16 both err about as much.

// Sin returns the sine of x in radians. Special cases are:
//
//	Sin(±0) = ±0
//	Sin(±Inf) = NaN
//	Sin(NaN) = NaN
func Sin(x float64) float64 {
	x = float64(x)
	if math.Abs(x) < 0x1p-27 {
		return x // x³/6 is below a quarter of the last place
	}
	if !(math.Abs(x) < math.Inf(1)) {
		return nan()
	}
	n, hi, lo := reduce(x)
	return quadrant(n, hi, lo)
}

// Cos returns the cosine of x in radians. Special cases are:
//
//	Cos(±Inf) = NaN
//	Cos(NaN) = NaN
func Cos(x float64) float64 {
	x = float64(x)
	if !(math.Abs(x) < math.Inf(1)) {
		return nan()
	}
	n, hi, lo := reduce(x)
	return quadrant(n+1, hi, lo)
}

// quadrant returns sin(n·π/2 + hi + lo). Signs are moved as bits: as branches they
// would be guessed wrong half the time.
func quadrant(n int, hi, lo float64) float64 {
	sign := math.Float64bits(hi) & signBit
	hi, lo = flip(hi, sign), flip(lo, sign)
	half := uint64(n) >> 1 << 63
	if n&1 == 0 {
		return flip(sinReduced(hi, lo), sign^half)
	}
	return flip(cosReduced(hi, lo), half)
}

const signBit = 1 << 63

// flip returns x with its sign changed where sign is the sign bit, and x where
// it is 0.
func flip(x float64, sign uint64) float64 {
	return math.Float64frombits(math.Float64bits(x) ^ sign)
}

// sinReduced returns sin(hi + lo) for 0 ≤ hi ≤ π/4 and a little more, |lo| within
// half a last place of hi.
func sinReduced(hi, lo float64) float64 {
	if hi < 0.1875 {
		// The first term left out, r¹⁵/15!, is below 2^-74 of r.
		r2 := float64(hi * hi)
		q := float64(r2*(1.0/6227020800)) - 1.0/39916800
		q = float64(r2*q) + 1.0/362880
		q = float64(r2*q) - 1.0/5040
		q = float64(r2*q) + 1.0/120
		q = float64(r2*q) - 1.0/6
		return hi + (float64(float64(hi*r2)*q) + lo - float64(lo*float64(0.5*r2)))
	}
	entry, d, s, v := sinTerms(hi)
	small := float64(entry.cos*s) - float64(entry.sin*v) + (entry.sinLo + float64(entry.cos*lo))
	return entry.sin + (float64(entry.cos*d) + small)
}

// cosReduced returns cos(hi + lo) under the same conditions.
func cosReduced(hi, lo float64) float64 {
	entry, d, s, v := sinTerms(hi)
	small := float64(entry.sin*s) + float64(entry.cos*v) - (entry.cosLo - float64(entry.sin*lo))
	return entry.cos - (float64(entry.sin*d) + small)
}

// sinTerms returns the table entry nearest to r ≥ 0, d, sin d − d and 1 − cos d.
func sinTerms(r float64) (entry *sinEntry, d, s, v float64) {
	j := int(float64(r*sinSteps) + 0.5)
	d = r - float64(float64(j)*(1.0/sinSteps)) // exact: near 0, and a multiple of r's last place or of 1/128
	d2 := float64(d * d)
	s = float64(float64(d*d2) * (float64(d2*(1.0/120)) - 1.0/6))
	v = float64(d2 * (0.5 - float64(d2*(1.0/24-float64(d2*(1.0/720))))))
	return &sinTable[j], d, s, v
}
