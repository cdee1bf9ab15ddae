// Package exercise computes a gradient of the matrix product.
package exercise

// GradLeft returns the gradient of A in Y = A·W. A is m × k and W k × n; g is the
// gradient of Y, m × n. All of them lie row by row.
func GradLeft(g, w []float64, m, k, n int) []float64 {
	// ---- your part begins ----
	return make([]float64, m*k)
	// ---- your part ends ----
}
