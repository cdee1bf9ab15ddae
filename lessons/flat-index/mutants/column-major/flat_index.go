// Caught as known-mistake: the first axis runs fastest.

// Package exercise finds the place of an element in a row-major tensor.
package exercise

// FlatIndex returns the place, counted from 0, of the element at index in a
// row-major tensor of the shape. Both have an entry for each axis.
func FlatIndex(shape, index []int) int {
	// ---- your part begins ----
	flat, stride := 0, 1
	for axis, extent := range shape {
		flat += index[axis] * stride
		stride *= extent
	}
	return flat
	// ---- your part ends ----
}
