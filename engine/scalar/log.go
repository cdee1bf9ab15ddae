package scalar

import "math"

// The method of Log, Log2 and the first half of Pow:
//
//	x = 2^k·z        z in [0.689…, 1.379…), so that k = 0 on both sides of 1
//	r = z·inverse − 1, |r| < 2^-7, inverse ≈ 1/z of twelve bits from a table of
//	    128 entries, so that r = rh + rl is exact in two parts
//	log x = k·ln2 − log(inverse) + log(1 + r)
//
// (P. T. P. Tang, "Table-driven implementation of the logarithm function in IEEE
// floating-point arithmetic", ACM TOMS 16(4), 1990; the inverse in the place of
// Tang's division as in S. Gal's and many later libraries.) Around 1 inverse is
// exactly 1, and then the first two terms vanish: log(1 + r) alone, whose relative
// error stays small down to r = 0.
const (
	// logStart is the pattern of the least z: 0.6875 and half an interval, so that
	// 1 lies inside an interval and not on the border of two.
	logStart = 0x3fe6_0000_0000_0000 + 1<<(52-stepsLog2-1)

	// ln2 in two parts, the first a multiple of 2^-42: its products with an
	// exponent are exact, and so are their sums with the table's first parts.
	ln2Hi = 0x1.62e42fefa38p-1
	ln2Lo = 0x1.ef35793c7673p-45

	// 1/ln2 in two parts, the first of 27 bits.
	log2EHi = 0x1.7154764p+0
	log2ELo = 0x1.2b82fe1777d10p-28
)

// Log returns the natural logarithm of x. Special cases are:
//
//	Log(+Inf) = +Inf
//	Log(±0) = -Inf
//	Log(x < 0) = NaN
//	Log(NaN) = NaN
func Log(x float64) float64 {
	x = float64(x)
	if !(0 < x && x < math.Inf(1)) {
		return logSpecial(x)
	}
	k, entry, rh, rl := logParts(x)
	// w is 0 or larger than r, so that lo is exactly what rounding hi loses
	// (T. J. Dekker's quick two-sum).
	w := float64(k*ln2Hi) + entry.hi
	hi := w + rh
	lo := (w - hi) + rh
	lo += float64(k*ln2Lo) + entry.lo + rl
	return hi + (lo + float64(float64(rh*rh)*log1pTail(rh)))
}

// Log2 returns the logarithm of x to base 2, exactly where x is a power of two.
// Special cases are those of Log.
func Log2(x float64) float64 {
	x = float64(x)
	if !(0 < x && x < math.Inf(1)) {
		return logSpecial(x)
	}
	k, entry, rh, rl := logParts(x)
	// r/ln2 in two parts, the first exact: 26 bits times 27.
	top := head(rh)
	th := float64(top * log2EHi)
	tl := float64((rh-top)*log2EHi) + float64(rh*log2ELo) + float64(rl*log2EHi)
	w := k + entry.hi2
	hi := w + th
	lo := (w - hi) + th
	lo += entry.lo2 + tl
	return hi + (lo + float64(float64(rh*rh)*float64(log1pTail(rh)*math.Log2E)))
}

// logParts returns the reduction of a positive finite x.
func logParts(x float64) (k float64, entry *logEntry, rh, rl float64) {
	pattern := math.Float64bits(x)
	exponent := 0
	if pattern < 1<<52 {
		pattern = math.Float64bits(float64(x * 0x1p52)) // exact, and normal
		exponent = -52
	}
	offset := int64(pattern - logStart)
	exponent += int(offset >> 52)
	z := math.Float64frombits(pattern - uint64(offset>>52<<52))
	entry = &logTable[offset>>(52-stepsLog2)&(steps-1)]
	// 26 bits times 12, and the rest times 12: both products are exact, and the
	// first is so near 1 that the subtraction is too.
	top := head(z)
	a := float64(top*entry.inverse) - 1
	b := float64((z - top) * entry.inverse)
	rh = a + b
	return float64(exponent), entry, rh, (a - rh) + b
}

// log1pTail returns (log(1+r) − r)/r² for |r| < 2^-7 by its Taylor polynomial,
// whose first term left out, r⁷/9, is below 2^-52.
func log1pTail(r float64) float64 {
	r2 := float64(r * r)
	low := float64(r*(1.0/3)) - 1.0/2
	middle := float64(r*(1.0/5)) - 1.0/4
	high := float64(r*(1.0/7)) - 1.0/6 - float64(r2*(1.0/8))
	return low + float64(r2*(middle+float64(r2*high)))
}

// logSpecial is Log where x is not positive and finite.
func logSpecial(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(-1)
	case x > 0:
		return x
	}
	return nan()
}

// head returns x with its last 27 bits cleared, 26 significant ones left: its
// product with another such number is exact (T. J. Dekker, "A floating-point
// technique for extending the available precision", 1971, with the split by bits
// in the place of Veltkamp's products).
func head(x float64) float64 {
	return math.Float64frombits(math.Float64bits(x) &^ (1<<27 - 1))
}
