package emulator

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"workbench/engine/device"
	"workbench/engine/simt"
	"workbench/engine/simt/front"
	"workbench/engine/simt/run"
	"workbench/engine/staged"
	"workbench/kernels/matmul"
)

// Memory is how many bytes the operands of a request and its result may have
// together. The host holds them once more, packed, while they are copied.
const Memory = 1 << 30

// backend runs the requests of a device, each on memory of its own. Kernels that
// are not ours run with every check.
type backend struct {
	spec device.Spec
	simt.Emulator
}

// products is the kernels that multiply, for both contracts and every precision:
// read once, whoever asks.
var products = sync.OnceValues(func() (*run.Image, error) {
	unit, err := front.Read(matmul.File, matmul.Source, front.Options{})
	if err != nil {
		return nil, err
	}
	program, err := unit.Program()
	if err != nil {
		return nil, err
	}
	return run.Compile(program)
})

// Multiply runs one product. Its times are those of the host's clock: around the
// copies into the emulator's memory and out of it, and around the launch.
func (b *backend) Multiply(ctx context.Context, p staged.Product, fill func(left, right []byte) error, take func(out []byte)) (device.Stats, error) {
	left, right, out, err := p.Sizes()
	if err != nil {
		return device.Stats{}, err
	}
	if asked := uint64(left) + uint64(right) + uint64(out); asked > Memory {
		return device.Stats{}, &device.MemoryError{Spec: b.spec, Asked: asked, Free: Memory}
	}
	image, err := products()
	if err != nil {
		return device.Stats{}, fmt.Errorf("BUG: the course's own kernel cannot be read: %w", err)
	}
	host := [2][]byte{make([]byte, left), make([]byte, right)}
	if err := fill(host[0], host[1]); err != nil {
		return device.Stats{}, err
	}
	m, err := run.New(image, 0)
	if err != nil {
		return device.Stats{}, err
	}
	var memory [3]*run.Memory
	var args [][]byte
	for i, size := range [3]int{left, right, out} {
		memory[i], err = m.Allocate([]string{"left", "right", "out"}[i], int64(size), matmul.Element(p.Precision), p.Precision.Size())
		if err != nil {
			return device.Stats{}, err
		}
		args = append(args, binary.LittleEndian.AppendUint64(nil, uint64(memory[i].Pointer())))
	}

	stats := device.Stats{Requests: 1, Launches: 1, BytesIn: int64(left) + int64(right), BytesOut: int64(out)}
	clock := time.Now()
	for i, operand := range host {
		if err := copied(ctx, memory[i].Data, operand); err != nil {
			return device.Stats{}, err
		}
	}
	stats.CopyInNS = since(&clock)

	params := matmul.Packed(p.B, p.M, p.K, p.N)
	if p.Mean {
		params.Divisor = float64(p.K)
	}
	kernel := matmul.Kernel(p.Contract, p.Precision)
	grid, block := params.Geometry()
	if _, err := m.Launch(ctx, &run.Launch{
		Kernel: kernel.Symbol, Grid: grid, Block: block, Args: append(args, params.Bytes()), Contract: kernel.Contract,
		// The product ends by itself, and before that with its context.
		Limits: run.Limits{Instructions: math.MaxInt64},
	}); err != nil {
		return device.Stats{}, b.failed(err)
	}
	stats.KernelNS = since(&clock)

	result := make([]byte, out)
	if err := copied(ctx, result, memory[2].Data); err != nil {
		return device.Stats{}, err
	}
	stats.CopyOutNS = since(&clock)
	take(result)
	return stats, nil
}

// copied copies between memories, and looks at the context on the way.
func copied(ctx context.Context, to, from []byte) error {
	const piece = 4 << 20 // a millisecond or less
	for len(from) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := copy(to, from[:min(len(from), piece)])
		to, from = to[n:], from[n:]
	}
	return nil
}

// since returns the nanoseconds since clock, at least one, and sets it again.
func since(clock *time.Time) int64 {
	now := time.Now()
	ns := max(1, now.Sub(*clock).Nanoseconds())
	*clock = now
	return ns
}

// failed returns what a launch of our own kernel failed with as a device says it.
func (b *backend) failed(err error) error {
	var f *run.Fault
	if !errors.As(err, &f) {
		return err
	}
	if f.Kind == run.Cancelled || f.Kind == run.TimeOut {
		return f.Err
	}
	fault := device.LaunchFailure
	switch f.Kind {
	case run.OutOfBounds, run.NullPointer, run.ReadOnly, run.Misaligned:
		fault = device.IllegalAddress
	}
	return &device.FaultError{
		Spec: b.spec, Fault: fault, Detail: f.Error(),
		Next: "this is a mistake of the workbench, whose own kernel it is: report it",
	}
}
