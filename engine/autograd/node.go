package autograd

import (
	"workbench/engine/device"
	"workbench/engine/tensor"
)

// Node is a value in a graph: a parameter, a constant, or what an operation
// made of other nodes.
type Node struct {
	value     *tensor.Tensor
	name      string         // of a parameter
	gradient  *tensor.Tensor // of a parameter, accumulated by Backward
	needsGrad bool

	op        string
	label     string
	section   string
	precision device.Precision // of the operation that made it
	inputs    []*Node
	// adjoint sends to each input that needs one its share of the adjoint of
	// this node's value.
	adjoint func(p *pass, g *tensor.Tensor) error
}

// Parameter returns a named leaf whose gradient Backward accumulates. The
// tensor is not copied.
func Parameter(name string, value *tensor.Tensor) *Node {
	return &Node{value: value, name: name, op: "parameter", label: name, needsGrad: true}
}

// Constant returns a leaf that no gradient reaches.
func Constant(value *tensor.Tensor) *Node {
	return &Node{value: value, op: "constant"}
}

// Value returns the node's value. It is nil for the nil node of a failed
// context.
func (n *Node) Value() *tensor.Tensor {
	if n == nil {
		return nil
	}
	return n.value
}

// Name returns a parameter's name.
func (n *Node) Name() string { return n.name }

// Gradient returns what Backward has accumulated in a parameter since the last
// ZeroGradient, or nil. It is not a copy and may be another parameter's gradient
// too, as in p + q, or what a watcher keeps: it is not to be changed.
func (n *Node) Gradient() *tensor.Tensor { return n.gradient }

// ZeroGradient forgets a parameter's gradient.
func (n *Node) ZeroGradient() { n.gradient = nil }

// node records an operation. Without recording, or where no input needs a
// gradient, the graph ends here.
func (c Context) node(op string, value *tensor.Tensor, adjoint func(*pass, *tensor.Tensor) error, inputs ...*Node) *Node {
	n := &Node{value: value, op: op, label: c.label, section: c.section, precision: c.precision}
	if !c.record {
		return n
	}
	for _, in := range inputs {
		if in.needsGrad {
			n.needsGrad = true
		}
	}
	if n.needsGrad {
		n.inputs, n.adjoint = inputs, adjoint
	}
	return n
}
