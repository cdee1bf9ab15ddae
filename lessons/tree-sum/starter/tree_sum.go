// Package exercise adds up numbers in a tree.
package exercise

// TreeSum adds neighbours in pairs, then the pairs' sums in pairs, until one
// number is left. In each round a last number without a neighbour goes on as it
// is. The sum of nothing is 0. The values are for reading.
func TreeSum(values []float64) float64 {
	// ---- your part begins ----
	return 0
	// ---- your part ends ----
}
