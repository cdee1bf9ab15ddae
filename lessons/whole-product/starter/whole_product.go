// Package exercise multiplies matrices.
package exercise

// Product returns left·right, row by row. left has m rows of k numbers, right k
// rows of n, and both lie row by row in their slices.
func Product(left, right []float64, m, k, n int) []float64 {
	// ---- your part begins ----
	return nil
	// ---- your part ends ----
}
