package run

import (
	"math"
	"math/bits"

	"workbench/engine/dtype"
	"workbench/engine/scalar"
	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

// Every operation is defined here once, for one lane, on the bits of its
// operands: 32 of them at the lower end for types of four bytes and fewer, of
// which those of one and two bytes are sign- or zero-extended to 32. lanes.go has
// faster forms of some for 32 lanes.

type (
	unary   func(x uint64) uint64
	binary  func(x, y uint64) uint64
	ternary func(x, y, z uint64) uint64
	test    func(x, y uint64) bool
)

// A NaN that comes out of arithmetic is this one, as it is on a GPU.
const (
	nan16 = 0x7fff
	nan32 = 0x7fffffff
	nan64 = 0xfff8000000000000
)

func f32(x uint64) float32 { return math.Float32frombits(uint32(x)) }
func f64(x uint64) float64 { return math.Float64frombits(x) }

func bits32(x float32) uint64 {
	if x != x {
		return nan32
	}
	return uint64(math.Float32bits(x))
}

func bits64(x float64) uint64 {
	if x != x {
		return nan64
	}
	return math.Float64bits(x)
}

// half is float16 or bfloat16.
type half struct {
	from func(pattern uint16) float64
	to   func(x float64) uint16
}

var (
	float16  = half{dtype.Float16FromBits, dtype.Float16Bits}
	bfloat16 = half{dtype.BFloat16FromBits, dtype.BFloat16Bits}
)

func halfOf(t types.Scalar) half {
	if t == types.BF16 {
		return bfloat16
	}
	return float16
}

func (h half) value(x uint64) float64 { return h.from(uint16(x)) }

// bits rounds once.
func (h half) bits(x float64) uint64 {
	if x != x {
		return nan16
	}
	return uint64(h.to(x))
}

// odd returns the sum of two float64, rounded to odd if it is not exact: a
// number that any narrower format rounds to as it does to the exact sum.
func odd(a, b float64) float64 {
	sum := a + b
	if sum-sum != 0 {
		return sum
	}
	part := sum - a
	lost := (a - (sum - part)) + (b - part)
	pattern := math.Float64bits(sum)
	if pattern&1 == 0 && lost != 0 {
		if (lost > 0) == (sum > 0) {
			pattern++
		} else {
			pattern--
		}
	}
	return math.Float64frombits(pattern)
}

// ---- unary -------------------------------------------------------------------

func unaryOf(op code.UnaryOp, t types.Scalar) unary {
	switch op {
	case code.Neg:
		switch {
		case t.Float():
			sign := signOf(t)
			return func(x uint64) uint64 { return x ^ sign }
		case t.Size() == 8:
			return func(x uint64) uint64 { return -x }
		}
		return func(x uint64) uint64 { return uint64(-uint32(x)) }
	case code.Not:
		if t.Size() == 8 {
			return func(x uint64) uint64 { return ^x }
		}
		return func(x uint64) uint64 { return uint64(^uint32(x)) }
	case code.Abs:
		switch {
		case t.Float():
			sign := signOf(t)
			return func(x uint64) uint64 { return x &^ sign }
		case t.Size() == 8:
			return func(x uint64) uint64 {
				if int64(x) < 0 {
					return -x
				}
				return x
			}
		}
		return func(x uint64) uint64 {
			if int32(x) < 0 {
				return uint64(-uint32(x))
			}
			return x
		}
	}
	panic("BUG: no unary " + op.String())
}

// signOf returns the sign bit of a float type.
func signOf(t types.Scalar) uint64 { return 1 << (t.Bits() - 1) }

// ---- binary ------------------------------------------------------------------

func binaryOf(op code.BinaryOp, t types.Scalar) binary {
	switch t {
	case types.I32:
		return integer32(op, true)
	case types.U32:
		return integer32(op, false)
	case types.I64:
		return integer64(op, true)
	case types.U64:
		return integer64(op, false)
	case types.F32:
		return float32Op(op)
	case types.F64:
		return float64Op(op)
	case types.F16, types.BF16:
		return halfOp(op, halfOf(t))
	}
	panic("BUG: no " + op.String() + " of " + t.String())
}

func integer32(op code.BinaryOp, signed bool) binary {
	switch op {
	case code.Add:
		return func(x, y uint64) uint64 { return uint64(uint32(x) + uint32(y)) }
	case code.Sub:
		return func(x, y uint64) uint64 { return uint64(uint32(x) - uint32(y)) }
	case code.Mul:
		return func(x, y uint64) uint64 { return uint64(uint32(x) * uint32(y)) }
	case code.And:
		return func(x, y uint64) uint64 { return x & y }
	case code.Or:
		return func(x, y uint64) uint64 { return x | y }
	case code.Xor:
		return func(x, y uint64) uint64 { return x ^ y }
	case code.Shl:
		return func(x, y uint64) uint64 { return uint64(uint32(x) << uint32(y)) }
	}
	if signed {
		switch op {
		case code.Div:
			return func(x, y uint64) uint64 {
				if uint32(y) == 0 {
					return math.MaxUint32
				}
				return uint64(uint32(int32(x) / int32(y)))
			}
		case code.Rem:
			return func(x, y uint64) uint64 {
				if uint32(y) == 0 {
					return x
				}
				return uint64(uint32(int32(x) % int32(y)))
			}
		case code.Min:
			return func(x, y uint64) uint64 { return uint64(uint32(min(int32(x), int32(y)))) }
		case code.Max:
			return func(x, y uint64) uint64 { return uint64(uint32(max(int32(x), int32(y)))) }
		case code.Shr:
			return func(x, y uint64) uint64 { return uint64(uint32(int32(x) >> uint32(y))) }
		case code.MulHi:
			return func(x, y uint64) uint64 { return uint64(uint32(int64(int32(x)) * int64(int32(y)) >> 32)) }
		}
	}
	switch op {
	case code.Div:
		return func(x, y uint64) uint64 {
			if uint32(y) == 0 {
				return math.MaxUint32
			}
			return uint64(uint32(x) / uint32(y))
		}
	case code.Rem:
		return func(x, y uint64) uint64 {
			if uint32(y) == 0 {
				return x
			}
			return uint64(uint32(x) % uint32(y))
		}
	case code.Min:
		return func(x, y uint64) uint64 { return min(x, y) }
	case code.Max:
		return func(x, y uint64) uint64 { return max(x, y) }
	case code.Shr:
		return func(x, y uint64) uint64 { return uint64(uint32(x) >> uint32(y)) }
	case code.MulHi:
		return func(x, y uint64) uint64 { return uint64(uint32(x)) * uint64(uint32(y)) >> 32 }
	}
	panic("BUG: no integer " + op.String())
}

func integer64(op code.BinaryOp, signed bool) binary {
	switch op {
	case code.Add:
		return func(x, y uint64) uint64 { return x + y }
	case code.Sub:
		return func(x, y uint64) uint64 { return x - y }
	case code.Mul:
		return func(x, y uint64) uint64 { return x * y }
	case code.And:
		return func(x, y uint64) uint64 { return x & y }
	case code.Or:
		return func(x, y uint64) uint64 { return x | y }
	case code.Xor:
		return func(x, y uint64) uint64 { return x ^ y }
	case code.Shl:
		return func(x, y uint64) uint64 { return x << uint32(y) }
	}
	if signed {
		switch op {
		case code.Div:
			return func(x, y uint64) uint64 {
				if y == 0 {
					return math.MaxUint64
				}
				return uint64(int64(x) / int64(y))
			}
		case code.Rem:
			return func(x, y uint64) uint64 {
				if y == 0 {
					return x
				}
				return uint64(int64(x) % int64(y))
			}
		case code.Min:
			return func(x, y uint64) uint64 { return uint64(min(int64(x), int64(y))) }
		case code.Max:
			return func(x, y uint64) uint64 { return uint64(max(int64(x), int64(y))) }
		case code.Shr:
			return func(x, y uint64) uint64 { return uint64(int64(x) >> uint32(y)) }
		case code.MulHi:
			return func(x, y uint64) uint64 {
				hi, _ := bits.Mul64(x, y)
				if int64(x) < 0 {
					hi -= y
				}
				if int64(y) < 0 {
					hi -= x
				}
				return hi
			}
		}
	}
	switch op {
	case code.Div:
		return func(x, y uint64) uint64 {
			if y == 0 {
				return math.MaxUint64
			}
			return x / y
		}
	case code.Rem:
		return func(x, y uint64) uint64 {
			if y == 0 {
				return x
			}
			return x % y
		}
	case code.Min:
		return func(x, y uint64) uint64 { return min(x, y) }
	case code.Max:
		return func(x, y uint64) uint64 { return max(x, y) }
	case code.Shr:
		return func(x, y uint64) uint64 { return x >> uint32(y) }
	case code.MulHi:
		return func(x, y uint64) uint64 {
			hi, _ := bits.Mul64(x, y)
			return hi
		}
	}
	panic("BUG: no integer " + op.String())
}

func float32Op(op code.BinaryOp) binary {
	switch op {
	case code.Add:
		return func(x, y uint64) uint64 { return bits32(f32(x) + f32(y)) }
	case code.Sub:
		return func(x, y uint64) uint64 { return bits32(f32(x) - f32(y)) }
	case code.Mul:
		return func(x, y uint64) uint64 { return bits32(float32(f32(x) * f32(y))) }
	case code.Div:
		return func(x, y uint64) uint64 { return bits32(f32(x) / f32(y)) }
	case code.Min:
		return func(x, y uint64) uint64 { return bits32(float32(least(float64(f32(x)), float64(f32(y))))) }
	case code.Max:
		return func(x, y uint64) uint64 { return bits32(float32(most(float64(f32(x)), float64(f32(y))))) }
	}
	panic("BUG: no float " + op.String())
}

func float64Op(op code.BinaryOp) binary {
	switch op {
	case code.Add:
		return func(x, y uint64) uint64 { return bits64(f64(x) + f64(y)) }
	case code.Sub:
		return func(x, y uint64) uint64 { return bits64(f64(x) - f64(y)) }
	case code.Mul:
		return func(x, y uint64) uint64 { return bits64(float64(f64(x) * f64(y))) }
	case code.Div:
		return func(x, y uint64) uint64 { return bits64(f64(x) / f64(y)) }
	case code.Min:
		return func(x, y uint64) uint64 { return bits64(least(f64(x), f64(y))) }
	case code.Max:
		return func(x, y uint64) uint64 { return bits64(most(f64(x), f64(y))) }
	}
	panic("BUG: no float " + op.String())
}

// halfOp computes in float64 and rounds once more. That is the correctly
// rounded result: sums and products of float16 are exact in float64, and for
// the others 53 bits are more than 2·11 + 2 (S. A. Figueroa, "When is double
// rounding innocuous?", SIGNUM 30(3), 1995).
func halfOp(op code.BinaryOp, h half) binary {
	wide := float64Op(op)
	return func(x, y uint64) uint64 {
		return h.bits(f64(wide(math.Float64bits(h.value(x)), math.Float64bits(h.value(y)))))
	}
}

// least is fmin: a NaN is left out, and −0 is below +0.
func least(x, y float64) float64 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	case x == 0 && y == 0 && math.Signbit(x):
		return x
	case x < y:
		return x
	}
	return y
}

// most is fmax.
func most(x, y float64) float64 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	case x == 0 && y == 0 && !math.Signbit(x):
		return x
	case x > y:
		return x
	}
	return y
}

// ---- products with a sum -------------------------------------------------------

// fmaOf is x·y + z, rounded once.
func fmaOf(t types.Scalar) ternary {
	switch t {
	case types.F32:
		return func(x, y, z uint64) uint64 { return bits32(scalar.FMA32(f32(x), f32(y), f32(z))) }
	case types.F64:
		return func(x, y, z uint64) uint64 { return bits64(math.FMA(f64(x), f64(y), f64(z))) }
	}
	h := halfOf(t)
	return func(x, y, z uint64) uint64 {
		// 16 or 22 bits: the product is exact.
		return h.bits(odd(float64(h.value(x)*h.value(y)), h.value(z)))
	}
}

// mulAddOf is ±x·y ± z as the contract has it.
func mulAddOf(t types.Scalar, fused, negProduct, negAddend bool) ternary {
	sign := signOf(t)
	one := fmaOf(t)
	if !fused {
		mul, add := binaryOf(code.Mul, t), binaryOf(code.Add, t)
		one = func(x, y, z uint64) uint64 { return add(mul(x, y), z) }
	}
	var product, addend uint64
	if negProduct {
		product = sign
	}
	if negAddend {
		addend = sign
	}
	if product|addend == 0 {
		return one
	}
	return func(x, y, z uint64) uint64 { return one(x^product, y, z^addend) }
}

// ---- comparison ----------------------------------------------------------------

func compareOf(op code.CompareOp, t types.Scalar) test {
	switch t {
	case types.I32:
		return ordered(op, func(x uint64) int32 { return int32(x) })
	case types.U32:
		return ordered(op, func(x uint64) uint32 { return uint32(x) })
	case types.I64:
		return ordered(op, func(x uint64) int64 { return int64(x) })
	case types.U64, types.Ptr:
		return ordered(op, func(x uint64) uint64 { return x })
	case types.F32:
		return ordered(op, f32)
	case types.F64:
		return ordered(op, f64)
	case types.F16, types.BF16:
		return ordered(op, halfOf(t).value)
	}
	panic("BUG: no comparison of " + t.String())
}

func ordered[T int32 | uint32 | int64 | uint64 | float32 | float64](op code.CompareOp, as func(uint64) T) test {
	switch op {
	case code.EQ:
		return func(x, y uint64) bool { return as(x) == as(y) }
	case code.NE:
		return func(x, y uint64) bool { return as(x) != as(y) }
	case code.LT:
		return func(x, y uint64) bool { return as(x) < as(y) }
	case code.LE:
		return func(x, y uint64) bool { return as(x) <= as(y) }
	case code.GT:
		return func(x, y uint64) bool { return as(x) > as(y) }
	}
	return func(x, y uint64) bool { return as(x) >= as(y) }
}

// ---- conversion ----------------------------------------------------------------

// extend returns the bits of an integer type as it is kept: of the wrapped
// value of x.
func extend(t types.Scalar, x uint64) uint64 {
	switch t {
	case types.I8:
		return uint64(uint32(int8(x)))
	case types.U8:
		return uint64(uint8(x))
	case types.I16:
		return uint64(uint32(int16(x)))
	case types.U16:
		return uint64(uint16(x))
	case types.I32, types.U32:
		return uint64(uint32(x))
	}
	return x
}

// widen returns the value of an integer's bits in 64.
func widen(t types.Scalar, x uint64) uint64 {
	if t.Signed() && t.Size() < 8 {
		return uint64(int64(int32(x)))
	}
	return x
}

// convertOf is the conversion between two types that are not pred.
func convertOf(to, from types.Scalar, r code.Rounding) unary {
	if to == types.Ptr {
		to = types.U64
	}
	if from == types.Ptr {
		from = types.U64
	}
	switch {
	case to.Integer() && from.Integer():
		return func(x uint64) uint64 { return extend(to, widen(from, x)) }
	case to.Integer():
		value, via := floatOf(from), to
		if to.Size() < 4 {
			via = types.U32
			if to.Signed() {
				via = types.I32
			}
		}
		return func(x uint64) uint64 { return extend(to, toInteger(via, integral(value(x), r))) }
	case from.Integer():
		return fromInteger(to, from, r)
	}
	value := floatOf(from)
	if to.Size() >= from.Size() && !(to.Size() == 2 && to != from) {
		r = code.Default // exact
	}
	switch to {
	case types.F64:
		return func(x uint64) uint64 { return bits64(value(x)) }
	case types.F32:
		return func(x uint64) uint64 { return bits32(toFloat32(value(x), r)) }
	}
	h := halfOf(to)
	return func(x uint64) uint64 { return h.bits(directed(value(x), r, h)) }
}

// floatOf returns what makes a float64 of a float type's bits.
func floatOf(t types.Scalar) func(uint64) float64 {
	switch t {
	case types.F32:
		return func(x uint64) float64 { return float64(f32(x)) }
	case types.F64:
		return f64
	}
	return halfOf(t).value
}

// integral rounds to an integer, Default towards zero.
func integral(x float64, r code.Rounding) float64 {
	switch r {
	case code.ToNearest:
		return math.RoundToEven(x)
	case code.Down:
		return math.Floor(x)
	case code.Up:
		return math.Ceil(x)
	}
	return math.Trunc(x)
}

// toInteger saturates to the range of t, and takes NaN for 0. x is integral.
func toInteger(t types.Scalar, x float64) uint64 {
	if x != x {
		return 0
	}
	n := t.Bits()
	if t.Signed() {
		limit := float64(uint64(1) << (n - 1))
		switch {
		case x >= limit:
			return uint64(1)<<(n-1) - 1
		case x < -limit:
			return -(uint64(1) << (n - 1))
		}
		return uint64(int64(x))
	}
	switch {
	case x <= 0:
		return 0
	case n == 64 && x >= 1<<64:
		return math.MaxUint64
	case n < 64 && x >= float64(uint64(1)<<n):
		return uint64(1)<<n - 1
	case x >= 1<<63:
		return uint64(int64(x-(1<<63))) + 1<<63
	}
	return uint64(int64(x))
}

// fromInteger rounds an integer to a float type, once.
func fromInteger(to, from types.Scalar, r code.Rounding) unary {
	magnitude := func(x uint64) (negative bool, m uint64) {
		if from.Signed() {
			if v := int64(widen(from, x)); v < 0 {
				return true, uint64(-v)
			}
		}
		return false, widen(from, x)
	}
	// Odd in float64 keeps what a narrower format needs to know of 64 bits.
	oddly := func(m uint64) float64 {
		if m < 1<<53 {
			return float64(m)
		}
		n := 11 - bits.LeadingZeros64(m)
		kept := m >> n
		if m != kept<<n {
			kept |= 1
		}
		return math.Ldexp(float64(kept), n)
	}
	give := func(negative bool, x float64) float64 {
		if negative {
			return -x
		}
		return x
	}
	switch to {
	case types.F64:
		return func(x uint64) uint64 {
			negative, m := magnitude(x)
			v := give(negative, float64(m))
			if r == code.Default || r == code.ToNearest || m < 1<<53 {
				return bits64(v)
			}
			n := 11 - bits.LeadingZeros64(m)
			kept := m >> n
			if m != kept<<n && (r == code.Up && !negative || r == code.Down && negative) {
				kept++
			}
			return bits64(give(negative, math.Ldexp(float64(kept), n)))
		}
	case types.F32:
		return func(x uint64) uint64 {
			negative, m := magnitude(x)
			return bits32(toFloat32(give(negative, oddly(m)), r))
		}
	}
	h := halfOf(to)
	return func(x uint64) uint64 {
		negative, m := magnitude(x)
		return h.bits(directed(give(negative, oddly(m)), r, h))
	}
}

// toFloat32 rounds x.
func toFloat32(x float64, r code.Rounding) float32 {
	y := float32(x)
	if r == code.Default || r == code.ToNearest || float64(y) == x || x != x {
		return y
	}
	above := float64(y) > x
	switch {
	case above && (r == code.Down || r == code.ToZero && x > 0):
		return math.Nextafter32(y, float32(math.Inf(-1)))
	case !above && (r == code.Up || r == code.ToZero && x < 0):
		return math.Nextafter32(y, float32(math.Inf(1)))
	}
	return y
}

// directed returns a float64 that h rounds to what x is rounded to by r.
func directed(x float64, r code.Rounding, h half) float64 {
	if r == code.Default || r == code.ToNearest || x-x != 0 {
		return x
	}
	pattern := h.to(x)
	y := h.from(pattern)
	if y == x {
		return x
	}
	// A pattern's neighbours are the neighbours of its number, the one above
	// further from zero.
	away, toward := h.from(pattern+1), h.from(pattern-1)
	above, negative := y > x, math.Signbit(y)
	switch {
	case above && (r == code.Down || r == code.ToZero && x > 0):
		if negative {
			return away
		}
		return toward
	case !above && (r == code.Up || r == code.ToZero && x < 0):
		if negative {
			return toward
		}
		return away
	}
	return y
}
