// Package cublas is nvidia.BLAS over NVIDIA's own library, libcublas, opened at run
// time.
//
// One function serves each type: cublasDgemmStridedBatched for float64,
// cublasSgemmStridedBatched for float32, and cublasGemmStridedBatchedEx for float16
// and bfloat16 that are summed in float32. Scalars are passed by their address in
// host memory (cuBLAS's pointer mode when a handle is made), in the type of the sum,
// so that no call has a floating-point parameter. The math mode stays the default one:
// float32 is not rounded to TF32.
//
// The workspace is set to zero bytes. With its own, cuBLAS may split the
// contraction of some shapes among blocks, and then adds the parts in another order.
//
// What makes the calls sound is as in package driver: C reads the scalars before a
// call returns, and is given no other address of Go's memory.
package cublas

import "fmt"

// status returns the name of a result of cuBLAS (enum cublasStatus_t) and what it
// usually means. The library has functions for that from 11.4 on; the names are few
// and do not change.
func status(code int32) (name, text string) {
	switch code {
	case 1:
		return "CUBLAS_STATUS_NOT_INITIALIZED", "the library could not be started: the GPU's driver may be too old for it, or too little of its memory free"
	case 3:
		return "CUBLAS_STATUS_ALLOC_FAILED", "memory that the library needs could not be allocated"
	case 7:
		return "CUBLAS_STATUS_INVALID_VALUE", "an argument is outside of what the library takes"
	case 8:
		return "CUBLAS_STATUS_ARCH_MISMATCH", "the GPU cannot do it"
	case 11:
		return "CUBLAS_STATUS_MAPPING_ERROR", "the GPU's memory could not be reached"
	case 13:
		return "CUBLAS_STATUS_EXECUTION_FAILED", "the product could not be run on the GPU"
	case 14:
		return "CUBLAS_STATUS_INTERNAL_ERROR", "the library failed"
	case 15:
		return "CUBLAS_STATUS_NOT_SUPPORTED", "the library does not support it"
	case 16:
		return "CUBLAS_STATUS_LICENSE_ERROR", "the library's licence does not allow it"
	}
	return fmt.Sprintf("cublasStatus_t %d", code), ""
}
