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

// block returns the part of m that begins at row i and column j.
func (m matrix) block(i, j int) matrix {
	m.offset += i*m.row + j*m.column
	return m
}

// rounded copies rows and columns of m, rounded, into to. It walks along the
// axis whose elements lie nearer to each other.
func (m matrix) rounded(rows, columns int, round func(float64) float64, to []float64) matrix {
	if abs(m.row) < abs(m.column) {
		return m.transposed().rounded(columns, rows, round, to).transposed()
	}
	for i := range rows {
		line := to[i*columns:][:columns]
		from := m.offset + i*m.row
		for j := range line {
			line[j] = round(m.data[from])
			from += m.column
		}
	}
	return matrix{data: to, row: columns, column: 1}
}

func abs(n int) int { return max(n, -n) }

// rowsOf reads a view of one axis or more as the matrix of its last axis, with
// the others flattened into rows, if one stride leads from each row to the next.
func rowsOf(v tensor.View) (m matrix, ok bool) {
	row, ok := rowStride(v)
	if !ok {
		return matrix{}, false
	}
	return matrix{data: v.Storage(), offset: v.Offset(), row: row, column: v.Strides()[v.Rank()-1]}, true
}

// rowAt reads row g of the same rows alone, whatever leads to it.
func rowAt(v tensor.View, g int) matrix {
	shape, strides := v.Shape(), v.Strides()
	last := v.Rank() - 1
	m := matrix{data: v.Storage(), offset: v.Offset(), column: strides[last]}
	for axis := last - 1; axis >= 0; axis-- {
		m.offset += g % shape[axis] * strides[axis]
		g /= shape[axis]
	}
	return m
}

// gather copies so many of the rows, from row g on, into to.
func gather(v tensor.View, g, rows int, to []float64) matrix {
	columns := v.Dim(v.Rank() - 1)
	for i := range rows {
		row := rowAt(v, g+i)
		from := row.offset
		line := to[i*columns:][:columns]
		for j := range line {
			line[j] = row.data[from]
			from += row.column
		}
	}
	return matrix{data: to, row: columns, column: 1}
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

// terms is the number of multiplications. Three matrices of at most
// tensor.MaxElements elements bound it to the square root of that cubed, 2^42.
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
	left, ok := rowsOf(plan.Left)
	if !ok {
		return product{}, false
	}
	_, right := plan.Matrix(0)
	return product{m: plan.B * plan.M, k: plan.K, n: plan.N, left: left, right: matrixOf(right), out: out}, true
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
