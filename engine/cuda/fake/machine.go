package fake

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"workbench/engine/cuda/nvidia"
)

// Config is a machine to pretend. The zero value is one with a single GPU and
// every library.
type Config struct {
	Devices  []nvidia.Device // nil means GPUs(1); empty means that there is none
	Memory   uint64          // of every device in all, in bytes; 0 means what Devices say
	Driver   Library         // Version as 1000 major + 10 minor; 0 means 13000
	Compiler Library         // Version likewise; 0 means 13000
	BLAS     Library         // Version as cuBLAS writes it; 0 means 130100
	Faults   Faults
	Slow     time.Duration     // what each kernel takes of the clock
	Clock    Clock             // nil means the machine's own
	Kernels  map[string]Kernel // by symbol, beside those the package has
	Output   io.Writer         // where kernels print to; nil means the process's standard output
}

// Library is one of NVIDIA's on a pretended machine.
type Library struct {
	Missing bool
	Version int
}

// GPUs describes so many GPUs, with the figures of an H200 but its memory.
func GPUs(n int) []nvidia.Device {
	out := make([]nvidia.Device, n)
	for i := range out {
		out[i] = nvidia.Device{
			Ordinal: i, Name: fmt.Sprintf("Fake GPU %d", i), UUID: fmt.Sprintf("GPU-00000000-0000-4000-8000-%012d", i),
			Major: 9, Minor: 0, Memory: 16 << 30,
			Multiprocessors: 132, MaxThreadsPerBlock: 1024, MaxSharedPerBlock: 48 << 10, MaxRegistersPerBlock: 64 << 10,
			ClockKHz: 1_980_000, MemoryClockKHz: 3_201_000, MemoryBusWidth: 6144, L2Bytes: 60 << 20,
		}
	}
	return out
}

// Machine is a computer with pretended GPUs. Its methods may be called by any
// goroutine; what they return is used as the libraries' own are.
type Machine struct {
	config   Config
	kernels  map[string]Kernel
	lowered  map[string]string // guarded by mu: the expression that a name in an image stands for
	released chan struct{}

	mu      sync.Mutex
	calls   []Call           // guarded by mu
	counts  map[string]int   // guarded by mu
	primary map[int]*primary // guarded by mu; by ordinal
	current map[int]*Context // guarded by mu; by thread
	freed   bool             // guarded by mu: released is closed
}

// New makes a machine. A fault of a function that is not there would never
// happen, so it panics.
func New(c Config) *Machine {
	for call := range c.Faults {
		if !isCall(call) {
			panic("BUG: the fake has no function " + call)
		}
	}
	if c.Devices == nil {
		c.Devices = GPUs(1)
	}
	c.Devices = slices.Clone(c.Devices)
	for i := range c.Devices {
		if c.Memory != 0 {
			c.Devices[i].Memory = c.Memory
		}
	}
	if c.Driver.Version == 0 {
		c.Driver.Version = 13000
	}
	if c.Compiler.Version == 0 {
		c.Compiler.Version = 13000
	}
	if c.BLAS.Version == 0 {
		c.BLAS.Version = 130100
	}
	if c.Clock == nil {
		c.Clock = wall{time.Now()}
	}
	if c.Output == nil {
		c.Output = os.Stdout
	}
	kernels := builtin()
	maps.Copy(kernels, c.Kernels)
	return &Machine{
		config: c, kernels: kernels, lowered: map[string]string{}, released: make(chan struct{}),
		counts: map[string]int{}, primary: map[int]*primary{}, current: map[int]*Context{},
	}
}

// Release lets everything go on that hangs, and nothing hang from now on.
func (m *Machine) Release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.freed {
		m.freed = true
		close(m.released)
	}
}

// A Call is one call of a library.
type Call struct {
	Name  string // of the library's function: "cuMemAlloc_v2"
	Bytes uint64 // that it allocated, copied or filled
	What  string // the symbol that it looked up or launched
}

// mostCalls bounds the log, for benchmarks.
const mostCalls = 1 << 16

// Calls returns what was called, in order, at most the first 65536 calls.
func (m *Machine) Calls() []Call {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.calls)
}

// Forget empties the log of calls. The counts that faults go by go on.
func (m *Machine) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = m.calls[:0]
}

func (m *Machine) log(c Call) {
	m.mu.Lock()
	if len(m.calls) < mostCalls {
		m.calls = append(m.calls, c)
	}
	m.mu.Unlock()
}

// Holdings is what a device holds at the moment.
type Holdings struct {
	Allocations int
	Bytes       uint64
	Handles     int // modules, their functions, events and BLAS handles
}

// Holds returns what is allocated on a device, to find what was not given back.
func (m *Machine) Holds(ordinal int) Holdings {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.primary[ordinal]
	if p == nil {
		return Holdings{}
	}
	return Holdings{Allocations: len(p.memory.live), Bytes: p.memory.used, Handles: len(p.alive)}
}

// missing is what opening a library says that is not there.
func missing(library string, names ...string) *nvidia.MissingError {
	e := &nvidia.MissingError{Library: library}
	for _, name := range names {
		e.Tried = append(e.Tried, nvidia.Tried{Path: name, Why: name + ": cannot open shared object file: No such file or directory"})
	}
	return e
}

// lower remembers which expression a name in an image stands for.
func (m *Machine) lower(name, expression string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lowered[name] = expression
}

// expression returns what the fake's own function of a kernel is called.
func (m *Machine) expression(symbol string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.lowered[symbol]; ok {
		return e
	}
	return symbol
}
