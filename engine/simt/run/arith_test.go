package run

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"workbench/engine/dtype"
	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

// edges are bits at which arithmetic goes wrong first, of every type.
var edges = []uint64{
	0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000,
	0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0x100000000, 1 << 62, 1<<63 - 1, 1 << 63, 1<<63 + 1, math.MaxUint64,
	0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x00800000, 0x007fffff, 0x7f7fffff, 0x4b800000, 0x4f000000, 0xcf000000, 0x5f000000, 0x3f000000, 0x3fc00000, 0x40200000,
	0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x0010000000000000, 0x000fffffffffffff, 0x7fefffffffffffff,
	0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000200000, 0x43e0000000000000, 0x43f0000000000000, 0x3fe0000000000000, 0xbfe0000000000000, 0x4004000000000000,
	0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x0400, 0x03ff, 0x7bff, 0x3f80, 0x7f80, 0x7fc0, 0x0080,
}

// kept returns x as a register of type t has it.
func kept(t types.Scalar, x uint64) uint64 {
	switch {
	case t.Integer():
		return extend(t, x)
	case t.Size() == 2:
		return x & 0xffff
	case t.Size() == 4:
		return x & 0xffffffff
	}
	return x
}

func operandsOf(r *rand.Rand, t types.Scalar) uint64 {
	switch r.IntN(3) {
	case 0:
		return kept(t, edges[r.IntN(len(edges))])
	case 1:
		return kept(t, edges[r.IntN(len(edges))]+uint64(r.IntN(5))-2)
	}
	return kept(t, r.Uint64())
}

// TestLanes holds what computes 32 lanes at once against what computes one.
func TestLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		for _, of := range []types.Scalar{types.I32, types.U32, types.F32, types.F16, types.BF16, types.I64, types.U64, types.F64} {
			var a, b, c, got v64
			for i := range a {
				a[i], b[i], c[i] = operandsOf(r, of), operandsOf(r, of), operandsOf(r, of)
			}
			narrow := func(x *v64) *v32 {
				var y v32
				for i := range x {
					y[i] = uint32(x[i])
				}
				return &y
			}
			widened := func(x *v32) {
				for i := range x {
					got[i] = uint64(x[i])
				}
			}
			check := func(what string, want func(i int) uint64) {
				t.Helper()
				for i := range got {
					if w := want(i); got[i] != w {
						t.Fatalf("%s of %v: %#x, %#x, %#x gives %#x, not %#x", what, of, a[i], b[i], c[i], got[i], w)
					}
				}
			}
			for op := code.Add; op <= code.MulHi; op++ {
				if of.Float() && (op == code.Rem || op > code.Max) {
					continue
				}
				one := binaryOf(op, of)
				var d v32
				if of.Size() < 8 {
					lanes32(op, of)(&d, narrow(&a), narrow(&b))
					widened(&d)
				} else {
					lanes64(op, of)(&got, &a, &b)
				}
				check(op.String(), func(i int) uint64 { return one(a[i], b[i]) })
			}
			for op := code.EQ; op <= code.GE; op++ {
				one := compareOf(op, of)
				m := uint32(0)
				if of.Size() < 8 {
					m = compare32(op, of)(narrow(&a), narrow(&b))
				} else {
					m = compare64(op, of)(&a, &b)
				}
				for i := range got {
					got[i] = uint64(m >> i & 1)
				}
				check(op.String(), func(i int) uint64 {
					if one(a[i], b[i]) {
						return 1
					}
					return 0
				})
			}
			if of.Float() {
				for k := range 8 {
					fused, p, z := k&1 != 0, k&2 != 0, k&4 != 0
					one := mulAddOf(of, fused, p, z)
					var d v32
					if of.Size() < 8 {
						muladd32(of, fused, p, z)(&d, narrow(&a), narrow(&b), narrow(&c))
						widened(&d)
					} else {
						muladd64(of, fused, p, z)(&got, &a, &b, &c)
					}
					check(fmt.Sprintf("muladd %v %v %v", fused, p, z), func(i int) uint64 { return one(a[i], b[i], c[i]) })
				}
			}
		}
	}
}

// TestIntegers holds the operations that a GPU defines where C does not, or
// where Go differs, against numbers from the PTX manual's rules.
func TestIntegers(t *testing.T) {
	for _, c := range []struct {
		op         code.BinaryOp
		t          types.Scalar
		x, y, want int64
	}{
		{code.Add, types.I32, math.MaxInt32, 1, math.MinInt32},
		{code.Mul, types.I32, 1 << 20, 1 << 20, 0},
		{code.Mul, types.I32, -3, 7, -21},
		{code.Div, types.I32, -7, 2, -3},
		{code.Rem, types.I32, -7, 2, -1},
		{code.Rem, types.I32, 7, -2, 1},
		{code.Div, types.I32, math.MinInt32, -1, math.MinInt32},
		{code.Rem, types.I32, math.MinInt32, -1, 0},
		{code.Div, types.I32, 5, 0, -1},
		{code.Rem, types.I32, 5, 0, 5},
		{code.Div, types.U32, 0xfffffff0, 16, 0x0fffffff},
		{code.Div, types.U32, 5, 0, 0xffffffff},
		{code.Shl, types.I32, 1, 31, math.MinInt32},
		{code.Shl, types.I32, 1, 32, 0},
		{code.Shl, types.U32, 1, 0xffffffff, 0},
		{code.Shr, types.I32, -8, 1, -4},
		{code.Shr, types.I32, -8, 40, -1},
		{code.Shr, types.I32, 8, 40, 0},
		{code.Shr, types.U32, 0x80000000, 31, 1},
		{code.Shr, types.U32, 0x80000000, 32, 0},
		{code.Shl, types.I64, 1, 63, math.MinInt64},
		{code.Shl, types.I64, 1, 64, 0},
		{code.Shr, types.I64, -1, 100, -1},
		{code.Shr, types.U64, -1, 63, 1},
		{code.MulHi, types.I32, -1, 1, -1},
		{code.MulHi, types.I32, math.MinInt32, math.MinInt32, 1 << 30},
		{code.MulHi, types.U32, 0xffffffff, 0xffffffff, 0xfffffffe},
		{code.MulHi, types.I64, -1, 1, -1},
		{code.MulHi, types.I64, math.MinInt64, math.MinInt64, 1 << 62},
		{code.MulHi, types.U64, -1, -1, -2},
		{code.Min, types.I32, -1, 1, -1},
		{code.Min, types.U32, 0xffffffff, 1, 1},
		{code.Max, types.I64, -1, 1, 1},
		{code.Max, types.U64, -1, 1, -1},
	} {
		want := kept(c.t, uint64(c.want))
		if got := binaryOf(c.op, c.t)(kept(c.t, uint64(c.x)), kept(c.t, uint64(c.y))); got != want {
			t.Errorf("%v %v of %d and %d is %#x, not %#x", c.op, c.t, c.x, c.y, got, want)
		}
	}
}

func TestFloats(t *testing.T) {
	f := math.Float32bits
	ninf, one, zero := f(float32(math.Inf(-1))), f(1), uint32(1<<31)
	for _, c := range []struct {
		op         code.BinaryOp
		x, y, want uint32
	}{
		{code.Min, zero, 0, zero}, {code.Min, 0, zero, zero}, {code.Max, zero, 0, 0}, {code.Max, 0, zero, 0},
		{code.Min, 0x7fc00000, one, one}, {code.Min, one, 0x7fc00000, one}, {code.Max, 0x7fc00001, ninf, ninf},
		{code.Max, 0x7fc00000, 0x7fc00000, nan32},
		{code.Add, 1, 1, 2},                         // subnormals are kept
		{code.Mul, 0x00800000, f(0.5), 0x00400000},  // and made
		{code.Sub, one, one, 0},                     //
		{code.Div, 0, 0, nan32},                     // a GPU's NaN
		{code.Div, one, 0, 0x7f800000},              //
		{code.Mul, 0x7f7fffff, f(2), 0x7f800000},    //
		{code.Add, f(1 << 24), one, f(1 << 24)},     // to even
		{code.Add, f(1<<24 + 2), one, f(1<<24 + 4)}, //
		{code.Div, f(1), f(3), 0x3eaaaaab},          //
		{code.Add, 0x7f800000, ninf, nan32},         //
		{code.Add, 0xffc12345, one, nan32},          // payloads are not
	} {
		if got := binaryOf(c.op, types.F32)(uint64(c.x), uint64(c.y)); got != uint64(c.want) {
			t.Errorf("%v of %#x and %#x is %#x, not %#x", c.op, c.x, c.y, got, c.want)
		}
	}
	// One rounding or two.
	x := f(1 + 0x1p-12)
	minus := f(-(1 + 0x1p-11))
	if got := mulAddOf(types.F32, true, false, false)(uint64(x), uint64(x), uint64(minus)); got != uint64(f(0x1p-24)) {
		t.Errorf("a fused multiply-add gives %#x", got)
	}
	if got := mulAddOf(types.F32, false, false, false)(uint64(x), uint64(x), uint64(minus)); got != 0 {
		t.Errorf("a product that is rounded first gives %#x", got)
	}
	if got := mulAddOf(types.F32, true, true, true)(uint64(x), uint64(x), uint64(minus)); got != uint64(f(-0x1p-24)) && got != uint64(f(1)) {
		want := f(float32(-(1+0x1p-12)*(1+0x1p-12) + (1 + 0x1p-11)))
		if got != uint64(want) {
			t.Errorf("both negated: %#x, not %#x", got, want)
		}
	}
}

func TestConversions(t *testing.T) {
	f32b := func(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }
	for _, c := range []struct {
		to, from types.Scalar
		r        code.Rounding
		x, want  uint64
	}{
		{types.I32, types.F32, code.Default, f32b(-1.9), kept(types.I32, ^uint64(0))},
		{types.I32, types.F32, code.ToNearest, f32b(2.5), 2},
		{types.I32, types.F32, code.ToNearest, f32b(3.5), 4},
		{types.I32, types.F32, code.Down, f32b(-1.1), kept(types.I32, ^uint64(1))},
		{types.I32, types.F32, code.Up, f32b(1.1), 2},
		{types.I32, types.F32, code.Default, f32b(3e9), math.MaxInt32},
		{types.I32, types.F32, code.Default, f32b(-3e9), 1 << 31},
		{types.I32, types.F32, code.Default, f32b(math.NaN()), 0},
		{types.U32, types.F32, code.Default, f32b(-5), 0},
		{types.U32, types.F32, code.Default, f32b(5e9), math.MaxUint32},
		{types.I64, types.F64, code.Default, math.Float64bits(1e30), math.MaxInt64},
		{types.I64, types.F64, code.Default, math.Float64bits(-1e30), 1 << 63},
		{types.U64, types.F64, code.Default, math.Float64bits(1.5 * (1 << 63)), 3 << 62},
		{types.U64, types.F64, code.Default, math.Float64bits(1e30), math.MaxUint64},
		{types.U8, types.F32, code.Default, f32b(300), 300 & 255}, // as nvcc has it: an int first
		{types.U8, types.F32, code.Default, f32b(-3), 0},
		{types.U16, types.F32, code.Default, f32b(1e20), 0xffff},
		{types.I8, types.F32, code.Default, f32b(-300), kept(types.I8, 256-300&255)},
		{types.I16, types.F64, code.Default, math.Float64bits(40000), kept(types.I16, 40000)},
		{types.I8, types.I32, code.Default, 0x1ff, kept(types.I8, 0xff)},
		{types.I32, types.I8, code.Default, kept(types.I8, 0x80), kept(types.I32, 0xffffff80)},
		{types.U32, types.I8, code.Default, kept(types.I8, 0x80), 0xffffff80},
		{types.I64, types.I32, code.Default, kept(types.I32, 0x80000000), 0xffffffff80000000},
		{types.I64, types.U32, code.Default, 0x80000000, 0x80000000},
		{types.U16, types.I64, code.Default, 0x12345678, 0x5678},
		{types.F32, types.I32, code.Default, 1<<24 + 1, f32b(1 << 24)},
		{types.F32, types.I32, code.Up, 1<<24 + 1, f32b(1<<24 + 2)},
		{types.F32, types.U32, code.ToZero, 0xffffffff, f32b(0xffffff00)},
		{types.F32, types.I64, code.Default, 1<<62 + 1<<38 + 1, f32b(1<<62 + 1<<39)}, // not rounded to float64 first
		{types.F32, types.U64, code.Default, math.MaxUint64, f32b(1 << 64)},
		{types.F32, types.U64, code.Down, math.MaxUint64, f32b(1<<64 - 1<<40)},
		{types.F64, types.U64, code.Default, math.MaxUint64, math.Float64bits(1 << 64)},
		{types.F64, types.I64, code.ToZero, math.MaxInt64, math.Float64bits(1<<63 - 1<<10)},
		{types.F64, types.I64, code.Down, 1<<63 + 1, math.Float64bits(-1 << 63)},
		{types.F64, types.I64, code.Up, 1<<63 + 1, math.Float64bits(-(1<<63 - 1<<10))},
		{types.F32, types.F64, code.Default, math.Float64bits(1 + 0x1p-24), f32b(1)},
		{types.F32, types.F64, code.Up, math.Float64bits(1 + 0x1p-30), f32b(1 + 0x1p-23)},
		{types.F32, types.F64, code.Down, math.Float64bits(-1 - 0x1p-30), f32b(-1 - 0x1p-23)},
		{types.F32, types.F64, code.ToZero, math.Float64bits(1e300), 0x7f7fffff},
		{types.F32, types.F64, code.Up, math.Float64bits(1e-300), 1},
		{types.F16, types.F32, code.Default, f32b(65519), 0x7bff},
		{types.F16, types.F32, code.Default, f32b(65520), 0x7c00},
		{types.F16, types.F32, code.ToZero, f32b(1e9), 0x7bff},
		{types.F16, types.F32, code.Up, f32b(-1e9), 0xfbff},
		{types.F16, types.F32, code.Up, f32b(1e-20), 1},
		{types.F16, types.F32, code.Down, f32b(-1e-20), 0x8001},
		{types.F16, types.F32, code.Down, f32b(1e-20), 0},
		{types.BF16, types.F32, code.Default, f32b(1 + 0x1p-8), 0x3f80},
		{types.BF16, types.F32, code.Default, f32b(1 + 0x1p-8 + 0x1p-20), 0x3f81},
		{types.BF16, types.F32, code.ToZero, f32b(1 + 0x1.8p-8), 0x3f80},
		{types.F16, types.BF16, code.Default, 0x3f80, 0x3c00},
		{types.F32, types.F16, code.Default, 0x0001, f32b(0x1p-24)},
		{types.F16, types.I32, code.Default, 2049, 0x6800},
		{types.F16, types.F32, code.Default, f32b(math.NaN()), nan16},
		{types.F32, types.F64, code.Default, math.Float64bits(math.NaN()), nan32},
	} {
		if got := convertOf(c.to, c.from, c.r)(c.x); got != c.want {
			t.Errorf("%v from %v (%v): %#x gives %#x, not %#x", c.to, c.from, c.r, c.x, got, c.want)
		}
	}
}

// TestHalf holds float16 and bfloat16 arithmetic against exact arithmetic that is
// rounded once.
func TestHalf(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, of := range []types.Scalar{types.F16, types.BF16} {
		h := halfOf(of)
		n := 0
		for n < 20000 {
			x, y, z := uint64(uint16(r.Uint32())), uint64(uint16(r.Uint32())), uint64(uint16(r.Uint32()))
			a, b, c := h.value(x), h.value(y), h.value(z)
			if !finite(a, b, c) || b == 0 {
				continue
			}
			n++
			exact := func() *big.Float { return new(big.Float).SetPrec(2000) }
			A, B, C := exact().SetFloat64(a), exact().SetFloat64(b), exact().SetFloat64(c)
			for _, k := range []struct {
				name string
				got  uint64
				want *big.Float
			}{
				{"sum", binaryOf(code.Add, of)(x, y), exact().Add(A, B)},
				{"product", binaryOf(code.Mul, of)(x, y), exact().Mul(A, B)},
				{"quotient", binaryOf(code.Div, of)(x, y), exact().Quo(A, B)},
				{"fused multiply-add", fmaOf(of)(x, y, z), exact().Add(exact().Mul(A, B), C)},
			} {
				if k.want.Sign() == 0 {
					continue // of zeros the sign is another question
				}
				if want := roundHalf(k.want, h); k.got != want {
					t.Fatalf("%s of %v: %g, %g, %g gives %#x, not %#x", k.name, of, a, b, c, k.got, want)
				}
			}
		}
	}
}

// roundHalf rounds a number to odd in float64 and then as dtype does, which
// TestHalf of that package holds against exact arithmetic.
func roundHalf(x *big.Float, h half) uint64 {
	near, _ := x.Float64()
	low := new(big.Float).SetPrec(2000).Sub(x, new(big.Float).SetFloat64(near))
	v := toOdd(near, float64(low.Sign()))
	return uint64(h.to(v))
}

// TestDirected holds arithmetic that rounds in a direction against exact
// arithmetic.
func TestDirected(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	modes := map[string]big.RoundingMode{"rz": big.ToZero, "rd": big.ToNegativeInf, "ru": big.ToPositiveInf}
	for _, of := range []types.Scalar{types.F32, types.F64} {
		value := floatOf(of)
		for range 12000 {
			x, y, z := operandsOf(r, of), operandsOf(r, of), operandsOf(r, of)
			if r.IntN(2) == 0 { // near each other, where sums are inexact
				y = kept(of, x+uint64(r.IntN(1<<20)))
			}
			if r.IntN(4) == 0 {
				z = math.Float64bits(-float64(value(x) * value(y)))
				if of == types.F32 {
					z = bits32(-float32(float64(value(x) * value(y))))
				}
			}
			a, b, c := value(x), value(y), value(z)
			if !finite(a, b, c) {
				continue
			}
			exact := func() *big.Float { return new(big.Float).SetPrec(5000) }
			A, B, C := exact().SetFloat64(a), exact().SetFloat64(b), exact().SetFloat64(c)
			for _, op := range []string{"add", "mul", "div", "sqrt", "fma"} {
				var want *big.Float
				switch op {
				case "add":
					want = exact().Add(A, B)
				case "mul":
					want = exact().Mul(A, B)
				case "div":
					if b == 0 {
						continue
					}
					want = exact().Quo(A, B)
				case "sqrt":
					if a < 0 {
						continue
					}
					want = exact().Sqrt(A)
				case "fma":
					want = exact().Add(exact().Mul(A, B), C)
				}
				if want.Sign() == 0 {
					continue
				}
				for mode, m := range modes {
					var out [2]uint64
					nativeOf(op+"_"+mode, of)(&[4]uint64{x, y, z}, &out)
					got := value(out[0])
					if w := roundBig(want, of, m); got != w {
						t.Fatalf("%s_%s of %v: %g, %g, %g gives %g, not %g", op, mode, of, a, b, c, got, w)
					}
				}
			}
		}
	}
}

// roundBig rounds x to a type that has subnormals and a largest number.
func roundBig(x *big.Float, of types.Scalar, m big.RoundingMode) float64 {
	digits, least, most := uint(53), -1074, math.MaxFloat64
	if of == types.F32 {
		digits, least, most = 24, -149, math.MaxFloat32
	}
	if e := x.MantExp(nil) - least; e < int(digits) {
		// A subnormal has fewer digits.
		if e < 1 {
			tiny := math.Ldexp(1, least)
			switch {
			case m == big.ToPositiveInf && x.Sign() > 0:
				return tiny
			case m == big.ToNegativeInf && x.Sign() < 0:
				return -tiny
			}
			return 0
		}
		digits = uint(e)
	}
	y := new(big.Float).SetMode(m).SetPrec(digits).Set(x)
	v, _ := y.Float64()
	switch {
	case v > most && m != big.ToPositiveInf:
		return most
	case v < -most && m != big.ToNegativeInf:
		return -most
	case v > most:
		return math.Inf(1)
	case v < -most:
		return math.Inf(-1)
	}
	return v
}

// units bounds the errors of the functions of math.go, in units of the last
// place of a float64.
var units = map[string]float64{
	"expm1": 3, "log1p": 3, "log10": 2, "exp10": 1, "cbrt": 1, "tan": 2, "asin": 3, "acos": 3, "atan": 2, "atan2": 2,
	"sinh": 4, "cosh": 2, "asinh": 4, "acosh": 4, "atanh": 4, "sinpi": 2, "cospi": 2, "hypot": 2,
	"erf": 3, "erfc": 4, "erfcx": 3, "erfinv": 3, "normcdf": 4, "tgamma": 10, "lgamma": 4,
}

// TestElementary holds the functions of math.go against a table of arguments and
// values.
func TestElementary(t *testing.T) {
	text, err := os.ReadFile("testdata/elementary.txt")
	if err != nil {
		t.Fatal(err)
	}
	worst, seen := map[string]float64{}, map[string]int{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if words[0] == "#" {
			continue
		}
		var args [4]uint64
		for i, w := range words[1:] {
			if args[i], err = strconv.ParseUint(w, 16, 64); err != nil {
				t.Fatal(err)
			}
		}
		n := len(words) - 2
		want := math.Float64frombits(args[n])
		var out [2]uint64
		nativeOf(words[0], types.F64)(&args, &out)
		got := math.Float64frombits(out[0])
		unit := math.Abs(math.Nextafter(want, math.Inf(1)) - want)
		e := math.Abs(got-want) / unit
		seen[words[0]]++
		worst[words[0]] = max(worst[words[0]], e)
		if bound, ok := units[words[0]]; !ok || !(e <= bound) {
			t.Errorf("%s(%g) errs by %.1f units: %g, not %g", words[0], math.Float64frombits(args[0]), e, got, want)
		}
	}
	for name := range units {
		if seen[name] < 30 {
			t.Errorf("%s has %d values", name, seen[name])
		}
		t.Logf("%-8s %.1f", name, worst[name])
	}
	// Inverses undo each other far into the tails.
	for _, y := range []float64{1e-300, 1e-100, 1e-10, 0.01, 0.3, 0.5, 0.9, 1, 1.5, 1.999} {
		if got := erfc(erfcinv(y)); math.Abs(got-y) > 1e-12*y {
			t.Errorf("erfc(erfcinv(%g)) is %g", y, got)
		}
	}
	for _, y := range []float64{1e-10, 0.025, 0.5, 0.975} {
		if got := normcdf(normcdfinv(y)); math.Abs(got-y) > 1e-13 {
			t.Errorf("normcdf(normcdfinv(%g)) is %g", y, got)
		}
	}
	for _, x := range []float64{0.5, 1, 3, 10, 100} {
		if got, want := erfcx(x), 1/(x*math.Sqrt(math.Pi))*(1-1/(2*x*x)); x >= 10 && math.Abs(got-want) > 1e-3*want {
			t.Errorf("erfcx(%g) is %g, near %g", x, got, want)
		}
	}
}

// TestSpecialValues has the results that C's annex F fixes.
func TestSpecialValues(t *testing.T) {
	inf, nan, minus := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	same := func(a, b float64) bool { return a == b && math.Signbit(a) == math.Signbit(b) || a != a && b != b }
	for _, c := range []struct {
		name    string
		x, want float64
	}{
		{"sqrt", -1, nan}, {"sqrt", minus, minus}, {"rsqrt", 0, inf}, {"rsqrt", inf, 0}, {"exp", -inf, 0}, {"expm1", -inf, -1}, {"expm1", minus, minus}, {"expm1", 1e4, inf},
		{"log", 0, -inf}, {"log", -1, nan}, {"log1p", -1, -inf}, {"log1p", -2, nan}, {"log1p", minus, minus}, {"log10", 1000, 3}, {"log10", 1e-5, -5}, {"log10", 0, -inf}, {"log10", inf, inf},
		{"exp10", 2, 100}, {"exp10", -inf, 0}, {"cbrt", 27, 3}, {"cbrt", -8, -2}, {"cbrt", minus, minus}, {"cbrt", inf, inf}, {"cbrt", 5e-324, 1.7031839360032603e-108},
		{"sinpi", 1, 0}, {"sinpi", 0.5, 1}, {"sinpi", 1.5, -1}, {"cospi", 0.5, 0}, {"cospi", 1, -1}, {"cospi", 1e300, 1}, {"sinpi", inf, nan}, {"sinpi", minus, minus},
		{"asin", 1, math.Pi / 2}, {"asin", 2, nan}, {"asin", minus, minus}, {"acos", 1, 0}, {"acos", -1, math.Pi}, {"atan", inf, math.Pi / 2}, {"atan", minus, minus}, {"atan", 1, math.Pi / 4},
		{"sinh", minus, minus}, {"sinh", -inf, -inf}, {"sinh", 1000, inf}, {"cosh", -inf, inf}, {"cosh", 0, 1}, {"asinh", minus, minus}, {"acosh", 1, 0}, {"acosh", 0, nan}, {"atanh", 1, inf}, {"atanh", minus, minus}, {"atanh", 2, nan},
		{"erf", inf, 1}, {"erf", minus, minus}, {"erfc", -inf, 2}, {"erfc", inf, 0}, {"erfinv", 1, inf}, {"erfcinv", 0, inf}, {"erfcinv", 2, -inf}, {"normcdf", 0, 0.5},
		{"tgamma", 5, 24}, {"tgamma", 0, inf}, {"tgamma", minus, -inf}, {"tgamma", -1, nan}, {"tgamma", 200, inf}, {"lgamma", 1, 0}, {"lgamma", -3, inf}, {"lgamma", -inf, inf},
		{"erfcinv", 5e-324, 27.213293210812946}, {"normcdfinv", 5e-324, -38.467405617144344}, {"lgamma", -5e-324, 744.4400719213812}, {"erfcx", -27, inf},
		{"round", 2.5, 3}, {"round", -2.5, -3}, {"rint", 2.5, 2}, {"trunc", -0.5, minus}, {"ceil", -0.5, minus}, {"floor", -0.5, -1}, {"saturate", nan, 0}, {"saturate", 7, 1}, {"saturate", -7, 0}, {"saturate", 0.25, 0.25},
		{"logb", 8, 3}, {"logb", 0, -inf},
	} {
		var out [2]uint64
		nativeOf(c.name, types.F64)(&[4]uint64{math.Float64bits(c.x)}, &out)
		if got := math.Float64frombits(out[0]); !same(got, c.want) {
			t.Errorf("%s(%g) is %g, not %g", c.name, c.x, got, c.want)
		}
	}
	for _, c := range []struct {
		name       string
		x, y, want float64
	}{
		{"atan2", 0, -1, math.Pi}, {"atan2", minus, -1, -math.Pi}, {"atan2", 1, 0, math.Pi / 2}, {"atan2", inf, -inf, 3 * math.Pi / 4}, {"atan2", -1, inf, minus}, {"atan2", 1, 1, math.Pi / 4}, {"atan2", 1, -1, 3 * math.Pi / 4},
		{"hypot", 3e300, 4e300, 5e300}, {"hypot", inf, nan, inf}, {"hypot", 3e-320, 4e-320, 5e-320}, {"rhypot", 3, 4, 0.2},
		{"fmod", -7, 3, -1}, {"fmod", 7, 0, nan}, {"remainder", 7, 4, -1}, {"fdim", 3, 5, 0}, {"fdim", 5, 3, 2}, {"fdim", nan, 1, nan}, {"copysign", 2, minus, -2},
		{"nextafter", 1, 2, 1 + 0x1p-52}, {"pow", 2, 10, 1024}, {"pow", -2, 0.5, nan},
	} {
		var out [2]uint64
		nativeOf(c.name, types.F64)(&[4]uint64{math.Float64bits(c.x), math.Float64bits(c.y)}, &out)
		if got := math.Float64frombits(out[0]); !same(got, c.want) {
			t.Errorf("%s(%g, %g) is %g, not %g", c.name, c.x, c.y, got, c.want)
		}
	}
	// Whatever the tables list has a form for each of its types.
	for name, s := range code.Intrinsics {
		for _, of := range s.Types {
			var out [2]uint64
			nativeOf(name, of)(&[4]uint64{0x3f80, 0x3f80, 0x3f80, 0x3f80}, &out)
		}
	}
	if dtype.Float16Bits(1) != 0x3c00 {
		t.Error("float16 is another format")
	}
}

func TestIntegerIntrinsics(t *testing.T) {
	minus := func(n int32) uint64 { return uint64(uint32(n)) }
	for _, c := range []struct {
		name    string
		t       types.Scalar
		x, y, z uint64
		want    uint64
	}{
		{"popc", types.U32, 0xf0f0f0f0, 0, 0, 16}, {"popc", types.U64, math.MaxUint64, 0, 0, 64},
		{"clz", types.U32, 0, 0, 0, 32}, {"clz", types.U32, 1, 0, 0, 31}, {"clz", types.U64, 0, 0, 0, 64},
		{"ffs", types.U32, 0, 0, 0, 0}, {"ffs", types.U32, 8, 0, 0, 4}, {"ffs", types.U32, 1 << 31, 0, 0, 32}, {"ffs", types.U64, 1 << 63, 0, 0, 64}, {"ffs", types.U64, 0, 0, 0, 0},
		{"brev", types.U32, 1, 0, 0, 1 << 31}, {"brev", types.U64, 1, 0, 0, 1 << 63},
		{"byte_perm", types.U32, 0x33221100, 0x77665544, 0x7531, 0x77553311}, {"byte_perm", types.U32, 0x33221100, 0x77665544, 0x0123, 0x00112233},
		{"funnel_l", types.U32, 0x89abcdef, 0x01234567, 8, 0x23456789}, {"funnel_l", types.U32, 0x89abcdef, 0x01234567, 40, 0x23456789}, {"funnel_lc", types.U32, 0x89abcdef, 0x01234567, 40, 0x89abcdef},
		{"funnel_r", types.U32, 0x89abcdef, 0x01234567, 8, 0x6789abcd}, {"funnel_r", types.U32, 0x89abcdef, 0x01234567, 32, 0x89abcdef}, {"funnel_rc", types.U32, 0x89abcdef, 0x01234567, 32, 0x01234567},
		{"mul24", types.I32, minus(-3), 5, 0, minus(-15)}, {"mul24", types.U32, 0xff000003, 5, 0, 15},
		{"sad", types.I32, minus(-5), 3, 10, 18}, {"sad", types.U32, 3, 5, 10, 12},
		{"hadd", types.I32, minus(-3), minus(-4), 0, minus(-4)}, {"hadd", types.U32, 0xffffffff, 1, 0, 0x80000000}, {"rhadd", types.I32, minus(-3), minus(-4), 0, minus(-3)}, {"rhadd", types.U32, 2, 3, 0, 3},
		{"dp4a", types.I32, 0xff020304, 0x01010101, 100, 108}, {"dp4a", types.U32, 0xff020304, 0x01010101, 100, 364},
		{"dp2a_lo", types.I32, 0xffff0002, 0x05060703, 0, minus(-1)}, {"dp2a_hi", types.I32, 0xffff0002, 0x05060703, 0, 7},
		{"fns", types.U32, 0b10110, 0, 1, 1}, {"fns", types.U32, 0b10110, 0, 2, 2}, {"fns", types.U32, 0b10110, 4, minus(-2), 2}, {"fns", types.U32, 0b10110, 3, 0, 0xffffffff}, {"fns", types.U32, 0b10110, 0, 9, 0xffffffff},
	} {
		var out [2]uint64
		nativeOf(c.name, c.t)(&[4]uint64{c.x, c.y, c.z}, &out)
		if out[0] != c.want {
			t.Errorf("%s %v of %#x, %#x, %#x is %#x, not %#x", c.name, c.t, c.x, c.y, c.z, out[0], c.want)
		}
	}
}

// Every half, as one lane after another has it.
func TestWidenHalves(t *testing.T) {
	for _, c := range []struct {
		from  types.Scalar
		widen func(d, a *v32, other unary)
	}{{types.F16, widenF16}, {types.BF16, widenBF16}} {
		one := convertOf(types.F32, c.from, code.Default)
		for x := uint32(0); x < 1<<16; x += 32 {
			var d, a v32
			for i := range a {
				a[i] = x + uint32(i)
			}
			c.widen(&d, &a, one)
			for i := range a {
				if want := uint32(one(uint64(a[i]))); d[i] != want {
					t.Fatalf("%s %#04x is %#08x, not %#08x", c.from, a[i], d[i], want)
				}
			}
		}
	}
}
