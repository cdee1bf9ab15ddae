package check

import (
	"math"

	"workbench/engine/dtype"
	"workbench/engine/simt/types"
)

// A Value is a constant. That of an integer, an enum or a truth value is Bits,
// extended to 64 bits as its type is; of a floating-point number Float, which its
// type can hold; of a struct or an array Parts. A pointer is a constant only
// where it is null, or points to the text of a string.
type Value struct {
	Bits  uint64
	Float float64
	Parts []Value
	Text  *string
}

// integer returns x as a value of the integer type t.
func integer(t *types.Type, x uint64) Value { return Value{Bits: wrap(t, x)} }

// wrap cuts x to the width of t and extends it again.
func wrap(t *types.Type, x uint64) uint64 {
	switch t.Scalar() {
	case types.Pred:
		if x != 0 {
			return 1
		}
		return 0
	case types.I8:
		return uint64(int8(x))
	case types.U8:
		return uint64(uint8(x))
	case types.I16:
		return uint64(int16(x))
	case types.U16:
		return uint64(uint16(x))
	case types.I32:
		return uint64(int32(x))
	case types.U32:
		return uint64(uint32(x))
	}
	return x
}

// round returns x as the floating-point type t holds it.
func round(t *types.Type, x float64) float64 {
	switch t.Kind {
	case types.KindFloat:
		return float64(float32(x))
	case types.KindHalf:
		return dtype.RoundFloat16(x)
	case types.KindBFloat16:
		return dtype.RoundBFloat16(x)
	}
	return x
}

// convertValue is the conversion between numbers, as a GPU does it: a float that
// becomes an integer saturates, and NaN becomes 0; one of 8 or 16 bits is one of 32
// before.
func convertValue(to, from *types.Type, v Value) Value {
	switch {
	case to.Kind == types.KindBool:
		if from.Floating() {
			return boolean(v.Float != 0)
		}
		return boolean(v.Bits != 0 || v.Text != nil)
	case to.Floating():
		switch {
		case from.Floating() && from.Kind == to.Kind:
			return v
		case from.Floating():
			return Value{Float: quiet(to, round(to, v.Float))}
		case from.Signed():
			return Value{Float: fromInteger(to, v.Bits, true)}
		}
		return Value{Float: fromInteger(to, v.Bits, false)}
	case from.Floating() && to.Size() < 4:
		wide := types.Int
		if !to.Signed() {
			wide = types.UInt
		}
		return integer(to, saturate(wide, v.Float))
	case from.Floating():
		return Value{Bits: saturate(to, v.Float)}
	case to.IsPointer():
		return v
	}
	return integer(to, v.Bits)
}

// quiet gives a NaN that was computed the pattern that a GPU gives it, whatever that
// of this machine is.
func quiet(t *types.Type, x float64) float64 {
	if !math.IsNaN(x) {
		return x
	}
	pattern := map[types.Kind]uint64{types.KindFloat: 0x7fffffff, types.KindDouble: 0xfff8000000000000, types.KindHalf: 0x7fff, types.KindBFloat16: 0x7fff}
	return FromBits(t, pattern[t.Kind]).Float
}

// fromInteger rounds an integer once, to the type.
func fromInteger(to *types.Type, bits uint64, signed bool) float64 {
	negative := signed && int64(bits) < 0
	if negative {
		bits = -bits
	}
	var x float64
	if to.Kind == types.KindDouble {
		x = float64(bits)
	} else if bits < 1<<53 {
		x = round(to, float64(bits))
	} else {
		// The lowest bits decide only whether it is a tie: keep that in one of them.
		low := bits & 0xfff
		bits &^= 0xfff
		if low != 0 {
			bits |= 1 << 12
		}
		x = round(to, float64(bits))
	}
	if negative {
		return -x
	}
	return x
}

func saturate(to *types.Type, x float64) uint64 {
	if math.IsNaN(x) {
		return 0
	}
	x = math.Trunc(x)
	bits := 8 * to.Size()
	if to.Signed() {
		limit := math.Ldexp(1, int(bits-1))
		switch {
		case x >= limit:
			return 1<<(bits-1) - 1
		case x < -limit:
			return ^uint64(1<<(bits-1) - 1)
		}
		return wrap(to, uint64(int64(x)))
	}
	switch {
	case x <= 0:
		return 0
	case x >= math.Ldexp(1, int(bits)):
		if bits == 64 {
			return math.MaxUint64
		}
		return 1<<bits - 1
	}
	return uint64(x)
}

func boolean(yes bool) Value {
	if yes {
		return Value{Bits: 1}
	}
	return Value{}
}

// zero returns the value of t that is zero in all its parts; false if it has too
// many.
func zero(t *types.Type) (Value, bool) {
	switch t.Kind {
	case types.KindArray:
		if t.Len < 0 || t.Len > maxParts {
			return Value{}, false
		}
		v := Value{Parts: make([]Value, t.Len)}
		for i := range v.Parts {
			p, ok := zero(t.Elem)
			if !ok {
				return Value{}, false
			}
			v.Parts[i] = p
		}
		return v, int64(count(v)) <= maxParts
	case types.KindStruct:
		v := Value{Parts: make([]Value, len(t.Struct.Fields))}
		for i, f := range t.Struct.Fields {
			p, ok := zero(f.Type)
			if !ok {
				return Value{}, false
			}
			v.Parts[i] = p
		}
		return v, int64(count(v)) <= maxParts
	}
	return Value{}, true
}

// maxParts is how many parts a constant may have.
const maxParts = 1 << 18

func count(v Value) int {
	n := 1
	for _, p := range v.Parts {
		n += count(p)
	}
	return n
}

// clone copies v so that a change of one is none of the other.
func clone(v Value) Value {
	if v.Parts == nil {
		return v
	}
	out := v
	out.Parts = make([]Value, len(v.Parts))
	for i := range v.Parts {
		out.Parts[i] = clone(v.Parts[i])
	}
	return out
}

// Bytes returns a constant of type t as memory holds it, little-endian.
func Bytes(t *types.Type, v Value) []byte {
	out := make([]byte, t.Size())
	put(out, t, v)
	return out
}

func put(to []byte, t *types.Type, v Value) {
	switch t.Kind {
	case types.KindArray:
		n := t.Elem.Size()
		for i := range v.Parts {
			put(to[int64(i)*n:], t.Elem, v.Parts[i])
		}
		return
	case types.KindStruct:
		for i, f := range t.Struct.Fields {
			if i < len(v.Parts) && !(f.Type.Kind == types.KindStruct && f.Type.Struct.Empty()) {
				put(to[f.Offset:], f.Type, v.Parts[i])
			}
		}
		return
	}
	bits := Bits(t, v)
	for i := range t.Size() {
		to[i] = byte(bits >> (8 * i))
	}
}

// Bits returns a constant of a scalar type as the register code has it.
func Bits(t *types.Type, v Value) uint64 {
	switch t.Kind {
	case types.KindFloat:
		return uint64(math.Float32bits(float32(v.Float)))
	case types.KindDouble:
		return math.Float64bits(v.Float)
	case types.KindHalf:
		return uint64(dtype.Float16Bits(v.Float))
	case types.KindBFloat16:
		return uint64(dtype.BFloat16Bits(v.Float))
	}
	return v.Bits
}

// FromBits is the other way round.
func FromBits(t *types.Type, bits uint64) Value {
	switch t.Kind {
	case types.KindFloat:
		return Value{Float: float64(math.Float32frombits(uint32(bits)))}
	case types.KindDouble:
		return Value{Float: math.Float64frombits(bits)}
	case types.KindHalf:
		return Value{Float: dtype.Float16FromBits(uint16(bits))}
	case types.KindBFloat16:
		return Value{Float: dtype.BFloat16FromBits(uint16(bits))}
	}
	return Value{Bits: bits}
}
