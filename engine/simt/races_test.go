package simt_test

import (
	"testing"

	"workbench/engine/launch"
	"workbench/engine/simt"
)

// A line that has raced a million times is looked at now and then only, and what
// comes to race with it, or behind it, is found all the same.
func TestRacesBehindAMillion(t *testing.T) {
	const source = `__global__ void k(int* x, int* y, int* z) {
	for (int i = 0; i < 10000; i++)
		x[0] = i + threadIdx.x;
	if (threadIdx.x == 200)
		y[1] = x[0];
	__syncthreads();
	z[0] = threadIdx.x;
}
`
	l := kernel("k", source, 256,
		launch.Arg{Name: "x", Buffer: memory(false, 0)}, launch.Arg{Name: "y", Buffer: memory(true, 0, 0)}, launch.Arg{Name: "z", Buffer: memory(true, 0)})
	r, err := (&simt.Emulator{}).Launch(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[2]int]int64{}
	for _, p := range r.Reports {
		if p.Kind == launch.Race && p.Other != nil {
			seen[[2]int{min(p.Line, p.Other.Line), max(p.Line, p.Other.Line)}] += p.Count
		}
	}
	if len(r.Reports) != 3 || seen[[2]int{3, 3}] == 0 || seen[[2]int{3, 5}] == 0 || seen[[2]int{7, 7}] == 0 {
		t.Errorf("%v, of %+v", seen, r.Reports)
	}
	if n := seen[[2]int{3, 3}]; n < 1<<20 || n > 3<<19 {
		t.Errorf("line 3 was seen racing %d times: a million and some of the others are to be looked at", n)
	}
}
