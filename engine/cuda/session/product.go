package session

import (
	"fmt"

	"workbench/engine/cuda/nvidia"
	"workbench/engine/device"
	"workbench/engine/staged"
)

// Product is a request for a product or a reduction, as every device has it that
// stages its operands.
type Product = staged.Product

// formatOf returns the format of a precision's elements.
func formatOf(p device.Precision) (nvidia.Type, error) {
	switch p {
	case device.Float64:
		return nvidia.Float64, nil
	case device.Float32:
		return nvidia.Float32, nil
	case device.Float16:
		return nvidia.Float16, nil
	case device.BFloat16:
		return nvidia.BFloat16, nil
	}
	return 0, fmt.Errorf("%s is not a precision: use one of device.Precisions", p)
}
