package fake

import (
	"strconv"

	"workbench/engine/cuda/nvidia"
)

// Results that package nvidia has no name for, since the workbench does not
// tell them apart.
const (
	invalidHandle = 400

	statusNotInitialized = 1 // cuBLAS
	statusInvalidValue   = 7

	invalidInput  = 3 // NVRTC
	invalidOption = 5
)

// driverResults are the names and texts of cuda.h, as cuGetErrorName and
// cuGetErrorString give them.
var driverResults = map[int][2]string{
	nvidia.InvalidValue:          {"CUDA_ERROR_INVALID_VALUE", "invalid argument"},
	nvidia.OutOfMemory:           {"CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
	nvidia.NoDevice:              {"CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
	nvidia.InvalidDevice:         {"CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
	nvidia.InvalidImage:          {"CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
	nvidia.InvalidContext:        {"CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
	nvidia.NoBinaryForGPU:        {"CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
	nvidia.ECCUncorrectable:      {"CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"},
	nvidia.InvalidPTX:            {"CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
	nvidia.UnsupportedPTXVersion: {"CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the provided PTX was compiled with an unsupported toolchain."},
	invalidHandle:                {"CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
	nvidia.NotFound:              {"CUDA_ERROR_NOT_FOUND", "named symbol not found"},
	nvidia.NotReady:              {"CUDA_ERROR_NOT_READY", "device not ready"},
	nvidia.IllegalAddress:        {"CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
	nvidia.LaunchOutOfResources:  {"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
	nvidia.LaunchTimeout:         {"CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
	nvidia.Assert:                {"CUDA_ERROR_ASSERT", "device-side assert triggered"},
	nvidia.HardwareStackError:    {"CUDA_ERROR_HARDWARE_STACK_ERROR", "hardware stack error"},
	nvidia.IllegalInstruction:    {"CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered"},
	nvidia.MisalignedAddress:     {"CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
	nvidia.InvalidAddressSpace:   {"CUDA_ERROR_INVALID_ADDRESS_SPACE", "operation not supported on global/shared address space"},
	nvidia.InvalidPC:             {"CUDA_ERROR_INVALID_PC", "invalid program counter"},
	nvidia.LaunchFailed:          {"CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
	nvidia.SystemDriverMismatch:  {"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "system has unsupported display driver / cuda driver combination"},
	nvidia.Unknown:               {"CUDA_ERROR_UNKNOWN", "unknown error"},
}

var nvrtcResults = map[int]string{
	1:             "NVRTC_ERROR_OUT_OF_MEMORY",
	2:             "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
	invalidInput:  "NVRTC_ERROR_INVALID_INPUT",
	invalidOption: "NVRTC_ERROR_INVALID_OPTION",
	6:             "NVRTC_ERROR_COMPILATION",
	7:             "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
	11:            "NVRTC_ERROR_INTERNAL_ERROR",
}

var cublasResults = map[int]string{
	statusNotInitialized: "CUBLAS_STATUS_NOT_INITIALIZED",
	3:                    "CUBLAS_STATUS_ALLOC_FAILED",
	statusInvalidValue:   "CUBLAS_STATUS_INVALID_VALUE",
	8:                    "CUBLAS_STATUS_ARCH_MISMATCH",
	13:                   "CUBLAS_STATUS_EXECUTION_FAILED",
	14:                   "CUBLAS_STATUS_INTERNAL_ERROR",
	15:                   "CUBLAS_STATUS_NOT_SUPPORTED",
}

// refuse is the driver's, NVRTC's or cuBLAS's answer to a call, by the call's
// name.
func refuse(call string, code int) *nvidia.Error {
	e := &nvidia.Error{Library: libraryOf(call), Call: call, Code: code}
	switch e.Library {
	case "driver":
		e.Name, e.Text = driverResults[code][0], driverResults[code][1]
	case "NVRTC":
		e.Name = nvrtcResults[code]
	default:
		e.Name = cublasResults[code]
	}
	if e.Name == "" {
		e.Name = "result " + strconv.Itoa(code)
	}
	return e
}

func libraryOf(call string) string {
	switch {
	case len(call) > 5 && call[:5] == "nvrtc":
		return "NVRTC"
	case len(call) > 6 && call[:6] == "cublas":
		return "cuBLAS"
	}
	return "driver"
}
