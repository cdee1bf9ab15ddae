// Package exercise turns scores into weights.
package exercise

import "math"

// Softmax returns weights that add up to 1: e to the power of each score, divided
// by the sum of them all. A score may be as large as a float64, or −∞, whose
// weight is 0; one at least is finite. The scores are for reading.
func Softmax(scores []float64) []float64 {
	// ---- your part begins ----
	return []float64{math.NaN()}
	// ---- your part ends ----
}
