package autograd_test

import (
	"fmt"
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
		known[e.Output] = true
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
			line = fmt.Sprintf("%s %s of %s → %s", e.Section, e.Op, e.Of, e.Label)
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

		"third repeat of mean → flat",
		"third reshape of reshape → w",
		"second mul of mul → z",
		"second mul of mul → q (parameter)",
		"second pass of add → y",
		"second pass of add → row sums",
		"second sum of add → row sums", // it was broadcast over two columns
		"second repeat of sum → y",
		"second accumulate of sum → y",
		"first matmul of matmul → p (parameter)",
		"first matmul of matmul → q (parameter)",
		"first accumulate of matmul → q (parameter)",
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
