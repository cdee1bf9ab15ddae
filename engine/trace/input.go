package trace

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"workbench/engine/bpe"
	"workbench/engine/decoder"
	"workbench/engine/device"
)

// A FieldError names the input field that cannot be used, and why. Field is a
// path as JSON spells it: "left", "ops[1].axis", "text".
type FieldError struct {
	Field  string
	Reason string
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Reason }

// ProductInput is the input of the example "product".
type ProductInput struct {
	Left           Array  `json:"left"`
	Right          Array  `json:"right"`
	TransposeLeft  bool   `json:"transpose_left,omitempty"`
	TransposeRight bool   `json:"transpose_right,omitempty"`
	Precision      string `json:"precision,omitempty"` // float64 if empty
}

// ReductionInput is the input of the example "reduction".
type ReductionInput struct {
	Input     Array  `json:"input"`
	Axis      int    `json:"axis"`
	KeepDim   bool   `json:"keep_dim,omitempty"`
	Op        string `json:"op,omitempty"` // "sum", "mean" or "both"; both if empty
	Precision string `json:"precision,omitempty"`
}

// ViewInput is the input of the example "view": operations on a tensor, each
// on the result of the one before.
type ViewInput struct {
	Input Array    `json:"input"`
	Ops   []ViewOp `json:"ops,omitempty"`
}

// ViewOp is one operation of a ViewInput.
type ViewOp struct {
	Op    string `json:"op"`              // "transpose", "slice", "broadcast", "reshape", "pack", "column-major"
	Axes  []int  `json:"axes,omitempty"`  // transpose: the two axes; the last two if empty
	Axis  int    `json:"axis,omitempty"`  // slice
	Start int    `json:"start,omitempty"` // slice
	Stop  *int   `json:"stop,omitempty"`  // slice: the axis's length if absent
	Step  int    `json:"step,omitempty"`  // slice: 1 if 0
	Shape []int  `json:"shape,omitempty"` // broadcast, reshape, column-major
}

// DecoderInput is the input of the examples "decoder" and "comparison". Zero
// fields take the fixture's values.
type DecoderInput struct {
	Text        *string `json:"text,omitempty"` // "ab" if absent
	Seed        *Seed   `json:"seed,omitempty"` // 39 if absent
	Width       int     `json:"width,omitempty"`
	Heads       int     `json:"heads,omitempty"`
	FeedForward int     `json:"feed_forward,omitempty"`
	Blocks      *int    `json:"blocks,omitempty"` // 2 if absent; 0 is a model without blocks
	Positions   int     `json:"positions,omitempty"`
}

// Seed is a 64-bit seed. JSON carries it as a string, since a page's numbers
// hold 53 bits; a JSON number is read too.
type Seed uint64

// MarshalJSON writes the seed in quotes.
func (s Seed) MarshalJSON() ([]byte, error) {
	return []byte(`"` + strconv.FormatUint(uint64(s), 10) + `"`), nil
}

// UnmarshalJSON reads a whole number from 0 to 2^64−1, in quotes or not.
func (s *Seed) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseUint(strings.Trim(string(text), `"`), 10, 64)
	if err != nil {
		return fmt.Errorf("%s is not a whole number from 0 to 18446744073709551615", text)
	}
	*s = Seed(n)
	return nil
}

// The examples, by the names that Run and DecodeInput take.
const (
	ExampleProduct   = "product"
	ExampleReduction = "reduction"
	ExampleView      = "view"
	ExampleDecoder   = "decoder"
)

// Examples lists them in the order of the chapters.
var Examples = []string{ExampleProduct, ExampleReduction, ExampleView, ExampleDecoder}

// Input is what an example runs on: *ProductInput, *ReductionInput, *ViewInput
// or *DecoderInput.
type Input interface {
	// Check returns a *FieldError for the first field that cannot be used.
	Check() error
}

// Largest sizes of an example. They keep a trace readable and a page quick.
const (
	MaxOutputElements = 1 << 16 // of a product or a view
	MaxTerms          = 1 << 24 // products of operands in one example
	MaxTextBytes      = 256     // of a decoder's text
	MaxScalars        = 1 << 17 // parameters of a decoder
	MaxDecoderValues  = 1 << 22 // that a decoder computes; as a trace's JSON some 70 MB
	MaxViewOps        = 32
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

// Check carries out every operation on the shape.
func (in *ViewInput) Check() error {
	if in.Input.Tensor == nil {
		return &FieldError{"input", "is missing: write a list of rows, such as [[1, 2], [3, 4]]"}
	}
	if len(in.Ops) > MaxViewOps {
		return &FieldError{"ops", fmt.Sprintf("has %d operations, and an example takes at most %d", len(in.Ops), MaxViewOps)}
	}
	view := in.Input.View()
	for i, op := range in.Ops {
		var err error
		if view, err = op.apply(view); err != nil {
			var field *FieldError
			if errors.As(err, &field) {
				return &FieldError{fmt.Sprintf("ops[%d].%s", i, field.Field), field.Reason}
			}
			return &FieldError{fmt.Sprintf("ops[%d]", i), reason(err)}
		}
		if view.Len() > MaxOutputElements {
			return &FieldError{fmt.Sprintf("ops[%d]", i), fmt.Sprintf("makes a view of %d elements, and an example shows at most %d", view.Len(), MaxOutputElements)}
		}
	}
	return nil
}

// Check holds the text and the model's shape against their bounds.
func (in *DecoderInput) Check() error {
	_, _, err := in.model()
	return err
}

// Config returns the model's shape, the fixture's where a field is absent.
func (in *DecoderInput) Config() decoder.Config {
	config := decoder.DefaultConfig()
	for _, field := range []struct{ from, to *int }{
		{&in.Width, &config.Width}, {&in.Heads, &config.Heads}, {&in.FeedForward, &config.FeedForward},
		{&in.Positions, &config.Positions},
	} {
		if *field.from != 0 {
			*field.to = *field.from
		}
	}
	if in.Blocks != nil {
		config.Blocks = *in.Blocks
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

// model checks the input and returns the model and the document's token IDs.
func (in *DecoderInput) model() (*decoder.Model, []int, error) {
	config := in.Config()
	if !utf8.ValidString(in.Document()) {
		return nil, nil, &FieldError{"text", notUTF8}
	}
	if text := in.Document(); len(text) > MaxTextBytes {
		return nil, nil, &FieldError{"text", fmt.Sprintf("has %d bytes, and an example takes at most %d", len(text), MaxTextBytes)}
	}
	if err := config.Validate(); err != nil {
		var bad *decoder.ConfigError
		if errors.As(err, &bad) {
			return nil, nil, &FieldError{strings.ReplaceAll(bad.Field, "-", "_"), bad.Reason}
		}
		return nil, nil, &FieldError{"input", err.Error()}
	}
	w, f := config.Width, config.FeedForward
	if scalars := config.Vocabulary*w + config.Blocks*(2*w+4*w*w+3*w*f) + w; scalars > MaxScalars {
		return nil, nil, &FieldError{"width", fmt.Sprintf("gives a model of %d parameters with these blocks, and an example takes at most %d", scalars, MaxScalars)}
	}
	tokenizer, err := bpe.New(nil)
	if err != nil {
		return nil, nil, err
	}
	ids := tokenizer.EncodeDocument([]byte(in.Document()))
	if len(ids)-1 > config.Positions {
		return nil, nil, &FieldError{"text", fmt.Sprintf("has %d tokens with its begin token, and the model %d positions: shorten the text or raise positions", len(ids)-1, config.Positions)}
	}
	if n := decoderValues(config, len(ids)-1); n > MaxDecoderValues {
		return nil, nil, &FieldError{"text", fmt.Sprintf("makes this model compute some %d values, and an example shows at most %d: shorten the text, or use fewer heads or blocks", n, MaxDecoderValues)}
	}
	model, err := decoder.New(config)
	if err != nil {
		return nil, nil, err
	}
	return model, ids, nil
}

// decoderValues is an upper bound, by less than half, of how many values a
// decoder computes forward and backward for a number of tokens. Scores grow with
// the square of the text, for each head.
func decoderValues(c decoder.Config, tokens int) int {
	weights := c.Width * (2 + 4*c.Width + 3*c.FeedForward)
	block := 15*c.Heads*tokens*tokens + tokens*(88*c.Width+14*c.FeedForward+64) + 3*weights
	return c.Blocks*block + tokens*(8*c.Vocabulary+32*c.Width+64) + 6*c.Vocabulary*c.Width + c.Positions*c.Width/c.Heads
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
