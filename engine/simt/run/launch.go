package run

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/simt/code"
)

// Launch is one kernel on one grid.
type Launch struct {
	Kernel      string          // a kernel's name: "reduce<256>"
	Grid, Block launch.Dim3     // blocks, and threads of each
	SharedBytes int             // of dynamic shared memory
	Args        [][]byte        // by parameter: its bytes as C lays them out; of a pointer those of a Pointer
	Contract    device.Contract // whether x*y + z is one rounding or two
	Limits      Limits
	Seed        uint64   // of the order in which warps have their turns; 0 is ascending
	Quantum     int      // instructions of a warp's turn; 0 is what suits the kernel
	Workers     int      // blocks that run at the same time; 0 is as many as there are processors
	Observer    Observer // of all blocks, or nil

	// ObserverOf, if there is one, says who observes a block, by its number, instead
	// of Observer: nil is nobody. Blocks that nobody observes run as they do
	// without an observer, several at a time and beside the one that is observed. It
	// is called once for each block, not by two goroutines at a time.
	ObserverOf func(block int) Observer

	// Resume, if there is one, is where the launch goes on: blocks with lower numbers
	// are not run.
	Resume *Saved
}

// Limits bound a launch. 0 is the default.
type Limits struct {
	Instructions int64 // of all warps together
	Output       int64 // bytes that are printed
}

// The limits of a launch that sets none. Its instructions are bounded by its
// blocks: so many may be executed without any block coming to its end. A launch
// that only has many blocks goes on for as long as it takes, and a loop without end
// is found in seconds, with all checks and on one processor.
const (
	DefaultProgress = 1 << 25
	DefaultOutput   = 1 << 20
)

// What a GPU of compute capability 7.0 and later grants.
const (
	maxThreads      = 1024
	maxStaticShared = 48 << 10
	maxShared       = 227 << 10
	maxParameters   = 4096
	maxLocal        = 512 << 10 // bytes of local memory for each thread
)

// SharedMemory is the field of the *launch.ArgumentError of a launch that asks for
// more shared memory than a block has.
const SharedMemory = "shared memory"

// Result is what came of a launch.
type Result struct {
	Printed      string // by all blocks, in the order of their numbers
	Instructions int64  // of all warps, as far as they are counted: by loop and call
	Cut          bool   // more was printed than Limits.Output
}

// running is a launch on its way.
type running struct {
	ctx      context.Context
	limits   Limits
	parallel bool
	of       func(block int) Observer

	claims sync.Mutex
	blocks int       // there are
	next   int       // the block that begins next
	left   []claimed // that are observed, and were not begun by who had them

	ended   atomic.Int64 // blocks that have come to their end
	spent   atomic.Int64
	before  atomic.Int64 // what was spent when one did so last
	printed atomic.Int64
	cut     atomic.Bool
	stopped atomic.Bool

	mu    sync.Mutex
	fault *Fault
}

// exhausted reports whether the launch has used up its instructions, of which it has
// executed spent.
func (r *running) exhausted(spent int64) bool {
	if r.limits.Instructions > 0 {
		return spent > r.limits.Instructions
	}
	return spent-r.before.Load() > DefaultProgress
}

// most is how many instructions the launch may execute, as far as it has come.
func (r *running) most() int64 {
	if r.limits.Instructions > 0 {
		return r.limits.Instructions
	}
	return r.before.Load() + DefaultProgress
}

// fail ends the launch. The first fault is its error.
func (r *running) fail(f *Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fault == nil {
		r.fault = f
	}
	r.stopped.Store(true)
}

// claimed is a block that is to begin.
type claimed struct {
	number   int
	observer Observer
}

// claim returns a block that has not begun, false if there is none for who
// does not observe.
func (r *running) claim(observes bool) (claimed, bool) {
	r.claims.Lock()
	defer r.claims.Unlock()
	if observes && len(r.left) > 0 {
		c := r.left[0]
		r.left = r.left[1:]
		return c, true
	}
	for r.next < r.blocks {
		c := claimed{number: r.next, observer: r.of(r.next)}
		r.next++
		if observes || c.observer == nil {
			return c, true
		}
		r.left = append(r.left, c)
	}
	return claimed{}, false
}

// Launch runs a kernel to its end. A launch that CUDA would refuse is a
// *launch.ArgumentError, what goes wrong in a kernel a *Fault; a context that is
// done is a *Fault that wraps its error, of kind TimeOut where its deadline has
// passed. With a Result there is what was printed
// until then.
func (m *Machine) Launch(ctx context.Context, l *Launch) (*Result, error) {
	g, err := m.prepare(l)
	if err != nil {
		return nil, err
	}
	r := &running{ctx: ctx, limits: l.Limits, of: l.ObserverOf, blocks: l.Grid.Count()}
	if r.of == nil {
		r.of = func(int) Observer { return l.Observer }
	}
	if r.limits.Output == 0 {
		r.limits.Output = DefaultOutput
	}
	g.run = r
	if l.Resume != nil {
		r.resume(l.Resume)
	}
	workers := l.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if l.Observer != nil && l.ObserverOf == nil {
		workers = 1
	}
	workers = int(max(1, min(int64(workers), int64(r.blocks), m.limit/g.bytes)))
	r.parallel = workers > 1

	out := &printed{}
	var wait sync.WaitGroup
	for range workers - 1 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			newWorker(g, l, out, false).work()
		}()
	}
	newWorker(g, l, out, true).work()
	wait.Wait()

	result := &Result{Printed: out.String(), Instructions: r.spent.Load(), Cut: r.cut.Load()}
	if r.fault != nil {
		return result, r.fault
	}
	return result, nil
}

// Check holds a launch against its kernel, as Launch does first.
func (m *Machine) Check(l *Launch) error {
	_, err := m.prepare(l)
	return err
}

// prepare holds a launch against its kernel and against what CUDA grants.
func (m *Machine) prepare(l *Launch) (*Grid, error) {
	refuse := func(field, format string, args ...any) error {
		return &launch.ArgumentError{Symbol: l.Kernel, Field: field, Reason: fmt.Sprintf(format, args...)}
	}
	p := m.image.Program
	index := p.Function(l.Kernel)
	if index < 0 || !p.Functions[index].Kernel {
		return nil, refuse("kernel", "the source has no __global__ function of that name")
	}
	f := p.Functions[index]
	for _, d := range []struct {
		field string
		is    launch.Dim3
		most  launch.Dim3
	}{
		{"grid", l.Grid, launch.Dim3{X: math.MaxInt32, Y: 65535, Z: 65535}},
		{"block", l.Block, launch.Dim3{X: maxThreads, Y: maxThreads, Z: 64}},
	} {
		for _, axis := range []struct {
			name     string
			is, most int
		}{{"x", d.is.X, d.most.X}, {"y", d.is.Y, d.most.Y}, {"z", d.is.Z, d.most.Z}} {
			if axis.is < 1 || axis.is > axis.most {
				return nil, refuse(d.field, "%s is %d, and must be from 1 to %d", axis.name, axis.is, axis.most)
			}
		}
	}
	threads := l.Block.Count()
	if threads > maxThreads {
		return nil, refuse("block", "%s are %d threads, and a block has %d at most", l.Block, threads, maxThreads)
	}
	if f.MaxThreads > 0 && threads > f.MaxThreads {
		return nil, refuse("block", "%s are %d threads, and the kernel's __launch_bounds__ promise %d at most", l.Block, threads, f.MaxThreads)
	}
	if len(l.Args) != len(f.Params) {
		return nil, refuse("args", "there are %d, and the kernel has %d parameters", len(l.Args), len(f.Params))
	}
	size := f.Offset(len(f.Params))
	if size > maxParameters {
		return nil, refuse("args", "the parameters take %d bytes, and there is room for %d", size, maxParameters)
	}
	params := make([]byte, size)
	for i, a := range l.Args {
		if len(a) != f.Params[i].Size {
			return nil, refuse(fmt.Sprintf("args[%d]", i), "%s has %d bytes and was given %d", f.Params[i].Name, f.Params[i].Size, len(a))
		}
		copy(params[f.Offset(i):], a)
	}

	v := variant{kernel: index, fused: l.Contract == device.Fused}
	if l.ObserverOf == nil {
		v = v.observedBy(l.Observer)
	}
	form := m.image.form(v)
	static := int64(0)
	for _, n := range form.shared {
		x := p.Shared[n]
		static = (static+int64(x.Align)-1)/int64(x.Align)*int64(x.Align) + x.Size
	}
	if static > maxStaticShared {
		return nil, refuse(SharedMemory, "the kernel declares %d bytes, and a block has %d; more is there as dynamic shared memory only", static, maxStaticShared)
	}
	if l.SharedBytes < 0 || static+int64(l.SharedBytes) > maxShared {
		return nil, refuse(SharedMemory, "%d bytes dynamic and %d declared are more than the %d of a block", l.SharedBytes, static, maxShared)
	}

	u := form.kernel
	if bytes := 4 * u.words; bytes > maxLocal {
		return nil, refuse("local memory", "the kernel's arrays take %d bytes for each thread, and a thread has %d", bytes, maxLocal)
	}
	warps := (threads + 31) / 32
	bytes := int64(warps)*u.bytes() + static + int64(l.SharedBytes)
	if bytes > m.limit {
		return nil, refuse("block", "registers and local memory of a block take %d bytes here, and the machine has %d", bytes, m.limit)
	}

	g := &Grid{
		bytes: bytes, Program: p, Kernel: l.Kernel, Grid: l.Grid, Block: l.Block, SharedBytes: l.SharedBytes, Warps: warps,
		variant: v, form: form, machine: m, params: []region{{}, {params, parameterMemory(f, params)}},
	}
	g.tid = make([][3]v32, g.Warps)
	g.live = make([]uint32, g.Warps)
	for t := range g.Warps * 32 {
		// The threads after the last are lanes that never run.
		w, lane := t/32, t%32
		if t < threads {
			g.live[w] |= 1 << lane
		}
		g.tid[w][0][lane] = uint32(t % l.Block.X)
		g.tid[w][1][lane] = uint32(t / l.Block.X % l.Block.Y)
		g.tid[w][2][lane] = uint32(t / (l.Block.X * l.Block.Y))
	}
	return g, nil
}

// observed is in the events of every observer, so that what is compiled for
// one is never what runs without.
const observed Events = 1 << 31

// parameterMemory describes a kernel's parameters: as the one they are if there
// is one, and as bytes otherwise.
func parameterMemory(f *code.Function, data []byte) *Memory {
	m := &Memory{Label: "the parameters", Space: code.Parameter, Number: 1, Size: int64(len(data)), Data: data}
	if len(f.Params) == 1 {
		m.Label = f.Params[0].Name
	}
	return m
}
