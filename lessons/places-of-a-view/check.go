// Package placesofaview checks the question of that name.
package placesofaview

import (
	"context"
	"fmt"

	"workbench/engine/tensor"
	"workbench/lessons/lesson"
)

// views are those of the statement.
type views struct{ stored, transposed, second, repeated tensor.View }

// Check asks the engine's own views.
var Check = &lesson.Questions{Questions: []lesson.Question{
	{
		Name: "strides", Form: "two whole numbers, rows first",
		Answer: of(func(v views) string { return pair(v.transposed) }),
		Mistakes: map[string]string{
			"4, 1": "those are the strides of the stored matrix",
			"3, 1": "a packed matrix of 4×3 has those, and here nothing was moved",
			"1, 3": "a step along the columns is as long as a stored row",
		},
		Why: "one row down is one place on, one column to the right a whole stored row",
	},
	{
		Name: "corner", Form: "a whole number",
		Answer: of(func(v views) string { return fmt.Sprint(v.transposed.At(3, 1)) }),
		Mistakes: map[string]string{
			"10": "that is the place in a packed matrix of 4×3",
			"13": "that is behind the end: the indices are those of the transposed view",
		},
		Why: "3·1 + 1·4 = 7",
	},
	{
		Name: "reading", Form: "a whole number",
		Answer: of(func(v views) string { return fmt.Sprint(v.transposed.Pack().Data()[5]) }),
		Mistakes: map[string]string{
			"5": "a reshape would keep the order; a transpose does not",
			"2": "that is the place behind: the first is place 0",
		},
		Why: "place 5 of rows of 3 is [1, 2], which is 1·1 + 2·4 = 9",
	},
	{
		Name: "offset", Form: "a whole number",
		Answer: of(func(v views) string { return fmt.Sprint(v.second.Offset()) }),
		Mistakes: map[string]string{
			"4": "that is row 1 of the stored matrix",
			"3": "that is row 1 of a packed matrix of 4×3",
			"0": "it begins with row 1",
		},
		Why: "a step along the rows of the transposed view is 1 place",
	},
	{
		Name: "steps", Form: "two whole numbers, rows first",
		Answer: of(func(v views) string { return pair(v.second) }),
		Mistakes: map[string]string{
			"1, 4": "every second row is twice as far",
			"2, 8": "the columns are all there",
			"8, 1": "those are every second row of the stored matrix",
		},
		Why: "two rows are twice the distance of one; columns stay",
	},
	{
		Name: "swept", Form: "yes or no",
		Answer: of(func(v views) string {
			if v.second.Contiguous() {
				return "yes"
			}
			return "no"
		}),
		Why: "its first row reads the places 1, 5 and 9",
	},
	{
		Name: "repeated", Form: "two whole numbers, rows first",
		Answer: of(func(v views) string { return pair(v.repeated) }),
		Mistakes: map[string]string{
			"4, 1": "a copy of the rows would have those; nothing is copied",
			"1, 0": "the columns are those that move, and the rows are repeated",
		},
		Why: "a step to the next row reads the same four places again",
	},
}}

func of(answer func(views) string) func(context.Context, lesson.On) ([]string, error) {
	return func(context.Context, lesson.On) ([]string, error) {
		v, err := open()
		if err != nil {
			return nil, err
		}
		return []string{answer(v)}, nil
	}
}

func open() (v views, err error) {
	data := make([]float64, 12)
	for i := range data {
		data[i] = float64(i)
	}
	if v.stored, err = tensor.NewView(data, 0, []int{3, 4}, []int{4, 1}); err != nil {
		return v, err
	}
	if v.transposed, err = v.stored.Transpose(0, 1); err != nil {
		return v, err
	}
	if v.second, err = v.transposed.Slice(0, 1, 4, 2); err != nil {
		return v, err
	}
	row, err := tensor.NewView(data, 0, []int{4}, []int{1})
	if err != nil {
		return v, err
	}
	v.repeated, err = row.Broadcast(5, 4)
	return v, err
}

func pair(v tensor.View) string { return fmt.Sprintf("%d, %d", v.Strides()[0], v.Strides()[1]) }
