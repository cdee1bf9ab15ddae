// Package groupsofanaxis checks the question of that name.
package groupsofanaxis

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/lessons/lesson"
)

// Check reads a plan of the sum, and the CPU's mean.
var Check = &lesson.Questions{Questions: []lesson.Question{
	{
		Name: "groups", Form: "a whole number",
		Answer: of(func(sum *tensor.AxisPlan, _ *tensor.Tensor) string { return fmt.Sprint(sum.G) }),
		Mistakes: map[string]string{
			"3":  "that is how many values a group has; the other axes number the groups",
			"60": "that is how many values there are",
			"9":  "the other two axes are multiplied, and not added",
		},
		Why: "the other axes are 4 and 5 long",
	},
	{
		Name: "apart", Form: "a whole number",
		Answer: of(func(sum *tensor.AxisPlan, _ *tensor.Tensor) string {
			strides := sum.Groups.Strides()
			return fmt.Sprint(strides[len(strides)-1])
		}),
		Mistakes: map[string]string{
			"1": "neighbours in memory differ in the last index, and a group's values in the first",
			"5": "that is one step along axis 1",
			"3": "that is how many values a group has",
		},
		Why: "one step along axis 0 passes over 4·5 elements",
	},
	{
		Name: "seventh", Form: "three whole numbers",
		Answer: of(func(sum *tensor.AxisPlan, _ *tensor.Tensor) string {
			group, err := sum.Group(7)
			if err != nil {
				return err.Error()
			}
			return list(group)
		}),
		Unordered: true,
		Mistakes: map[string]string{
			"6, 26, 46":  "that is group 6: the first one is group 0",
			"21, 22, 23": "those are neighbours in memory",
			"7, 12, 17":  "those differ in the index of axis 1",
		},
		Why: "group 7 is i = 1 and j = 2: 7, and then 20 places on, twice",
	},
	{
		Name: "shape", Form: "a shape, as in [2, 3]",
		Answer: of(func(_ *tensor.AxisPlan, mean *tensor.Tensor) string { return tensor.FormatShape(mean.Shape()) }),
		Mistakes: map[string]string{
			"[3, 5]":    "the axis is dropped there, and it was to be kept",
			"[1, 4, 5]": "that is axis 0",
			"[3, 4, 1]": "that is axis 2",
		},
		Why: "the reduced axis stays, with length 1",
	},
	{
		Name: "divisions", Form: "a whole number",
		Answer: of(func(_ *tensor.AxisPlan, mean *tensor.Tensor) string { return fmt.Sprint(mean.Len()) }),
		Mistakes: map[string]string{
			"60": "the sum is divided, and not each value",
			"20": "that is how many groups axis 0 has",
			"4":  "that is what is divided by",
		},
		Why: "one for each of the 3·5 sums",
	},
	{
		Name: "fifth", Form: "a number",
		Answer: of(func(_ *tensor.AxisPlan, mean *tensor.Tensor) string { return list(mean.Data()[5:6]) }),
		Mistakes: map[string]string{
			"110":  "that is the sum",
			"11.5": "that is the place before: the first is place 0",
			"28.5": "that is the place behind: the first is place 0",
		},
		Why: "place 5 is [1, 0, 0]: the mean of 20, 25, 30 and 35",
	},
}}

// of plans the sum along axis 0, and has the CPU make the means along axis 1.
func of(answer func(sum *tensor.AxisPlan, mean *tensor.Tensor) string) func(context.Context, lesson.On) ([]string, error) {
	return func(ctx context.Context, on lesson.On) ([]string, error) {
		t, err := tensor.New(3, 4, 5)
		if err != nil {
			return nil, err
		}
		for i := range t.Data() {
			t.Data()[i] = float64(i)
		}
		plan, err := tensor.PlanAxis(t.View(), 0, false)
		if err != nil {
			return nil, err
		}
		cpu, err := on.Open(ctx, "cpu")
		if err != nil {
			return nil, err
		}
		defer cpu.Close()
		mean, _, err := cpu.Reduce(ctx, device.Reduction{Input: t.View(), Axis: 1, KeepDim: true, Op: device.Mean})
		if err != nil {
			return nil, err
		}
		return []string{answer(plan, mean)}, nil
	}
}

func list(numbers []float64) string {
	var out []string
	for _, x := range numbers {
		out = append(out, strconv.FormatFloat(x, 'g', -1, 64))
	}
	return strings.Join(out, ", ")
}
