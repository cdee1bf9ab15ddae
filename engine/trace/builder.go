package trace

import (
	"context"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// builder collects a trace. Tensors are numbered as they first take part.
type builder struct {
	trace *Trace
	index map[*tensor.Tensor]int
	meter *meter
}

func newBuilder(example string, d device.Device, precision device.Precision) *builder {
	spec := d.Spec()
	return &builder{
		trace: &Trace{
			Version: Version, Example: example, Device: spec.String(), DeviceName: device.NameOf(d),
			Contract: spec.Contract.String(), Precision: precision,
			Tensors: []Tensor{}, Steps: []Step{}, Result: []int{},
		},
		index: map[*tensor.Tensor]int{},
		meter: &meter{Device: d},
	}
}

// run starts the run that the trace is of.
func (b *builder) run() *device.Run { return device.NewRun(b.meter) }

// maker names the run's device in a sentence.
func (b *builder) maker() string { return b.trace.maker() }

// maker names who ran t in a sentence: "cpu", "cuda:0, NVIDIA H200".
func (t *Trace) maker() string { return device.Called(t.Device, t.DeviceName) }

// meter is a device that remembers what its last request cost, for the step that
// shows it. An example makes its requests one after another.
type meter struct {
	device.Device
	last device.Stats
}

func (m *meter) Multiply(ctx context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	out, stats, err := m.Device.Multiply(ctx, p)
	m.note(stats, err)
	return out, stats, err
}

func (m *meter) Reduce(ctx context.Context, r device.Reduction) (*tensor.Tensor, device.Stats, error) {
	out, stats, err := m.Device.Reduce(ctx, r)
	m.note(stats, err)
	return out, stats, err
}

// note keeps what a request cost; one that failed has cost nothing.
func (m *meter) note(stats device.Stats, err error) {
	if err != nil {
		stats = device.Stats{}
	}
	m.last = stats
}

// cost returns what the last request cost, once, and nil where that is nothing.
func (m *meter) cost() *device.Stats {
	last := m.last
	m.last = device.Stats{}
	if last == (device.Stats{}) {
		return nil
	}
	return &last
}

// tensor returns the number of t, naming it where it is new.
func (b *builder) tensor(name string, t *tensor.Tensor) int {
	if i, ok := b.index[t]; ok {
		return i
	}
	b.index[t] = len(b.trace.Tensors)
	b.trace.Tensors = append(b.trace.Tensors, Tensor{Name: name, Shape: t.Shape(), Values: t.Data()})
	return b.index[t]
}

// step appends a step. Lists that are nil become empty: JSON shows [] for both.
func (b *builder) step(s Step) {
	if s.Inputs == nil {
		s.Inputs = []int{}
	}
	if s.Outputs == nil {
		s.Outputs = []int{}
	}
	b.trace.Steps = append(b.trace.Steps, s)
}

func (b *builder) given(name, title string, t *tensor.Tensor) int {
	i := b.tensor(name, t)
	b.step(Step{Phase: PhaseInputs, Op: "given", Title: title, Device: Host, Outputs: []int{i}})
	return i
}
