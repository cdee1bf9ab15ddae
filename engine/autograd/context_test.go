package autograd_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"workbench/engine/autograd"
	"workbench/engine/device"
	"workbench/engine/tensor"
)

// Every operation with operands it cannot take: the error is a ShapeError that
// names the operation, and the result is nil.
func TestOperationErrors(t *testing.T) {
	zeros := func(shape ...int) *autograd.Node {
		return autograd.Parameter("", tensor.Must(tensor.New(shape...)))
	}
	tables := func(shape ...int) *tensor.Tensor { return tensor.Must(tensor.New(shape...)) }
	for _, op := range []struct {
		name string
		run  func(c autograd.Context) *autograd.Node
		op   string // of the ShapeError
		says string
	}{
		{"add", func(c autograd.Context) *autograd.Node { return c.Add(zeros(2), zeros(3)) }, "add", "cannot broadcast 2 with 3"},
		{"sub", func(c autograd.Context) *autograd.Node { return c.Sub(zeros(2, 3), zeros(2)) }, "sub", "cannot broadcast 3 with 2"},
		{"mul", func(c autograd.Context) *autograd.Node { return c.Mul(zeros(2, 3), zeros(2, 4)) }, "mul", "cannot broadcast 3 with 4"},
		{"div", func(c autograd.Context) *autograd.Node { return c.Div(zeros(0), zeros(2)) }, "div", "cannot broadcast 0 with 2"},
		{"matmul", func(c autograd.Context) *autograd.Node { return c.Matmul(zeros(2, 3), zeros(2, 3)) }, "matmul", "they must be equal"},
		{"matmul of a vector", func(c autograd.Context) *autograd.Node { return c.Matmul(zeros(3), zeros(3, 2)) }, "matmul", "two axes"},
		{"sum", func(c autograd.Context) *autograd.Node { return c.SumAxis(zeros(2), 1, false) }, "reduce", "no axis 1"},
		{"sum of a scalar", func(c autograd.Context) *autograd.Node { return c.SumAxis(zeros(), 0, false) }, "reduce", "scalar"},
		{"mean of nothing", func(c autograd.Context) *autograd.Node { return c.MeanAxis(zeros(2, 0), 1, false) }, "mean", "empty"},
		{"max", func(c autograd.Context) *autograd.Node { return c.MaxAxis(zeros(2), -1) }, "reduce", "no axis -1"},
		{"max of nothing", func(c autograd.Context) *autograd.Node { return c.MaxAxis(zeros(2, 0), 1) }, "max", "nothing is largest"},
		{"reshape", func(c autograd.Context) *autograd.Node { return c.Reshape(zeros(2, 3), 5) }, "reshape", "6 elements and 5"},
		{"swap axes", func(c autograd.Context) *autograd.Node { return c.SwapAxes(zeros(2, 3), 0, 2) }, "transpose", "no axes 0 and 2"},
		{"gather", func(c autograd.Context) *autograd.Node { return c.Gather(zeros(2, 3), []int{0, 2}) }, "gather", "index 2 at position 1"},
		{"gather, negative", func(c autograd.Context) *autograd.Node { return c.Gather(zeros(2, 3), []int{-1}) }, "gather", "index -1 at position 0"},
		{"gather from three axes", func(c autograd.Context) *autograd.Node { return c.Gather(zeros(2, 3, 4), []int{0}) }, "gather", "two axes"},
		{"pick", func(c autograd.Context) *autograd.Node { return c.Pick(zeros(2, 3), []int{0, 3}) }, "pick", "index 3 at position 1"},
		{"pick, too few", func(c autograd.Context) *autograd.Node { return c.Pick(zeros(2, 3), []int{0}) }, "pick", "2 groups and 1 indices"},
		{"pick from a scalar", func(c autograd.Context) *autograd.Node { return c.Pick(zeros(), []int{0}) }, "pick", "scalar"},
		{"causal mask", func(c autograd.Context) *autograd.Node { return c.CausalMask(zeros(2, 3)) }, "causal mask", "must be equal"},
		{"causal mask of a row", func(c autograd.Context) *autograd.Node { return c.CausalMask(zeros(3)) }, "causal mask", "last two axes"},
		{"rotate, odd", func(c autograd.Context) *autograd.Node { return c.Rotate(zeros(2, 3), tables(2, 1), tables(2, 1)) }, "rotate", "even number"},
		{"rotate, too few positions", func(c autograd.Context) *autograd.Node { return c.Rotate(zeros(3, 2), tables(2, 1), tables(2, 1)) }, "rotate", "need 3 positions"},
		{"rotate, other pairs", func(c autograd.Context) *autograd.Node { return c.Rotate(zeros(3, 4), tables(3, 1), tables(3, 1)) }, "rotate", "2 pairs"},
		{"rotate, tables that differ", func(c autograd.Context) *autograd.Node { return c.Rotate(zeros(3, 4), tables(3, 2), tables(4, 2)) }, "rotate", "tables"},
	} {
		t.Run(op.name, func(t *testing.T) {
			c := recording(t)
			if y := op.run(c); y != nil {
				t.Errorf("returned a node of shape %v", y.Value().Shape())
			}
			var shape *tensor.ShapeError
			if !errors.As(c.Err(), &shape) {
				t.Fatalf("the error is %v, want a *tensor.ShapeError", c.Err())
			}
			if shape.Op != op.op || !strings.Contains(shape.Error(), op.says) {
				t.Errorf("the error is %q, want one of %q that says %q", shape, op.op, op.says)
			}
		})
	}
}

// everyOperation runs each operation once and returns the results.
func everyOperation(c autograd.Context) []*autograd.Node {
	a := autograd.Parameter("a", values([]int{2, 2}, 1, 2, 3, 4))
	table := values([]int{2, 1}, 1, 1)
	return []*autograd.Node{
		c.Add(a, a), c.Sub(a, a), c.Mul(a, a), c.Div(a, a),
		c.Scale(a, 2), c.Offset(a, 2), c.Exp(a), c.Log(a), c.Sigmoid(a),
		c.Matmul(a, a), c.MatmulTransposed(a, a, true, true), c.SumAxis(a, 0, true), c.MeanAxis(a, 0, true), c.MaxAxis(a, 0),
		c.Reshape(a, 4), c.SwapAxes(a, 0, 1), c.Gather(a, []int{0}), c.Pick(a, []int{0, 1}), c.CausalMask(a), c.Rotate(a, table, table),
	}
}

// The first error stays, in every copy of the context, and later operations
// neither ask the device for anything nor report anything.
func TestFirstErrorStays(t *testing.T) {
	spied := openSpy(t)
	events := 0
	c := autograd.Recording(t.Context(), device.NewRun(spied)).WithWatch(func(autograd.Event) { events++ })
	other := c.In("elsewhere").As("y").WithPrecision(device.Float32)
	for i, y := range everyOperation(c) {
		if y == nil {
			t.Fatalf("operation %d failed: %v", i, c.Err())
		}
	}
	if len(spied.lines) == 0 || events == 0 {
		t.Fatalf("%d requests and %d events of a context without an error", len(spied.lines), events)
	}
	spied.lines, events = nil, 0

	first := errors.New("the first")
	other.Fail(first)
	c.Fail(errors.New("the second"))
	for _, failed := range []autograd.Context{c, other, c.In("x")} {
		if !errors.Is(failed.Err(), first) {
			t.Errorf("the error is %v, want the first", failed.Err())
		}
		for i, y := range everyOperation(failed) {
			if y != nil {
				t.Errorf("operation %d of a failed context returned a value", i)
			}
		}
	}
	if len(spied.lines) != 0 || events != 0 {
		t.Errorf("a failed context made %d requests and reported %d events", len(spied.lines), events)
	}
	root := autograd.Parameter("p", values([]int{}, 1))
	if err := root.Backward(c); !errors.Is(err, first) || root.Gradient() != nil {
		t.Errorf("Backward with a failed context returned %v and the gradient %v", err, root.Gradient())
	}
}

// An operation's own error stops the ones after it.
func TestOperationsStopAfterAnError(t *testing.T) {
	spied := openSpy(t)
	spied.fail = 2
	c := autograd.NoGrad(t.Context(), device.NewRun(spied))
	a := autograd.Constant(values([]int{1, 1}, 3))
	b := c.Matmul(a, a)
	if d := c.Matmul(b, a); d != nil {
		t.Error("a failed product has a value")
	}
	if y := c.Add(c.SumAxis(b, 0, false), b); y != nil {
		t.Error("an operation after a failed product has a value")
	}
	if !errors.Is(c.Err(), errBroken) || len(spied.lines) != 2 {
		t.Errorf("error %v after %d requests, want the device's after 2", c.Err(), len(spied.lines))
	}
	var none *autograd.Node
	if none.Value() != nil {
		t.Error("the nil node has a value")
	}
}

func TestNilOperand(t *testing.T) {
	a := autograd.Constant(values([]int{1}, 1))
	for name, run := range map[string]func(c autograd.Context) *autograd.Node{
		"left":   func(c autograd.Context) *autograd.Node { return c.Add(nil, a) },
		"right":  func(c autograd.Context) *autograd.Node { return c.Matmul(a, nil) },
		"single": func(c autograd.Context) *autograd.Node { return c.Exp(nil) },
	} {
		c := recording(t)
		if y := run(c); y != nil || c.Err() == nil || !strings.Contains(c.Err().Error(), "nil") {
			t.Errorf("%s: returned %v with the error %v", name, y, c.Err())
		}
	}
}

// A cancelled context fails with the cause, in forward and in backward, also
// where no request would be made.
func TestCancellation(t *testing.T) {
	cause := errors.New("the reader closed the page")
	ctx, cancel := context.WithCancelCause(t.Context())
	c := autograd.Recording(ctx, device.NewRun(openSpy(t)))
	p := autograd.Parameter("p", values([]int{1}, 2))
	y := c.Exp(p)
	cancel(cause)
	if err := y.Backward(c); !errors.Is(err, cause) {
		t.Errorf("Backward returned %v, want the cause", err)
	}
	if p.Gradient() != nil {
		t.Errorf("the cancelled pass left the gradient %v", p.Gradient().Data())
	}
	if z := c.Exp(y); z != nil || !errors.Is(c.Err(), cause) {
		t.Errorf("Exp returned %v with the error %v, want the cause", z, c.Err())
	}
}

// cancelling cancels its context in the middle of a request, and then stops it
// as a device does.
type cancelling struct {
	device.Device
	cancel func()
}

func (d cancelling) Multiply(ctx context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	d.cancel()
	return d.Device.Multiply(ctx, p)
}

func (d cancelling) Reduce(ctx context.Context, r device.Reduction) (*tensor.Tensor, device.Stats, error) {
	d.cancel()
	return d.Device.Reduce(ctx, r)
}

// Where the device notices the cancellation, the error is still its cause: in
// the forward pass, and in the backward pass of what was computed before.
func TestCancellationInARequest(t *testing.T) {
	cause := errors.New("the reader closed the page")
	interrupted := func() (context.Context, *device.Run) {
		ctx, cancel := context.WithCancelCause(t.Context())
		return ctx, device.NewRun(cancelling{openSpy(t), func() { cancel(cause) }})
	}
	p := autograd.Parameter("p", values([]int{1, 1}, 2))
	column := autograd.Constant(values([]int{2, 1}, 1, 2))
	for name, run := range map[string]func(c autograd.Context) *autograd.Node{
		"product": func(c autograd.Context) *autograd.Node { return c.Matmul(p, p) },
		"sum":     func(c autograd.Context) *autograd.Node { return c.SumAxis(c.Add(p, column), 0, true) },
	} {
		c := autograd.NoGrad(interrupted())
		if y := run(c); y != nil || !errors.Is(c.Err(), cause) {
			t.Errorf("%s: %v, want the cause", name, c.Err())
		}
		// The adjoint of p is a product, or the sum of what was repeated.
		if err := run(recording(t)).Backward(autograd.NoGrad(interrupted())); !errors.Is(err, cause) {
			t.Errorf("%s: Backward returned %v, want the cause", name, err)
		}
	}
}

func TestContextIsAValue(t *testing.T) {
	run := device.NewRun(openSpy(t))
	c := autograd.Recording(t.Context(), run)
	half := c.WithPrecision(device.BFloat16)
	if c.Precision() != device.Float64 || half.Precision() != device.BFloat16 {
		t.Errorf("precisions %v and %v", c.Precision(), half.Precision())
	}
	if !c.Records() || !half.Records() || autograd.NoGrad(t.Context(), run).Records() {
		t.Error("Records is wrong")
	}
	if c.Run() != run || half.Run() != run {
		t.Error("Run returns another run")
	}
	if c.Err() != nil {
		t.Errorf("a fresh context has the error %v", c.Err())
	}
}

// A context that does not record computes the same bits and keeps nothing.
func TestNoGrad(t *testing.T) {
	spied := openSpy(t)
	run := device.NewRun(spied)
	recorded := everyOperation(autograd.Recording(t.Context(), run))
	requests := slices.Clone(spied.lines)
	spied.lines = nil
	plain := autograd.NoGrad(t.Context(), run)
	for i, y := range everyOperation(plain) {
		if !y.Value().SameShape(recorded[i].Value()) {
			t.Fatalf("operation %d has another shape without a graph", i)
		}
		for j, want := range recorded[i].Value().Data() {
			if got := y.Value().Data()[j]; math.Float64bits(got) != math.Float64bits(want) {
				t.Errorf("operation %d, element %d: %v without a graph, %v with one", i, j, got, want)
			}
		}
		if err := y.Backward(plain); !errors.Is(err, autograd.ErrNoGraph) {
			t.Errorf("operation %d: Backward returned %v, want ErrNoGraph", i, err)
		}
	}
	if !slices.Equal(spied.lines, requests) || len(requests) == 0 {
		t.Errorf("requests without a graph:\n%q, want\n%q", spied.lines, requests)
	}
}
