// Package source is a file of CUDA C as the catalogue has it: its kernels, which
// differ in the precision of their elements and in nothing else, and the PTX that
// comes with it.
package source

import (
	"fmt"
	"slices"

	"workbench/engine/device"
	"workbench/engine/launch"
)

// File is one source.
type File struct {
	Name       string             // in messages: "add.cu"
	Text       string             // CUDA C
	Separate   string             // PTX of the contract
	Fused      string             // likewise
	Precisions []device.Precision // of its kernels' elements
	Symbols    []string           // the kernel of each precision, in the text's order
}

// PTX returns the text compiled under a contract, for compute capability 7.0 and
// all that came after it, with the final zero byte that the driver looks for. It
// holds every kernel.
func (f File) PTX(c device.Contract) []byte {
	ptx := f.Separate
	if c == device.Fused {
		ptx = f.Fused
	}
	return append([]byte(ptx), 0)
}

// Kernel returns the kernel of a precision, compiled under a contract. The error
// is a *launch.ArgumentError.
func (f File) Kernel(c device.Contract, p device.Precision) (launch.Kernel, error) {
	i := slices.Index(f.Precisions, p)
	if i < 0 {
		return launch.Kernel{}, &launch.ArgumentError{Symbol: f.Name, Field: "precision", Reason: fmt.Sprintf("%s is none of its kernels': use one of %v", p, f.Precisions)}
	}
	k := launch.Kernel{File: f.Name, Source: f.Text, Symbol: f.Symbols[i], Contract: c}
	if c != device.Separate && c != device.Fused {
		return launch.Kernel{}, &launch.ArgumentError{Symbol: k.Symbol, Field: "contract", Reason: fmt.Sprintf("%s is none: use separate or fused", c)}
	}
	return k, nil
}
