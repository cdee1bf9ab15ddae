package cpu

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

func open(t testing.TB, contract device.Contract) *Device {
	t.Helper()
	d, err := New(device.Spec{Kind: device.CPU, Contract: contract})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func TestNewTakesTheCPUAlone(t *testing.T) {
	for _, spec := range []device.Spec{
		{},
		{Kind: device.Emulator},
		{Kind: device.CUDA},
		{Kind: device.CPU, Ordinal: 1},
		{Kind: device.CPU, Library: true},
		{Kind: device.CPU, Contract: 2},
	} {
		d, err := New(spec)
		var typed *device.SpecError
		if d != nil || !errors.As(err, &typed) {
			t.Errorf("New(%+v) = %v, %v, want a *device.SpecError", spec, d, err)
		}
	}
}

// The second product, (1+ε)·(1−ε) = 1−ε², is 1 once rounded, so the sum after
// the first product, −1, shows whether it was.
func TestContractsDiffer(t *testing.T) {
	const e = 0x1p-27
	left := tensor.Must(tensor.FromRows([][]float64{{-1, 1 + e}}))
	right := tensor.Must(tensor.FromRows([][]float64{{1}, {1 - e}}))
	for contract, want := range map[device.Contract]float64{device.Separate: 0, device.Fused: -0x1p-54} {
		out, stats, err := open(t, contract).Multiply(context.Background(), device.Product{Left: left.View(), Right: right.View()})
		if err != nil {
			t.Fatal(err)
		}
		if got := out.Data()[0]; got != want {
			t.Errorf("%s: got %v, want %v", contract, got, want)
		}
		if stats != (device.Stats{}) {
			t.Errorf("%s: statistics %+v, want zeros", contract, stats)
		}
	}
}

func TestFirstExample(t *testing.T) {
	left := tensor.Must(tensor.FromRows([][]float64{{1, 2, 3}, {4, 5, 6}}))
	right := tensor.Must(tensor.FromRows([][]float64{{7, 8}, {9, 10}, {11, 12}}))
	d := open(t, device.Separate)
	out, _, err := d.Multiply(context.Background(), device.Product{Left: left.View(), Right: right.View()})
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{58, 64, 139, 154}; !slices.Equal(out.Data(), want) || !slices.Equal(out.Shape(), []int{2, 2}) {
		t.Errorf("got %v %v, want %v", out.Shape(), out.Data(), want)
	}
	mean, _, err := d.Reduce(context.Background(), device.Reduction{Input: out.View(), Axis: 1, Op: device.Mean})
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{61, 146.5}; !slices.Equal(mean.Data(), want) {
		t.Errorf("means of the rows are %v, want %v", mean.Data(), want)
	}
}

// A sum that overflows float16 has a mean that does not: the division comes
// before the rounding to the format.
func TestMeanRoundsOnce(t *testing.T) {
	in := tensor.Must(tensor.FromRows([][]float64{{60000, 60000, 60000}}))
	for op, want := range map[device.ReduceOp]float64{device.Sum: math.Inf(1), device.Mean: 60000} {
		out, _, err := open(t, device.Separate).Reduce(context.Background(),
			device.Reduction{Input: in.View(), Axis: 1, Op: op, Precision: device.Float16})
		if err != nil {
			t.Fatal(err)
		}
		if got := out.Data()[0]; got != want {
			t.Errorf("%s: got %v, want %v", op, got, want)
		}
	}
}

func TestCloseTwice(t *testing.T) {
	d := open(t, device.Separate)
	for range 2 {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	var typed *device.ClosedError
	if _, err := d.Explain(t.Context(), device.Float64, nil, nil); !errors.As(err, &typed) {
		t.Errorf("explained a cell on a closed device: error %v", err)
	}
}

// countdown is a context that is cancelled once it has been asked so many times.
type countdown struct {
	context.Context
	left  atomic.Int64
	asked atomic.Int64
}

func (c *countdown) Err() error {
	c.asked.Add(1)
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func newCountdown(n int64) *countdown {
	c := &countdown{Context: context.Background()}
	c.left.Store(n)
	return c
}

// TestCancelledInside cancels requests at the first look they take at the
// context, at the last, and between: there is no result, and little more is done.
func TestCancelledInside(t *testing.T) {
	eachTier(t, func(t *testing.T, d *Device) {
		r := newRandom(9, false)
		long := 3 * tallBlock
		for _, precision := range []device.Precision{device.Float64, device.BFloat16} {
			for name, request := range map[string]func(ctx context.Context) (*tensor.Tensor, error){
				"tall": func(ctx context.Context) (*tensor.Tensor, error) {
					out, _, err := d.Multiply(ctx, device.Product{Left: r.matrix("rows", long, 40), Right: r.matrix("rows", 40, 3), Precision: precision})
					return out, err
				},
				"wide": func(ctx context.Context) (*tensor.Tensor, error) {
					out, _, err := d.Multiply(ctx, device.Product{Left: r.matrix("rows", 2, 3), Right: r.matrix("rows", 3, 2*wideBlock), Precision: precision})
					return out, err
				},
				"deep": func(ctx context.Context) (*tensor.Tensor, error) {
					out, _, err := d.Multiply(ctx, device.Product{Left: r.matrix("rows", 2, 5*depthBlock), Right: r.matrix("rows", 5*depthBlock, 2), Precision: precision})
					return out, err
				},
				"batched": func(ctx context.Context) (*tensor.Tensor, error) {
					left, right := randomTensor(r, 50, 9, 17), randomTensor(r, 50, 17, 9)
					out, _, err := d.Multiply(ctx, device.Product{Left: left.View(), Right: right.View(), Precision: precision})
					return out, err
				},
				"gathered sum": func(ctx context.Context) (*tensor.Tensor, error) {
					in := randomTensor(r, 20, 700, 2)
					out, _, err := d.Reduce(ctx, device.Reduction{Input: in.View(), Axis: 1, Precision: precision})
					return out, err
				},
				"sum": func(ctx context.Context) (*tensor.Tensor, error) {
					out, _, err := d.Reduce(ctx, device.Reduction{Input: r.matrix("rows", 60, 700), Axis: 1, Precision: precision})
					return out, err
				},
			} {
				whole := newCountdown(math.MaxInt64)
				if _, err := request(whole); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				looks := whole.asked.Load()
				if looks < 2 {
					t.Errorf("%s, %s: looked at the context %d times", name, precision, looks)
				}
				for after := int64(0); after < looks; after = next(after, looks) {
					ctx := newCountdown(after)
					out, err := request(ctx)
					if out != nil || !errors.Is(err, context.Canceled) {
						t.Fatalf("%s, %s: cancelled at look %d of %d: got %v, %v", name, precision, after, looks, out, err)
					}
					if more := ctx.asked.Load() - after; more > 8 {
						t.Errorf("%s, %s: cancelled at look %d of %d, and looked %d times more", name, precision, after, looks, more)
					}
				}
			}
		}
	})
}

// next returns the number after n of some twenty from 0 to last−1, both included.
func next(n, last int64) int64 {
	if n == last-1 {
		return last
	}
	return min(last-1, n+1+last/16)
}

// TestExplainCancelledInside: a long chain is left where its context ends.
func TestExplainCancelledInside(t *testing.T) {
	d := open(t, device.Separate)
	long := make([]float64, 300000)
	for _, precision := range []device.Precision{device.Float64, device.Float16} {
		for after := range int64(5) {
			ctx := newCountdown(after)
			chain, err := d.Explain(ctx, precision, long, long)
			if !errors.Is(err, context.Canceled) || chain.Sums != nil || ctx.asked.Load() != after+1 {
				t.Errorf("%s, cancelled at look %d: %d sums, error %v, %d looks", precision, after, len(chain.Sums), err, ctx.asked.Load())
			}
		}
	}
}

func randomTensor(r random, shape ...int) *tensor.Tensor {
	out := tensor.Must(tensor.New(shape...))
	for i := range out.Data() {
		out.Data()[i] = r.value()
	}
	return out
}

// TestFlattened: which batches run as one product. The results of both ways are
// held to the contract by the conformance cases.
func TestFlattened(t *testing.T) {
	r := newRandom(11, false)
	view := func(shape ...int) tensor.View { return randomTensor(r, shape...).View() }
	exchange := func(v tensor.View) tensor.View {
		out, err := v.Transpose(0, 1)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, c := range []struct {
		name    string
		product device.Product
		rows    int // 0 where the batches stay apart
	}{
		{"no batch", device.Product{Left: view(3, 4), Right: view(4, 5)}, 3},
		{"one weight", device.Product{Left: view(6, 3, 4), Right: view(4, 5)}, 18},
		{"one weight, transposed", device.Product{Left: view(6, 3, 4), Right: view(5, 4), TransposeRight: true}, 18},
		{"two batch axes", device.Product{Left: view(2, 6, 3, 4), Right: view(1, 1, 4, 5)}, 36},
		{"a weight each", device.Product{Left: view(6, 3, 4), Right: view(6, 4, 5)}, 0},
		{"left transposed", device.Product{Left: view(6, 4, 3), Right: view(4, 5), TransposeLeft: true}, 0},
		{"left repeated", device.Product{Left: view(1, 3, 4), Right: view(6, 4, 5)}, 0},
		{"batches exchanged", device.Product{Left: exchange(view(2, 6, 3, 4)), Right: view(4, 5)}, 0},
		{"one row each, exchanged", device.Product{Left: exchange(view(6, 2, 4)), Right: view(4, 5)}, 0},
		{"one row each", device.Product{Left: exchange(view(1, 6, 4)), Right: view(4, 5)}, 6},
	} {
		plan, err := c.product.Plan()
		if err != nil {
			t.Fatal(err)
		}
		p, ok := flattened(plan, nil)
		if ok != (c.rows > 0) || p.m != c.rows {
			t.Errorf("%s: flattened to %d rows (%t), want %d", c.name, p.m, ok, c.rows)
		}
	}
}

// TestExplainEqualsMultiply: a chain written out ends in the product's own bits.
func TestExplainEqualsMultiply(t *testing.T) {
	eachTier(t, func(t *testing.T, d *Device) {
		r := newRandom(13, true)
		for _, precision := range device.Precisions {
			p := device.Product{Left: r.matrix("sliced", 12, 23), Right: r.matrix("columns", 23, 26), Precision: precision}
			out, _, err := d.Multiply(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := p.Plan()
			if err != nil {
				t.Fatal(err)
			}
			for q, got := range out.Data() {
				left, right, err := plan.Operands(0, q/26, q%26)
				if err != nil {
					t.Fatal(err)
				}
				chain, err := d.Explain(t.Context(), precision, left, right)
				if err != nil {
					t.Fatal(err)
				}
				if !sameBits(chain.Result, got) {
					t.Errorf("%s: cell %d is %v and its chain ends in %v", precision, q, got, chain.Result)
				}
			}
		}
	})
}
