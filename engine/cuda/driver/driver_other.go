//go:build !linux || !(amd64 || arm64)

package driver

import (
	"workbench/engine/cuda/library"
	"workbench/engine/cuda/nvidia"
)

// New returns a *nvidia.MissingError: there is no CUDA on this system.
func New() (nvidia.Driver, error) {
	_, err := library.Open(library.Driver)
	if err == nil {
		panic("BUG: the driver was opened on a system that has none")
	}
	return nil, err
}
