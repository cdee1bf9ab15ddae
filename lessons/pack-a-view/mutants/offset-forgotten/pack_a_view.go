// Caught as panic: it begins at place 0.

// Package exercise lays the elements of views out in a row.
package exercise

// View reads numbers at strides. The element at an index is
// Data[Offset + index[0]·Strides[0] + index[1]·Strides[1] + …].
type View struct {
	Data    []float64
	Shape   []int // how many steps each axis has
	Strides []int // how far one step goes, in elements
	Offset  int   // where index 0, 0, … lies
}

// Pack returns the elements of the view in row-major order, in a slice of their
// own. The view lies within its data.
func (v View) Pack() []float64 {
	// ---- your part begins ----
	n := 1
	for _, extent := range v.Shape {
		n *= extent
	}
	packed := make([]float64, 0, n)
	for flat := range n {
		place, rest := 0, flat
		for axis := len(v.Shape) - 1; axis >= 0; axis-- {
			place += rest % v.Shape[axis] * v.Strides[axis]
			rest /= v.Shape[axis]
		}
		packed = append(packed, v.Data[place])
	}
	return packed
	// ---- your part ends ----
}
