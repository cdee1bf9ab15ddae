package session_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/device"
	"workbench/engine/launch"
)

// linked has kernels whose arguments share memory: copies reads *from and adds it to
// *to, moves does the same by a struct of two pointers behind a number.
const linked = `struct Pair { int n; float* from; float* to; };
extern "C" __global__ void copies(float* from, float* to) { *to += *from; }
extern "C" __global__ void moves(Pair p) { *p.to += *p.from; }
`

var linkedKernels = func() map[string]fake.Kernel {
	add := func(t *fake.Thread, from, to nvidia.Pointer) { t.Store(to, 4, t.Load(to, 4)+t.Load(from, 4)) }
	return map[string]fake.Kernel{
		"copies": {Parameters: []int{8, 8}, Thread: func(t *fake.Thread) { add(t, t.Pointer(0), t.Pointer(1)) }},
		"moves": {Parameters: []int{24}, Thread: func(t *fake.Thread) {
			p := t.Argument(0)
			add(t, nvidia.Pointer(binary.LittleEndian.Uint64(p[8:])), nvidia.Pointer(binary.LittleEndian.Uint64(p[16:])))
		}},
	}
}()

func linkedLaunch(symbol string, args ...launch.Arg) *launch.Launch {
	l := sample(symbol, args...)
	l.Kernel.Source, l.Block.X = linked, 1
	return l
}

// A sequence has one memory: a buffer is the same in all its launches, as an
// argument, as two, and as a member of a struct; it is copied once each way.
func TestSequence(t *testing.T) {
	s, m := open(t, fake.Config{Kernels: linkedKernels})
	x := &launch.Buffer{Type: "int", Data: int32Bytes(3), Out: true}
	y := &launch.Buffer{Type: "int", Data: int32Bytes(1)}
	pair := launch.Arg{Name: "p", Value: make([]byte, 24), Pointers: []launch.Pointer{{Offset: 8, Buffer: x}, {Offset: 16, Buffer: y}}}
	launches := []*launch.Launch{
		linkedLaunch("copies", launch.Arg{Name: "from", Buffer: x}, launch.Arg{Name: "to", Buffer: x}), // x 6
		linkedLaunch("moves", pair), // y 7
		linkedLaunch("copies", launch.Arg{Name: "from", Buffer: y}, launch.Arg{Name: "to", Buffer: x}), // x 13
	}
	results, err := s.Sequence(launches)
	if err != nil || len(results) != 3 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	for _, got := range [][]byte{results[0].Buffers[0], results[0].Buffers[1], results[1].Buffers[1], results[2].Buffers[1]} {
		if !slices.Equal(got, int32Bytes(13)) {
			t.Errorf("x is %v", got)
		}
	}
	if results[1].Buffers[2] != nil || slices.ContainsFunc(pair.Value, func(b byte) bool { return b != 0 }) {
		t.Error("y came back, or the argument was changed")
	}
	if got := named(m.Calls(), "cuMemAlloc_v2", "cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2"); len(got) != 2+2+1 {
		t.Errorf("%v", got)
	}
}

// What fails leaves the results of those before, and says which it was.
func TestSequenceFails(t *testing.T) {
	s, m := open(t, fake.Config{})
	launches := []*launch.Launch{addOne(4), sample("prints", launch.Arg{Name: "n", Value: int32Bytes(4)}), addOne(4)}
	launches[2].Args = launches[2].Args[:1]
	results, err := s.Sequence(launches)
	var at *launch.SequenceError
	var refused *launch.ArgumentError
	if len(results) != 0 || !errors.As(err, &at) || at.Index != 2 || !errors.As(err, &refused) || len(named(m.Calls(), "cuLaunchKernel")) != 0 {
		t.Errorf("%v, %v", results, err)
	}
	launches[2] = sample("write_outside", launches[0].Args...)
	results, err = s.Sequence(launches)
	var fault *device.FaultError
	if len(results) != 2 || results[0].Buffers != nil || !errors.As(err, &at) || at.Index != 2 || !errors.As(err, &fault) || fault.Fault != device.IllegalAddress {
		t.Errorf("%v, %v", results, err)
	}
}
