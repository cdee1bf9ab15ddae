// Caught as panic: it takes two axes for granted.

// Package exercise finds the place of an element in a row-major tensor.
package exercise

// FlatIndex returns the place, counted from 0, of the element at index in a
// row-major tensor of the shape. Both have an entry for each axis.
func FlatIndex(shape, index []int) int {
	// ---- your part begins ----
	return index[0]*shape[1] + index[1]
	// ---- your part ends ----
}
