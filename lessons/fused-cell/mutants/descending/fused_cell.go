// Caught as known-mistake: the terms come in the other order.

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
	for k := len(row) - 1; k >= 0; k-- {
		sum = math.FMA(row[k], column[k], sum)
	}
	return sum
	// ---- your part ends ----
}
