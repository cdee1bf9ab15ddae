package session_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"workbench/engine/cuda/compile"
	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/nvrtc"
	"workbench/engine/cuda/session"
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
	z := &launch.Buffer{Type: "int", Data: slices.Concat(int32Bytes(1), int32Bytes(2), int32Bytes(4)), Out: true}
	pair := launch.Arg{Name: "p", Value: make([]byte, 24), Pointers: []launch.Pointer{{Offset: 8, Buffer: x}, {Offset: 16, Buffer: y}}}
	launches := []*launch.Launch{
		linkedLaunch("copies", launch.Arg{Name: "from", Buffer: x}, launch.Arg{Name: "to", Buffer: x}), // x 6
		linkedLaunch("moves", pair), // y 7
		linkedLaunch("copies", launch.Arg{Name: "from", Buffer: y}, launch.Arg{Name: "to", Buffer: x}),                       // x 13
		linkedLaunch("copies", launch.Arg{Name: "from", Buffer: z, Offset: 8}, launch.Arg{Name: "to", Buffer: z, Offset: 4}), // z 1, 2 + 4, 4
	}
	results, err := s.Sequence(launches)
	if err == nil && !slices.Equal(results[len(results)-1].Buffers[0], slices.Concat(int32Bytes(1), int32Bytes(6), int32Bytes(4))) {
		t.Errorf("z is %v", results[len(results)-1].Buffers[0])
	}
	if err != nil || len(results) != 4 {
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
	if got := named(m.Calls(), "cuMemAlloc_v2", "cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2"); len(got) != 3+3+2 {
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

// counting has variables of both kinds, and kernels that C++ names.
const counting = `__device__ int count = 5;
__constant__ int by[2];
extern "C" __global__ void counts(int* x) { count += by[0]; *x = count; }
template <int N> __global__ void adds(int* x) { count += N; *x = count; }
__global__ void plain(int* x) { *x = by[1]; }
`

var countingKernels = func() map[string]fake.Kernel {
	add := func(t *fake.Thread, n uint64) {
		at := t.Variable("count")
		t.Store(at, 4, t.Load(at, 4)+n)
		t.Store(t.Pointer(0), 4, t.Load(at, 4))
	}
	one := func(f func(t *fake.Thread)) fake.Kernel { return fake.Kernel{Parameters: []int{8}, Thread: f} }
	return map[string]fake.Kernel{
		"counts":   one(func(t *fake.Thread) { add(t, t.Load(t.Variable("by"), 4)) }),
		"adds<7>":  one(func(t *fake.Thread) { add(t, 7) }),
		"adds<30>": one(func(t *fake.Thread) { add(t, 30) }),
		"plain":    one(func(t *fake.Thread) { t.Store(t.Pointer(0), 4, t.Load(t.Variable("by")+4, 4)) }),
	}
}()

func countingLaunch(symbol string, x *launch.Buffer) *launch.Launch {
	l := linkedLaunch(symbol, launch.Arg{Name: "x", Buffer: x})
	l.Kernel.Source = counting
	return l
}

// Variables keep what they hold from launch to launch and begin afresh with each
// sequence; constants are set before their launch; kernels are named as C++ names
// them.
func TestVariablesAndInstances(t *testing.T) {
	s, m := open(t, fake.Config{Kernels: countingKernels})
	buffer := func() *launch.Buffer { return &launch.Buffer{Type: "int", Data: int32Bytes(0), Out: true} }
	set := func(l *launch.Launch, values ...int) *launch.Launch {
		var data []byte
		for _, v := range values {
			data = append(data, int32Bytes(v)...)
		}
		l.Constants = []launch.Constant{{Name: "by", Value: data}}
		return l
	}
	for range 2 {
		launches := []*launch.Launch{
			set(countingLaunch("counts", buffer()), 100, 3), // 105
			countingLaunch("adds<7>", buffer()),             // 112
			set(countingLaunch("counts", buffer()), 1000),   // 1112
			countingLaunch("plain", buffer()),               // 3
			countingLaunch("adds<30>", buffer()),            // 1142
		}
		results, err := s.Sequence(launches)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []int{105, 112, 1112, 3, 1142} {
			if !slices.Equal(results[i].Buffers[0], int32Bytes(want)) {
				t.Errorf("launch %d gives %v, want %d", i, results[i].Buffers[0], want)
			}
		}
	}
	if got := len(named(m.Calls(), "nvrtcCompileProgram")); got != 2 {
		t.Errorf("%d compilations, want one with the instances and one with the kernel that has a name of C++'s", got)
	}
	var refused *launch.ArgumentError
	for field, l := range map[string]*launch.Launch{
		"constants": set(countingLaunch("counts", buffer()), 1, 2, 3),
		"symbol":    countingLaunch("subtracts<7>", buffer()),
	} {
		if _, err := s.Launch(l); !errors.As(err, &refused) || refused.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	none := countingLaunch("counts", buffer())
	none.Constants = []launch.Constant{{Name: "none", Value: int32Bytes(1)}}
	if _, err := s.Launch(none); !errors.As(err, &refused) || refused.Field != "constants" {
		t.Errorf("%v", err)
	}
}

// NVRTC's own images: how instances are called, their parameters, and whether there
// are variables.
func TestNamedByNVRTC(t *testing.T) {
	c, err := nvrtc.New()
	if err != nil {
		t.Skip(err)
	}
	k := launch.Kernel{File: "k.cu", Source: `template <typename T, int N> __global__ void copy(const T* from, T* to, T more) { to[threadIdx.x] = from[threadIdx.x * N] + more; }
namespace ns { __global__ void add(double* x, int n) { x[0] += n; } }
`}
	with := k
	with.Source += "__device__ int count = 5;\n__constant__ float unused[4];\n__global__ void counts() { count++; }\n"
	names := []string{"copy<float, 4>", "copy<double,1>", "ns::add"}
	for _, d := range []nvidia.Device{{Major: 9}, {Major: 99}} {
		image, lowered, _, err := compile.Named(c, "", k, names, d)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range [][]int{{8, 8, 4}, {8, 8, 8}, {8, 4}} {
			if got := session.ParametersOf(image, lowered[i]); !slices.Equal(got, want) {
				t.Errorf("%s is %s with %v, want %v", names[i], lowered[i], got, want)
			}
		}
		if session.HasVariables(image) {
			t.Error("variables where there are none")
		}
		image, _, _, err = compile.Named(c, "", with, []string{"counts"}, d)
		if err != nil || !session.HasVariables(image) {
			t.Errorf("no variables where there are some: %v", err)
		}
		for _, name := range []string{"count", "unused"} {
			if !bytes.Contains(image, []byte(name)) {
				t.Errorf("the image of compute capability %d does not have %s", d.Major, name)
			}
		}
	}
}
