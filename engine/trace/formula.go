package trace

import (
	"fmt"
	"slices"
	"strings"

	"workbench/engine/tensor"
)

// productFormula writes how a cell of C is made, in TeX, with the indices that
// the operands are stored under:
//
//	C_{i,j} = \sum_{k=0}^{2} A_{i,k}\,B_{k,j}          of two matrices
//	C_{b,i,j} = \sum_{k=0}^{2} A_{b,k,i}\,B_{k,j}      of a batch, transposed, and one matrix
func productFormula(left, right, out []int, contraction int, transposeLeft, transposeRight bool) string {
	batch := batchIndices(out)
	cell := strings.Join(append(slices.Clone(batch), "i", "j"), ",")
	if contraction == 0 {
		return fmt.Sprintf("C_{%s} = 0", cell)
	}
	operand := func(name string, shape []int, row, column string, transpose bool) string {
		if transpose {
			row, column = column, row
		}
		indices := []string{}
		lead := len(shape) - 2
		for axis := range lead {
			at := len(batch) - lead + axis // leading axes are matched from the last
			if shape[axis] == 1 && out[at] != 1 {
				indices = append(indices, "0") // one matrix serves all
			} else {
				indices = append(indices, batch[at])
			}
		}
		return fmt.Sprintf("%s_{%s}", name, strings.Join(append(indices, row, column), ","))
	}
	return fmt.Sprintf(`C_{%s} = \sum_{k=0}^{%d} %s\,%s`, cell, contraction-1,
		operand("A", left, "i", "k", transposeLeft), operand("B", right, "k", "j", transposeRight))
}

// batchIndices names the leading axes of a product: b, or b_0, b_1, … of several.
func batchIndices(out []int) []string {
	lead := len(out) - 2
	if lead == 1 {
		return []string{"b"}
	}
	names := make([]string, lead)
	for axis := range names {
		names[axis] = fmt.Sprintf("b_%d", axis)
	}
	return names
}

// offsetFormula writes where an element of a view lies: 0 + 3·i₀ + 1·i₁.
func offsetFormula(v tensor.View) string {
	var s strings.Builder
	fmt.Fprintf(&s, `\text{index} = %d`, v.Offset())
	for axis, stride := range v.Strides() {
		fmt.Fprintf(&s, ` + %d\,i_{%d}`, stride, axis)
	}
	return strings.ReplaceAll(s.String(), "+ -", "- ")
}
