// Caught as known-mistake: it takes a group for neighbours in memory, whatever the axis.

// Package exercise adds up tensors along an axis.
package exercise

// SumAlong adds up the values that differ in their index of the axis alone. The
// values lie row-major; the result has the shape without the axis, row-major too.
func SumAlong(values []float64, shape []int, axis int) []float64 {
	// ---- your part begins ----
	groups := 1
	for a, extent := range shape {
		if a != axis {
			groups *= extent
		}
	}
	sums := make([]float64, groups)
	for g := range groups {
		for k := range shape[axis] {
			sums[g] += values[g*shape[axis]+k]
		}
	}
	return sums
	// ---- your part ends ----
}
