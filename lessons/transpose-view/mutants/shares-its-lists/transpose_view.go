// Caught as input-changed: a copy of a view shares its slices.

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
	out := v
	out.Shape[a], out.Shape[b] = out.Shape[b], out.Shape[a]
	out.Strides[a], out.Strides[b] = out.Strides[b], out.Strides[a]
	return out
	// ---- your part ends ----
}
