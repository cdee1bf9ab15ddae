package simt_test

import (
	"math/bits"
	"slices"
	"testing"

	"workbench/engine/launch"
	"workbench/engine/simt"
	"workbench/engine/simt/code"
	rt "workbench/engine/simt/run"
)

// Races with what a kernel only reads are not looked for. Each of these writes what
// lane 0 reads, by an address that came to the store on another way.
func TestWritesByEveryWay(t *testing.T) {
	for name, body := range map[string]string{
		"selected":            `int* p = threadIdx.x == 1 ? x : y; if (threadIdx.x > 0) p[0] = 1;`,
		"assigned":            `int* p = y; for (int i = 0; i < threadIdx.x; i++) p = x; if (threadIdx.x > 0) *p = 1;`,
		"another argument":    `if (threadIdx.x > 0) z[0] = 1;`,
		"a struct":            `Pair a = pair; a.one += 1; if (threadIdx.x > 0) a.one[-1] = 1;`,
		"an array of lanes":   `int* list[2]; list[threadIdx.x] = x; list[1 - threadIdx.x] = y; if (threadIdx.x > 0) list[threadIdx.x][0] = 1;`,
		"shared memory":       `__shared__ int* p[2]; p[threadIdx.x] = x; if (threadIdx.x > 0) p[1][0] = 1;`,
		"global memory":       `kept[threadIdx.x] = x; if (threadIdx.x > 0) kept[threadIdx.x][0] = 1;`,
		"an atomic":           `unsigned long long was = atomicExch(&number, (unsigned long long)x); atomicAdd(&number, threadIdx.x); if (threadIdx.x > 0) ((int*)(was ? was : (unsigned long long)x))[0] = 1;`,
		"an integer":          `unsigned long long p = (unsigned long long)x + 4; if (threadIdx.x > 0) *(int*)(p - 4) = 1;`,
		"another lane":        `unsigned long long p = __shfl_sync(3, (unsigned long long)(threadIdx.x ? y : x), 0); if (threadIdx.x > 0) *(int*)p = 1; else out[0] = x[0];`,
		"a function":          `if (threadIdx.x > 0) put(pass(x, 3), 3);`,
		"a reference":         `int& first = x[0]; if (threadIdx.x > 0) first = 1;`,
		"an atomic operation": `if (threadIdx.x > 0) atomicAdd(z, 1);`,
	} {
		source := `struct Pair { int* one; int n; };
__device__ int* kept[2];
__device__ unsigned long long number;
__device__ __noinline__ int* pass(int* p, int n) { return n == 0 ? p : pass(p, n - 1); }
__device__ __noinline__ void put(int* p, int n) { if (n == 0) *p = 1; else put(p, n - 1); }
__global__ void k(int* x, int* y, int* z, Pair pair, int* out) {
	if (threadIdx.x == 0) out[0] = x[0];
	` + body + "\n}\n"
		x, y, out := memory(false, 1, 2), memory(false, 3, 4), memory(true, 0)
		l := kernel("k", source, 2,
			launch.Arg{Name: "x", Buffer: x}, launch.Arg{Name: "y", Buffer: y}, launch.Arg{Name: "z", Buffer: x},
			launch.Arg{Name: "pair", Value: make([]byte, 16), Pointers: []launch.Pointer{{Offset: 0, Buffer: x}}}, launch.Arg{Name: "out", Buffer: out})
		r, err := (&simt.Emulator{}).Launch(t.Context(), l)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.ContainsFunc(r.Reports, func(p launch.Report) bool { return p.Kind == launch.Race }) {
			t.Errorf("%s: no race: %+v", name, r.Reports)
		}
	}
}

// asking asks of all memory that is accessed whether the launch may write it.
type asking struct {
	rt.Observer
	says map[string]bool
}

func (a *asking) Wants() rt.Events { return rt.Accesses }
func (a *asking) Begin(*rt.Block)  {}
func (a *asking) End(*rt.Block)    {}

func (a *asking) Access(x *rt.Access) {
	m := x.Warp.Memory(rt.Pointer(x.Addrs[bits.TrailingZeros32(x.Mask)]))
	if m.Space == code.Global {
		a.says[m.Label] = x.Warp.Block.Grid.Writes(m)
	}
}

func TestWritesIsNarrow(t *testing.T) {
	const source = `__device__ int counted, looked;
struct From { const int* a; const int* b; };
__global__ void k(From from, const int* at, int* to, int n) {
	int i = threadIdx.x;
	if (i < n) { to[at[i]] = from.a[i] + from.b[at[i]] + looked; atomicAdd(&counted, 1); }
}
`
	a := &asking{says: map[string]bool{}}
	buffers := []*launch.Buffer{memory(false, 1, 2), memory(false, 3, 4), memory(false, 1, 0), memory(true, 0, 0)}
	l := kernel("k", source, 2,
		launch.Arg{Name: "from", Value: make([]byte, 16), Pointers: []launch.Pointer{{Offset: 0, Buffer: buffers[0]}, {Offset: 8, Buffer: buffers[1]}}},
		launch.Arg{Name: "at", Buffer: buffers[2]}, launch.Arg{Name: "to", Buffer: buffers[3]}, launch.Arg{Name: "n", Value: words(2)})
	if _, err := (&simt.Emulator{Observer: a, Unmeasured: true, Unchecked: launch.ReportKinds}).Launch(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"from.0": false, "from.1": false, "at": false, "to": true, "counted": true, "looked": false}
	for name, w := range want {
		if got, ok := a.says[name]; !ok || got != w {
			t.Errorf("%s: %v, not %v", name, got, w)
		}
	}
	if len(a.says) != len(want) {
		t.Errorf("%v", a.says)
	}
}
