// Package logsumexp checks the exercise of that name.
package logsumexp

import (
	"fmt"
	"math"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

// Within is for the exponentials and the logarithm of a GPU.
var Within = lesson.Tolerance{
	Absolute: 3e-5, Relative: 1e-6,
	Why: "expf and logf of a GPU are off by up to two units in the last place, and each of up to 131 additions by half a one",
}

// Check has rows whose exponentials are infinite, rows where they are all 0, and some
// between.
var Check = &lesson.CUDA{Cases: cases, Measured: measured}

func cases() []lesson.Case {
	var cases []lesson.Case
	for _, of := range []struct{ rows, columns int }{{3, 1}, {4, 3}, {5, 32}, {6, 50}, {7, 131}} {
		value := func(i int) float64 {
			row := i / of.columns
			return float64([]int{1000, -700, 3, -2}[row%4]) + float64(i*i%97)/32
		}
		in := lesson.Given("in", "float", []int{of.rows, of.columns}, value)
		largest := func(row int) float64 {
			m := math.Inf(-1)
			for c := range of.columns {
				m = max(m, value(row*of.columns+c))
			}
			return m
		}
		// The logarithm of the sum over every step-th column, with the largest off.
		logarithm := func(row, step int) float64 {
			sum := 0.0
			for c := 0; c < of.columns; c += step {
				sum += math.Exp(value(row*of.columns+c) - largest(row))
			}
			return math.Log(sum)
		}
		// As if the lanes' sums were added, each of which is without the lane's own largest.
		own := func(row int) float64 {
			sum := 0.0
			for lane := range min(32, of.columns) {
				m := math.Inf(-1)
				for c := lane; c < of.columns; c += 32 {
					m = max(m, value(row*of.columns+c))
				}
				for c := lane; c < of.columns; c += 32 {
					sum += math.Exp(value(row*of.columns+c) - m)
				}
			}
			m := math.Inf(-1)
			for c := 0; c < of.columns; c += 32 {
				m = max(m, value(row*of.columns+c))
			}
			return m + math.Log(sum)
		}
		out := lesson.Wanted("out", "float", []int{of.rows}, func(row int) float64 { return largest(row) + logarithm(row, 1) })
		mistake := func(value func(row int) float64, text string) lesson.Mistake {
			return lesson.Mistake{Array: "out", Values: lesson.Wanted("out", "float", out.Shape, value).Want, Text: text}
		}
		c := lesson.Case{
			Name: fmt.Sprintf("a matrix of %d × %d", of.rows, of.columns),
			Launches: []lesson.Launch{{
				Kernel: "log_sum_exp", Grid: lesson.Extent((of.rows + 3) / 4), Block: lesson.Extent(32, 4),
				Args: []any{in, out, int32(of.rows), int32(of.columns)},
			}},
		}
		c.Mistakes = []lesson.Mistake{
			mistake(func(row int) float64 { return logarithm(row, 1) }, "these are the logarithms of the sums, and the maximum that came off is not added again"),
			mistake(func(row int) float64 { return largest(row) + logarithm(row, 32) }, "these are the sums of lane 0 alone: what the other lanes have found is not in them"),
			mistake(own, "every lane took the largest of its own elements off, and not that of the row"),
		}
		cases = append(cases, c)
	}
	return cases
}

// measured wants a row to be read twice, 32 columns at a time: who goes through all
// of it in every lane finds the same maximum.
func measured(c *lesson.Case, m []*launch.Measurement) *lesson.Finding {
	shape := c.Launches[0].Args[0].(*lesson.Array).Shape
	twice := int64(2 * shape[0] * ((shape[1] + 31) / 32))
	if m[0].Loads.Requests <= twice {
		return nil
	}
	return &lesson.Finding{
		Kind: lesson.TooSlow,
		Text: fmt.Sprintf("The numbers are right, but the warps made %d requests to read %d × %d numbers twice: %d would do.", m[0].Loads.Requests, shape[0], shape[1], twice),
		Next: "let all 32 lanes read in every round, each its own column, and go on by 32",
	}
}
