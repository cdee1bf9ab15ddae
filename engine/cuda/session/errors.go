package session

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"workbench/engine/cuda/compile"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/device"
	"workbench/engine/launch"
)

// told is an error in the words of a device, with the library's own behind it.
type told struct {
	shown error
	cause error
}

func (t *told) Error() string   { return t.shown.Error() }
func (t *told) Unwrap() []error { return []error{t.shown, t.cause} }

// tell puts shown in front of its cause, if there is one.
func tell(shown, cause error) error {
	if cause == nil {
		return shown
	}
	return &told{shown: shown, cause: cause}
}

// Sticky reports whether an error means that nothing works any more in this
// process: it must end, and another one be started.
func Sticky(err error) bool {
	var refused *nvidia.Error
	return errors.As(err, &refused) && refused.Sticky()
}

// Results of the driver that are told apart while it starts, and mean nothing
// else later (cuda.h).
const (
	stubLibrary             = 34
	deviceUnavailable       = 46
	systemNotReady          = 802
	compatNotSupportedOnGPU = 804
)

// Explain returns an error met while the driver or the device with that ordinal
// was opened in the words of a device: a *device.UnavailableError that says what
// is missing and what to do. An error that is none of a library's stays as it is.
func Explain(ordinal int, err error) error {
	var missing *nvidia.MissingError
	var refused *nvidia.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &missing):
		return unavailable(ordinal, 0, missing)
	case errors.As(err, &refused):
		return tell(notOpened(ordinal, refused), err)
	}
	return err
}

// notOpened says why a driver that is there did not start, or did not open a
// device.
func notOpened(ordinal int, e *nvidia.Error) *device.UnavailableError {
	say := func(reason, next string) *device.UnavailableError {
		return &device.UnavailableError{Spec: specOf(ordinal), Reason: reason + " (" + e.Error() + ")", Next: next}
	}
	switch e.Code {
	case nvidia.NoDevice:
		return say("the driver finds no NVIDIA GPU", "check that nvidia-smi lists one; in a container, start it with --gpus all"+visible())
	case nvidia.SystemDriverMismatch:
		return say("the driver's parts are of different versions", "restart the computer, which an update of the driver needs; in a container, install no driver and no CUDA compatibility package inside")
	case compatNotSupportedOnGPU:
		return say("the CUDA compatibility package does not work on this GPU", "remove the package (cuda-compat) or its folder from LD_LIBRARY_PATH, and update the driver instead")
	case stubLibrary:
		return say("the library that was found is a stub for building programs and not the driver", "remove the toolkit's stubs folder from LD_LIBRARY_PATH, and install the NVIDIA driver if there is none")
	case systemNotReady:
		return say("the GPUs are not ready", "start NVIDIA's fabric manager (systemctl start nvidia-fabricmanager), wait a moment, and try again")
	case nvidia.InvalidDevice:
		return say("there is no such GPU", "use one that nvidia-smi lists"+visible())
	case deviceUnavailable:
		return say("another program has the GPU to itself", "end that program (nvidia-smi lists it), or set the GPU's compute mode to default")
	case nvidia.OutOfMemory:
		return say("the GPU's memory has no room for another program", "end other programs that use the GPU (nvidia-smi lists them)")
	case nvidia.Unknown:
		return say("the driver could not start", "check that nvidia-smi works; after the computer slept or the driver was updated, restart the computer")
	}
	return say("the driver refused to start", "check that nvidia-smi works, and restart the computer if it does not")
}

// unavailable says which library is not there and what to install. Version is
// the driver's, or 0.
func unavailable(ordinal, version int, e *nvidia.MissingError) error {
	u := &device.UnavailableError{Spec: specOf(ordinal)}
	for _, t := range e.Tried {
		u.Tried = append(u.Tried, t.Path+": "+t.Why)
	}
	const folder = "or the CUDA toolkit, or name the folder that it is in with COURSE_CUDA_LIBRARY_DIR"
	switch e.Library {
	case "NVRTC":
		u.Reason = "NVRTC was not found, which compiles kernels that are not among the workbench's own"
		u.Next = fmt.Sprintf("install it (pip install %s), %s; kernels that nobody edited need no compiler", wheel("nvidia-cuda-nvrtc", version), folder)
	case "cuBLAS":
		u.Reason = "cuBLAS was not found, which multiplies where a device's name says library"
		u.Next = fmt.Sprintf("install it (pip install %s), %s; or use cuda:%d,fused, the workbench's own kernel under the same contract", wheel("nvidia-cublas", version), folder, ordinal)
	default:
		u.Reason = "the NVIDIA driver was not found"
		u.Next = "install the NVIDIA driver, version 520 or newer; in a container, start it with --gpus all; or use the device cpu, which gives the same bits"
		if os.Getenv("COURSE_CUDA_DRIVER") != "" {
			u.Next = "COURSE_CUDA_DRIVER names the only file that is tried: unset it, or name the driver's libcuda.so.1; or use the device cpu, which gives the same bits"
		}
	}
	if len(e.Tried) == 0 && e.Reason != "" {
		u.Reason = e.Reason
		switch {
		case e.Library != "driver":
		case e.Found != "":
			u.Next = "update the NVIDIA driver to version 520 or newer; or use the device cpu, which gives the same bits"
		default:
			u.Next = "use the device cpu, which gives the same bits"
		}
	}
	return tell(u, e)
}

// wheel returns the Python package of a library for a driver: NVIDIA's names have
// the major version of CUDA up to 12.
func wheel(name string, version int) string {
	if major := version / 1000; major == 11 || major == 12 {
		return fmt.Sprintf("%s-cu%d", name, major)
	}
	return name
}

// cudaVersion writes 13000 as 13.0.
func cudaVersion(v int) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }

func tooOldForPTX(ordinal, version int, cause error) error {
	return tell(&device.UnavailableError{
		Spec:   specOf(ordinal),
		Reason: fmt.Sprintf("the driver is too old: it supports CUDA %s, and the PTX of the workbench's kernels needs %s", cudaVersion(version), cudaVersion(oldestDriver)),
		Next:   "update the NVIDIA driver to version 520 or newer",
	}, cause)
}

// tooOldForLibrary is about a library that the driver cannot serve. Minimum
// drivers: CUDA Compatibility, minor version compatibility.
func (s *Session) tooOldForLibrary(library string, cause error) error {
	next := "update the NVIDIA driver"
	switch major := s.version / 1000; major {
	case 11:
		next += " to version 525 or newer for CUDA 12, or 580 or newer for CUDA 13"
	case 12:
		next += " to version 580 or newer"
	}
	return tell(&device.UnavailableError{
		Spec:   s.spec,
		Reason: fmt.Sprintf("the driver is too old for the library: it supports CUDA %s, and %s", cudaVersion(s.version), library),
		Next:   fmt.Sprintf("%s, or install the library for CUDA %d", next, s.version/1000),
	}, cause)
}

// outOfMemory is about a request that needs so many bytes in all.
func (s *Session) outOfMemory(needs, free uint64, cause error) error {
	asked := needs
	if held := s.staging.held(); held < asked {
		asked -= held
	}
	return tell(&device.MemoryError{Spec: s.spec, Asked: asked, Free: free, Reserve: Reserve}, cause)
}

// failed returns the error of a call in the words of a device, and remembers one
// after which nothing works. What says what was being done: "the product
// [1,2,3]·[1,3,2]".
func (s *Session) failed(err error, what string) error {
	if err == nil {
		return nil
	}
	var refused *nvidia.Error
	if !errors.As(err, &refused) {
		return err
	}
	f := &device.FaultError{Spec: s.spec, Detail: what + ": " + refused.Error()}
	switch refused.Library {
	case "driver":
		s.explainFault(f, refused)
	case "NVRTC":
		f.Fault = device.DriverFailure
		f.Next = "NVRTC refused for a reason of its own: try another version of it, named with COURSE_CUDA_LIBRARY_DIR"
		if strings.Contains(refused.Log, "libnvrtc-builtins") {
			f.Next = "install NVRTC again: it comes with a second file, libnvrtc-builtins, which must lie in the same folder"
		}
	default:
		f.Fault = device.DriverFailure
		f.Next = fmt.Sprintf("use cuda:%d,fused, the workbench's own kernel under the same contract, or another version of cuBLAS, named with COURSE_CUDA_LIBRARY_DIR", s.spec.Ordinal)
	}
	shown := tell(f, err)
	if isOutOfMemory(err) {
		shown = s.memoryOf(err)
	}
	if Sticky(err) {
		s.broken = shown
	}
	return shown
}

// explainFault fills in what a result of the driver means for a request.
func (s *Session) explainFault(f *device.FaultError, e *nvidia.Error) {
	switch e.Code {
	case nvidia.IllegalAddress, nvidia.MisalignedAddress, nvidia.InvalidAddressSpace:
		f.Fault = device.IllegalAddress
		f.Next = "hold every index that the kernel computes against the sizes of its buffers, before it reads or writes"
	case nvidia.LaunchOutOfResources:
		f.Fault = device.LaunchFailure
		f.Next = "the kernel needs more registers or shared memory than a block of this size has: make the block smaller"
	case nvidia.LaunchTimeout:
		f.Fault = device.TimeLimit
		f.Next = "the driver ends kernels that take seconds on a GPU which also draws the screen: give the kernel less to do in one launch"
	case nvidia.LaunchFailed, nvidia.HardwareStackError, nvidia.IllegalInstruction, nvidia.InvalidPC:
		f.Fault = device.LaunchFailure
		f.Next = "the kernel ended abnormally: look for addresses that are none, recursion without an end, and trap"
	case nvidia.Assert:
		f.Fault = device.LaunchFailure
		f.Next = "an assert of the kernel did not hold"
	case nvidia.ECCUncorrectable:
		f.Fault = device.DriverFailure
		f.Next = "the GPU's memory has an error that cannot be corrected: reset the GPU or restart the computer, and look at nvidia-smi -q -d ECC"
	default:
		f.Fault = device.DriverFailure
		f.Next = "try again; if it stays so, check that nvidia-smi works, and restart the computer if it does not"
		if e.Call == launchCall && (e.Code == nvidia.InvalidValue || e.Code == nvidia.InvalidImage) {
			f.Fault = device.LaunchFailure
			f.Next = "the driver does not take the launch: check the grid, the block, the shared memory and the arguments"
		}
	}
}

// launchCall begins a kernel.
const launchCall = "cuLaunchKernel"

// memoryOf is about memory that the driver wanted for itself: for a module, a
// library, or a kernel's stack.
func (s *Session) memoryOf(cause error) error {
	free, _, err := s.context.Memory()
	if err != nil {
		free = 0
	}
	return tell(&device.MemoryError{Spec: s.spec, Free: free, Reserve: Reserve}, cause)
}

// notLoaded says why the driver did not load an image. Compiled is the compiler's
// version, and empty for PTX that comes with the workbench.
func (s *Session) notLoaded(err error, k launch.Kernel, compiled string) error {
	var refused *nvidia.Error
	if !errors.As(err, &refused) || refused.Library != "driver" {
		return s.failed(err, "loading "+k.File)
	}
	switch {
	case refused.Code == nvidia.UnsupportedPTXVersion && compiled == "":
		return tooOldForPTX(s.spec.Ordinal, s.version, err)
	case refused.Code == nvidia.UnsupportedPTXVersion:
		return s.tooOldForLibrary("does not read the PTX of NVRTC "+compiled, err)
	case refused.Code == nvidia.InvalidPTX && compiled != "":
		return tell(&launch.CompileError{File: k.File, Log: refused.Log}, err)
	}
	return s.failed(err, "loading "+k.File)
}

// notCompiled says why a kernel was not compiled.
func (s *Session) notCompiled(err error, k launch.Kernel) error {
	var architecture *compile.ArchitectureError
	if errors.As(err, &architecture) {
		return tell(&device.UnavailableError{Spec: s.spec, Reason: architecture.Reason(), Next: architecture.Next()}, err)
	}
	return s.failed(err, "compiling "+k.File)
}

// notStarted says why cuBLAS is there and did not start.
func (s *Session) notStarted(err error) error {
	// It may be the driver that refuses everything.
	if driver := s.context.Synchronize(); driver != nil {
		return s.failed(driver, "opening cuBLAS")
	}
	var refused *nvidia.Error
	if !errors.As(err, &refused) || refused.Library == "driver" {
		return s.failed(err, "opening cuBLAS")
	}
	return tell(&device.UnavailableError{
		Spec:   s.spec,
		Reason: "cuBLAS did not start (" + refused.Error() + ")",
		Next:   fmt.Sprintf("see that its version fits the driver, which supports CUDA %s, and that the GPU has memory free; or use cuda:%d,fused, the workbench's own kernel under the same contract", cudaVersion(s.version), s.spec.Ordinal),
	}, err)
}
