// Caught as wrong-values: it takes the extent of the next axis alone.

// Package exercise finds the strides of a row-major tensor.
package exercise

// Strides returns, for each axis of a row-major tensor, how many elements one
// step along it passes over.
func Strides(shape []int) []int {
	// ---- your part begins ----
	strides := make([]int, len(shape))
	for axis := range shape {
		strides[axis] = 1
		if axis+1 < len(shape) {
			strides[axis] = shape[axis+1]
		}
	}
	return strides
	// ---- your part ends ----
}
