package tensor_test

import (
	"fmt"

	"workbench/engine/tensor"
)

// The views of the package's drawing.
func Example() {
	matrix, err := tensor.FromRows([][]float64{{1, 2, 3}, {4, 5, 6}})
	if err != nil {
		fmt.Println(err)
		return
	}
	v := matrix.View()
	transposed, err := v.Transpose(0, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	twice, err := v.Broadcast(2, 2, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, view := range []tensor.View{v, transposed, twice} {
		fmt.Println(tensor.FormatShape(view.Shape()), view.Strides(), view.Pack().Data())
	}
	// Output:
	// [2, 3] [3 1] [1 2 3 4 5 6]
	// [3, 2] [1 3] [1 4 2 5 3 6]
	// [2, 2, 3] [0 3 1] [1 2 3 4 5 6 1 2 3 4 5 6]
}

// A view may walk backwards through its storage.
func ExampleNewView() {
	storage := []float64{1, 2, 3, 4}
	backwards, err := tensor.NewView(storage, 3, []int{4}, []int{-1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(backwards.Pack().Data())
	_, err = tensor.NewView(storage, 2, []int{4}, []int{-1})
	fmt.Println(err)
	// Output:
	// [4 3 2 1]
	// view [4]: reads elements -1 to 2 of a storage of 4
}

// A view that is not contiguous cannot be reshaped without a copy.
func ExampleView_Reshape() {
	matrix := tensor.Must(tensor.FromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3))
	transposed, err := matrix.View().Transpose(0, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = transposed.Reshape(6)
	fmt.Println(err)
	flat, err := transposed.Pack().Reshape(6)
	fmt.Println(flat.Data(), err)
	// Output:
	// reshape [3, 2] and [6]: strides [1, 3] do not read consecutive elements: pack the view first
	// [1 4 2 5 3 6] <nil>
}

// The plan of a product names the values behind each output cell.
func ExamplePlanMatmul() {
	a := tensor.Must(tensor.FromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3))
	w := tensor.Must(tensor.FromSlice([]float64{7, 8, 9, 10, 11, 12}, 3, 2))
	plan, err := tensor.PlanMatmul(a.View(), w.View(), false, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	left, right, err := plan.Operands(0, 0, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("cell (0, 0, 1) has flat index", plan.Flat(0, 0, 1))
	fmt.Println(left, "·", right)
	_, err = tensor.PlanMatmul(a.View(), w.View(), false, true)
	fmt.Println(err)
	// Output:
	// cell (0, 0, 1) has flat index 1
	// [1 2 3] · [8 10 12]
	// matmul [2, 3] and [3, 2]: the left side has 3 columns and the transposed right side 2 rows: they must be equal
}

// A reduction packs its groups as the rows of a matrix.
func ExamplePlanAxis() {
	a := tensor.Must(tensor.FromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3))
	columns, err := tensor.PlanAxis(a.View(), 0, true)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(columns.G, "groups of", columns.K, columns.Pack(), "give", tensor.FormatShape(columns.OutputShape()))
	// Output:
	// 3 groups of 2 [1 4 2 5 3 6] give [1, 3]
}
