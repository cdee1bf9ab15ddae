// Caught as known-mistake: what is fused is a product by 1, of a product that was rounded.

// Package exercise computes one cell of a matrix product under the fused
// contract.
package exercise

import "math"

// Cell returns the sum of row[k]·column[k], where k ascends and the sum starts
// from 0. In each step the product is added with all of its bits, and the sum is
// rounded once.
func Cell(row, column []float64) float64 {
	// ---- your part begins ----
	sum := 0.0
	for k := range row {
		product := row[k] * column[k]
		sum = math.FMA(product, 1, sum)
	}
	return sum
	// ---- your part ends ----
}
