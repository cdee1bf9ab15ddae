package cpu_test

import (
	"context"
	"fmt"

	"workbench/engine/cpu"
	"workbench/engine/device"
	"workbench/engine/tensor"
)

func ExampleNew() {
	d, err := cpu.New(device.Spec{Kind: device.CPU})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	left := tensor.Must(tensor.FromRows([][]float64{{1, 2, 3}, {4, 5, 6}}))
	right := tensor.Must(tensor.FromRows([][]float64{{7, 8}, {9, 10}, {11, 12}}))
	out, _, err := d.Multiply(context.Background(), device.Product{Left: left.View(), Right: right.View()})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out.Shape(), out.Data())
	// Output: [2 2] [58 64 139 154]
}
