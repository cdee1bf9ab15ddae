package autograd

import (
	"context"
	"errors"
	"fmt"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// ErrNoGraph is returned by Backward for a value that no parameter reached
// while a graph was recorded.
var ErrNoGraph = errors.New("backward: no graph leads from this value to a parameter: compute it in a recording context")

// pass is one backward pass: the adjoints that have been sent and not yet used.
type pass struct {
	c        Context
	adjoints map[*Node]*tensor.Tensor
	uses     map[*Node]int // shares that a node's adjoint is the sum of
	sent     map[*Node]int // shares of it that have come
	node     *Node         // whose adjoint is being passed on
}

// Backward adds to every parameter behind n the derivative of n, which has one
// element, by that parameter. Products and sums of the pass run on c's device,
// each in the precision of the node whose adjoint it is; sections and names
// come from the forward pass. A pass that fails changes no gradient.
func (n *Node) Backward(c Context) error {
	if err := c.Err(); err != nil {
		return err
	}
	if n == nil || !n.needsGrad {
		return ErrNoGraph
	}
	if n.value.Len() != 1 {
		return &tensor.ShapeError{Op: "backward", Left: n.value.Shape(), Reason: "starts from one element: sum or average the values first"}
	}
	seed := tensor.Must(tensor.New(n.value.Shape()...))
	seed.Data()[0] = 1
	order := topological(n)
	p := &pass{c: c, adjoints: map[*Node]*tensor.Tensor{n: seed}, uses: countUses(order), sent: map[*Node]int{}}

	var leaves []*Node
	for i := len(order) - 1; i >= 0; i-- {
		node := order[i]
		g := p.adjoints[node]
		if p.sent[node] != p.uses[node] || g == nil {
			panic(fmt.Sprintf("BUG: %d of %d shares of the adjoint of %s have come when it is passed on", p.sent[node], p.uses[node], node.op))
		}
		if node.adjoint == nil {
			leaves = append(leaves, node)
			continue
		}
		if err := c.ctx.Err(); err != nil {
			return context.Cause(c.ctx)
		}
		delete(p.adjoints, node)
		p.node = node
		if err := node.adjoint(p, g); err != nil {
			return fmt.Errorf("backward through %s: %w", node.op, err)
		}
	}

	sums := make([]*tensor.Tensor, len(leaves))
	for i, leaf := range leaves {
		sums[i] = p.adjoints[leaf]
		if leaf.gradient != nil {
			sums[i] = addSame(leaf.gradient, sums[i])
		}
	}
	for i, leaf := range leaves {
		leaf.gradient = sums[i]
	}
	return nil
}

// topological returns the nodes behind root that need a gradient, inputs before
// what was made of them. The order depends on the graph alone.
func topological(root *Node) []*Node {
	type frame struct {
		node *Node
		next int
	}
	seen := map[*Node]bool{root: true}
	var order []*Node
	stack := []frame{{node: root}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next < len(top.node.inputs) {
			in := top.node.inputs[top.next]
			top.next++
			if in.needsGrad && !seen[in] {
				seen[in] = true
				stack = append(stack, frame{node: in})
			}
			continue
		}
		order = append(order, top.node)
		stack = stack[:len(stack)-1]
	}
	return order
}

// countUses returns how often each node behind the root is an operand: an
// operation sends one share for each operand that needs a gradient, and two to a
// value that it reads twice. The order is topological's, with the root last.
func countUses(order []*Node) map[*Node]int {
	uses := make(map[*Node]int, len(order))
	for _, node := range order {
		for _, in := range node.inputs {
			if in.needsGrad {
				uses[in]++
			}
		}
	}
	return uses
}

// context returns the pass's context with the section and precision of the node
// whose adjoint is being passed on.
func (p *pass) context() Context {
	c := p.c.In(p.node.section).As("")
	c.precision = p.node.precision
	return c
}

// send gives in its share of an adjoint. Shapes are equal; a later share is
// added to those before it.
func (p *pass) send(in *Node, share *tensor.Tensor) {
	if !in.needsGrad {
		return
	}
	if !share.SameShape(in.value) {
		panic(fmt.Sprintf("BUG: adjoint of %s has shape %v where its value has %v", in.op, share.Shape(), in.value.Shape()))
	}
	p.sent[in]++
	before := p.adjoints[in]
	if before == nil {
		p.adjoints[in] = share
		return
	}
	sum := addSame(before, share)
	p.adjoints[in] = sum
	p.emit(Event{Op: opAccumulate, Inputs: []*tensor.Tensor{before, share}, Output: sum}, in)
}

// emit reports work of the pass whose output belongs to the adjoint of in.
func (p *pass) emit(e Event, in *Node) {
	e.Backward = true
	e.Of = p.node.op
	e.Label, e.Parameter = in.label, in.name
	e.Share = Share{Number: p.sent[in] + 1, Count: p.uses[in], From: p.node.label, Shape: in.value.Shape()}
	if e.Op == opAccumulate {
		e.Share.Number, e.Share.From = p.sent[in], ""
	}
	p.context().emit(e)
}

// pass reports that an adjoint is handed on unchanged, and returns it for its
// receiver: the same values under a tensor of their own, so that watchers can
// tell the two adjoints apart.
func (p *pass) pass(in *Node, g *tensor.Tensor) *tensor.Tensor {
	same := tensor.Must(g.Reshape(g.Shape()...))
	p.emit(Event{Op: "pass", Inputs: []*tensor.Tensor{g}, Output: same}, in)
	return same
}

// host reports host work of the pass and sends its output.
func (p *pass) host(op string, in *Node, output *tensor.Tensor, inputs ...*tensor.Tensor) {
	p.emit(Event{Op: op, Inputs: inputs, Output: output}, in)
	p.send(in, output)
}

// multiply runs a product of the pass on the device, for the adjoint of in.
func (p *pass) multiply(in *Node, product device.Product, left, right *tensor.Tensor) (*tensor.Tensor, error) {
	c := p.context()
	product.Left, product.Right, product.Precision = left.View(), right.View(), c.precision
	out, err := c.run.Multiply(c.ctx, product)
	if err != nil {
		return nil, err
	}
	p.emit(Event{Op: "matmul", Inputs: []*tensor.Tensor{left, right}, Output: out, Product: &product}, in)
	return out, nil
}

// sendSummed sums a share to the shape of in and sends it.
func (p *pass) sendSummed(in *Node, share *tensor.Tensor) error {
	summed, err := p.sumTo(in, share)
	if err != nil {
		return err
	}
	p.send(in, summed)
	return nil
}

// sumTo sums a share over the axes that a broadcast repeated, so that it has
// the shape of in. Axes that repeated nothing cost no request.
func (p *pass) sumTo(in *Node, share *tensor.Tensor) (*tensor.Tensor, error) {
	target := in.value.Shape()
	lead := share.Rank() - len(target)
	if lead > 0 {
		repeats, err := tensor.Elements(share.Shape()[:lead])
		if err != nil {
			return nil, err
		}
		flat, err := share.Reshape(append([]int{repeats}, share.Shape()[lead:]...)...)
		if err != nil {
			return nil, err
		}
		if repeats == 1 {
			one := share
			if share, err = flat.Reshape(flat.Shape()[1:]...); err == nil {
				p.emit(Event{Op: "reshape", Inputs: []*tensor.Tensor{one}, Output: share}, in)
			}
		} else {
			if lead > 1 {
				p.emit(Event{Op: "reshape", Inputs: []*tensor.Tensor{share}, Output: flat}, in)
			} else {
				flat = share
			}
			share, err = p.sum(in, flat, 0, false)
		}
		if err != nil {
			return nil, err
		}
	}
	for axis, d := range target {
		if d == 1 && share.Dim(axis) != 1 {
			var err error
			if share, err = p.sum(in, share, axis, true); err != nil {
				return nil, err
			}
		}
	}
	return share, nil
}

func (p *pass) sum(in *Node, t *tensor.Tensor, axis int, keepDim bool) (*tensor.Tensor, error) {
	c := p.context()
	r := device.Reduction{Input: t.View(), Axis: axis, KeepDim: keepDim, Op: device.Sum, Precision: c.precision}
	out, err := c.run.Reduce(c.ctx, r)
	if err != nil {
		return nil, err
	}
	p.emit(Event{Op: "sum", Inputs: []*tensor.Tensor{t}, Output: out, Axis: axis, Reduction: &r}, in)
	return out, nil
}
