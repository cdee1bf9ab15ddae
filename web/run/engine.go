package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/engine/trace"
)

// Engine runs on devices that it opens by name.
type Engine struct {
	open func(ctx context.Context, spec string) (device.Device, error)
	list func(ctx context.Context) []device.Info

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

// NewEngine returns a Runner over the two functions of the engine's front
// door. It owns the devices it opens; Close closes them.
func NewEngine(open func(ctx context.Context, spec string) (device.Device, error), list func(ctx context.Context) []device.Info) *Engine {
	e := &Engine{open: open, list: list, slots: map[device.Spec]*slot{}}
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
