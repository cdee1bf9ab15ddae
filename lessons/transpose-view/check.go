// Package transposeview checks the exercise of that name.
package transposeview

import (
	"fmt"

	"workbench/lessons/lesson"
)

// Check exchanges axes next to each other and far apart, of views that are not
// row-major themselves.
var Check = &lesson.Go{
	Functions: []lesson.Function{{Name: "View.Transpose", Signature: "func(v exercise.View, a, b int) exercise.View"}},
	Calls:     calls,
}

func calls() []lesson.Call {
	var calls []lesson.Call
	for _, t := range []struct {
		name           string
		n              int
		shape, strides []int
		offset, a, b   int
	}{
		{"a 2×3 matrix", 6, []int{2, 3}, []int{3, 1}, 0, 0, 1},
		{"a 3×2 matrix that is transposed already", 6, []int{3, 2}, []int{1, 3}, 0, 1, 0},
		{"the outer axes of a 2×3×4 tensor", 24, []int{2, 3, 4}, []int{12, 4, 1}, 0, 0, 2},
		{"the first two axes of a 2×3×4 tensor", 24, []int{2, 3, 4}, []int{12, 4, 1}, 0, 0, 1},
		{"a slice of a 4×6 matrix", 24, []int{2, 3}, []int{12, 2}, 7, 0, 1},
		{"three numbers as five equal rows", 3, []int{5, 3}, []int{0, 1}, 0, 0, 1},
		{"an axis with itself", 6, []int{2, 3}, []int{3, 1}, 0, 1, 1},
	} {
		data := make([]float64, t.n)
		for i := range data {
			data[i] = float64(10 + i)
		}
		view := func(shape, strides []int) map[string]any {
			return map[string]any{"Data": data, "Shape": shape, "Strides": strides, "Offset": t.offset}
		}
		calls = append(calls, lesson.Call{
			Name: fmt.Sprintf("%s: axes %d and %d", t.name, t.a, t.b), Function: "View.Transpose",
			Args: []any{view(t.shape, t.strides), t.a, t.b},
			Want: []any{view(exchanged(t.shape, t.a, t.b), exchanged(t.strides, t.a, t.b))},
		})
	}
	return calls
}

// exchanged takes each entry from where it comes.
func exchanged(list []int, a, b int) []int {
	var out []int
	for axis := range list {
		from := axis
		switch axis {
		case a:
			from = b
		case b:
			from = a
		}
		out = append(out, list[from])
	}
	return out
}
