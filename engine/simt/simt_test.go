package simt_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"

	"workbench/engine/launch"
	"workbench/engine/simt"
)

func floats(values ...float32) []byte {
	var b []byte
	for _, x := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func kernel(symbol, text string, threads int, args ...launch.Arg) *launch.Launch {
	return &launch.Launch{
		Kernel: launch.Kernel{File: "k.cu", Source: text, Symbol: symbol},
		Grid:   launch.Dim3{X: 1, Y: 1, Z: 1}, Block: launch.Dim3{X: threads, Y: 1, Z: 1}, Args: args,
	}
}

func buffer(name string, out bool, values ...float32) launch.Arg {
	return launch.Arg{Name: name, Buffer: &launch.Buffer{Type: "float", Data: floats(values...), Out: out, Shape: []int{len(values)}}}
}

func run(t *testing.T, e *simt.Emulator, l *launch.Launch) *launch.Result {
	t.Helper()
	r, err := e.Launch(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const reverse = `__global__ void reverse(float* x) {
	__shared__ float all[64];
	all[threadIdx.x] = x[threadIdx.x];
	__syncthreads();
	x[threadIdx.x] = all[63 - threadIdx.x];
}
`

func TestLaunch(t *testing.T) {
	values := make([]float32, 64)
	for i := range values {
		values[i] = float32(i)
	}
	l := kernel("reverse", reverse, 64, buffer("x", true, values...))
	r := run(t, &simt.Emulator{}, l)
	if len(r.Reports) != 0 || r.Measurement.Threads != 64 || r.Measurement.Barriers == 0 || r.Device != simt.Name {
		t.Errorf("%+v", r)
	}
	for i := range values {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(r.Buffers[0][4*i:])); got != float32(63-i) {
			t.Fatalf("element %d is %v", i, got)
		}
	}
	if string(l.Args[0].Buffer.Data) != string(floats(values...)) {
		t.Error("the launch changed what it was given")
	}

	// Without its barrier two lines race, and both are named.
	l.Kernel.Source = strings.Replace(reverse, "__syncthreads();", "", 1)
	r = run(t, &simt.Emulator{}, l)
	if len(r.Reports) != 1 || r.Reports[0].Kind != launch.Race || r.Reports[0].Line != 5 || r.Reports[0].Other.Line != 3 || !strings.Contains(r.Reports[0].Source, "63 - threadIdx.x") {
		t.Errorf("%+v", r.Reports)
	}
	if r = run(t, &simt.Emulator{Unchecked: []launch.ReportKind{launch.Race}}, l); len(r.Reports) != 0 {
		t.Errorf("%+v", r.Reports)
	}
}

func TestReports(t *testing.T) {
	beyond := kernel("k", "__global__ void k(float* x) { x[threadIdx.x] = 1; }", 32, buffer("x", true, 0, 0, 0))
	r := run(t, &simt.Emulator{}, beyond)
	if len(r.Reports) != 1 || r.Reports[0].Kind != launch.OutOfBounds || r.Reports[0].Address != "x[3]" || string(r.Buffers[0]) != string(floats(1, 1, 1)) {
		t.Errorf("%+v", r)
	}
	unread := kernel("k", "__global__ void k(float* x) { x[threadIdx.x] += 1; }", 2, buffer("x", true, 0, 0))
	unread.Args[0].Buffer.Uninitialised = true
	if r = run(t, &simt.Emulator{}, unread); len(r.Reports) != 1 || r.Reports[0].Kind != launch.Uninitialised {
		t.Errorf("%+v", r.Reports)
	}
	endless := kernel("k", "__global__ void k(float* x) { while (x[0] == 0) x[1] = 1; }", 1, buffer("x", false, 0, 0))
	if r = run(t, &simt.Emulator{Instructions: 100000}, endless); len(r.Reports) != 1 || r.Reports[0].Kind != launch.EndlessLoop {
		t.Errorf("%+v", r.Reports)
	}
	large := kernel("k", "__global__ void k(float* x) { extern __shared__ float s[]; s[0] = x[0]; x[0] = s[0]; }", 1, buffer("x", false, 0))
	large.SharedBytes = 1 << 20
	if r = run(t, &simt.Emulator{}, large); len(r.Reports) != 1 || r.Reports[0].Kind != launch.SharedMemory {
		t.Errorf("%+v", r.Reports)
	}
}

// Constants, pointers in structs, one buffer twice, and what is printed.
func TestArguments(t *testing.T) {
	const text = `__constant__ float weights[2];
struct Pair { float by; float* to; };
template <int N> __global__ void k(const float* x, float* again, Pair p) {
	p.to[0] = x[0] * weights[1] + p.by + N;
	again[1] = 9;
	printf("by %g\n", p.by);
}
`
	x, y := buffer("x", true, 2, 0), buffer("y", true, 0)
	pair := launch.Arg{Name: "p", Value: append(floats(0.5), make([]byte, 12)...), Pointers: []launch.Pointer{{Offset: 8, Buffer: y.Buffer}}}
	l := kernel("k<100>", text, 1, x, x, pair)
	l.Constants = []launch.Constant{{Name: "weights", Value: floats(7, 10)}}
	r := run(t, &simt.Emulator{}, l)
	if len(r.Buffers) != 4 || string(r.Buffers[0]) != string(floats(2, 9)) || string(r.Buffers[3]) != string(floats(120.5)) || r.Output != "by 0.5\n" || len(r.Reports) != 0 {
		t.Errorf("%v %q %+v", r.Buffers, r.Output, r.Reports)
	}
}

func TestRefuses(t *testing.T) {
	e := &simt.Emulator{}
	_, err := e.Launch(t.Context(), kernel("k", "__global__ void k(float* x) {\n\tx[0] = y;\n}", 1, buffer("x", true, 0)))
	var compile *launch.CompileError
	if !errors.As(err, &compile) || !strings.Contains(err.Error(), "k.cu:2:9: ") {
		t.Errorf("%v", err)
	}
	var refused *launch.ArgumentError
	constant := kernel("reverse", reverse, 1, buffer("x", true, 0))
	constant.Constants = []launch.Constant{{Name: "none", Value: floats(1)}}
	for field, l := range map[string]*launch.Launch{
		"block":     kernel("reverse", reverse, 0, buffer("x", true, 0)),
		"args":      kernel("reverse", reverse, 1),
		"constants": constant,
	} {
		if _, err := e.Launch(t.Context(), l); !errors.As(err, &refused) || refused.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := e.Launch(ctx, kernel("reverse", reverse, 1, buffer("x", true, 0))); !errors.Is(err, context.Canceled) || r != nil {
		t.Errorf("%v, %v", r, err)
	}
}

// Kernels that were read before are kept, and never taken for one another: whoever
// launches, and however many there are.
func TestKernelsAreKeptApart(t *testing.T) {
	e := &simt.Emulator{}
	source := func(n int) string {
		return strings.Replace(`__global__ void set(float* x) { x[0] = N; }
__global__ void twice(float* x) { x[0] = 2 * N; }
`, "N", strconv.Itoa(n), 2)
	}
	var wait sync.WaitGroup
	for g := range 3 {
		wait.Go(func() {
			for i := range 100 {
				n := 1 + i*(g+1)%40
				l := kernel([]string{"set", "twice"}[i%2], source(n), 1, buffer("x", true, 0))
				r, err := e.Launch(t.Context(), l)
				if err != nil {
					t.Error(err)
					return
				}
				if want := floats(float32(n * (1 + i%2))); string(r.Buffers[0]) != string(want) {
					t.Errorf("%s of %d gives % x", l.Kernel.Symbol, n, r.Buffers[0])
				}
			}
		})
	}
	wait.Wait()
}
