package dtype

import (
	"fmt"
	"math"
	"testing"
)

// formats are the sixteen-bit formats with the functions that offer them.
var formats = []struct {
	name     string
	format   format
	round    func(float64) float64
	bits     func(float64) uint16
	fromBits func(uint16) float64
}{
	{"float16", float16, RoundFloat16, Float16Bits, Float16FromBits},
	{"bfloat16", bfloat16, RoundBFloat16, BFloat16Bits, BFloat16FromBits},
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// Every one of the 65536 patterns has the value of the format's definition,
// comes back from it, and is a fixed point of rounding.
func TestPatterns(t *testing.T) {
	for _, f := range formats {
		t.Run(f.name, func(t *testing.T) {
			width := f.format.exponent + f.format.fraction
			infinity := uint16(1<<f.format.exponent-1) << f.format.fraction
			for i := range 1 << 16 {
				pattern := uint16(i)
				value := f.fromBits(pattern)
				want := pattern
				abs := pattern & (1<<width - 1)
				switch {
				case abs > infinity:
					want |= 1 << (f.format.fraction - 1) // made quiet
					if !math.IsNaN(value) {
						t.Fatalf("pattern %04x reads as %v, want NaN", pattern, value)
					}
				case abs == infinity:
					if !math.IsInf(value, 0) {
						t.Fatalf("pattern %04x reads as %v, want an infinity", pattern, value)
					}
				default:
					if exact, _ := f.format.rational(abs).Float64(); math.Abs(value) != exact {
						t.Fatalf("pattern %04x reads as %v, want ±%v", pattern, value, exact)
					}
				}
				if math.Signbit(value) != (pattern>>width == 1) {
					t.Fatalf("pattern %04x reads as %v: the sign is wrong", pattern, value)
				}
				if got := f.bits(value); got != want {
					t.Fatalf("pattern %04x reads as %v and writes as %04x, want %04x", pattern, value, got, want)
				}
				if got := f.round(value); !sameBits(got, value) {
					t.Fatalf("rounding %v of pattern %04x gives %v", value, pattern, got)
				}
			}
		})
	}
}

// Between every pair of neighbours: the middle goes to the even one, and the
// float64 just beside it to the nearer one. The last pair is the largest finite
// value and the power of two that infinity stands for.
func TestMidpoints(t *testing.T) {
	for _, f := range formats {
		t.Run(f.name, func(t *testing.T) {
			infinity := uint16(1<<f.format.exponent-1) << f.format.fraction
			for lower := range infinity {
				low, _ := f.format.rational(lower).Float64()
				high, _ := f.format.rational(lower + 1).Float64()
				middle := low + (high-low)/2 // exact: one bit more than the format has
				even := lower + lower&1
				for _, c := range []struct {
					x    float64
					want uint16
				}{
					{math.Nextafter(low, high), lower},
					{math.Nextafter(middle, low), lower},
					{middle, even},
					{math.Nextafter(middle, high), lower + 1},
					{math.Nextafter(high, low), lower + 1},
				} {
					checkPattern(t, f.name, f.bits, f.round, f.fromBits, c.x, c.want)
					sign := uint16(1) << (f.format.exponent + f.format.fraction)
					checkPattern(t, f.name, f.bits, f.round, f.fromBits, -c.x, sign|c.want)
				}
			}
		})
	}
}

func checkPattern(t *testing.T, name string, bits func(float64) uint16, round func(float64) float64, fromBits func(uint16) float64, x float64, want uint16) {
	t.Helper()
	if got := bits(x); got != want {
		t.Fatalf("%s pattern of %v (%x) = %04x, want %04x", name, x, x, got, want)
	}
	if got := round(x); !sameBits(got, fromBits(want)) {
		t.Fatalf("%s of %v (%x) = %v, want %v", name, x, x, got, fromBits(want))
	}
}

func TestBoundaries(t *testing.T) {
	inf, negZero := math.Inf(1), math.Copysign(0, -1)
	up := func(x float64) float64 { return math.Nextafter(x, inf) }
	down := func(x float64) float64 { return math.Nextafter(x, -inf) }
	tests := []struct {
		x                          float64
		float16, bfloat16, float32 float64
	}{
		{0, 0, 0, 0},
		{negZero, negZero, negZero, negZero},
		{inf, inf, inf, inf},
		{-inf, -inf, -inf, -inf},
		{1, 1, 1, 1},
		{math.MaxFloat64, inf, inf, inf},
		{-math.MaxFloat64, -inf, -inf, -inf},
		{math.SmallestNonzeroFloat64, 0, 0, 0},
		{-math.SmallestNonzeroFloat64, negZero, negZero, negZero},

		// float16: the largest finite value, and halfway to what follows it.
		{65504, 65504, 65536, 65504},
		{down(65520), 65504, 65536, 65520},
		{65520, inf, 65536, 65520},
		{-65520, -inf, -65536, -65520},
		// float16: the smallest normal value and the largest subnormal one.
		{0x1p-14, 0x1p-14, 0x1p-14, 0x1p-14},
		{0x1.ff8p-15, 0x1.ff8p-15, 0x1p-14, 0x1.ff8p-15},
		{0x1.ffcp-15, 0x1p-14, 0x1p-14, 0x1.ffcp-15},
		{down(0x1.ffcp-15), 0x1.ff8p-15, 0x1p-14, 0x1.ffcp-15},
		// float16: the smallest subnormal value and its half.
		{0x1p-24, 0x1p-24, 0x1p-24, 0x1p-24},
		{up(0x1p-25), 0x1p-24, 0x1p-25, 0x1p-25},
		{0x1p-25, 0, 0x1p-25, 0x1p-25},
		{-0x1p-25, negZero, -0x1p-25, -0x1p-25},
		{0x1.8p-24, 0x1p-23, 0x1.8p-24, 0x1.8p-24},
		// float16: above the middle by less than a float32 can tell.
		{1 + 0x1p-11, 1, 1, 1 + 0x1p-11},
		{1 + 0x1p-11 + 0x1p-30, 1 + 0x1p-10, 1, 1 + 0x1p-11},
		{1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-8, 1 + 0x1p-7, 1 + 0x1p-8},

		// bfloat16: the largest finite value, and halfway to what follows it.
		{0x1.fep127, inf, 0x1.fep127, 0x1.fep127},
		{down(0x1.ffp127), inf, 0x1.fep127, 0x1.ffp127},
		{0x1.ffp127, inf, inf, 0x1.ffp127},
		// bfloat16: the smallest normal value, the smallest subnormal one and its half.
		{0x1p-126, 0, 0x1p-126, 0x1p-126},
		{0x1.fcp-127, 0, 0x1.fcp-127, 0x1.fcp-127},
		{0x1.fep-127, 0, 0x1p-126, 0x1.fep-127},
		{0x1p-133, 0, 0x1p-133, 0x1p-133},
		{up(0x1p-134), 0, 0x1p-133, 0x1p-134},
		{0x1p-134, 0, 0, 0x1p-134},

		// float32: the same places.
		{math.MaxFloat32, inf, inf, math.MaxFloat32},
		{down(0x1.ffffffp127), inf, inf, math.MaxFloat32},
		{0x1.ffffffp127, inf, inf, inf},
		{0x1p-149, 0, 0, 0x1p-149},
		{up(0x1p-150), 0, 0, 0x1p-149},
		{0x1p-150, 0, 0, 0},
		{-0x1p-150, negZero, negZero, negZero},
		{0x1.8p-149, 0, 0, 0x1p-148},
		{1 + 0x1p-24, 1, 1, 1},
		{up(1 + 0x1p-24), 1, 1, 1 + 0x1p-23},
		{1 + 0x1.8p-23, 1, 1, 1 + 0x1p-22},
	}
	for _, test := range tests {
		for _, c := range []struct {
			name      string
			got, want float64
		}{
			{"RoundFloat16", RoundFloat16(test.x), test.float16},
			{"RoundBFloat16", RoundBFloat16(test.x), test.bfloat16},
			{"RoundFloat32", RoundFloat32(test.x), test.float32},
			{"Float16Bits and back", Float16FromBits(Float16Bits(test.x)), test.float16},
			{"BFloat16Bits and back", BFloat16FromBits(BFloat16Bits(test.x)), test.bfloat16},
		} {
			if !sameBits(c.got, c.want) {
				t.Errorf("%s(%x) = %x, want %x", c.name, test.x, c.got, c.want)
			}
		}
	}
}

// Known patterns, as other implementations write them.
func TestKnownPatterns(t *testing.T) {
	tests := []struct {
		x                 float64
		float16, bfloat16 uint16
	}{
		{0, 0x0000, 0x0000},
		{math.Copysign(0, -1), 0x8000, 0x8000},
		{1, 0x3c00, 0x3f80},
		{-2, 0xc000, 0xc000},
		{1.0 / 3, 0x3555, 0x3eab},
		{math.Pi, 0x4248, 0x4049},
		{65504, 0x7bff, 0x4780},
		{0x1p-24, 0x0001, 0x3380},
		{math.Inf(1), 0x7c00, 0x7f80},
		{math.Inf(-1), 0xfc00, 0xff80},
	}
	for _, test := range tests {
		if got := Float16Bits(test.x); got != test.float16 {
			t.Errorf("Float16Bits(%v) = %04x, want %04x", test.x, got, test.float16)
		}
		if got := BFloat16Bits(test.x); got != test.bfloat16 {
			t.Errorf("BFloat16Bits(%v) = %04x, want %04x", test.x, got, test.bfloat16)
		}
	}
}

// A NaN whose payload sits only in bits that a format drops must not become an
// infinity; the sign and the kept payload stay; signalling NaNs become quiet.
func TestNaN(t *testing.T) {
	tests := []struct {
		x                          uint64
		float16, bfloat16          uint16
		round16, roundB16, round32 uint64
	}{
		{0x7ff8000000000000, 0x7e00, 0x7fc0, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000},
		{0x7ff8000000000001, 0x7e00, 0x7fc0, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000},
		{0x7ff0000000000001, 0x7e00, 0x7fc0, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000},
		{0xfff0000000000001, 0xfe00, 0xffc0, 0xfff8000000000000, 0xfff8000000000000, 0xfff8000000000000},
		{0xffffffffffffffff, 0xffff, 0xffff, 0xfffffc0000000000, 0xffffe00000000000, 0xffffffffe0000000},
		{0x7ff4040020000000, 0x7f01, 0x7fe0, 0x7ffc040000000000, 0x7ffc000000000000, 0x7ffc040020000000},
	}
	for _, test := range tests {
		x := math.Float64frombits(test.x)
		if got := Float16Bits(x); got != test.float16 {
			t.Errorf("Float16Bits(NaN %016x) = %04x, want %04x", test.x, got, test.float16)
		}
		if got := BFloat16Bits(x); got != test.bfloat16 {
			t.Errorf("BFloat16Bits(NaN %016x) = %04x, want %04x", test.x, got, test.bfloat16)
		}
		for _, c := range []struct {
			name      string
			got, want uint64
		}{
			{"RoundFloat16", math.Float64bits(RoundFloat16(x)), test.round16},
			{"RoundBFloat16", math.Float64bits(RoundBFloat16(x)), test.roundB16},
			{"RoundFloat32", math.Float64bits(RoundFloat32(x)), test.round32},
		} {
			if c.got != c.want {
				t.Errorf("%s(NaN %016x) = %016x, want %016x", c.name, test.x, c.got, c.want)
			}
		}
	}
}

func ExampleRoundFloat16() {
	fmt.Println(RoundFloat16(1.0 / 3))
	fmt.Println(RoundFloat16(2049), RoundFloat16(2051))
	fmt.Println(RoundFloat16(65519), RoundFloat16(65520))
	// Output:
	// 0.333251953125
	// 2048 2052
	// 65504 +Inf
}

func ExampleBFloat16Bits() {
	fmt.Printf("%04x %v\n", BFloat16Bits(3.14159), RoundBFloat16(3.14159))
	// Output: 4049 3.140625
}

func ExampleULPDistance64() {
	tenth, fifth := 0.1, 0.2
	fmt.Println(ULPDistance64(tenth+fifth, 0.3))
	// Output: 1 true
}
