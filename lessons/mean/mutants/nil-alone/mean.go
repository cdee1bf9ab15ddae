// Caught as wrong-values: a slice without elements need not be nil.

// Package exercise averages numbers.
package exercise

import "errors"

// Mean returns the sum of the values divided by their number. There is no mean
// of nothing: that is an error.
func Mean(values []float64) (float64, error) {
	// ---- your part begins ----
	if values == nil {
		return 0, errors.New("the mean of no values")
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values)), nil
	// ---- your part ends ----
}
