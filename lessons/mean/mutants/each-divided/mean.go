// Caught as known-mistake: it divides each value, which rounds as often as there are values.

// Package exercise averages numbers.
package exercise

import "errors"

// Mean returns the sum of the values divided by their number. There is no mean
// of nothing: that is an error.
func Mean(values []float64) (float64, error) {
	// ---- your part begins ----
	if len(values) == 0 {
		return 0, errors.New("the mean of no values")
	}
	mean := 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	return mean, nil
	// ---- your part ends ----
}
