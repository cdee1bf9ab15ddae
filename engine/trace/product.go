package trace

import (
	"context"
	"fmt"
	"strings"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// maxTitleTerms is how many products are written out in a title.
const maxTitleTerms = 6

// RunProduct multiplies on d: the operands, the request and its result, then
// each output cell in row-major order. Explainer writes out the cells.
func RunProduct(ctx context.Context, d device.Device, explainer device.Explainer, in ProductInput) (*Trace, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	product := in.product()
	plan, err := product.Plan()
	if err != nil {
		return nil, err
	}
	b := newBuilder(ExampleProduct, d, product.Precision)
	left := b.given("A", "A is "+shapeWords(in.Left.Shape())+".", in.Left.Tensor)
	second := in.Right.Tensor
	if second == in.Left.Tensor { // A and B are two operands also where they are one tensor
		second = tensor.Must(second.Reshape(second.Shape()...))
	}
	right := b.given("B", "B is "+shapeWords(in.Right.Shape())+".", second)

	run := b.run()
	out, err := run.Multiply(ctx, product)
	if err != nil {
		return nil, err
	}
	b.trace.Stats = run.Stats()
	result := b.tensor("C", out)
	facts := &Product{
		B: plan.B, M: plan.M, K: plan.K, N: plan.N,
		TransposeLeft: in.TransposeLeft, TransposeRight: in.TransposeRight, Precision: product.Precision,
	}
	name := "A" + transposed(in.TransposeLeft) + "·B" + transposed(in.TransposeRight)
	cells := plan.B * plan.M * plan.N
	note := fmt.Sprintf("Each of its %s adds %s. No cell needs another one: they could all be computed at once.", plural(cells, "cell"), plural(plan.K, "product"))
	if cells == 1 {
		note = fmt.Sprintf("Its one cell adds %s.", plural(plan.K, "product"))
	}
	if plan.Empty() {
		note = "There is nothing to multiply: a contraction of no terms gives zeros, and an output of no cells is empty. No arithmetic is carried out and none is counted."
	}
	b.step(Step{
		Phase: PhaseForward, Op: "matmul", Device: b.trace.Device,
		Title:   fmt.Sprintf("C = %s is %s.", name, shapeWords(out.Shape())),
		Note:    note,
		Formula: productFormula(in.Left.Shape(), in.Right.Shape(), out.Shape(), plan.K, in.TransposeLeft, in.TransposeRight),
		Inputs:  []int{left, right}, Outputs: []int{result}, Product: facts, Stats: b.meter.cost(),
	})

	if cells > MaxCellSteps || plan.Empty() {
		b.finish("C", result, out)
		return b.trace, nil
	}
	inline := cells*plan.K <= MaxInlineTerms
	for q := range cells {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		at := [3]int{q / plan.N / plan.M, q / plan.N % plan.M, q % plan.N}
		s := Step{
			Phase: PhaseForward, Op: "cell", Device: b.trace.Device,
			Inputs: []int{left, right}, Outputs: []int{result}, Product: facts,
		}
		coordinate := tensor.FormatShape(tensor.Coordinate(out.Shape(), q))
		s.Title = fmt.Sprintf("C%s adds %s.", coordinate, plural(plan.K, "product"))
		if inline {
			if s.Cell, err = b.trace.explainProduct(ctx, s, at, explainer); err != nil {
				return nil, err
			}
			s.Title = "C" + coordinate + " = " + chainWords(s.Cell)
		} else {
			s.Cell = bareCell(at[0], at[1], at[2], q, out.Data()[q])
		}
		b.step(s)
	}
	b.finish("C", result, out)
	return b.trace, nil
}

func transposed(yes bool) string {
	if yes {
		return "ᵀ"
	}
	return ""
}

func (b *builder) finish(name string, i int, t *tensor.Tensor) {
	b.trace.Result = append(b.trace.Result, i)
	b.step(Step{
		Phase: PhaseResult, Op: "result", Device: b.trace.Device,
		Title:   fmt.Sprintf("The result %s is %s, made by %s.", name, shapeWords(t.Shape()), b.maker()),
		Outputs: []int{i},
	})
}

// chainWords writes a cell as a person would on a board: "1·7 + 2·9 + 3·11 =
// 58". Long chains are cut in the middle. The value is the run's own.
func chainWords(c *Cell) string {
	terms := make([]string, 0, maxTitleTerms)
	for k, t := range c.Terms {
		if len(c.Terms) > maxTitleTerms && k == maxTitleTerms-2 {
			terms = append(terms, "…")
		}
		if len(c.Terms) > maxTitleTerms && k >= maxTitleTerms-2 && k < len(c.Terms)-1 {
			continue
		}
		word := factor(float64(t.Left))
		if len(c.RightIndices) > 0 {
			word += "·" + factor(float64(t.Right))
		}
		terms = append(terms, word)
	}
	sum := strings.Join(terms, " + ")
	if c.Divisor > 0 {
		sum = fmt.Sprintf("(%s)/%d", sum, c.Divisor)
	}
	return sum + " = " + FormatNumber(float64(c.Value))
}

// factor writes a number inside a sum of products: a negative one in brackets.
func factor(x float64) string {
	text := FormatNumber(x)
	if strings.HasPrefix(text, "−") {
		return "(" + text + ")"
	}
	return text
}
