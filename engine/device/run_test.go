package device

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"workbench/engine/tensor"
)

func TestStatsSaturate(t *testing.T) {
	const most = math.MaxInt64
	for _, c := range []struct{ a, b, want int64 }{
		{0, 0, 0}, {1, 2, 3}, {most, 0, most}, {0, most, most}, {most - 1, 1, most},
		{most, 1, most}, {most - 1, 2, most}, {most, most, most},
	} {
		// Each counter alone, so that none is added to another's place.
		for i, pair := range [][3]Stats{
			{{Requests: c.a}, {Requests: c.b}, {Requests: c.want}},
			{{Launches: c.a}, {Launches: c.b}, {Launches: c.want}},
			{{BytesIn: c.a}, {BytesIn: c.b}, {BytesIn: c.want}},
			{{BytesOut: c.a}, {BytesOut: c.b}, {BytesOut: c.want}},
			{{CopyInNS: c.a}, {CopyInNS: c.b}, {CopyInNS: c.want}},
			{{KernelNS: c.a}, {KernelNS: c.b}, {KernelNS: c.want}},
			{{CopyOutNS: c.a}, {CopyOutNS: c.b}, {CopyOutNS: c.want}},
		} {
			if got := pair[0].Add(pair[1]); got != pair[2] {
				t.Errorf("counter %d: %d + %d = %+v, want %d", i, c.a, c.b, got, c.want)
			}
		}
	}
}

// scripted is a device that answers with what it is told, and remembers what it
// was asked.
type scripted struct {
	cost     Stats
	fail     error
	mu       sync.Mutex
	products []Product
	sums     []Reduction
}

func (d *scripted) Spec() Spec   { return Spec{Kind: CUDA, Ordinal: 3} }
func (d *scripted) Close() error { return nil }

func (d *scripted) answer() (*tensor.Tensor, Stats, error) {
	// What it reports beside an error must not be counted, nor its tensor used.
	return tensor.Must(tensor.New(1)), d.cost, d.fail
}

func (d *scripted) Multiply(_ context.Context, p Product) (*tensor.Tensor, Stats, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.products = append(d.products, p)
	return d.answer()
}

func (d *scripted) Reduce(_ context.Context, r Reduction) (*tensor.Tensor, Stats, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sums = append(d.sums, r)
	return d.answer()
}

func TestRunCounts(t *testing.T) {
	ctx := context.Background()
	d := &scripted{cost: Stats{Requests: 1, Launches: 2, BytesIn: 96, BytesOut: 32}}
	run := NewRun(d)
	if run.Spec() != d.Spec() || run.Stats() != (Stats{}) {
		t.Errorf("a new run on %v has counted %+v", run.Spec(), run.Stats())
	}
	view := tensor.Must(tensor.FromSlice([]float64{1, 2, 3, 4}, 2, 2)).View()

	requests := []func() (*tensor.Tensor, error){
		func() (*tensor.Tensor, error) { return run.Matmul(ctx, view, view) },
		func() (*tensor.Tensor, error) {
			return run.Multiply(ctx, Product{Left: view, Right: view, TransposeRight: true, Precision: Float16})
		},
		func() (*tensor.Tensor, error) { return run.SumAxis(ctx, view, 1, true) },
		func() (*tensor.Tensor, error) { return run.MeanAxis(ctx, view, 0, false) },
		func() (*tensor.Tensor, error) {
			return run.Reduce(ctx, Reduction{Input: view, Op: Mean, Precision: BFloat16})
		},
	}
	for i, request := range requests {
		out, err := request()
		if err != nil || out == nil {
			t.Fatalf("request %d: %v, %v", i, out, err)
		}
		n := int64(i + 1)
		if want := (Stats{Requests: n, Launches: 2 * n, BytesIn: 96 * n, BytesOut: 32 * n}); run.Stats() != want {
			t.Errorf("after %d requests the run has counted %+v, want %+v", n, run.Stats(), want)
		}
	}

	// What the device was asked is what the run was asked.
	if p := d.products[0]; p.TransposeLeft || p.TransposeRight || p.Precision != Float64 {
		t.Errorf("Matmul asked for %+v", p)
	}
	if p := d.products[1]; p.TransposeLeft || !p.TransposeRight || p.Precision != Float16 {
		t.Errorf("Multiply asked for %+v", p)
	}
	for i, want := range []Reduction{
		{Axis: 1, KeepDim: true, Op: Sum}, {Axis: 0, Op: Mean}, {Op: Mean, Precision: BFloat16},
	} {
		got := d.sums[i]
		if got.Axis != want.Axis || got.KeepDim != want.KeepDim || got.Op != want.Op || got.Precision != want.Precision || !slices.Equal(got.Input.Shape(), view.Shape()) {
			t.Errorf("reduction %d asked for %+v, want %+v", i, got, want)
		}
	}
}

func TestFailedRequestAddsNothing(t *testing.T) {
	ctx := context.Background()
	broken := errors.New("the device is gone")
	d := &scripted{cost: Stats{Requests: 1, Launches: 1, BytesIn: 8, BytesOut: 8}}
	run := NewRun(d)
	view := tensor.Must(tensor.New(1, 1)).View()
	if _, err := run.Matmul(ctx, view, view); err != nil {
		t.Fatal(err)
	}
	before := run.Stats()

	d.fail = broken
	for i, request := range []func() (*tensor.Tensor, error){
		func() (*tensor.Tensor, error) { return run.Matmul(ctx, view, view) },
		func() (*tensor.Tensor, error) { return run.SumAxis(ctx, view, 0, false) },
		func() (*tensor.Tensor, error) { return run.MeanAxis(ctx, view, 0, false) },
	} {
		out, err := request()
		if !errors.Is(err, broken) || out != nil {
			t.Errorf("request %d gave %v, %v, want the device's error and no tensor", i, out, err)
		}
		if run.Stats() != before {
			t.Errorf("request %d failed and was counted: %+v", i, run.Stats())
		}
	}

	d.fail = nil
	if _, err := run.Matmul(ctx, view, view); err != nil || run.Stats() != before.Add(d.cost) {
		t.Errorf("after a failure the run counts %+v, %v", run.Stats(), err)
	}
}

func TestRunsCountForThemselves(t *testing.T) {
	d := &scripted{cost: Stats{Requests: 1}}
	a, b := NewRun(d), NewRun(d)
	view := tensor.Must(tensor.New(1, 1)).View()
	if _, err := a.Matmul(context.Background(), view, view); err != nil {
		t.Fatal(err)
	}
	if a.Stats().Requests != 1 || b.Stats().Requests != 0 {
		t.Errorf("two runs on one device count %+v and %+v", a.Stats(), b.Stats())
	}
}

func TestRunIsSafeForSeveralGoroutines(t *testing.T) {
	d := &scripted{cost: Stats{Requests: 1, BytesIn: 3}}
	run := NewRun(d)
	view := tensor.Must(tensor.New(1, 1)).View()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 100 {
				if _, err := run.Matmul(context.Background(), view, view); err != nil {
					t.Error(err)
				}
				if _, err := run.SumAxis(context.Background(), view, 0, false); err != nil {
					t.Error(err)
				}
				run.Stats()
			}
		})
	}
	group.Wait()
	if want := (Stats{Requests: 1600, BytesIn: 4800}); run.Stats() != want {
		t.Errorf("1600 requests are counted as %+v, want %+v", run.Stats(), want)
	}
}

func TestPlans(t *testing.T) {
	a := tensor.Must(tensor.New(3, 2)).View()
	b := tensor.Must(tensor.New(4, 3)).View()
	plan, err := (Product{Left: a, Right: b, TransposeLeft: true, TransposeRight: true}).Plan()
	if err != nil || plan.M != 2 || plan.K != 3 || plan.N != 4 {
		t.Errorf("plan %+v, %v", plan, err)
	}
	var fault *tensor.ShapeError
	if _, err := (Product{Left: a, Right: b}).Plan(); !errors.As(err, &fault) || fault.Op != "matmul" {
		t.Errorf("a product that does not fit: %v", err)
	}
	axis, err := (Reduction{Input: a, Axis: 1, KeepDim: true, Op: Mean}).Plan()
	if err != nil || axis.G != 3 || axis.K != 2 || !slices.Equal(axis.OutputShape(), []int{3, 1}) {
		t.Errorf("plan %+v, %v", axis, err)
	}
	if _, err := (Reduction{Input: a, Axis: 2}).Plan(); !errors.As(err, &fault) || fault.Op != "reduce" {
		t.Errorf("an axis that is not there: %v", err)
	}
	empty := tensor.Must(tensor.New(2, 0)).View()
	if plan, err := (Reduction{Input: empty, Axis: 1, Op: Sum}).Plan(); err != nil || !plan.Empty() || plan.G != 2 {
		t.Errorf("the sum of an empty axis: %+v, %v", plan, err)
	}
	if _, err := (Reduction{Input: empty, Axis: 1, Op: Mean}).Plan(); !errors.As(err, &fault) || fault.Op != "mean" || !strings.Contains(err.Error(), "mean [2, 0]: the axis is empty") {
		t.Errorf("the mean of an empty axis: %v", err)
	}
	if _, err := (Reduction{Input: a, Axis: 1, Op: 9}).Plan(); err == nil || !strings.Contains(err.Error(), "reduction 9 is unknown") {
		t.Errorf("an unknown reduction: %v", err)
	}
	if _, err := (Reduction{Input: empty, Axis: 0, Op: Mean}).Plan(); err != nil {
		t.Errorf("means of no groups: %v", err)
	}
}

func TestErrorTexts(t *testing.T) {
	for err, want := range map[error]string{
		&UnavailableError{Spec: Spec{Kind: CUDA, Ordinal: 1}, Reason: "there is one GPU", Next: "ask for cuda:0"}: "device cuda:1 is not available: there is one GPU; ask for cuda:0",
		&ClosedError{Spec: Spec{Kind: CPU, Contract: Fused}}:                                                      "device cpu,fused is closed: open it again to use it",
		&UnavailableError{Spec: Spec{Kind: CUDA, Library: true, Contract: Fused}, Reason: "cuBLAS was not found", Next: "install it", Tried: []string{"libcublas.so.13: no such file", "libcublas.so: no such file"}}: "device cuda:0,library is not available: cuBLAS was not found; install it\ntried:\n  libcublas.so.13: no such file\n  libcublas.so: no such file",
		&MemoryError{Spec: Spec{Kind: CUDA}, Asked: 3 << 30, Free: 1<<30 + 1<<29, Reserve: 512 << 20}:                                                                                                                 "device cuda:0 is out of memory: the request needs 3.0 GiB more, 1.5 GiB is free, and 512.0 MiB stays free for others; make the shapes smaller, or end other programs that use the GPU",
		&MemoryError{Spec: Spec{Kind: CUDA}, Asked: 1023}: "device cuda:0 is out of memory: the request needs 1023 bytes more, 0 bytes is free, and 0 bytes stays free for others; make the shapes smaller, or end other programs that use the GPU",
		&FaultError{Spec: Spec{Kind: CUDA, Ordinal: 1}, Fault: IllegalAddress, Detail: "CUDA_ERROR_ILLEGAL_ADDRESS", Next: "guard the index"}: "device cuda:1: illegal address: CUDA_ERROR_ILLEGAL_ADDRESS; guard the index",
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
}

// A request that its context stopped fails with the cause, and any other error
// stays what it is.
func TestCancelledRequestHasItsCause(t *testing.T) {
	cause, fault := errors.New("the reader closed the page"), errors.New("a fault of its own")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	for _, c := range []struct {
		name       string
		ctx        context.Context
		fail, want error
	}{
		{"stopped", ctx, fmt.Errorf("matmul: %w", context.Canceled), cause},
		{"failed meanwhile", ctx, fault, fault},
		{"stopped by another context", context.Background(), context.Canceled, context.Canceled},
	} {
		r := NewRun(&scripted{fail: c.fail})
		if _, err := r.Multiply(c.ctx, Product{}); err != c.want {
			t.Errorf("%s: Multiply returned %v, want %v", c.name, err, c.want)
		}
		if _, err := r.Reduce(c.ctx, Reduction{}); err != c.want {
			t.Errorf("%s: Reduce returned %v, want %v", c.name, err, c.want)
		}
	}
}
