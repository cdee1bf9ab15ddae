package autograd

import (
	"slices"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// Event is one operation that was carried out, forward or backward. Its tensors
// are the operation's own: a watcher reads them and changes nothing.
type Event struct {
	Backward  bool
	Section   string
	Op        string            // "matmul", "exp", "accumulate", …
	Label     string            // name of the output, if the caller gave one; backward: of the value whose adjoint it belongs to
	Of        string            // backward: the operation whose adjoint this is
	Parameter string            // backward: the parameter whose gradient Output belongs to
	Share     Share             // backward: what Output is of that adjoint
	Inputs    []*tensor.Tensor  // in the operation's order
	Output    *tensor.Tensor    // never nil
	Factor    float64           // of "scale" and "offset"; of "repeat" what the adjoint was divided by, 1 for a sum's
	IDs       []int             // of "gather" and "pick"
	Axis      int               // of a reduction, and of "pick"
	Product   *device.Product   // set if the device multiplied
	Reduction *device.Reduction // set if the device reduced
}

// Share says what a backward event's output is of the adjoint it belongs to. A
// value that was used n times gets n shares, one from each use; "accumulate" adds
// them one by one, in the order they come.
type Share struct {
	Number int    // of the share, from 1; of "accumulate", how many its output adds
	Count  int    // shares there will be
	From   string // name of the output of the use that sends it; empty if it has none, and of "accumulate"
	Shape  []int  // of the whole adjoint
}

// Whole reports whether the output is the adjoint itself: its only share, or the
// sum of all, in the adjoint's own shape. What a broadcast repeated has another
// shape until it has been summed.
func (e Event) Whole() bool {
	return e.Backward && slices.Equal(e.Output.Shape(), e.Share.Shape) && e.Share.Number == e.Share.Count && (e.Share.Count == 1 || e.Op == opAccumulate)
}

const opAccumulate = "accumulate"

func (c Context) emit(e Event) {
	if c.watch == nil {
		return
	}
	e.Section = c.section
	if e.Label == "" {
		e.Label = c.label
	}
	c.watch(e)
}
