// Caught as known-mistake: it adds the second half to the first, as many kernels do.

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
		half := (len(round) + 1) / 2
		for i := half; i < len(round); i++ {
			round[i-half] += round[i]
		}
		round = round[:half]
	}
	return round[0]
	// ---- your part ends ----
}
