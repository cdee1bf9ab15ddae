// Package matmul is the matrix product as CUDA C, and its checked launch.
//
//	matmul_naive_f64    one thread a cell, float64
//	matmul_naive_f32    float32
//	matmul_naive_f16    float16 operands, summed in float32, rounded to float16
//	matmul_naive_bf16   bfloat16 likewise
//	matmul_tiled_f64    16×16 tiles in shared memory
//	matmul_tiled_f32
//	matmul_blocked_f64  4×4 cells a thread
//	matmul_blocked_f32
//
// They are a ladder (Version): each rung is a source of its own, and all give the
// same bits. What carries no version's name is the first one's.
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

// Params is the kernels' last argument, struct Matmul of their sources:
//
//	out[b, i, j] = Σ left[b, i, k] · right[b, k, j], k ascending from zero,
//	               then divided by Divisor unless that is 0,
//	               then multiplied by Alpha,
//	               then added to what out[b, i, j] holds, if Accumulate
//
// Each step is rounded to the type of the sum: float64, and float32 for every
// other precision. Divisor and Alpha are rounded to it first.
type Params struct {
	Batches, Rows, Terms, Columns int64 // B, M, K, N
	Left, Right, Out              Strides
	Divisor                       float64 // K for a mean, otherwise 0
	Alpha                         float64 // 1 leaves the sum as it is
	Accumulate                    bool
}

// Packed returns the parameters of row-major matrices without gaps:
// left [B, M, K], right [B, K, N], out [B, M, N], with an Alpha of 1.
func Packed(b, m, k, n int) Params {
	return Params{
		Batches: int64(b), Rows: int64(m), Terms: int64(k), Columns: int64(n),
		Left: RowMajor(m, k), Right: RowMajor(k, n), Out: RowMajor(m, n),
		Alpha: 1,
	}
}

// Bytes returns p as C lays out struct Matmul: 13 64-bit integers, two doubles and
// an integer again, little-endian.
func (p Params) Bytes() []byte {
	out := make([]byte, 0, 16*8)
	for _, x := range []int64{
		p.Batches, p.Rows, p.Terms, p.Columns,
		p.Left.Batch, p.Left.Row, p.Left.Column,
		p.Right.Batch, p.Right.Row, p.Right.Column,
		p.Out.Batch, p.Out.Row, p.Out.Column,
	} {
		out = binary.LittleEndian.AppendUint64(out, uint64(x))
	}
	out = binary.LittleEndian.AppendUint64(out, math.Float64bits(p.Divisor))
	out = binary.LittleEndian.AppendUint64(out, math.Float64bits(p.Alpha))
	accumulate := uint64(0)
	if p.Accumulate {
		accumulate = 1
	}
	return binary.LittleEndian.AppendUint64(out, accumulate)
}

// Limits of a grid that every CUDA device has (CUDA C++ Programming Guide,
// technical specifications per compute capability).
const (
	maxGridX  = 1<<31 - 1
	maxGridYZ = 1<<16 - 1
)

// Geometry returns the grid and the block of a launch of the naive version.
func (p Params) Geometry() (grid, block launch.Dim3) { return Naive.Geometry(p) }
