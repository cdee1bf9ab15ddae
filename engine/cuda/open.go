package cuda

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"

	"workbench/engine/cuda/library"
	"workbench/engine/cuda/session"
	"workbench/engine/cuda/worker"
	"workbench/engine/device"
)

// LibraryDir is the environment variable that names the folder in which NVRTC and
// cuBLAS are looked for first.
const LibraryDir = library.DirVariable

// program is how this program is started as a worker; nil if it cannot be.
var program atomic.Pointer[worker.Command]

// SetProgram says how this program is started so that it calls Serve: with which
// arguments, before those of Serve. A program that never says so opens no GPU:
// one that did not know the arguments would do something else with them.
func SetProgram(c worker.Command) { program.Store(&c) }

// Options are those of the worker of a GPU.
func Options(ordinal int) (worker.Options, error) {
	spec := device.Spec{Kind: device.CUDA, Ordinal: ordinal}
	c, err := command(spec, spec.String())
	return worker.Options{Spec: spec, Command: c}, err
}

// command starts this program as a worker with these arguments of Serve.
func command(spec device.Spec, args ...string) (worker.Command, error) {
	c := program.Load()
	if c == nil {
		return worker.Command{}, &device.UnavailableError{
			Spec: spec, Reason: "this program does not start the process that a GPU needs",
			Next: "use " + instead(spec) + "; or the course's own program",
		}
	}
	out := *c
	out.Args = append(append([]string{}, c.Args...), args...)
	return out, nil
}

// workers are those of the process.
var workers = &pool{options: Options}

// Open opens a GPU. Its worker starts with the first device of it, and ends with
// the last one. What is missing is a *device.UnavailableError: with library also
// when cuBLAS is not there.
func Open(ctx context.Context, spec device.Spec) (*Device, error) { return workers.open(ctx, spec) }

// OpenWith returns what opens GPUs as Open does, in workers of its own, which are
// started with these options.
func OpenWith(options func(ordinal int) (worker.Options, error)) func(ctx context.Context, spec device.Spec) (*Device, error) {
	return (&pool{options: options}).open
}

// refused is why a device cannot be opened whatever the machine has.
func refused(ctx context.Context, spec device.Spec) error {
	switch {
	case spec.Kind != device.CUDA:
		return &device.SpecError{Spec: spec.String(), Part: string(spec.Kind), Reason: "is not a CUDA device"}
	case spec.Contract != device.Separate && spec.Contract != device.Fused:
		return &device.SpecError{Spec: spec.String(), Reason: spec.Contract.String() + " is not a contract"}
	case spec.Library && spec.Contract != device.Fused:
		return &device.SpecError{Spec: spec.String(), Part: "library", Reason: "multiplies fused and nothing else"}
	case spec.Ordinal < 0 || spec.Ordinal > device.MaxOrdinal:
		return &device.SpecError{Spec: spec.String(), Reason: fmt.Sprintf("needs an ordinal from 0 to %d", device.MaxOrdinal)}
	case runtime.GOOS != "linux":
		return elsewhere(spec, runtime.GOOS)
	}
	return ctx.Err()
}

// elsewhere is the answer on other systems than Linux.
func elsewhere(spec device.Spec, system string) error {
	e := &device.UnavailableError{Spec: spec, Reason: "the workbench uses GPUs on Linux alone, and this is " + system, Next: "use " + instead(spec)}
	if system == "windows" {
		e.Next += "; or run the workbench in WSL 2, which gives Linux programs the GPU"
	}
	return e
}

// complete asks for cuBLAS where the device multiplies by it, so that a library
// that is missing is said when the device is opened. It closes a device that is
// not complete.
func (d *Device) complete(ctx context.Context) (*Device, error) {
	if !d.Spec().Library {
		return d, nil
	}
	one := session.Product{B: 1, M: 1, K: 1, N: 1, Contract: device.Fused, Library: true}
	_, err := d.gpu.Multiply(ctx, one, func(left, right []byte) error {
		binary.LittleEndian.PutUint64(left, math.Float64bits(1))
		binary.LittleEndian.PutUint64(right, math.Float64bits(1))
		return nil
	}, func([]byte) {})
	if err != nil {
		_ = d.Close() // err says more
		return nil, addressed(d.Spec(), err)
	}
	return d, nil
}
