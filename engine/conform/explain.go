package conform

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// explained makes a case of what an explainer must do. For a device that is none
// it is skipped.
func explained(name string, run func(ctx context.Context, e device.Explainer, spec device.Spec) error) Case {
	return Case{Name: "explain/" + name, Run: func(ctx context.Context, d device.Device) error {
		if explainer, ok := d.(device.Explainer); ok {
			return run(ctx, explainer, d.Spec())
		}
		return &SkippedError{Reason: d.Spec().String() + " does not explain cells"}
	}}
}

func explainCases() []Case {
	var cases []Case
	for _, precision := range device.Precisions {
		s := newSource("explain/" + precision.String())
		for _, c := range []struct {
			name        string
			left, right []float64
		}{
			{"no terms", nil, nil},
			{"one term", []float64{minus0}, []float64{3}},
			{"37 terms", fill(37, s.ordinary), fill(37, s.ordinary)},
			{"ties and overflow", []float64{1 + 0x1p-11, 65519, 1e300, nan}, []float64{1 + 0x1p-8, 65520, 1, 0}},
			{"subnormal", []float64{0x1p-24, 0x1p-149, 0x1p-1074}, []float64{0.75, 0.5, 1.5}},
		} {
			cases = append(cases, explained(precision.String()+"/"+c.name, func(ctx context.Context, e device.Explainer, spec device.Spec) error {
				return explain(c.left, c.right, precision, spec, 0, func() (device.Chain, error) {
					return e.Explain(ctx, precision, c.left, c.right)
				})
			}))
		}
		for _, c := range []struct {
			name   string
			values []float64
		}{
			{"a mean of one", []float64{minus0}},
			{"a mean of 37", fill(37, s.ordinary)},
			{"a mean of large values", []float64{60000, 60000, 60000}},
			{"a mean that rounds", []float64{5, 5, 1}},
		} {
			ones := fill(len(c.values), func() float64 { return 1 })
			cases = append(cases, explained(precision.String()+"/"+c.name, func(ctx context.Context, e device.Explainer, spec device.Spec) error {
				return explain(c.values, ones, precision, spec, len(ones), func() (device.Chain, error) {
					return e.ExplainMean(ctx, precision, c.values)
				})
			}))
		}
	}
	for _, c := range []struct {
		name string
		run  func(context.Context, device.Explainer) (device.Chain, error)
	}{
		{"operands of different lengths", func(ctx context.Context, e device.Explainer) (device.Chain, error) {
			return e.Explain(ctx, device.Float64, []float64{1, 2}, []float64{3})
		}},
		{"a mean of nothing", func(ctx context.Context, e device.Explainer) (device.Chain, error) {
			return e.ExplainMean(ctx, device.Float64, nil)
		}},
	} {
		cases = append(cases, explained(c.name, func(ctx context.Context, e device.Explainer, _ device.Spec) error {
			_, err := c.run(ctx, e)
			var typed *tensor.ShapeError
			if !errors.As(err, &typed) {
				return fmt.Errorf("got error %v, expected a *tensor.ShapeError", err)
			}
			return nil
		}))
	}
	cases = append(cases, explained("cancelled", func(ctx context.Context, e device.Explainer, _ device.Spec) error {
		done, cancel := context.WithCancel(ctx)
		cancel()
		for _, run := range []func() (device.Chain, error){
			func() (device.Chain, error) { return e.Explain(done, device.Float64, []float64{1, 2}, []float64{3, 4}) },
			func() (device.Chain, error) { return e.ExplainMean(done, device.Float64, []float64{1, 2}) },
		} {
			if _, err := run(); !errors.Is(err, context.Canceled) {
				return fmt.Errorf("got error %v, expected the context's", err)
			}
		}
		return nil
	}))
	return cases
}

// explain holds the chain that run returns to the contract's, divided by the
// divisor if that is not 0.
func explain(left, right []float64, p device.Precision, spec device.Spec, divisor int, run func() (device.Chain, error)) error {
	keptLeft, keptRight := slices.Clone(left), slices.Clone(right)
	got, err := run()
	if err != nil {
		return fmt.Errorf("the device refused to explain a cell: %w", err)
	}
	if i := firstDifference(keptLeft, left); i >= 0 {
		return fmt.Errorf("the explanation changed left operand %d", i)
	}
	if i := firstDifference(keptRight, right); i >= 0 {
		return fmt.Errorf("the explanation changed right operand %d", i)
	}
	if got.Device != spec || got.Precision != p {
		return fmt.Errorf("the explanation names %s in %s, expected %s in %s", got.Device, got.Precision, spec, p)
	}

	want := device.Chain{Sums: chain(left, right, p, spec.Contract)}
	for k := range left {
		a, b := nearest(left[k], p), nearest(right[k], p)
		want.Left, want.Right = append(want.Left, a), append(want.Right, b)
		product := float64(a * b)
		if p != device.Float64 {
			product = float64(float32(product)) // a·b is exact before
		}
		want.Products = append(want.Products, product)
	}
	want.Result, _ = cell(left, right, p, spec.Contract, divisor)
	for _, part := range []struct {
		name      string
		want, got []float64
	}{
		{"left operand", want.Left, got.Left},
		{"right operand", want.Right, got.Right},
		{"product", want.Products, got.Products},
		{"running sum", want.Sums, got.Sums},
		{"result", []float64{want.Result}, []float64{got.Result}},
	} {
		if len(part.want) != len(part.got) {
			return fmt.Errorf("the explanation has %d values for %q, expected %d", len(part.got), part.name, len(part.want))
		}
		if k := firstDifference(part.want, part.got); k >= 0 {
			return fmt.Errorf("%s %d is %v (bits %016x), expected %v (bits %016x)", part.name, k,
				part.got[k], math.Float64bits(part.got[k]), part.want[k], math.Float64bits(part.want[k]))
		}
	}
	return nil
}

// firstDifference returns the first index at which two slices of one length
// differ, any NaN being equal to any NaN, or -1.
func firstDifference(want, got []float64) int {
	for i := range want {
		if !agrees(want[i], got[i], 0, false) {
			return i
		}
	}
	return -1
}
