package autograd

import (
	"fmt"

	"workbench/engine/tensor"
)

// Reshape returns the same elements in another shape.
func (c Context) Reshape(a *Node, shape ...int) *Node {
	if c.stopped(a) {
		return nil
	}
	out, err := a.value.Reshape(shape...)
	if err != nil {
		c.Fail(err)
		return nil
	}
	c.emit(Event{Op: "reshape", Inputs: []*tensor.Tensor{a.value}, Output: out})
	return c.node("reshape", out, func(p *pass, g *tensor.Tensor) error {
		share, err := g.Reshape(a.value.Shape()...)
		if err != nil {
			return err
		}
		p.host("reshape", a, share, g)
		return nil
	}, a)
}

// SwapAxes returns a packed copy with two axes exchanged.
func (c Context) SwapAxes(a *Node, first, second int) *Node {
	if c.stopped(a) {
		return nil
	}
	view, err := a.value.View().Transpose(first, second)
	if err != nil {
		c.Fail(err)
		return nil
	}
	out := view.Pack()
	c.emit(Event{Op: "swap-axes", Inputs: []*tensor.Tensor{a.value}, Output: out})
	return c.node("swap-axes", out, func(p *pass, g *tensor.Tensor) error {
		back, err := g.View().Transpose(first, second)
		if err != nil {
			return err
		}
		p.host("swap-axes", a, back.Pack(), g)
		return nil
	}, a)
}

// Gather returns the rows of a table [V, W] that ids name: [len(ids), W]. The
// adjoint adds each row's share to the row it came from, in the order of ids.
func (c Context) Gather(table *Node, ids []int) *Node {
	if c.stopped(table) {
		return nil
	}
	if table.value.Rank() != 2 {
		c.Fail(&tensor.ShapeError{Op: "gather", Left: table.value.Shape(), Reason: "reads rows of a table, which has two axes"})
		return nil
	}
	rows, width := table.value.Dim(0), table.value.Dim(1)
	if err := checkIDs("gather", ids, rows); err != nil {
		c.Fail(err)
		return nil
	}
	out, err := tensor.New(len(ids), width)
	if err != nil {
		c.Fail(err)
		return nil
	}
	ids = append([]int{}, ids...)
	for i, id := range ids {
		copy(out.Data()[i*width:(i+1)*width], table.value.Data()[id*width:(id+1)*width])
	}
	c.emit(Event{Op: "gather", Inputs: []*tensor.Tensor{table.value}, Output: out, IDs: ids})
	return c.node("gather", out, func(p *pass, g *tensor.Tensor) error {
		share := tensor.Must(tensor.New(rows, width))
		for i, id := range ids {
			for j := range width {
				share.Data()[id*width+j] += g.Data()[i*width+j]
			}
		}
		p.emit(Event{Op: "scatter", Inputs: []*tensor.Tensor{g}, Output: share, IDs: ids}, table)
		p.send(table, share)
		return nil
	}, table)
}

// Pick returns one element of each group along the last axis: [.., N] and one
// index per group → [..]. Groups are numbered row-major.
func (c Context) Pick(a *Node, ids []int) *Node {
	if c.stopped(a) {
		return nil
	}
	if a.value.Rank() == 0 {
		c.Fail(&tensor.ShapeError{Op: "pick", Left: a.value.Shape(), Reason: "is a scalar and has no axis to pick from"})
		return nil
	}
	shape := a.value.Shape()
	width := shape[len(shape)-1]
	out, err := tensor.New(shape[:len(shape)-1]...)
	if err == nil && out.Len() != len(ids) {
		err = &tensor.ShapeError{Op: "pick", Left: shape, Reason: fmt.Sprintf("has %d groups and %d indices were given", out.Len(), len(ids))}
	}
	if err == nil {
		err = checkIDs("pick", ids, width)
	}
	if err != nil {
		c.Fail(err)
		return nil
	}
	ids = append([]int{}, ids...)
	for g, id := range ids {
		out.Data()[g] = a.value.Data()[g*width+id]
	}
	axis := len(shape) - 1
	c.emit(Event{Op: "pick", Inputs: []*tensor.Tensor{a.value}, Output: out, IDs: ids, Axis: axis})
	return c.node("pick", out, func(p *pass, g *tensor.Tensor) error {
		share := tensor.Must(tensor.New(shape...))
		for i, id := range ids {
			share.Data()[i*width+id] = g.Data()[i]
		}
		p.emit(Event{Op: "unpick", Inputs: []*tensor.Tensor{g}, Output: share, IDs: ids, Axis: axis}, a)
		p.send(a, share)
		return nil
	}, a)
}

// checkIDs holds indices against the number of rows they choose from.
func checkIDs(op string, ids []int, rows int) error {
	for i, id := range ids {
		if id < 0 || id >= rows {
			return &tensor.ShapeError{Op: op, Left: []int{rows}, Reason: fmt.Sprintf("index %d at position %d lies outside 0 to %d", id, i, rows-1)}
		}
	}
	return nil
}
