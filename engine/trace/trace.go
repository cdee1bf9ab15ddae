// Package trace is what happened in a run, as plain data: every tensor that
// took part and the ordered steps that made them, with what explains each. A
// trace prints as text for a terminal and travels as JSON to a page; neither
// computes anything from it.
//
// A Trace holds each tensor once, in Tensors; steps name tensors by index.
// Steps too large to write out are explained on demand: Explain computes the K
// products behind one cell again, says which device and contract did, and
// whether the last sum equals the run's own value in every bit.
package trace

import (
	"workbench/engine/device"
	"workbench/engine/tensor"
)

// Version of the JSON form. A page refuses another one.
const Version = 1

// Trace is one run of a worked example.
type Trace struct {
	Version    int              `json:"version"`
	Example    string           `json:"example"`               // "product", "reduction", "view", "decoder" or "boundary"
	Device     string           `json:"device"`                // the spec of the device that ran it
	DeviceName string           `json:"device_name,omitempty"` // of the hardware, "NVIDIA H200"; the CPU has none
	Contract   string           `json:"contract"`
	Precision  device.Precision `json:"precision"`
	Tensors    []Tensor         `json:"tensors"`
	Steps      []Step           `json:"steps"`
	Result     []int            `json:"result"` // tensors that are the run's results
	Stats      device.Stats     `json:"stats"`
	Document   *Document        `json:"document,omitempty"` // of a decoder run
}

// Document is the text of a decoder run and its tokens.
type Document struct {
	Text    string        `json:"text"`
	IDs     []int         `json:"ids"`     // begin, tokens, end
	Names   []string      `json:"names"`   // one per ID: "<begin>", "a", "0xff", "<end>"
	Inputs  []int         `json:"inputs"`  // IDs without the last
	Targets []int         `json:"targets"` // IDs without the first
	Loss    tensor.Number `json:"loss"`    // in nats
	Bits    string        `json:"bits"`    // of the loss, 16 hex digits
}

// Tensor is one value of the run, row-major.
type Tensor struct {
	Name    string        `json:"name"`
	Shape   []int         `json:"shape"`
	Values  tensor.Values `json:"values"`
	Rows    []string      `json:"rows,omitempty"`    // labels of the last axis but one, if it has any
	Columns []string      `json:"columns,omitempty"` // labels of the last axis
	Layout  *Layout       `json:"layout,omitempty"`
	Bytes   []string      `json:"bytes,omitempty"` // of a packed operand that is small: each element as it lies in memory, in hex
}

// Layout says how a tensor reads the storage of another one.
type Layout struct {
	Storage    int   `json:"storage"` // index of the one-axis tensor that is the storage
	Offset     int   `json:"offset"`
	Strides    []int `json:"strides"` // in elements
	Indices    []int `json:"indices"` // storage index of each element, row-major
	Contiguous bool  `json:"contiguous"`
}

// Phases of a run, in order.
const (
	PhaseInputs   = "inputs"
	PhaseForward  = "forward"
	PhaseLoss     = "loss"
	PhaseBackward = "backward"
	PhaseResult   = "result"
)

// Host is the Device of a step that no device ran: elementwise work and
// packing stay on the host.
const Host = "host"

// Step is one thing that happened.
type Step struct {
	Phase   string `json:"phase"`
	Section string `json:"section,omitempty"` // part of the decoder: "embedding", "blocks.0.attention", …
	Op      string `json:"op"`                // "given", "matmul", "cell", "sum", "group", "mean", "transpose", "exp", …
	Title   string `json:"title"`             // one sentence
	Note    string `json:"note,omitempty"`    // what to notice, one or two sentences
	Formula string `json:"formula,omitempty"` // TeX
	Device  string `json:"device"`            // the spec of the device that ran the step, or Host

	Inputs  []int `json:"inputs"`  // tensors
	Outputs []int `json:"outputs"` // tensors

	// Stats are what the step's request cost the device. A step that asked
	// nothing of it has none, and neither has one of the CPU, which counts
	// nothing. The times differ from run to run.
	Stats *device.Stats `json:"stats,omitempty"`

	Product   *Product   `json:"product,omitempty"`   // of "matmul" and "cell"
	Reduction *Reduction `json:"reduction,omitempty"` // of "sum", "mean" and "group"
	Crossing  *Crossing  `json:"crossing,omitempty"`  // of a request's stages in the example "boundary"
	Cell      *Cell      `json:"cell,omitempty"`      // of "cell" and "group": written out, or without Terms and Device where that is done on demand
}

// Product describes a matrix product whose cells Explain can write out. Its
// operands are the step's first two inputs and its output the first output.
type Product struct {
	B              int              `json:"b"`
	M              int              `json:"m"`
	K              int              `json:"k"`
	N              int              `json:"n"`
	TransposeLeft  bool             `json:"transpose_left,omitempty"`
	TransposeRight bool             `json:"transpose_right,omitempty"`
	Precision      device.Precision `json:"precision"`
}

// Reduction describes a sum or mean whose groups Explain can write out.
type Reduction struct {
	Op        string           `json:"op"` // "sum" or "mean"
	Axis      int              `json:"axis"`
	G         int              `json:"g"`
	K         int              `json:"k"`
	Precision device.Precision `json:"precision"`
}
