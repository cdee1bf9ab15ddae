package trace

import (
	"fmt"
	"strconv"
	"strings"
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

// ViewOp is one operation of a ViewInput. A field that does not belong to the
// operation is an error.
type ViewOp struct {
	Op    string `json:"op"`              // "transpose", "slice", "broadcast", "reshape", "pack", "column-major"
	Axes  []int  `json:"axes,omitzero"`   // transpose: the two axes; the last two if absent
	Axis  *int   `json:"axis,omitempty"`  // slice: 0 if absent
	Start *int   `json:"start,omitempty"` // slice: 0 if absent
	Stop  *int   `json:"stop,omitempty"`  // slice: the axis's length if absent
	Step  *int   `json:"step,omitempty"`  // slice: 1 if absent
	Shape []int  `json:"shape,omitzero"`  // broadcast, reshape, column-major; [] is a single number
}

// DecoderInput is the input of the examples "decoder" and "comparison". A field
// that is absent takes the fixture's value.
type DecoderInput struct {
	Text        *string `json:"text,omitempty"` // "ab"
	Seed        *Seed   `json:"seed,omitempty"` // 39
	Width       *int    `json:"width,omitempty"`
	Heads       *int    `json:"heads,omitempty"`
	FeedForward *int    `json:"feed_forward,omitempty"`
	Blocks      *int    `json:"blocks,omitempty"` // 0 is a model without blocks
	Positions   *int    `json:"positions,omitempty"`
	Precision   string  `json:"precision,omitempty"` // of products, sums and means, forward and backward; float64 if empty
}

// BoundaryInput is the input of the example "boundary": the operands of a
// product. The sums and means are of the left one, along the axis that the
// product contracts.
type BoundaryInput struct {
	Left           Array  `json:"left"`
	Right          Array  `json:"right"`
	TransposeLeft  bool   `json:"transpose_left,omitempty"`
	TransposeRight bool   `json:"transpose_right,omitempty"`
	Precision      string `json:"precision,omitempty"` // float64 if empty
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
	ExampleBoundary  = "boundary"
)

// Examples lists them in the order of the chapters.
var Examples = []string{ExampleProduct, ExampleReduction, ExampleView, ExampleDecoder, ExampleBoundary}

// Input is what an example runs on: *ProductInput, *ReductionInput, *ViewInput,
// *DecoderInput or *BoundaryInput.
type Input interface {
	// Check returns a *FieldError for the first field that cannot be used.
	Check() error
}
