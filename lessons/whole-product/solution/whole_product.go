// Package exercise multiplies matrices.
package exercise

// Product returns left·right, row by row. left has m rows of k numbers, right k
// rows of n, and both lie row by row in their slices.
func Product(left, right []float64, m, k, n int) []float64 {
	// ---- your part begins ----
	product := make([]float64, m*n)
	for i := range m {
		for j := range n {
			sum := 0.0
			for l := range k {
				sum += left[i*k+l] * right[l*n+j]
			}
			product[i*n+j] = sum
		}
	}
	return product
	// ---- your part ends ----
}
