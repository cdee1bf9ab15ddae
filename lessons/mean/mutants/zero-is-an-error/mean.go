// Caught as wrong-values: it takes a sum of 0 for nothing.

// Package exercise averages numbers.
package exercise

import "errors"

// Mean returns the sum of the values divided by their number. There is no mean
// of nothing: that is an error.
func Mean(values []float64) (float64, error) {
	// ---- your part begins ----
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	if sum == 0 {
		return 0, errors.New("the mean of no values")
	}
	return sum / float64(len(values)), nil
	// ---- your part ends ----
}
