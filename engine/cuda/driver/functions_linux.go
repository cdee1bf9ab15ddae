//go:build amd64 || arm64

package driver

import (
	"unsafe"

	"github.com/ebitengine/purego"

	"workbench/engine/cuda/library"
	"workbench/engine/cuda/nvidia"
)

// function is one of the library's.
type function struct {
	name    string
	address uintptr
}

// functions are all that are used of the library.
type functions struct {
	init          function
	driverVersion function
	errorName     function
	errorString   function

	deviceCount     function
	deviceGet       function
	deviceName      function
	deviceUUID      function
	deviceTotalMem  function
	deviceAttribute function

	primaryRetain  function
	primaryRelease function
	setCurrent     function
	synchronize    function

	memGetInfo function
	memAlloc   function
	memFree    function
	memcpyHtoD function
	memcpyDtoH function
	memsetD8   function

	moduleLoad        function
	moduleUnload      function
	moduleGetFunction function
	moduleGetGlobal   function
	launchKernel      function

	eventCreate  function
	eventRecord  function
	eventElapsed function
	eventDestroy function

	flush function // libc's fflush
}

// bind looks every function up.
func bind(l *library.Library) (*functions, error) {
	f := new(functions)
	for _, b := range []struct {
		to    *function
		names []string // the first one that is there
	}{
		{&f.init, []string{"cuInit"}},
		{&f.driverVersion, []string{"cuDriverGetVersion"}},
		{&f.errorName, []string{"cuGetErrorName"}},
		{&f.errorString, []string{"cuGetErrorString"}},

		{&f.deviceCount, []string{"cuDeviceGetCount"}},
		{&f.deviceGet, []string{"cuDeviceGet"}},
		{&f.deviceName, []string{"cuDeviceGetName"}},
		// The second version, of CUDA 11.4, gives a part of a GPU its own.
		{&f.deviceUUID, []string{"cuDeviceGetUuid_v2", "cuDeviceGetUuid"}},
		{&f.deviceTotalMem, []string{"cuDeviceTotalMem_v2"}},
		{&f.deviceAttribute, []string{"cuDeviceGetAttribute"}},

		{&f.primaryRetain, []string{"cuDevicePrimaryCtxRetain"}},
		{&f.primaryRelease, []string{"cuDevicePrimaryCtxRelease_v2"}},
		{&f.setCurrent, []string{"cuCtxSetCurrent"}},
		{&f.synchronize, []string{"cuCtxSynchronize"}},

		{&f.memGetInfo, []string{"cuMemGetInfo_v2"}},
		{&f.memAlloc, []string{"cuMemAlloc_v2"}},
		{&f.memFree, []string{"cuMemFree_v2"}},
		{&f.memcpyHtoD, []string{"cuMemcpyHtoD_v2"}},
		{&f.memcpyDtoH, []string{"cuMemcpyDtoH_v2"}},
		{&f.memsetD8, []string{"cuMemsetD8_v2"}},

		{&f.moduleLoad, []string{"cuModuleLoadDataEx"}},
		{&f.moduleUnload, []string{"cuModuleUnload"}},
		{&f.moduleGetFunction, []string{"cuModuleGetFunction"}},
		{&f.moduleGetGlobal, []string{"cuModuleGetGlobal_v2"}},
		{&f.launchKernel, []string{"cuLaunchKernel"}},

		{&f.eventCreate, []string{"cuEventCreate"}},
		{&f.eventRecord, []string{"cuEventRecord"}},
		// The second version, of CUDA 12.8, has the same parameters.
		{&f.eventElapsed, []string{"cuEventElapsedTime_v2", "cuEventElapsedTime"}},
		{&f.eventDestroy, []string{"cuEventDestroy_v2"}},
	} {
		name := b.names[0]
		if len(b.names) > 1 && !l.Has(name) {
			name = b.names[1]
		}
		address, err := l.Symbol(name)
		if err != nil {
			return nil, err
		}
		*b.to = function{name, address}
	}
	address, err := purego.Dlsym(purego.RTLD_DEFAULT, "fflush")
	if err != nil {
		return nil, &nvidia.MissingError{Library: library.Driver.String(), Reason: "the C library of this process has no fflush: " + err.Error()}
	}
	f.flush = function{"fflush", address}
	return f, nil
}

// call calls a function of the library whose result is a CUresult. It is for what
// happens now and then: context.quick is for requests.
//
// The pragma makes `uintptr(unsafe.Pointer(p))` in the list of arguments sound:
// *p is moved to the heap, and alive until call returns.
//
//go:uintptrescapes
func (f *functions) call(fn *function, arguments ...uintptr) error {
	result, _, _ := purego.SyscallN(fn.address, arguments...)
	if int32(result) == 0 {
		return nil
	}
	return f.refusal(fn.name, int32(result))
}

// refusal is the error of a call, in the driver's own words.
func (f *functions) refusal(call string, result int32) error {
	return &nvidia.Error{
		Library: library.Driver.String(),
		Call:    call,
		Code:    int(result),
		Name:    f.describe(&f.errorName, result, "a result without a name"),
		Text:    f.describe(&f.errorString, result, ""),
	}
}

// describe asks cuGetErrorName or cuGetErrorString.
func (f *functions) describe(fn *function, result int32, unknown string) string {
	// The driver writes an address of its own into text, which Go's collector
	// leaves alone since it is outside of its heap.
	var text *byte
	refused, _, _ := purego.SyscallN(fn.address, uintptr(result), uintptr(unsafe.Pointer(&text)))
	if int32(refused) != 0 || text == nil {
		return unknown
	}
	return goString(text)
}

// goString copies a string of C, which ends before its first zero byte.
func goString(text *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(text), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(text, n))
}

// cString is s as C has it.
func cString(s string) *byte {
	b := make([]byte, len(s)+1)
	copy(b, s)
	return &b[0]
}
