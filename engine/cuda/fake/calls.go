package fake

import "slices"

// known are the functions that the fake calls by name, in Calls and in Faults.
var known = []string{
	"cuInit", "cuDriverGetVersion", "cuDeviceGetCount", "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2",
	"cuMemGetInfo_v2", "cuMemAlloc_v2", "cuMemFree_v2", "cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2", "cuMemsetD8_v2",
	"cuModuleLoadDataEx", "cuModuleUnload", "cuModuleGetFunction", "cuModuleGetGlobal_v2", "cuLaunchKernel",
	"cuEventCreate", "cuEventRecord", "cuEventElapsedTime", "cuEventDestroy_v2", "cuCtxSynchronize",
	"nvrtcVersion", "nvrtcGetSupportedArchs", "nvrtcCompileProgram",
	"cublasCreate_v2", "cublasGetVersion_v2", "cublasSetWorkspace_v2", "cublasGemmStridedBatchedEx", "cublasDestroy_v2",
}

// isCall reports whether a fault of that name can happen.
func isCall(name string) bool { return slices.Contains(known, name) }
