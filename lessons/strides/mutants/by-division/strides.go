// Caught as panic: it divides by an extent, and that may be 0.

// Package exercise finds the strides of a row-major tensor.
package exercise

// Strides returns, for each axis of a row-major tensor, how many elements one
// step along it passes over.
func Strides(shape []int) []int {
	// ---- your part begins ----
	total := 1
	for _, extent := range shape {
		total *= extent
	}
	strides := make([]int, len(shape))
	for axis, extent := range shape {
		total /= extent
		strides[axis] = total
	}
	return strides
	// ---- your part ends ----
}
