package trace

import (
	"context"
	"fmt"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// RunReduction sums and averages one axis on d: the input, then for the sum and
// for the mean the request with its result and each group written out.
func RunReduction(ctx context.Context, d device.Device, explainer device.Explainer, in ReductionInput) (*Trace, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	precision, err := parsePrecision(in.Precision)
	if err != nil {
		return nil, err
	}
	b := newBuilder(ExampleReduction, d, precision)
	input := b.given("A", "A is "+shapeWords(in.Input.Shape())+".", in.Input.Tensor)
	run := b.run()
	for _, r := range in.reductions() {
		out, err := run.Reduce(ctx, r)
		if err != nil {
			return nil, err
		}
		if err := b.reduction(ctx, r, input, out, explainer); err != nil {
			return nil, err
		}
	}
	b.trace.Stats = run.Stats()
	b.step(Step{
		Phase: PhaseResult, Op: "result", Device: b.trace.Device,
		Title:   fmt.Sprintf("The results were made by %s.", b.maker()),
		Outputs: b.trace.Result,
	})
	return b.trace, nil
}

// reduction adds the steps of one sum or mean.
func (b *builder) reduction(ctx context.Context, r device.Reduction, input int, out *tensor.Tensor, explainer device.Explainer) error {
	plan, err := r.Plan()
	if err != nil {
		return err
	}
	name := r.Op.String() + "s"
	result := b.tensor(name, out)
	b.trace.Result = append(b.trace.Result, result)
	facts := &Reduction{Op: r.Op.String(), Axis: r.Axis, G: plan.G, K: plan.K, Precision: r.Precision}
	note := fmt.Sprintf("The groups are packed as the rows of a %d×%d matrix, which is multiplied by a column of %s.", plan.G, plan.K, plural(plan.K, "one"))
	formula := `s_g = \sum_{k} R_{g,k}\cdot 1`
	if r.Op == device.Mean {
		divided := fmt.Sprintf("divided by the number of values in its group, %d.", plan.K)
		if b.meter.Spec().Library {
			divided = fmt.Sprintf("multiplied by 1/%d: cuBLAS takes a factor with the product, where the other devices divide by %d afterwards. The last bit may differ.", plan.K, plan.K)
		}
		if len(b.trace.Result) > 1 { // the sums were asked for too
			note = "The same sums, each " + divided
		} else {
			note += " Each sum is " + divided
		}
		formula = fmt.Sprintf(`m_g = \frac{1}{%d}\sum_{k} R_{g,k}`, plan.K)
	}
	if plan.Empty() {
		note = "There is nothing to add: the sum of no values is zero. No arithmetic is carried out and none is counted."
	}
	b.step(Step{
		Phase: PhaseForward, Op: r.Op.String(), Device: b.trace.Device,
		Title:   fmt.Sprintf("The %s along axis %d are %s.", name, r.Axis, shapeWords(out.Shape())),
		Note:    note,
		Formula: formula,
		Inputs:  []int{input}, Outputs: []int{result}, Reduction: facts, Stats: b.meter.cost(),
	})
	if plan.G > MaxCellSteps || plan.Empty() {
		return nil
	}
	inline := plan.G*plan.K <= MaxInlineTerms
	for g := range plan.G {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		s := Step{
			Phase: PhaseForward, Op: "group", Device: b.trace.Device,
			Title:  fmt.Sprintf("Group %d: the %s of %s.", g, r.Op, plural(plan.K, "value")),
			Inputs: []int{input}, Outputs: []int{result}, Reduction: facts,
			Cell: bareCell(0, g, 0, g, out.Data()[g]),
		}
		if inline {
			if s.Cell, err = b.trace.explainGroup(ctx, s, [3]int{0, g, 0}, explainer); err != nil {
				return err
			}
			s.Title = fmt.Sprintf("%s%s = %s", name, tensor.FormatShape(tensor.Coordinate(out.Shape(), g)), chainWords(s.Cell))
		}
		b.step(s)
	}
	return nil
}
