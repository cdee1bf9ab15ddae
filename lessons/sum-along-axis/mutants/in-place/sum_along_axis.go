// Caught as input-changed: it adds up in the values.

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
			first := b*shape[axis]*behind + i
			for k := 1; k < shape[axis]; k++ {
				values[first] += values[first+k*behind]
			}
			if shape[axis] > 0 {
				sums[b*behind+i] = values[first]
			}
		}
	}
	return sums
	// ---- your part ends ----
}
