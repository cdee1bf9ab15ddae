package scalar

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// fmaOracle computes a·b + c exactly and rounds it once. The exponents of
// float32 products span 2^-298 to 2^256: 640 bits hold every sum.
func fmaOracle(a, b, c float32) float32 {
	x, y, z := float64(a), float64(b), float64(c)
	if sum := float64(x*y) + z; math.IsInf(x, 0) || math.IsInf(y, 0) || math.IsInf(z, 0) || sum != sum {
		// An infinity or a NaN decides by itself; a finite product beside an
		// infinity counts for nothing.
		if sum != sum {
			return math.Float32frombits(0x7fc00000)
		}
		return float32(sum)
	}
	exact := func(v float64) *big.Float { return new(big.Float).SetPrec(640).SetFloat64(v) }
	sum := exact(x)
	sum.Mul(sum, exact(y))
	sum.Add(sum, exact(z))
	rounded, _ := sum.Float32()
	return rounded
}

func checkFMA(t *testing.T, a, b, c float32) {
	t.Helper()
	got, want := FMA32(a, b, c), fmaOracle(a, b, c)
	if math.Float32bits(got) != math.Float32bits(want) {
		t.Errorf("FMA32(%x, %x, %x) = %x (%08x), want %x (%08x)", a, b, c, got, math.Float32bits(got), want, math.Float32bits(want))
	}
}

// fmaArguments draws a product and an addend of any patterns, or, more often, an
// addend near the product, where the sum cancels, lies near the middle of two
// neighbours or beside the limits of the format.
func fmaArguments(random *rand.Rand) (a, b, c float32) {
	pattern := func() float32 { return math.Float32frombits(random.Uint32()) }
	a, b, c = pattern(), pattern(), pattern()
	switch random.IntN(5) {
	case 0:
		c = float32(-float64(float64(a) * float64(b)))
		c = math.Float32frombits(math.Float32bits(c) + uint32(random.IntN(5)) - 2)
	case 1:
		// b makes the product land in the subnormal numbers.
		b = float32(math.Ldexp(float64(1+random.Uint32N(1<<24)), -150-random.IntN(24)-math.Ilogb(float64(a))))
		c = math.Float32frombits(random.Uint32N(1<<25) | random.Uint32N(2)<<31)
	case 2:
		// Few significant bits: ties.
		a, b = float32(random.IntN(1<<13)), float32(random.IntN(1<<13))
		c = float32(math.Ldexp(float64(random.IntN(1<<24)), random.IntN(60)-30))
	case 3:
		// A product that is often a tie, and an addend that a float64 beside it
		// cannot hold.
		a, b = float32(1<<12|1|random.IntN(1<<12)), float32(1<<11|1|random.IntN(1<<12))
		c = float32(math.Ldexp(float64(random.IntN(1<<24))-1<<23, -60-random.IntN(80)))
	}
	return a, b, c
}

// Ties and near ties whose second rounding goes wrong in float32(math.FMA(…))
// and float32(a*b + c); limits; signed zeros.
var fmaCases = []struct{ a, b, c, want float32 }{
	{1, 1, 0x1p-24, 1},             // a tie, to even
	{1, 1, 0x1.8p-24, 1 + 0x1p-23}, // above it
	{1 + 0x1p-12, 1 + 0x1p-12, 0x1p-149, 1 + 0x1p-11 + 0x1p-23},      // 1 + 2^-11 + 2^-24 and a trifle more
	{1 + 0x1p-12, 1 + 0x1p-12, -0x1p-149, 1 + 0x1p-11},               // and a trifle less
	{1 + 0x1p-12, 1 + 0x1p-12, 0, 1 + 0x1p-11},                       // and the tie itself
	{-(1 + 0x1p-12), 1 + 0x1p-12, -0x1p-149, -1 - 0x1p-11 - 0x1p-23}, // the same below zero
	{-(1 + 0x1p-12), 1 + 0x1p-12, 0x1p-149, -1 - 0x1p-11},
	{0x1p-75, 0x1p-75, 0, 0},                            // half the smallest subnormal number
	{0x1p-75, 0x1p-75, 0x1p-149, 0x1p-148},              // one and a half: a tie, to even
	{-0x1p-75, 0x1p-75, 0x1p-149, 0},                    // a half again
	{0x1.8p-75, 0x1p-75, 0, 0x1p-149},                   // three quarters
	{0x1p-149, 0x1p-149, 0x1p-149, 0x1p-149},            // a product below everything
	{math.MaxFloat32, 1, 0x1p103, float32(math.Inf(1))}, // half a step above the largest: a tie, away
	{math.MaxFloat32, 1, 0x1.fffffep102, math.MaxFloat32},
	{math.MaxFloat32, 2, -math.MaxFloat32, math.MaxFloat32}, // an overflow that the sum takes back
	{math.MaxFloat32, math.MaxFloat32, 0, float32(math.Inf(1))},
	{math.MaxFloat32, -math.MaxFloat32, math.MaxFloat32, float32(math.Inf(-1))},
	{3, 5, -15, 0},
}

func TestFMA32(t *testing.T) {
	for _, c := range fmaCases {
		if got := FMA32(c.a, c.b, c.c); math.Float32bits(got) != math.Float32bits(c.want) {
			t.Errorf("FMA32(%x, %x, %x) = %x, want %x", c.a, c.b, c.c, got, c.want)
		}
		checkFMA(t, c.a, c.b, c.c)
	}
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 1.5, 0x1p-149, -0x1p-149, 0x1p-126, math.MaxFloat32, -math.MaxFloat32,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), math.Float32frombits(0xffc12345), math.Float32frombits(0x7f800001)}
	for _, a := range special {
		for _, b := range special {
			for _, c := range special {
				checkFMA(t, a, b, c)
			}
		}
	}
}

func TestFMA32Zeros(t *testing.T) {
	zero, negative := float32(0), float32(math.Copysign(0, -1))
	for _, c := range []struct{ a, b, c, want float32 }{
		{zero, 1, zero, zero}, {negative, 1, negative, negative}, {negative, 1, zero, zero}, {zero, 1, negative, zero},
		{zero, -1, negative, negative}, {1, 1, -1, zero}, {-1, 1, 1, zero}, {-0x1p-100, 0x1p-100, zero, negative}, {0x1p-100, 0x1p-100, negative, zero},
	} {
		if got := FMA32(c.a, c.b, c.c); math.Float32bits(got) != math.Float32bits(c.want) {
			t.Errorf("FMA32(%v, %v, %v) = %08x, want %08x", c.a, c.b, c.c, math.Float32bits(got), math.Float32bits(c.want))
		}
	}
}

func TestFMA32Random(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	twice := 0
	for range 20 * samples() {
		a, b, c := fmaArguments(random)
		checkFMA(t, a, b, c)
		rounded := float32(math.FMA(float64(a), float64(b), float64(c)))
		if rounded == rounded && rounded != FMA32(a, b, c) {
			twice++
		}
	}
	// The draw must reach the cases that a double rounding gets wrong.
	if twice == 0 {
		t.Error("no argument told one rounding from two")
	}
}

func FuzzFMA32(f *testing.F) {
	for _, c := range fmaCases {
		f.Add(math.Float32bits(c.a), math.Float32bits(c.b), math.Float32bits(c.c))
	}
	f.Add(uint32(0x7f800001), uint32(0xff800000), uint32(0x80000000))
	f.Fuzz(func(t *testing.T, a, b, c uint32) {
		checkFMA(t, math.Float32frombits(a), math.Float32frombits(b), math.Float32frombits(c))
	})
}
