// Caught as constant: it converts the number, and what is behind its point is gone.

// Package exercise packs numbers for their way to a device.
package exercise

import "math"

// Bytes returns the bytes of the values, 8 for each, one value behind the other.
// Of a value's bytes the lowest comes first.
func Bytes(values []float64) []byte {
	// ---- your part begins ----
	var packed []byte
	for _, v := range values {
		bits := uint64(int64(v + math.Copysign(0, v)))
		for range 8 {
			packed = append(packed, byte(bits))
			bits >>= 8
		}
	}
	return packed
	// ---- your part ends ----
}
