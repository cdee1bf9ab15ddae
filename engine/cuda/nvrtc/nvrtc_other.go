//go:build !linux || !(amd64 || arm64)

package nvrtc

import (
	"workbench/engine/cuda/library"
	"workbench/engine/cuda/nvidia"
)

// New returns a *nvidia.MissingError: NVRTC is not called on this system.
func New() (nvidia.Compiler, error) {
	_, err := library.Open(library.NVRTC)
	if err == nil {
		panic("BUG: NVRTC was opened on a system that has none")
	}
	return nil, err
}
