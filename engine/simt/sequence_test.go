package simt_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/simt"
)

const counting = `__device__ int count = 5;
__constant__ int by;
struct Both { int* one; int* other; };
__global__ void add(int* x) { count += by; x[0] = count; }
__global__ void copy(Both b) { b.other[0] = b.one[0]; }
__global__ void read(const int* from, int* to) { to[1] = from[0] + count; }
`

func words(values ...int32) []byte {
	var b []byte
	for _, x := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	return b
}

func memory(out bool, values ...int32) *launch.Buffer {
	return &launch.Buffer{Type: "int", Data: words(values...), Out: out}
}

// One memory and one module: buffers and variables keep from launch to launch what
// they hold, and begin afresh with each sequence.
func TestSequence(t *testing.T) {
	e := &simt.Emulator{}
	x, y := memory(true, 0), memory(true, 0, 0)
	y.Uninitialised = true
	launches := []*launch.Launch{
		kernel("add", counting, 1, launch.Arg{Name: "x", Buffer: x}),
		kernel("add", counting, 1, launch.Arg{Name: "x", Buffer: x}),
		kernel("copy", counting, 1, launch.Arg{Name: "b", Value: make([]byte, 16), Pointers: []launch.Pointer{{Offset: 0, Buffer: x}, {Offset: 8, Buffer: y}}}),
		kernel("read", counting, 1, launch.Arg{Name: "from", Buffer: y}, launch.Arg{Name: "to", Buffer: y}),
	}
	launches[0].Constants = []launch.Constant{{Name: "by", Value: words(10)}}
	launches[1].Constants = []launch.Constant{{Name: "by", Value: words(100)}}
	for range 2 {
		results, err := e.Sequence(t.Context(), launches)
		if err != nil || len(results) != 4 {
			t.Fatalf("%d results, %v", len(results), err)
		}
		for i, r := range results {
			if len(r.Reports) != 0 || r.Measurement.Kernel != launches[i].Kernel.Symbol || r.Ended {
				t.Errorf("launch %d: %+v", i, r)
			}
		}
		if string(results[0].Buffers[0]) != string(words(115)) || string(results[3].Buffers[1]) != string(words(115, 230)) {
			t.Errorf("x is %v and y %v", results[0].Buffers, results[3].Buffers)
		}
		if results[0].Cost.CopyInNS <= 0 || results[3].Cost.CopyInNS != 0 || results[2].Cost.KernelNS <= 0 {
			t.Errorf("%+v", results[0].Cost)
		}
	}

	// What the third launch writes is not unwritten for the fourth.
	results, err := e.Sequence(t.Context(), launches[3:])
	if err != nil || len(results[0].Reports) != 1 || results[0].Reports[0].Kind != launch.Uninitialised {
		t.Errorf("%+v, %v", results, err)
	}
}

// What ends a launch ends its sequence, and what was found until then is there.
func TestSequenceEnds(t *testing.T) {
	const text = `__global__ void add(int* x) { x[threadIdx.x + 1] += 1; }
__global__ void endless(volatile int* x) { x[0] = 7; while (x[0] == 7) ; }
`
	x := memory(true, 1, 2)
	add := kernel("add", text, 2, launch.Arg{Name: "x", Buffer: x})
	launches := []*launch.Launch{add, kernel("endless", text, 1, launch.Arg{Name: "x", Buffer: x}), add}
	results, err := (&simt.Emulator{Instructions: 10000}).Sequence(t.Context(), launches)
	if err != nil || len(results) != 2 || results[0].Ended || !results[1].Ended {
		t.Fatalf("%+v, %v", results, err)
	}
	if results[0].Reports[0].Kind != launch.OutOfBounds || results[1].Reports[0].Kind != launch.EndlessLoop || string(results[0].Buffers[0]) != string(words(7, 3)) {
		t.Errorf("%+v %v", results[1].Reports, results[0].Buffers)
	}

	// Where that is not reported it is an error, beside what came before.
	results, err = (&simt.Emulator{Instructions: 10000, Unchecked: []launch.ReportKind{launch.EndlessLoop}}).Sequence(t.Context(), launches)
	var fault *device.FaultError
	var at *launch.SequenceError
	if len(results) != 1 || !errors.As(err, &fault) || fault.Fault != device.TimeLimit || !errors.As(err, &at) || at.Index != 1 || string(results[0].Buffers[0]) != string(words(7, 3)) {
		t.Errorf("%+v, %v", results, err)
	}
}

// What cannot be is refused before the first launch, with its place.
func TestSequenceIsChecked(t *testing.T) {
	x := memory(true, 0)
	good := func() *launch.Launch { return kernel("add", counting, 1, launch.Arg{Name: "x", Buffer: x}) }
	change := func(f func(l *launch.Launch)) *launch.Launch { l := good(); f(l); return l }
	for field, bad := range map[string]*launch.Launch{
		"symbol":   change(func(l *launch.Launch) { l.Kernel.Symbol = "none" }),
		"source":   change(func(l *launch.Launch) { l.Kernel.Source += "\n" }),
		"contract": change(func(l *launch.Launch) { l.Kernel.Contract = device.Fused }),
		"block":    change(func(l *launch.Launch) { l.Block.X = 2000 }),
		"args":     change(func(l *launch.Launch) { l.Args = nil }),
		"args[0]": change(func(l *launch.Launch) {
			l.Args[0] = launch.Arg{Value: make([]byte, 8), Pointers: []launch.Pointer{{Offset: 4, Buffer: x}}}
		}),
		"constants": change(func(l *launch.Launch) { l.Constants = []launch.Constant{{Name: "by", Value: make([]byte, 5)}} }),
	} {
		results, err := (&simt.Emulator{}).Sequence(t.Context(), []*launch.Launch{good(), bad})
		var refused *launch.ArgumentError
		var at *launch.SequenceError
		if len(results) != 0 || !errors.As(err, &refused) || refused.Field != field || !errors.As(err, &at) || at.Index != 1 {
			t.Errorf("%s: %v", field, err)
		}
	}
	none := change(func(l *launch.Launch) { l.Kernel.Symbol = "nothing" })
	if _, err := (&simt.Emulator{}).Launch(t.Context(), none); err == nil || !strings.Contains(err.Error(), "add, copy, read") {
		t.Errorf("%v", err)
	}
}
