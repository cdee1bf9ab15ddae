package matmul

import (
	_ "embed"

	"workbench/engine/device"
	"workbench/engine/launch"
)

// File is the name of the naive kernels' source in messages.
const File = "matmul.cu"

// Source is the naive kernels' CUDA C.
//
//go:embed matmul.cu
var Source string

// Symbols are the kernels of the source.
var Symbols = Naive.Source().Symbols

// Symbol returns the kernel of a precision.
func Symbol(p device.Precision) string { return Naive.Symbol(p) }

// Element returns the C type of a precision's elements.
func Element(p device.Precision) string { return launch.Element(p) }

// Kernel returns the kernel of a precision, compiled under a contract.
func Kernel(c device.Contract, p device.Precision) launch.Kernel {
	return launch.Kernel{File: File, Source: Source, Symbol: Symbol(p), Contract: c}
}

//go:embed matmul.separate.ptx
var separatePTX string

//go:embed matmul.fused.ptx
var fusedPTX string

// PTX returns the source compiled under a contract, for compute capability 7.0
// and all that came after it, with the final zero byte that the driver looks for.
// It holds every kernel.
func PTX(c device.Contract) []byte { return Naive.Source().PTX(c) }
