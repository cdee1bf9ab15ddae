// Package exercise computes one cell of a matrix product.
package exercise

// Cell returns the sum of row[k]·column[k], where k ascends and the sum starts
// from 0. Each product is rounded to a float64, and so is each sum. Both slices
// are equally long; without a term the cell is 0.
func Cell(row, column []float64) float64 {
	// ---- your part begins ----
	sum := 0.0
	for k := range row {
		sum += float64(row[k] * column[k])
	}
	return sum
	// ---- your part ends ----
}
