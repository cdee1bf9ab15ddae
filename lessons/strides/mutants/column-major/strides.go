// Caught as known-mistake: it begins at the first axis.

// Package exercise finds the strides of a row-major tensor.
package exercise

// Strides returns, for each axis of a row-major tensor, how many elements one
// step along it passes over.
func Strides(shape []int) []int {
	// ---- your part begins ----
	strides := make([]int, len(shape))
	before := 1
	for axis := range shape {
		strides[axis] = before
		before *= shape[axis]
	}
	return strides
	// ---- your part ends ----
}
