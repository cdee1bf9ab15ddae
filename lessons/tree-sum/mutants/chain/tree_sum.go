// Caught as known-mistake: it adds one after the other.

// Package exercise adds up numbers in a tree.
package exercise

// TreeSum adds neighbours in pairs, then the pairs' sums in pairs, until one
// number is left. In each round a last number without a neighbour goes on as it
// is. The sum of nothing is 0. The values are for reading.
func TreeSum(values []float64) float64 {
	// ---- your part begins ----
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum
	// ---- your part ends ----
}
