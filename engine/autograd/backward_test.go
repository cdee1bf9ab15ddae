package autograd_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"workbench/engine/autograd"
	"workbench/engine/device"
	"workbench/engine/tensor"
)

func TestBackwardNeedsAGraph(t *testing.T) {
	c := recording(t)
	one := autograd.Constant(values([]int{1}, 1))
	var none *autograd.Node
	for name, root := range map[string]*autograd.Node{"constant": one, "made of constants": c.Exp(one), "nil": none} {
		if err := root.Backward(c); !errors.Is(err, autograd.ErrNoGraph) {
			t.Errorf("%s: %v, want ErrNoGraph", name, err)
		}
	}
}

func TestBackwardStartsFromOneElement(t *testing.T) {
	c := recording(t)
	for _, shape := range [][]int{{2}, {0}, {1, 3}} {
		p := autograd.Parameter("p", tensor.Must(tensor.New(shape...)))
		var wrong *tensor.ShapeError
		if err := c.Exp(p).Backward(c); !errors.As(err, &wrong) || !slices.Equal(wrong.Left, shape) {
			t.Errorf("from shape %v: %v, want a *tensor.ShapeError that names it", shape, err)
		}
		if p.Gradient() != nil {
			t.Errorf("from shape %v: the gradient is %v", shape, p.Gradient().Data())
		}
	}
	for _, shape := range [][]int{{}, {1}, {1, 1}} {
		p := autograd.Parameter("p", values(shape, 3))
		if err := c.Scale(p, 5).Backward(c); err != nil {
			t.Errorf("from shape %v: %v", shape, err)
		} else if g := p.Gradient(); !slices.Equal(g.Shape(), shape) || g.Data()[0] != 5 {
			t.Errorf("from shape %v: gradient %v %v", shape, g.Shape(), g.Data())
		}
	}
}

// A parameter that is itself the root has the derivative 1 by itself.
func TestBackwardFromAParameter(t *testing.T) {
	p := autograd.Parameter("p", values([]int{}, 3))
	if err := p.Backward(recording(t)); err != nil || p.Gradient().Data()[0] != 1 {
		t.Errorf("error %v, gradient %v", err, p.Gradient())
	}
	if p.Name() != "p" {
		t.Errorf("its name is %q", p.Name())
	}
}

// Gradients add up over passes until they are cleared. One tensor may be the
// adjoint of two parameters, as in p + q, and still each adds its own.
func TestGradientsAccumulate(t *testing.T) {
	p, q := autograd.Parameter("p", values([]int{2}, 1, 2)), autograd.Parameter("q", values([]int{2}, 3, 4))
	unused := autograd.Parameter("unused", values([]int{2}, 5, 6))
	c := recording(t)
	c.Add(unused, p)
	root := c.SumAxis(c.Add(c.Scale(c.Add(p, q), 2), q), 0, false)
	for pass := 1; pass <= 3; pass++ {
		if err := root.Backward(c); err != nil {
			t.Fatal(err)
		}
		n := float64(pass)
		if got := p.Gradient().Data(); !slices.Equal(got, []float64{2 * n, 2 * n}) {
			t.Errorf("pass %d: gradient of p is %v", pass, got)
		}
		if got := q.Gradient().Data(); !slices.Equal(got, []float64{3 * n, 3 * n}) {
			t.Errorf("pass %d: gradient of q is %v", pass, got)
		}
	}
	p.ZeroGradient()
	if p.Gradient() != nil || q.Gradient().Data()[0] != 9 {
		t.Errorf("after clearing p: gradients %v and %v", p.Gradient(), q.Gradient().Data())
	}
	if err := root.Backward(c); err != nil || p.Gradient().Data()[0] != 2 {
		t.Errorf("after clearing: error %v, gradient %v", err, p.Gradient().Data())
	}
	if unused.Gradient() != nil {
		t.Errorf("a parameter that the root does not depend on has the gradient %v", unused.Gradient().Data())
	}
}

// chain is a computation whose backward pass asks the device for products and
// sums.
func chain(c autograd.Context, p, q *autograd.Node) *autograd.Node {
	y := c.In("first").As("y").Matmul(p, q)
	z := c.In("second").As("z").Add(y, c.In("second").As("row sums").SumAxis(y, 1, true))
	w := c.In("second").As("w").Mul(z, q) // q: [2, 2] is used twice
	return c.In("third").As("root").MeanAxis(c.In("third").As("flat").Reshape(w, 4), 0, false)
}

func chainParameters() (p, q *autograd.Node) {
	return autograd.Parameter("p", values([]int{2, 2}, 1, 2, 3, 4)), autograd.Parameter("q", values([]int{2, 2}, 0.5, -1, 2, 0.25))
}

// Whichever request fails, no gradient changes.
func TestFailedPassChangesNothing(t *testing.T) {
	p, q := chainParameters()
	spied := openSpy(t)
	c := autograd.Recording(t.Context(), device.NewRun(spied))
	root := chain(c, p, q)
	spied.lines = nil
	if err := root.Backward(c); err != nil {
		t.Fatal(err)
	}
	before, beforeQ := p.Gradient().Clone(), q.Gradient().Clone()
	backward := len(spied.lines)
	for n := 1; n <= backward; n++ {
		spied.lines, spied.fail = nil, n
		err := root.Backward(c)
		if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "backward through") {
			t.Errorf("request %d: %v, want the device's error and where it happened", n, err)
		}
		if !slices.Equal(p.Gradient().Data(), before.Data()) || !slices.Equal(q.Gradient().Data(), beforeQ.Data()) {
			t.Errorf("request %d failed and the gradients changed", n)
		}
	}
	if backward < 3 {
		t.Errorf("the pass makes %d requests: the test needs products and a sum", backward)
	}
	// The failure is the pass's own: the context and the graph work on.
	spied.fail = 0
	if err := root.Backward(c); err != nil || c.Err() != nil {
		t.Errorf("after failures: %v, %v", err, c.Err())
	}
	if got, want := p.Gradient().Data()[0], 2*before.Data()[0]; got != want {
		t.Errorf("after failures the gradient is %v, want %v", got, want)
	}
}

// The pass runs on the device it is given, in the precision of the forward
// pass's nodes.
func TestBackwardOnAnotherDevice(t *testing.T) {
	first, second := openSpy(t), openSpy(t)
	c := autograd.Recording(t.Context(), device.NewRun(first))
	p, q := chainParameters()
	// The product is computed in float32, what follows in float64.
	y := c.WithPrecision(device.Float32).Matmul(p, q)
	root := c.MeanAxis(c.Reshape(c.Mul(y, autograd.Parameter("gain", values([]int{2}, 1, 3))), 4), 0, false)
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	forward := slices.Clone(first.lines)
	if want := []string{"[2, 2]·[2, 2] float32", "mean [4] axis 0 float64"}; !slices.Equal(forward, want) {
		t.Errorf("forward requests %q, want %q", forward, want)
	}
	other := autograd.NoGrad(t.Context(), device.NewRun(second)).WithPrecision(device.BFloat16)
	if err := root.Backward(other); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(first.lines, forward) {
		t.Errorf("the backward pass asked the forward device for %q", first.lines[len(forward):])
	}
	want := []string{
		"sum [2, 2] axis 0 float64", // of the gain's share
		"[2, 2]·[2, 2]ᵀ float32",
		"[2, 2]ᵀ·[2, 2] float32",
	}
	if !slices.Equal(second.lines, want) {
		t.Errorf("backward requests %q, want %q", second.lines, want)
	}
}

// A value with several uses is passed through once, when all of them have sent
// their shares.
func TestSharesAreAddedBeforeTheyArePassedOn(t *testing.T) {
	slopes := 0
	c := recording(t).WithWatch(func(e autograd.Event) {
		if e.Backward && e.Of == "sigmoid" {
			slopes++
		}
	})
	p := autograd.Parameter("p", values([]int{}, 0))
	shared := c.Sigmoid(p)
	root := c.Add(c.Scale(shared, 2), c.Add(c.Scale(shared, 3), c.Scale(shared, 5)))
	if err := root.Backward(c); err != nil {
		t.Fatal(err)
	}
	if got := p.Gradient().Data()[0]; got != 2.5 || slopes != 1 {
		t.Errorf("derivative %v in %d passes through the sigmoid, want 2.5 in one", got, slopes)
	}
}

// What needs no gradient costs neither a request nor an event.
func TestConstantsCostNothing(t *testing.T) {
	spied := openSpy(t)
	var ops []string
	c := autograd.Recording(t.Context(), device.NewRun(spied)).WithWatch(func(e autograd.Event) {
		if e.Backward {
			ops = append(ops, e.Op)
		}
	})
	row := autograd.Constant(values([]int{2}, 3, 4))
	y := autograd.Parameter("p", values([]int{2, 2}, 1, 2, 3, 4))
	for _, op := range []func(a, b *autograd.Node) *autograd.Node{c.Add, c.Sub, c.Mul, c.Div} {
		y = op(y, row)
	}
	root := c.SumAxis(c.Reshape(y, 4), 0, false)
	spied.lines = nil
	if err := root.Backward(c); err != nil {
		t.Fatal(err)
	}
	if len(spied.lines) != 0 {
		t.Errorf("the pass asked the device for %q, which only the constant row could use", spied.lines)
	}
	if want := []string{"repeat", "reshape", "div", "mul", "pass", "pass"}; !slices.Equal(ops, want) {
		t.Errorf("the pass did %q, want %q", ops, want)
	}
}
