package differential_test

import (
	"fmt"
	"math"
	"math/bits"

	"workbench/engine/scalar"
)

// A kind is a scalar type of C.
type kind uint8

const (
	boolean kind = iota
	char
	schar
	uchar
	short
	ushort
	integer
	uinteger
	long
	ulong
	llong
	ullong
	half
	float
	double
	kinds
)

// facts are what the language says of a kind: how many bytes, whether it has a
// sign, and the rank that decides what two become together.
var facts = [kinds]struct {
	name   string
	size   int
	signed bool
	rank   int
	suffix string
}{
	boolean: {"bool", 1, false, 0, ""}, char: {"char", 1, true, 1, ""}, schar: {"signed char", 1, true, 1, ""}, uchar: {"unsigned char", 1, false, 1, ""},
	short: {"short", 2, true, 2, ""}, ushort: {"unsigned short", 2, false, 2, ""}, integer: {"int", 4, true, 3, ""}, uinteger: {"unsigned int", 4, false, 3, "u"},
	long: {"long", 8, true, 4, "l"}, ulong: {"unsigned long", 8, false, 4, "ul"}, llong: {"long long", 8, true, 5, "ll"}, ullong: {"unsigned long long", 8, false, 5, "ull"},
	half: {"__half", 2, true, 6, ""}, float: {"float", 4, true, 7, "f"}, double: {"double", 8, true, 8, ""},
}

func (k kind) size() int      { return facts[k].size }
func (k kind) signed() bool   { return facts[k].signed }
func (k kind) floating() bool { return k >= half }

// promoted is what an operand becomes: nothing computes in less than an int.
func (k kind) promoted() kind {
	if k < integer {
		return integer
	}
	return k
}

// common is what two operands become: the usual arithmetic conversions.
func common(a, b kind) kind {
	a, b = a.promoted(), b.promoted()
	switch {
	case facts[a].rank < facts[b].rank:
		a, b = b, a
	case facts[a].rank == facts[b].rank:
		return max(a, b) // the one without a sign
	}
	if !a.floating() && a.signed() && !b.signed() && a.size() == b.size() {
		return a + 1 // of long long and unsigned long: unsigned long long
	}
	return a
}

// A scalar is kept as 64 bits: an integer extended as its kind is, a floating
// number as its own bits.
func extend(k kind, x uint64) uint64 {
	n := 64 - 8*uint(k.size())
	switch {
	case k == boolean:
		return x & 1
	case k.signed() && !k.floating():
		return uint64(int64(x<<n) >> n)
	}
	return x << n >> n
}

func f32(x uint64) float32 { return math.Float32frombits(uint32(x)) }
func f64(x uint64) float64 { return math.Float64frombits(x) }

// A NaN that is computed has one pattern for each kind. What only moves a value,
// or its sign, keeps the pattern that it has.
func bits32(x float32) uint64 {
	if x != x {
		return 0x7fffffff
	}
	return uint64(math.Float32bits(x))
}

func bits64(x float64) uint64 {
	if x != x {
		return 0xfff8000000000000
	}
	return math.Float64bits(x)
}

// number is a floating value; every half and float is a float64.
func number(k kind, x uint64) float64 {
	switch k {
	case half:
		return fromHalf(uint16(x))
	case float:
		return float64(f32(x))
	}
	return f64(x)
}

func fromHalf(h uint16) float64 {
	exponent, fraction := int(h>>10&31), float64(h&1023)
	x := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 31 && fraction != 0:
		return math.NaN()
	case exponent == 31:
		x = math.Inf(1)
	case exponent == 0:
		x = math.Ldexp(fraction, -24)
	}
	if h>>15 != 0 {
		return -x
	}
	return x
}

// toHalf rounds to the nearest half, to the even one of two.
func toHalf(x float64) uint64 {
	if x != x {
		return 0x7fff
	}
	sign := uint64(0)
	if math.Signbit(x) {
		sign, x = 0x8000, -x
	}
	_, e := math.Frexp(x) // x < 2^e
	unit := max(e-11, -24)
	n := uint64(0)
	switch {
	case math.IsInf(x, 0) || x >= 65520:
		return sign | 0x7c00
	case x > 0:
		n = uint64(math.RoundToEven(math.Ldexp(x, -unit)))
	}
	if n == 0 {
		return sign
	}
	// n·2^unit, with n up to 2048: the next exponent's first number.
	if n < 1024 {
		return sign | n
	}
	return sign | (uint64(unit+24)<<10 + n)
}

// convert gives a value of one kind as another.
func convert(to, from kind, x uint64) uint64 {
	switch {
	case to == from:
		return x
	case to == boolean && from.floating():
		return truth(number(from, x) != 0)
	case to == boolean:
		return truth(x != 0)
	case from.floating() && to.floating():
		return rounded(to, number(from, x))
	case from.floating():
		if to.size() < 4 {
			// By way of an int, which nvcc converts to first.
			wide := integer
			if !to.signed() {
				wide = uinteger
			}
			return extend(to, convert(wide, from, x))
		}
		return saturated(to, number(from, x))
	case to == float && from.signed():
		return bits32(float32(int64(x)))
	case to == float:
		return bits32(float32(x))
	case to == double && from.signed():
		return bits64(float64(int64(x)))
	case to == double:
		return bits64(float64(x))
	}
	return extend(to, x)
}

func rounded(to kind, x float64) uint64 {
	switch to {
	case half:
		return toHalf(x)
	case float:
		return bits32(float32(x))
	}
	return bits64(x)
}

// saturated cuts the fraction off, and stays within the range.
func saturated(to kind, x float64) uint64 {
	n := 8 * to.size()
	low, high, least, most := 0.0, math.Ldexp(1, n), uint64(0), ^uint64(0)>>(64-n)
	if to.signed() {
		low, high = -math.Ldexp(1, n-1), math.Ldexp(1, n-1)
		least, most = ^uint64(0)<<(n-1), 1<<(n-1)-1
	}
	x = math.Trunc(x)
	switch {
	case x != x:
		return 0
	case x < low:
		return least
	case x >= high:
		return most
	case x < 0:
		return uint64(int64(x))
	}
	return uint64(x)
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// arithmetic is x op y, both of kind k, which is promoted. Of a shift, y is the
// amount as 32 bits. By zero says that an integer was divided by zero.
func arithmetic(op string, k kind, x, y uint64) (z uint64, byZero bool) {
	if k.floating() {
		a, b := number(k, x), number(k, y)
		switch {
		case k == double:
			return bits64(real64(op, a, b)), false
		case k == float:
			return bits32(real32(op, f32(x), f32(y))), false
		}
		// Of two halves, each of these is exact in float64 or so near to a number
		// that is no tie that rounding twice does not show.
		return toHalf(real64(op, a, b)), false
	}
	width := uint64(8 * k.size())
	switch op {
	case "+":
		z = x + y
	case "-":
		z = x - y
	case "*":
		z = x * y
	case "/", "%":
		switch {
		case y == 0 && op == "/":
			z, byZero = ^uint64(0), true
		case y == 0:
			z, byZero = x, true
		case k.signed() && y == ^uint64(0) && op == "/":
			z = -x
		case k.signed() && y == ^uint64(0):
			z = 0
		case k.signed() && op == "/":
			z = uint64(int64(x) / int64(y))
		case k.signed():
			z = uint64(int64(x) % int64(y))
		case op == "/":
			z = x / y
		default:
			z = x % y
		}
	case "&":
		z = x & y
	case "|":
		z = x | y
	case "^":
		z = x ^ y
	case "<<":
		if y < width {
			z = x << y
		}
	case ">>":
		switch {
		case k.signed():
			z = uint64(int64(x) >> min(y, 63))
		case y < width:
			z = x >> y
		}
	default:
		panic(op)
	}
	return extend(k, z), byZero
}

// real32 and real64 round once: a conversion keeps a compiler from fusing.
func real32(op string, a, b float32) float32 {
	switch op {
	case "+":
		return float32(a + b)
	case "-":
		return float32(a - b)
	case "*":
		return float32(a * b)
	}
	return float32(a / b)
}

func real64(op string, a, b float64) float64 {
	switch op {
	case "+":
		return float64(a + b)
	case "-":
		return float64(a - b)
	case "*":
		return float64(a * b)
	}
	return float64(a / b)
}

func compared(op string, k kind, x, y uint64) bool {
	var less, equal, unordered bool
	switch {
	case k.floating():
		a, b := number(k, x), number(k, y)
		less, equal, unordered = a < b, a == b, a != a || b != b
	case k.signed():
		less, equal = int64(x) < int64(y), x == y
	default:
		less, equal = x < y, x == y
	}
	switch op {
	case "==":
		return equal
	case "!=":
		return !equal
	case "<":
		return less
	case "<=":
		return less || equal
	case ">":
		return !less && !equal && !unordered
	case ">=":
		return !less && !unordered
	}
	panic(op)
}

// least is fmin: a NaN loses, and −0 is below 0.
func least(a, b float64) float64 {
	switch {
	case a != a:
		return b
	case b != b || a < b || a == b && math.Signbit(a):
		return a
	}
	return b
}

// A builtin is a function of CUDA that both sides know.
type builtin struct {
	name string
	args []kind
	ret  kind
	f    func(a []uint64) uint64
}

func u32(x uint64) uint32 { return uint32(x) }

var builtins = func() []builtin {
	list := []builtin{
		{"__popc", []kind{uinteger}, integer, func(a []uint64) uint64 { return uint64(bits.OnesCount32(u32(a[0]))) }},
		{"__popcll", []kind{ullong}, integer, func(a []uint64) uint64 { return uint64(bits.OnesCount64(a[0])) }},
		{"__clz", []kind{integer}, integer, func(a []uint64) uint64 { return uint64(bits.LeadingZeros32(u32(a[0]))) }},
		{"__clzll", []kind{llong}, integer, func(a []uint64) uint64 { return uint64(bits.LeadingZeros64(a[0])) }},
		{"__ffs", []kind{integer}, integer, func(a []uint64) uint64 { return uint64((bits.TrailingZeros32(u32(a[0])) + 1) % 33) }},
		{"__ffsll", []kind{llong}, integer, func(a []uint64) uint64 { return uint64((bits.TrailingZeros64(a[0]) + 1) % 65) }},
		{"__brev", []kind{uinteger}, uinteger, func(a []uint64) uint64 { return uint64(bits.Reverse32(u32(a[0]))) }},
		{"__brevll", []kind{ullong}, ullong, func(a []uint64) uint64 { return bits.Reverse64(a[0]) }},
		{"__mulhi", []kind{integer, integer}, integer, func(a []uint64) uint64 { return uint64(int64(a[0]) * int64(a[1]) >> 32) }},
		{"__umulhi", []kind{uinteger, uinteger}, uinteger, func(a []uint64) uint64 { return a[0] * a[1] >> 32 }},
		{"__umul64hi", []kind{ullong, ullong}, ullong, func(a []uint64) uint64 { hi, _ := bits.Mul64(a[0], a[1]); return hi }},
		{"__byte_perm", []kind{uinteger, uinteger, uinteger}, uinteger, func(a []uint64) uint64 {
			out, from := uint64(0), a[1]<<32|a[0]
			for i := range 4 {
				s := a[2] >> (4 * i) & 7 // the fourth bit, which prmt knows, is taken out
				out |= from >> (8 * s) & 255 << (8 * i)
			}
			return out
		}},
		{"__funnelshift_l", []kind{uinteger, uinteger, uinteger}, uinteger, func(a []uint64) uint64 { return (a[1]<<32 | a[0]) << (a[2] & 31) >> 32 }},
		{"__funnelshift_r", []kind{uinteger, uinteger, uinteger}, uinteger, func(a []uint64) uint64 { return uint64(u32((a[1]<<32 | a[0]) >> (a[2] & 31))) }},
		{"fmaf", []kind{float, float, float}, float, func(a []uint64) uint64 { return bits32(scalar.FMA32(f32(a[0]), f32(a[1]), f32(a[2]))) }},
		{"fma", []kind{double, double, double}, double, func(a []uint64) uint64 { return bits64(math.FMA(f64(a[0]), f64(a[1]), f64(a[2]))) }},
		{"__float_as_int", []kind{float}, integer, func(a []uint64) uint64 { return extend(integer, a[0]) }},
		{"__int_as_float", []kind{integer}, float, func(a []uint64) uint64 { return uint64(u32(a[0])) }},
		{"__double_as_longlong", []kind{double}, llong, func(a []uint64) uint64 { return a[0] }},
		{"__longlong_as_double", []kind{llong}, double, func(a []uint64) uint64 { return a[0] }},
		{"__float2int_rn", []kind{float}, integer, func(a []uint64) uint64 { return saturated(integer, math.RoundToEven(number(float, a[0]))) }},
		{"__float2uint_ru", []kind{float}, uinteger, func(a []uint64) uint64 { return saturated(uinteger, math.Ceil(number(float, a[0]))) }},
		{"__double2ll_rd", []kind{double}, llong, func(a []uint64) uint64 { return saturated(llong, math.Floor(f64(a[0]))) }},
	}
	for _, k := range []kind{integer, uinteger, llong, ullong} {
		pick := func(smaller bool) func(a []uint64) uint64 {
			return func(a []uint64) uint64 {
				if compared("<", k, a[0], a[1]) == smaller {
					return a[0]
				}
				return a[1]
			}
		}
		list = append(list, builtin{"min", []kind{k, k}, k, pick(true)}, builtin{"max", []kind{k, k}, k, pick(false)})
		if k.signed() {
			list = append(list, builtin{"abs", []kind{k}, k, func(a []uint64) uint64 {
				if int64(a[0]) < 0 {
					return extend(k, -a[0])
				}
				return a[0]
			}})
		}
	}
	for _, k := range []kind{float, double} {
		f := ""
		if k == float {
			f = "f"
		}
		one := func(name string, of func(float64) float64) {
			list = append(list, builtin{name + f, []kind{k}, k, func(a []uint64) uint64 { return rounded(k, of(number(k, a[0]))) }})
		}
		// The root of a float, rounded to float64 first, is the same: 53 bits are
		// more than twice 24 and two.
		one("sqrt", math.Sqrt)
		one("floor", math.Floor)
		one("ceil", math.Ceil)
		one("trunc", math.Trunc)
		one("rint", math.RoundToEven)
		one("round", math.Round)
		list = append(list,
			builtin{"fmin" + f, []kind{k, k}, k, func(a []uint64) uint64 { return rounded(k, least(number(k, a[0]), number(k, a[1]))) }},
			builtin{"fmax" + f, []kind{k, k}, k, func(a []uint64) uint64 { return rounded(k, -least(-number(k, a[0]), -number(k, a[1]))) }},
			builtin{"fabs" + f, []kind{k}, k, func(a []uint64) uint64 { return a[0] &^ (1 << (8*k.size() - 1)) }},
			builtin{"fmod" + f, []kind{k, k}, k, func(a []uint64) uint64 { return rounded(k, math.Mod(number(k, a[0]), number(k, a[1]))) }},
			builtin{"copysign" + f, []kind{k, k}, k, func(a []uint64) uint64 {
				sign := uint64(1) << (8*k.size() - 1)
				return a[0]&^sign | a[1]&sign
			}},
			builtin{"isnan", []kind{k}, boolean, func(a []uint64) uint64 { x := number(k, a[0]); return truth(x != x) }},
			builtin{"isinf", []kind{k}, boolean, func(a []uint64) uint64 { return truth(math.IsInf(number(k, a[0]), 0)) }},
			builtin{"signbit", []kind{k}, boolean, func(a []uint64) uint64 { return truth(a[0]>>(8*k.size()-1) != 0) }},
		)
	}
	return list
}()

// halfBuiltins are those of cuda_fp16.h.
var halfBuiltins = []builtin{
	{"__half2float", []kind{half}, float, func(a []uint64) uint64 { return convert(float, half, a[0]) }},
	{"__half_as_ushort", []kind{half}, ushort, func(a []uint64) uint64 { return a[0] }},
}

// toHalves make one.
var toHalves = []builtin{
	{"__float2half", []kind{float}, half, func(a []uint64) uint64 { return convert(half, float, a[0]) }},
	{"__ushort_as_half", []kind{ushort}, half, func(a []uint64) uint64 { return a[0] }},
}

// called is what a builtin gives; its arguments are of its kinds.
func (b *builtin) called(a []uint64) uint64 {
	if len(a) != len(b.args) {
		panic(fmt.Sprint(b.name, a))
	}
	return extend(b.ret, b.f(a))
}
