// Package softmax is the softmax of each row of a matrix, a warp per row, as CUDA
// C with its checked launch.
//
//	softmax_warp_f64    out[r, c] = exp(in[r, c] − max) / Σ exp(in[r, c'] − max)
//	softmax_warp_f32
package softmax

import (
	_ "embed"
	"fmt"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels/source"
)

//go:embed softmax.cu
var text string

//go:embed softmax.separate.ptx
var separate string

//go:embed softmax.fused.ptx
var fused string

// Source is the kernels' CUDA C.
var Source = source.File{
	Name: "softmax.cu", Text: text, Separate: separate, Fused: fused,
	Precisions: []device.Precision{device.Float64, device.Float32},
	Symbols:    []string{"softmax_warp_f64", "softmax_warp_f32"},
}

const (
	lanes    = 32        // of a warp, which has a row
	warps    = 8         // of a block
	maxGridX = 1<<31 - 1 // of every device
)

// Prepare returns the launch for a matrix of rows × columns, row after row.
// Buffers may be longer; what lies behind the matrix in out stays. in and out must
// be two buffers. The error is a *launch.ArgumentError.
func Prepare(c device.Contract, p device.Precision, rows, columns int64, in, out launch.Buffer) (*launch.Launch, error) {
	k, err := Source.Kernel(c, p)
	if err != nil {
		return nil, err
	}
	refuse := func(field, format string, args ...any) (*launch.Launch, error) {
		return nil, &launch.ArgumentError{Symbol: k.Symbol, Field: field, Reason: fmt.Sprintf(format, args...)}
	}
	if rows < 1 {
		return refuse("rows", "%d must be at least 1: no rows need no launch", rows)
	}
	if columns < 1 || columns > (1<<59)/rows {
		return refuse("columns", "%d must be at least 1, and at most 2^59 elements with %d rows: a row without elements needs no launch", columns, rows)
	}
	for _, b := range []struct {
		name   string
		buffer launch.Buffer
	}{{"in", in}, {"out", out}} {
		if reason := b.buffer.Lacks(launch.Element(p), p.Size(), rows*columns); reason != "" {
			return refuse(b.name, "%s", reason)
		}
	}
	out.Out = true
	return &launch.Launch{
		Kernel: k,
		Grid:   launch.Dim3{X: int(min((rows-1)/warps+1, maxGridX)), Y: 1, Z: 1},
		Block:  launch.Dim3{X: lanes, Y: warps, Z: 1},
		Args:   []launch.Arg{{Name: "in", Buffer: &in}, {Name: "out", Buffer: &out}, launch.Integer("rows", rows), launch.Integer("columns", columns)},
	}, nil
}
