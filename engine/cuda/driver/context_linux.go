//go:build amd64 || arm64

package driver

import (
	"encoding/binary"
	"errors"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"

	"workbench/engine/cuda/library"
	"workbench/engine/cuda/nvidia"
)

// context is one GPU as one thread uses it. That thread alone calls its methods,
// so that nothing here is guarded.
type context struct {
	*functions
	device  int32
	primary uintptr // the driver's own handle of the context
	closed  bool

	// out is where the driver writes results: part of the context, so that a
	// call need not allocate it.
	out struct {
		a, b         uint64
		milliseconds float32
	}

	// The arguments of a launch: their bytes, and the address of each.
	arguments []byte
	addresses []unsafe.Pointer

	registers [11]uintptr // what a call passes to C
}

// quick calls a function of at most three arguments, and allocates nothing: the
// compiler puts the list of call's arguments on the heap each time. What a function
// has no parameter for lies in a register that it does not read.
//
//go:uintptrescapes
func (c *context) quick(fn *function, a0, a1, a2 uintptr) error {
	c.registers[0], c.registers[1], c.registers[2] = a0, a1, a2
	return c.through(fn, 3)
}

// through calls a function with the first n of c.registers.
func (c *context) through(fn *function, n int) error {
	result, _, _ := purego.SyscallN(fn.address, c.registers[:n]...)
	if int32(result) == 0 {
		return nil
	}
	return c.refusal(fn.name, int32(result))
}

func (c *context) Bind() error { return c.quick(&c.setCurrent, c.primary, 0, 0) }

func (c *context) Memory() (free, total uint64, err error) {
	err = c.quick(&c.memGetInfo, uintptr(unsafe.Pointer(&c.out.a)), uintptr(unsafe.Pointer(&c.out.b)), 0)
	if err != nil {
		return 0, 0, err
	}
	return c.out.a, c.out.b, nil
}

func (c *context) Alloc(bytes uint64) (nvidia.Pointer, error) {
	if err := c.quick(&c.memAlloc, uintptr(unsafe.Pointer(&c.out.a)), uintptr(bytes), 0); err != nil {
		return 0, err
	}
	return nvidia.Pointer(c.out.a), nil
}

func (c *context) Free(p nvidia.Pointer) error {
	return c.quick(&c.memFree, uintptr(p), 0, 0)
}

func (c *context) CopyIn(to nvidia.Pointer, from []byte) error {
	if len(from) == 0 {
		return nil
	}
	return c.quick(&c.memcpyHtoD, uintptr(to), uintptr(unsafe.Pointer(&from[0])), uintptr(len(from)))
}

func (c *context) CopyOut(to []byte, from nvidia.Pointer) error {
	if len(to) == 0 {
		return nil
	}
	return c.quick(&c.memcpyDtoH, uintptr(unsafe.Pointer(&to[0])), uintptr(from), uintptr(len(to)))
}

func (c *context) Fill(p nvidia.Pointer, value byte, bytes uint64) error {
	if bytes == 0 {
		return nil
	}
	return c.quick(&c.memsetD8, uintptr(p), uintptr(value), uintptr(bytes))
}

// Options of cuModuleLoadDataEx (enum CUjit_option).
const (
	jitInfoLog      = 3
	jitInfoLogSize  = 4
	jitErrorLog     = 5
	jitErrorLogSize = 6
)

// logSize is what the driver may write of what it has to say about an image: the
// first messages of a compiler are the ones to read.
const logSize = 16 << 10

func (c *context) Load(image []byte) (nvidia.Module, error) {
	image, err := complete(image)
	if err != nil {
		return 0, err
	}
	info, problems := make([]byte, logSize), make([]byte, logSize)

	// The driver finds the buffers' addresses in values, where Go's collector does
	// not see them as such: they are pinned until the call is over.
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&info[0])
	pin.Pin(&problems[0])
	options := [...]int32{jitInfoLog, jitInfoLogSize, jitErrorLog, jitErrorLogSize}
	values := [...]uintptr{
		uintptr(unsafe.Pointer(&info[0])), uintptr(len(info)),
		uintptr(unsafe.Pointer(&problems[0])), uintptr(len(problems)),
	}

	err = c.call(&c.moduleLoad,
		uintptr(unsafe.Pointer(&c.out.a)), uintptr(unsafe.Pointer(&image[0])),
		uintptr(len(options)), uintptr(unsafe.Pointer(&options)), uintptr(unsafe.Pointer(&values)))
	if err != nil {
		var refused *nvidia.Error
		if errors.As(err, &refused) {
			refused.Log = logOf(problems) + logOf(info)
		}
		return 0, err
	}
	return nvidia.Module(c.out.a), nil
}

// logOf returns what the driver wrote, which ends before the first zero byte.
func logOf(buffer []byte) string {
	text, _, _ := strings.Cut(string(buffer), "\x00")
	return text
}

// complete returns an image that the driver can read to its end. It is given no
// length: a text ends with a zero byte, and an ELF file, as a cubin is one, says in
// its header where its tables are.
func complete(image []byte) ([]byte, error) {
	if len(image) < 4 || string(image[:4]) != "\x7fELF" {
		if len(image) == 0 || image[len(image)-1] != 0 {
			return append(image[:len(image):len(image)], 0), nil
		}
		return image, nil
	}
	const headerSize = 64 // of ELF's 64-bit form
	if len(image) >= headerSize {
		tablesEnd := func(offset, entrySize, entries int) (uint64, bool) {
			at := binary.LittleEndian.Uint64(image[offset:])
			size := uint64(binary.LittleEndian.Uint16(image[entrySize:])) * uint64(binary.LittleEndian.Uint16(image[entries:]))
			return at + size, at <= at+size
		}
		segments, ok := tablesEnd(0x20, 0x36, 0x38)
		sections, okToo := tablesEnd(0x28, 0x3A, 0x3C)
		if ok && okToo && max(segments, sections) <= uint64(len(image)) {
			return image, nil
		}
	}
	return nil, &nvidia.Error{
		Library: library.Driver.String(), Call: "cuModuleLoadDataEx",
		Code: nvidia.InvalidImage, Name: "CUDA_ERROR_INVALID_IMAGE", Text: "the image ends before its tables do",
	}
}

func (c *context) Unload(m nvidia.Module) error {
	return c.quick(&c.moduleUnload, uintptr(m), 0, 0)
}

func (c *context) Function(m nvidia.Module, symbol string) (nvidia.Function, error) {
	name := cString(symbol)
	if err := c.quick(&c.moduleGetFunction, uintptr(unsafe.Pointer(&c.out.a)), uintptr(m), uintptr(unsafe.Pointer(name))); err != nil {
		return 0, err
	}
	return nvidia.Function(c.out.a), nil
}

func (c *context) Global(m nvidia.Module, symbol string) (nvidia.Pointer, uint64, error) {
	name := cString(symbol)
	err := c.call(&c.moduleGetGlobal,
		uintptr(unsafe.Pointer(&c.out.a)), uintptr(unsafe.Pointer(&c.out.b)), uintptr(m), uintptr(unsafe.Pointer(name)))
	if err != nil {
		return 0, 0, err
	}
	return nvidia.Pointer(c.out.a), c.out.b, nil
}

func (c *context) Launch(f nvidia.Function, grid, block nvidia.Dim3, sharedBytes uint32, parameters [][]byte) error {
	var addresses uintptr
	if len(parameters) > 0 {
		c.layOut(parameters)
		addresses = uintptr(unsafe.Pointer(&c.addresses[0]))
	}
	c.registers = [...]uintptr{
		uintptr(f),
		uintptr(grid.X), uintptr(grid.Y), uintptr(grid.Z),
		uintptr(block.X), uintptr(block.Y), uintptr(block.Z),
		uintptr(sharedBytes),
		0, // the default stream
		addresses,
		0, // no other arguments
	}
	err := c.through(&c.launchKernel, len(c.registers))
	// Both arrays of the arguments belong to c, and so live until here. The driver
	// has read them when it returns.
	runtime.KeepAlive(c)
	return err
}

// layOut copies the arguments into memory of the context, which is on the heap
// wherever the caller has them, and writes down where each begins.
func (c *context) layOut(parameters [][]byte) {
	// No type of CUDA C is aligned more strictly.
	const alignment = 16
	size := 0
	for _, p := range parameters {
		size += (len(p) + alignment) / alignment * alignment // at least one, so that each has an address
	}
	if size > len(c.arguments) {
		c.arguments = make([]byte, size)
	}
	c.addresses = c.addresses[:0]
	at := 0
	for _, p := range parameters {
		copy(c.arguments[at:], p)
		c.addresses = append(c.addresses, unsafe.Pointer(&c.arguments[at]))
		at += (len(p) + alignment) / alignment * alignment
	}
}

func (c *context) NewEvent() (nvidia.Event, error) {
	const timed = 0 // CU_EVENT_DEFAULT
	if err := c.quick(&c.eventCreate, uintptr(unsafe.Pointer(&c.out.a)), timed, 0); err != nil {
		return 0, err
	}
	return nvidia.Event(c.out.a), nil
}

func (c *context) Record(e nvidia.Event) error {
	return c.quick(&c.eventRecord, uintptr(e), 0, 0)
}

func (c *context) Elapsed(start, end nvidia.Event) (float64, error) {
	if err := c.quick(&c.eventElapsed, uintptr(unsafe.Pointer(&c.out.milliseconds)), uintptr(start), uintptr(end)); err != nil {
		return 0, err
	}
	return float64(c.out.milliseconds), nil
}

func (c *context) DestroyEvent(e nvidia.Event) error {
	return c.quick(&c.eventDestroy, uintptr(e), 0, 0)
}

func (c *context) Synchronize() error {
	err := c.quick(&c.synchronize, 0, 0, 0)
	// The driver prints what kernels print through libc, whose buffers Go does not
	// see. fflush of no stream writes them all, and its result is of no use here.
	c.registers[0] = 0
	_, _, _ = purego.SyscallN(c.flush.address, c.registers[:1]...)
	return err
}

// Close leaves the context current on the thread: another Context of the same GPU
// may be in use there, and the primary context is one for all.
func (c *context) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	return c.quick(&c.primaryRelease, uintptr(c.device), 0, 0)
}
