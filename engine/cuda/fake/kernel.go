package fake

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"workbench/engine/cuda/nvidia"
	"workbench/engine/device"
)

// A Kernel is a CUDA kernel as a Go function.
type Kernel struct {
	Parameters []int           // bytes of each, as C lays it out
	Thread     func(t *Thread) // what one thread does; called for each of the grid, one after the other
}

// Thread is one thread of a launch. Its methods end the kernel where a GPU
// would: a Thread function does not return from one that failed.
type Thread struct {
	GridDim, BlockDim   nvidia.Dim3
	BlockIdx, ThreadIdx nvidia.Dim3
	SharedBytes         uint32          // dynamic, of each block
	Contract            device.Contract // how the image was compiled

	arguments [][]byte
	primary   *primary
	module    *module
	waited    time.Duration
}

// Argument returns the bytes of a parameter.
func (t *Thread) Argument(i int) []byte { return t.arguments[i] }

// Pointer returns a parameter of 8 bytes as an address.
func (t *Thread) Pointer(i int) nvidia.Pointer {
	return nvidia.Pointer(binary.LittleEndian.Uint64(t.arguments[i]))
}

// Int returns a parameter of 4 bytes as an int.
func (t *Thread) Int(i int) int { return int(int32(binary.LittleEndian.Uint32(t.arguments[i]))) }

// Variable returns where a variable of the kernel's module is.
func (t *Thread) Variable(symbol string) nvidia.Pointer {
	for _, v := range t.module.variables {
		if v.symbol == symbol {
			return v.at
		}
	}
	panic("BUG: the module has no variable " + symbol)
}

// Load reads a number of 1, 2, 4 or 8 bytes.
func (t *Thread) Load(p nvidia.Pointer, size int) uint64 {
	a, at := t.access(p, size)
	return a.load(at, size)
}

// Store writes a number of 1, 2, 4 or 8 bytes.
func (t *Thread) Store(p nvidia.Pointer, size int, value uint64) {
	a, at := t.access(p, size)
	a.store(at, size, value)
}

func (t *Thread) access(p nvidia.Pointer, size int) (*allocation, uint64) {
	if uint64(p)%uint64(size) != 0 {
		t.Fail(nvidia.MisalignedAddress)
	}
	a, at := t.primary.memory.find(p, uint64(size))
	if a == nil {
		t.Fail(nvidia.IllegalAddress)
	}
	return a, at
}

// Printf is the device's printf: what it writes reaches the host when it waits.
func (t *Thread) Printf(format string, args ...any) {
	t.primary.printed = fmt.Appendf(t.primary.printed, format, args...)
}

// Wait lets the kernel take so much of the clock.
func (t *Thread) Wait(d time.Duration) { t.waited += d }

// Fail ends the kernel with one of the driver's results.
func (t *Thread) Fail(code int) { panic(ending{failed: code}) }

// Forever never ends, until Machine.Release.
func (t *Thread) Forever() { panic(ending{endless: true}) }

// ending is how a kernel ends before all its threads have.
type ending struct {
	failed  int
	endless bool
}

// Limits of every device (CUDA C++ Programming Guide, technical specifications
// per compute capability).
var (
	mostBlocks  = nvidia.Dim3{X: 1<<31 - 1, Y: 1<<16 - 1, Z: 1<<16 - 1}
	mostThreads = nvidia.Dim3{X: 1024, Y: 1024, Z: 64}
)

func within(d, most nvidia.Dim3) bool {
	return d.X >= 1 && d.Y >= 1 && d.Z >= 1 && d.X <= most.X && d.Y <= most.Y && d.Z <= most.Z
}

// Launch runs the whole kernel, and reports what failed in it later.
func (c *Context) Launch(f nvidia.Function, grid, block nvidia.Dim3, sharedBytes uint32, parameters [][]byte) error {
	call := Call{Name: "cuLaunchKernel"}
	of, known := c.primary.alive[uintptr(f)].(*function)
	if known {
		call.What = of.symbol
	}
	if err := c.call(call); err != nil {
		return err
	}
	fail := func(code int, format string, args ...any) error {
		e := refuse(call.Name, code)
		e.Text += fmt.Sprintf(" ("+format+")", args...)
		return e
	}
	if !known {
		return refuse(call.Name, invalidHandle)
	}
	threads := uint64(block.X) * uint64(block.Y) * uint64(block.Z)
	switch {
	case !within(grid, mostBlocks):
		return fail(nvidia.InvalidValue, "the grid is %v", grid)
	case !within(block, mostThreads) || threads > uint64(c.device.MaxThreadsPerBlock):
		return fail(nvidia.InvalidValue, "the block is %v", block)
	case int64(sharedBytes) > int64(c.device.MaxSharedPerBlock):
		return fail(nvidia.InvalidValue, "%d bytes of shared memory", sharedBytes)
	}
	kernel, ok := c.machine.kernels[c.machine.expression(of.symbol)]
	if !ok {
		return fail(nvidia.InvalidImage, "the fake has no function for the kernel %s: give it one in Config.Kernels", of.symbol)
	}
	sizes := make([]int, len(parameters))
	for i, p := range parameters {
		sizes[i] = len(p)
	}
	// A GPU would read whatever lies where the arguments should be.
	if !slices.Equal(sizes, kernel.Parameters) || !slices.Equal(of.parameters, kernel.Parameters) {
		return fail(nvidia.InvalidValue, "the parameters have %v bytes, those of the image %v, those of the fake's function %v", sizes, of.parameters, kernel.Parameters)
	}

	arguments := make([][]byte, len(parameters))
	for i, b := range parameters { // they are the caller's again when this returns
		arguments[i] = slices.Clone(b)
	}
	c.enqueue(kernel, &Thread{GridDim: grid, BlockDim: block, SharedBytes: sharedBytes, Contract: of.contract, arguments: arguments, primary: c.primary, module: of.of})
	return nil
}

// enqueue runs a kernel on the stream, unless the stream has come to a stop.
func (c *Context) enqueue(k Kernel, t *Thread) {
	p, clock := c.primary, c.machine.config.Clock
	begin := max(p.idle, clock.Now())
	if p.failed == 0 && !p.hanging {
		end := run(k, t)
		p.failed, p.hanging = end.failed, end.endless
	}
	p.idle = max(begin+t.waited+c.machine.config.Slow, clock.Now())
}

// run calls the kernel for every thread of the grid, or once without one.
func run(k Kernel, t *Thread) (end ending) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case ending:
			end = r
		default:
			panic(r)
		}
	}()
	if t.GridDim == (nvidia.Dim3{}) {
		k.Thread(t)
		return ending{}
	}
	each(t.GridDim, &t.BlockIdx, func() {
		each(t.BlockDim, &t.ThreadIdx, func() { k.Thread(t) })
	})
	return ending{}
}

// each sets index to every index of an extent, x fastest.
func each(extent nvidia.Dim3, index *nvidia.Dim3, do func()) {
	for index.Z = 0; index.Z < extent.Z; index.Z++ {
		for index.Y = 0; index.Y < extent.Y; index.Y++ {
			for index.X = 0; index.X < extent.X; index.X++ {
				do()
			}
		}
	}
}
