//go:build !linux || !(amd64 || arm64)

package library

import (
	"errors"
	"runtime"

	"workbench/engine/cuda/nvidia"
)

func open(k Kind) (*Library, error) {
	return nil, &nvidia.MissingError{
		Library: k.String(),
		Reason:  "CUDA is supported on Linux (amd64 and arm64), and this is " + runtime.GOOS + " on " + runtime.GOARCH,
	}
}

func symbol(uintptr, string) (uintptr, error) {
	return 0, errors.New("BUG: no library is open on this system")
}
