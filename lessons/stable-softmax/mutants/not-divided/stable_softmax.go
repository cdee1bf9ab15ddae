// Caught as scaled: the weights do not add up to 1.

// Package exercise turns scores into weights.
package exercise

import "math"

// Softmax returns weights that add up to 1: e to the power of each score, divided
// by the sum of them all. A score may be as large as a float64, or −∞, whose
// weight is 0; one at least is finite. The scores are for reading.
func Softmax(scores []float64) []float64 {
	// ---- your part begins ----
	largest := math.Inf(-1)
	for _, s := range scores {
		largest = max(largest, s)
	}
	weights := make([]float64, len(scores))
	for i, s := range scores {
		weights[i] = math.Exp(s - largest)
	}
	return weights
	// ---- your part ends ----
}
