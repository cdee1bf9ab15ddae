package check

import (
	"encoding/binary"
	"fmt"
	"math"

	"workbench/engine/launch"
)

// source is the CUDA C that the checks launch, compiled on the machine: kernels
// that a learner might write, right and wrong. The faults lie 4 TiB away from
// what was allocated, where nothing is mapped.
const kernelSource = `extern "C" __global__ void check_add(float* x, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) x[i] += 1;
}

extern "C" __global__ void check_read_outside(float* x) {
	x[0] = x[-(1LL << 40)];
}

extern "C" __global__ void check_write_outside(float* x) {
	x[1LL << 40] = 1;
}

extern "C" __global__ void check_endless(volatile float* x) {
	while (x[0] == 0) {}
}

extern "C" __global__ void check_trap(float* x) {
	x[0] = 1;
	asm volatile("trap;");
}

extern "C" __global__ void check_print(int n) {
	printf("thread %d of %d\n", (int)(blockIdx.x * blockDim.x + threadIdx.x), n);
}

// check_copy reads and writes each word once, neighbours by neighbours.
extern "C" __global__ void check_copy(const float4* from, float4* to, long long n) {
	long long step = (long long)gridDim.x * blockDim.x;
	for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) to[i] = from[i];
}

// What compute-sanitizer must find: a write just behind the end, two threads that
// write one word of shared memory, a read of what nobody wrote, and a barrier that
// half a warp does not reach.
extern "C" __global__ void check_past_end(float* x, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i <= n) x[i] = 1;
}

extern "C" __global__ void check_race(float* x) {
	__shared__ volatile float word;
	word = threadIdx.x;
	x[threadIdx.x] = word;
}

extern "C" __global__ void check_unwritten(const float* from, float* to) {
	to[threadIdx.x] = from[threadIdx.x] + 1;
}

extern "C" __global__ void check_half_barrier(float* x) {
	if (threadIdx.x % 32 < 16) __syncthreads();
	x[threadIdx.x] = 1;
}
`

// kernelFile names the source in messages.
const kernelFile = "check.cu"

// kernel returns one of the source's kernels.
func kernel(symbol string) launch.Kernel {
	return launch.Kernel{File: kernelFile, Source: kernelSource, Symbol: symbol}
}

// floats lays numbers out as C does.
func floats(values ...float32) []byte {
	out := make([]byte, 0, 4*len(values))
	for _, x := range values {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return out
}

// number32 lays an int out as C does.
func number32(n int) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) }

// one launches a kernel with a buffer of these numbers and, if n is not negative,
// their number, a thread an element and one block.
func one(symbol string, threads, n int, values ...float32) *launch.Launch {
	l := &launch.Launch{
		Kernel: kernel(symbol),
		Grid:   launch.Dim3{X: 1, Y: 1, Z: 1}, Block: launch.Dim3{X: threads, Y: 1, Z: 1},
	}
	if len(values) > 0 {
		l.Args = append(l.Args, launch.Arg{Name: "x", Buffer: &launch.Buffer{Type: "float", Data: floats(values...), Out: true}})
	}
	if n >= 0 {
		l.Args = append(l.Args, launch.Arg{Name: "n", Value: number32(n)})
	}
	return l
}

// added holds a result of check_add to what it must be.
func added(r *launch.Result, n int, values ...float32) error {
	want := make([]float32, len(values))
	for i, x := range values {
		want[i] = x
		if i < n {
			want[i]++
		}
	}
	if len(r.Buffers) < 1 || string(r.Buffers[0]) != string(floats(want...)) {
		return fmt.Errorf("the kernel that adds 1 to %v returned % x, expected % x", values, r.Buffers, floats(want...))
	}
	return nil
}

// number64 lays a long long out as C does.
func number64(n int) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(n)) }
