package autograd

import (
	"fmt"
	"math"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// SumAxis returns the sum along an axis, on the device.
func (c Context) SumAxis(a *Node, axis int, keepDim bool) *Node {
	return c.reduce(a, axis, keepDim, device.Sum)
}

// MeanAxis returns the mean along an axis, on the device.
func (c Context) MeanAxis(a *Node, axis int, keepDim bool) *Node {
	return c.reduce(a, axis, keepDim, device.Mean)
}

func (c Context) reduce(a *Node, axis int, keepDim bool, op device.ReduceOp) *Node {
	if c.stopped(a) {
		return nil
	}
	r := device.Reduction{Input: a.value.View(), Axis: axis, KeepDim: keepDim, Op: op, Precision: c.precision}
	out, err := c.run.Reduce(c.ctx, r)
	if err != nil {
		c.Fail(err)
		return nil
	}
	c.emit(Event{Op: op.String(), Inputs: []*tensor.Tensor{a.value}, Output: out, Axis: axis, Reduction: &r})
	return c.node(op.String(), out, func(p *pass, g *tensor.Tensor) error {
		shape := a.value.Shape()
		kept := a.value.Shape()
		kept[axis] = 1
		wide, err := g.Reshape(kept...)
		if err != nil {
			return err
		}
		repeated, err := wide.View().Broadcast(shape...)
		if err != nil {
			return err
		}
		share, divisor := repeated.Pack(), 1.0
		if op == device.Mean {
			divisor = float64(shape[axis])
			for i, x := range share.Data() {
				share.Data()[i] = x / divisor
			}
		}
		p.emit(Event{Op: "repeat", Inputs: []*tensor.Tensor{g}, Output: share, Factor: divisor, Axis: axis}, a)
		p.send(a, share)
		return nil
	}, a)
}

// MaxAxis returns the largest element along an axis that is not empty, with the
// axis kept at length 1, as a constant: no gradient flows through it. Where it
// is subtracted before an exponential and cancels again, as in softmax and
// log-sum-exp, none needs to. A NaN in a group makes its maximum NaN.
func (c Context) MaxAxis(a *Node, axis int) *Node {
	if c.stopped(a) {
		return nil
	}
	plan, err := tensor.PlanAxis(a.value.View(), axis, true)
	if err == nil && plan.K == 0 {
		err = &tensor.ShapeError{Op: "max", Left: a.value.Shape(), Reason: fmt.Sprintf("axis %d is empty, and nothing is largest", axis)}
	}
	if err != nil {
		c.Fail(err)
		return nil
	}
	out := tensor.Must(tensor.New(plan.OutputShape()...))
	groups := plan.Pack()
	for g := range out.Data() {
		largest := math.Inf(-1)
		for _, x := range groups[g*plan.K : (g+1)*plan.K] {
			largest = max(largest, x) // the built-in max is NaN if either is
		}
		out.Data()[g] = largest
	}
	c.emit(Event{Op: "max", Inputs: []*tensor.Tensor{a.value}, Output: out, Axis: axis})
	return c.node("max", out, nil)
}
