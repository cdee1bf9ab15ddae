package cuda

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"workbench/engine/autograd"
	"workbench/engine/cpu"
	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/session"
	"workbench/engine/decoder"
	"workbench/engine/device"
	"workbench/engine/staged"
)

// recorder writes down the products that are asked of a GPU.
type recorder struct {
	staged.Backend
	asked []session.Product
}

func (r *recorder) Multiply(ctx context.Context, p session.Product, fill func(left, right []byte) error, take func(out []byte)) (device.Stats, error) {
	r.asked = append(r.asked, p)
	return r.Backend.Multiply(ctx, p, fill, take)
}

// table is the products that a pass over the decoder needs, written down from
// the drawing in the decoder's package comment: T positions, width W = H·D,
// feed-forward width F, V tokens. A transposed operand is packed the other way
// round, so that only sizes are left of it.
type table struct {
	p        device.Precision
	contract device.Contract
	products []session.Product
}

func (t *table) product(b, m, k, n int) {
	t.products = append(t.products, session.Product{B: b, M: m, K: k, N: n, Precision: t.p, Contract: t.contract})
}

// sum and mean are of groups of k values: their product with a column of ones.
func (t *table) sum(groups, k int) { t.product(1, groups, k, 1) }
func (t *table) mean(groups, k int) {
	t.sum(groups, k)
	t.products[len(t.products)-1].Mean = true
}

func (t *table) forward(c decoder.Config, T int) {
	W, H, F, V := c.Width, c.Heads, c.FeedForward, c.Vocabulary
	D := W / H
	for range c.Blocks {
		t.mean(T, W)          // the norm
		t.product(1, T, W, W) // queries
		t.product(1, T, W, W) // keys
		t.product(1, T, W, W) // values
		t.product(H, T, D, T) // scores
		t.sum(H*T, T)         // of the exponentials
		t.product(H, T, T, D) // contexts
		t.product(1, T, W, W) // output weights
		t.mean(T, W)          // the second norm
		t.product(1, T, W, F) // gate
		t.product(1, T, W, F) // up
		t.product(1, T, F, W) // down
	}
	t.mean(T, W)          // the final norm
	t.product(1, T, W, V) // logits
}

func (t *table) loss(c decoder.Config, T int) {
	t.sum(T, c.Vocabulary) // of the exponentials
	t.mean(1, T)           // over positions
}

func (t *table) backward(c decoder.Config, T int) {
	W, H, F, V := c.Width, c.Heads, c.FeedForward, c.Vocabulary
	D := W / H
	norm := func() {
		t.sum(W, T) // shares of the gain, over positions
		t.sum(T, W) // shares of 1/rms, over columns
	}
	linear := func(in, out int) { // of [T, in]·[in, out]
		t.product(1, T, out, in)
		t.product(1, in, T, out)
	}
	t.product(1, T, V, W) // the logits' h
	t.product(1, V, T, W) // and the embedding
	norm()
	for range c.Blocks {
		linear(F, W) // down
		linear(W, F) // up
		linear(W, F) // gate
		norm()
		linear(W, W)          // output weights
		t.product(H, T, D, T) // attention weights
		t.product(H, T, T, D) // values
		linear(W, W)          // the values' weights
		t.sum(H*T, T)         // of the exponentials
		t.product(H, T, T, D) // queries
		t.product(H, T, T, D) // keys
		linear(W, W)          // the keys' weights
		linear(W, W)          // the queries' weights
		norm()
	}
}

// cost is what these products cost by their sizes.
func (t *table) cost(tb testing.TB) device.Stats {
	tb.Helper()
	s := device.Stats{Requests: int64(len(t.products)), Launches: int64(len(t.products))}
	for _, p := range t.products {
		left, right, out, err := p.Sizes()
		if err != nil {
			tb.Fatal(err)
		}
		s.BytesIn += int64(left + right)
		s.BytesOut += int64(out)
	}
	return s
}

func lines(products []session.Product) string {
	var b strings.Builder
	for _, p := range products {
		fmt.Fprintf(&b, "\t%+v\n", p)
	}
	return b.String()
}

// A GPU is asked for exactly what the graph of a decoder needs, forward, loss and
// backward, also when nothing is recorded; its statistics are those of these
// requests; and every logit, the loss and every gradient has the bits of the CPU
// under the same contract.
func TestDecoder(t *testing.T) {
	heads := decoder.DefaultConfig()
	heads.Vocabulary, heads.Width, heads.Heads, heads.FeedForward, heads.Blocks, heads.Positions, heads.Seed = 11, 12, 3, 5, 1, 9, 7
	for _, model := range []struct {
		name     string
		config   decoder.Config
		document []int
	}{
		{"fixture", decoder.DefaultConfig(), []int{0, 99, 100, 1}},
		{"three heads", heads, []int{0, 5, 3, 5, 10, 2, 1}},
	} {
		for _, contract := range []device.Contract{device.Separate, device.Fused} {
			for _, precision := range device.Precisions {
				if raceEnabled && precision != device.Float64 {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%s", model.name, contract, precision), func(t *testing.T) {
					spec := device.Spec{Kind: device.CUDA, Contract: contract}
					host, err := cpu.New(device.Spec{Kind: device.CPU, Contract: contract})
					if err != nil {
						t.Fatal(err)
					}
					want := pass(t, host, model.config, model.document, precision, nil)
					for name, d := range map[string]*Device{
						"worker":     newMachine("").opened(t, spec.String()),
						"in-process": inProcess(t, fake.New(fake.Config{}), spec.String()),
					} {
						r := &recorder{Backend: d.gpu}
						d = newDevice(spec, d.about, r, d.process, d.Close)
						T := len(model.document) - 1
						got := pass(t, d, model.config, model.document, precision, func(stage string, s device.Stats) {
							want := &table{p: precision, contract: contract}
							switch stage {
							case "forward":
								want.forward(model.config, T)
							case "loss":
								want.loss(model.config, T)
							case "backward":
								want.backward(model.config, T)
							case "forward and loss, not recorded":
								want.forward(model.config, T)
								want.loss(model.config, T)
							}
							if !slices.Equal(r.asked, want.products) {
								t.Errorf("%s: requests of %s:\n%swant\n%s", name, stage, lines(r.asked), lines(want.products))
							}
							r.asked = nil
							if s.KernelNS <= 0 || s.CopyInNS <= 0 || s.CopyOutNS <= 0 {
								t.Errorf("%s: %s took no time: %+v", name, stage, s)
							}
							s.KernelNS, s.CopyInNS, s.CopyOutNS = 0, 0, 0
							if s != want.cost(t) {
								t.Errorf("%s: %s cost %+v, want %+v", name, stage, s, want.cost(t))
							}
						})
						for i := range want {
							if got[i] != want[i] {
								t.Fatalf("%s: %s, want %s as on the CPU", name, got[i], want[i])
							}
						}
					}
				})
			}
		}
	}
}

// pass runs a decoder forward and backward, and forward once more with nothing
// recorded, and returns the bits of every logit, the loss and every gradient.
// Done is told what each stage cost.
func pass(t *testing.T, d device.Device, config decoder.Config, document []int, p device.Precision, done func(stage string, s device.Stats)) []string {
	t.Helper()
	m, err := decoder.New(config)
	if err != nil {
		t.Fatal(err)
	}
	run := device.NewRun(d)
	before := device.Stats{}
	stage := func(name string) {
		t.Helper()
		s := run.Stats()
		if done != nil {
			done(name, device.Stats{
				Requests: s.Requests - before.Requests, Launches: s.Launches - before.Launches,
				BytesIn: s.BytesIn - before.BytesIn, BytesOut: s.BytesOut - before.BytesOut,
				CopyInNS: s.CopyInNS - before.CopyInNS, KernelNS: s.KernelNS - before.KernelNS, CopyOutNS: s.CopyOutNS - before.CopyOutNS,
			})
		}
		before = s
	}
	T := len(document) - 1
	c := autograd.Recording(t.Context(), run).WithPrecision(p)
	logits := m.Forward(c, document[:T])
	stage("forward")
	loss := m.Loss(c, logits, document[1:])
	stage("loss")
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	if err := loss.Backward(c); err != nil {
		t.Fatal(err)
	}
	stage("backward")
	plain := autograd.NoGrad(t.Context(), run).WithPrecision(p)
	again := m.Loss(plain, m.Forward(plain, document[:T]), document[1:])
	if err := plain.Err(); err != nil {
		t.Fatal(err)
	}
	stage("forward and loss, not recorded")
	if a, b := loss.Value().Data()[0], again.Value().Data()[0]; math.Float64bits(a) != math.Float64bits(b) {
		t.Errorf("the loss is %v recorded and %v not", a, b)
	}
	var out []string
	add := func(name string, values []float64) {
		for i, x := range values {
			out = append(out, fmt.Sprintf("%s %d %016x", name, i, math.Float64bits(x)))
		}
	}
	add("logit", logits.Value().Data())
	add("loss", loss.Value().Data())
	for _, parameter := range m.Parameters() {
		add("gradient of "+parameter.Name(), parameter.Gradient().Data())
	}
	return out
}

// The number of requests of the fixture, counted by hand: a slip that the table
// and the graph share shows here.
func TestDecoderCounts(t *testing.T) {
	config := decoder.DefaultConfig()
	forward, backward := &table{}, &table{}
	forward.forward(config, 3)
	forward.loss(config, 3)
	backward.backward(config, 3)
	// 9 products and 3 reductions a block; the logits, the final norm, the loss's two.
	if n := len(forward.products); n != 2*(9+3)+1+1+2 {
		t.Errorf("forward and loss: %d requests", n)
	}
	// Two products for each product; two sums for each of 5 norms, one for each of
	// 2 softmaxes.
	if n := len(backward.products); n != 2*(2*9+1)+2*5+2 {
		t.Errorf("backward: %d requests", n)
	}
}
