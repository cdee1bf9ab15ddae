package autograd_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"workbench/engine/autograd"
	"workbench/engine/tensor"
)

func TestReductions(t *testing.T) {
	for _, shape := range [][]int{{5}, {1}, {2, 3}, {3, 1}, {2, 3, 4}, {2, 0}} {
		for axis := range shape {
			for _, keep := range []bool{false, true} {
				a := draw(rand.New(rand.NewPCG(uint64(len(shape)), uint64(axis))), false, shape...)
				out := slices.Clone(shape)
				out[axis] = 1
				// The sum is added in the order of the axis, as the device adds it.
				sum := fill(out, func(at []int) float64 {
					total := 0.0
					for k := range shape[axis] {
						at[axis] = k
						total += a.At(at...)
					}
					return total
				})
				mean := sum.Clone()
				for i := range mean.Data() {
					mean.Data()[i] /= float64(shape[axis])
				}
				if !keep {
					out = slices.Delete(slices.Clone(shape), axis, axis+1)
					sum, mean = tensor.Must(sum.Reshape(out...)), tensor.Must(mean.Reshape(out...))
				}
				name := fmt.Sprintf("%v along %d, keep %t", shape, axis, keep)
				checkOperation(t, operation{
					name:     "sum of " + name,
					run:      func(c autograd.Context, in []*autograd.Node) *autograd.Node { return c.SumAxis(in[0], axis, keep) },
					operands: []*tensor.Tensor{a}, want: sum,
				})
				if shape[axis] == 0 {
					continue // TestOperationErrors has the mean of nothing
				}
				checkOperation(t, operation{
					name:     "mean of " + name,
					run:      func(c autograd.Context, in []*autograd.Node) *autograd.Node { return c.MeanAxis(in[0], axis, keep) },
					operands: []*tensor.Tensor{a}, want: mean,
				})
			}
		}
	}
}

func TestMaxAxis(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name  string
		input *tensor.Tensor
		axis  int
		shape []int
		want  []float64
	}{
		{"rows", values([]int{2, 3}, 1, 5, 2, -7, -3, -4), 1, []int{2, 1}, []float64{5, -3}},
		{"columns", values([]int{2, 3}, 1, 5, 2, -7, -3, 4), 0, []int{1, 3}, []float64{1, 5, 4}},
		{"middle", values([]int{2, 2, 1}, 1, 2, 4, 3), 1, []int{2, 1, 1}, []float64{2, 4}},
		{"NaN first", values([]int{1, 3}, nan, 1, 2), 1, []int{1, 1}, []float64{nan}},
		{"NaN last", values([]int{1, 3}, 1, 2, nan), 1, []int{1, 1}, []float64{nan}},
		{"NaN in another group", values([]int{2, 2}, 1, nan, 3, 4), 1, []int{2, 1}, []float64{nan, 4}},
		{"infinities", values([]int{2, 2}, -inf, -inf, -inf, inf), 1, []int{2, 1}, []float64{-inf, inf}},
		{"zeros", values([]int{1, 2}, math.Copysign(0, -1), 0), 1, []int{1, 1}, []float64{0}},
		{"no groups", values([]int{0, 2}), 1, []int{0, 1}, []float64{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := recording(t)
			y := r.MaxAxis(autograd.Parameter("a", c.input), c.axis)
			if err := r.Err(); err != nil {
				t.Fatal(err)
			}
			if got := y.Value().Shape(); !slices.Equal(got, c.shape) {
				t.Fatalf("shape %v, want %v", got, c.shape)
			}
			for i, want := range c.want {
				got := y.Value().Data()[i]
				if math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
					t.Errorf("group %d: %v, want %v", i, got, want)
				}
			}
		})
	}
}

// The maximum is a constant: what is made of it alone has no graph.
func TestNoGradientThroughMax(t *testing.T) {
	c := recording(t)
	a := autograd.Parameter("a", values([]int{1, 2}, 1, 2))
	if err := c.MaxAxis(a, 1).Backward(c); !errors.Is(err, autograd.ErrNoGraph) {
		t.Errorf("Backward returned %v, want ErrNoGraph", err)
	}
}

// Softmax and log-sum-exp, as the decoder writes them, have the right
// derivatives although none flows through the maximum.
func TestSoftmaxOverMax(t *testing.T) {
	scores := draw(rand.New(rand.NewPCG(5, 5)), false, 2, 3, 4)
	checkGradients(t, func(c autograd.Context, in []*autograd.Node) *autograd.Node {
		e := c.Exp(c.Sub(in[0], c.MaxAxis(in[0], 2)))
		return c.Div(e, c.SumAxis(e, 2, true))
	}, []*tensor.Tensor{scores})
	checkGradients(t, func(c autograd.Context, in []*autograd.Node) *autograd.Node {
		largest := c.MaxAxis(in[0], 1)
		return c.Add(largest, c.Log(c.SumAxis(c.Exp(c.Sub(in[0], largest)), 1, true)))
	}, []*tensor.Tensor{scores})
}
