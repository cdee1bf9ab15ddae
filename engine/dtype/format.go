package dtype

import "math"

// The fields of a float64 (binary64).
const (
	fraction64 = 52
	bias64     = 1023
	sign64     = 1 << 63
	infinity64 = 0x7ff << fraction64
	quiet64    = 1 << 51
)

// A format is a binary interchange format narrower than float64: one sign bit,
// then exponent bits, then fraction bits.
type format struct {
	exponent uint // bits of the exponent field
	fraction uint // bits of the fraction field
}

var (
	float16  = format{exponent: 5, fraction: 10}
	bfloat16 = format{exponent: 8, fraction: 7}
)

// bias is the exponent field of the value 1.
func (f format) bias() uint64 { return 1<<(f.exponent-1) - 1 }

// smallestNormal64 is the float64 bit pattern of the format's smallest normal
// number, 2^(1−bias).
func (f format) smallestNormal64() uint64 { return (bias64 + 1 - f.bias()) << fraction64 }

// round returns the value of the format that is nearest to x, ties to even.
func (f format) round(x float64) float64 {
	pattern := math.Float64bits(x)
	sign, abs := pattern&sign64, pattern&^sign64
	drop := fraction64 - f.fraction
	switch {
	case abs > infinity64:
		abs = (abs | quiet64) >> drop << drop
	case abs == infinity64:
	case abs < f.smallestNormal64():
		// Subnormals of the format are the multiples of its smallest one. A
		// float64 near 1.5·2^52 of them has them as its own last bit, so that
		// adding that much rounds to a multiple, ties to even, and taking it
		// away again is exact.
		magic := math.Float64frombits(f.smallestNormal64() + uint64(drop)<<fraction64 + 1<<(fraction64-1))
		abs = math.Float64bits(math.Float64frombits(abs) + magic - magic)
	default:
		// Half a step less one, plus one if the kept part is odd: a carry runs
		// up exactly when the dropped part is above half, or half and odd. It
		// may run into the exponent, which then is the next power of two.
		abs += 1<<(drop-1) - 1 + abs>>drop&1
		abs = abs >> drop << drop
		if abs >= (bias64+1+f.bias())<<fraction64 {
			abs = infinity64
		}
	}
	return math.Float64frombits(sign | abs)
}

// bits returns the pattern of the value of the format that is nearest to x.
func (f format) bits(x float64) uint16 {
	pattern := math.Float64bits(f.round(x))
	abs := pattern &^ sign64
	drop := fraction64 - f.fraction
	out := uint16(pattern >> 63 << (f.exponent + f.fraction))
	switch {
	case abs >= infinity64:
		// The exponent field is all ones, and so are the bits above it after
		// the shift: keep the format's own.
		return out | uint16(abs>>drop)&(1<<(f.exponent+f.fraction)-1)
	case abs < f.smallestNormal64():
		// Counted in smallest subnormals, x is an integer below 2^fraction,
		// and its pattern is that integer.
		shift := (f.bias() + uint64(f.fraction) - 1) << fraction64 // exponent of 1 / smallest subnormal
		if abs == 0 {
			return out
		}
		return out | uint16(math.Float64frombits(abs+shift))
	default:
		return out | uint16((abs-(bias64-f.bias())<<fraction64)>>drop)
	}
}

// fromBits returns the value of a pattern, exactly.
func (f format) fromBits(pattern uint16) float64 {
	width := f.exponent + f.fraction
	sign := uint64(pattern>>width) << 63
	abs := uint64(pattern) & (1<<width - 1)
	drop := fraction64 - f.fraction
	switch exponent := abs >> f.fraction; exponent {
	case 1<<f.exponent - 1:
		out := infinity64 | abs<<drop&(1<<fraction64-1)
		if out > infinity64 {
			out |= quiet64
		}
		return math.Float64frombits(sign | out)
	case 0:
		// abs smallest subnormals: the integer as a float64, its exponent lowered.
		out := math.Float64bits(float64(abs))
		if abs != 0 {
			out -= (f.bias() + uint64(f.fraction) - 1) << fraction64
		}
		return math.Float64frombits(sign | out)
	default:
		return math.Float64frombits(sign | (abs<<drop + (bias64-f.bias())<<fraction64))
	}
}
