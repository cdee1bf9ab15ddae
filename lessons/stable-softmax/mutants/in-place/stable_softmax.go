// Caught as input-changed: it writes the weights over the scores.

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
	sum := 0.0
	for i, s := range scores {
		scores[i] = math.Exp(s - largest)
		sum += scores[i]
	}
	for i := range scores {
		scores[i] /= sum
	}
	return scores
	// ---- your part ends ----
}
