//go:build gorgonia && cgo && linux

package gorgonia

// #include <stdio.h>
// #include <cuda.h>
import "C"

import (
	"errors"
	"runtime"
	"strings"
	"unsafe"

	"gorgonia.org/cu"

	"workbench/engine/cuda/nvidia"
)

// context is one GPU as one thread uses it.
type context struct {
	device  cu.Device
	primary cu.CUContext
	closed  bool
}

// gorgonia.org/cu wraps each handle of the driver in a structure of its own. They
// are one pointer wide, or these lines do not compile, so that a handle can be read
// from one, and put into one.
var (
	_ [unsafe.Sizeof(uintptr(0))]byte = [unsafe.Sizeof(cu.Module{})]byte{}
	_ [unsafe.Sizeof(uintptr(0))]byte = [unsafe.Sizeof(cu.Function{})]byte{}
	_ [unsafe.Sizeof(uintptr(0))]byte = [unsafe.Sizeof(cu.Event{})]byte{}
)

// handleOf reads the handle of a cu.Module, cu.Function or cu.Event.
func handleOf[W cu.Module | cu.Function | cu.Event](w W) uintptr {
	return *(*uintptr)(unsafe.Pointer(&w))
}

// withHandle is the reverse.
func withHandle[W cu.Module | cu.Function | cu.Event](handle uintptr) W {
	return *(*W)(unsafe.Pointer(&handle))
}

func (c *context) Bind() error {
	return refusal("cuCtxSetCurrent", cu.SetCurrentContext(c.primary))
}

func (c *context) Memory() (free, total uint64, err error) {
	f, t, err := cu.MemInfo()
	if err != nil {
		return 0, 0, refusal("cuMemGetInfo_v2", err)
	}
	return uint64(f), uint64(t), nil
}

func (c *context) Alloc(bytes uint64) (nvidia.Pointer, error) {
	p, err := cu.MemAlloc(int64(bytes))
	if err != nil {
		return 0, refusal("cuMemAlloc_v2", err)
	}
	return nvidia.Pointer(p), nil
}

func (c *context) Free(p nvidia.Pointer) error {
	return refusal("cuMemFree_v2", cu.MemFree(cu.DevicePtr(p)))
}

func (c *context) CopyIn(to nvidia.Pointer, from []byte) error {
	if len(from) == 0 {
		return nil
	}
	return refusal("cuMemcpyHtoD_v2", cu.MemcpyHtoD(cu.DevicePtr(to), unsafe.Pointer(&from[0]), int64(len(from))))
}

func (c *context) CopyOut(to []byte, from nvidia.Pointer) error {
	if len(to) == 0 {
		return nil
	}
	return refusal("cuMemcpyDtoH_v2", cu.MemcpyDtoH(unsafe.Pointer(&to[0]), cu.DevicePtr(from), int64(len(to))))
}

func (c *context) Fill(p nvidia.Pointer, value byte, bytes uint64) error {
	if bytes == 0 {
		return nil
	}
	return refusal("cuMemsetD8_v2", cu.MemsetD8(cu.DevicePtr(p), value, int64(bytes)))
}

// logSize is what the driver may write of what it has to say about an image.
const logSize = 16 << 10

func (c *context) Load(image []byte) (nvidia.Module, error) {
	info, problems := make([]byte, logSize), make([]byte, logSize)
	// gorgonia.org/cu passes the buffers' addresses on as numbers.
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&info[0])
	pin.Pin(&problems[0])

	// It copies the image to memory of C, with a zero byte behind it.
	m, err := cu.LoadDataEx(string(image), &cu.JITInfoLogBuffer{Buffer: info}, &cu.JITErrorLogBuffer{Buffer: problems})
	if err != nil {
		err = refusal("cuModuleLoadDataEx", err)
		var refused *nvidia.Error
		if errors.As(err, &refused) {
			refused.Log = logOf(problems) + logOf(info)
		}
		return 0, err
	}
	return nvidia.Module(handleOf(m)), nil
}

// logOf returns what the driver wrote, which ends before the first zero byte.
func logOf(buffer []byte) string {
	text, _, _ := strings.Cut(string(buffer), "\x00")
	return text
}

func (c *context) Unload(m nvidia.Module) error {
	return refusal("cuModuleUnload", withHandle[cu.Module](uintptr(m)).Unload())
}

func (c *context) Function(m nvidia.Module, symbol string) (nvidia.Function, error) {
	f, err := withHandle[cu.Module](uintptr(m)).Function(symbol)
	if err != nil {
		return 0, refusal("cuModuleGetFunction", err)
	}
	return nvidia.Function(handleOf(f)), nil
}

func (c *context) Global(m nvidia.Module, symbol string) (nvidia.Pointer, uint64, error) {
	p, bytes, err := withHandle[cu.Module](uintptr(m)).Global(symbol)
	if err != nil {
		return 0, 0, refusal("cuModuleGetGlobal_v2", err)
	}
	return nvidia.Pointer(p), uint64(bytes), nil
}

func (c *context) Launch(f nvidia.Function, grid, block nvidia.Dim3, sharedBytes uint32, parameters [][]byte) error {
	// Room for each argument: at least the eight bytes that gorgonia.org/cu reads.
	const room = 8
	small := true
	addresses := make([]unsafe.Pointer, len(parameters))
	var pin runtime.Pinner
	defer pin.Unpin()
	for i, p := range parameters {
		argument := make([]uint64, max(1, (len(p)+room-1)/room)) // so aligned as any of CUDA C's numbers
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&argument[0])), room*len(argument)), p)
		pin.Pin(&argument[0])
		addresses[i] = unsafe.Pointer(&argument[0])
		small = small && len(p) <= room
	}
	fn := withHandle[cu.Function](uintptr(f))
	if small {
		return refusal("cuLaunchKernel", fn.Launch(
			int(grid.X), int(grid.Y), int(grid.Z), int(block.X), int(block.Y), int(block.Z),
			int(sharedBytes), cu.NoStream, addresses))
	}
	// C finds the arguments' addresses in Go's memory, which is allowed for what is
	// pinned.
	return failed("cuLaunchKernel", C.cuLaunchKernel(*(*C.CUfunction)(unsafe.Pointer(&fn)),
		C.uint(grid.X), C.uint(grid.Y), C.uint(grid.Z), C.uint(block.X), C.uint(block.Y), C.uint(block.Z),
		C.uint(sharedBytes), nil, &addresses[0], nil))
}

func (c *context) NewEvent() (nvidia.Event, error) {
	e, err := cu.MakeEvent(cu.DefaultEvent)
	if err != nil {
		return 0, refusal("cuEventCreate", err)
	}
	return nvidia.Event(handleOf(e)), nil
}

func (c *context) Record(e nvidia.Event) error {
	return refusal("cuEventRecord", withHandle[cu.Event](uintptr(e)).Record(cu.NoStream))
}

func (c *context) Elapsed(start, end nvidia.Event) (float64, error) {
	ms, err := withHandle[cu.Event](uintptr(start)).Elapsed(withHandle[cu.Event](uintptr(end)))
	if err != nil {
		return 0, refusal("cuEventElapsedTime", err)
	}
	return ms, nil
}

func (c *context) DestroyEvent(e nvidia.Event) error {
	event := withHandle[cu.Event](uintptr(e))
	return refusal("cuEventDestroy_v2", cu.DestroyEvent(&event))
}

func (c *context) Synchronize() error {
	err := refusal("cuCtxSynchronize", cu.Synchronize())
	// The driver prints what kernels print through libc, whose buffers Go does not
	// see.
	C.fflush(nil)
	return err
}

// Close leaves the context current on the thread, as package driver does.
func (c *context) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	return refusal("cuDevicePrimaryCtxRelease_v2", c.device.ReleasePrimaryCtx())
}
