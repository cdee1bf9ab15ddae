package decoder_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"workbench/engine/autograd"
	"workbench/engine/decoder"
	"workbench/engine/device"
)

// plan is the requests of a pass, derived by hand from the drawing in the
// package comment. T positions, width W = H·D, feed-forward width F, V tokens.
type plan struct {
	lines []string
	p     device.Precision
}

func (l *plan) product(b, m, k, n int) {
	l.lines = append(l.lines, productLine(b, m, k, n, false, false, l.p))
}

// leftT and rightT are products with one operand transposed; m, k and n are the
// product's own, after the transposition.
func (l *plan) leftT(b, m, k, n int) {
	l.lines = append(l.lines, productLine(b, m, k, n, true, false, l.p))
}

func (l *plan) rightT(b, m, k, n int) {
	l.lines = append(l.lines, productLine(b, m, k, n, false, true, l.p))
}

func (l *plan) sum(axis int, shape ...int) {
	l.lines = append(l.lines, reductionLine(device.Sum, axis, l.p, shape...))
}

func (l *plan) mean(axis int, shape ...int) {
	l.lines = append(l.lines, reductionLine(device.Mean, axis, l.p, shape...))
}

func forwardPlan(c decoder.Config, T int, p device.Precision) []string {
	W, H, F, V := c.Width, c.Heads, c.FeedForward, c.Vocabulary
	D := W / H
	l := &plan{p: p}
	for range c.Blocks {
		l.mean(2, 1, T, W)    // of x², in the norm
		l.product(1, T, W, W) // queries
		l.product(1, T, W, W) // keys
		l.product(1, T, W, W) // values
		l.rightT(H, T, D, T)  // scores: Q·Kᵀ of each head
		l.sum(3, 1, H, T, T)  // of the exponentials
		l.product(H, T, T, D) // contexts of each head
		l.product(1, T, W, W) // output weights
		l.mean(2, 1, T, W)    // the second norm
		l.product(1, T, W, F) // gate
		l.product(1, T, W, F) // up
		l.product(1, T, F, W) // down
	}
	l.mean(2, 1, T, W)   // the final norm
	l.rightT(1, T, W, V) // logits: h·Eᵀ
	return l.lines
}

func lossPlan(c decoder.Config, T int, p device.Precision) []string {
	l := &plan{p: p}
	l.sum(2, 1, T, c.Vocabulary) // of the exponentials
	l.mean(0, T)                 // over positions
	return l.lines
}

// backwardPlan follows the graph from the loss. Of a product Y = A·B with the
// adjoint G, A gets G·Bᵀ and then B gets Aᵀ·G. Where a sum or a difference has
// two operands that need adjoints, the second one's part of the graph comes
// first: the order is that of the forward pass, reversed.
func backwardPlan(c decoder.Config, T int, p device.Precision) []string {
	W, H, F, V := c.Width, c.Heads, c.FeedForward, c.Vocabulary
	D := W / H
	l := &plan{p: p}
	// The loss's own adjoints are elementwise: the maximum is a constant, and
	// sums and means only repeat what they are sent.
	//
	// In a norm, x/rms · gain repeats the gain over T positions, and x · 1/rms
	// repeats each position's 1/rms over W columns: both shares are summed.
	norm := func() {
		l.sum(0, T, W)
		l.sum(2, 1, T, W)
	}
	linear := func(in, out int) { // [1, T, in] · [in, out]
		l.rightT(1, T, out, in)
		l.leftT(1, in, T, out)
	}
	l.product(1, T, V, W) // h of the logits h·Eᵀ: G·E
	l.leftT(1, V, T, W)   // E: Gᵀ·h
	norm()
	for range c.Blocks {
		linear(F, W) // down
		linear(W, F) // up
		linear(W, F) // gate
		norm()

		linear(W, W)          // output weights
		l.rightT(H, T, D, T)  // attention weights, of weights·V: G·Vᵀ
		l.leftT(H, T, T, D)   // values: weightsᵀ·G
		linear(W, W)          // the values' weights
		l.sum(3, 1, H, T, T)  // weights = exp/Σ repeats Σ over T columns
		l.product(H, T, T, D) // queries, of scores Q·Kᵀ: G·K
		l.leftT(H, T, T, D)   // keys: Gᵀ·Q
		linear(W, W)          // the keys' weights
		linear(W, W)          // the queries' weights
		norm()
	}
	return l.lines
}

// models are the fixture and one with several heads and other sizes.
func models() map[string]decoder.Config {
	heads := decoder.DefaultConfig()
	heads.Vocabulary, heads.Width, heads.Heads, heads.FeedForward, heads.Blocks, heads.Positions, heads.Seed = 11, 12, 3, 5, 1, 9, 7
	none := decoder.DefaultConfig()
	none.Blocks = 0
	return map[string]decoder.Config{"fixture": decoder.DefaultConfig(), "three heads": heads, "no blocks": none}
}

// documents for the models, with a token that comes twice.
func documentOf(name string) []int {
	if name == "three heads" {
		return []int{0, 5, 3, 5, 10, 2, 1}
	}
	return ab
}

// The device is asked for exactly what the graph needs: forward, loss and
// backward, in every precision, and forward without a graph too.
func TestRequests(t *testing.T) {
	for name, config := range models() {
		for _, p := range device.Precisions {
			t.Run(fmt.Sprintf("%s/%s", name, p), func(t *testing.T) {
				document := documentOf(name)
				T := len(document) - 1
				s := &spy{Device: open(t, device.Separate)}
				run := device.NewRun(s)
				m := newModel(t, config)
				stage := func(what string, want []string) {
					t.Helper()
					if !slices.Equal(s.lines, want) {
						t.Errorf("requests of %s:\n%s\nwant\n%s", what, join(s.lines), join(want))
					}
					s.lines = nil
				}
				c := autograd.Recording(t.Context(), run).WithPrecision(p)
				logits := m.Forward(c, document[:T])
				stage("forward", forwardPlan(config, T, p))
				loss := m.Loss(c, logits, document[1:])
				stage("the loss", lossPlan(config, T, p))
				if err := c.Err(); err != nil {
					t.Fatal(err)
				}
				// The context of the backward pass asks for float64: adjoints keep
				// the precision of their node.
				if err := loss.Backward(autograd.NoGrad(t.Context(), run)); err != nil {
					t.Fatal(err)
				}
				stage("backward", backwardPlan(config, T, p))

				plain := autograd.NoGrad(t.Context(), run).WithPrecision(p)
				m.Loss(plain, m.Forward(plain, document[:T]), document[1:])
				stage("forward and loss without a graph", slices.Concat(forwardPlan(config, T, p), lossPlan(config, T, p)))
			})
		}
	}
}

func join(lines []string) string {
	out := ""
	for _, l := range lines {
		out += "\t" + l + "\n"
	}
	return out
}

// The number of requests of the fixture, counted once more from the plan: a
// slip that the plan and the graph share shows here.
func TestRequestCount(t *testing.T) {
	config := decoder.DefaultConfig()
	count := func(lines []string) (products, reductions int) {
		for _, l := range lines {
			if l[:7] == "product" {
				products++
			} else {
				reductions++
			}
		}
		return products, reductions
	}
	// 9 products a block and the logits; 3 reductions a block, the final norm's
	// and the loss's two.
	products, reductions := count(slices.Concat(forwardPlan(config, 3, device.Float64), lossPlan(config, 3, device.Float64)))
	if products != 2*9+1 || reductions != 2*3+1+2 {
		t.Errorf("forward: %d products and %d reductions", products, reductions)
	}
	// Two products for every product; two sums for each of 5 norms and one for
	// each of 2 softmaxes.
	products, reductions = count(backwardPlan(config, 3, device.Float64))
	if products != 2*(2*9+1) || reductions != 2*5+2 {
		t.Errorf("backward: %d products and %d reductions", products, reductions)
	}
}

// The choice of a device reaches the backward pass: given another device, all
// of its requests go there and none to the first.
func TestBackwardOnAnotherDevice(t *testing.T) {
	config := decoder.DefaultConfig()
	m := newModel(t, config)
	first, second := &spy{Device: open(t, device.Separate)}, &spy{Device: open(t, device.Fused)}
	c := autograd.Recording(t.Context(), device.NewRun(first))
	_, loss := forward(t, c, m, ab)
	first.lines = nil
	if err := loss.Backward(autograd.NoGrad(t.Context(), device.NewRun(second))); err != nil {
		t.Fatal(err)
	}
	if len(first.lines) != 0 {
		t.Errorf("the first device was asked for\n%s", join(first.lines))
	}
	if want := backwardPlan(config, 3, device.Float64); !slices.Equal(second.lines, want) {
		t.Errorf("the second device was asked for\n%s\nwant\n%s", join(second.lines), join(want))
	}
}

// The precision that was recorded shows in the numbers too: adjoints of a
// float32 forward pass are float32 values wherever a product made them.
func TestAdjointsAreOfTheirPrecision(t *testing.T) {
	m := newModel(t, decoder.DefaultConfig())
	run := device.NewRun(open(t, device.Separate))
	c := autograd.Recording(t.Context(), run).WithPrecision(device.Float32)
	_, loss := forward(t, c, m, ab)
	if err := loss.Backward(autograd.Recording(t.Context(), run)); err != nil {
		t.Fatal(err)
	}
	for _, p := range m.Parameters() {
		if p == m.Embedding() || p.Value().Rank() != 2 {
			continue // sums of several shares
		}
		for i, x := range p.Gradient().Data() {
			if float64(float32(x)) != x {
				t.Fatalf("%s: gradient %d is %v, which is no float32", p.Name(), i, x)
			}
		}
	}
}

// Without a graph the logits have the same bits, and there is nothing to go
// back through.
func TestNoGrad(t *testing.T) {
	m := newModel(t, decoder.DefaultConfig())
	run := device.NewRun(open(t, device.Separate))
	recorded, _ := forward(t, autograd.Recording(t.Context(), run), m, ab)
	plain := autograd.NoGrad(t.Context(), run)
	logits, loss := forward(t, plain, m, ab)
	for i, want := range recorded.Value().Data() {
		if got := logits.Value().Data()[i]; !sameBits(got, want) {
			t.Errorf("logit %d: %v without a graph, %v with one", i, got, want)
		}
	}
	if err := loss.Backward(plain); !errors.Is(err, autograd.ErrNoGraph) {
		t.Errorf("Backward returned %v, want ErrNoGraph", err)
	}
	for _, p := range m.Parameters() {
		if p.Gradient() != nil {
			t.Errorf("%s has a gradient", p.Name())
		}
	}
}
