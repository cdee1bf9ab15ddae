// Caught as known-mistake: it divides by the extent.

// Package exercise adds up tensors along an axis.
package exercise

// SumAlong adds up the values that differ in their index of the axis alone. The
// values lie row-major; the result has the shape without the axis, row-major too.
func SumAlong(values []float64, shape []int, axis int) []float64 {
	// ---- your part begins ----
	before, behind := 1, 1
	for a, extent := range shape {
		if a < axis {
			before *= extent
		} else if a > axis {
			behind *= extent
		}
	}
	sums := make([]float64, before*behind)
	for b := range before {
		for i := range behind {
			for k := range shape[axis] {
				sums[b*behind+i] += values[(b*shape[axis]+k)*behind+i]
			}
			sums[b*behind+i] /= float64(shape[axis])
		}
	}
	return sums
	// ---- your part ends ----
}
