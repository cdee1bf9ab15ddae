// Caught as wrong-values: it multiplies by the extent of the axis before.

// Package exercise finds the place of an element in a row-major tensor.
package exercise

// FlatIndex returns the place, counted from 0, of the element at index in a
// row-major tensor of the shape. Both have an entry for each axis.
func FlatIndex(shape, index []int) int {
	// ---- your part begins ----
	flat := 0
	for axis := range shape {
		if axis > 0 {
			flat *= shape[axis-1]
		}
		flat += index[axis]
	}
	return flat
	// ---- your part ends ----
}
