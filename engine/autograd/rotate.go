package autograd

import (
	"fmt"

	"workbench/engine/tensor"
)

// Rotate turns each pair of neighbouring elements (2i, 2i+1) of the last axis,
// at position t of the last axis but one, by the angle whose cosine and sine
// are cos[t, i] and sin[t, i]:
//
//	x' = x·cos − y·sin      y' = x·sin + y·cos
//
// a is [.., T, D] with D even; cos and sin are [≥ T, D/2]. It is the rotary
// position embedding of Su et al. 2021 (RoFormer, equation 34) on interleaved
// pairs. The adjoint turns back.
func (c Context) Rotate(a *Node, cos, sin *tensor.Tensor) *Node {
	if c.stopped(a) {
		return nil
	}
	if err := checkRotation(a.value, cos, sin); err != nil {
		c.Fail(err)
		return nil
	}
	out := rotate(a.value, cos, sin, 1)
	c.emit(Event{Op: "rotate", Inputs: []*tensor.Tensor{a.value, cos, sin}, Output: out})
	return c.node("rotate", out, func(p *pass, g *tensor.Tensor) error {
		p.host("rotate-back", a, rotate(g, cos, sin, -1), g, cos, sin)
		return nil
	}, a)
}

func checkRotation(a, cos, sin *tensor.Tensor) error {
	rank := a.Rank()
	if rank < 2 || a.Dim(rank-1)%2 != 0 {
		return &tensor.ShapeError{Op: "rotate", Left: a.Shape(), Reason: "needs positions and an even number of elements as its last two axes"}
	}
	if cos.Rank() != 2 || !cos.SameShape(sin) || cos.Dim(0) < a.Dim(rank-2) || cos.Dim(1) != a.Dim(rank-1)/2 {
		return &tensor.ShapeError{Op: "rotate", Left: a.Shape(), Right: cos.Shape(), Reason: fmt.Sprintf("the tables need %d positions or more and %d pairs", a.Dim(rank-2), a.Dim(rank-1)/2)}
	}
	return nil
}

// rotate turns by sign times the tabled angles.
func rotate(a, cos, sin *tensor.Tensor, sign float64) *tensor.Tensor {
	out := tensor.Must(tensor.New(a.Shape()...))
	positions, width := a.Dim(a.Rank()-2), a.Dim(a.Rank()-1)
	if out.Len() == 0 {
		return out
	}
	in, to := a.Data(), out.Data()
	for row := range out.Len() / width {
		t := row % positions
		for i := range width / 2 {
			cosine, sine := cos.At(t, i), float64(sign*sin.At(t, i))
			x, y := in[row*width+2*i], in[row*width+2*i+1]
			to[row*width+2*i] = float64(x*cosine) - float64(y*sine)
			to[row*width+2*i+1] = float64(x*sine) + float64(y*cosine)
		}
	}
	return out
}
