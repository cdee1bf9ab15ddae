//go:build gorgonia && !(cgo && linux)

package gorgonia

import "workbench/engine/cuda/nvidia"

// New returns a *nvidia.MissingError: without cgo, or on another system than Linux,
// gorgonia.org/cu cannot be part of the program.
func New() (nvidia.Driver, error) {
	return nil, &nvidia.MissingError{
		Library: "driver",
		Reason:  "this program was built with -tags gorgonia, which needs cgo and Linux: build it with CGO_ENABLED=1 there, or without the tag",
	}
}
