// Caught as wrong-values: it lines the shapes up at their first axis.

// Package exercise finds out how shapes are broadcast together.
package exercise

import "errors"

// Broadcast returns the shape to which tensors of two shapes are broadcast, or an
// error if they do not go together.
func Broadcast(a, b []int) ([]int, error) {
	// ---- your part begins ----
	shape := make([]int, max(len(a), len(b)))
	for axis := range shape {
		x, y := 1, 1
		if axis < len(a) {
			x = a[axis]
		}
		if axis < len(b) {
			y = b[axis]
		}
		switch {
		case x == y || y == 1:
			shape[axis] = x
		case x == 1:
			shape[axis] = y
		default:
			return nil, errors.New("two extents differ and neither is 1")
		}
	}
	return shape, nil
	// ---- your part ends ----
}
