package scalar

import (
	"math"
	"math/rand/v2"
	"testing"
)

var (
	inf     = math.Inf(1)
	negZero = math.Copysign(0, -1)
)

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// Arguments whose result is exact or a special value: the bits must match, the
// NaN's too.
func TestSpecial(t *testing.T) {
	quiet := nan()
	tests := []struct {
		name string
		f    func(float64) float64
		x    float64
		want float64
	}{
		{"Exp", Exp, inf, inf}, {"Exp", Exp, -inf, 0}, {"Exp", Exp, 0, 1}, {"Exp", Exp, negZero, 1},
		{"Exp", Exp, 710, inf}, {"Exp", Exp, 709.782712893384, 0x1.fffffffffff2ap1023},
		{"Exp", Exp, math.Nextafter(709.782712893384, 710), inf}, {"Exp", Exp, math.MaxFloat64, inf},
		{"Exp", Exp, -745.1332191019411, subnormal}, {"Exp", Exp, math.Nextafter(-745.1332191019411, -inf), 0},
		{"Exp", Exp, -746, 0}, {"Exp", Exp, -math.MaxFloat64, 0},
		{"Exp", Exp, 0x1p-54, 1}, {"Exp", Exp, -0x1p-55, 1}, {"Exp", Exp, subnormal, 1},

		{"Exp2", Exp2, inf, inf}, {"Exp2", Exp2, -inf, 0}, {"Exp2", Exp2, negZero, 1},
		{"Exp2", Exp2, 1024, inf}, {"Exp2", Exp2, math.Nextafter(1024, 0), 0x1.ffffffffffd3ap1023},
		{"Exp2", Exp2, -1075, 0}, {"Exp2", Exp2, math.Nextafter(-1075, 0), subnormal}, {"Exp2", Exp2, math.MaxFloat64, inf},
		{"Exp2", Exp2, -math.MaxFloat64, 0}, {"Exp2", Exp2, 0.5, math.Sqrt2},

		{"Log", Log, inf, inf}, {"Log", Log, 0, -inf}, {"Log", Log, negZero, -inf}, {"Log", Log, -1, quiet},
		{"Log", Log, -inf, quiet}, {"Log", Log, -subnormal, quiet}, {"Log", Log, 1, 0},

		{"Log2", Log2, inf, inf}, {"Log2", Log2, 0, -inf}, {"Log2", Log2, negZero, -inf}, {"Log2", Log2, -1, quiet},
		{"Log2", Log2, -inf, quiet}, {"Log2", Log2, 1, 0},

		{"Sin", Sin, inf, quiet}, {"Sin", Sin, -inf, quiet}, {"Sin", Sin, 0, 0}, {"Sin", Sin, negZero, negZero},
		{"Sin", Sin, subnormal, subnormal}, {"Sin", Sin, -subnormal, -subnormal},
		{"Cos", Cos, inf, quiet}, {"Cos", Cos, -inf, quiet}, {"Cos", Cos, 0, 1}, {"Cos", Cos, negZero, 1},
		{"Cos", Cos, subnormal, 1},

		{"Tanh", Tanh, inf, 1}, {"Tanh", Tanh, -inf, -1}, {"Tanh", Tanh, 0, 0}, {"Tanh", Tanh, negZero, negZero},
		{"Tanh", Tanh, 20, 1}, {"Tanh", Tanh, -1000, -1}, {"Tanh", Tanh, math.MaxFloat64, 1},
		{"Tanh", Tanh, subnormal, subnormal}, {"Tanh", Tanh, -subnormal, -subnormal},
	}
	for _, f := range functions {
		// Whichever NaN comes in, the same one comes out.
		for _, pattern := range []uint64{0x7ff8000000000001, 0xfff8000000000000, 0x7ff0000000000001, 0xffffffffffffffff} {
			if got := f.f(math.Float64frombits(pattern)); !sameBits(got, quiet) {
				t.Errorf("%s(NaN %016x) = %016x, want %016x", f.name, pattern, math.Float64bits(got), math.Float64bits(quiet))
			}
		}
	}
	for _, test := range tests {
		if got := test.f(test.x); !sameBits(got, test.want) {
			t.Errorf("%s(%x) = %x, want %x", test.name, test.x, got, test.want)
		}
	}
}

func TestPowersOfTwo(t *testing.T) {
	for n := -1074; n < 1024; n++ {
		power := math.Ldexp(1, n)
		if got := Exp2(float64(n)); got != power {
			t.Errorf("Exp2(%d) = %x", n, got)
		}
		if got := Log2(power); got != float64(n) {
			t.Errorf("Log2(2^%d) = %v", n, got)
		}
		if got := Pow(2, float64(n)); got != power {
			t.Errorf("Pow(2, %d) = %x", n, got)
		}
	}
}

func TestPowSpecial(t *testing.T) {
	quiet := nan()
	tests := []struct{ x, y, want float64 }{
		{quiet, 0, 1}, {inf, negZero, 1}, {0, 0, 1}, {-3, 0, 1},
		{1, quiet, 1}, {1, inf, 1}, {1, -3.5, 1},
		{3.7, 1, 3.7}, {-3.7, 1, -3.7}, {negZero, 1, negZero}, {-inf, 1, -inf}, {quiet, 1, quiet},
		{quiet, 2, quiet}, {2, quiet, quiet}, {0, quiet, quiet}, {-math.NaN(), 3, quiet},
		{0, -3, inf}, {negZero, -3, -inf}, {negZero, -0x1.fffffffffffffp52, -inf}, {0, -inf, inf}, {negZero, -inf, inf},
		{0, inf, 0}, {negZero, inf, 0}, {0, -2, inf}, {negZero, -2, inf}, {negZero, -0.5, inf}, {negZero, -0x1p53, inf},
		{0, 3, 0}, {negZero, 3, negZero}, {0, 2, 0}, {negZero, 2, 0}, {negZero, 0.5, 0},
		{-1, inf, 1}, {-1, -inf, 1}, {-1, 0x1p60, 1}, {-1, 3, -1}, {-1, -4, 1},
		{2, inf, inf}, {-2, inf, inf}, {1.0000000000000002, inf, inf}, {2, -inf, 0}, {-2, -inf, 0},
		{0.5, inf, 0}, {-0.5, inf, 0}, {0.5, -inf, inf}, {-0.5, -inf, inf},
		{inf, 2, inf}, {inf, 0.1, inf}, {inf, -0.1, 0}, {inf, inf, inf}, {inf, -inf, 0},
		{-inf, 3, -inf}, {-inf, 2, inf}, {-inf, 0.5, inf}, {-inf, -3, negZero}, {-inf, -2, 0}, {-inf, -0.5, 0},
		{-2, 0.5, quiet}, {-2, -1.5, quiet}, {-subnormal, subnormal, quiet},
		// Exact results, of both signs.
		{3, 2, 9}, {-3, 3, -27}, {-2, -3, -0.125}, {10, 15, 1e15}, {10, 22, 1e22}, {7, 18, 1628413597910449}, {49, 0.5, 7}, {4, -0.5, 0.5},
		{2.25, 1.5, 3.375}, {0x1p-1074, 0.5, 0x1p-537}, {-5, 1, -5}, {5, -1, 0.2},
		// Overflow and underflow, also where y alone decides.
		{2, 1024, inf}, {-2, 1025, -inf}, {2, -1075, 0}, {-2, -1075, negZero}, {2, -1074, subnormal}, {-2, -1073, -2 * subnormal},
		{math.MaxFloat64, 2, inf}, {subnormal, 2, 0}, {1.5, 1e300, inf}, {1.5, -1e300, 0}, {0.5, 1e300, 0}, {0.5, -1e300, inf},
		{math.Nextafter(1, 2), 0x1p64, inf}, {math.Nextafter(1, 0), 0x1p64, 0}, {math.Nextafter(1, 0), -math.MaxFloat64, inf},
		{math.MaxFloat64, subnormal, 1}, {subnormal, -subnormal, 1}, {math.MaxFloat64, 0x1p-66, 1},
	}
	for _, test := range tests {
		if got := Pow(test.x, test.y); !sameBits(got, test.want) {
			t.Errorf("Pow(%x, %x) = %x, want %x", test.x, test.y, got, test.want)
		}
	}
}

// Sin and Tanh are odd and Cos is even in every bit.
func TestSymmetry(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 16))
	for range 20000 {
		x := argumentRange{low: subnormal, high: math.MaxFloat64, geometric: true}.draw(random)
		y := argumentRange{low: 0, high: 1000}.draw(random)
		for _, x := range []float64{x, y} {
			if !sameBits(Sin(-x), -Sin(x)) || !sameBits(Tanh(-x), -Tanh(x)) || !sameBits(Cos(-x), Cos(x)) {
				t.Errorf("at ±%x: Sin %x, %x; Tanh %x, %x; Cos %x, %x", x, Sin(x), Sin(-x), Tanh(x), Tanh(-x), Cos(x), Cos(-x))
			}
		}
	}
}

// Both reductions of the same argument agree far beyond a last place, up to where
// the faster one ends.
func TestReductionsAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 18))
	ranges := []argumentRange{{low: math.Pi / 4, high: 10}, {low: 10, high: 1 << 20}, {low: math.Pi / 4, high: 1 << 20, geometric: true}}
	for range 20000 {
		for _, r := range ranges {
			x := r.draw(random)
			n, hi, lo := reduce(x)
			n2, hi2, lo2 := reduceLarge(x)
			if n&3 != n2 {
				// Either quarter is right beside the border of two.
				if d := math.Abs(hi) - math.Pi/4; !(math.Abs(d) <= 0x1p-30) {
					t.Errorf("x = %x: quarter %d and %d, rest %x", x, n&3, n2, hi)
				}
				continue
			}
			if d := (hi - hi2) + (lo - lo2); !(math.Abs(d) <= 0x1p-64*math.Abs(hi)) {
				t.Errorf("x = %x: the rests %x%+x and %x%+x differ by %x", x, hi, lo, hi2, lo2, d)
			}
		}
	}
}
