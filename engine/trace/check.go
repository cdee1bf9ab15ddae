package trace

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"workbench/engine/bpe"
	"workbench/engine/decoder"
	"workbench/engine/device"
)

// Check holds the operands against each other.
func (in *ProductInput) Check() error {
	if in.Left.Tensor == nil {
		return &FieldError{"left", "is missing: write a list of rows, such as [[1, 2], [3, 4]]"}
	}
	if in.Right.Tensor == nil {
		return &FieldError{"right", "is missing: write a list of rows, such as [[1, 2], [3, 4]]"}
	}
	if _, err := parsePrecision(in.Precision); err != nil {
		return err
	}
	plan, err := in.product().Plan()
	if err != nil {
		field := "right"
		if in.Left.Rank() < 2 {
			field = "left"
		}
		return &FieldError{field, err.Error()}
	}
	if cells := plan.B * plan.M * plan.N; cells > MaxOutputElements {
		return &FieldError{"right", fmt.Sprintf("gives a product of %d elements, and an example shows at most %d", cells, MaxOutputElements)}
	} else if plan.K > 0 && cells > MaxTerms/plan.K {
		return &FieldError{"right", fmt.Sprintf("gives %d cells of %d products each, and an example takes at most %d products", cells, plan.K, MaxTerms)}
	}
	return nil
}

func (in *ProductInput) product() device.Product {
	precision, _ := parsePrecision(in.Precision)
	return device.Product{
		Left: in.Left.View(), Right: in.Right.View(),
		TransposeLeft: in.TransposeLeft, TransposeRight: in.TransposeRight,
		Precision: precision,
	}
}

// Check holds the axis against the input, and a mean against an empty axis.
func (in *ReductionInput) Check() error {
	if in.Input.Tensor == nil {
		return &FieldError{"input", "is missing: write a list of rows, such as [[1, 2], [3, 4]]"}
	}
	if _, err := parsePrecision(in.Precision); err != nil {
		return err
	}
	switch in.Op {
	case "", "both", "sum", "mean":
	default:
		return &FieldError{"op", fmt.Sprintf("%q is unknown: write sum, mean or both", shorten(in.Op))}
	}
	for _, op := range in.reductions() {
		plan, err := op.Plan()
		if err != nil {
			return &FieldError{"axis", err.Error()}
		}
		// An empty axis has no elements to bound the groups by.
		if plan.G > MaxOutputElements {
			return &FieldError{"axis", fmt.Sprintf("leaves %d groups, and an example shows at most %d", plan.G, MaxOutputElements)}
		}
	}
	return nil
}

func (in *ReductionInput) reductions() []device.Reduction {
	precision, _ := parsePrecision(in.Precision)
	var out []device.Reduction
	for _, op := range []device.ReduceOp{device.Sum, device.Mean} {
		if in.Op == "" || in.Op == "both" || in.Op == op.String() {
			out = append(out, device.Reduction{Input: in.Input.View(), Axis: in.Axis, KeepDim: in.KeepDim, Op: op, Precision: precision})
		}
	}
	return out
}

// Check holds the operands against each other, and the means against a
// contraction of nothing.
func (in *BoundaryInput) Check() error {
	pair := ProductInput(*in)
	if err := pair.Check(); err != nil {
		return err
	}
	product, _, mean := in.requests()
	if _, err := mean.Plan(); err != nil {
		return &FieldError{"left", err.Error()}
	}
	plan, err := product.Plan()
	if err != nil {
		return &FieldError{"right", err.Error()}
	}
	if n := plan.Left.Len() + plan.Right.Len(); n > MaxPackedElements {
		return &FieldError{"right", fmt.Sprintf("gives a request of %d packed values, and this example packs at most %d", n, MaxPackedElements)}
	}
	return nil
}

// requests returns what is asked of the device, of an input that has been
// checked.
func (in *BoundaryInput) requests() (product device.Product, sum, mean device.Reduction) {
	pair := ProductInput(*in)
	product = pair.product()
	sum = device.Reduction{Input: in.Left.View(), Axis: in.Left.Rank() - 1, Op: device.Sum, Precision: product.Precision}
	if in.TransposeLeft {
		sum.Axis--
	}
	mean = sum
	mean.Op = device.Mean
	return product, sum, mean
}

// Check carries out every operation on the shape.
func (in *ViewInput) Check() error {
	if in.Input.Tensor == nil {
		return &FieldError{"input", "is missing: write a list of rows, such as [[1, 2], [3, 4]]"}
	}
	if len(in.Ops) > MaxViewOps {
		return &FieldError{"ops", fmt.Sprintf("has %d operations, and an example takes at most %d", len(in.Ops), MaxViewOps)}
	}
	view := in.Input.View()
	values := 3 * view.Len() // the storage, what the view reads, and where
	for i, op := range in.Ops {
		place := fmt.Sprintf("ops[%d]", i)
		var err error
		if view, err = op.apply(view); err != nil {
			return inField(place, err)
		}
		n := view.Len()
		if n > MaxOutputElements {
			return &FieldError{place, fmt.Sprintf("makes a view of %d elements, and an example shows at most %d", n, MaxOutputElements)}
		}
		values += 2 * n
		if op.Op == "pack" {
			values += n
		}
		if values > MaxViewValues {
			return &FieldError{place, fmt.Sprintf("brings the example to %d values and storage indices, and it shows at most %d: use fewer operations, or a smaller shape", values, MaxViewValues)}
		}
	}
	return nil
}

// Check holds the text and the model's shape against their bounds. No parameter
// is drawn.
func (in *DecoderInput) Check() error {
	_, _, err := in.plan()
	return err
}

// Config returns the model's shape, the fixture's where a field is absent.
func (in *DecoderInput) Config() decoder.Config {
	config := decoder.DefaultConfig()
	for _, field := range []struct{ from, to *int }{
		{in.Width, &config.Width}, {in.Heads, &config.Heads}, {in.FeedForward, &config.FeedForward},
		{in.Blocks, &config.Blocks}, {in.Positions, &config.Positions},
	} {
		if field.from != nil {
			*field.to = *field.from
		}
	}
	if in.Seed != nil {
		config.Seed = uint64(*in.Seed)
	}
	return config
}

// Document returns the text: the fixture's if it is absent.
func (in *DecoderInput) Document() string {
	if in.Text == nil {
		return "ab"
	}
	return *in.Text
}

// precision returns that of products, sums and means, of an input that has been
// checked.
func (in *DecoderInput) precision() device.Precision {
	p, _ := parsePrecision(in.Precision)
	return p
}

// plan checks the input and returns the model's shape and the document's token
// IDs.
func (in *DecoderInput) plan() (decoder.Config, []int, error) {
	config := in.Config()
	refuse := func(field, format string, args ...any) (decoder.Config, []int, error) {
		return decoder.Config{}, nil, &FieldError{field, fmt.Sprintf(format, args...)}
	}
	if !utf8.ValidString(in.Document()) {
		return refuse("text", notUTF8)
	}
	if text := in.Document(); len(text) > MaxTextBytes {
		return refuse("text", "has %d bytes, and an example takes at most %d", len(text), MaxTextBytes)
	}
	if _, err := parsePrecision(in.Precision); err != nil {
		return decoder.Config{}, nil, err
	}
	if err := config.Validate(); err != nil {
		var bad *decoder.ConfigError
		if errors.As(err, &bad) {
			return refuse(strings.ReplaceAll(bad.Field, "-", "_"), "%s", bad.Reason)
		}
		return refuse("input", "%s", err.Error())
	}
	w, f := config.Width, config.FeedForward
	if scalars := config.Vocabulary*w + config.Blocks*(2*w+4*w*w+3*w*f) + w; scalars > MaxScalars {
		return refuse("width", "gives a model of %d parameters with these blocks, and an example takes at most %d", scalars, MaxScalars)
	}
	tokenizer, err := bpe.New(nil)
	if err != nil {
		return decoder.Config{}, nil, err
	}
	ids := tokenizer.EncodeDocument([]byte(in.Document()))
	if len(ids)-1 > config.Positions {
		return refuse("text", "has %d tokens with its begin token, and the model %d positions: shorten the text or raise positions", len(ids)-1, config.Positions)
	}
	if n := decoderValues(config, len(ids)-1); n > MaxDecoderValues {
		// Without merges a byte is a token; the begin token is one more.
		return refuse("text", "has %s, for which this model computes some %d values, and an example shows at most %d: shorten it to %s, or use fewer heads or blocks or a smaller width", plural(len(in.Document()), "byte"), n, MaxDecoderValues, plural(mostTokens(config)-1, "byte"))
	}
	return config, ids, nil
}

// model checks the input, draws the model, and returns it and the document's
// token IDs.
func (in *DecoderInput) model() (*decoder.Model, []int, error) {
	config, ids, err := in.plan()
	if err != nil {
		return nil, nil, err
	}
	model, err := decoder.New(config)
	if err != nil {
		return nil, nil, err
	}
	return model, ids, nil
}

func parsePrecision(name string) (device.Precision, error) {
	if name == "" {
		return device.Float64, nil
	}
	p, err := device.ParsePrecision(name)
	if err != nil {
		return 0, &FieldError{"precision", reason(err)}
	}
	return p, nil
}
