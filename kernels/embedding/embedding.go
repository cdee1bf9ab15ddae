// Package embedding is the gradient of an embedding table as CUDA C with its
// checked launches, in two versions: one whose bits wander from run to run, and
// one whose bits do not.
//
//	embedding_atomic_f64    a thread for each position and column, atomic additions
//	embedding_atomic_f32
//	embedding_sorted_f64    a thread for each token and column, positions listed by Sort
//	embedding_sorted_f32
//
// Both add each position's row of upstream to the row of its token:
//
//	text      [P]     a token for each position
//	upstream  [P, C]
//	gradient  [T, C]  T tokens
package embedding

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels/source"
)

//go:embed atomic.cu
var atomicText string

//go:embed atomic.separate.ptx
var atomicSeparate string

//go:embed atomic.fused.ptx
var atomicFused string

//go:embed sorted.cu
var sortedText string

//go:embed sorted.separate.ptx
var sortedSeparate string

//go:embed sorted.fused.ptx
var sortedFused string

var precisions = []device.Precision{device.Float64, device.Float32}

// The kernels' CUDA C.
var (
	AtomicSource = source.File{
		Name: "atomic.cu", Text: atomicText, Separate: atomicSeparate, Fused: atomicFused,
		Precisions: precisions, Symbols: []string{"embedding_atomic_f64", "embedding_atomic_f32"},
	}
	SortedSource = source.File{
		Name: "sorted.cu", Text: sortedText, Separate: sortedSeparate, Fused: sortedFused,
		Precisions: precisions, Symbols: []string{"embedding_sorted_f64", "embedding_sorted_f32"},
	}
)

const (
	threads  = 256       // of a block
	maxGridX = 1<<31 - 1 // of every device
)

// Atomic returns the launch of the first version for a table of tokens × columns,
// both at least 1. The error is a *TokenError or a *launch.ArgumentError.
func Atomic(c device.Contract, p device.Precision, text []int32, tokens, columns int, upstream, gradient launch.Buffer) (*launch.Launch, error) {
	k, err := AtomicSource.Kernel(c, p)
	if err != nil {
		return nil, err
	}
	if err := check(k.Symbol, p, len(text), tokens, columns, upstream, gradient); err != nil {
		return nil, err
	}
	if len(text) == 0 {
		return nil, &launch.ArgumentError{Symbol: k.Symbol, Field: "text", Reason: "it is empty: no positions need no launch"}
	}
	for i, t := range text {
		if t < 0 || int(t) >= tokens {
			return nil, &TokenError{Position: i, Token: t, Tokens: tokens}
		}
	}
	gradient.Out = true
	return &launch.Launch{
		Kernel: k,
		Grid:   blocks(len(text), columns),
		Block:  launch.Dim3{X: threads, Y: 1, Z: 1},
		Args: []launch.Arg{
			{Name: "token", Buffer: integers(text)}, {Name: "upstream", Buffer: &upstream}, {Name: "gradient", Buffer: &gradient},
			{Name: "e", Value: params(len(text), tokens, columns)},
		},
	}, nil
}

// Sorted returns the launch of the second version for a table of tokens ×
// columns, both at least 1; the text may be empty. The error is a *TokenError or a
// *launch.ArgumentError.
func Sorted(c device.Contract, p device.Precision, text []int32, tokens, columns int, upstream, gradient launch.Buffer) (*launch.Launch, error) {
	k, err := SortedSource.Kernel(c, p)
	if err != nil {
		return nil, err
	}
	if err := check(k.Symbol, p, len(text), tokens, columns, upstream, gradient); err != nil {
		return nil, err
	}
	rows, err := Sort(text, tokens)
	if err != nil {
		return nil, err
	}
	gradient.Out = true
	return &launch.Launch{
		Kernel: k,
		Grid:   blocks(tokens, columns),
		Block:  launch.Dim3{X: threads, Y: 1, Z: 1},
		Args: []launch.Arg{
			{Name: "starts", Buffer: integers(rows.Starts)}, {Name: "positions", Buffer: integers(rows.Positions)},
			{Name: "upstream", Buffer: &upstream}, {Name: "gradient", Buffer: &gradient},
			{Name: "e", Value: params(len(text), tokens, columns)},
		},
	}, nil
}

// check holds the sizes of a launch to each other. Positions and starts are
// 32-bit numbers on the device.
func check(symbol string, p device.Precision, positions, tokens, columns int, upstream, gradient launch.Buffer) error {
	refuse := func(field, format string, args ...any) error {
		return &launch.ArgumentError{Symbol: symbol, Field: field, Reason: fmt.Sprintf(format, args...)}
	}
	const most = maxGridX * threads
	switch {
	case positions > math.MaxInt32:
		return refuse("text", "%d positions are more than %d", positions, math.MaxInt32)
	case tokens < 1 || tokens > math.MaxInt32:
		return refuse("tokens", "%d must be from 1 to %d", tokens, math.MaxInt32)
	case columns < 1 || columns > most/max(tokens, positions):
		return refuse("columns", "%d must be from 1 to %d with %d positions and %d tokens: a launch has a thread for each element", columns, most/max(tokens, positions), positions, tokens)
	}
	for _, b := range []struct {
		name     string
		buffer   launch.Buffer
		elements int
	}{{"upstream", upstream, positions * columns}, {"gradient", gradient, tokens * columns}} {
		if reason := b.buffer.Lacks(launch.Element(p), p.Size(), int64(b.elements)); reason != "" {
			return refuse(b.name, "%s", reason)
		}
	}
	return nil
}

// blocks is the grid with a thread for each element of rows × columns.
func blocks(rows, columns int) launch.Dim3 {
	return launch.Dim3{X: (rows*columns-1)/threads + 1, Y: 1, Z: 1}
}

// integers returns the buffer of 32-bit numbers.
func integers(list []int32) *launch.Buffer {
	data := make([]byte, 0, 4*len(list))
	for _, x := range list {
		data = binary.LittleEndian.AppendUint32(data, uint32(x))
	}
	return &launch.Buffer{Type: "int", Data: data}
}

// params returns struct Embedding as C lays it out, little-endian.
func params(positions, tokens, columns int) []byte {
	var out []byte
	for _, n := range []int{positions, tokens, columns} {
		out = binary.LittleEndian.AppendUint64(out, uint64(n))
	}
	return out
}
