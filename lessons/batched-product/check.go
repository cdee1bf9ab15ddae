// Package batchedproduct checks the exercise of that name.
package batchedproduct

import (
	"fmt"
	"slices"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
	"workbench/lessons/lesson/matrix"
)

// Check has batches whose matrices are packed, shared and with gaps between.
var Check = &lesson.CUDA{Cases: cases, Measured: measured}

// measured wants each product to have blocks of its own, which shows where all of
// them read one b.
func measured(c *lesson.Case, m []*launch.Measurement) *lesson.Finding {
	grid, b := c.Launches[0].Grid, matrix.Reads(m[0], "b")
	if distance := c.Launches[0].Args[3].(int32); distance != 0 || b.Shares >= b.Loaded*int64(grid.Z) {
		return nil
	}
	return &lesson.Finding{
		Kind: lesson.Unused,
		Text: fmt.Sprintf("The result is right, but not every product has blocks of its own: b, which all %d of them read, is not loaded by as many blocks.", grid.Z),
		Next: "let each block compute cells of the one product whose number is its blockIdx.z",
	}
}

func cases() []lesson.Case {
	return []lesson.Case{
		one("one product, 2×3 · 3×2", 1, 2, 3, 2, 6, 6),
		one("three products, 2×3 · 3×2", 3, 2, 3, 2, 6, 6),
		one("two products, 1×1 · 1×1", 2, 1, 1, 1, 1, 1),
		one("two products, 5×2 · 2×9", 2, 5, 2, 9, 10, 18),
		one("three products with the same b, 3×4 · 4×2", 3, 3, 4, 2, 12, 0),
		one("five products with the same a, 2×7 · 7×3", 5, 2, 7, 3, 0, 21),
		one("three products with two elements between the matrices of a and five between those of b, 4×3 · 3×10", 3, 4, 3, 10, 14, 35),
	}
}

func one(name string, batch, m, k, n, toA, toB int) lesson.Case {
	// The gaps hold numbers too, and nobody is to read them.
	a := operand("a", batch, m*k, toA, 1)
	b := operand("b", batch, k*n, toB, 2)
	var want []float64
	for z := range batch {
		want = slices.Concat(want, matrix.Product(a.Values[z*toA:][:m*k], b.Values[z*toB:][:k*n], m, k, n))
	}
	c := &lesson.Array{Name: "c", Type: "float", Shape: []int{batch, m, n}, Want: want}
	return lesson.Case{
		Name: name,
		Launches: []lesson.Launch{{
			Kernel: "batched_product", Block: launch.Dim3{X: 8, Y: 4, Z: 1},
			Grid: launch.Dim3{X: matrix.Blocks(n, 8), Y: matrix.Blocks(m, 4), Z: batch},
			Args: []any{a, int32(toA), b, int32(toB), c, int32(m), int32(k), int32(n)},
		}},
	}
}

// operand is a row of matrices, each of so many elements, with a distance from
// one to the next.
func operand(name string, batch, elements, distance, seed int) *lesson.Array {
	n := (batch-1)*distance + elements
	return &lesson.Array{Name: name, Type: "float", Shape: []int{n}, Values: matrix.Values(1, n, seed)}
}
