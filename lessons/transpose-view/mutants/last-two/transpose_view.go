// Caught as wrong-values: it exchanges the last two axes, whichever were asked for.

// Package exercise transposes tensors without moving a number.
package exercise

// View reads numbers at strides. The element at an index is
// Data[Offset + index[0]·Strides[0] + index[1]·Strides[1] + …].
type View struct {
	Data    []float64
	Shape   []int // how many steps each axis has
	Strides []int // how far one step goes, in elements
	Offset  int   // where index 0, 0, … lies
}

// Transpose returns the view with two axes exchanged. It reads the same numbers,
// and leaves v as it is.
func (v View) Transpose(a, b int) View {
	// ---- your part begins ----
	shape := append([]int(nil), v.Shape...)
	strides := append([]int(nil), v.Strides...)
	row, column := len(shape)-2, len(shape)-1
	shape[row], shape[column] = shape[column], shape[row]
	strides[row], strides[column] = strides[column], strides[row]
	v.Shape, v.Strides = shape, strides
	return v
	// ---- your part ends ----
}
