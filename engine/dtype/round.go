package dtype

import "math"

// RoundFloat32 returns the float32 value nearest to x, as a float64.
func RoundFloat32(x float64) float64 {
	if x != x {
		// Some processors replace a NaN's payload in a conversion; all keep
		// this one.
		return math.Float64frombits((math.Float64bits(x) | quiet64) >> 29 << 29)
	}
	return float64(float32(x))
}

// RoundFloat16 returns the float16 (IEEE binary16) value nearest to x, as a
// float64. From 65520 on, halfway from the largest finite value 65504 to 65536,
// that is an infinity.
func RoundFloat16(x float64) float64 { return float16.round(x) }

// RoundBFloat16 returns the bfloat16 value nearest to x, as a float64.
func RoundBFloat16(x float64) float64 { return bfloat16.round(x) }

// Float16Bits returns the pattern of RoundFloat16(x).
func Float16Bits(x float64) uint16 { return float16.bits(x) }

// Float16FromBits returns the value of a float16 pattern. Every value is exact.
// A signalling NaN becomes the quiet one with the same payload otherwise; the
// other patterns are what Float16Bits gives back.
func Float16FromBits(pattern uint16) float64 {
	abs := uint64(pattern) & 0x7fff
	if abs < 1<<10 || abs >= 0x1f<<10 { // zero, subnormal, infinite or no number
		return float16.fromBits(pattern)
	}
	// Products in half precision ask for two of these a step where they are emulated.
	return math.Float64frombits(uint64(pattern>>15)<<63 | (abs<<(fraction64-10) + (bias64-15)<<fraction64))
}

// BFloat16Bits returns the pattern of RoundBFloat16(x).
func BFloat16Bits(x float64) uint16 { return bfloat16.bits(x) }

// BFloat16FromBits returns the value of a bfloat16 pattern, under the same
// conditions as Float16FromBits.
func BFloat16FromBits(pattern uint16) float64 {
	abs := uint64(pattern) & 0x7fff
	if abs < 1<<7 || abs >= 0xff<<7 {
		return bfloat16.fromBits(pattern)
	}
	return math.Float64frombits(uint64(pattern>>15)<<63 | (abs<<(fraction64-7) + (bias64-127)<<fraction64))
}
