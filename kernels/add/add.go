// Package add is the sum of two arrays, an element per thread, as CUDA C with its
// checked launch.
//
//	add_element_f64    out[i] = x[i] + y[i]
//	add_element_f32
package add

import (
	_ "embed"
	"fmt"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels/source"
)

//go:embed add.cu
var text string

//go:embed add.separate.ptx
var separate string

//go:embed add.fused.ptx
var fused string

// Source is the kernels' CUDA C.
var Source = source.File{
	Name: "add.cu", Text: text, Separate: separate, Fused: fused,
	Precisions: []device.Precision{device.Float64, device.Float32},
	Symbols:    []string{"add_element_f64", "add_element_f32"},
}

const (
	threads  = 256       // of a block
	maxGridX = 1<<31 - 1 // of every device
)

// Prepare returns the launch of out[i] = x[i] + y[i] for n elements. Buffers may
// be longer; what lies behind the n-th element of out stays. The error is a
// *launch.ArgumentError.
func Prepare(c device.Contract, p device.Precision, n int64, x, y, out launch.Buffer) (*launch.Launch, error) {
	k, err := Source.Kernel(c, p)
	if err != nil {
		return nil, err
	}
	refuse := func(field, format string, args ...any) (*launch.Launch, error) {
		return nil, &launch.ArgumentError{Symbol: k.Symbol, Field: field, Reason: fmt.Sprintf(format, args...)}
	}
	if n < 1 || (n-1)/threads >= maxGridX {
		return refuse("n", "%d must be from 1 to %d: no elements need no launch", n, int64(maxGridX)*threads)
	}
	for _, b := range []struct {
		name   string
		buffer launch.Buffer
	}{{"x", x}, {"y", y}, {"out", out}} {
		if reason := b.buffer.Lacks(launch.Element(p), p.Size(), n); reason != "" {
			return refuse(b.name, "%s", reason)
		}
	}
	out.Out = true
	return &launch.Launch{
		Kernel: k,
		Grid:   launch.Dim3{X: int((n-1)/threads) + 1, Y: 1, Z: 1},
		Block:  launch.Dim3{X: threads, Y: 1, Z: 1},
		Args:   []launch.Arg{{Name: "x", Buffer: &x}, {Name: "y", Buffer: &y}, {Name: "out", Buffer: &out}, launch.Integer("n", n)},
	}, nil
}
