// Caught as input-changed: it keeps the sums of each round in the values.

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
	for step := 1; step < len(values); step *= 2 {
		for i := 0; i+step < len(values); i += 2 * step {
			values[i] += values[i+step]
		}
	}
	return values[0]
	// ---- your part ends ----
}
