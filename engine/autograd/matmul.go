package autograd

import (
	"workbench/engine/device"
	"workbench/engine/tensor"
)

// Matmul returns a·b: [.., M, K] · [.., K, N] → [.., M, N], leading axes
// broadcast.
func (c Context) Matmul(a, b *Node) *Node { return c.MatmulTransposed(a, b, false, false) }

// MatmulTransposed returns op(a)·op(b), each side transposed where asked
// without copying it.
func (c Context) MatmulTransposed(a, b *Node, transposeA, transposeB bool) *Node {
	if c.stopped(a, b) {
		return nil
	}
	product := device.Product{
		Left: a.value.View(), Right: b.value.View(),
		TransposeLeft: transposeA, TransposeRight: transposeB,
		Precision: c.precision,
	}
	out, err := c.run.Multiply(c.ctx, product)
	if err != nil {
		c.Fail(err)
		return nil
	}
	c.emit(Event{Op: "matmul", Inputs: []*tensor.Tensor{a.value, b.value}, Output: out, Product: &product})
	return c.node("matmul", out, func(p *pass, g *tensor.Tensor) error {
		return matmulAdjoint(p, g, a, b, transposeA, transposeB)
	}, a, b)
}

// region:matmul-adjoint

// matmulAdjoint sends the adjoints of Y = A·B: G·Bᵀ to A and Aᵀ·G to B. A
// transposed operand exchanges the roles: for Y = Aᵀ·B, A gets B·Gᵀ. Where an
// operand was broadcast over leading axes, its shares are summed.
func matmulAdjoint(p *pass, g *tensor.Tensor, a, b *Node, transposeA, transposeB bool) error {
	if a.needsGrad {
		left, right := g, b.value
		product := device.Product{TransposeRight: !transposeB}
		if transposeA {
			left, right = b.value, g
			product = device.Product{TransposeLeft: transposeB, TransposeRight: true}
		}
		if err := p.sendProduct(a, product, left, right); err != nil {
			return err
		}
	}
	if b.needsGrad {
		left, right := a.value, g
		product := device.Product{TransposeLeft: !transposeA}
		if transposeB {
			left, right = g, a.value
			product = device.Product{TransposeLeft: true, TransposeRight: transposeA}
		}
		if err := p.sendProduct(b, product, left, right); err != nil {
			return err
		}
	}
	return nil
}

// endregion:matmul-adjoint

func (p *pass) sendProduct(in *Node, product device.Product, left, right *tensor.Tensor) error {
	share, err := p.multiply(in, product, left, right)
	if err != nil {
		return err
	}
	return p.sendSummed(in, share)
}
