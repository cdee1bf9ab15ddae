// Caught as transposed: it writes its rows as columns.

// Package exercise computes a gradient of the matrix product.
package exercise

// GradLeft returns the gradient of A in Y = A·W. A is m × k and W k × n; g is the
// gradient of Y, m × n. All of them lie row by row.
func GradLeft(g, w []float64, m, k, n int) []float64 {
	// ---- your part begins ----
	grad := make([]float64, m*k)
	for i := range m {
		for l := range k {
			for j := range n {
				grad[l*m+i] += g[i*n+j] * w[l*n+j]
			}
		}
	}
	return grad
	// ---- your part ends ----
}
