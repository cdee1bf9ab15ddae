// Package exercise packs numbers for their way to a device.
package exercise

import "math"

// Bytes returns the bytes of the values, 8 for each, one value behind the other.
// Of a value's bytes the lowest comes first.
func Bytes(values []float64) []byte {
	// ---- your part begins ----
	_ = math.Float64bits // the bits of a float64, as a uint64
	return nil
	// ---- your part ends ----
}
