package autograd_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"workbench/engine/autograd"
	"workbench/engine/tensor"
)

// draw fills a tensor with distinct values whose magnitudes lie between 0.5 and
// 2, away from where a logarithm or a quotient is steep.
func draw(random *rand.Rand, positive bool, shape ...int) *tensor.Tensor {
	out := tensor.Must(tensor.New(shape...))
	for i := range out.Data() {
		x := 0.5 + 1.5*random.Float64()
		if !positive && random.IntN(2) == 0 {
			x = -x
		}
		out.Data()[i] = x
	}
	return out
}

// operation is an operation under test: its operands and, computed element by
// element from coordinates, what it must return.
type operation struct {
	name     string
	run      func(c autograd.Context, in []*autograd.Node) *autograd.Node
	operands []*tensor.Tensor
	want     *tensor.Tensor
}

// checkOperation holds the operation's value against the one that is expected,
// and its adjoints against finite differences.
//
// The value is exact: these operations round once per element, or add the few
// products of a cell in the order that want does.
func checkOperation(t *testing.T, op operation) {
	t.Helper()
	t.Run(op.name, func(t *testing.T) {
		in := make([]*autograd.Node, len(op.operands))
		for i, v := range op.operands {
			in[i] = autograd.Parameter("", v)
		}
		c := recording(t)
		y := op.run(c, in)
		if err := c.Err(); err != nil {
			t.Fatal(err)
		}
		if !y.Value().SameShape(op.want) {
			t.Fatalf("shape %v, want %v", y.Value().Shape(), op.want.Shape())
		}
		for i, want := range op.want.Data() {
			if got := y.Value().Data()[i]; math.Float64bits(got) != math.Float64bits(want) {
				t.Errorf("element %v is %v, want %v", tensor.Coordinate(op.want.Shape(), i), got, want)
			}
		}
		checkGradients(t, op.run, op.operands)
	})
}

// checkGradients holds the adjoints of run against finite differences of a
// weighted sum of its elements. The weights differ, so that an adjoint in the
// wrong place shows.
//
// The differences are of five points, (8·(f(x+h) − f(x−h)) − (f(x+2h) −
// f(x−2h))) / 12h with h = 2^-10. They truncate h⁴/30·f⁽⁵⁾, about 3e-14·f⁽⁵⁾,
// and round by a few 2^-53·|f|/h, about 1e-13·|f| times the number of terms. The
// sums have at most a few hundred terms of size 10 and fifth derivatives below
// 1e4 (of 1/x at 0.5: 7680), so 1e-8 is safe, and an error in an adjoint is of the
// order of 1.
func checkGradients(t *testing.T, run func(c autograd.Context, in []*autograd.Node) *autograd.Node, operands []*tensor.Tensor) {
	t.Helper()
	const h, tolerance = 0x1p-10, 1e-8
	var weights *tensor.Tensor
	objective := func(c autograd.Context, in []*autograd.Node) *autograd.Node {
		y := run(c, in)
		if y == nil {
			return nil
		}
		if weights == nil {
			weights = draw(rand.New(rand.NewPCG(7, 1)), false, y.Value().Shape()...)
		}
		flat := c.Reshape(c.Mul(y, autograd.Constant(weights)), y.Value().Len())
		return c.SumAxis(flat, 0, false)
	}
	in := make([]*autograd.Node, len(operands))
	for i, v := range operands {
		in[i] = autograd.Parameter("", v)
	}
	c := recording(t)
	root := objective(c, in)
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	if err := root.Backward(c); err != nil {
		t.Fatal(err)
	}
	plain := autograd.NoGrad(t.Context(), c.Run())
	for n, v := range operands {
		g := in[n].Gradient()
		if g == nil || !g.SameShape(v) {
			t.Fatalf("operand %d of shape %v has the gradient %v", n, v.Shape(), g)
		}
		at := func(i int, x float64) float64 {
			kept := v.Data()[i]
			defer func() { v.Data()[i] = kept }()
			v.Data()[i] = x
			return objective(plain, in).Value().Data()[0]
		}
		for i, x := range v.Data() {
			want := (8*(at(i, x+h)-at(i, x-h)) - (at(i, x+2*h) - at(i, x-2*h))) / (12 * h)
			if got := g.Data()[i]; !(math.Abs(got-want) <= tolerance) {
				t.Errorf("operand %d: derivative by element %v is %v, and differences give %v", n, tensor.Coordinate(v.Shape(), i), got, want)
			}
		}
	}
}

// read returns the element that a coordinate of a larger shape reads of a
// tensor that is broadcast to it.
func read(t *tensor.Tensor, coordinate []int) float64 {
	flat := 0
	lead := len(coordinate) - t.Rank()
	for axis := range t.Rank() {
		flat *= t.Dim(axis)
		if t.Dim(axis) != 1 {
			flat += coordinate[lead+axis]
		}
	}
	return t.Data()[flat]
}

// fill makes a tensor element by element.
func fill(shape []int, f func(coordinate []int) float64) *tensor.Tensor {
	out := tensor.Must(tensor.New(shape...))
	for i := range out.Data() {
		out.Data()[i] = f(tensor.Coordinate(shape, i))
	}
	return out
}

func TestBinaryOperations(t *testing.T) {
	shapes := []struct {
		name        string
		a, b, shape []int
	}{
		{"equal", []int{2, 3}, []int{2, 3}, []int{2, 3}},
		{"row", []int{2, 3}, []int{3}, []int{2, 3}},
		{"row on the left", []int{3}, []int{2, 3}, []int{2, 3}},
		{"column", []int{2, 3}, []int{2, 1}, []int{2, 3}},
		{"both", []int{3, 1}, []int{1, 4}, []int{3, 4}},
		{"middle axis", []int{2, 1, 3}, []int{4, 1}, []int{2, 4, 3}},
		{"scalar", []int{}, []int{2, 3}, []int{2, 3}},
		{"scalars", []int{}, []int{}, []int{}},
		{"one element", []int{1}, []int{5}, []int{5}},
		{"leading ones", []int{1, 1}, []int{7}, []int{1, 7}},
		{"two new axes", []int{3, 2, 5}, []int{5}, []int{3, 2, 5}},
		{"two new axes and one repeated", []int{3, 2, 2, 5}, []int{1, 5}, []int{3, 2, 2, 5}},
		{"no elements", []int{0, 3}, []int{3}, []int{0, 3}},
		{"no elements, one repeated", []int{0, 3}, []int{1, 1}, []int{0, 3}},
	}
	ops := []struct {
		name string
		run  func(c autograd.Context, a, b *autograd.Node) *autograd.Node
		f    func(x, y float64) float64
	}{
		{"add", autograd.Context.Add, func(x, y float64) float64 { return x + y }},
		{"sub", autograd.Context.Sub, func(x, y float64) float64 { return x - y }},
		{"mul", autograd.Context.Mul, func(x, y float64) float64 { return x * y }},
		{"div", autograd.Context.Div, func(x, y float64) float64 { return x / y }},
	}
	for i, op := range ops {
		for j, s := range shapes {
			random := rand.New(rand.NewPCG(uint64(i), uint64(j)))
			a, b := draw(random, false, s.a...), draw(random, false, s.b...)
			checkOperation(t, operation{
				name:     op.name + "/" + s.name,
				run:      func(c autograd.Context, in []*autograd.Node) *autograd.Node { return op.run(c, in[0], in[1]) },
				operands: []*tensor.Tensor{a, b},
				want:     fill(s.shape, func(at []int) float64 { return op.f(read(a, at), read(b, at)) }),
			})
		}
	}
}

// One node on both sides gets both shares.
func TestOneOperandTwice(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	a := draw(random, false, 2, 3)
	each := func(f func(x float64) float64) *tensor.Tensor {
		return fill(a.Shape(), func(at []int) float64 { return f(a.At(at...)) })
	}
	checkOperation(t, operation{
		name:     "a + a",
		run:      func(c autograd.Context, in []*autograd.Node) *autograd.Node { return c.Add(in[0], in[0]) },
		operands: []*tensor.Tensor{a}, want: each(func(x float64) float64 { return x + x }),
	})
	checkOperation(t, operation{
		name:     "a · a",
		run:      func(c autograd.Context, in []*autograd.Node) *autograd.Node { return c.Mul(in[0], in[0]) },
		operands: []*tensor.Tensor{a}, want: each(func(x float64) float64 { return x * x }),
	})
	checkOperation(t, operation{
		name:     "a − a",
		run:      func(c autograd.Context, in []*autograd.Node) *autograd.Node { return c.Sub(in[0], in[0]) },
		operands: []*tensor.Tensor{a}, want: each(func(x float64) float64 { return x - x }),
	})
	checkOperation(t, operation{
		name:     "a / a",
		run:      func(c autograd.Context, in []*autograd.Node) *autograd.Node { return c.Div(in[0], in[0]) },
		operands: []*tensor.Tensor{a}, want: each(func(x float64) float64 { return x / x }),
	})
}

func TestUnaryOperations(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	a, positive := draw(random, false, 2, 1, 3), draw(random, true, 2, 1, 3)
	for _, op := range []struct {
		name    string
		run     func(c autograd.Context, a *autograd.Node) *autograd.Node
		operand *tensor.Tensor
		f       func(x float64) float64 // to 1e-15 relative: package scalar has tests of its own
	}{
		{"scale", func(c autograd.Context, a *autograd.Node) *autograd.Node { return c.Scale(a, -0.75) }, a, func(x float64) float64 { return x * -0.75 }},
		{"scale by zero", func(c autograd.Context, a *autograd.Node) *autograd.Node { return c.Scale(a, 0) }, a, func(x float64) float64 { return x * 0 }},
		{"offset", func(c autograd.Context, a *autograd.Node) *autograd.Node { return c.Offset(a, 1e-6) }, a, func(x float64) float64 { return x + 1e-6 }},
		{"exp", autograd.Context.Exp, a, math.Exp},
		{"log", autograd.Context.Log, positive, math.Log},
		{"sigmoid", autograd.Context.Sigmoid, a, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }},
	} {
		t.Run(op.name, func(t *testing.T) {
			c := recording(t)
			y := op.run(c, autograd.Parameter("", op.operand))
			if err := c.Err(); err != nil {
				t.Fatal(err)
			}
			for i, x := range op.operand.Data() {
				got, want := y.Value().Data()[i], op.f(x)
				if !(math.Abs(got-want) <= 1e-15*math.Abs(want)) {
					t.Errorf("of %v: %v, want %v", x, got, want)
				}
			}
			checkGradients(t, func(c autograd.Context, in []*autograd.Node) *autograd.Node { return op.run(c, in[0]) }, []*tensor.Tensor{op.operand})
		})
	}
}

// Far from zero the sigmoid and its slope end in 0 and 1, not in NaN.
func TestSigmoidEnds(t *testing.T) {
	a := autograd.Parameter("a", values([]int{2}, -800, 800))
	c := recording(t)
	y := c.Sigmoid(a)
	if err := c.SumAxis(y, 0, false).Backward(c); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0, 1} {
		if got := y.Value().Data()[i]; got != want {
			t.Errorf("sigmoid of %v is %v, want %v", a.Value().Data()[i], got, want)
		}
		if got := a.Gradient().Data()[i]; got != 0 {
			t.Errorf("slope at %v is %v, want 0", a.Value().Data()[i], got)
		}
	}
}
