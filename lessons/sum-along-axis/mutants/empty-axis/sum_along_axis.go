// Caught as panic: it finds the number of groups by dividing by the extent, which may be 0.

// Package exercise adds up tensors along an axis.
package exercise

// SumAlong adds up the values that differ in their index of the axis alone. The
// values lie row-major; the result has the shape without the axis, row-major too.
func SumAlong(values []float64, shape []int, axis int) []float64 {
	// ---- your part begins ----
	behind := 1
	for _, extent := range shape[axis+1:] {
		behind *= extent
	}
	sums := make([]float64, len(values)/shape[axis])
	for place, value := range values {
		sums[place/(behind*shape[axis])*behind+place%behind] += value
	}
	return sums
	// ---- your part ends ----
}
