// Package productinnumbers checks the question of that name.
package productinnumbers

import (
	"context"
	"fmt"

	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/lessons/lesson"
)

// The request.
const batches, rows, terms, columns = 3, 4, 6, 5

// Check counts by the plan of the request and by a chain of one of its cells.
var Check = &lesson.Questions{Questions: []lesson.Question{
	{
		Name: "place", Form: "a whole number",
		Answer: func(context.Context, lesson.On) ([]string, error) {
			plan, err := plan()
			if err != nil {
				return nil, err
			}
			return []string{fmt.Sprint(plan.Flat(2, 1, 3))}, nil
		},
		Mistakes: map[string]string{
			"8":  "that is the place within its own matrix; two matrices lie in front of it",
			"49": "that counts from 1; the first cell has index 0",
			"46": "a whole row is as long as there are columns, which are 5 in the result",
		},
		Why: "(2·4 + 1)·5 + 3 = 48: nine whole rows of 5 and 3 more",
	},
	{
		Name: "cell", Form: "three whole numbers, batch, row and column",
		Answer: func(context.Context, lesson.On) ([]string, error) {
			plan, err := plan()
			if err != nil {
				return nil, err
			}
			at := tensor.Coordinate(plan.OutputShape(), 33)
			return []string{fmt.Sprintf("%d, %d, %d", at[0], at[1], at[2])}, nil
		},
		Mistakes: map[string]string{
			"1, 3, 2": "row and column are exchanged: the column runs fastest",
			"2, 3, 4": "that counts from 1",
		},
		Why: "33 is one matrix of 20, two rows of 5, and 3",
	},
	{
		Name: "multiplications", Form: "a whole number",
		Answer: steps,
		Mistakes: map[string]string{
			"60":  "that is the number of cells; each needs more than one multiplication",
			"120": "that is one matrix of the batch",
			"720": "that is multiplications and additions together",
		},
		Why: "3·4·5 cells with 6 products each",
	},
	{
		Name: "additions", Form: "a whole number",
		Answer: steps,
		Mistakes: map[string]string{
			"300": "the addition to the starting zero is one too",
			"120": "that is one matrix of the batch",
			"720": "that is multiplications and additions together",
		},
		Why: "one for each product, since every sum starts at zero",
	},
	{
		Name: "chain", Form: "a whole number",
		Answer: func(ctx context.Context, on lesson.On) ([]string, error) {
			chain, err := chain(ctx, on)
			return []string{fmt.Sprint(len(chain.Sums))}, err
		},
		Mistakes: map[string]string{
			"360": "the cells do not wait for each other",
			"60":  "the cells do not wait for each other",
			"5":   "the addition to the starting zero is one too",
			"3":   "pairs would give another order, and other bits",
		},
		Why: "the cells are independent; within one, each addition needs the sum before it",
	},
}}

func plan() (*tensor.MatmulPlan, error) {
	left, err := tensor.New(batches, rows, terms)
	if err != nil {
		return nil, err
	}
	right, err := tensor.New(batches, terms, columns)
	if err != nil {
		return nil, err
	}
	return tensor.PlanMatmul(left.View(), right.View(), false, false)
}

// chain is one cell, written out by the CPU.
func chain(ctx context.Context, on lesson.On) (device.Chain, error) {
	plan, err := plan()
	if err != nil {
		return device.Chain{}, err
	}
	left, right, err := plan.Operands(2, 1, 3)
	if err != nil {
		return device.Chain{}, err
	}
	cpu, err := on.Open(ctx, "cpu")
	if err != nil {
		return device.Chain{}, err
	}
	defer cpu.Close()
	return cpu.(device.Explainer).Explain(ctx, device.Float64, left, right)
}

// steps is how many products all cells add up.
func steps(ctx context.Context, on lesson.On) ([]string, error) {
	plan, err := plan()
	if err != nil {
		return nil, err
	}
	chain, err := chain(ctx, on)
	if err != nil {
		return nil, err
	}
	cells, err := tensor.Elements(plan.OutputShape())
	return []string{fmt.Sprint(cells * len(chain.Products))}, err
}
