//go:build gorgonia

package native

import (
	"workbench/engine/cuda/gorgonia"
	"workbench/engine/cuda/nvidia"
)

// Implementation names who calls the driver.
const Implementation = "gorgonia.org/cu"

// Driver returns the driver, which has been started before the program began.
func Driver() (nvidia.Driver, error) { return gorgonia.New() }
