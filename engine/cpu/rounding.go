package cpu

import "math"

// roundFloat16 rounds to the nearest binary16 value, ties to even.
func roundFloat16(x float64) float64 { return roundTo(x, 11, -14, 65504) }

// roundBFloat16 rounds to the nearest bfloat16 value, ties to even.
func roundBFloat16(x float64) float64 { return roundTo(x, 8, -126, 0x1.fep127) }

// roundTo rounds to a format of the given significant bits, smallest normal
// exponent and largest finite value. Scaling by powers of two is exact, so
// RoundToEven is the only rounding.
func roundTo(x float64, bits, minExponent int, largest float64) float64 {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	_, exponent := math.Frexp(x) // |x| in [2^(exponent-1), 2^exponent)
	quantum := max(exponent-1, minExponent) - (bits - 1)
	r := math.Ldexp(math.RoundToEven(math.Ldexp(x, -quantum)), quantum)
	if math.Abs(r) > largest {
		return math.Copysign(math.Inf(1), x)
	}
	return r
}

// fma32 is a·b + c with one rounding to float32. The product of two float32
// values is exact in float64; the float64 sum is rounded to odd, which keeps
// the last rounding from being a second one (Boldo and Melquiond, "Emulation
// of FMA and correctly rounded sums: proved algorithms using rounding to odd").
func fma32(a, b, c float32) float32 {
	p, d := float64(a)*float64(b), float64(c)
	s := p + d
	if math.IsNaN(s) || math.IsInf(s, 0) {
		return float32(s)
	}
	t := s - p
	lost := (p - (s - t)) + (d - t)
	if lost != 0 {
		if bits := math.Float64bits(s); bits&1 == 0 {
			if (lost > 0) == (s > 0) {
				bits++
			} else {
				bits--
			}
			s = math.Float64frombits(bits)
		}
	}
	return float32(s)
}
