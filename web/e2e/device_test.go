package e2e

import (
	"context"
	"encoding/json"
	"math"
	"sync/atomic"

	"workbench/engine"
	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/engine/trace"
	"workbench/web"
	"workbench/web/run"
	"workbench/web/run/runtest"
)

// Devices that behave in ways a real one should not. Each has the emulator's place
// and name: pages find it in the menu and treat it like any other.

// withDevice returns the options of a course in which a device made around a CPU of
// the same contract stands in the emulator's place.
func withDevice(o web.Options, made func(inner device.Device) device.Device) web.Options {
	o.Open = func(ctx context.Context, name string) (device.Device, error) {
		spec, err := device.ParseSpec(name)
		if err != nil || spec.Kind != device.Emulator {
			return engine.Open(ctx, name)
		}
		inner, err := engine.Open(ctx, device.Spec{Kind: device.CPU, Contract: spec.Contract}.String())
		if err != nil {
			return nil, err
		}
		return called{made(inner), spec}, nil
	}
	o.List = func(ctx context.Context) []device.Info {
		infos := engine.List(ctx)
		for i := range infos {
			if infos[i].Spec == "emulator" {
				infos[i] = device.Info{Spec: "emulator", Name: "device of a test", Available: true}
			}
		}
		return infos
	}
	return o
}

// withGPU returns the options of a course on a machine with one GPU, whose
// numbers are the CPU's and whose requests end with the error that fail holds.
// Made, if not nil, is put between the two.
func withGPU(o web.Options, fail *atomic.Pointer[error], made func(inner device.Device) device.Device) web.Options {
	o.Open = func(ctx context.Context, name string) (device.Device, error) {
		spec, err := device.ParseSpec(name)
		if err != nil || spec.Kind != device.CUDA || spec.Ordinal != 0 {
			return engine.Open(ctx, name)
		}
		inner, err := engine.Open(ctx, device.Spec{Kind: device.CPU, Contract: spec.Contract}.String())
		if err != nil {
			return nil, err
		}
		if made != nil {
			inner = made(inner)
		}
		return runtest.GPU{Device: inner, As: spec, Fail: fail}, nil
	}
	o.List = func(context.Context) []device.Info {
		return append(engine.Host(),
			device.Info{Spec: "cuda:0", Name: runtest.GPUName, Available: true})
	}
	return o
}

// called is a device under another name. It does not say that it explains, so
// that the CPU does that for it.
type called struct {
	device.Device
	spec device.Spec
}

func (d called) Spec() device.Spec { return d.spec }

// flipper flips the lowest bit of one element of some products.
type flipper struct {
	device.Device
	// pick returns the flat index of the element in a product of that plan, or
	// −1 to leave it alone.
	pick func(plan *tensor.MatmulPlan) int
}

func (d flipper) Multiply(ctx context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	out, stats, err := d.Device.Multiply(ctx, p)
	if err != nil {
		return nil, stats, err
	}
	plan, err := p.Plan()
	if err != nil {
		return nil, stats, err
	}
	if at := d.pick(plan); at >= 0 {
		data := out.Data()
		data[at] = math.Float64frombits(math.Float64bits(data[at]) ^ 1)
	}
	return out, stats, nil
}

// sleeper takes no end over a product while it is asleep.
type sleeper struct {
	device.Device
	asleep  *atomic.Bool
	started chan struct{} // one token for each product that has begun
	stopped chan struct{} // and for each that was cancelled
}

// newSleeper returns what the sleepers of one site share.
func newSleeper() *sleeper {
	return &sleeper{asleep: &atomic.Bool{}, started: make(chan struct{}, 64), stopped: make(chan struct{}, 64)}
}

func (d *sleeper) around(inner device.Device) device.Device {
	return &sleeper{inner, d.asleep, d.started, d.stopped}
}

func (d *sleeper) Multiply(ctx context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	if d.asleep.Load() {
		d.started <- struct{}{}
		<-ctx.Done()
		d.stopped <- struct{}{}
		return nil, device.Stats{}, context.Cause(ctx)
	}
	return d.Device.Multiply(ctx, p)
}

// A liar is a runner whose every number is made up: which run it is of, which
// tensor, and which element. A page that shows another number has computed it
// by itself.
type liar struct {
	run.Runner
	runs atomic.Int64
}

// lie is the number that stands for an element.
func lie(run int64, tensor, flat int) float64 {
	return float64(run)*1e8 + float64(tensor)*1e4 + float64(flat) + 0.5
}

// lieOf takes a lie apart again.
func lieOf(x float64) (run int64, tensor, flat int, ok bool) {
	whole, half := math.Modf(x)
	n := int64(whole)
	return n / 1e8, int(n / 1e4 % 1e4), int(n % 1e4), half == 0.5
}

func (l *liar) Run(ctx context.Context, spec, example string, input json.RawMessage) (*trace.Trace, error) {
	t, err := l.Runner.Run(ctx, spec, example, input)
	if err != nil {
		return nil, err
	}
	n := l.runs.Add(1)
	for k := range t.Tensors {
		for i := range t.Tensors[k].Values {
			t.Tensors[k].Values[i] = lie(n, k, i)
		}
	}
	for i := range t.Steps {
		if c := t.Steps[i].Cell; c != nil {
			k := t.Steps[i].Outputs[0]
			c.Value = tensor.Number(lie(n, k, c.Flat))
			for j := range c.Terms {
				c.Terms[j].Sum = tensor.Number(lie(n, 5000+j, c.Flat))
			}
		}
	}
	if t.Document != nil {
		t.Document.Loss = tensor.Number(lie(n, 9999, 0))
	}
	return t, nil
}

func (l *liar) Compare(ctx context.Context, reference, candidate, example string, input json.RawMessage, progress func(string, int, int)) (*compare.Report, error) {
	r, err := l.Runner.Compare(ctx, reference, candidate, example, input, progress)
	if err != nil {
		return nil, err
	}
	n := l.runs.Add(1)
	for i := range r.Entries {
		e := &r.Entries[i]
		e.Reference, e.Candidate, e.Absolute = tensor.Number(lie(n, 1, i)), tensor.Number(lie(n, 2, i)), tensor.Number(lie(n, 3, i))
	}
	r.Failures, r.Differing = 4242, 4343
	return r, nil
}
