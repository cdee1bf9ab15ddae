// Package sumsq is the sum of the squares of an array by a fixed number of blocks
// that sweep over it, as CUDA C with its checked launch, and the CPU's part of the
// sum.
//
//	sumsq_sweep_f64    partials[b] = Σ x[i]² over the elements that block b comes to
//	sumsq_sweep_f32
package sumsq

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels/source"
)

//go:embed sumsq.cu
var text string

//go:embed sumsq.separate.ptx
var separate string

//go:embed sumsq.fused.ptx
var fused string

// Source is the kernels' CUDA C.
var Source = source.File{
	Name: "sumsq.cu", Text: text, Separate: separate, Fused: fused,
	Precisions: []device.Precision{device.Float64, device.Float32},
	Symbols:    []string{"sumsq_sweep_f64", "sumsq_sweep_f32"},
}

const (
	Blocks  = 1024 // of every launch, and partial sums
	Threads = 256  // of each block
)

// Prepare returns the launch for n elements, which may be none. Buffers may be
// longer than n and Blocks elements. The error is a *launch.ArgumentError.
func Prepare(c device.Contract, p device.Precision, n int64, x, partials launch.Buffer) (*launch.Launch, error) {
	k, err := Source.Kernel(c, p)
	if err != nil {
		return nil, err
	}
	refuse := func(field, format string, args ...any) (*launch.Launch, error) {
		return nil, &launch.ArgumentError{Symbol: k.Symbol, Field: field, Reason: fmt.Sprintf(format, args...)}
	}
	if n < 0 {
		return refuse("n", "%d must be at least 0", n)
	}
	for _, b := range []struct {
		name     string
		buffer   launch.Buffer
		elements int64
	}{{"x", x, n}, {"partials", partials, Blocks}} {
		if reason := b.buffer.Lacks(launch.Element(p), p.Size(), b.elements); reason != "" {
			return refuse(b.name, "%s", reason)
		}
	}
	partials.Out = true
	return &launch.Launch{
		Kernel: k,
		Grid:   launch.Dim3{X: Blocks, Y: 1, Z: 1},
		Block:  launch.Dim3{X: Threads, Y: 1, Z: 1},
		Args:   []launch.Arg{{Name: "x", Buffer: &x}, {Name: "partials", Buffer: &partials}, launch.Integer("n", n)},
	}, nil
}

// Total adds the partial sums of a launch up, in their order and in float64.
// partials is what the launch left in that buffer.
func Total(p device.Precision, partials []byte) (float64, error) {
	if len(partials) < Blocks*p.Size() {
		return 0, fmt.Errorf("%d bytes are not the %d partial sums of a launch in %s", len(partials), Blocks, p)
	}
	sum := 0.0
	for b := range Blocks {
		switch p {
		case device.Float64:
			sum += math.Float64frombits(binary.LittleEndian.Uint64(partials[8*b:]))
		case device.Float32:
			sum += float64(math.Float32frombits(binary.LittleEndian.Uint32(partials[4*b:])))
		default:
			return 0, fmt.Errorf("%s is not a precision of these sums: use one of %v", p, Source.Precisions)
		}
	}
	return sum, nil
}
