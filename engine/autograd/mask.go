package autograd

import (
	"math"

	"workbench/engine/tensor"
)

// CausalMask returns scores [.., T, T] with −Inf where the column is later than
// the row: a position attends to itself and to those before it.
func (c Context) CausalMask(a *Node) *Node {
	if c.stopped(a) {
		return nil
	}
	shape := a.value.Shape()
	rank := len(shape)
	if rank < 2 || shape[rank-1] != shape[rank-2] {
		c.Fail(&tensor.ShapeError{Op: "causal mask", Left: shape, Reason: "the last two axes are positions and must be equal"})
		return nil
	}
	positions := shape[rank-1]
	mask := func(t *tensor.Tensor, fill float64) *tensor.Tensor {
		out := t.Clone()
		if positions == 0 {
			return out
		}
		for i := range out.Data() {
			if row, column := i/positions%positions, i%positions; column > row {
				out.Data()[i] = fill
			}
		}
		return out
	}
	out := mask(a.value, math.Inf(-1))
	c.emit(Event{Op: "mask", Inputs: []*tensor.Tensor{a.value}, Output: out})
	return c.node("mask", out, func(p *pass, g *tensor.Tensor) error {
		p.host("mask", a, mask(g, 0), g)
		return nil
	}, a)
}
