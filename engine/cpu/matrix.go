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

// product is one matrix of a batch: left [m, k] · right [k, n] into the
// row-major out, [m, n] of zeros. No dimension is zero.
type product struct {
	m, k, n     int
	left, right matrix
	out         []float64
}

// batch returns product number b of a plan whose output is out.
func batch(plan *tensor.MatmulPlan, b int, out []float64) product {
	left, right := plan.Matrix(b)
	cells := plan.M * plan.N
	return product{
		m: plan.M, k: plan.K, n: plan.N,
		left: matrixOf(left), right: matrixOf(right),
		out: out[b*cells : (b+1)*cells],
	}
}

// ones is a column of ones of any length.
var ones = matrix{data: []float64{1}}
