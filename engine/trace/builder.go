package trace

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// Run reads an example's input and runs it. Explainer writes out cells; it is
// the device itself where that can, and the CPU under the same contract
// otherwise.
func Run(ctx context.Context, d device.Device, explainer device.Explainer, example string, input json.RawMessage) (*Trace, error) {
	in, err := DecodeInput(example, input)
	if err != nil {
		return nil, err
	}
	switch in := in.(type) {
	case *ProductInput:
		return RunProduct(ctx, d, explainer, *in)
	case *ReductionInput:
		return RunReduction(ctx, d, explainer, *in)
	case *ViewInput:
		return RunView(ctx, d, *in)
	case *DecoderInput:
		return RunDecoder(ctx, d, *in)
	}
	panic(fmt.Sprintf("BUG: example %q has an input and no run", example))
}

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

// shapeWords writes a shape in a sentence: "a 2×3 matrix", "3 values".
func shapeWords(shape []int) string {
	switch len(shape) {
	case 0:
		return "a single number"
	case 1:
		return plural(shape[0], "value")
	case 2:
		return fmt.Sprintf("a %d×%d matrix", shape[0], shape[1])
	}
	rank := len(shape)
	batches := ""
	for i, d := range shape[:rank-2] {
		if i > 0 {
			batches += "×"
		}
		batches += strconv.Itoa(d)
	}
	if batches == "1" {
		return fmt.Sprintf("1 matrix of %d×%d", shape[rank-2], shape[rank-1])
	}
	return fmt.Sprintf("%s matrices of %d×%d", batches, shape[rank-2], shape[rank-1])
}

// plural writes a number of things: "1 cell", "4 cells".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// FormatNumber writes the shortest decimal that reads back to the same bits,
// with a real minus sign and words for infinities.
func FormatNumber(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "∞"
	case math.IsInf(x, -1):
		return "−∞"
	}
	a, format := math.Abs(x), byte('f')
	if a != 0 && (a >= 1e21 || a < 1e-6) {
		format = 'e'
	}
	text := strconv.FormatFloat(a, format, -1, 64)
	if math.Signbit(x) {
		return "−" + text
	}
	return text
}

// Bits writes a float64's bits as 16 hex digits.
func Bits(x float64) string { return fmt.Sprintf("%016x", math.Float64bits(x)) }
