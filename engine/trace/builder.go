package trace

import (
	"workbench/engine/device"
	"workbench/engine/tensor"
)

// builder collects a trace. Tensors are numbered as they first take part.
type builder struct {
	trace *Trace
	index map[*tensor.Tensor]int
}

func newBuilder(example string, d device.Device, precision device.Precision) *builder {
	spec := d.Spec()
	return &builder{
		trace: &Trace{
			Version: Version, Example: example, Device: spec.String(),
			Contract: spec.Contract.String(), Precision: precision,
			Tensors: []Tensor{}, Steps: []Step{}, Result: []int{},
		},
		index: map[*tensor.Tensor]int{},
	}
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
