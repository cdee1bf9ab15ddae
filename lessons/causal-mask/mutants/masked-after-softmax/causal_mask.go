// Caught as known-mistake: what is left of a row does not add up to 1.

// Package exercise keeps positions from looking ahead.
package exercise

import "math"

// Weights turns the scores of n positions, n rows of n numbers, into weights. In
// row i the columns 0 to i take part, and their weights add up to 1; the weights
// behind are 0. The scores are for reading.
func Weights(scores []float64, n int) []float64 {
	weights := make([]float64, n*n)
	// ---- your part begins ----
	for i := range n {
		row := softmax(scores[i*n : i*n+n])
		for j := range n {
			if j <= i {
				weights[i*n+j] = row[j]
			}
		}
	}
	// ---- your part ends ----
	return weights
}

// softmax returns weights that add up to 1; that of −∞ is 0.
func softmax(scores []float64) []float64 {
	largest := math.Inf(-1)
	for _, s := range scores {
		largest = max(largest, s)
	}
	weights := make([]float64, len(scores))
	sum := 0.0
	for i, s := range scores {
		weights[i] = math.Exp(s - largest)
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}
