package run

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/engine/trace"
)

// Engine runs on devices that it opens by name.
type Engine struct {
	open func(spec string) (device.Device, error)
	list func() []device.Info

	mu     sync.Mutex
	opened map[device.Spec]device.Device // guarded by mu; nil once closed
}

// NewEngine returns a Runner over the two functions of the engine's front
// door. It owns the devices it opens; Close closes them.
func NewEngine(open func(spec string) (device.Device, error), list func() []device.Info) *Engine {
	return &Engine{open: open, list: list, opened: map[device.Spec]device.Device{}}
}

var errClosed = errors.New("run: the engine is closed")

// device returns the opened device of that name. Names that differ and mean
// the same device share one. A device that cannot be opened is tried again
// next time: it may have come since.
func (e *Engine) device(name string) (device.Device, error) {
	spec, err := device.ParseSpec(name)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.opened == nil {
		return nil, errClosed
	}
	if d, ok := e.opened[spec]; ok {
		return d, nil
	}
	d, err := e.open(spec.String())
	if err != nil {
		return nil, err
	}
	e.opened[spec] = d
	return d, nil
}

// explainer returns who writes out cells of d: itself if it can, else the CPU
// under the same contract.
func (e *Engine) explainer(d device.Device) (device.Explainer, error) {
	if ex, ok := d.(device.Explainer); ok {
		return ex, nil
	}
	spec := device.Spec{Kind: device.CPU, Contract: d.Spec().Contract}
	host, err := e.device(spec.String())
	if err != nil {
		return nil, err
	}
	ex, ok := host.(device.Explainer)
	if !ok {
		return nil, errors.New("run: " + spec.String() + " explains nothing")
	}
	return ex, nil
}

// Devices lists what the front door does.
func (e *Engine) Devices() []device.Info { return e.list() }

// Run runs an example; see Runner.
func (e *Engine) Run(ctx context.Context, spec, example string, input json.RawMessage) (*trace.Trace, error) {
	d, err := e.device(spec)
	if err != nil {
		return nil, err
	}
	ex, err := e.explainer(d)
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
	d, err := e.device(t.Device)
	if err != nil {
		return nil, err
	}
	ex, err := e.explainer(d)
	if err != nil {
		return nil, err
	}
	return trace.Explain(ctx, t, step, cell, ex)
}

// Compare compares two devices; see Runner.
func (e *Engine) Compare(ctx context.Context, reference, candidate string, input json.RawMessage, progress func(note string, done, total int)) (*compare.Report, error) {
	in, err := trace.DecodeInput(trace.ExampleDecoder, input)
	if err != nil {
		return nil, err
	}
	a, err := e.device(reference)
	if err != nil {
		return nil, err
	}
	b, err := e.device(candidate)
	if err != nil {
		return nil, err
	}
	return trace.CompareDevices(ctx, a, b, *in.(*trace.DecoderInput), progress)
}

// Close closes every device that was opened.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var errs []error
	for _, d := range e.opened {
		errs = append(errs, d.Close())
	}
	e.opened = nil
	return errors.Join(errs...)
}
