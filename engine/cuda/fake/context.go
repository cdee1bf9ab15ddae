package fake

import (
	"fmt"
	"time"

	"workbench/engine/cuda/nvidia"
)

// primary is a device's primary context: what its users share.
type primary struct {
	memory *memory
	users  int
	alive  map[uintptr]any // *module, *function and *event by handle
	last   uintptr         // handle given out
	sticky int             // the result that every call has from now on, or 0

	// The stream. Kernels run at once, and are over on the clock at idle.
	idle    time.Duration
	hanging bool   // a kernel in it never ends
	failed  int    // the result of a kernel in it that nothing has reported yet
	printed []byte // by kernels in it, not written yet
}

// Context is one device as one thread uses it.
type Context struct {
	machine *Machine
	device  nvidia.Device
	primary *primary
	thread  int
	closed  bool
}

var _ nvidia.Context = (*Context)(nil)

// Bind moves the context to the calling thread.
func (c *Context) Bind() error {
	call := Call{Name: "cuCtxSetCurrent"}
	c.machine.log(call)
	if c.closed {
		return refuse(call.Name, nvidia.InvalidContext)
	}
	if refused, _ := c.machine.strike(call.Name); refused != nil {
		return refused
	}
	m := c.machine
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.current[c.thread] == c {
		delete(m.current, c.thread)
	}
	c.thread = thread()
	m.current[c.thread] = c
	return nil
}

// call begins a call: it logs it, and refuses it on another thread than its own,
// after Close, after an error that stays, and where a fault says so.
func (c *Context) call(call Call) error {
	c.machine.log(call)
	if c.closed || thread() != c.thread {
		return refuse(call.Name, nvidia.InvalidContext)
	}
	if c.primary.sticky != 0 {
		return refuse(call.Name, c.primary.sticky)
	}
	refused, later := c.machine.strike(call.Name)
	if refused != nil {
		c.stick(refused)
		return refused
	}
	if later != 0 && c.primary.failed == 0 {
		c.primary.failed = later
	}
	return nil
}

// stick keeps an error that every later call has too.
func (c *Context) stick(e *nvidia.Error) {
	if e.Sticky() {
		c.primary.sticky = e.Code
	}
}

// wait waits for the stream, lets what was printed out, and reports what
// failed in it.
func (c *Context) wait(name string) error {
	p := c.primary
	if p.hanging {
		<-c.machine.released
		p.hanging = false
	}
	if left := p.idle - c.machine.config.Clock.Now(); left > 0 {
		c.machine.config.Clock.Sleep(left)
	}
	if len(p.printed) > 0 {
		if _, err := c.machine.config.Output.Write(p.printed); err != nil {
			return fmt.Errorf("what a kernel printed: %w", err)
		}
		p.printed = nil
	}
	if p.failed == 0 {
		return nil
	}
	e := refuse(name, p.failed)
	p.failed = 0
	c.stick(e)
	return e
}

// begin is call and wait, for the calls that do both.
func (c *Context) begin(call Call) error {
	if err := c.call(call); err != nil {
		return err
	}
	return c.wait(call.Name)
}

func (c *Context) Memory() (free, total uint64, err error) {
	if err := c.call(Call{Name: "cuMemGetInfo_v2"}); err != nil {
		return 0, 0, err
	}
	return c.primary.memory.free(), c.primary.memory.total, nil
}

func (c *Context) Alloc(bytes uint64) (nvidia.Pointer, error) {
	call := Call{Name: "cuMemAlloc_v2", Bytes: bytes}
	if err := c.call(call); err != nil {
		return 0, err
	}
	if bytes == 0 {
		return 0, refuse(call.Name, nvidia.InvalidValue)
	}
	c.machine.mu.Lock()
	defer c.machine.mu.Unlock()
	p := c.primary.memory.alloc(bytes)
	if p == 0 {
		return 0, refuse(call.Name, nvidia.OutOfMemory)
	}
	return p, nil
}

func (c *Context) Free(p nvidia.Pointer) error {
	call := Call{Name: "cuMemFree_v2"}
	if err := c.begin(call); err != nil {
		return err
	}
	c.machine.mu.Lock()
	defer c.machine.mu.Unlock()
	if !c.primary.memory.release(p) {
		return refuse(call.Name, nvidia.InvalidValue)
	}
	return nil
}

// CopyIn refuses memory that was not allocated as the driver does, which looks
// addresses up before it copies: with an invalid value that harms nothing.
func (c *Context) CopyIn(to nvidia.Pointer, from []byte) error {
	if len(from) == 0 {
		return nil // no call
	}
	call := Call{Name: "cuMemcpyHtoD_v2", Bytes: uint64(len(from))}
	if err := c.begin(call); err != nil {
		return err
	}
	a, at := c.primary.memory.find(to, call.Bytes)
	if a == nil {
		return refuse(call.Name, nvidia.InvalidValue)
	}
	a.write(at, from)
	return nil
}

func (c *Context) CopyOut(to []byte, from nvidia.Pointer) error {
	if len(to) == 0 {
		return nil // no call
	}
	call := Call{Name: "cuMemcpyDtoH_v2", Bytes: uint64(len(to))}
	if err := c.begin(call); err != nil {
		return err
	}
	a, at := c.primary.memory.find(from, call.Bytes)
	if a == nil {
		return refuse(call.Name, nvidia.InvalidValue)
	}
	a.read(to, at)
	return nil
}

func (c *Context) Fill(p nvidia.Pointer, value byte, bytes uint64) error {
	if bytes == 0 {
		return nil // no call
	}
	call := Call{Name: "cuMemsetD8_v2", Bytes: bytes}
	if err := c.begin(call); err != nil {
		return err
	}
	a, at := c.primary.memory.find(p, bytes)
	if a == nil {
		return refuse(call.Name, nvidia.InvalidValue)
	}
	a.fill(at, bytes, value)
	return nil
}

// event is a moment of the stream.
type event struct {
	recorded bool
	at       time.Duration
}

func (c *Context) NewEvent() (nvidia.Event, error) {
	if err := c.call(Call{Name: "cuEventCreate"}); err != nil {
		return 0, err
	}
	return nvidia.Event(c.keep(&event{})), nil
}

func (c *Context) Record(e nvidia.Event) error {
	call := Call{Name: "cuEventRecord"}
	if err := c.call(call); err != nil {
		return err
	}
	of, ok := c.primary.alive[uintptr(e)].(*event)
	if !ok {
		return refuse(call.Name, invalidHandle)
	}
	of.recorded, of.at = true, max(c.primary.idle, c.machine.config.Clock.Now())
	return nil
}

func (c *Context) Elapsed(start, end nvidia.Event) (float64, error) {
	call := Call{Name: "cuEventElapsedTime"}
	if err := c.call(call); err != nil {
		return 0, err
	}
	first, ok1 := c.primary.alive[uintptr(start)].(*event)
	last, ok2 := c.primary.alive[uintptr(end)].(*event)
	if !ok1 || !ok2 || !first.recorded || !last.recorded {
		return 0, refuse(call.Name, invalidHandle)
	}
	if c.primary.hanging || max(first.at, last.at) > c.machine.config.Clock.Now() {
		return 0, refuse(call.Name, nvidia.NotReady)
	}
	return float64(last.at-first.at) / float64(time.Millisecond), nil
}

func (c *Context) DestroyEvent(e nvidia.Event) error {
	call := Call{Name: "cuEventDestroy_v2"}
	if err := c.call(call); err != nil {
		return err
	}
	if _, ok := c.primary.alive[uintptr(e)].(*event); !ok {
		return refuse(call.Name, invalidHandle)
	}
	c.drop(uintptr(e))
	return nil
}

func (c *Context) Synchronize() error { return c.begin(Call{Name: "cuCtxSynchronize"}) }

// Close releases the primary context; with its last user goes all it holds.
func (c *Context) Close() error {
	call := Call{Name: "cuDevicePrimaryCtxRelease_v2"}
	c.machine.log(call)
	if c.closed || thread() != c.thread {
		return refuse(call.Name, nvidia.InvalidContext)
	}
	c.closed = true
	m := c.machine
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.current[c.thread] == c {
		delete(m.current, c.thread)
	}
	c.primary.users--
	if c.primary.users == 0 && c.primary.sticky == 0 {
		m.primary[c.device.Ordinal] = nil
	}
	if c.primary.sticky != 0 {
		return refuse(call.Name, c.primary.sticky)
	}
	return nil
}

// keep gives a handle out.
func (c *Context) keep(object any) uintptr {
	c.machine.mu.Lock()
	defer c.machine.mu.Unlock()
	c.primary.last += 0x10
	c.primary.alive[c.primary.last] = object
	return c.primary.last
}

func (c *Context) drop(handle uintptr) {
	c.machine.mu.Lock()
	defer c.machine.mu.Unlock()
	delete(c.primary.alive, handle)
}
