package watch_test

import (
	"context"
	"errors"
	"testing"

	"workbench/engine/launch"
	"workbench/engine/simt/run"
	"workbench/engine/simt/watch"
)

// machineOf is a machine for kernels of one source.
func machineOf(t testing.TB, source string, kernels ...string) *run.Machine {
	t.Helper()
	p := readKernel(t, source, kernels...)
	image, err := run.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := run.New(image, 0)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestLaunches: what one launch has written, the next may read, and nothing races
// between them.
func TestLaunches(t *testing.T) {
	m := machineOf(t, `
__global__ void fill(int *x) { x[threadIdx.x + blockDim.x * blockIdx.x] = 1; }
__global__ void turn(const int *x, int *y) { y[threadIdx.x + 32 * blockIdx.x] = x[63 - threadIdx.x - 32 * blockIdx.x]; }
`, "fill", "turn")
	x, y := allocate(t, m, "x", "int", "64", "unwritten"), allocate(t, m, "y", "int", "64", "unwritten")
	c := watch.NewChecks(watch.Options{})
	c.Unwritten(x)
	c.Unwritten(y)
	do := func(kernel string, list ...any) []launch.Report {
		t.Helper()
		if _, err := m.Launch(context.Background(), &run.Launch{Kernel: kernel, Grid: dim(2, 1, 1), Block: dim(32, 1, 1), Args: args(list...), Observer: c}); err != nil {
			t.Fatal(err)
		}
		return c.Reports()
	}
	if r := do("turn", x, y); len(r) != 1 || r[0].Kind != launch.Uninitialised || r[0].Address != "x[63]" || r[0].Count != 64 {
		t.Errorf("before x is written: %+v", r)
	}
	if r := do("fill", x); len(r) != 0 {
		t.Errorf("writing x: %+v", r)
	}
	for range 2 {
		if r := do("turn", x, y); len(r) != 0 {
			t.Errorf("reading what the launch before wrote: %+v", r)
		}
	}
	if r := do("turn", y, x); len(r) != 0 {
		t.Errorf("and back: %+v", r)
	}
}

const twoFaults = `
__global__ void both(int *x) {
	x[0] = threadIdx.x;
	x[threadIdx.x + 1] = 3 / (int)threadIdx.x;
}`

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		kinds []launch.ReportKind
		want  int
	}{
		{nil, 2}, {[]launch.ReportKind{launch.Race}, 1}, {[]launch.ReportKind{launch.DivideByZero}, 1}, {[]launch.ReportKind{launch.Assert}, 0}, {[]launch.ReportKind{}, 0},
	} {
		m := machineOf(t, twoFaults, "both")
		checks := watch.NewChecks(watch.Options{Kinds: c.kinds})
		if _, err := m.Launch(context.Background(), &run.Launch{Kernel: "both", Grid: dim(1, 1, 1), Block: dim(32, 1, 1), Args: args(allocate(t, m, "x", "int", "33", "zeros")), Observer: checks}); err != nil {
			t.Fatal(err)
		}
		if r := checks.Reports(); len(r) != c.want {
			t.Errorf("%v: %+v", c.kinds, r)
		}
		if r := checks.Reports(); len(r) != 0 {
			t.Errorf("%v: told again: %+v", c.kinds, r)
		}
	}
}

// TestIncomplete: memory for which there is no room is not looked at, and that
// is said.
func TestIncomplete(t *testing.T) {
	for _, c := range []struct {
		shadow     int64
		incomplete bool
	}{{0, false}, {1, true}} {
		m := machineOf(t, twoFaults, "both")
		checks := watch.NewChecks(watch.Options{Shadow: c.shadow, Kinds: []launch.ReportKind{launch.Race}})
		if _, err := m.Launch(context.Background(), &run.Launch{Kernel: "both", Grid: dim(1, 1, 1), Block: dim(32, 1, 1), Args: args(allocate(t, m, "x", "int", "33", "zeros")), Observer: checks}); err != nil {
			t.Fatal(err)
		}
		if r := checks.Reports(); checks.Incomplete() != c.incomplete || (len(r) == 0) != c.incomplete {
			t.Errorf("%d bytes: incomplete %v, %d reports", c.shadow, checks.Incomplete(), len(r))
		}
	}
}

func TestEnded(t *testing.T) {
	m := machineOf(t, `__global__ void spin(int *x) { while (x[0] == 0) x[1] += 1; }`, "spin")
	x := allocate(t, m, "x", "int", "2", "zeros")
	c := watch.NewChecks(watch.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	l := &run.Launch{Kernel: "spin", Grid: dim(1, 1, 1), Block: dim(1, 1, 1), Args: args(x), Observer: c, Quantum: 100}
	_, err := m.Launch(ctx, l)
	if !errors.Is(err, context.Canceled) || c.Ended(err) {
		t.Errorf("cancelled: %v", err)
	}
	if r := c.Reports(); len(r) != 0 {
		t.Errorf("cancelled: %+v", r)
	}
	l.Limits.Instructions = 1000
	_, err = m.Launch(context.Background(), l)
	if !c.Ended(err) {
		t.Errorf("out of instructions: %v", err)
	}
	if r := c.Reports(); len(r) != 1 || r[0].Kind != launch.EndlessLoop || r[0].Line != 1 {
		t.Errorf("out of instructions: %+v", r)
	}
	if c.Ended(nil) || c.Ended(errors.New("another")) {
		t.Error("what is no fault of the kernel was taken for one")
	}
	_, err = m.Launch(context.Background(), &run.Launch{Kernel: "spin", Grid: dim(0, 1, 1), Block: dim(1, 1, 1), Observer: c})
	if err == nil || c.Refused(m.Image().Program, err) {
		t.Errorf("an empty grid: %v", err)
	}
}

// TestJoin: who is joined sees what it would see alone, and a launch that one
// would end and the other not goes on.
func TestJoin(t *testing.T) {
	m := machineOf(t, `__global__ void k(int *x) { x[threadIdx.x + 1] = threadIdx.x; }`, "k")
	x := allocate(t, m, "x", "int", "32", "zeros")
	measure := func(o run.Observer) error {
		_, err := m.Launch(context.Background(), &run.Launch{Kernel: "k", Grid: dim(1, 1, 1), Block: dim(32, 1, 1), Args: args(x), Observer: o})
		return err
	}
	alone := watch.NewMeasures()
	var f *run.Fault
	if err := measure(alone); !errors.As(err, &f) || f.Kind != run.OutOfBounds {
		t.Errorf("measures alone: %v", err)
	}
	for _, order := range []bool{false, true} {
		both, checks := watch.NewMeasures(), watch.NewChecks(watch.Options{})
		list := []run.Observer{both, checks}
		if order {
			list[0], list[1] = list[1], list[0]
		}
		if err := measure(watch.Join(list...)); err != nil {
			t.Errorf("with checks: %v", err)
		}
		if r := checks.Reports(); len(r) != 1 || r[0].Kind != launch.OutOfBounds {
			t.Errorf("with checks: %+v", r)
		}
		if got := both.Measurement(); got.Stores.Lanes != 31 || got.Blocks != 1 {
			t.Errorf("with checks: %+v", got.Stores)
		}
	}
	if watch.Join() != nil || watch.Join(alone) != run.Observer(alone) {
		t.Error("of none and of one nothing is to be joined")
	}
	if got := watch.NewMeasures().Measurement(); got.Instructions != 0 {
		t.Errorf("of no launch: %+v", got)
	}
}
