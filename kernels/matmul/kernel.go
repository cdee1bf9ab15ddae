package matmul

import (
	_ "embed"
	"fmt"

	"workbench/engine/device"
	"workbench/engine/launch"
)

// File is the name of the kernels' source in messages.
const File = "matmul.cu"

// Source is the kernels' CUDA C.
//
//go:embed matmul.cu
var Source string

// Symbols are the kernels of the source.
var Symbols = []string{
	"matmul_naive_f64",
	"matmul_naive_f32",
	"matmul_naive_f16",
	"matmul_naive_bf16",
}

// Symbol returns the kernel of a precision.
func Symbol(p device.Precision) string {
	switch p {
	case device.Float64:
		return "matmul_naive_f64"
	case device.Float32:
		return "matmul_naive_f32"
	case device.Float16:
		return "matmul_naive_f16"
	case device.BFloat16:
		return "matmul_naive_bf16"
	}
	panic(fmt.Sprintf("BUG: no kernel multiplies in %s", p))
}

// Element returns the C type of a precision's elements.
func Element(p device.Precision) string {
	switch p {
	case device.Float64:
		return "double"
	case device.Float32:
		return "float"
	case device.Float16:
		return "__half"
	case device.BFloat16:
		return "__nv_bfloat16"
	}
	panic(fmt.Sprintf("BUG: %s has no C type", p))
}

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
func PTX(c device.Contract) []byte {
	text := separatePTX
	if c == device.Fused {
		text = fusedPTX
	}
	return append([]byte(text), 0)
}
