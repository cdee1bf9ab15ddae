package autograd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"workbench/engine/autograd"
	"workbench/engine/device"
	"workbench/engine/tensor"
)

// matmulShapes are operands before any transposition, with leading axes that
// repeat on one side, on both, or are missing.
var matmulShapes = []struct {
	left, right []int // [.., M, K] and [.., K, N]
	batch       []int
}{
	{[]int{3, 4}, []int{4, 2}, []int{}},
	{[]int{1, 1}, []int{1, 1}, []int{}},
	{[]int{2, 3, 4}, []int{2, 4, 5}, []int{2}},
	{[]int{2, 3, 4}, []int{4, 5}, []int{2}},
	{[]int{3, 4}, []int{2, 4, 5}, []int{2}},
	{[]int{1, 3, 4}, []int{4, 2}, []int{1}},
	{[]int{3, 1, 2, 3}, []int{2, 3, 1}, []int{3, 2}},
	{[]int{1, 2, 2, 1}, []int{3, 1, 1, 2}, []int{3, 2}},
	{[]int{2, 2, 1, 3}, []int{3, 2}, []int{2, 2}},
	{[]int{2, 0}, []int{0, 3}, []int{}},
	{[]int{0, 2}, []int{2, 3}, []int{}},
	{[]int{0, 2, 2}, []int{2, 2}, []int{0}},
}

// swapped returns a copy with the last two axes exchanged.
func swapped(t *tensor.Tensor) *tensor.Tensor {
	view, err := t.View().Transpose(t.Rank()-2, t.Rank()-1)
	if err != nil {
		panic(err)
	}
	return view.Pack()
}

// The product and both adjoints, held against sums over coordinates, for all
// four combinations of transposed operands.
func TestMatmulAdjoints(t *testing.T) {
	for i, s := range matmulShapes {
		for transposed := range 4 {
			transposeLeft, transposeRight := transposed&1 != 0, transposed&2 != 0
			t.Run(fmt.Sprintf("%v·%v/%t,%t", s.left, s.right, transposeLeft, transposeRight), func(t *testing.T) {
				random := rand.New(rand.NewPCG(uint64(i), 11))
				left, right := draw(random, false, s.left...), draw(random, false, s.right...)
				m, k, n := s.left[len(s.left)-2], s.left[len(s.left)-1], s.right[len(s.right)-1]
				shape := append(slices.Clone(s.batch), m, n)
				g := draw(random, false, shape...)

				// Y = A·B, and with G the adjoint of Y: A[i,k] gets Σ G[i,j]·B[k,j]
				// and B[k,j] gets Σ A[i,k]·G[i,j] over every matrix that reads them.
				want := tensor.Must(tensor.New(shape...))
				wantLeft, wantRight := tensor.Must(tensor.New(s.left...)), tensor.Must(tensor.New(s.right...))
				for q := range want.Data() {
					at := tensor.Coordinate(shape, q)
					batch, row, column := at[:len(s.batch)], at[len(s.batch)], at[len(s.batch)+1]
					for c := range k {
						l := flatOf(left, batch, row, c)
						r := flatOf(right, batch, c, column)
						want.Data()[q] += float64(left.Data()[l] * right.Data()[r])
						wantLeft.Data()[l] += g.Data()[q] * right.Data()[r]
						wantRight.Data()[r] += left.Data()[l] * g.Data()[q]
					}
				}

				a, b := autograd.Parameter("a", left), autograd.Parameter("b", right)
				if transposeLeft {
					a, wantLeft = autograd.Parameter("a", swapped(left)), swapped(wantLeft)
				}
				if transposeRight {
					b, wantRight = autograd.Parameter("b", swapped(right)), swapped(wantRight)
				}
				c := recording(t)
				y := c.MatmulTransposed(a, b, transposeLeft, transposeRight)
				if err := c.Err(); err != nil {
					t.Fatal(err)
				}
				if !y.Value().SameShape(want) || !slices.Equal(y.Value().Data(), want.Data()) {
					t.Fatalf("product %v %v, want %v %v", y.Value().Shape(), y.Value().Data(), want.Shape(), want.Data())
				}
				flat := c.Reshape(c.Mul(y, autograd.Constant(g)), want.Len())
				if err := c.SumAxis(flat, 0, false).Backward(c); err != nil {
					t.Fatal(err)
				}
				closeTo(t, "adjoint of a", a.Gradient(), wantLeft)
				closeTo(t, "adjoint of b", b.Gradient(), wantRight)
			})
		}
	}
}

// flatOf returns the flat index of an element of a matrix stack that is
// broadcast over leading axes.
func flatOf(t *tensor.Tensor, batch []int, row, column int) int {
	lead := t.Shape()[:t.Rank()-2]
	flat := 0
	for axis, d := range lead {
		flat *= d
		if d != 1 {
			flat += batch[len(batch)-len(lead)+axis]
		}
	}
	return (flat*t.Dim(t.Rank()-2)+row)*t.Dim(t.Rank()-1) + column
}

// closeTo allows 1e-13: these are sums of at most some dozen products of
// magnitude 4, added in another order.
func closeTo(t *testing.T, name string, got, want *tensor.Tensor) {
	t.Helper()
	if got == nil || !got.SameShape(want) {
		t.Errorf("%s: got %v, want shape %v", name, got, want.Shape())
		return
	}
	for i, c := range want.Data() {
		if u := got.Data()[i]; !(math.Abs(u-c) <= 1e-13) {
			t.Errorf("%s: element %v is %v, want %v", name, tensor.Coordinate(want.Shape(), i), u, c)
		}
	}
}

// An operand that needs no gradient costs no product, and what a broadcast did
// not repeat no sum.
func TestMatmulAdjointRequests(t *testing.T) {
	shape := func(shape ...int) *tensor.Tensor { return draw(rand.New(rand.NewPCG(1, 1)), false, shape...) }
	for _, c := range []struct {
		name string
		a, b *autograd.Node
		want []string
	}{
		{"both", autograd.Parameter("a", shape(2, 3)), autograd.Parameter("b", shape(3, 4)),
			[]string{"[2, 4]·[3, 4]ᵀ float64", "[2, 3]ᵀ·[2, 4] float64"}},
		{"left alone", autograd.Parameter("a", shape(2, 3)), autograd.Constant(shape(3, 4)),
			[]string{"[2, 4]·[3, 4]ᵀ float64"}},
		{"right alone", autograd.Constant(shape(2, 3)), autograd.Parameter("b", shape(3, 4)),
			[]string{"[2, 3]ᵀ·[2, 4] float64"}},
		{"one matrix of a batch", autograd.Parameter("a", shape(1, 2, 3)), autograd.Parameter("b", shape(3, 4)),
			[]string{"[1, 2, 4]·[3, 4]ᵀ float64", "[1, 2, 3]ᵀ·[1, 2, 4] float64"}},
		{"a batch of five", autograd.Constant(shape(5, 2, 3)), autograd.Parameter("b", shape(3, 4)),
			[]string{"[5, 2, 3]ᵀ·[5, 2, 4] float64", "sum [5, 3, 4] axis 0 float64"}},
		{"two new axes", autograd.Constant(shape(5, 2, 2, 3)), autograd.Parameter("b", shape(3, 4)),
			[]string{"[5, 2, 2, 3]ᵀ·[5, 2, 2, 4] float64", "sum [10, 3, 4] axis 0 float64"}},
		{"two repeated axes", autograd.Constant(shape(5, 2, 2, 3)), autograd.Parameter("b", shape(1, 1, 3, 4)),
			[]string{"[5, 2, 2, 3]ᵀ·[5, 2, 2, 4] float64", "sum [5, 2, 3, 4] axis 0 float64", "sum [1, 2, 3, 4] axis 1 float64"}},
		{"one new axis, one not repeated", autograd.Constant(shape(5, 2, 2, 3)), autograd.Parameter("b", shape(2, 3, 4)),
			[]string{"[5, 2, 2, 3]ᵀ·[5, 2, 2, 4] float64", "sum [5, 2, 3, 4] axis 0 float64"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			spied := openSpy(t)
			r := autograd.Recording(t.Context(), device.NewRun(spied))
			y := r.Matmul(c.a, c.b)
			root := r.SumAxis(r.Reshape(y, y.Value().Len()), 0, false)
			if err := r.Err(); err != nil {
				t.Fatal(err)
			}
			forward := len(spied.lines)
			if err := root.Backward(r); err != nil {
				t.Fatal(err)
			}
			if got := spied.lines[forward:]; !slices.Equal(got, c.want) {
				t.Errorf("requests of the backward pass:\n%q, want\n%q", got, c.want)
			}
		})
	}
}
