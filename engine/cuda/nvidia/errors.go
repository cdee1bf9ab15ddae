package nvidia

import (
	"fmt"
	"strings"
)

// Results of the driver that the workbench tells apart. The numbers are those
// of cuda.h (enum cudaError_enum).
const (
	InvalidValue          = 1
	OutOfMemory           = 2
	NoDevice              = 100
	InvalidDevice         = 101
	InvalidImage          = 200
	InvalidContext        = 201
	NoBinaryForGPU        = 209
	ECCUncorrectable      = 214
	InvalidPTX            = 218
	UnsupportedPTXVersion = 222
	NotFound              = 500
	NotReady              = 600
	IllegalAddress        = 700
	LaunchOutOfResources  = 701
	LaunchTimeout         = 702
	Assert                = 710
	HardwareStackError    = 714
	IllegalInstruction    = 715
	MisalignedAddress     = 716
	InvalidAddressSpace   = 717
	InvalidPC             = 718
	LaunchFailed          = 719
	SystemDriverMismatch  = 803
	Unknown               = 999
)

// An Error is a call that a library refused.
type Error struct {
	Library string // "driver", "NVRTC" or "cuBLAS"
	Call    string // "cuMemAlloc_v2"
	Code    int    // the library's result
	Name    string // "CUDA_ERROR_OUT_OF_MEMORY"
	Text    string // "out of memory"
	Log     string // of the driver's compiler, where an image did not load
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s: %s (%d)", e.Call, e.Name, e.Code)
	if e.Text != "" {
		s += ": " + e.Text
	}
	if e.Log != "" {
		s += "\n" + strings.TrimSpace(e.Log)
	}
	return s
}

// Sticky reports that the process's work with the GPU is over: the driver
// answers every later call with the same error, and documents that the process
// must be ended (CUDA Driver API, CUresult).
func (e *Error) Sticky() bool {
	if e.Library != "driver" {
		return false
	}
	switch e.Code {
	case ECCUncorrectable, IllegalAddress, LaunchTimeout, Assert, HardwareStackError, IllegalInstruction,
		MisalignedAddress, InvalidAddressSpace, InvalidPC, LaunchFailed, Unknown:
		return true
	}
	return false
}

// A MissingError is a library that could not be opened.
type MissingError struct {
	Library string  // "driver", "NVRTC" or "cuBLAS"
	Tried   []Tried // in order
	Reason  string  // where nothing was tried: why
	Found   string  // the file that is there and of a version that cannot be used; empty if there is none
}

// Tried is one attempt to open a library.
type Tried struct {
	Path string // or the bare name, for the loader to find
	Why  string // the loader's message
}

func (e *MissingError) Error() string {
	if len(e.Tried) == 0 {
		return e.Library + ": " + e.Reason
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s was not found; tried", e.Library)
	for _, t := range e.Tried {
		fmt.Fprintf(&b, "\n  %s: %s", t.Path, t.Why)
	}
	return b.String()
}

// A CompileError is a source that NVRTC refused.
type CompileError struct {
	File string
	Log  string // as NVRTC wrote it: "file(line): error: …"
}

func (e *CompileError) Error() string {
	return e.File + " does not compile:\n" + strings.TrimSpace(e.Log)
}
