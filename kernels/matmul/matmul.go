// Package matmul is the matrix product as CUDA C, and its checked launch.
//
//	matmul_naive_f64    one thread a cell, float64
//	matmul_naive_f32    float32
//	matmul_naive_f16    float16 operands, summed in float32, rounded to float16
//	matmul_naive_bf16   bfloat16 likewise
//
// The contract of a product is how the source is compiled: with NVRTC's
// --fmad=false a product is rounded before it is added, and with its default it
// is not. Both are embedded as PTX.
package matmul

import (
	"encoding/binary"
	"math"

	"workbench/engine/launch"
)

// Strides are the distances of one matrix operand, in elements: from one
// matrix of the batch to the next, from one row to the next, and from one column
// to the next. 0 repeats. Element 0 is where the buffer begins, so a launch on
// buffers of its own takes no negative ones.
type Strides struct {
	Batch, Row, Column int64
}

// RowMajor returns the strides of packed matrices of rows × columns.
func RowMajor(rows, columns int) Strides {
	return Strides{Batch: int64(rows) * int64(columns), Row: int64(columns), Column: 1}
}

// Params is the kernels' last argument, struct Matmul of matmul.cu:
//
//	out[b, i, j] = Σ left[b, i, k] · right[b, k, j], k ascending from zero,
//	               then divided by Divisor unless that is 0
type Params struct {
	Batches, Rows, Terms, Columns int64 // B, M, K, N
	Left, Right, Out              Strides
	Divisor                       float64 // K for a mean, otherwise 0
}

// Packed returns the parameters of row-major matrices without gaps:
// left [B, M, K], right [B, K, N], out [B, M, N].
func Packed(b, m, k, n int) Params {
	return Params{
		Batches: int64(b), Rows: int64(m), Terms: int64(k), Columns: int64(n),
		Left: RowMajor(m, k), Right: RowMajor(k, n), Out: RowMajor(m, n),
	}
}

// Bytes returns p as C lays out struct Matmul: 13 64-bit integers and a double,
// little-endian.
func (p Params) Bytes() []byte {
	out := make([]byte, 0, 14*8)
	for _, x := range []int64{
		p.Batches, p.Rows, p.Terms, p.Columns,
		p.Left.Batch, p.Left.Row, p.Left.Column,
		p.Right.Batch, p.Right.Row, p.Right.Column,
		p.Out.Batch, p.Out.Row, p.Out.Column,
	} {
		out = binary.LittleEndian.AppendUint64(out, uint64(x))
	}
	return binary.LittleEndian.AppendUint64(out, math.Float64bits(p.Divisor))
}

// Limits of a grid that every CUDA device has (CUDA C++ Programming Guide,
// technical specifications per compute capability).
const (
	maxGridX  = 1<<31 - 1
	maxGridYZ = 1<<16 - 1
)

// Geometry returns the grid and the block of a launch with these parameters.
// Threads are 16 × 16 cells of the output, or a column of 256 where it has one
// column. A grid that would be too large is cut to what a device takes, and its
// blocks go on with the rows and matrices that are left.
func (p Params) Geometry() (grid, block launch.Dim3) {
	block = launch.Dim3{X: 16, Y: 16, Z: 1}
	if p.Columns == 1 {
		block = launch.Dim3{X: 1, Y: 256, Z: 1}
	}
	blocks := func(cells int64, threads, most int) int {
		return int(min((cells+int64(threads)-1)/int64(threads), int64(most)))
	}
	return launch.Dim3{
		X: blocks(p.Columns, block.X, maxGridX),
		Y: blocks(p.Rows, block.Y, maxGridYZ),
		Z: blocks(p.Batches, block.Z, maxGridYZ),
	}, block
}
