package simt_test

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

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

// Memory may be limited further.
func TestMemoryLimit(t *testing.T) {
	l := kernel("add", counting, 1, launch.Arg{Name: "x", Buffer: &launch.Buffer{Type: "int", Data: make([]byte, 2<<20)}})
	var full *device.MemoryError
	if _, err := (&simt.Emulator{Memory: 1 << 20}).Launch(t.Context(), l); !errors.As(err, &full) {
		t.Errorf("2 MiB fit into 1: %v", err)
	}
	if _, err := (&simt.Emulator{Memory: 4 << 20}).Launch(t.Context(), l); err != nil {
		t.Error(err)
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
		"args[1]": change(func(l *launch.Launch) {
			l.Kernel.Symbol = "copy"
			l.Args = []launch.Arg{{Buffer: x}, {Buffer: x, Offset: 2}}
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

// What a check reports does not depend on which others are on, nor on whether
// anything is counted.
func TestChecksAreIndependent(t *testing.T) {
	const text = `__global__ void faults(int* x, int* out) {
	__shared__ int s[64];
	int t = threadIdx.x;
	if (t < 62) s[t] = t;
	int late = s[63 - t];               // a race with line 4, and 62 and 63 are never written
	out[t + 1] = late / x[t & 1];       // beyond the end, and by zero
	if (t < 40) __syncthreads();        // divergent
	int y;
	if (t == 3) y = x[0];
	out[0] += y;                        // a race, and neither y nor out was written
	*(long long*)((char*)x + 4) = 1;    // misaligned
	out[1] = __shfl_sync(0x1, t, 0);    // inactive
	assert(t < 60);
	while (x[1] == 0) { }
}
`
	x, out := memory(false, 0, 0, 0, 0), memory(true, make([]int32, 64)...)
	out.Uninitialised = true
	l := kernel("faults", text, 64, launch.Arg{Name: "x", Buffer: x}, launch.Arg{Name: "out", Buffer: out})
	all := run(t, &simt.Emulator{Instructions: 50000}, l)
	kinds := map[launch.ReportKind][]launch.Report{}
	for _, r := range all.Reports {
		kinds[r.Kind] = append(kinds[r.Kind], r)
	}
	if len(kinds) != len(launch.ReportKinds)-1 { // too much shared memory alone is not among them
		t.Fatalf("%d kinds are reported: %+v", len(kinds), all.Reports)
	}
	without := func(off ...launch.ReportKind) *launch.Result {
		t.Helper()
		return run(t, &simt.Emulator{Instructions: 50000, Unchecked: off, Unmeasured: len(off)%2 == 1}, l)
	}
	for kind, want := range kinds {
		// A launch that does not come to its end is reported or an error.
		only := slices.DeleteFunc(slices.Clone(launch.ReportKinds), func(k launch.ReportKind) bool { return k == kind || k == launch.EndlessLoop })
		both := slices.Concat(want, kinds[launch.EndlessLoop])
		if kind == launch.EndlessLoop {
			both = want
		}
		r := without(only...)
		for _, w := range both {
			if !slices.ContainsFunc(r.Reports, func(got launch.Report) bool { return got.Text() == w.Text() }) {
				t.Errorf("%s alone reports %d times, and not\n%s", kind, len(r.Reports), w.Text())
			}
		}
		if len(r.Reports) != len(both) || string(r.Buffers[1]) != string(all.Buffers[1]) {
			t.Errorf("%s alone: %d reports, want %d", kind, len(r.Reports), len(both))
		}
		if kind != launch.EndlessLoop {
			if r = without(kind); len(r.Reports) != len(all.Reports)-len(want) {
				t.Errorf("without %s there are %d reports of %d", kind, len(r.Reports), len(all.Reports))
			}
		}
	}
}

// Where nothing is checked a fault is an error of its own type, and nothing is
// measured that need not be.
func TestUnchecked(t *testing.T) {
	e := &simt.Emulator{Unchecked: launch.ReportKinds, Unmeasured: true, Instructions: 100000}
	for text, want := range map[string]device.Fault{
		"x[threadIdx.x + 1000] = 1;":  device.IllegalAddress,
		"while (x[0] == 0) { }":       device.TimeLimit,
		"assert(threadIdx.x > 1000);": device.LaunchFailure,
	} {
		_, err := e.Launch(t.Context(), kernel("k", "__global__ void k(int* x) {\n\t"+text+"\n}", 32, launch.Arg{Name: "x", Buffer: memory(true, 0)}))
		var fault *device.FaultError
		if !errors.As(err, &fault) || fault.Fault != want || !strings.Contains(fault.Detail, "k.cu:2:") || fault.Next == "" {
			t.Errorf("%s: %v", text, err)
		}
	}
	r := run(t, e, kernel("k", "__global__ void k(int* x) { x[0] = 7; }", 1, launch.Arg{Name: "x", Buffer: memory(true, 0)}))
	if r.Measurement != nil || len(r.Reports) != 0 || string(r.Buffers[0]) != string(words(7)) {
		t.Errorf("%+v", r)
	}
}

// A loop without end says where it is and how far the launch was, whether its
// instructions or its time are used up.
func TestEndless(t *testing.T) {
	l := kernel("k", "__global__ void k(volatile int* x) {\n\tif (blockIdx.x < 2) return;\n\twhile (x[0] == 0) { }\n}", 1, launch.Arg{Name: "x", Buffer: memory(true, 0)})
	l.Grid.X = 3
	says := func(r *launch.Result, words ...string) {
		t.Helper()
		if len(r.Reports) != 1 || r.Reports[0].Kind != launch.EndlessLoop || r.Reports[0].Line != 3 || !r.Ended {
			t.Fatalf("%+v", r)
		}
		for _, w := range words {
			if text := r.Reports[0].Text(); !strings.Contains(text, w) {
				t.Errorf("no %q in %s", w, text)
			}
		}
	}
	says(run(t, &simt.Emulator{Instructions: 1000}, l), "after 1000 instructions", "2 of 3 blocks", "raise limits.instructions")
	// How long it takes to come to the loop is up to the machine.
	inTime := func(launch func(time.Duration) *launch.Result) *launch.Result {
		for limit := 20 * time.Millisecond; ; limit *= 4 {
			if r := launch(limit); limit > 10*time.Second || len(r.Reports) == 1 && r.Reports[0].Line == 3 {
				return r
			}
		}
	}
	says(inTime(func(limit time.Duration) *launch.Result {
		return run(t, &simt.Emulator{Time: limit}, l)
	}), "2 of 3 blocks", "used up its time", "raise limits.seconds")

	says(inTime(func(limit time.Duration) *launch.Result {
		ctx, end := context.WithTimeout(t.Context(), limit)
		defer end()
		results, err := (&simt.Emulator{}).Sequence(ctx, []*launch.Launch{l})
		if !errors.Is(err, context.DeadlineExceeded) || len(results) > 1 {
			t.Fatalf("%d results, %v", len(results), err)
		}
		return append(results, &launch.Result{})[0]
	}), "2 of 3 blocks", "used up its time")
}

// What does not fit is refused before anything is allocated, and what is printed is
// bounded and says so.
func TestBounds(t *testing.T) {
	data := make([]byte, 1<<28)
	var launches []*launch.Launch
	for range 17 {
		launches = append(launches, kernel("k", "__global__ void k(char* x) { x[0] = 1; }", 1, launch.Arg{Name: "x", Buffer: &launch.Buffer{Type: "char", Data: data}}))
	}
	_, err := (&simt.Emulator{}).Sequence(t.Context(), launches)
	var full *device.MemoryError
	if !errors.As(err, &full) || full.Asked != 17<<28 || full.Spec.Kind != device.Emulator {
		t.Errorf("%v", err)
	}
	r := run(t, &simt.Emulator{}, kernel("k", `__global__ void k() { for (int i = 0; i < 2000; i++) printf("%1000d", i); }`, 1))
	if len(r.Output) > 1<<20+100 || !strings.HasSuffix(r.Output, "at most 1048576 bytes)\n") {
		t.Errorf("%d bytes: %q", len(r.Output), r.Output[len(r.Output)-100:])
	}
}
