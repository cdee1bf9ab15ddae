// Caught as known-mistake: it reads W as n rows of k.

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
				grad[i*k+l] += g[i*n+j] * w[j*k+l]
			}
		}
	}
	return grad
	// ---- your part ends ----
}
