//go:build !gorgonia

package native

import (
	"workbench/engine/cuda/driver"
	"workbench/engine/cuda/nvidia"
)

// Implementation names who calls the driver.
const Implementation = "purego"

// Driver opens the driver's library. Where there is none the error is a
// *nvidia.MissingError.
func Driver() (nvidia.Driver, error) { return driver.New() }
