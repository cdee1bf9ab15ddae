package autograd_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"workbench/engine/autograd"
	"workbench/engine/tensor"
)

func TestCausalMask(t *testing.T) {
	a := draw(rand.New(rand.NewPCG(8, 8)), false, 2, 3, 3)
	c := recording(t)
	y := c.CausalMask(autograd.Parameter("a", a))
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	for i, got := range y.Value().Data() {
		at := tensor.Coordinate(a.Shape(), i)
		want := a.At(at...)
		if at[2] > at[1] {
			want = math.Inf(-1)
		}
		if got != want {
			t.Errorf("element %v is %v, want %v", at, got, want)
		}
	}
	// Exponentials make zeros of what was masked, and differences can be taken.
	checkGradients(t, func(c autograd.Context, in []*autograd.Node) *autograd.Node {
		return c.Exp(c.CausalMask(in[0]))
	}, []*tensor.Tensor{a})

	// Even an infinite adjoint sends nothing to a masked place.
	p := autograd.Parameter("p", values([]int{2, 2}, 1, 2, 3, 4))
	adjoint := values([]int{2, 2}, 1, math.Inf(1), 2, 3)
	y = c.Mul(c.CausalMask(p), autograd.Constant(adjoint))
	if err := c.SumAxis(c.Reshape(y, 4), 0, false).Backward(c); err != nil {
		t.Fatal(err)
	}
	if got, want := p.Gradient().Data(), []float64{1, 0, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("gradient %v, want %v", got, want)
	}
}
