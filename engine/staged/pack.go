package staged

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"workbench/engine/device"
	"workbench/engine/dtype"
	"workbench/engine/tensor"
)

// chunk is how many elements are packed between two looks at the context: some
// tens of microseconds of work, and what a first-level cache holds.
const chunk = 4096

// pack writes the elements of a view, of one axis at least and none of them
// empty, in row-major order as they lie in device memory: in the precision's
// format, little-endian, repeats written out. It returns the context's error as
// soon as it is done. Raw is what Options.Raw says.
func pack(ctx context.Context, to []byte, v tensor.View, p device.Precision, raw func([]float64) []byte) error {
	w := writer{ctx: ctx, to: to, precision: p, raw: raw}
	if v.Contiguous() {
		return w.write(v.Storage()[v.Offset():][:v.Len()])
	}
	shape, strides := v.Shape(), v.Strides()
	// The last two axes are a matrix, the others count it.
	if len(shape) == 1 {
		shape, strides = []int{1, shape[0]}, []int{0, strides[0]}
	}
	last := len(shape) - 2
	m := matrix{rows: shape[last], columns: shape[last+1], row: strides[last], column: strides[last+1]}
	batch := make([]int, last)
	for at := v.Offset(); ; {
		if err := w.matrix(v.Storage(), at, m); err != nil {
			return err
		}
		axis := last - 1
		for ; axis >= 0; axis-- {
			batch[axis]++
			at += strides[axis]
			if batch[axis] < shape[axis] {
				break
			}
			at -= shape[axis] * strides[axis]
			batch[axis] = 0
		}
		if axis < 0 {
			return nil
		}
	}
}

// matrix is how a view of two axes reads its storage.
type matrix struct {
	rows, columns int
	row, column   int // strides
}

// writer writes elements one after the other.
type writer struct {
	ctx       context.Context
	to        []byte // what is left
	precision device.Precision
	raw       func([]float64) []byte
	scratch   []float64
}

// write writes values that lie side by side.
func (w *writer) write(values []float64) error {
	for len(values) > 0 {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		n := min(len(values), chunk)
		if w.precision == device.Float64 {
			n = min(len(values), 16*chunk) // they are only copied
		}
		encode(w.to, values[:n], w.precision, w.raw)
		w.to, values = w.to[n*w.precision.Size():], values[n:]
	}
	return nil
}

// matrix writes the elements of m, whose first lies at data[at].
func (w *writer) matrix(data []float64, at int, m matrix) error {
	switch {
	case m.column == 1:
		for range m.rows {
			if err := w.write(data[at:][:m.columns]); err != nil {
				return err
			}
			at += m.row
		}
		return nil
	case m.rows > 1 && abs(m.row) < abs(m.column):
		return w.transposed(data, at, m)
	}
	for range m.rows {
		for j := 0; j < m.columns; j += chunk {
			line := w.space(min(m.columns-j, chunk))
			from := at + j*m.column
			for i := range line {
				line[i] = data[from]
				from += m.column
			}
			if err := w.write(line); err != nil {
				return err
			}
		}
		at += m.row
	}
	return nil
}

// transposed writes a matrix whose columns lie closer together than its rows.
// Read row by row, every element would be of another cache line, and of another
// page: a block of rows is gathered column by column instead.
func (w *writer) transposed(data []float64, at int, m matrix) error {
	const tall, wide = 16, 256
	for i := 0; i < m.rows; i += tall {
		rows := min(tall, m.rows-i)
		whole := w.to
		for j := 0; j < m.columns; j += wide {
			columns := min(wide, m.columns-j)
			block := w.space(rows * columns)
			for c := range columns {
				from := at + i*m.row + (j+c)*m.column
				for r := range rows {
					block[r*columns+c] = data[from]
					from += m.row
				}
			}
			size := w.precision.Size()
			for r := range rows {
				w.to = whole[(r*m.columns+j)*size:]
				if err := w.write(block[r*columns:][:columns]); err != nil {
					return err
				}
			}
		}
		w.to = whole[rows*m.columns*w.precision.Size():]
	}
	return nil
}

// space returns room for n ≤ chunk values.
func (w *writer) space(n int) []float64 {
	if w.scratch == nil {
		w.scratch = make([]float64, chunk)
	}
	return w.scratch[:n]
}

func abs(n int) int { return max(n, -n) }

// encode writes values in the precision's format.
func encode(to []byte, values []float64, p device.Precision, raw func([]float64) []byte) {
	if p == device.Float64 && raw != nil {
		copy(to, raw(values))
		return
	}
	p.AppendBytes(to[:0], values)
}

// ones fills to with the precision's 1.
func ones(to []byte, p device.Precision) {
	one := p.AppendBytes(nil, []float64{1})
	n := copy(to, one)
	for n < len(to) {
		n += copy(to[n:], to[:n])
	}
}

// unpack reads the values of a result.
func unpack(to []float64, from []byte, p device.Precision, raw func([]float64) []byte) {
	if len(from) != len(to)*p.Size() {
		panic(fmt.Sprintf("BUG: a result of %d values has %d bytes in %s", len(to), len(from), p))
	}
	switch p {
	case device.Float64:
		if raw != nil {
			copy(raw(to), from)
			return
		}
		for i := range to {
			to[i] = math.Float64frombits(binary.LittleEndian.Uint64(from[8*i:]))
		}
	case device.Float32:
		for i := range to {
			to[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(from[4*i:])))
		}
	case device.Float16:
		for i := range to {
			to[i] = dtype.Float16FromBits(binary.LittleEndian.Uint16(from[2*i:]))
		}
	case device.BFloat16:
		for i := range to {
			to[i] = dtype.BFloat16FromBits(binary.LittleEndian.Uint16(from[2*i:]))
		}
	}
}
