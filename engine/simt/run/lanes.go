package run

import (
	"math"

	"workbench/engine/scalar"
	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

// Operations on all lanes at once. Each computes every lane, whether it is
// active or not: that costs nothing, and the mask is the writer's affair.

type (
	binary32  func(d, a, b *v32)
	binary64  func(d, a, b *v64)
	ternary32 func(d, a, b, c *v32)
	ternary64 func(d, a, b, c *v64)
	test32    func(a, b *v32) uint32
	test64    func(a, b *v64) uint32
)

// ---- from one lane to all ------------------------------------------------------

func liftBinary32(f binary) binary32 {
	return func(d, a, b *v32) {
		for i := range d {
			d[i] = uint32(f(uint64(a[i]), uint64(b[i])))
		}
	}
}

func liftBinary64(f binary) binary64 {
	return func(d, a, b *v64) {
		for i := range d {
			d[i] = f(a[i], b[i])
		}
	}
}

func liftTernary32(f ternary) ternary32 {
	return func(d, a, b, c *v32) {
		for i := range d {
			d[i] = uint32(f(uint64(a[i]), uint64(b[i]), uint64(c[i])))
		}
	}
}

func liftTernary64(f ternary) ternary64 {
	return func(d, a, b, c *v64) {
		for i := range d {
			d[i] = f(a[i], b[i], c[i])
		}
	}
}

func liftTest32(f test) test32 {
	return func(a, b *v32) uint32 {
		m := uint32(0)
		for i := range a {
			if f(uint64(a[i]), uint64(b[i])) {
				m |= 1 << i
			}
		}
		return m
	}
}

func liftTest64(f test) test64 {
	return func(a, b *v64) uint32 {
		m := uint32(0)
		for i := range a {
			if f(a[i], b[i]) {
				m |= 1 << i
			}
		}
		return m
	}
}

// ---- the common ones -----------------------------------------------------------

// lanes32 returns a binary operation on registers of 32 bits.
func lanes32(op code.BinaryOp, t types.Scalar) binary32 {
	if vectors {
		switch {
		case t == types.F32 && op == code.Add:
			return addF32
		case t == types.F32 && op == code.Sub:
			return subF32
		case t == types.F32 && op == code.Mul:
			return mulF32
		case t == types.F32 && op == code.Div:
			return divF32
		case t.Integer() && op == code.Add:
			return add32
		case t.Integer() && op == code.Sub:
			return sub32
		case t.Integer() && op == code.Mul:
			return mul32
		}
	}
	if t == types.F32 {
		switch op {
		case code.Add:
			return func(d, a, b *v32) {
				for i := range d {
					d[i] = canonical(math.Float32frombits(a[i]) + math.Float32frombits(b[i]))
				}
			}
		case code.Sub:
			return func(d, a, b *v32) {
				for i := range d {
					d[i] = canonical(math.Float32frombits(a[i]) - math.Float32frombits(b[i]))
				}
			}
		case code.Mul:
			return func(d, a, b *v32) {
				for i := range d {
					d[i] = canonical(float32(math.Float32frombits(a[i]) * math.Float32frombits(b[i])))
				}
			}
		case code.Div:
			return func(d, a, b *v32) {
				for i := range d {
					d[i] = canonical(math.Float32frombits(a[i]) / math.Float32frombits(b[i]))
				}
			}
		}
	}
	if t == types.I32 || t == types.U32 {
		switch op {
		case code.Add:
			return func(d, a, b *v32) {
				for i := range d {
					d[i] = a[i] + b[i]
				}
			}
		case code.Sub:
			return func(d, a, b *v32) {
				for i := range d {
					d[i] = a[i] - b[i]
				}
			}
		case code.Mul:
			return func(d, a, b *v32) {
				for i := range d {
					d[i] = a[i] * b[i]
				}
			}
		case code.And:
			return func(d, a, b *v32) {
				for i := range d {
					d[i] = a[i] & b[i]
				}
			}
		case code.Or:
			return func(d, a, b *v32) {
				for i := range d {
					d[i] = a[i] | b[i]
				}
			}
		case code.Xor:
			return func(d, a, b *v32) {
				for i := range d {
					d[i] = a[i] ^ b[i]
				}
			}
		case code.Shl:
			return func(d, a, b *v32) {
				for i := range d {
					d[i] = a[i] << b[i]
				}
			}
		case code.Shr:
			if t == types.U32 {
				return func(d, a, b *v32) {
					for i := range d {
						d[i] = a[i] >> b[i]
					}
				}
			}
		}
	}
	return liftBinary32(binaryOf(op, t))
}

// canonical returns the bits of a result.
func canonical(x float32) uint32 {
	if x != x {
		return nan32
	}
	return math.Float32bits(x)
}

// lanes64 returns a binary operation on registers of 64 bits that is no shift.
func lanes64(op code.BinaryOp, t types.Scalar) binary64 {
	if vectors {
		switch {
		case t == types.F64 && op == code.Add:
			return addF64
		case t == types.F64 && op == code.Sub:
			return subF64
		case t == types.F64 && op == code.Mul:
			return mulF64
		case t.Integer() && op == code.Add:
			return add64
		case t.Integer() && op == code.Sub:
			return sub64
		}
	}
	if t == types.F64 {
		switch op {
		case code.Add:
			return func(d, a, b *v64) {
				for i := range d {
					d[i] = bits64(math.Float64frombits(a[i]) + math.Float64frombits(b[i]))
				}
			}
		case code.Mul:
			return func(d, a, b *v64) {
				for i := range d {
					d[i] = bits64(float64(math.Float64frombits(a[i]) * math.Float64frombits(b[i])))
				}
			}
		}
	}
	if t == types.I64 || t == types.U64 {
		switch op {
		case code.Add:
			return func(d, a, b *v64) {
				for i := range d {
					d[i] = a[i] + b[i]
				}
			}
		case code.Sub:
			return func(d, a, b *v64) {
				for i := range d {
					d[i] = a[i] - b[i]
				}
			}
		case code.Mul:
			return func(d, a, b *v64) {
				for i := range d {
					d[i] = a[i] * b[i]
				}
			}
		}
	}
	return liftBinary64(binaryOf(op, t))
}

// muladd32 returns a product with a sum, of registers of 32 bits.
func muladd32(t types.Scalar, fused, negProduct, negAddend bool) ternary32 {
	if t == types.F32 && !negProduct && !negAddend {
		if vectors && fused {
			return fmaF32
		}
		if vectors {
			return mulAddF32
		}
		if fused {
			return func(d, a, b, c *v32) {
				for i := range d {
					d[i] = canonical(scalar.FMA32(math.Float32frombits(a[i]), math.Float32frombits(b[i]), math.Float32frombits(c[i])))
				}
			}
		}
		return func(d, a, b, c *v32) {
			for i := range d {
				d[i] = canonical(float32(math.Float32frombits(a[i])*math.Float32frombits(b[i])) + math.Float32frombits(c[i]))
			}
		}
	}
	return liftTernary32(mulAddOf(t, fused, negProduct, negAddend))
}

// muladd64 is muladd32 of registers of 64 bits.
func muladd64(t types.Scalar, fused, negProduct, negAddend bool) ternary64 {
	if t == types.F64 && !negProduct && !negAddend {
		if vectors && fused {
			return fmaF64
		}
		if vectors {
			return mulAddF64
		}
		if fused {
			return func(d, a, b, c *v64) {
				for i := range d {
					d[i] = bits64(math.FMA(math.Float64frombits(a[i]), math.Float64frombits(b[i]), math.Float64frombits(c[i])))
				}
			}
		}
		return func(d, a, b, c *v64) {
			for i := range d {
				d[i] = bits64(float64(math.Float64frombits(a[i])*math.Float64frombits(b[i])) + math.Float64frombits(c[i]))
			}
		}
	}
	return liftTernary64(mulAddOf(t, fused, negProduct, negAddend))
}

// compare32 returns a comparison of registers of 32 bits, a bit for each lane.
func compare32(op code.CompareOp, t types.Scalar) test32 {
	if t == types.I32 || t == types.U32 {
		flip := uint32(0)
		if t == types.I32 {
			flip = 1 << 31 // the order of signed numbers is that of unsigned ones half a turn further
		}
		switch op {
		case code.EQ:
			return equal32
		case code.NE:
			return func(a, b *v32) uint32 { return ^equal32(a, b) }
		case code.LT:
			return func(a, b *v32) uint32 { return less32(a, b, flip) }
		case code.GE:
			return func(a, b *v32) uint32 { return ^less32(a, b, flip) }
		case code.GT:
			return func(a, b *v32) uint32 { return less32(b, a, flip) }
		case code.LE:
			return func(a, b *v32) uint32 { return ^less32(b, a, flip) }
		}
	}
	if vectors && t == types.F32 {
		switch op {
		case code.EQ:
			return equalF32
		case code.NE:
			return func(a, b *v32) uint32 { return ^equalF32(a, b) }
		case code.LT:
			return lessF32
		case code.LE:
			return notAboveF32
		case code.GT:
			return func(a, b *v32) uint32 { return lessF32(b, a) }
		case code.GE:
			return func(a, b *v32) uint32 { return notAboveF32(b, a) }
		}
	}
	return liftTest32(compareOf(op, t))
}

// less32 is a < b of unsigned numbers with their upper bit flipped by flip: the
// sign of the difference in 64 bits.
func less32(a, b *v32, flip uint32) uint32 {
	if vectors {
		return lessThan32(a, b, flip^1<<31)
	}
	m := uint64(0)
	for i := range a {
		m = m>>1 | (uint64(a[i]^flip)-uint64(b[i]^flip))&(1<<63)
	}
	return uint32(m >> 32)
}

func equal32(a, b *v32) uint32 {
	if vectors {
		return equalTo32(a, b)
	}
	m := uint64(0)
	for i := range a {
		m = m>>1 | (uint64(a[i]^b[i])-1)&(1<<63)
	}
	return uint32(m >> 32)
}

// compare64 is compare32 of registers of 64 bits.
func compare64(op code.CompareOp, t types.Scalar) test64 {
	switch {
	case t == types.I64 && op == code.LT:
		return less64
	case t == types.I64 && op == code.GE:
		return func(a, b *v64) uint32 { return ^less64(a, b) }
	case t == types.I64 && op == code.GT:
		return func(a, b *v64) uint32 { return less64(b, a) }
	case t == types.I64 && op == code.LE:
		return func(a, b *v64) uint32 { return ^less64(b, a) }
	}
	return liftTest64(compareOf(op, t))
}

func less64(a, b *v64) uint32 {
	if vectors {
		return lessThan64(a, b)
	}
	m := uint32(0)
	for i := range a {
		bit := uint32(0)
		if int64(a[i]) < int64(b[i]) {
			bit = 1
		}
		m |= bit << i
	}
	return m
}

// ---- moving values -------------------------------------------------------------

func splat32(d *v32, x uint32) {
	if vectors {
		fill32(d, x)
		return
	}
	for i := range d {
		d[i] = x
	}
}

func splat64(d *v64, x uint64) {
	if vectors {
		fill64(d, x)
		return
	}
	for i := range d {
		d[i] = x
	}
}

// blend32 copies the lanes of mask.
func blend32(d, a *v32, mask uint32) {
	if vectors {
		pick32(d, a, mask)
		return
	}
	for i := range d {
		if mask>>i&1 != 0 {
			d[i] = a[i]
		}
	}
}

func blend64(d, a *v64, mask uint32) {
	if vectors {
		pick64(d, a, mask)
		return
	}
	for i := range d {
		if mask>>i&1 != 0 {
			d[i] = a[i]
		}
	}
}

// join64 makes values of their halves, as local memory has them.
func join64(d *v64, low, high *v32) {
	if vectors {
		joined64(d, low, high)
		return
	}
	for i := range d {
		d[i] = uint64(low[i]) | uint64(high[i])<<32
	}
}

// halve64 is its inverse.
func halve64(low, high *v32, x *v64) {
	if vectors {
		halved64(low, high, x)
		return
	}
	for i, v := range x {
		low[i], high[i] = uint32(v), uint32(v>>32)
	}
}

// ---- addresses -------------------------------------------------------------------

// plus64 is a + c.
func plus64(d, a *v64, c uint64) {
	if vectors {
		offset64(d, a, c)
		return
	}
	for i := range d {
		d[i] = a[i] + c
	}
}

// scaled64 is c + x·scale, of indices with or without a sign.
func scaled64(d *v64, x *v32, signed bool, scale, c uint64) {
	switch {
	case vectors && signed && scale == uint64(int64(int32(scale))):
		indexed64(d, x, int32(scale), c)
	case vectors && !signed && scale == uint64(uint32(scale)):
		unsignedIndexed64(d, x, uint32(scale), c)
	case signed:
		for i := range d {
			d[i] = c + uint64(int64(int32(x[i])))*scale
		}
	default:
		for i := range d {
			d[i] = c + uint64(x[i])*scale
		}
	}
}

// scaledBase64 is base + x·scale + c.
func scaledBase64(d, base *v64, x *v32, signed bool, scale, c uint64) {
	switch {
	case vectors && signed && scale == uint64(int64(int32(scale))):
		indexedBase64(d, base, x, int32(scale), c)
	case signed:
		for i := range d {
			d[i] = base[i] + uint64(int64(int32(x[i])))*scale + c
		}
	default:
		for i := range d {
			d[i] = base[i] + uint64(x[i])*scale + c
		}
	}
}

// widenF16 makes float32 of float16; other is for infinities and NaN. The bits of a
// half, moved to where float32 has its own, are a number 2¹¹² times too small, also
// of a subnormal one.
func widenF16(d, a *v32, other unary) {
	for i, x := range a {
		if x&0x7c00 == 0x7c00 {
			d[i] = uint32(other(uint64(x)))
			continue
		}
		d[i] = math.Float32bits(math.Float32frombits(x&0x7fff<<13)*0x1p112) | x&0x8000<<16
	}
}

// widenBF16 makes float32 of bfloat16, which is its upper half; other is for NaN.
func widenBF16(d, a *v32, other unary) {
	for i, x := range a {
		if x&0x7fff > 0x7f80 {
			d[i] = uint32(other(uint64(x)))
			continue
		}
		d[i] = x << 16
	}
}

// lanesApart says which lanes of a are as far from base as apart says.
func lanesApart(a, apart *v64, base uint64) uint32 {
	if vectors {
		return apart64(a, apart, base)
	}
	m := uint32(0)
	for i := range a {
		if a[i]-base == apart[i] {
			m |= 1 << i
		}
	}
	return m
}
