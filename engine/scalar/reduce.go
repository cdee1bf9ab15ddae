package scalar

import (
	"math"
	"math/bits"
)

// π/2 in three parts: the first two of 33 bits, so that their products with an
// integer below 2^20 are exact, as in FreeBSD's msun, e_rem_pio2.c (its constants
// pio2_1, pio2_2 and the sum of the later ones).
const (
	piHalf1 = 0x1.921fb544p+0
	piHalf2 = 0x1.0b4611a6p-34
	piHalf3 = 0x1.3198a2e037073p-69

	twoOverPi = 0x1.45f306dc9c883p-1

	// π/2 = (piHalfTop + piHalfNext·2^-64)·2^-63, and less than 2^-127 more.
	piHalfTop  = 0xc90fdaa22168c234
	piHalfNext = 0xc4c6628b80dc1cd1
)

// reduce returns a finite x as n·π/2 + hi + lo: |hi| ≤ π/4 and a little more, lo
// within half a last place of hi, the whole within 2^-64 of itself. n counts
// modulo 4.
func reduce(x float64) (n int, hi, lo float64) {
	abs := math.Abs(x)
	if abs <= math.Pi/4 {
		return 0, x, 0
	}
	if abs < 0x1p20 {
		// Cody and Waite: subtract n times π/2, part by part. The first
		// difference is exact. Where it is small, x lies so near a multiple of
		// π/2 that three parts may not be enough.
		f := float64(x*twoOverPi) + toInteger
		n = int(int32(math.Float64bits(f)))
		f -= toInteger
		t := x - float64(f*piHalf1)
		if math.Abs(t) > 0x1p-10 {
			u := float64(f * piHalf2)
			hi = t - u
			lo = (t - hi) - u - float64(f*piHalf3)
			sum := hi + lo
			return n, sum, (hi - sum) + lo
		}
	}
	n, hi, lo = reduceLarge(abs)
	if x < 0 {
		return -n, -hi, -lo
	}
	return n, hi, lo
}

// reduceLarge is reduce for any finite x ≥ π/4, by the method of Payne and Hanek
// (M. H. Payne and R. N. Hanek, "Radian reduction for trigonometric functions",
// SIGNUM Newsletter 18(1), 1983): x = ix·2^e is multiplied by those bits of 2/π
// alone that neither give a multiple of 4 nor fall below the fraction needed.
//
//	word of 2/π     w0        w1        w2        w3
//	· ix            [h0 l0]
//	                     [h1   l1]
//	                               [h2   l2]
//	                                         [h3   l3]
//	product         .. | a   |  b    |   c   | dropped
//
// a's upper two bits count quarter turns and 190 bits of fraction follow. The
// float64 nearest to a multiple of π/2 has a fraction of about 2^-61 (K. C. Ng,
// "Argument reduction for huge arguments: good to the last bit", 1992), so that
// more than 120 significant bits remain.
func reduceLarge(x float64) (n int, hi, lo float64) {
	pattern := math.Float64bits(x)
	e := int(pattern>>52) - 1075
	ix := pattern&(1<<52-1) | 1<<52

	// The highest bit of w0 has the weight 2^(1−e).
	start := uint(62 + e)
	word, shift := start/64, start%64
	var w [4]uint64
	for i := range w {
		// A shift by 64 gives 0 in Go, which is what shift = 0 needs.
		w[i] = twoOverPiBits[word+uint(i)]<<shift | twoOverPiBits[word+uint(i)+1]>>(64-shift)
	}
	h3, _ := bits.Mul64(ix, w[3])
	h2, l2 := bits.Mul64(ix, w[2])
	h1, l1 := bits.Mul64(ix, w[1])
	c, carry := bits.Add64(l2, h3, 0)
	b, carry := bits.Add64(l1, h2, carry)
	a, _ := bits.Add64(ix*w[0], h1, carry)

	// Nearest quarter turn, and the signed rest in units of 2^-62, 2^-126, 2^-190
	// quarter turns.
	n = int((a + 1<<61) >> 62)
	a -= uint64(n) << 62
	negative := a>>63 == 1
	if negative {
		var borrow uint64
		c, borrow = bits.Sub64(0, c, 0)
		b, borrow = bits.Sub64(0, b, borrow)
		a, _ = bits.Sub64(0, a, borrow)
	}
	// The highest bit moves to the top of a: the rest is then (a + b·2^-64)·2^exponent.
	exponent := -62
	if a == 0 {
		a, b, c = b, c, 0
		exponent -= 64
	}
	zeros := uint(bits.LeadingZeros64(a))
	a = a<<zeros | b>>(64-zeros)
	b = b<<zeros | c>>(64-zeros)
	exponent -= int(zeros)

	// Times π/2.
	top, next := bits.Mul64(a, piHalfTop)
	m1, _ := bits.Mul64(a, piHalfNext)
	m2, _ := bits.Mul64(b, piHalfTop)
	next, carry = bits.Add64(next, m1, 0)
	top += carry
	next, carry = bits.Add64(next, m2, 0)
	top += carry
	exponent += 64 - 63 // top's unit, in radians

	// 53 bits each: both conversions and both scalings are exact.
	unit := math.Float64frombits(uint64(1023+exponent) << 52)
	hi = float64(float64(top>>11) * float64(unit*0x1p11))
	lo = float64(float64(top&(1<<11-1)<<42|next>>22) * float64(unit*0x1p-42))
	if negative {
		hi, lo = -hi, -lo
	}
	sum := hi + lo
	return n & 3, sum, (hi - sum) + lo
}
