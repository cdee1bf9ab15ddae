package check

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"workbench/engine/cpu"
	"workbench/engine/device"
	"workbench/engine/tensor"
)

// standin is a GPU played by the CPU: it has the GPU's name, counts as a GPU
// does, and can be made to do wrong.
type standin struct {
	spec  device.Spec
	inner device.Device
	wrong *wrong
}

// wrong is what a stand-in does wrong. Each function may be nil.
type wrong struct {
	result func(spec device.Spec, p device.Precision, out *tensor.Tensor) // changes a result
	stats  func(s *device.Stats)                                          // changes what a request says it cost, also an empty one
	before func(ctx context.Context) error                                // runs before each request
}

func (d *standin) Spec() device.Spec { return d.spec }
func (d *standin) Close() error      { return d.inner.Close() }

func (d *standin) finish(p device.Precision, out *tensor.Tensor, left, right int, empty bool) device.Stats {
	var s device.Stats
	if !empty {
		size := int64(p.Size())
		s = device.Stats{Requests: 1, Launches: 1, BytesIn: size * int64(left+right), BytesOut: size * int64(out.Len()), CopyInNS: 1, KernelNS: 1, CopyOutNS: 1}
	}
	if d.wrong.result != nil && out.Len() > 0 {
		d.wrong.result(d.spec, p, out)
	}
	if d.wrong.stats != nil {
		d.wrong.stats(&s)
	}
	return s
}

func (d *standin) Multiply(ctx context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	if d.wrong.before != nil {
		if err := d.wrong.before(ctx); err != nil {
			return nil, device.Stats{}, err
		}
	}
	out, _, err := d.inner.Multiply(ctx, p)
	if err != nil {
		return nil, device.Stats{}, err
	}
	plan, err := p.Plan()
	if err != nil {
		return nil, device.Stats{}, err
	}
	return out, d.finish(p.Precision, out, plan.B*plan.M*plan.K, plan.B*plan.K*plan.N, plan.Empty()), nil
}

func (d *standin) Reduce(ctx context.Context, r device.Reduction) (*tensor.Tensor, device.Stats, error) {
	if d.wrong.before != nil {
		if err := d.wrong.before(ctx); err != nil {
			return nil, device.Stats{}, err
		}
	}
	out, _, err := d.inner.Reduce(ctx, r)
	if err != nil {
		return nil, device.Stats{}, err
	}
	plan, err := r.Plan()
	if err != nil {
		return nil, device.Stats{}, err
	}
	return out, d.finish(r.Precision, out, plan.G*plan.K, plan.K, plan.Empty()), nil
}

func openCPU(c device.Contract) (device.Device, error) {
	return cpu.New(device.Spec{Kind: device.CPU, Contract: c})
}

// standinMachine is a machine whose GPU is a stand-in.
func standinMachine(w *wrong) *Machine {
	open := func(_ context.Context, spec device.Spec) (device.Device, error) {
		inner, err := openCPU(spec.Contract)
		if err != nil {
			return nil, err
		}
		return &standin{spec: spec, inner: inner, wrong: w}, nil
	}
	return &Machine{GPU: "Stand-in 1", DriverRelease: "580.1", CUDA: "13.0", CPU: openCPU, Worker: open, Direct: open}
}

// outcomes runs the entries that words choose, and returns what came of each.
func outcomes(t *testing.T, m *Machine, quick bool, words ...string) map[string]Outcome {
	t.Helper()
	entries, err := Select(List(), words, nil, quick)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]Outcome{}
	for _, o := range Run(t.Context(), m, entries, Options{Quick: quick}).Checks {
		out[o.Name] = o
	}
	return out
}

// flip changes the last bit of a value.
func flip(x *float64) { *x = math.Float64frombits(math.Float64bits(*x) ^ 1) }

// The stand-in does all that the list asks of a device, so what fails below
// fails for the fault that was planted.
func TestBitsPass(t *testing.T) {
	m := standinMachine(&wrong{})
	for name, o := range outcomes(t, m, false, "bits", "library/", "statistics") {
		if !o.Passed {
			t.Errorf("%s: %s%s", name, o.Detail, o.Skipped)
		}
		if o.Detail == "" {
			t.Errorf("%s passed and says nothing", name)
		}
	}
}

func TestBitsDetail(t *testing.T) {
	found := outcomes(t, standinMachine(&wrong{}), false, "bits/decoder/fixture/float64/separate", "bits/loss", "statistics/decoder")
	for name, want := range map[string]string{
		"bits/decoder/fixture/float64/separate": "774 logits, the loss and 1372 gradient values: 2155 of 2155 values with the tiny operations have the CPU's bits",
		"bits/loss of the fixture":              "loss 5.668398842431571, bits 4016ac70bf03b620",
		"statistics/decoder":                    "the fixture: 58 products and 23 reductions",
	} {
		if got := found[name].Detail; !strings.Contains(got, want) {
			t.Errorf("%s says %q, want %q", name, got, want)
		}
	}
}

// A stand-in that the conformance cases find wrong fails the entry, which names
// the case.
func TestConformance(t *testing.T) {
	found := outcomes(t, standinMachine(&wrong{}), false, "conform/worker/fused", "conform/in-process/separate")
	for name, o := range found {
		if !o.Passed || !strings.Contains(o.Detail, "cases passed") {
			t.Errorf("%s: %s", name, o.Detail)
		}
	}
	m := standinMachine(&wrong{result: func(_ device.Spec, _ device.Precision, out *tensor.Tensor) {
		if out.Rank() == 2 && out.Dim(0) == 17 && out.Dim(1) == 9 {
			flip(&out.Data()[0])
		}
	}})
	o := outcomes(t, m, false, "conform/worker/separate")["conform/worker/separate"]
	if o.Passed || !strings.Contains(o.Detail, "cases failed:") || !strings.Contains(o.Detail, "product/float64/17×33×9") {
		t.Errorf("a wrong bit: %+v", o)
	}
}

// One wrong bit, in one cell of one kind of request, fails the checks that see
// it and no other.
func TestWrongBit(t *testing.T) {
	for name, tc := range map[string]struct {
		wrong func(spec device.Spec, p device.Precision, out *tensor.Tensor)
		fails []string
		says  string
	}{
		"a bit of a large float32 product under one contract": {
			func(spec device.Spec, p device.Precision, out *tensor.Tensor) {
				if p == device.Float32 && out.Len() == 17*9 && spec.Contract == device.Fused && !spec.Library {
					flip(&out.Data()[100])
				}
			},
			[]string{"bits/products/float32/fused", "bits/a hundred repeats", "bits/any order"},
			"the product 17×33×9 in float32: value [11, 1] is",
		},
		"a bit of the means in bfloat16": {
			func(spec device.Spec, p device.Precision, out *tensor.Tensor) {
				if p == device.BFloat16 && out.Rank() == 0 && !spec.Library {
					flip(&out.Data()[0])
				}
			},
			[]string{"bits/reductions/bfloat16/separate", "bits/reductions/bfloat16/fused", "bits/any order"},
			"the sum of [1] along axis 0",
		},
		"a bit of the logits": {
			func(spec device.Spec, p device.Precision, out *tensor.Tensor) {
				if p == device.Float64 && out.Rank() == 3 && out.Dim(2) == 258 && out.Dim(1) == 3 && spec.Contract == device.Separate {
					flip(&out.Data()[258*3-1])
				}
			},
			[]string{"bits/decoder/fixture/float64/separate"},
			"logits",
		},
	} {
		t.Run(name, func(t *testing.T) {
			found := outcomes(t, standinMachine(&wrong{result: tc.wrong}), false, "bits/products", "bits/reductions", "bits/decoder/fixture", "bits/a", "library/float64, padded")
			said := false
			for _, o := range found {
				fails := false
				for _, want := range tc.fails {
					fails = fails || o.Name == want
				}
				if o.Passed == fails {
					t.Errorf("%s passed: %v, with this wrong: %s", o.Name, o.Passed, o.Detail)
				}
				said = said || !o.Passed && strings.Contains(o.Detail, tc.says)
			}
			if !said {
				t.Errorf("no failure says %q", tc.says)
			}
		})
	}
}

// The library's own orders are allowed where they are expected and nowhere else.
func TestLibraryOrder(t *testing.T) {
	// A cell with one row or column is off by a bit, as cuBLAS's are.
	m := standinMachine(&wrong{result: func(spec device.Spec, p device.Precision, out *tensor.Tensor) {
		if spec.Library && out.Rank() == 2 && min(out.Dim(0), out.Dim(1)) == 1 {
			flip(&out.Data()[0])
		}
	}})
	found := outcomes(t, m, false, "library/float64")
	for _, o := range found {
		if !o.Passed {
			t.Errorf("%s: %s", o.Name, o.Detail)
		}
	}
	if got := found["library/float64, one row or column"].Detail; !strings.Contains(got, "values differ, in") || !strings.Contains(got, "by 1 ulp at most") || !strings.Contains(got, "of its bound") {
		t.Errorf("the differences are %q", got)
	}

	// The same with two rows and columns is not allowed in float64, and is in float32.
	m = standinMachine(&wrong{result: func(spec device.Spec, p device.Precision, out *tensor.Tensor) {
		switch x := &out.Data()[0]; {
		case spec.Library && p == device.Float32:
			*x = float64(math.Nextafter32(float32(*x), 10))
		case spec.Library && out.Rank() == 2:
			flip(x)
		}
	}})
	found = outcomes(t, m, false, "library/float64", "library/float32")
	for _, o := range found {
		if want := o.Name == "library/float32" || o.Name == "library/float64, one row or column"; o.Passed != want {
			t.Errorf("%s passed: %v, %s", o.Name, o.Passed, o.Detail)
		}
	}

	// What lies outside the bound of any order is no order's.
	m = standinMachine(&wrong{result: func(spec device.Spec, p device.Precision, out *tensor.Tensor) {
		if spec.Library {
			out.Data()[0] += 0.5
		}
	}})
	for _, o := range outcomes(t, m, false, "library") {
		if o.Passed != (o.Name == "library/a hundred repeats") { // which are wrong alike
			t.Errorf("%s passed: %s", o.Name, o.Detail)
		}
	}
}

// A library whose results change is found.
func TestLibraryRepeats(t *testing.T) {
	n := 0
	m := standinMachine(&wrong{result: func(spec device.Spec, _ device.Precision, out *tensor.Tensor) {
		if n++; n == 150 && spec.Library {
			flip(&out.Data()[0])
		}
	}})
	o := outcomes(t, m, false, "library/a")["library/a hundred repeats"]
	if o.Passed || !strings.Contains(o.Detail, "1 of ") || !strings.Contains(o.Detail, "in 1 of ") {
		t.Errorf("%+v", o)
	}
}

func TestWrongCounts(t *testing.T) {
	for name, tc := range map[string]struct {
		wrong func(s *device.Stats)
		fails []string
	}{
		"a byte too many": {func(s *device.Stats) {
			if s.Requests > 0 {
				s.BytesIn++
			}
		}, []string{"statistics/three tiny operations", "statistics/decoder"}},
		"a launch for nothing": {func(s *device.Stats) {
			if s.Requests == 0 {
				s.Launches = 1
			}
		}, []string{"statistics/empty requests cost nothing"}},
		"no times":                {func(s *device.Stats) { s.KernelNS = 0 }, []string{"statistics/times"}},
		"a request counted twice": {func(s *device.Stats) { s.Requests *= 2 }, []string{"statistics/three tiny operations", "statistics/decoder"}},
	} {
		for _, o := range outcomes(t, standinMachine(&wrong{stats: tc.wrong}), false, "statistics") {
			fails := false
			for _, want := range tc.fails {
				fails = fails || o.Name == want
			}
			if o.Passed == fails {
				t.Errorf("%s: %s passed: %v, %s", name, o.Name, o.Passed, o.Detail)
			}
		}
	}
}

// A device that answers one client with another's result is found.
func TestClientsMixedUp(t *testing.T) {
	var last *tensor.Tensor
	lock := make(chan struct{}, 1)
	m := standinMachine(&wrong{result: func(_ device.Spec, _ device.Precision, out *tensor.Tensor) {
		lock <- struct{}{}
		defer func() { <-lock }()
		if last != nil && last.SameShape(out) {
			copy(out.Data(), last.Data())
		}
		last = out.Clone()
	}})
	if o := outcomes(t, m, false, "bits/eight clients")["bits/eight clients"]; o.Passed || !strings.Contains(o.Detail, "values differ") {
		t.Errorf("eight clients with each other's results: %+v", o)
	}
}

func TestHung(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	m := standinMachine(&wrong{before: func(context.Context) error { <-release; return nil }})
	entries, err := Select(List(), []string{"bits/loss of the fixture", "statistics/times"}, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range entries {
		entries[i].limit = 10 * time.Millisecond
	}
	for _, o := range Run(t.Context(), m, entries, Options{grace: 10 * time.Millisecond}).Checks {
		if o.Passed || !strings.Contains(o.Detail, "it did not end: it may take 10ms") {
			t.Errorf("%s hung: %+v", o.Name, o)
		}
	}
}
