// Package exercise finds the strides of a row-major tensor.
package exercise

// Strides returns, for each axis of a row-major tensor, how many elements one
// step along it passes over.
func Strides(shape []int) []int {
	// ---- your part begins ----
	return nil
	// ---- your part ends ----
}
