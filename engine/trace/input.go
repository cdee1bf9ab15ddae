package trace

import "workbench/engine/tensor"

// A FieldError names the input field that cannot be used, and why. Field is a
// path as JSON spells it: "left", "ops[1].axis", "text".
type FieldError struct {
	Field  string
	Reason string
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Reason }

// Array is a tensor in an input: nested lists of numbers, [[1, 2], [3, 4]], or
// {"shape": [2, 2], "values": [1, 2, 3, 4]}.
type Array struct{ *tensor.Tensor }

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
	Ops   []ViewOp `json:"ops"`
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
	Seed        *uint64 `json:"seed,omitempty"` // 39 if absent
	Width       int     `json:"width,omitempty"`
	Heads       int     `json:"heads,omitempty"`
	FeedForward int     `json:"feed_forward,omitempty"`
	Blocks      int     `json:"blocks,omitempty"`
	Positions   int     `json:"positions,omitempty"`
}
