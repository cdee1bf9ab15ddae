package autograd

import (
	"workbench/engine/scalar"
	"workbench/engine/tensor"
)

// Add returns a + b; shapes broadcast.
func (c Context) Add(a, b *Node) *Node {
	return c.binary("add", a, b, func(x, y float64) float64 { return x + y },
		func(p *pass, g, _ *tensor.Tensor) error {
			if err := p.shareSame(a, g); err != nil {
				return err
			}
			return p.shareSame(b, g)
		})
}

// Sub returns a − b; shapes broadcast.
func (c Context) Sub(a, b *Node) *Node {
	return c.binary("sub", a, b, func(x, y float64) float64 { return x - y },
		func(p *pass, g, _ *tensor.Tensor) error {
			if err := p.shareSame(a, g); err != nil {
				return err
			}
			if !b.needsGrad {
				return nil
			}
			return p.share("negate", b, apply(g, func(x float64) float64 { return -x }), g)
		})
}

// Mul returns a · b element by element; shapes broadcast.
func (c Context) Mul(a, b *Node) *Node {
	product := func(x, y float64) float64 { return x * y }
	return c.binary("mul", a, b, product,
		func(p *pass, g, _ *tensor.Tensor) error {
			if a.needsGrad {
				share, err := zip("mul", g, b.value, product)
				if err != nil {
					return err
				}
				if err := p.share("mul", a, share, g, b.value); err != nil {
					return err
				}
			}
			if b.needsGrad {
				share, err := zip("mul", g, a.value, product)
				if err != nil {
					return err
				}
				return p.share("mul", b, share, g, a.value)
			}
			return nil
		})
}

// Div returns a / b element by element; shapes broadcast.
func (c Context) Div(a, b *Node) *Node {
	quotient := func(x, y float64) float64 { return x / y }
	return c.binary("div", a, b, quotient,
		func(p *pass, g, y *tensor.Tensor) error {
			if a.needsGrad {
				share, err := zip("div", g, b.value, quotient)
				if err != nil {
					return err
				}
				if err := p.share("div", a, share, g, b.value); err != nil {
					return err
				}
			}
			if b.needsGrad {
				// d(a/b) = −(a/b)/b, with the quotient at hand.
				share, err := zip("div", g, y, func(g, y float64) float64 { return -(g * y) })
				if err != nil {
					return err
				}
				if share, err = zip("div", share, b.value, quotient); err != nil {
					return err
				}
				return p.share("div", b, share, g, y, b.value)
			}
			return nil
		})
}

// Scale returns a · factor.
func (c Context) Scale(a *Node, factor float64) *Node {
	times := func(x float64) float64 { return x * factor }
	return c.unary("scale", a, factor, times, func(p *pass, g, _ *tensor.Tensor) error {
		share := apply(g, times)
		p.emit(Event{Op: "scale", Inputs: []*tensor.Tensor{g}, Output: share, Factor: factor}, a)
		p.send(a, share)
		return nil
	})
}

// Offset returns a + amount.
func (c Context) Offset(a *Node, amount float64) *Node {
	return c.unary("offset", a, amount, func(x float64) float64 { return x + amount }, func(p *pass, g, _ *tensor.Tensor) error {
		p.send(a, p.pass(a, g))
		return nil
	})
}

// Exp returns the exponential of each element.
func (c Context) Exp(a *Node) *Node {
	return c.unary("exp", a, 0, scalar.Exp, func(p *pass, g, y *tensor.Tensor) error {
		share, err := zip("exp", g, y, func(g, y float64) float64 { return g * y })
		if err != nil {
			return err
		}
		p.host("mul", a, share, g, y)
		return nil
	})
}

// Log returns the natural logarithm of each element.
func (c Context) Log(a *Node) *Node {
	return c.unary("log", a, 0, scalar.Log, func(p *pass, g, _ *tensor.Tensor) error {
		share, err := zip("log", g, a.value, func(g, x float64) float64 { return g / x })
		if err != nil {
			return err
		}
		p.host("div", a, share, g, a.value)
		return nil
	})
}

// Sigmoid returns 1/(1 + exp(−a)) of each element.
func (c Context) Sigmoid(a *Node) *Node {
	sigmoid := func(x float64) float64 { return 1 / (1 + scalar.Exp(-x)) }
	return c.unary("sigmoid", a, 0, sigmoid, func(p *pass, g, y *tensor.Tensor) error {
		share, err := zip("sigmoid", g, y, func(g, s float64) float64 { return g * float64(s*(1-s)) })
		if err != nil {
			return err
		}
		p.host("sigmoid-slope", a, share, g, y)
		return nil
	})
}

// binary carries out f on the host and records the adjoint, which is given the
// output's adjoint and the output.
func (c Context) binary(op string, a, b *Node, f func(x, y float64) float64, adjoint func(p *pass, g, y *tensor.Tensor) error) *Node {
	if c.stopped(a, b) {
		return nil
	}
	out, err := zip(op, a.value, b.value, f)
	if err != nil {
		c.Fail(err)
		return nil
	}
	c.emit(Event{Op: op, Inputs: []*tensor.Tensor{a.value, b.value}, Output: out})
	return c.node(op, out, func(p *pass, g *tensor.Tensor) error { return adjoint(p, g, out) }, a, b)
}

func (c Context) unary(op string, a *Node, factor float64, f func(x float64) float64, adjoint func(p *pass, g, y *tensor.Tensor) error) *Node {
	if c.stopped(a) {
		return nil
	}
	out := apply(a.value, f)
	c.emit(Event{Op: op, Inputs: []*tensor.Tensor{a.value}, Output: out, Factor: factor})
	return c.node(op, out, func(p *pass, g *tensor.Tensor) error { return adjoint(p, g, out) }, a)
}

// share reports host work whose output may have been broadcast, sums it to the
// shape of in and sends it.
func (p *pass) share(op string, in *Node, output *tensor.Tensor, inputs ...*tensor.Tensor) error {
	p.emit(Event{Op: op, Inputs: inputs, Output: output}, in)
	return p.sendSummed(in, output)
}

// shareSame is share for an adjoint that is handed on unchanged.
func (p *pass) shareSame(in *Node, g *tensor.Tensor) error {
	if !in.needsGrad {
		return nil
	}
	return p.sendSummed(in, p.pass(in, g))
}

func apply(a *tensor.Tensor, f func(float64) float64) *tensor.Tensor {
	out := tensor.Must(tensor.New(a.Shape()...))
	for i, x := range a.Data() {
		out.Data()[i] = f(x)
	}
	return out
}

// zip applies f to both tensors, broadcast to one shape.
func zip(op string, a, b *tensor.Tensor, f func(x, y float64) float64) (*tensor.Tensor, error) {
	if !a.SameShape(b) {
		shape, err := tensor.BroadcastShapes(op, a.Shape(), b.Shape())
		if err != nil {
			return nil, err
		}
		if a, err = stretch(a, shape); err != nil {
			return nil, err
		}
		if b, err = stretch(b, shape); err != nil {
			return nil, err
		}
	}
	out := tensor.Must(tensor.New(a.Shape()...))
	y := b.Data()
	for i, x := range a.Data() {
		out.Data()[i] = f(x, y[i])
	}
	return out, nil
}

func stretch(t *tensor.Tensor, shape []int) (*tensor.Tensor, error) {
	view, err := t.View().Broadcast(shape...)
	if err != nil {
		return nil, err
	}
	return view.Pack(), nil
}

func addSame(a, b *tensor.Tensor) *tensor.Tensor {
	return tensor.Must(zip(opAccumulate, a, b, func(x, y float64) float64 { return x + y }))
}
