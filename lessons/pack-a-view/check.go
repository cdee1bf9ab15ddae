// Package packaview checks the exercise of that name.
package packaview

import (
	"fmt"

	"workbench/lessons/lesson"
)

// Check has views of none to four axes: transposed, sliced, repeated, reversed
// and empty.
var Check = &lesson.Go{
	Functions: []lesson.Function{{Name: "View.Pack", Signature: "func(v exercise.View) []float64"}},
	Calls:     calls,
}

func calls() []lesson.Call {
	var calls []lesson.Call
	for _, t := range []struct {
		name           string
		n              int
		shape, strides []int
		offset         int
	}{
		{"a 2×3 matrix, transposed", 6, []int{3, 2}, []int{1, 3}, 0},
		{"a 2×3 matrix as it is", 6, []int{2, 3}, []int{3, 1}, 0},
		{"every second row and column of a 4×6 matrix", 24, []int{2, 3}, []int{12, 2}, 7},
		{"five numbers backwards", 5, []int{5}, []int{-1}, 4},
		{"three numbers as four equal rows", 3, []int{4, 3}, []int{0, 1}, 0},
		{"three numbers as two equal columns", 3, []int{3, 2}, []int{1, 0}, 0},
		{"a 2×3×4 tensor, its outer axes exchanged", 24, []int{4, 3, 2}, []int{1, 4, 12}, 0},
		{"four axes", 120, []int{3, 2, 5, 4}, []int{5, 60, 1, 15}, 0},
		{"one number", 4, []int{}, []int{}, 2},
		{"no row of three", 3, []int{0, 3}, []int{3, 1}, 0},
	} {
		data := make([]float64, t.n)
		for i := range data {
			data[i] = float64(i + 1)
		}
		places := []int{t.offset}
		for axis, extent := range t.shape { // each axis puts its steps behind every place so far
			var next []int
			for _, place := range places {
				for i := range extent {
					next = append(next, place+i*t.strides[axis])
				}
			}
			places = next
		}
		want := []float64{}
		for _, place := range places {
			want = append(want, data[place])
		}
		calls = append(calls, lesson.Call{
			Name: fmt.Sprintf("%s: shape %v, strides %v", t.name, t.shape, t.strides), Function: "View.Pack",
			Args: []any{map[string]any{"Data": data, "Shape": t.shape, "Strides": t.strides, "Offset": t.offset}},
			Want: []any{want}, Shapes: [][]int{t.shape},
		})
	}
	return calls
}
