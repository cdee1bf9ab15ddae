// Package stridedoperand checks the exercise of that name.
package stridedoperand

import (
	"workbench/engine/launch"
	"workbench/lessons/lesson"
	"workbench/lessons/lesson/matrix"
)

// An operand is a matrix as it lies in memory: rows × columns numbers, of which
// the element [i][j] is at i·row + j·column.
type operand struct{ rows, columns, row, column int }

// Check has operands that lie in six ways.
var Check = &lesson.CUDA{Cases: cases}

func cases() []lesson.Case {
	return []lesson.Case{
		one("both row by row, m = 2, k = 3, n = 4", 2, 3, 4, operand{2, 3, 3, 1}, operand{3, 4, 4, 1}),
		one("b is stored transposed, m = 3, k = 5, n = 2", 3, 5, 2, operand{3, 5, 5, 1}, operand{2, 5, 1, 5}),
		one("a is stored transposed, m = 4, k = 3, n = 7", 4, 3, 7, operand{3, 4, 1, 4}, operand{3, 7, 7, 1}),
		one("both are stored transposed, m = 5, k = 9, n = 6", 5, 9, 6, operand{9, 5, 1, 5}, operand{6, 9, 1, 9}),
		one("a is a part of a matrix with rows of 11, m = 6, k = 7, n = 3", 6, 7, 3, operand{6, 11, 11, 1}, operand{7, 3, 3, 1}),
		one("b is every second column of 18, m = 7, k = 5, n = 9", 7, 5, 9, operand{7, 5, 5, 1}, operand{5, 18, 18, 2}),
		one("a is one row, repeated, m = 9, k = 11, n = 10", 9, 11, 10, operand{1, 11, 0, 1}, operand{11, 10, 10, 1}),
		one("k = 1, m = 2, n = 3", 2, 1, 3, operand{2, 1, 1, 1}, operand{1, 3, 3, 1}),
	}
}

func one(name string, m, k, n int, left, right operand) lesson.Case {
	a, b := matrix.Array("a", left.rows, left.columns, 1), matrix.Array("b", right.rows, right.columns, 2)
	c := matrix.Result("c", m, n, matrix.Product(packed(a.Values, left, m, k), packed(b.Values, right, k, n), m, k, n))
	out := lesson.Case{
		Name: name,
		Launches: []lesson.Launch{{
			Kernel: "strided_operand", Block: launch.Dim3{X: 8, Y: 4, Z: 1},
			Grid: launch.Dim3{X: matrix.Blocks(n, 8), Y: matrix.Blocks(m, 4), Z: 1},
			Args: []any{a, int32(left.row), int32(left.column), b, int32(right.row), int32(right.column), c, int32(m), int32(k), int32(n)},
		}},
	}
	if asIs, other := (operand{m, k, k, 1}), (operand{k, n, n, 1}); len(a.Values) >= m*k && len(b.Values) >= k*n && (left != asIs || right != other) {
		out.Mistakes = []lesson.Mistake{{
			Array: "c", Values: matrix.Product(packed(a.Values, asIs, m, k), packed(b.Values, other, k, n), m, k, n),
			Text: "this is what comes out if both operands are read as if they lay row by row, whatever their distances say",
		}}
	}
	return out
}

// packed copies rows × columns elements of an operand in the order of reading.
func packed(memory []float64, o operand, rows, columns int) []float64 {
	out := make([]float64, 0, rows*columns)
	for i := range rows {
		for j := range columns {
			out = append(out, memory[i*o.row+j*o.column])
		}
	}
	return out
}
