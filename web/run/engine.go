package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/engine/experiment"
	"workbench/engine/launch"
	"workbench/engine/trace"
)

// Engine runs on devices that it opens by name.
type Engine struct {
	open     func(ctx context.Context, spec string) (device.Device, error)
	list     func(ctx context.Context) []device.Info
	emulator Emulator

	measuring chan struct{} // holds one while a ladder is measured

	life    context.Context // ends with Close, and the openings with it
	end     context.CancelFunc
	opening sync.WaitGroup

	mu    sync.Mutex
	slots map[device.Spec]*slot // guarded by mu; nil once closed
}

// slot is one device, opened or on its way. The fields are written before ready
// is closed, and read after.
type slot struct {
	ready  chan struct{}
	device device.Device
	err    error
}

// Emulator makes what runs, checks and records kernels without a GPU.
type Emulator func(w launch.Watch) launch.Recorder

// NewEngine returns a Runner over the functions of the engine's front door. It owns
// the devices it opens; Close closes them.
func NewEngine(open func(ctx context.Context, spec string) (device.Device, error), list func(ctx context.Context) []device.Info, emulator Emulator) *Engine {
	e := &Engine{open: open, list: list, emulator: emulator, slots: map[device.Spec]*slot{}, measuring: make(chan struct{}, 1)}
	e.life, e.end = context.WithCancel(context.Background())
	return e
}

var errClosed = errors.New("run: the engine is closed")

// device returns the opened device of that name. Names that differ and mean
// the same device share one, and all who ask while it opens wait for one
// opening, which goes on for the next when they leave. A device that cannot be
// opened is tried again next time: it may have come since.
func (e *Engine) device(ctx context.Context, name string) (device.Device, error) {
	spec, err := device.ParseSpec(name)
	if err != nil {
		return nil, err
	}
	s, err := e.slot(spec)
	if err != nil {
		return nil, err
	}
	select {
	case <-s.ready:
		return s.device, s.err
	case <-ctx.Done():
		if cause := context.Cause(ctx); !errors.Is(cause, ErrTimeLimit) {
			return nil, cause
		}
		// The run has not begun, so that a smaller one would not be quicker.
		return nil, &Failure{
			Code: CodeTimeout, Message: fmt.Sprintf("%s has not started yet: its driver takes longer than a run may.", spec),
			Next: "Run it again in a moment; if it stays so, look whether `nvidia-smi` answers.",
		}
	}
}

// slot returns the device's slot, and begins to open it if nobody has. The
// device opens without the lock: one slow start delays no other device.
func (e *Engine) slot(spec device.Spec) (*slot, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.slots == nil {
		return nil, errClosed
	}
	if s, ok := e.slots[spec]; ok {
		return s, nil
	}
	s := &slot{ready: make(chan struct{})}
	e.slots[spec] = s
	e.opening.Go(func() {
		s.device, s.err = e.open(e.life, spec.String())
		if s.err != nil {
			e.mu.Lock()
			delete(e.slots, spec)
			e.mu.Unlock()
		}
		close(s.ready)
	})
	return s, nil
}

// explainer returns who writes out cells of d: itself if it can, else the CPU
// under the same contract.
func (e *Engine) explainer(ctx context.Context, d device.Device) (device.Explainer, error) {
	if ex, ok := d.(device.Explainer); ok {
		return ex, nil
	}
	spec := device.Spec{Kind: device.CPU, Contract: d.Spec().Contract}
	host, err := e.device(ctx, spec.String())
	if err != nil {
		return nil, err
	}
	ex, ok := host.(device.Explainer)
	if !ok {
		return nil, errors.New("run: " + spec.String() + " explains nothing")
	}
	return ex, nil
}

// Devices lists what the front door does, and of each GPU every way to use it.
func (e *Engine) Devices(ctx context.Context) []device.Info { return Choices(e.list(ctx)) }

// Run runs an example; see Runner.
func (e *Engine) Run(ctx context.Context, spec, example string, input json.RawMessage) (*trace.Trace, error) {
	d, err := e.device(ctx, spec)
	if err != nil {
		return nil, err
	}
	ex, err := e.explainer(ctx, d)
	if err != nil {
		return nil, err
	}
	return trace.Run(ctx, d, ex, example, input)
}

// Explain writes out one cell; see Runner.
func (e *Engine) Explain(ctx context.Context, t *trace.Trace, step int, cell [3]int) (*trace.Cell, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	d, err := e.device(ctx, t.Device)
	if err != nil {
		return nil, err
	}
	ex, err := e.explainer(ctx, d)
	if err != nil {
		return nil, err
	}
	return trace.Explain(ctx, t, step, cell, ex)
}

// Compare compares two devices; see Runner.
func (e *Engine) Compare(ctx context.Context, reference, candidate, example string, input json.RawMessage, progress func(note string, done, total int)) (*compare.Report, error) {
	in, err := trace.DecodeInput(example, input)
	if err != nil {
		return nil, err
	}
	a, err := e.device(ctx, reference)
	if err != nil {
		return nil, err
	}
	b, err := e.device(ctx, candidate)
	if err != nil {
		return nil, err
	}
	return trace.Compare(ctx, a, b, in, progress)
}

// Launch runs a kernel; see Runner.
func (e *Engine) Launch(ctx context.Context, name string, in experiment.Input, record []launch.Index) (*experiment.Outcome, error) {
	x, err := experiment.Read(in)
	if err != nil {
		return nil, err
	}
	spec, err := device.ParseSpec(name)
	if err != nil {
		return nil, err
	}
	on := experiment.On{Spec: spec}
	if spec.Kind == device.Emulator {
		on.Launcher = e.emulator(x.Watch())
	} else {
		d, err := e.device(ctx, name)
		if err != nil {
			return nil, err
		}
		var ok bool
		if on.Launcher, ok = d.(launch.Launcher); !ok {
			return nil, &Failure{Code: CodeDevice, Field: "device", Message: fmt.Sprintf("%s runs no CUDA C.", spec), Next: "Choose emulator, or a GPU."}
		}
	}
	if on.Host, err = e.device(ctx, device.Spec{Kind: device.CPU, Contract: spec.Contract}.String()); err != nil {
		return nil, err
	}
	if s := x.Watch().Seconds; s > 0 && spec.Kind != device.Emulator {
		var end context.CancelFunc
		ctx, end = context.WithTimeoutCause(ctx, time.Duration(s*float64(time.Second)), &Failure{
			Code: CodeTooLarge, Field: "launch.limits.seconds", Message: fmt.Sprintf("The launches took longer than the %g seconds that are allowed, and were stopped.", s), Next: "Allow more, or make them smaller.",
		})
		defer end()
	}
	o, err := x.Run(ctx, on, experiment.Options{Record: record})
	if err != nil {
		return nil, Ended(ctx, err)
	}
	return o, nil
}

// Close closes every device that was opened, and ends what is being opened.
func (e *Engine) Close() error {
	e.mu.Lock()
	slots := e.slots
	e.slots = nil
	e.mu.Unlock()
	e.end()
	e.opening.Wait()
	var errs []error
	for _, s := range slots {
		if s.err == nil {
			errs = append(errs, s.device.Close())
		}
	}
	return errors.Join(errs...)
}
