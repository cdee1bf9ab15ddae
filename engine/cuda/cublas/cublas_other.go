//go:build !linux || !(amd64 || arm64)

package cublas

import (
	"workbench/engine/cuda/library"
	"workbench/engine/cuda/nvidia"
)

// New returns a *nvidia.MissingError: there is no CUDA on this system.
func New() (nvidia.BLAS, error) {
	_, err := library.Open(library.CUBLAS)
	if err == nil {
		panic("BUG: cuBLAS was opened on a system that has none")
	}
	return nil, err
}
