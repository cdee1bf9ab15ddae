package tensor

import (
	"fmt"
	"slices"
)

// Tensor is a dense row-major float64 tensor in host memory. Its shape never
// changes; its values do only through Data.
type Tensor struct {
	shape []int
	data  []float64
}

// New returns a tensor of zeros.
func New(shape ...int) (*Tensor, error) {
	n, err := elements("new", shape)
	if err != nil {
		return nil, err
	}
	return &Tensor{shape: clone(shape), data: make([]float64, n)}, nil
}

// FromSlice returns a tensor that owns data, row-major. The caller gives data
// away. A length that differs from the shape's is a ShapeError.
func FromSlice(data []float64, shape ...int) (*Tensor, error) {
	n, err := elements("from slice", shape)
	if err != nil {
		return nil, err
	}
	if n != len(data) {
		return nil, &ShapeError{Op: "from slice", Left: clone(shape), Reason: fmt.Sprintf("needs %s and was given %d", plural(n, "value"), len(data))}
	}
	return &Tensor{shape: clone(shape), data: data}, nil
}

// FromRows returns a matrix from its rows. Ragged rows are a ShapeError that
// names the first row of another length. No rows give the shape [0, 0].
func FromRows(rows [][]float64) (*Tensor, error) {
	width := 0
	if len(rows) > 0 {
		width = len(rows[0])
	}
	shape := []int{len(rows), width}
	if _, err := elements("from rows", shape); err != nil {
		return nil, err
	}
	data := make([]float64, 0, len(rows)*width)
	for i, row := range rows {
		if len(row) != width {
			return nil, &ShapeError{Op: "from rows", Reason: fmt.Sprintf("row %d has %s and row 0 has %d: every row of a matrix has the same length", i, plural(len(row), "value"), width)}
		}
		data = append(data, row...)
	}
	return FromSlice(data, shape...)
}

// Must returns t and panics on an error. It is for shapes that the program
// itself wrote, and for tests.
func Must(t *Tensor, err error) *Tensor {
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return t
}

// Shape returns a copy of the dimensions.
func (t *Tensor) Shape() []int { return clone(t.shape) }

// Rank returns the number of axes.
func (t *Tensor) Rank() int { return len(t.shape) }

// Dim returns the dimension of an axis.
func (t *Tensor) Dim(axis int) int { return t.shape[axis] }

// Len returns the number of elements.
func (t *Tensor) Len() int { return len(t.data) }

// Data returns the values themselves, row-major, not a copy.
func (t *Tensor) Data() []float64 { return t.data }

// At returns one element. Coordinates outside the shape panic, as an index
// outside a slice does.
func (t *Tensor) At(coordinate ...int) float64 { return t.View().At(coordinate...) }

// Clone returns a copy that shares nothing.
func (t *Tensor) Clone() *Tensor {
	return &Tensor{shape: clone(t.shape), data: slices.Clone(t.data)}
}

// SameShape reports whether both have the same dimensions.
func (t *Tensor) SameShape(u *Tensor) bool { return slices.Equal(t.shape, u.shape) }

// Reshape returns a tensor of another shape over the same values.
func (t *Tensor) Reshape(shape ...int) (*Tensor, error) {
	n, err := elements("reshape", shape)
	if err != nil {
		return nil, err
	}
	if n != len(t.data) {
		return nil, &ShapeError{Op: "reshape", Left: clone(t.shape), Right: clone(shape), Reason: fmt.Sprintf("has %s and %d are asked for: a reshape keeps their number", plural(len(t.data), "element"), n)}
	}
	return &Tensor{shape: clone(shape), data: t.data}, nil
}

// View returns a view of the whole tensor.
func (t *Tensor) View() View {
	return View{data: t.data, shape: t.shape, strides: rowMajor(t.shape)}
}

// Coordinate returns the coordinate of a flat row-major index.
func Coordinate(shape []int, flat int) []int {
	out := make([]int, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		if shape[i] > 0 {
			out[i] = flat % shape[i]
			flat /= shape[i]
		}
	}
	return out
}
