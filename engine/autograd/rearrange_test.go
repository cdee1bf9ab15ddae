package autograd_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"workbench/engine/autograd"
	"workbench/engine/tensor"
)

func TestRearrangements(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	a := draw(random, false, 2, 3, 4)
	checkOperation(t, operation{
		name:     "reshape",
		run:      func(c autograd.Context, in []*autograd.Node) *autograd.Node { return c.Reshape(in[0], 4, 1, 6) },
		operands: []*tensor.Tensor{a}, want: values([]int{4, 1, 6}, slices.Clone(a.Data())...),
	})
	checkOperation(t, operation{
		name:     "swap axes",
		run:      func(c autograd.Context, in []*autograd.Node) *autograd.Node { return c.SwapAxes(in[0], 0, 2) },
		operands: []*tensor.Tensor{a}, want: fill([]int{4, 3, 2}, func(at []int) float64 { return a.At(at[2], at[1], at[0]) }),
	})
	checkOperation(t, operation{
		name:     "swap an axis with itself",
		run:      func(c autograd.Context, in []*autograd.Node) *autograd.Node { return c.SwapAxes(in[0], 1, 1) },
		operands: []*tensor.Tensor{a}, want: a.Clone(),
	})

	table := draw(random, false, 5, 3)
	ids := []int{4, 0, 4, 4, 2}
	checkOperation(t, operation{
		name:     "gather with a row named three times",
		run:      func(c autograd.Context, in []*autograd.Node) *autograd.Node { return c.Gather(in[0], ids) },
		operands: []*tensor.Tensor{table}, want: fill([]int{5, 3}, func(at []int) float64 { return table.At(ids[at[0]], at[1]) }),
	})
	checkOperation(t, operation{
		name:     "gather nothing",
		run:      func(c autograd.Context, in []*autograd.Node) *autograd.Node { return c.Gather(in[0], nil) },
		operands: []*tensor.Tensor{table}, want: values([]int{0, 3}),
	})
	chosen := []int{3, 0, 0, 2, 1, 3}
	checkOperation(t, operation{
		name:     "pick",
		run:      func(c autograd.Context, in []*autograd.Node) *autograd.Node { return c.Pick(in[0], chosen) },
		operands: []*tensor.Tensor{a}, want: fill([]int{2, 3}, func(at []int) float64 { return a.At(at[0], at[1], chosen[at[0]*3+at[1]]) }),
	})
}

// A row that is looked up three times gets the sum of three shares, one that is
// not gets nothing.
func TestGatherAddsInOrder(t *testing.T) {
	table := autograd.Parameter("table", values([]int{3, 1}, 1, 2, 3))
	weights := values([]int{4, 1}, 1, 0x1p-53, 0x1p-53, 10)
	c := recording(t)
	y := c.Mul(c.Gather(table, []int{2, 2, 2, 0}), autograd.Constant(weights))
	if err := c.SumAxis(c.Reshape(y, 4), 0, false).Backward(c); err != nil {
		t.Fatal(err)
	}
	// 1 + 2^-53 rounds to 1 each time; the other order would give 1 + 2^-52.
	if got, want := table.Gradient().Data(), []float64{10, 0, 1}; !slices.Equal(got, want) {
		t.Errorf("gradient %v, want %v", got, want)
	}
}

// An operation keeps its own copy of the indices: a caller may use the slice
// again before the backward pass.
func TestIndicesAreCopied(t *testing.T) {
	table := autograd.Parameter("table", values([]int{2, 2}, 1, 2, 3, 4))
	ids := []int{1, 0}
	c := recording(t)
	y := c.Pick(c.Gather(table, ids), ids)
	ids[0], ids[1] = 0, 1
	if err := c.SumAxis(y, 0, false).Backward(c); err != nil {
		t.Fatal(err)
	}
	// Row 1 gave its element 1, row 0 its element 0.
	if got, want := table.Gradient().Data(), []float64{1, 0, 0, 1}; !slices.Equal(got, want) {
		t.Errorf("gradient %v, want %v", got, want)
	}
}

func TestRotate(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	a := draw(random, false, 2, 3, 4)
	// One position more than is used, and no true angle: a derivative must not
	// rely on cos² + sin² = 1.
	cos, sin := draw(random, false, 4, 2), draw(random, false, 4, 2)
	want := fill(a.Shape(), func(at []int) float64 {
		pair := at[2] / 2
		x, y := a.At(at[0], at[1], 2*pair), a.At(at[0], at[1], 2*pair+1)
		if at[2]%2 == 0 {
			return float64(x*cos.At(at[1], pair)) - float64(y*sin.At(at[1], pair))
		}
		return float64(x*sin.At(at[1], pair)) + float64(y*cos.At(at[1], pair))
	})
	checkOperation(t, operation{
		name:     "rotate",
		run:      func(c autograd.Context, in []*autograd.Node) *autograd.Node { return c.Rotate(in[0], cos, sin) },
		operands: []*tensor.Tensor{a}, want: want,
	})
	empty := tensor.Must(tensor.New(2, 0, 4))
	checkOperation(t, operation{
		name:     "no positions",
		run:      func(c autograd.Context, in []*autograd.Node) *autograd.Node { return c.Rotate(in[0], cos, sin) },
		operands: []*tensor.Tensor{empty}, want: empty.Clone(),
	})
}
