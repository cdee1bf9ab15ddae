//go:build amd64 || arm64

package cublas

import (
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"

	"workbench/engine/cuda/library"
	"workbench/engine/cuda/nvidia"
)

// Values of cuBLAS's enumerations.
const (
	noTranspose      = 0  // CUBLAS_OP_N
	realHalf         = 2  // CUDA_R_16F
	realBFloat       = 14 // CUDA_R_16BF
	compute32        = 68 // CUBLAS_COMPUTE_32F
	defaultAlgorithm = -1 // CUBLAS_GEMM_DEFAULT
)

const invalidValue = 7 // CUBLAS_STATUS_INVALID_VALUE

type function struct {
	name    string
	address uintptr
}

// New opens the library and makes a handle for the context that is current on the
// calling thread; that thread alone uses it. A library that is not there is a
// *nvidia.MissingError, one that cannot start a *nvidia.Error.
func New() (nvidia.BLAS, error) {
	l, err := library.Open(library.CUBLAS)
	if err != nil {
		return nil, err
	}
	b := new(blas)
	var create function
	for _, x := range []struct {
		to   *function
		name string
	}{
		{&create, "cublasCreate_v2"},
		{&b.destroy, "cublasDestroy_v2"},
		{&b.version, "cublasGetVersion_v2"},
		{&b.setWorkspace, "cublasSetWorkspace_v2"},
		{&b.dgemm, "cublasDgemmStridedBatched"},
		{&b.sgemm, "cublasSgemmStridedBatched"},
		{&b.gemmEx, "cublasGemmStridedBatchedEx"},
	} {
		address, err := l.Symbol(x.name)
		if err != nil {
			return nil, err
		}
		*x.to = function{x.name, address}
	}
	if err := b.quick(&create, uintptr(unsafe.Pointer(&b.handle)), 0, 0); err != nil {
		return nil, err
	}
	if err := b.SetWorkspace(0, 0); err != nil {
		_ = b.Close() // the first error is the one to know
		return nil, err
	}
	return b, nil
}

// blas is a handle as one thread uses it.
type blas struct {
	destroy, version, setWorkspace function
	dgemm, sgemm, gemmEx           function

	handle uintptr // zero: closed
	number int32   // of the version

	// The scalars of a request, where C reads them.
	alpha, beta     float64
	alpha32, beta32 float32

	registers [23]uintptr // what a call passes to C
}

// quick calls a function of at most three arguments, as package driver does.
//
//go:uintptrescapes
func (b *blas) quick(fn *function, a0, a1, a2 uintptr) error {
	b.registers[0], b.registers[1], b.registers[2] = a0, a1, a2
	return b.through(fn, 3)
}

// through calls a function with the first n of b.registers.
func (b *blas) through(fn *function, n int) error {
	result, _, _ := purego.SyscallN(fn.address, b.registers[:n]...)
	if int32(result) == 0 {
		return nil
	}
	name, text := status(int32(result))
	return refusal(fn.name, int(int32(result)), name, text)
}

func refusal(call string, code int, name, text string) error {
	return &nvidia.Error{Library: library.CUBLAS.String(), Call: call, Code: code, Name: name, Text: text}
}

func (b *blas) Version() (int, error) {
	if err := b.quick(&b.version, b.handle, uintptr(unsafe.Pointer(&b.number)), 0); err != nil {
		return 0, err
	}
	return int(b.number), nil
}

func (b *blas) SetWorkspace(p nvidia.Pointer, bytes uint64) error {
	return b.quick(&b.setWorkspace, b.handle, uintptr(p), uintptr(bytes))
}

func (b *blas) Close() error {
	if b.handle == 0 {
		return nil
	}
	err := b.quick(&b.destroy, b.handle, 0, 0)
	b.handle = 0
	return err
}

func (b *blas) Gemm(g nvidia.Gemm) error {
	fn := &b.gemmEx
	element := uintptr(0)
	alpha, beta := uintptr(unsafe.Pointer(&b.alpha32)), uintptr(unsafe.Pointer(&b.beta32))
	switch g.Type {
	case nvidia.Float64:
		fn = &b.dgemm
		alpha, beta = uintptr(unsafe.Pointer(&b.alpha)), uintptr(unsafe.Pointer(&b.beta))
	case nvidia.Float32:
		fn = &b.sgemm
	case nvidia.Float16:
		element = realHalf
	case nvidia.BFloat16:
		element = realBFloat
	default:
		panic(fmt.Sprintf("BUG: cuBLAS multiplies no elements of type %d", g.Type))
	}
	if err := fits(fn.name, g); err != nil {
		return err
	}
	b.alpha, b.beta = g.Alpha, g.Beta
	b.alpha32, b.beta32 = float32(g.Alpha), float32(g.Beta)

	n := 0
	put := func(values ...uintptr) { n += copy(b.registers[n:], values) }
	put(b.handle, noTranspose, noTranspose, uintptr(g.M), uintptr(g.N), uintptr(g.K))
	if element == 0 {
		put(alpha, uintptr(g.A), uintptr(g.LDA), uintptr(g.StrideA), uintptr(g.B), uintptr(g.LDB), uintptr(g.StrideB))
		put(beta, uintptr(g.C), uintptr(g.LDC), uintptr(g.StrideC), uintptr(g.Batch))
	} else {
		put(alpha, uintptr(g.A), element, uintptr(g.LDA), uintptr(g.StrideA), uintptr(g.B), element, uintptr(g.LDB), uintptr(g.StrideB))
		put(beta, uintptr(g.C), element, uintptr(g.LDC), uintptr(g.StrideC), uintptr(g.Batch))
		algorithm := defaultAlgorithm
		put(compute32, uintptr(algorithm))
	}
	err := b.through(fn, n)
	// The scalars are part of b, which lives until here.
	runtime.KeepAlive(b)
	return err
}

// fits refuses what C's int does not hold: it would arrive as another number.
func fits(call string, g nvidia.Gemm) error {
	for _, x := range [...]struct {
		name  string
		value int
	}{{"M", g.M}, {"N", g.N}, {"K", g.K}, {"LDA", g.LDA}, {"LDB", g.LDB}, {"LDC", g.LDC}, {"Batch", g.Batch}} {
		if x.value < 0 || x.value > math.MaxInt32 {
			name, _ := status(invalidValue)
			return refusal(call, invalidValue, name, fmt.Sprintf("%s is %d, and cuBLAS takes 0 to %d", x.name, x.value, math.MaxInt32))
		}
	}
	return nil
}
