// Caught as wrong-values: the last number of an odd round is dropped.

// Package exercise adds up numbers in a tree.
package exercise

// TreeSum adds neighbours in pairs, then the pairs' sums in pairs, until one
// number is left. In each round a last number without a neighbour goes on as it
// is. The sum of nothing is 0. The values are for reading.
func TreeSum(values []float64) float64 {
	// ---- your part begins ----
	if len(values) == 0 {
		return 0
	}
	round := append([]float64(nil), values...)
	for len(round) > 1 {
		var next []float64
		for i := 0; i+1 < len(round); i += 2 {
			next = append(next, round[i]+round[i+1])
		}
		round = next
	}
	return round[0]
	// ---- your part ends ----
}
