// Caught as input-changed: it uses the longer shape for its result.

// Package exercise finds out how shapes are broadcast together.
package exercise

import "errors"

// Broadcast returns the shape to which tensors of two shapes are broadcast, or an
// error if they do not go together.
func Broadcast(a, b []int) ([]int, error) {
	// ---- your part begins ----
	if len(a) < len(b) {
		a, b = b, a
	}
	for back := 1; back <= len(b); back++ {
		x, y := a[len(a)-back], b[len(b)-back]
		if x != y && x != 1 && y != 1 {
			return nil, errors.New("two extents differ and neither is 1")
		}
		if x == 1 {
			a[len(a)-back] = y
		}
	}
	return a, nil
	// ---- your part ends ----
}
