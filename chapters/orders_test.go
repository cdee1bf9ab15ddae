package chapters_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/engine/trace"
)

// ordered is a device that contracts in an order of its own.
type ordered struct {
	device.Device
	contract func(left, right []float64) float64
}

func (d ordered) Multiply(_ context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	plan, err := p.Plan()
	if err != nil {
		return nil, device.Stats{}, err
	}
	cells := make([]float64, 0, plan.B*plan.M*plan.N)
	for b := range plan.B {
		for i := range plan.M {
			for j := range plan.N {
				left, right, err := plan.Operands(b, i, j)
				if err != nil {
					return nil, device.Stats{}, err
				}
				cells = append(cells, d.contract(left, right))
			}
		}
	}
	out, err := tensor.FromSlice(cells, plan.OutputShape()...)
	return out, device.Stats{}, err
}

func (d ordered) Reduce(_ context.Context, r device.Reduction) (*tensor.Tensor, device.Stats, error) {
	plan, err := r.Plan()
	if err != nil {
		return nil, device.Stats{}, err
	}
	results := make([]float64, 0, plan.G)
	for g := range plan.G {
		group, err := plan.Group(g)
		if err != nil {
			return nil, device.Stats{}, err
		}
		sum := d.contract(group, ones(plan.K))
		if r.Op == device.Mean {
			sum /= float64(plan.K)
		}
		results = append(results, sum)
	}
	out, err := tensor.FromSlice(results, plan.OutputShape()...)
	return out, device.Stats{}, err
}

func separate(a, b, sum float64) float64 { return float64(a*b) + sum }

// chain takes the terms from, from+step, … while they lie in the contraction.
func chain(fma func(a, b, sum float64) float64, left, right []float64, from, step int) float64 {
	sum := 0.0
	for k := from; k >= 0 && k < len(left); k += step {
		sum = fma(left[k], right[k], sum)
	}
	return sum
}

func pairs(left, right []float64) float64 {
	terms := make([]float64, len(left))
	for k := range left {
		terms[k] = left[k] * right[k]
	}
	for len(terms) > 1 {
		next := terms[:0]
		for k := 0; k+1 < len(terms); k += 2 {
			next = append(next, terms[k]+terms[k+1])
		}
		if len(terms)%2 == 1 {
			next = append(next, terms[len(terms)-1])
		}
		terms = next
	}
	return chain(separate, terms, ones(len(terms)), 0, 1)
}

// TestOrders runs the decoder in the orders of chapter 4's table and holds the
// table's rows against what came out.
func TestOrders(t *testing.T) {
	text := source(t, "04-tiny-decoder")
	cpu := open(t, "cpu")
	want, err := trace.Results(context.Background(), cpu, trace.DecoderInput{})
	if err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for _, order := range []struct {
		name     string
		contract func(left, right []float64) float64
	}{
		{"", func(l, r []float64) float64 { return chain(separate, l, r, 0, 1) }},
		{"descending", func(l, r []float64) float64 { return chain(separate, l, r, len(l)-1, -1) }},
		{"pairs, then pairs of pairs", pairs},
		{"even and odd terms apart", func(l, r []float64) float64 {
			return chain(separate, l, r, 0, 2) + chain(separate, l, r, 1, 2)
		}},
		{"first and second half apart", func(l, r []float64) float64 {
			half := len(l) / 2
			return chain(separate, l[:half], r[:half], 0, 1) + chain(separate, l[half:], r[half:], 0, 1)
		}},
		{"ascending, fused", func(l, r []float64) float64 { return chain(math.FMA, l, r, 0, 1) }},
		{"descending, fused", func(l, r []float64) float64 { return chain(math.FMA, l, r, len(l)-1, -1) }},
	} {
		got, err := trace.Results(context.Background(), ordered{cpu, order.contract}, trace.DecoderInput{})
		if err != nil {
			t.Fatal(err)
		}
		changed := func(want, got tensor.Values) (n int) {
			for i := range want {
				if math.Float64bits(want[i]) != math.Float64bits(got[i]) {
					n++
				}
			}
			return n
		}
		logits, gradients := changed(want.Logits.Values, got.Logits.Values), 0
		for name, gradient := range want.Gradients {
			gradients += changed(gradient.Values, got.Gradients[name].Values)
		}
		for i, x := range want.Logits.Values {
			worst = max(worst, math.Abs(x-got.Logits.Values[i]))
		}
		if order.name == "" {
			if logits != 0 || gradients != 0 {
				t.Errorf("the ascending chain changes %d logits and %d gradients: it is the cpu's own order", logits, gradients)
			}
			continue
		}
		row := fmt.Sprintf("| %s | `%s` | %d | %d |", order.name, got.LossBits, logits, gradients)
		if !strings.Contains(text, row) {
			t.Errorf("the table does not have the row %s", row)
		}
		if logits+gradients <= 1700 {
			t.Errorf("%s: %d values change, and the chapter says more than 1700", order.name, logits+gradients)
		}
		if got.LossBits != want.LossBits {
			t.Errorf("%s: loss bits %s, and the chapter says that they stay %s", order.name, got.LossBits, want.LossBits)
		}
		for i, x := range []float64{58, 64, 139, 154} {
			if got.Matrix.Values[i] != x {
				t.Errorf("%s: the small product is %v, and the chapter says that no order changes it", order.name, got.Matrix.Values)
			}
		}
	}
	if worst > 2.3e-16 {
		t.Errorf("a logit moved by %v, and the chapter says by at most 2.3e-16", worst)
	}
}
