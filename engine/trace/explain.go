package trace

import (
	"context"
	"errors"
	"fmt"
	"math"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// ErrNothingToExplain is returned for a step that is no product or reduction.
var ErrNothingToExplain = errors.New("this step has no cells to write out: choose a product, a sum or a mean")

// Explain writes out one cell of a step of t: the batch, row and column of a
// product, or {0, group, 0} of a reduction. It reads the operands and the
// result from the trace, computes the chain with explainer, and reports whether
// its end equals the run's value in every bit. The error of a cancelled context is
// its cause.
func Explain(ctx context.Context, t *Trace, step int, cell [3]int, explainer device.Explainer) (*Cell, error) {
	if step < 0 || step >= len(t.Steps) {
		return nil, fmt.Errorf("step %d does not exist: the run has steps 0 to %d", step, len(t.Steps)-1)
	}
	s := t.Steps[step]
	switch {
	case s.Product != nil && len(s.Inputs) >= 2 && len(s.Outputs) > 0:
		return t.explainProduct(ctx, s, cell, explainer)
	case s.Reduction != nil && len(s.Inputs) >= 1 && len(s.Outputs) > 0:
		return t.explainGroup(ctx, s, cell, explainer)
	}
	return nil, ErrNothingToExplain
}

func (t *Trace) explainProduct(ctx context.Context, s Step, cell [3]int, explainer device.Explainer) (*Cell, error) {
	left, err := t.host(s.Inputs[0])
	if err != nil {
		return nil, err
	}
	right, err := t.host(s.Inputs[1])
	if err != nil {
		return nil, err
	}
	plan, err := tensor.PlanMatmul(left.View(), right.View(), s.Product.TransposeLeft, s.Product.TransposeRight)
	if err != nil {
		return nil, err
	}
	b, i, j := cell[0], cell[1], cell[2]
	a, w, err := plan.Operands(b, i, j)
	if err != nil {
		return nil, err
	}
	chain, err := explainer.Explain(ctx, s.Product.Precision, a, w)
	if err != nil {
		return nil, device.CauseOf(ctx, err)
	}
	q := plan.Flat(b, i, j)
	out := newCell(chain)
	out.Batch, out.Row, out.Column, out.Flat = b, i, j, q
	out.Formula = fmt.Sprintf("q = (%d·%d + %d)·%d + %d = %d", b, plan.M, i, plan.N, j, q)
	rows, columns := plan.Matrix(b)
	for k := range plan.K {
		out.LeftIndices = append(out.LeftIndices, rows.Index(i, k))
		out.RightIndices = append(out.RightIndices, columns.Index(k, j))
	}
	return t.settle(out, s, chain)
}

func (t *Trace) explainGroup(ctx context.Context, s Step, cell [3]int, explainer device.Explainer) (*Cell, error) {
	input, err := t.host(s.Inputs[0])
	if err != nil {
		return nil, err
	}
	plan, err := tensor.PlanAxis(input.View(), s.Reduction.Axis, false)
	if err != nil {
		return nil, err
	}
	g := cell[1]
	if cell[0] != 0 || cell[2] != 0 {
		return nil, fmt.Errorf("a reduction's groups are named 0, group, 0: %v names none", cell)
	}
	values, err := plan.Group(g)
	if err != nil {
		return nil, err
	}
	var chain device.Chain
	if s.Reduction.Op == device.Mean.String() {
		chain, err = explainer.ExplainMean(ctx, s.Reduction.Precision, values)
	} else {
		column := make([]float64, len(values))
		for k := range column {
			column[k] = 1
		}
		chain, err = explainer.Explain(ctx, s.Reduction.Precision, values, column)
	}
	if err != nil {
		return nil, device.CauseOf(ctx, err)
	}
	out := newCell(chain)
	out.Row, out.Flat = g, g
	out.Formula = fmt.Sprintf("group %d of %d", g, plan.G)
	if s.Reduction.Op == device.Mean.String() {
		out.Divisor = plan.K
	}
	lead := plan.Groups.Rank() - 1
	at := append(tensor.Coordinate(plan.Groups.Shape()[:lead], g), 0)
	for at[lead] = range plan.K {
		out.LeftIndices = append(out.LeftIndices, plan.Groups.Index(at...))
	}
	return t.settle(out, s, chain)
}

// host returns a tensor of the trace as a host tensor over the same values.
func (t *Trace) host(i int) (*tensor.Tensor, error) {
	if i < 0 || i >= len(t.Tensors) {
		return nil, fmt.Errorf("tensor %d does not exist: the run has %d", i, len(t.Tensors))
	}
	return tensor.FromSlice(t.Tensors[i].Values, t.Tensors[i].Shape...)
}

// settle holds the chain's end against the run's own value. Any NaN equals any
// other: its payload says nothing about the arithmetic.
func (t *Trace) settle(c *Cell, s Step, chain device.Chain) (*Cell, error) {
	output := s.Outputs[0]
	if output < 0 || output >= len(t.Tensors) || c.Flat >= len(t.Tensors[output].Values) {
		return nil, fmt.Errorf("the run has no value for element %d of the step's output", c.Flat)
	}
	value := t.Tensors[output].Values[c.Flat]
	c.Last, c.LastBits = tensor.Number(chain.Result), tensor.Bits(chain.Result)
	c.Value, c.ValueBits = tensor.Number(value), tensor.Bits(value)
	c.shorten()
	c.Agrees = c.LastBits == c.ValueBits || math.IsNaN(chain.Result) && math.IsNaN(value)
	if spec, err := device.ParseSpec(t.Device); err == nil && spec.Library && !c.Agrees {
		c.Why = ownOrder
		if c.Divisor > 0 {
			c.Why += ", and " + ownMean
		}
	}
	return c, nil
}

// What a library does its own way.
const (
	ownOrder = "cuBLAS adds the products of a cell in an order of its own"
	ownMean  = "multiplies a sum by 1/K for a mean where the others divide it by K"
)
