// Package exercise finds out how shapes are broadcast together.
package exercise

import "errors"

// Broadcast returns the shape to which tensors of two shapes are broadcast, or an
// error if they do not go together.
func Broadcast(a, b []int) ([]int, error) {
	// ---- your part begins ----
	return nil, errors.New("nobody has written this yet")
	// ---- your part ends ----
}
