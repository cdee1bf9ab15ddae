package cuda

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/simt"
)

// sequenceSource has all that launches may need of a source: variables, constants,
// an instance of a template, names of C++, and pointers in a struct.
const sequenceSource = `struct Pair { int n; const int* from; int* to; };
__device__ int count = 5;
__constant__ int by[2];
template <int N> __global__ void adds(int* x) { count += N * by[0]; x[0] += count; }
namespace ns { __global__ void moves(Pair p) { if (threadIdx.x < p.n) p.to[threadIdx.x] = p.from[threadIdx.x] + by[1]; } }
__global__ void plain(const int* from, int* to) { to[1] = from[0] + count; }
`

// holdSequence runs launches that share everything, twice: what the first time left
// is nothing to the second.
func holdSequence(t *testing.T, on launch.Launcher) {
	t.Helper()
	words := func(values ...int32) (b []byte) {
		for _, x := range values {
			b = binary.LittleEndian.AppendUint32(b, uint32(x))
		}
		return b
	}
	x := &launch.Buffer{Type: "int", Data: words(1, 2), Out: true}
	y := &launch.Buffer{Type: "int", Data: words(0, 0), Out: true}
	one := func(symbol string, args ...launch.Arg) *launch.Launch {
		return &launch.Launch{
			Kernel: launch.Kernel{File: "sequence.cu", Source: sequenceSource, Symbol: symbol},
			Grid:   launch.Dim3{X: 1, Y: 1, Z: 1}, Block: launch.Dim3{X: 1, Y: 1, Z: 1}, Args: args,
		}
	}
	pair := launch.Arg{Name: "p", Value: append(words(2), make([]byte, 20)...), Pointers: []launch.Pointer{{Offset: 8, Buffer: x}, {Offset: 16, Buffer: y}}}
	launches := []*launch.Launch{
		one("adds<7>", launch.Arg{Name: "x", Buffer: x}),                                                // count 5 + 70, x[0] 76
		one("adds<2>", launch.Arg{Name: "x", Buffer: x}),                                                // count 75 + 20, x[0] 171
		one("ns::moves", pair),                                                                          // y 1171, 1002
		one("plain", launch.Arg{Name: "from", Buffer: y}, launch.Arg{Name: "to", Buffer: y}),            // y[1] 1171 + 95
		one("plain", launch.Arg{Name: "from", Buffer: y, Offset: 4}, launch.Arg{Name: "to", Buffer: x}), // x[1] 1266 + 95
	}
	launches[0].Constants = []launch.Constant{{Name: "by", Value: words(10, 1000)}}
	launches[2].Block.X = 32
	for range 2 {
		results, err := on.Sequence(t.Context(), launches)
		var missing *device.UnavailableError
		if errors.As(err, &missing) {
			t.Skipf("no kernel can be compiled: %v", err)
		}
		if err != nil || len(results) != len(launches) {
			t.Fatalf("%d results, %v", len(results), err)
		}
		if got := results[0].Buffers[0]; !slices.Equal(got, words(171, 1361)) {
			t.Errorf("x is % x", got)
		}
		if got := results[3].Buffers[1]; !slices.Equal(got, words(1171, 1266)) {
			t.Errorf("y is % x", got)
		}
		for i, r := range results {
			if len(r.Reports) != 0 || r.Ended || r.Cost.KernelNS <= 0 {
				t.Errorf("launch %d: %+v", i, r)
			}
		}
	}
}

func TestSequenceOnTheEmulator(t *testing.T) { holdSequence(t, &simt.Emulator{}) }

func TestGPUSequence(t *testing.T) {
	_, d := realGPU(t, "cuda:0")
	holdSequence(t, d)
}
