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
// with S and C in two parts each and Taylor polynomials in d. Below 1/4 the sine
// is too small for the table's absolute error, and its own Taylor polynomial in r
// does instead.

// Sin returns the sine of x in radians. Special cases are:
//
//	Sin(±0) = ±0
//	Sin(±Inf) = NaN
//	Sin(NaN) = NaN
func Sin(x float64) float64 {
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
	if !(math.Abs(x) < math.Inf(1)) {
		return nan()
	}
	n, hi, lo := reduce(x)
	return quadrant(n+1, hi, lo)
}

// quadrant returns sin(n·π/2 + hi + lo).
func quadrant(n int, hi, lo float64) float64 {
	var y float64
	if n&1 == 0 {
		y = sinReduced(hi, lo)
	} else {
		y = cosReduced(hi, lo)
	}
	if n&2 != 0 {
		return -y
	}
	return y
}

// sinReduced returns sin(hi + lo) for |hi| ≤ π/4 and |lo| within half a last
// place of hi.
func sinReduced(hi, lo float64) float64 {
	if math.Abs(hi) < 0.25 {
		// The first term left out, r¹⁵/15!, is below 2^-68 of r.
		r2 := float64(hi * hi)
		q := float64(r2*(1.0/6227020800)) - 1.0/39916800
		q = float64(r2*q) + 1.0/362880
		q = float64(r2*q) - 1.0/5040
		q = float64(r2*q) + 1.0/120
		q = float64(r2*q) - 1.0/6
		return hi + (float64(float64(hi*r2)*q) + lo - float64(lo*float64(0.5*r2)))
	}
	if hi < 0 {
		return -sinReduced(-hi, -lo)
	}
	entry, s, v := sinTerms(hi)
	low := entry.sinLo + float64(entry.cos*lo)
	return entry.sin + (float64(entry.cos*s) - float64(entry.sin*v) + low)
}

// cosReduced returns cos(hi + lo) under the same conditions.
func cosReduced(hi, lo float64) float64 {
	if hi < 0 {
		hi, lo = -hi, -lo
	}
	entry, s, v := sinTerms(hi)
	low := entry.cosLo - float64(entry.sin*lo)
	return entry.cos - (float64(entry.sin*s) + float64(entry.cos*v) - low)
}

// sinTerms returns the table entry nearest to r ≥ 0, sin d and 1 − cos d.
func sinTerms(r float64) (entry *sinEntry, s, v float64) {
	n := float64(r*sinSteps) + 0.5
	j := int(n)
	d := r - float64(float64(j)*(1.0/sinSteps)) // exact: both are multiples of r's last place
	d2 := float64(d * d)
	s = d + float64(float64(d*d2)*(float64(d2*(1.0/120))-1.0/6))
	v = float64(d2 * (0.5 - float64(d2*(1.0/24-float64(d2*(1.0/720))))))
	return &sinTable[j], s, v
}
