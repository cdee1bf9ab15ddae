package trace

import (
	"context"
	"fmt"
	"strings"

	"workbench/engine/autograd"
	"workbench/engine/bpe"
	"workbench/engine/decoder"
	"workbench/engine/device"
	"workbench/engine/tensor"
)

// RunDecoder runs the tiny decoder on d: from text through tokens, embedding,
// each block with all its intermediates, logits and loss, and back through
// every gradient. Cells of its products are written out on demand, by Explain.
func RunDecoder(ctx context.Context, d device.Device, in DecoderInput) (*Trace, error) {
	model, ids, err := in.model()
	if err != nil {
		return nil, err
	}
	tokenizer, err := bpe.New(nil)
	if err != nil {
		return nil, err
	}
	run := device.NewRun(d)
	b := newDecoderBuilder(d, model, in.Document(), ids, tokenizer)
	b.inputs(model)

	c := autograd.Recording(ctx, run).WithWatch(b.watch)
	inputs, targets := ids[:len(ids)-1], ids[1:]
	logits := model.Forward(c, inputs)
	loss := model.Loss(c, logits, targets)
	if err := c.Err(); err != nil {
		return nil, err
	}
	if err := loss.Backward(c); err != nil {
		return nil, err
	}
	b.trace.Stats = run.Stats()
	value := loss.Value().Data()[0]
	b.trace.Document.Loss, b.trace.Document.Bits = tensor.Number(value), Bits(value)
	b.results(model, logits.Value(), loss.Value())
	return b.trace, nil
}

// decoderBuilder turns what autograd reports into steps.
type decoderBuilder struct {
	*builder
	tokens     []string // of the inputs: labels of positions
	targets    []string
	vocabulary []string
}

func newDecoderBuilder(d device.Device, model *decoder.Model, text string, ids []int, tokenizer *bpe.Tokenizer) *decoderBuilder {
	b := &decoderBuilder{builder: newBuilder(ExampleDecoder, d, device.Float64)}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = tokenizer.Name(id)
	}
	b.tokens, b.targets = names[:len(names)-1], names[1:]
	for id := range model.Config().Vocabulary {
		b.vocabulary = append(b.vocabulary, tokenizer.Name(id))
	}
	b.trace.Document = &Document{Text: text, IDs: ids, Names: names, Inputs: ids[:len(ids)-1], Targets: ids[1:]}
	return b
}

// inputs adds the steps before the first operation: tokens and parameters.
func (b *decoderBuilder) inputs(model *decoder.Model) {
	document := b.trace.Document
	tokens := tensor.Must(tensor.New(len(document.IDs)))
	for i, id := range document.IDs {
		tokens.Data()[i] = float64(id)
	}
	t := b.tensor("token IDs", tokens)
	b.trace.Tensors[t].Columns = document.Names
	b.step(Step{
		Phase: PhaseInputs, Section: "tokens", Op: "tokenize", Device: Host,
		Title:   fmt.Sprintf("“%s” is %d tokens: %s.", document.Text, len(document.IDs), strings.Join(document.Names, " ")),
		Note:    fmt.Sprintf("A byte b has the ID b + 2; 0 begins a document and 1 ends it. The model is given all but the last and is asked for all but the first: %s → %s.", strings.Join(b.tokens, " "), strings.Join(b.targets, " ")),
		Outputs: []int{t},
	})
	outputs := make([]int, 0, len(model.Parameters()))
	for _, p := range model.Parameters() {
		outputs = append(outputs, b.named(p.Name(), p.Value()))
	}
	config := model.Config()
	b.step(Step{
		Phase: PhaseInputs, Section: "parameters", Op: "draw", Device: Host,
		Title:   fmt.Sprintf("Seed %d draws %d parameters in %d named tensors.", config.Seed, model.Scalars(), len(outputs)),
		Note:    "The token table is counted once although it is used twice: to look tokens up and to score the next one.",
		Outputs: outputs,
	})
	cos, sin := model.RotaryTables()
	b.step(Step{
		Phase: PhaseInputs, Section: "parameters", Op: "tables", Device: Host,
		Title:   fmt.Sprintf("Cosines and sines for %d positions and %d pairs of a head.", cos.Dim(0), cos.Dim(1)),
		Formula: fmt.Sprintf(`\theta_{t,i} = t\cdot %v^{-2i/%d}`, config.RopeBase, 2*cos.Dim(1)),
		Outputs: []int{b.tensor("cos θ", cos), b.tensor("sin θ", sin)},
	})
}

// named adds a tensor with the labels that its shape calls for.
func (b *decoderBuilder) named(name string, t *tensor.Tensor) int {
	if i, ok := b.index[t]; ok {
		return i
	}
	i := b.tensor(name, t)
	shape := t.Shape()
	rank := len(shape)
	if rank == 0 {
		return i
	}
	labels := func(d int) []string {
		switch {
		case d == len(b.vocabulary) && d > 1:
			return b.vocabulary
		case rank >= 2 && d == len(b.tokens) && rank != 2:
			return b.tokens
		}
		return nil
	}
	if rank >= 2 {
		b.trace.Tensors[i].Rows = labels(shape[rank-2])
	}
	if shape[rank-1] == len(b.vocabulary) || rank == 4 {
		b.trace.Tensors[i].Columns = labels(shape[rank-1])
	}
	return i
}

// watch adds a step for an operation.
func (b *decoderBuilder) watch(e autograd.Event) {
	s := Step{Phase: PhaseForward, Section: e.Section, Op: e.Op, Device: Host}
	if e.Section == decoder.SectionLoss {
		s.Phase = PhaseLoss
	}
	if e.Backward {
		s.Phase = PhaseBackward
	}
	names := make([]string, len(e.Inputs))
	for i, t := range e.Inputs {
		name := "input"
		if e.Backward {
			name = adjointName("loss") // the seed: the loss's own adjoint
		}
		index := b.named(name, t)
		s.Inputs = append(s.Inputs, index)
		names[i] = b.trace.Tensors[index].Name
	}
	output := e.Label
	if e.Parameter != "" {
		output = e.Parameter
	}
	if e.Backward {
		output = adjointName(output)
	}
	s.Outputs = []int{b.named(output, e.Output)}
	switch {
	case e.Product != nil:
		s.Device = b.trace.Device
		plan, err := e.Product.Plan()
		if err != nil {
			panic("BUG: a product that ran has no plan: " + err.Error())
		}
		s.Product = &Product{
			B: plan.B, M: plan.M, K: plan.K, N: plan.N,
			TransposeLeft: e.Product.TransposeLeft, TransposeRight: e.Product.TransposeRight, Precision: e.Product.Precision,
		}
	case e.Reduction != nil:
		s.Device = b.trace.Device
		plan, err := e.Reduction.Plan()
		if err != nil {
			panic("BUG: a reduction that ran has no plan: " + err.Error())
		}
		s.Reduction = &Reduction{Op: e.Reduction.Op.String(), Axis: plan.Axis, G: plan.G, K: plan.K, Precision: e.Reduction.Precision}
	}
	s.Title, s.Formula = describe(e, output, names)
	s.Note = noteOf(e)
	b.step(s)
}

func adjointName(of string) string { return "∂loss/∂(" + of + ")" }

// results adds the last step: logits, loss and every named gradient.
func (b *decoderBuilder) results(model *decoder.Model, logits, loss *tensor.Tensor) {
	outputs := []int{b.named("logits", logits), b.named("loss", loss)}
	values := 0
	for _, p := range model.Parameters() {
		g := p.Gradient()
		if g == nil {
			continue
		}
		values += g.Len()
		outputs = append(outputs, b.named(adjointName(p.Name()), g))
	}
	b.trace.Result = outputs
	b.step(Step{
		Phase: PhaseResult, Section: "result", Op: "result", Device: b.trace.Device,
		Title:   fmt.Sprintf("The loss is %s nats (bits %s), with %d logits and %d gradient values in %d named tensors.", FormatNumber(loss.Data()[0]), Bits(loss.Data()[0]), logits.Len(), values, len(outputs)-2),
		Note:    fmt.Sprintf("Products, sums and means ran on %s, the rest on the host.", b.trace.Device),
		Outputs: outputs,
	})
}
