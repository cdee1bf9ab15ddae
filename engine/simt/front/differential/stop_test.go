package differential_test

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"workbench/engine/launch"
	"workbench/engine/simt/front"
	"workbench/engine/simt/run"
	"workbench/engine/simt/watch"
)

// endless are kernels that never end, each in its own way.
var endless = []struct {
	name, text string
	blocks     int
}{
	{"a loop", "__global__ void k(int* p) { for (;;) p[0] += 1; }", 0},
	{"a loop without memory", "__global__ void k(int* p) { int x = 1; while (x) x = x * 3 | 1; p[0] = x; }", 0},
	{"a loop that is nearly empty", "__global__ void k(int* p) { while (blockDim.x) ; }", 0},
	{"a loop that is written out", "__global__ void k(int* p) { for (long i = 0; i < 1l << 60; i++) {\n#pragma unroll\nfor (int j = 0; j < 64; j++) p[j] = i; } }", 0},
	{"barriers", "__global__ void k(int* p) { while (true) __syncthreads(); }", 0},
	{"a barrier that counts", "__global__ void k(int* p) { while (__syncthreads_or(1)) ; }", 0},
	{"waiting for another warp", "__global__ void k(volatile int* p) { if (threadIdx.x < 32) while (p[0] == 0) ; __syncthreads(); }", 0},
	{"waiting for another block", "__global__ void k(int* p) { while (atomicAdd(p, 0) != 7) ; }", 0},
	{"a function that calls itself", "__device__ int f(int n, int* p) { if (n <= 0) return *p; return f(n - 1, p) + f(n - 1, p) + f(n - 1, p); } __global__ void k(int* p) { p[1] = f(25, p); }", 0},
	{"calls in a loop", "__device__ __noinline__ int f(int n) { return n * 3 + 1; } __global__ void k(int* p) { int x = 1; while (x != p[0] + 100000000) x = f(x) & 65535; p[1] = x; }", 0},
	{"printf", "__global__ void k(int* p) { while (true) printf(\"%d %f %s\\n\", p[0], 1.5, \"text\"); }", 0},
	{"shuffles", "__global__ void k(int* p) { int x = 1; while (x) x = __shfl_xor_sync(0xffffffff, x, 1); }", 0},
	{"mathematics", "__global__ void k(float* p) { float x = 1; while (blockDim.x) x = sinf(x) + powf(x, 1.5f) + lgammaf(x + 2); p[0] = x; }", 0},
	{"a large copy", "__global__ void k(char* p) { while (true) { memset(p, 1, 1000); memcpy(p, p + 1000, 1000); } }", 0},
	{"divergence", "__global__ void k(int* p) { for (int i = threadIdx.x; i != -1; i += 2) if (i & 4) p[i & 31] ^= i; else if (i & 8) p[i & 7] += i; }", 0},
	{"local memory", "__global__ void k(int* p) { int q[64]; for (unsigned i = 0; ; i++) q[i & 63] = q[(i * 7) & 63] + p[0]; }", 0},
	{"sleeping", "__global__ void k(int* p) { while (true) __nanosleep(1000000); }", 0},
	{"many blocks", "__global__ void k(int* p) { if (threadIdx.x > 5000) p[0] = 1; }", 1 << 30},
}

// TestStops: every launch ends when its context does, or its instructions are
// spent, whatever the kernel waits for; and says which it was.
func TestStops(t *testing.T) {
	for _, c := range endless {
		t.Run(c.name, func(t *testing.T) {
			unit, err := front.Read("endless.cu", c.text, front.Options{})
			if err != nil {
				t.Fatal(err)
			}
			program, err := unit.Program("k")
			if err != nil {
				t.Fatal(err)
			}
			image, err := run.Compile(program)
			if err != nil {
				t.Fatal(err)
			}
			for _, observer := range []run.Observer{nil, watch.Join(watch.NewChecks(watch.Options{}), watch.NewMeasures())} {
				m, err := run.New(image, 0)
				if err != nil {
					t.Fatal(err)
				}
				p, err := m.Allocate("p", 4096, "int", 4)
				if err != nil {
					t.Fatal(err)
				}
				l := &run.Launch{
					Kernel: "k", Grid: launch.Dim3{X: 4, Y: 1, Z: 1}, Block: launch.Dim3{X: 64, Y: 1, Z: 1},
					Args: [][]byte{binary.LittleEndian.AppendUint64(nil, uint64(p.Pointer()))}, Observer: observer,
				}
				if c.blocks > 0 {
					l.Grid.X = c.blocks
				}
				// Once it is well under way. A launch that does not end hangs the test.
				ctx, cancel := context.WithCancel(context.Background())
				stop := time.AfterFunc(3*time.Millisecond, cancel)
				_, err = m.Launch(ctx, l)
				stop.Stop()
				cancel()
				if !errors.Is(err, context.Canceled) {
					t.Errorf("cancelled: %v", err)
				}
				l.Limits.Instructions = 1 << 14
				_, err = m.Launch(context.Background(), l)
				if f, ok := err.(*run.Fault); !ok || f.Kind != run.InstructionsOut {
					t.Errorf("with few instructions: %v", err)
				}
			}
		})
	}
}
