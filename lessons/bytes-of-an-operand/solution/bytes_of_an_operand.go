// Package exercise packs numbers for their way to a device.
package exercise

import "math"

// Bytes returns the bytes of the values, 8 for each, one value behind the other.
// Of a value's bytes the lowest comes first.
func Bytes(values []float64) []byte {
	// ---- your part begins ----
	var packed []byte
	for _, v := range values {
		bits := math.Float64bits(v)
		for range 8 {
			packed = append(packed, byte(bits))
			bits >>= 8
		}
	}
	return packed
	// ---- your part ends ----
}
