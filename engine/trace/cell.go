package trace

import (
	"slices"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// Cell is one output element written out term by term. For a reduction the
// right operands are ones, Row is the group and the other coordinates are 0.
type Cell struct {
	Batch        int    `json:"batch"`
	Row          int    `json:"row"`
	Column       int    `json:"column"`
	Flat         int    `json:"flat"`
	Formula      string `json:"formula"`       // "q = (0·2 + 0)·2 + 1 = 1"
	LeftIndices  []int  `json:"left_indices"`  // flat index of each term's left operand in its input tensor
	RightIndices []int  `json:"right_indices"` // the same on the right; empty for a reduction
	Terms        []Term `json:"terms"`
	Omitted      *Gap   `json:"omitted,omitempty"` // of more than MaxCellTerms terms, those that are not written out
	Divisor      int    `json:"divisor,omitempty"` // of a mean: the sum is divided by it

	Device    string        `json:"device"`   // that computed the terms
	Contract  string        `json:"contract"` // they were rounded under
	Last      tensor.Number `json:"last"`     // the chain's result
	LastBits  string        `json:"last_bits"`
	Value     tensor.Number `json:"value"`         // the run's own value
	ValueBits string        `json:"value_bits"`    // 16 hex digits of float64
	Agrees    bool          `json:"agrees"`        // Last and Value have the same bits
	Why       string        `json:"why,omitempty"` // why they may differ, where they do and it is no fault
}

// Term is one product of a cell and the running sum after it.
type Term struct {
	Left    tensor.Number `json:"left"`
	Right   tensor.Number `json:"right"`
	Product tensor.Number `json:"product"`
	Sum     tensor.Number `json:"sum"` // exact also after a gap: it goes through every term
}

// Gap is a run of terms that were computed and are not written out.
type Gap struct {
	First int `json:"first"` // k of the first of them
	Count int `json:"count"`
}

// Length returns the number of terms, those in the gap too.
func (c *Cell) Length() int {
	if c.Omitted == nil {
		return len(c.Terms)
	}
	return len(c.Terms) + c.Omitted.Count
}

// Number returns the k of Terms[i].
func (c *Cell) Number(i int) int {
	if c.Omitted == nil || i < c.Omitted.First {
		return i
	}
	return i + c.Omitted.Count
}

// shorten leaves out the middle of a long cell.
func (c *Cell) shorten() {
	n := len(c.Terms)
	if n <= MaxCellTerms {
		return
	}
	first, after := MaxCellTerms-lastCellTerms, n-lastCellTerms
	c.Omitted = &Gap{First: first, Count: after - first}
	c.Terms = slices.Concat(c.Terms[:first], c.Terms[after:])
	c.LeftIndices = slices.Concat(c.LeftIndices[:first], c.LeftIndices[after:])
	if len(c.RightIndices) > 0 {
		c.RightIndices = slices.Concat(c.RightIndices[:first], c.RightIndices[after:])
	}
}

// bareCell is a cell of the run that is not written out.
func bareCell(batch, row, column, flat int, value float64) *Cell {
	return &Cell{
		Batch: batch, Row: row, Column: column, Flat: flat,
		LeftIndices: []int{}, RightIndices: []int{}, Terms: []Term{},
		Value: tensor.Number(value), ValueBits: tensor.Bits(value),
	}
}

func newCell(chain device.Chain) *Cell {
	c := &Cell{
		Device: chain.Device.String(), Contract: chain.Device.Contract.String(),
		LeftIndices: []int{}, RightIndices: []int{}, Terms: make([]Term, len(chain.Sums)),
	}
	for k := range c.Terms {
		c.Terms[k] = Term{
			Left: tensor.Number(chain.Left[k]), Right: tensor.Number(chain.Right[k]),
			Product: tensor.Number(chain.Products[k]), Sum: tensor.Number(chain.Sums[k]),
		}
	}
	return c
}
