package cpu

import "workbench/engine/tensor"

// matrix reads a view of two axes: element (i, j) is
// data[offset + i·row + j·column]. Strides are in elements, 0 repeats and a
// negative one walks backwards.
type matrix struct {
	data        []float64
	offset      int
	row, column int
}

func matrixOf(v tensor.View) matrix {
	strides := v.Strides()
	return matrix{data: v.Storage(), offset: v.Offset(), row: strides[0], column: strides[1]}
}

func (m matrix) at(i, j int) float64 { return m.data[m.offset+i*m.row+j*m.column] }

func (m matrix) transposed() matrix {
	m.row, m.column = m.column, m.row
	return m
}

// ones is a column of ones of any length.
var ones = matrix{data: []float64{1}}

// rowsOf reads a view of one axis or more as the matrix of its last axis, with
// the others flattened into rows. Where no one stride leads from each row to
// the next it copies the view.
func rowsOf(v tensor.View) matrix {
	if row, ok := rowStride(v); ok {
		return matrix{data: v.Storage(), offset: v.Offset(), row: row, column: v.Strides()[v.Rank()-1]}
	}
	return matrix{data: v.Pack().Data(), row: v.Dim(v.Rank() - 1), column: 1}
}

// rowStride returns the one stride that leads from each row of a view to the
// next, over all axes but the last, if there is one.
func rowStride(v tensor.View) (stride int, ok bool) {
	shape, strides := v.Shape(), v.Strides()
	rows := 1 // of the axes seen so far, last first
	for axis := v.Rank() - 2; axis >= 0; axis-- {
		switch {
		case shape[axis] == 1:
			continue
		case rows == 1:
			stride = strides[axis]
		case strides[axis] != rows*stride:
			return 0, false
		}
		rows *= shape[axis]
	}
	return stride, true
}

// product is one matrix product: left [m, k] · right [k, n] into the row-major
// out, [m, n] of zeros. No dimension is zero.
type product struct {
	m, k, n     int
	left, right matrix
	out         []float64
}

// terms is the number of multiplications.
func (p product) terms() int { return p.m * p.k * p.n }

// flattened returns a plan's whole batch as one product with all rows of the
// left side, if every batch has the same right side and one stride leads over
// all those rows: a batch of sequences times one weight.
func flattened(plan *tensor.MatmulPlan, out []float64) (product, bool) {
	strides := plan.Right.Strides()
	for axis, d := range plan.Batch {
		if d > 1 && strides[axis] != 0 {
			return product{}, false
		}
	}
	if _, ok := rowStride(plan.Left); !ok {
		return product{}, false
	}
	_, right := plan.Matrix(0)
	return product{m: plan.B * plan.M, k: plan.K, n: plan.N, left: rowsOf(plan.Left), right: matrixOf(right), out: out}, true
}

// batch returns product number b of a plan.
func batch(plan *tensor.MatmulPlan, b int, out []float64) product {
	left, right := plan.Matrix(b)
	cells := plan.M * plan.N
	return product{
		m: plan.M, k: plan.K, n: plan.N,
		left: matrixOf(left), right: matrixOf(right),
		out: out[b*cells : (b+1)*cells],
	}
}
