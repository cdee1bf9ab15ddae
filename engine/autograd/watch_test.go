package autograd_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"workbench/engine/autograd"
	"workbench/engine/tensor"
)

// Events come in the order of the work. Everything that an event reads is a
// leaf, the adjoint that starts the pass, or the output of an event before it.
func TestWatchOrder(t *testing.T) {
	p, q := chainParameters()
	var events []autograd.Event
	c := recording(t).WithWatch(func(e autograd.Event) { events = append(events, e) })
	root := chain(c, p, q)
	forward := len(events)
	if err := root.Backward(c); err != nil {
		t.Fatal(err)
	}
	known := map[*tensor.Tensor]bool{p.Value(): true, q.Value(): true}
	whole := map[string]int{}
	seeds := 0
	for i, e := range events {
		if e.Backward != (i >= forward) {
			t.Errorf("event %d (%s) is backward: %t", i, e.Op, e.Backward)
		}
		if e.Output == nil {
			t.Fatalf("event %d (%s) has no output", i, e.Op)
		}
		for _, in := range e.Inputs {
			if known[in] {
				continue
			}
			if i != forward || in.Len() != 1 || in.Data()[0] != 1 {
				t.Errorf("event %d (%s) reads a tensor of shape %v that nothing made", i, e.Op, in.Shape())
			}
			known[in] = true
			seeds++
		}
		// A value that is only handed on has an identity of its own all the same.
		if known[e.Output] {
			t.Errorf("event %d (%s) makes a tensor that was there before", i, e.Op)
		}
		known[e.Output] = true
		if e.Whole() {
			whole[e.Label]++
		}
		if (e.Op == "matmul") != (e.Product != nil) {
			t.Errorf("event %d (%s) has the product %v", i, e.Op, e.Product)
		}
		if (e.Op == "sum" || e.Op == "mean") != (e.Reduction != nil) {
			t.Errorf("event %d (%s) has the reduction %v", i, e.Op, e.Reduction)
		}
	}
	if seeds != 1 {
		t.Errorf("%d adjoints start the pass, want 1", seeds)
	}
	// Each value that was made or used forward gets its whole adjoint once; the
	// root's is the seed.
	want := map[string]int{"p": 1, "q": 1, "y": 1, "row sums": 1, "z": 1, "w": 1, "flat": 1}
	if !maps.Equal(whole, want) {
		t.Errorf("whole adjoints %v, want %v", whole, want)
	}
	// What the last event for a parameter made is its gradient.
	for _, parameter := range []*autograd.Node{p, q} {
		var last *tensor.Tensor
		for _, e := range events {
			if e.Parameter == parameter.Name() {
				last = e.Output
			}
		}
		if last != parameter.Gradient() {
			t.Errorf("the last event for %s did not make its gradient", parameter.Name())
		}
	}
}

func TestWatchNames(t *testing.T) {
	p, q := chainParameters()
	var lines []string
	c := recording(t).WithWatch(func(e autograd.Event) {
		line := fmt.Sprintf("%s %s → %s", e.Section, e.Op, e.Label)
		if e.Backward {
			line = fmt.Sprintf("%s %s of %s → %s, share %d of %d", e.Section, e.Op, e.Of, e.Label, e.Share.Number, e.Share.Count)
			if e.Share.From != "" {
				line += " from " + e.Share.From
			}
			if e.Whole() {
				line += ": whole"
			}
		}
		if e.Parameter != "" {
			line += " (parameter)"
		}
		lines = append(lines, line)
	})
	if err := chain(c, p, q).Backward(c); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"first matmul → y",
		"second sum → row sums",
		"second add → z",
		"second mul → w",
		"third reshape → flat",
		"third mean → root",

		"third repeat of mean → flat, share 1 of 1 from root: whole",
		"third reshape of reshape → w, share 1 of 1 from flat: whole",
		"second mul of mul → z, share 1 of 1 from w: whole",
		"second mul of mul → q, share 1 of 2 from w (parameter)",
		"second pass of add → y, share 1 of 2 from z",
		"second pass of add → row sums, share 1 of 1 from z",
		"second sum of add → row sums, share 1 of 1 from z: whole", // it was broadcast over two columns
		"second repeat of sum → y, share 2 of 2 from row sums",
		"second accumulate of sum → y, share 2 of 2: whole",
		"first matmul of matmul → p, share 1 of 1 from y: whole (parameter)",
		"first matmul of matmul → q, share 2 of 2 from y (parameter)",
		"first accumulate of matmul → q, share 2 of 2: whole (parameter)",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("events\n%s\nwant\n%s", join(lines), join(want))
	}
}

func join(lines []string) string {
	out := ""
	for _, l := range lines {
		out += "\t" + l + "\n"
	}
	return out
}

// Operations say what only they have: factors, indices, axes.
func TestWatchDetails(t *testing.T) {
	var events []autograd.Event
	c := recording(t).WithWatch(func(e autograd.Event) { events = append(events, e) })
	table := autograd.Parameter("table", values([]int{3, 2}, 1, 2, 3, 4, 5, 6))
	y := c.Offset(c.Scale(c.Gather(table, []int{2, 0}), -2), 0.5)
	root := c.SumAxis(c.Pick(y, []int{1, 0}), 0, false)
	if err := root.Backward(c); err != nil {
		t.Fatal(err)
	}
	find := func(op string, backward bool) autograd.Event {
		for _, e := range events {
			if e.Op == op && e.Backward == backward {
				return e
			}
		}
		t.Fatalf("no event %q, backward %t", op, backward)
		return autograd.Event{}
	}
	for _, backward := range []bool{false, true} {
		if e := find("scale", backward); e.Factor != -2 {
			t.Errorf("scale, backward %t: factor %v", backward, e.Factor)
		}
	}
	if e := find("repeat", true); e.Factor != 1 || e.Axis != 0 {
		t.Errorf("the adjoint of a sum is divided by %v along axis %d", e.Factor, e.Axis)
	}
	if e := find("offset", false); e.Factor != 0.5 {
		t.Errorf("offset: %v", e.Factor)
	}
	for op, backward := range map[string]bool{"gather": false, "scatter": true} {
		if e := find(op, backward); !slices.Equal(e.IDs, []int{2, 0}) {
			t.Errorf("%s: IDs %v", op, e.IDs)
		}
	}
	for op, backward := range map[string]bool{"pick": false, "unpick": true} {
		if e := find(op, backward); !slices.Equal(e.IDs, []int{1, 0}) || e.Axis != 1 {
			t.Errorf("%s: IDs %v, axis %d", op, e.IDs, e.Axis)
		}
	}
	if e := find("sum", false); e.Axis != 0 || e.Reduction.Axis != 0 || e.Reduction.KeepDim {
		t.Errorf("sum: axis %d, request %+v", e.Axis, e.Reduction)
	}
}

// A mean hands each of its K elements the K-th part of its adjoint, and the
// event says so.
func TestWatchMean(t *testing.T) {
	var divided []float64
	c := recording(t).WithWatch(func(e autograd.Event) {
		if e.Op == "repeat" {
			divided = append(divided, e.Factor)
			for i, x := range e.Output.Data() {
				if got := e.Inputs[0].Data()[i/int(e.Factor)] / e.Factor; x != got {
					t.Errorf("element %d of the share is %v, want %v", i, x, got)
				}
			}
		}
	})
	p := autograd.Parameter("p", values([]int{2, 3}, 1, 2, 3, 4, 5, 6))
	if err := c.MeanAxis(c.MeanAxis(p, 1, false), 0, false).Backward(c); err != nil {
		t.Fatal(err)
	}
	if want := []float64{2, 3}; !slices.Equal(divided, want) {
		t.Errorf("adjoints were divided by %v, want %v", divided, want)
	}
}

// Every use sends a share of its own, also two uses by one operation, and they
// are added one by one.
func TestWatchShares(t *testing.T) {
	var lines []string
	c := recording(t).WithWatch(func(e autograd.Event) {
		if e.Backward && e.Label == "p" {
			lines = append(lines, fmt.Sprintf("%s %d/%d %q %t", e.Op, e.Share.Number, e.Share.Count, e.Share.From, e.Whole()))
		}
	})
	p := autograd.Parameter("p", values([]int{}, 3))
	square := c.As("square").Mul(p, p)
	if err := c.As("sum").Add(c.As("cube").Mul(square, p), c.Exp(p)).Backward(c); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`mul 1/4 "" false`, // of the exponential, which has no name
		`mul 2/4 "cube" false`,
		`accumulate 2/4 "" false`,
		`mul 3/4 "square" false`,
		`accumulate 3/4 "" false`,
		`mul 4/4 "square" false`,
		`accumulate 4/4 "" true`,
	}
	if !slices.Equal(lines, want) {
		t.Errorf("events of p\n%s\nwant\n%s", join(lines), join(want))
	}
}
