// Package exercise adds up tensors along an axis.
package exercise

// SumAlong adds up the values that differ in their index of the axis alone. The
// values lie row-major; the result has the shape without the axis, row-major too.
func SumAlong(values []float64, shape []int, axis int) []float64 {
	// ---- your part begins ----
	return nil
	// ---- your part ends ----
}
