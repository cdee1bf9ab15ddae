// Package device declares what a device of the workbench does, and imports no
// device. Two operations are enough for everything the course computes on one:
//
//	Multiply   [.., M, K] · [.., K, N] → [.., M, N]   (either side transposed)
//	Reduce     [.., K, ..]             → [.., ..]     (sum or mean of one axis)
//
// Operands are host views over any strides; results are new host tensors. A
// device never falls back to another one: what it cannot run is an error.
//
// Devices are opened by name in package engine, the only package that knows
// them all. A Run is one run's use of an opened device, and owns the statistics.
package device

import (
	"context"
	"fmt"

	"workbench/engine/tensor"
)

// Device multiplies and reduces. Implementations check the request through
// tensor.PlanMatmul and tensor.PlanAxis before they write anything, honour the
// context's cancellation, and are safe for concurrent use.
type Device interface {
	// Spec returns the name the device was opened with.
	Spec() Spec

	// Multiply returns the product and what it cost. A zero-length
	// contraction gives zeros and an empty output nothing; neither is counted
	// as device work.
	Multiply(ctx context.Context, p Product) (*tensor.Tensor, Stats, error)

	// Reduce returns the sum or mean along an axis. The sum of an empty axis
	// is zero and costs nothing; its mean is a tensor.ShapeError.
	Reduce(ctx context.Context, r Reduction) (*tensor.Tensor, Stats, error)

	// Close makes the device refuse requests with a ClosedError, and releases
	// what it holds. A request in flight either completes as if nothing had
	// happened or ends with a ClosedError and no result; Close may wait for
	// it. Closing a closed device does nothing and returns nil.
	Close() error
}

// Named is a device that a person knows by another name than its spec: that of
// the hardware, "NVIDIA H200". The CPU and the emulator have none.
type Named interface {
	Name() string
}

// NameOf returns the name of the hardware behind d, or nothing.
func NameOf(d Device) string {
	if named, ok := d.(Named); ok {
		return named.Name()
	}
	return ""
}

// Called says of a device its spec and, where it has one, its name: "cpu",
// "cuda:0, NVIDIA H200".
func Called(spec, name string) string {
	if name == "" {
		return spec
	}
	return spec + ", " + name
}

// Product is a request for left · right. The last two axes of each operand are
// the matrix, after the transposition asked for; the leading axes broadcast.
type Product struct {
	Left, Right                   tensor.View
	TransposeLeft, TransposeRight bool
	Precision                     Precision
}

// Plan checks the operands' shapes.
func (p Product) Plan() (*tensor.MatmulPlan, error) {
	return tensor.PlanMatmul(p.Left, p.Right, p.TransposeLeft, p.TransposeRight)
}

// ReduceOp is what a Reduction computes of each group.
type ReduceOp uint8

const (
	Sum  ReduceOp = iota
	Mean          // the sum, then divided by the number of elements
)

// String returns "sum" or "mean".
func (op ReduceOp) String() string {
	if op == Mean {
		return "mean"
	}
	return "sum"
}

// Reduction is a request for the sum or mean of Input along Axis.
type Reduction struct {
	Input     tensor.View
	Axis      int // 0 ≤ Axis < rank
	KeepDim   bool
	Op        ReduceOp
	Precision Precision
}

// Plan checks the operation and the axis, and that a mean has elements to divide
// by.
func (r Reduction) Plan() (*tensor.AxisPlan, error) {
	if r.Op > Mean {
		return nil, fmt.Errorf("reduction %d is unknown: ask for device.Sum or device.Mean", r.Op)
	}
	plan, err := tensor.PlanAxis(r.Input, r.Axis, r.KeepDim)
	if err != nil {
		return nil, err
	}
	if r.Op == Mean && plan.K == 0 {
		return nil, &tensor.ShapeError{Op: "mean", Left: r.Input.Shape(), Reason: "the axis is empty, and a mean of nothing is undefined: sum it, or choose another axis"}
	}
	return plan, nil
}

// Chain is one output cell written out: its K products and the running sum
// after each, as the contract rounds them.
type Chain struct {
	Device    Spec      `json:"device"` // that computed this explanation
	Precision Precision `json:"precision"`
	Left      []float64 `json:"-"` // K operands, as the format represents them
	Right     []float64 `json:"-"`
	Products  []float64 `json:"-"` // K rounded products; under Fused what a lone product would round to
	Sums      []float64 `json:"-"` // K running sums
	Result    float64   `json:"-"` // the last sum rounded to the precision's format; 0 if K is 0
}

// An Explainer can write out one cell. It is a separate interface since not
// every device can show what happens inside a product. As with requests, a
// context that is done is an error and gives no chain.
type Explainer interface {
	// Explain computes one output cell again, step by step. Left and right are
	// the cell's K operands in contraction order.
	Explain(ctx context.Context, p Precision, left, right []float64) (Chain, error)

	// ExplainMean computes the mean of one group again. The chain is its
	// sum's, with ones on the right, and the result is divided by the number
	// of values as the device divides. No values are a tensor.ShapeError.
	ExplainMean(ctx context.Context, p Precision, values []float64) (Chain, error)
}

// Info says whether a device is there, for menus and for doctor.
type Info struct {
	Spec      string   `json:"spec"`             // "cpu", "cpu,fused", "emulator", "cuda:0"
	Name      string   `json:"name"`             // what a person calls it: "CPU", "NVIDIA H200"
	Available bool     `json:"available"`        // it can be opened now
	Reason    string   `json:"reason,omitempty"` // why it is not there, one sentence
	Next      string   `json:"next,omitempty"`   // what to do to get it, one sentence
	Tried     []string `json:"tried,omitempty"`  // every file a library was looked for in, and why it was not it
}
