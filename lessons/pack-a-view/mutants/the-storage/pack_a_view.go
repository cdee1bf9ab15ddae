// Caught as transposed: it copies what lies there in its order.

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
	packed := make([]float64, n)
	copy(packed, v.Data)
	return packed
	// ---- your part ends ----
}
