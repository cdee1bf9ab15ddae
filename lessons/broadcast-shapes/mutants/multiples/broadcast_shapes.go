// Caught as wrong-values: it repeats whatever fits a whole number of times.

// Package exercise finds out how shapes are broadcast together.
package exercise

import "errors"

// Broadcast returns the shape to which tensors of two shapes are broadcast, or an
// error if they do not go together.
func Broadcast(a, b []int) ([]int, error) {
	// ---- your part begins ----
	shape := make([]int, max(len(a), len(b)))
	for back := 1; back <= len(shape); back++ {
		x, y := 1, 1
		if back <= len(a) {
			x = a[len(a)-back]
		}
		if back <= len(b) {
			y = b[len(b)-back]
		}
		switch {
		case x == y || y == 1 || y != 0 && x > y && x%y == 0:
			shape[len(shape)-back] = x
		case x == 1 || x != 0 && y%x == 0:
			shape[len(shape)-back] = y
		default:
			return nil, errors.New("two extents differ and neither is 1")
		}
	}
	return shape, nil
	// ---- your part ends ----
}
