package decoder_test

import (
	"errors"
	"strings"
	"testing"

	"workbench/engine/autograd"
	"workbench/engine/decoder"
	"workbench/engine/device"
	"workbench/engine/tensor"
)

func TestForwardInputs(t *testing.T) {
	m := newModel(t, decoder.DefaultConfig())
	s := &spy{Device: open(t, device.Separate)}
	for _, c := range []struct {
		name string
		ids  []int
		op   string
		says string
	}{
		{"empty", nil, "decoder", "takes 1 to 8 tokens"},
		{"too long", make([]int, 9), "decoder", "shorten the text or raise positions"},
		{"negative", []int{0, -1}, "gather", "index -1 at position 1 lies outside 0 to 257"},
		{"beyond the table", []int{258}, "gather", "index 258 at position 0 lies outside 0 to 257"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, run := range map[string]func(c autograd.Context) *autograd.Node{
				"dense": func(r autograd.Context) *autograd.Node { return m.Forward(r, c.ids) },
				"tiled": func(r autograd.Context) *autograd.Node {
					return m.ForwardTiled(r, c.ids, decoder.Tiles{Query: 2, Key: 2})
				},
			} {
				r := autograd.NoGrad(t.Context(), device.NewRun(s))
				logits := run(r)
				var shape *tensor.ShapeError
				if logits != nil || !errors.As(r.Err(), &shape) || shape.Op != c.op || !strings.Contains(shape.Error(), c.says) {
					t.Errorf("%s: %v, want a *tensor.ShapeError of %q that says %q", name, r.Err(), c.op, c.says)
				}
			}
			if len(s.lines) != 0 {
				t.Errorf("the device was asked for %v", s.lines)
			}
		})
	}
}

// As many tokens as positions are taken, and one token alone.
func TestForwardLengths(t *testing.T) {
	m := newModel(t, decoder.DefaultConfig())
	for _, n := range []int{1, 8} {
		c := autograd.Recording(t.Context(), device.NewRun(open(t, device.Separate)))
		ids := make([]int, n+1)
		logits, loss := forward(t, c, m, ids)
		if got := logits.Value().Shape(); got[0] != 1 || got[1] != n || got[2] != 258 {
			t.Errorf("%d tokens: logits of shape %v", n, got)
		}
		if err := loss.Backward(c); err != nil {
			t.Errorf("%d tokens: %v", n, err)
		}
	}
}

func TestLossInputs(t *testing.T) {
	m := newModel(t, decoder.DefaultConfig())
	run := device.NewRun(open(t, device.Separate))
	for _, c := range []struct {
		name    string
		targets []int
		says    string
	}{
		{"too few", []int{1}, "3 groups and 1 indices"},
		{"too many", []int{1, 1, 1, 1}, "3 groups and 4 indices"},
		{"negative", []int{1, -1, 1}, "index -1 at position 1"},
		{"beyond the vocabulary", []int{1, 1, 258}, "index 258 at position 2"},
	} {
		r := autograd.NoGrad(t.Context(), run)
		loss := m.Loss(r, m.Forward(r, ab[:3]), c.targets)
		var shape *tensor.ShapeError
		if loss != nil || !errors.As(r.Err(), &shape) || shape.Op != "pick" || !strings.Contains(shape.Error(), c.says) {
			t.Errorf("%s: %v, want a *tensor.ShapeError of pick that says %q", c.name, r.Err(), c.says)
		}
	}
	r := autograd.NoGrad(t.Context(), run)
	if loss := m.Loss(r, nil, ab[1:]); loss != nil || r.Err() == nil || !strings.Contains(r.Err().Error(), "needs logits") {
		t.Errorf("without logits: %v", r.Err())
	}
	for _, shape := range [][]int{{}, {258}, {3, 258}, {2, 3, 258}} {
		r := autograd.NoGrad(t.Context(), run)
		logits := autograd.Constant(tensor.Must(tensor.New(shape...)))
		var wrong *tensor.ShapeError
		if loss := m.Loss(r, logits, ab[1:]); loss != nil || !errors.As(r.Err(), &wrong) || wrong.Op != "loss" {
			t.Errorf("logits of shape %v: %v, want a *tensor.ShapeError of loss", shape, r.Err())
		}
	}
}

// Logits of one position say nothing of what comes later.
func TestCausality(t *testing.T) {
	for name, config := range models() {
		m := newModel(t, config)
		run := device.NewRun(open(t, device.Separate))
		ids := documentOf(name)
		ids = ids[:len(ids)-1]
		c := autograd.NoGrad(t.Context(), run)
		whole := m.Forward(c, ids).Value()
		for n := 1; n < len(ids); n++ {
			part := m.Forward(c, ids[:n]).Value()
			if err := c.Err(); err != nil {
				t.Fatal(err)
			}
			for i, want := range part.Data() {
				if got := whole.Data()[i]; !sameBits(got, want) {
					t.Errorf("%s: logit %d of the first %d tokens is %v, of all %v", name, i, n, want, got)
				}
			}
		}
	}
}
