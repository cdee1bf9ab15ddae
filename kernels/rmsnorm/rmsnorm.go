// Package rmsnorm divides each row of a matrix by the root of the mean of its
// squares, a warp per row, as CUDA C with its checked launch.
//
//	rmsnorm_warp_f64    out[r, c] = in[r, c] · 1/√(Σ in[r, c']² / columns + ε) · gain[c]
//	rmsnorm_warp_f32
package rmsnorm

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels/source"
)

//go:embed rmsnorm.cu
var text string

//go:embed rmsnorm.separate.ptx
var separate string

//go:embed rmsnorm.fused.ptx
var fused string

// Source is the kernels' CUDA C.
var Source = source.File{
	Name: "rmsnorm.cu", Text: text, Separate: separate, Fused: fused,
	Precisions: []device.Precision{device.Float64, device.Float32},
	Symbols:    []string{"rmsnorm_warp_f64", "rmsnorm_warp_f32"},
}

// Params is the kernels' last argument, struct RMSNorm of rmsnorm.cu.
type Params struct {
	Rows, Columns int64
	Epsilon       float64 // added to the mean; rounded to the precision
}

// Bytes returns p as C lays out the struct, little-endian.
func (p Params) Bytes() []byte {
	out := binary.LittleEndian.AppendUint64(nil, uint64(p.Rows))
	out = binary.LittleEndian.AppendUint64(out, uint64(p.Columns))
	return binary.LittleEndian.AppendUint64(out, math.Float64bits(p.Epsilon))
}

const (
	lanes    = 32        // of a warp, which has a row
	warps    = 8         // of a block
	maxGridX = 1<<31 - 1 // of every device
)

// Prepare returns the launch for a matrix of rows × columns, row after row, and a
// gain for each column. Buffers may be longer; what lies behind the matrix in out
// stays. out must be a buffer of its own. The error is a *launch.ArgumentError.
func Prepare(c device.Contract, p device.Precision, n Params, in, gain, out launch.Buffer) (*launch.Launch, error) {
	k, err := Source.Kernel(c, p)
	if err != nil {
		return nil, err
	}
	refuse := func(field, format string, args ...any) (*launch.Launch, error) {
		return nil, &launch.ArgumentError{Symbol: k.Symbol, Field: field, Reason: fmt.Sprintf(format, args...)}
	}
	if n.Rows < 1 {
		return refuse("rows", "%d must be at least 1: no rows need no launch", n.Rows)
	}
	if n.Columns < 1 || n.Columns > (1<<59)/n.Rows {
		return refuse("columns", "%d must be at least 1, and at most 2^59 elements with %d rows: a row without elements has no mean", n.Columns, n.Rows)
	}
	if e := p.Round(n.Epsilon); !(e >= 0 && e <= math.MaxFloat64) {
		return refuse("epsilon", "%v is no finite number from 0 on in %s", n.Epsilon, p)
	}
	for _, b := range []struct {
		name     string
		buffer   launch.Buffer
		elements int64
	}{{"in", in, n.Rows * n.Columns}, {"gain", gain, n.Columns}, {"out", out, n.Rows * n.Columns}} {
		if reason := b.buffer.Lacks(launch.Element(p), p.Size(), b.elements); reason != "" {
			return refuse(b.name, "%s", reason)
		}
	}
	out.Out = true
	return &launch.Launch{
		Kernel: k,
		Grid:   launch.Dim3{X: int(min((n.Rows-1)/warps+1, maxGridX)), Y: 1, Z: 1},
		Block:  launch.Dim3{X: lanes, Y: warps, Z: 1},
		Args:   []launch.Arg{{Name: "in", Buffer: &in}, {Name: "gain", Buffer: &gain}, {Name: "out", Buffer: &out}, {Name: "n", Value: n.Bytes()}},
	}, nil
}
