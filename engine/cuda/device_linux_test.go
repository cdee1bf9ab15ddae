package cuda

import (
	"context"
	"errors"
	"math"
	"testing"

	"workbench/engine/conform"
	"workbench/engine/cuda/fake"
	"workbench/engine/device"
	"workbench/engine/tensor"
)

// Every device passes every case that any device must pass, through a worker and
// without one.
func TestConformance(t *testing.T) {
	for _, spec := range []string{"cuda:0", "cuda:0,fused", "cuda:0,library"} {
		for name, open := range map[string]func(t *testing.T) device.Device{
			"worker":     func(t *testing.T) device.Device { return newMachine("").opened(t, spec) },
			"in-process": func(t *testing.T) device.Device { return inProcess(t, fake.New(fake.Config{}), spec) },
		} {
			t.Run(spec+"/"+name, func(t *testing.T) {
				t.Parallel()
				passed := conform.Run(context.Background(), open(t), func(name string, err error) {
					var skipped *conform.SkippedError
					if err != nil && !errors.As(err, &skipped) {
						t.Errorf("%s: %v", name, err)
					}
				}).Passed
				if passed < 500 {
					t.Errorf("only %d cases passed", passed)
				}
			})
		}
	}
}

// The three tiny operations of the course, and what they cost.
func TestTinyOperations(t *testing.T) {
	left := tensor.Must(tensor.FromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)).View()
	right := tensor.Must(tensor.FromSlice([]float64{7, 8, 9, 10, 11, 12}, 3, 2)).View()
	for _, spec := range []string{"cuda:0", "cuda:0,fused", "cuda:0,library"} {
		run := device.NewRun(newMachine("").opened(t, spec))
		check := func(got *tensor.Tensor, err error, want ...float64) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range got.Data() {
				if x != want[i] {
					t.Errorf("%s: value %d is %v, want %v", spec, i, x, want[i])
				}
			}
		}
		out, err := run.Matmul(t.Context(), left, right)
		check(out, err, 58, 64, 139, 154)
		out, err = run.SumAxis(t.Context(), left, 1, false)
		check(out, err, 6, 15)
		out, err = run.MeanAxis(t.Context(), left, 1, false)
		check(out, err, 2, 5)
		s := run.Stats()
		if s.Requests != 3 || s.Launches != 3 || s.BytesIn != 240 || s.BytesOut != 64 || s.GPUNS <= 0 || s.CopyInNS <= 0 || s.CopyOutNS <= 0 {
			t.Errorf("%s: %+v", spec, s)
		}
	}
}

// What needs no arithmetic is answered without the GPU.
func TestEmptyRequestsStayAtHome(t *testing.T) {
	m := fake.New(fake.Config{})
	d := inProcess(t, m, "cuda:0")
	empty := func(shape ...int) tensor.View {
		t.Helper()
		out, err := tensor.New(shape...)
		if err != nil {
			t.Fatal(err)
		}
		return out.View()
	}
	m.Forget()
	for _, p := range []device.Product{
		{Left: empty(0, 3), Right: empty(3, 2)}, {Left: empty(2, 0), Right: empty(0, 2)}, {Left: empty(2, 3), Right: empty(3, 0)},
		{Left: empty(0, 2, 3), Right: empty(3, 2)},
	} {
		out, stats, err := d.Multiply(t.Context(), p)
		if err != nil || stats != (device.Stats{}) {
			t.Errorf("%v, %+v", err, stats)
			continue
		}
		for _, x := range out.Data() {
			if math.Float64bits(x) != 0 {
				t.Errorf("a cell without terms is %v", x)
			}
		}
	}
	if _, stats, err := d.Reduce(t.Context(), device.Reduction{Input: empty(3, 0), Axis: 1}); err != nil || stats != (device.Stats{}) {
		t.Errorf("%v, %+v", err, stats)
	}
	if calls := m.Calls(); len(calls) != 0 {
		t.Errorf("the driver was called: %v", calls)
	}
}

func TestNames(t *testing.T) {
	d := newMachine("devices=2 names=NVIDIA_H200,Other capability=8.6").opened(t, "cuda:1,fused")
	if d.Spec().String() != "cuda:1,fused" || d.Name() != "Other" || device.NameOf(d) != "Other" || d.About().Major != 8 || d.Process() == 0 {
		t.Errorf("%s, %q, %+v", d.Spec(), d.Name(), d.About())
	}
	for _, spec := range []device.Spec{
		{Kind: device.CPU}, {Kind: device.CUDA, Contract: 9}, {Kind: device.CUDA, Library: true}, {Kind: device.CUDA, Ordinal: -1},
	} {
		var refused *device.SpecError
		if _, err := Open(t.Context(), spec); !errors.As(err, &refused) {
			t.Errorf("%v: %v", spec, err)
		}
	}
}
