package trace

import (
	"context"
	"fmt"
	"slices"
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
	b := newDecoderBuilder(d, in.precision(), model, in.Document(), ids, tokenizer)
	run := b.run()
	b.inputs(model)

	c := autograd.Recording(ctx, run).WithPrecision(in.precision()).WithWatch(b.watch)
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
	b.trace.Document.Loss, b.trace.Document.Bits = tensor.Number(value), tensor.Bits(value)
	b.results(model, logits.Value(), loss.Value())
	return b.trace, nil
}

// decoderBuilder turns what autograd reports into steps.
type decoderBuilder struct {
	*builder
	tokens     []string // of the inputs: labels of positions
	targets    []string
	vocabulary []string
	table      string // name of the token table
}

func newDecoderBuilder(d device.Device, precision device.Precision, model *decoder.Model, text string, ids []int, tokenizer *bpe.Tokenizer) *decoderBuilder {
	b := &decoderBuilder{builder: newBuilder(ExampleDecoder, d, precision), table: model.Embedding().Name()}
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
		Title:   fmt.Sprintf("%s is %s: %s.", quoted(document.Text), plural(len(document.IDs), "token"), strings.Join(document.Names, " ")),
		Note:    fmt.Sprintf("A byte b has the ID b + 2; 0 begins a document and 1 ends it. The model is given all but the last and is asked for all but the first: %s → %s.", strings.Join(b.tokens, " "), strings.Join(b.targets, " ")),
		Outputs: []int{t},
	})
	outputs := make([]int, 0, len(model.Parameters()))
	for _, p := range model.Parameters() {
		i := b.tensor(p.Name(), p.Value())
		if p == model.Embedding() {
			b.trace.Tensors[i].Rows = b.vocabulary
		}
		outputs = append(outputs, i)
	}
	config := model.Config()
	b.step(Step{
		Phase: PhaseInputs, Section: "parameters", Op: "draw", Device: Host,
		Title:   fmt.Sprintf("Seed %d draws %d of %d parameters in %d named tensors; the gains are ones.", config.Seed, model.Drawn(), model.Scalars(), len(outputs)),
		Note:    "The token table is counted once although it is used twice: to look tokens up and to score the next one.",
		Outputs: outputs,
	})
	cos, sin := model.RotaryTables()
	b.step(Step{
		Phase: PhaseInputs, Section: "parameters", Op: "tables", Device: Host,
		Title:   fmt.Sprintf("Cosines and sines for %s and %s of a head.", plural(cos.Dim(0), "position"), plural(cos.Dim(1), "pair")),
		Formula: fmt.Sprintf(`\theta_{t,i} = t\cdot %v^{-2i/%d}`, config.RopeBase, 2*cos.Dim(1)),
		Outputs: []int{b.tensor("cos θ", cos), b.tensor("sin θ", sin)},
	})
}

// label names the rows and columns of the tensor that an operation made, where
// they are positions or tokens. Shapes alone do not say: a text may have as many
// positions as the model has columns or heads.
//
//	[1, T, ·]     what the blocks, the head and the loss compute
//	[1, H, T, D]  queries, keys, values and contexts of each head
//	[1, H, T, T]  scores and weights
//	[1, T, H, D]  on the way between the first two
func (b *decoderBuilder) label(i int, e autograd.Event) {
	t := &b.trace.Tensors[i]
	rank := len(t.Shape)
	atHead := e.Section == decoder.SectionHead || e.Section == decoder.SectionLoss
	switch {
	case e.Parameter == b.table:
		if rank >= 2 {
			t.Rows = b.vocabulary
		}
	case e.Parameter != "":
	case rank == 4 && !strings.HasSuffix(e.Label, " by head") && !strings.HasSuffix(e.Label, " by position"):
		t.Rows = b.tokens
		if slices.Contains(scoreLabels, e.Label) {
			t.Columns = b.tokens
		}
	case rank == 3:
		t.Rows = b.tokens
		if atHead && t.Shape[2] == len(b.vocabulary) {
			t.Columns = b.vocabulary
		}
	case rank == 2 && e.Section == decoder.SectionEmbedding:
		t.Rows = b.tokens
	case (rank == 1 || rank == 2) && atHead:
		t.Columns = b.tokens
	}
}

// scoreLabels are the decoder's names for what has a row for each query and a
// column for each key.
var scoreLabels = []string{"scores", "scores/√d", "causal scores", "scores − max", "exp", "weights"}

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
		index := b.tensor(name, t)
		s.Inputs = append(s.Inputs, index)
		names[i] = b.trace.Tensors[index].Name
	}
	output := e.Label
	if e.Parameter != "" {
		output = e.Parameter
	}
	if e.Backward {
		output = b.adjoint(e, output)
	}
	known := len(b.trace.Tensors)
	s.Outputs = []int{b.tensor(output, e.Output)}
	if s.Outputs[0] == known {
		b.label(known, e)
	}
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
	if s.Device != Host {
		s.Stats = b.meter.cost()
	}
	s.Title, s.Formula = describe(e, output, names)
	s.Note = noteOf(e, names)
	b.step(s)
}

// results adds the last step: logits, loss and every named gradient.
func (b *decoderBuilder) results(model *decoder.Model, logits, loss *tensor.Tensor) {
	outputs := []int{b.tensor("logits", logits), b.tensor("loss", loss)}
	values := 0
	for _, p := range model.Parameters() {
		g := p.Gradient()
		if g == nil {
			continue
		}
		values += g.Len()
		outputs = append(outputs, b.tensor(adjointName(p.Name()), g))
	}
	b.trace.Result = outputs
	b.step(Step{
		Phase: PhaseResult, Section: "result", Op: "result", Device: b.trace.Device,
		Title:   fmt.Sprintf("The loss is %s nats (bits %s), with %d logits and %d gradient values in %d named tensors.", FormatNumber(loss.Data()[0]), tensor.Bits(loss.Data()[0]), logits.Len(), values, len(outputs)-2),
		Note:    fmt.Sprintf("Products, sums and means ran on %s, the rest on the host.", b.maker()),
		Outputs: outputs,
	})
}
