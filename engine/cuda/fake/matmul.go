package fake

import (
	"encoding/binary"
	"math"

	"workbench/engine/cuda/nvidia"
	"workbench/engine/device"
	"workbench/engine/dtype"
	"workbench/engine/scalar"
	"workbench/kernels/matmul"
)

// paramsBytes is the size of struct Matmul.
var paramsBytes = len(matmul.Params{}.Bytes())

// readParams is the inverse of matmul.Params.Bytes.
func readParams(b []byte) matmul.Params {
	var x [13]int64
	for i := range x {
		x[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return matmul.Params{
		Batches: x[0], Rows: x[1], Terms: x[2], Columns: x[3],
		Left:    matmul.Strides{Batch: x[4], Row: x[5], Column: x[6]},
		Right:   matmul.Strides{Batch: x[7], Row: x[8], Column: x[9]},
		Out:     matmul.Strides{Batch: x[10], Row: x[11], Column: x[12]},
		Divisor: math.Float64frombits(binary.LittleEndian.Uint64(b[8*13:])),
		Alpha:   math.Float64frombits(binary.LittleEndian.Uint64(b[8*14:])),

		Accumulate: binary.LittleEndian.Uint64(b[8*15:]) != 0,
	}
}

// product returns the kernel of kernels/matmul for a precision, whatever its
// version: they compute the same, and a thread that goes on with the cell one grid
// further comes to every cell also where the grid is one of tiles.
func product(p device.Precision) Kernel {
	return Kernel{
		Parameters: []int{8, 8, 8, paramsBytes},
		Thread: func(t *Thread) {
			m := readParams(t.Argument(3))
			left := matrix{t.Pointer(0), m.Left, p}
			right := matrix{t.Pointer(1), m.Right, p}
			out := matrix{t.Pointer(2), m.Out, p}
			x := int64(t.BlockIdx.X)*int64(t.BlockDim.X) + int64(t.ThreadIdx.X)
			y := int64(t.BlockIdx.Y)*int64(t.BlockDim.Y) + int64(t.ThreadIdx.Y)
			z := int64(t.BlockIdx.Z)*int64(t.BlockDim.Z) + int64(t.ThreadIdx.Z)
			for b := z; b < m.Batches; b += int64(t.GridDim.Z) * int64(t.BlockDim.Z) {
				for i := y; i < m.Rows; i += int64(t.GridDim.Y) * int64(t.BlockDim.Y) {
					for j := x; j < m.Columns; j += int64(t.GridDim.X) * int64(t.BlockDim.X) {
						var s sum
						for k := range m.Terms {
							s = s.add(t.Contract, p, left.load(t, b, i, k), right.load(t, b, k, j))
						}
						s = s.quotient(p, m.Divisor).scaled(p, m.Alpha)
						if m.Accumulate {
							s = s.plus(p, sum(out.load(t, b, i, j)))
						}
						out.store(t, b, i, j, float64(s))
					}
				}
			}
		},
	}
}

// sum is a running sum of a chain: of float64, or of float32 for every other
// precision. The float64 that holds a float32 is exact.
type sum float64

// add adds a product of two values of the precision's format.
func (s sum) add(c device.Contract, p device.Precision, a, b float64) sum {
	switch {
	case p == device.Float64 && c == device.Fused:
		return sum(math.FMA(a, b, float64(s)))
	case p == device.Float64:
		return sum(float64(a*b) + float64(s))
	case c == device.Fused:
		return sum(scalar.FMA32(float32(a), float32(b), float32(s)))
	}
	return sum(float32(float32(a)*float32(b)) + float32(s))
}

// quotient divides the last sum, unless the divisor is 0.
func (s sum) quotient(p device.Precision, divisor float64) sum {
	switch {
	case divisor == 0:
		return s
	case p == device.Float64:
		return sum(float64(s) / divisor)
	}
	return sum(float32(s) / float32(divisor))
}

// matrix is a batch of matrices in device memory.
type matrix struct {
	base      nvidia.Pointer
	strides   matmul.Strides
	precision device.Precision
}

func (m matrix) at(b, i, j int64) nvidia.Pointer {
	offset := b*m.strides.Batch + i*m.strides.Row + j*m.strides.Column
	return m.base + nvidia.Pointer(offset*int64(m.precision.Size()))
}

func (m matrix) load(t *Thread, b, i, j int64) float64 {
	return fromBits(m.precision, t.Load(m.at(b, i, j), m.precision.Size()))
}

func (m matrix) store(t *Thread, b, i, j int64, x float64) {
	t.Store(m.at(b, i, j), m.precision.Size(), toBits(m.precision, x))
}

// fromBits returns the value of a pattern of the precision's format.
func fromBits(p device.Precision, bits uint64) float64 {
	switch p {
	case device.Float64:
		return math.Float64frombits(bits)
	case device.Float32:
		return float64(math.Float32frombits(uint32(bits)))
	case device.Float16:
		return dtype.Float16FromBits(uint16(bits))
	}
	return dtype.BFloat16FromBits(uint16(bits))
}

// toBits rounds a value to the precision's format.
func toBits(p device.Precision, x float64) uint64 {
	switch p {
	case device.Float64:
		return math.Float64bits(x)
	case device.Float32:
		return uint64(math.Float32bits(float32(x)))
	case device.Float16:
		return uint64(dtype.Float16Bits(x))
	}
	return uint64(dtype.BFloat16Bits(x))
}
