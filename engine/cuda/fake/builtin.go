package fake

import (
	"encoding/binary"
	"time"

	"workbench/engine/cuda/nvidia"
	"workbench/engine/device"
	"workbench/kernels/matmul"
)

// builtin returns the kernels that every machine knows: those of kernels/matmul,
// those of the driver's conformance suite, and these, which tests write sources
// for (Source):
//
//	add_one(float* x, int n)        x[i] += 1 for i < n, a thread an element
//	write_outside(float* x, int n)  x[n + 2^30] = 1
//	read_null(float* x)             x[0] = *(float*)nullptr
//	never_ends()                    does not return
//	traps()                         ends as broken code does
//	prints(int n)                   printf("thread %d of %d\n", i, n), a line a thread
func builtin() map[string]Kernel {
	kernels := conformance()
	for _, v := range matmul.Versions {
		for _, p := range v.Source().Precisions {
			kernels[v.Symbol(p)] = product(p)
		}
	}
	kernels["add_one"] = Kernel{Parameters: []int{8, 4}, Thread: func(t *Thread) {
		i := int(t.BlockIdx.X*t.BlockDim.X + t.ThreadIdx.X)
		if i < t.Int(1) {
			p := t.Pointer(0) + nvidia.Pointer(4*i)
			x := fromBits(device.Float32, t.Load(p, 4))
			t.Store(p, 4, toBits(device.Float32, x+1))
		}
	}}
	kernels["write_outside"] = Kernel{Parameters: []int{8, 4}, Thread: func(t *Thread) {
		t.Store(t.Pointer(0)+nvidia.Pointer(4*(t.Int(1)+1<<30)), 4, toBits(device.Float32, 1))
	}}
	kernels["read_null"] = Kernel{Parameters: []int{8}, Thread: func(t *Thread) {
		t.Store(t.Pointer(0), 4, t.Load(0, 4))
	}}
	kernels["never_ends"] = Kernel{Thread: func(t *Thread) { t.Forever() }}
	kernels["traps"] = Kernel{Thread: func(t *Thread) { t.Fail(nvidia.LaunchFailed) }}
	kernels["prints"] = Kernel{Parameters: []int{4}, Thread: func(t *Thread) {
		i := int(t.BlockIdx.X*t.BlockDim.X + t.ThreadIdx.X)
		t.Printf("thread %d of %d\n", i, t.Int(0))
	}}
	return kernels
}

// Source is CUDA C with the kernels that builtin describes. A GPU's compiler
// takes it too.
const Source = `extern "C" __global__ void add_one(float* x, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) x[i] += 1;
}

extern "C" __global__ void write_outside(float* x, int n) {
	x[n + (1LL << 30)] = 1;
}

extern "C" __global__ void read_null(float* x) {
	x[0] = *(volatile float*)0;
}

extern "C" __global__ void never_ends() {
	for (;;) asm volatile("" ::: "memory"); // a compiler may leave out a loop that does nothing
}

extern "C" __global__ void traps() {
	asm volatile("trap;");
}

extern "C" __global__ void prints(int n) {
	printf("thread %d of %d\n", (int)(blockIdx.x * blockDim.x + threadIdx.x), n);
}
`

// conformance returns the kernels that the driver's conformance suite describes
// in its package comment (engine/cuda/nvidia/conform).
func conformance() map[string]Kernel {
	return map[string]Kernel{
		"conform_index": {Parameters: []int{8, 4}, Thread: func(t *Thread) {
			block := (t.BlockIdx.Z*t.GridDim.Y+t.BlockIdx.Y)*t.GridDim.X + t.BlockIdx.X
			threads := t.BlockDim.X * t.BlockDim.Y * t.BlockDim.Z
			i := block*threads + (t.ThreadIdx.Z*t.BlockDim.Y+t.ThreadIdx.Y)*t.BlockDim.X + t.ThreadIdx.X
			if i >= uint32(t.Int(1)) {
				return
			}
			t.Store(t.Pointer(0)+nvidia.Pointer(8*uint64(i)), 8,
				uint64(t.BlockIdx.X)+uint64(t.BlockIdx.Y)<<10+uint64(t.BlockIdx.Z)<<20+
					uint64(t.ThreadIdx.X)<<30+uint64(t.ThreadIdx.Y)<<40+uint64(t.ThreadIdx.Z)<<50)
		}},
		"conform_add": {Parameters: []int{8, 4, 4}, Thread: func(t *Thread) {
			i := t.BlockIdx.X*t.BlockDim.X + t.ThreadIdx.X
			if i < uint32(t.Int(1)) {
				p := t.Pointer(0) + nvidia.Pointer(4*uint64(i))
				t.Store(p, 4, t.Load(p, 4)+uint64(uint32(t.Int(2))))
			}
		}},
		"conform_parameters": {Parameters: []int{1, 8, 2, 4, 4, 8, 14 * 8, 1}, Thread: func(t *Thread) {
			out := t.Pointer(5)
			put := func(b []byte) {
				var wide [8]byte
				copy(wide[:], b)
				t.Store(out, 8, binary.LittleEndian.Uint64(wide[:]))
				out += 8
			}
			for _, i := range []int{0, 1, 2, 3, 4} {
				put(t.Argument(i))
			}
			for s := t.Argument(6); len(s) > 0; s = s[8:] {
				put(s[:8])
			}
			put(t.Argument(7))
		}},
		"conform_reverse": {Parameters: []int{8, 8}, Thread: func(t *Thread) {
			if t.SharedBytes < 4*t.BlockDim.X {
				t.Fail(nvidia.IllegalAddress)
			}
			i := uint64(t.ThreadIdx.X)
			last := uint64(t.BlockDim.X) - 1
			t.Store(t.Pointer(0)+nvidia.Pointer(4*(last-i)), 4, t.Load(t.Pointer(1)+nvidia.Pointer(4*i), 4))
		}},
		"conform_wait": {Parameters: []int{8, 4}, Thread: func(t *Thread) {
			t.Wait(time.Duration(uint32(t.Int(1))) * time.Microsecond)
			t.Store(t.Pointer(0), 4, t.Load(t.Pointer(0), 4)+1)
		}},
		"conform_print": {Parameters: []int{4}, Thread: func(t *Thread) {
			t.Printf("conform_print %d\n", uint32(t.Int(0)))
		}},
		"conform_store": {Parameters: []int{8}, Thread: func(t *Thread) {
			t.Store(t.Pointer(0), 4, 1)
		}},
		"conform_trap": {Thread: func(t *Thread) { t.Fail(nvidia.LaunchFailed) }},
	}
}
