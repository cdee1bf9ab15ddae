package trace

import (
	"context"
	"fmt"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// RunBoundary makes three requests of d, the product A·B and the sums and the
// means of A along the axis that the product contracts, and follows each through
// its stages. The operands are packed here on every device, so that what would
// travel can be seen where nothing does; a test holds the bytes to those that a
// GPU is sent.
func RunBoundary(ctx context.Context, d device.Device, in BoundaryInput) (*Trace, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	product, sum, mean := in.requests()
	b := &boundary{builder: newBuilder(ExampleBoundary, d, product.Precision), emulated: d.Spec().Kind == device.Emulator, library: d.Spec().Library}
	b.run = b.builder.run()
	left := b.given("A", "A is "+shapeWords(in.Left.Shape())+".", in.Left.Tensor)
	second := in.Right.Tensor
	if second == in.Left.Tensor { // A and B are two operands also where they are one tensor
		second = tensor.Must(second.Reshape(second.Shape()...))
	}
	right := b.given("B", "B is "+shapeWords(in.Right.Shape())+".", second)
	if err := b.product(ctx, product, left, right); err != nil {
		return nil, err
	}
	for _, r := range []device.Reduction{sum, mean} {
		if err := b.reduction(ctx, r, left); err != nil {
			return nil, err
		}
	}
	b.trace.Stats = b.run.Stats()
	b.step(Step{
		Phase: PhaseResult, Op: "result", Device: b.trace.Device,
		Title:   fmt.Sprintf("The three results are host tensors, made by %s.", b.maker()),
		Outputs: b.trace.Result,
	})
	return b.trace, nil
}

// boundary is a trace of requests while it is made.
type boundary struct {
	*builder
	run      *device.Run
	emulated bool         // the kernel runs on the host's processors
	library  bool         // cuBLAS multiplies
	count    int          // requests that were followed
	total    device.Stats // what the device counted for them
}

// product follows the request for a product.
func (b *boundary) product(ctx context.Context, p device.Product, left, right int) error {
	plan, err := p.Plan()
	if err != nil {
		return err
	}
	c := &crossing{
		boundary: b, precision: p.Precision,
		name: "A" + transposed(p.TransposeLeft) + "·B" + transposed(p.TransposeRight), output: "C", verb: "is",
		inputs:  []int{left, right},
		packing: packingOf(p, plan),
		objects: "A and B",
		names:   [2]string{"packed A", "packed B"},
		packed:  [2]*tensor.Tensor{plan.Left.Pack(), plan.Right.Pack()},
		facts: Step{
			Op:      "matmul",
			Formula: productFormula(p.Left.Shape(), p.Right.Shape(), plan.OutputShape(), plan.K, p.TransposeLeft, p.TransposeRight),
			Product: &Product{
				B: plan.B, M: plan.M, K: plan.K, N: plan.N,
				TransposeLeft: p.TransposeLeft, TransposeRight: p.TransposeRight, Precision: p.Precision,
			},
		},
	}
	if plan.Empty() {
		c.empty = "There is nothing to multiply: a contraction of no terms gives zeros, and an output of no cells is empty."
	}
	return c.follow(ctx, func() (*tensor.Tensor, error) { return b.run.Multiply(ctx, p) })
}

// reduction follows the request for sums or means: a product with ones.
func (b *boundary) reduction(ctx context.Context, q device.Reduction, input int) error {
	plan, err := q.Plan()
	if err != nil {
		return err
	}
	rows, err := tensor.FromSlice(plan.Pack(), plan.G, plan.K)
	if err != nil {
		return err
	}
	column, err := tensor.New(plan.K, 1)
	if err != nil {
		return err
	}
	for i := range column.Data() {
		column.Data()[i] = 1
	}
	name := q.Op.String() + "s"
	c := &crossing{
		boundary: b, precision: q.Precision,
		name: name, output: name, verb: "are",
		inputs:  []int{input},
		packing: fmt.Sprintf("The values that are added up together are the rows of a %d×%d matrix R. It will be multiplied by a column of %s.", plan.G, plan.K, plural(plan.K, "one")),
		objects: "R and a column of ones",
		names:   [2]string{"R", "ones"},
		packed:  [2]*tensor.Tensor{rows, column},
		facts: Step{
			Op:        q.Op.String(),
			Formula:   `s_g = \sum_{k} R_{g,k}\cdot 1`,
			Reduction: &Reduction{Op: q.Op.String(), Axis: q.Axis, G: plan.G, K: plan.K, Precision: q.Precision},
		},
	}
	if q.Op == device.Mean {
		c.facts.Formula = fmt.Sprintf(`m_g = \frac{1}{%d}\sum_{k} R_{g,k}`, plan.K)
		c.dividing = fmt.Sprintf("Each sum was divided by %d when it was finished.", plan.K)
		if b.library {
			c.dividing = fmt.Sprintf("Each sum was scaled by the number nearest to 1/%d: cuBLAS multiplies, and does not divide.", plan.K)
		}
	}
	if plan.Empty() {
		c.empty = "There is nothing to add: the sum of no values is zero."
	}
	return c.follow(ctx, func() (*tensor.Tensor, error) { return b.run.Reduce(ctx, q) })
}

// packingOf says in sentences what packing does to the operands of a product:
// what was given, and how the request reads it.
func packingOf(p device.Product, plan *tensor.MatmulPlan) string {
	one := func(name string, given, read tensor.View, transpose bool) string {
		switch {
		case read.Len() > given.Len():
			return fmt.Sprintf("%s is repeated for each product: %s become %d.", name, plural(given.Len(), "value"), read.Len())
		case transpose:
			return fmt.Sprintf("%s is read transposed, and its values are written in the order of reading.", name)
		}
		return ""
	}
	left, right := one("A", p.Left, plan.Left, p.TransposeLeft), one("B", p.Right, plan.Right, p.TransposeRight)
	as := func(name string) string {
		return fmt.Sprintf("%s is in row-major order already, and is copied as it is.", name)
	}
	switch {
	case left == "" && right == "":
		return "Both are in row-major order already, and are copied as they are."
	case left == "":
		left = as("A")
	case right == "":
		right = as("B")
	}
	return left + " " + right
}
