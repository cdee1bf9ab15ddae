package trace_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"workbench/engine/tensor"
	"workbench/engine/trace"
)

func TestProductFormula(t *testing.T) {
	for _, c := range []struct{ left, right, flags, want string }{
		{`[[1, 2]]`, `[[3], [4]]`, ``, `C_{i,j} = \sum_{k=0}^{1} A_{i,k}\,B_{k,j}`},
		{`[[1, 2]]`, `[[3, 4]]`, `, "transpose_right": true`, `C_{i,j} = \sum_{k=0}^{1} A_{i,k}\,B_{j,k}`},
		{`[[1], [2]]`, `[[3], [4]]`, `, "transpose_left": true`, `C_{i,j} = \sum_{k=0}^{1} A_{k,i}\,B_{k,j}`},
		{`[[1]]`, `[[3]]`, `, "transpose_left": true, "transpose_right": true`, `C_{i,j} = \sum_{k=0}^{0} A_{k,i}\,B_{j,k}`},
		{`[[[1, 2]], [[3, 4]]]`, `[[3], [4]]`, ``, `C_{b,i,j} = \sum_{k=0}^{1} A_{b,i,k}\,B_{k,j}`},
		{`[[[1, 2]], [[3, 4]]]`, `[[[3], [4]]]`, ``, `C_{b,i,j} = \sum_{k=0}^{1} A_{b,i,k}\,B_{0,k,j}`},
		{`[[[1, 2]]]`, `[[[3], [4]]]`, ``, `C_{b,i,j} = \sum_{k=0}^{1} A_{b,i,k}\,B_{b,k,j}`},
		{`[[1, 2]]`, `[[[[3], [4]]], [[[5], [6]]]]`, ``, `C_{b_0,b_1,i,j} = \sum_{k=0}^{1} A_{i,k}\,B_{b_0,b_1,k,j}`},
		{`{"shape": [2, 1, 1, 1], "values": [1, 2]}`, `{"shape": [3, 1, 1], "values": [1, 2, 3]}`, ``, `C_{b_0,b_1,i,j} = \sum_{k=0}^{0} A_{b_0,0,i,k}\,B_{b_1,k,j}`},
		{`{"shape": [2, 0], "values": []}`, `{"shape": [0, 3], "values": []}`, ``, `C_{i,j} = 0`},
		{`{"shape": [4, 2, 0], "values": []}`, `{"shape": [0, 3], "values": []}`, ``, `C_{b,i,j} = 0`},
	} {
		input := fmt.Sprintf(`{"left": %s, "right": %s%s}`, c.left, c.right, c.flags)
		out := run(t, open(t, "cpu"), trace.ExampleProduct, input)
		if got := out.Steps[2].Formula; got != c.want {
			t.Errorf("%s: %s, want %s", input, got, c.want)
		}
	}
}

var formulaParts = regexp.MustCompile(`^C_\{(.*)\} = \\sum_\{k=0\}\^\{(\d+)\} A_\{(.*)\}\\,B_\{(.*)\}$`)

// The formula, read as one reads it on a board, computes the product.
func TestProductFormulaComputesTheProduct(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for _, c := range []struct {
		left, right                   []int
		transposeLeft, transposeRight bool
	}{
		{[]int{2, 3}, []int{3, 4}, false, false},
		{[]int{3, 2}, []int{4, 3}, true, true},
		{[]int{5, 3, 2}, []int{3, 4}, true, false},
		{[]int{1, 2, 3}, []int{5, 4, 3}, false, true},
		{[]int{2, 1, 2, 3}, []int{5, 3, 4}, false, false},
		{[]int{2, 3}, []int{2, 5, 4, 3}, false, true},
	} {
		fill := func(shape []int) *tensor.Tensor {
			x := tensor.Must(tensor.New(shape...))
			for i := range x.Data() {
				x.Data()[i] = float64(random.IntN(19) - 9) // small and whole: sums are exact
			}
			return x
		}
		in := trace.ProductInput{Left: trace.Array{Tensor: fill(c.left)}, Right: trace.Array{Tensor: fill(c.right)}, TransposeLeft: c.transposeLeft, TransposeRight: c.transposeRight}
		d := open(t, "cpu")
		out, err := trace.RunProduct(t.Context(), d, d, in)
		if err != nil {
			t.Fatal(err)
		}
		parts := formulaParts.FindStringSubmatch(out.Steps[2].Formula)
		if parts == nil {
			t.Fatalf("%v·%v: the formula is %q", c.left, c.right, out.Steps[2].Formula)
		}
		last, err := strconv.Atoi(parts[2])
		if err != nil {
			t.Fatal(err)
		}
		result := out.Tensors[out.Result[0]]
		names := strings.Split(parts[1], ",")
		for flat, got := range result.Values {
			at := map[string]int{}
			for axis, n := range tensor.Coordinate(result.Shape, flat) {
				at[names[axis]] = n
			}
			sum := 0.0
			for k := 0; k <= last; k++ {
				at["k"] = k
				read := func(of *tensor.Tensor, indices string) float64 {
					coordinate := []int{}
					for _, name := range strings.Split(indices, ",") {
						n, known := at[name]
						if !known && name != "0" {
							t.Fatalf("%v·%v: the formula %q has the unknown index %q", c.left, c.right, parts[0], name)
						}
						coordinate = append(coordinate, n)
					}
					return of.At(coordinate...)
				}
				sum += read(in.Left.Tensor, parts[3]) * read(in.Right.Tensor, parts[4])
			}
			if sum != got {
				t.Errorf("%v·%v: %s gives %v for cell %v, the run has %v", c.left, c.right, parts[0], sum, tensor.Coordinate(result.Shape, flat), got)
			}
		}
		if slices.Equal(c.left, c.right) {
			t.Errorf("%v: operands of one shape cannot be told apart", c.left)
		}
	}
}
