package decoder_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"workbench/engine/autograd"
	"workbench/engine/decoder"
	"workbench/engine/device"
	"workbench/engine/tensor"
)

// TestFiniteDifferences holds gradients of another model than the fixture
// against central differences of its loss, at entries chosen at random of every
// named tensor.
//
// Five points with h = 2^-10 truncate h⁴/30·f⁽⁵⁾ ≈ 3e-14·f⁽⁵⁾; the loss is about
// 3 and made of averages, so each of its values is right to about 1e-15, which
// the difference magnifies by 1.5/h to 2e-12. Doubling h shows the fifth
// derivatives of these models to be below 1e4: the norm divides by vectors of
// length 0.3, and each derivative brings another such factor. Together that is
// less than 1e-9; entries of a gradient are around 1e-2 to 1.
func TestFiniteDifferences(t *testing.T) {
	const h, tolerance, entries = 0x1p-10, 1e-9, 6
	for _, heads := range []int{1, 2, 4} {
		config := decoder.DefaultConfig()
		config.Vocabulary, config.Width, config.Heads, config.FeedForward = 19, 8, heads, 6
		config.Blocks, config.Positions, config.Seed = 1, 16, uint64(100+heads)
		m := newModel(t, config)
		random := rand.New(rand.NewPCG(uint64(heads), 2))
		document := []int{0}
		for range 11 {
			document = append(document, 2+random.IntN(17))
		}
		document = append(document, 1)
		// Gains of one would hide a gain that is left out.
		for _, p := range m.Parameters() {
			if strings.HasSuffix(p.Name(), ".gain") {
				for i := range p.Value().Data() {
					p.Value().Data()[i] = 0.5 + random.Float64()
				}
			}
		}
		run := device.NewRun(open(t, device.Separate))
		c := autograd.Recording(t.Context(), run)
		_, loss := forward(t, c, m, document)
		if err := loss.Backward(c); err != nil {
			t.Fatal(err)
		}
		plain := autograd.NoGrad(t.Context(), run)
		for _, p := range m.Parameters() {
			data := p.Value().Data()
			for range entries {
				i := random.IntN(len(data))
				kept := data[i]
				at := func(delta float64) float64 {
					data[i] = kept + delta
					_, loss := forward(t, plain, m, document)
					return loss.Value().Data()[0]
				}
				want := (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
				data[i] = kept
				if got := p.Gradient().Data()[i]; !(math.Abs(got-want) <= tolerance) {
					t.Errorf("%d heads, %s, element %v: gradient %v, differences give %v", heads, p.Name(), tensor.Coordinate(p.Value().Shape(), i), got, want)
				}
			}
		}
	}
}

// The head is the embedding itself. Its gradient is the share of the rows that
// were looked up plus the share of the product, and a row that no token named
// still gets the product's.
func TestTiedHead(t *testing.T) {
	m := newModel(t, decoder.DefaultConfig())
	table := m.Embedding()
	if m.Head() != table {
		t.Fatal("the head is another node than the embedding")
	}
	named := 0
	for _, p := range m.Parameters() {
		if p == table {
			named++
		}
	}
	if named != 1 {
		t.Errorf("the table is named %d times among the parameters, want once", named)
	}

	var scattered, product *tensor.Tensor
	c := autograd.Recording(t.Context(), device.NewRun(open(t, device.Separate))).WithWatch(func(e autograd.Event) {
		if e.Backward && e.Parameter == table.Name() {
			switch e.Op {
			case "scatter":
				scattered = e.Output
			case "matmul":
				product = e.Output
			}
		}
	})
	_, loss := forward(t, c, m, ab)
	if err := loss.Backward(c); err != nil {
		t.Fatal(err)
	}
	if scattered == nil || product == nil {
		t.Fatalf("the table got the shares %v of the look-up and %v of the product", scattered, product)
	}
	g := table.Gradient()
	for i, got := range g.Data() {
		if want := product.Data()[i] + scattered.Data()[i]; !sameBits(got, want) {
			t.Errorf("element %d: gradient %v, want the sum %v", i, got, want)
		}
	}
	for row := range g.Dim(0) {
		lookedUp := slices.Contains(ab[:3], row)
		for column := range g.Dim(1) {
			if (scattered.At(row, column) != 0) != lookedUp {
				t.Errorf("row %d, which was looked up: %t, has the share %v of the look-up", row, lookedUp, scattered.At(row, column))
			}
			if !lookedUp && g.At(row, column) == 0 {
				t.Errorf("row %d was not looked up and gets nothing from the head", row)
			}
		}
	}
	// A changed row changes both uses: the node is live, not a copy.
	before := loss.Value().Data()[0]
	table.Value().Data()[0] += 0.5
	_, after := forward(t, c, m, ab)
	if after.Value().Data()[0] == before {
		t.Error("a change of the table does not change the loss")
	}
}

// Two passes add up, to exactly twice the first; clearing forgets.
func TestGradientsAccumulate(t *testing.T) {
	m := newModel(t, decoder.DefaultConfig())
	c := autograd.Recording(t.Context(), device.NewRun(open(t, device.Separate)))
	var once []*tensor.Tensor
	for pass := range 2 {
		_, loss := forward(t, c, m, ab)
		if err := loss.Backward(c); err != nil {
			t.Fatal(err)
		}
		for i, p := range m.Parameters() {
			if pass == 0 {
				once = append(once, p.Gradient().Clone())
				continue
			}
			for j, x := range once[i].Data() {
				if got := p.Gradient().Data()[j]; !sameBits(got, 2*x) {
					t.Errorf("%s, element %d: %v after two passes, %v after one", p.Name(), j, got, x)
				}
			}
		}
	}
	m.ZeroGradients()
	for _, p := range m.Parameters() {
		if p.Gradient() != nil {
			t.Errorf("%s still has a gradient", p.Name())
		}
	}
	_, loss := forward(t, c, m, ab)
	if err := loss.Backward(c); err != nil {
		t.Fatal(err)
	}
	for i, p := range m.Parameters() {
		if !slices.Equal(p.Gradient().Data(), once[i].Data()) {
			t.Errorf("%s has another gradient after clearing", p.Name())
		}
	}
}

// gradients are copies of a model's gradients.
func gradients(m *decoder.Model) []*tensor.Tensor {
	var out []*tensor.Tensor
	for _, p := range m.Parameters() {
		if g := p.Gradient(); g != nil {
			out = append(out, g.Clone())
		}
	}
	return out
}

func sameGradients(m *decoder.Model, want []*tensor.Tensor) bool {
	got := gradients(m)
	return slices.EqualFunc(got, want, func(a, b *tensor.Tensor) bool {
		return a.SameShape(b) && slices.EqualFunc(a.Data(), b.Data(), sameBits)
	})
}

// Whichever request of a backward pass fails, no gradient changes: neither
// those of an earlier pass, nor from nothing.
func TestFailedPassChangesNoGradient(t *testing.T) {
	m := newModel(t, decoder.DefaultConfig())
	s := &spy{Device: open(t, device.Separate)}
	c := autograd.Recording(t.Context(), device.NewRun(s))
	_, loss := forward(t, c, m, ab)
	requests := len(backwardPlan(m.Config(), 3, device.Float64))
	for _, earlier := range []bool{false, true} {
		m.ZeroGradients()
		if earlier {
			s.fail = 0
			if err := loss.Backward(c); err != nil {
				t.Fatal(err)
			}
		}
		before := gradients(m)
		for n := 1; n <= requests; n++ {
			s.lines, s.fail = nil, n
			if err := loss.Backward(c); !errors.Is(err, errBroken) {
				t.Fatalf("request %d failed and Backward returned %v", n, err)
			}
			if !sameGradients(m, before) {
				t.Errorf("request %d failed and gradients changed", n)
			}
		}
		s.lines, s.fail = nil, requests+1
		if err := loss.Backward(c); err != nil || sameGradients(m, before) {
			t.Errorf("a pass in which nothing fails returned %v and changed gradients: %t", err, !sameGradients(m, before))
		}
	}
}

// Whichever request of a forward pass fails, its error is the context's and
// there is no value.
func TestFailedForward(t *testing.T) {
	m := newModel(t, decoder.DefaultConfig())
	requests := len(forwardPlan(m.Config(), 3, device.Float64)) + len(lossPlan(m.Config(), 3, device.Float64))
	for n := 1; n <= requests; n++ {
		s := &spy{Device: open(t, device.Separate), fail: n}
		c := autograd.Recording(t.Context(), device.NewRun(s))
		loss := m.Loss(c, m.Forward(c, ab[:3]), ab[1:])
		if loss != nil || !errors.Is(c.Err(), errBroken) || len(s.lines) != n {
			t.Errorf("request %d failed: loss %v, error %v, %d requests", n, loss, c.Err(), len(s.lines))
		}
	}
}

// A cancelled run stops at the next operation, says why, and changes nothing.
func TestCancellation(t *testing.T) {
	m := newModel(t, decoder.DefaultConfig())
	config := m.Config()
	cause := errors.New("the reader closed the page")
	forwards := len(forwardPlan(config, 3, device.Float64)) + len(lossPlan(config, 3, device.Float64))
	backwards := len(backwardPlan(config, 3, device.Float64))
	for n := 1; n <= forwards+backwards; n++ {
		m.ZeroGradients()
		ctx, cancel := context.WithCancelCause(t.Context())
		s := &spy{Device: open(t, device.Separate)}
		s.after = func() {
			if len(s.lines) == n {
				cancel(cause)
			}
		}
		c := autograd.Recording(ctx, device.NewRun(s))
		loss := m.Loss(c, m.Forward(c, ab[:3]), ab[1:])
		err := c.Err()
		if err == nil {
			err = loss.Backward(c)
		}
		// After the last request there may be nothing left to stop.
		if err == nil && n < forwards+backwards || err != nil && !errors.Is(err, cause) {
			t.Errorf("cancelled after request %d: %v, want the cause", n, err)
		}
		// One operation makes at most two requests. The CPU refuses the second.
		if err != nil && len(s.lines) > n+1 {
			t.Errorf("cancelled after request %d, and %d were made", n, len(s.lines))
		}
		if err != nil && len(gradients(m)) != 0 {
			t.Errorf("cancelled after request %d, and gradients changed", n)
		}
		cancel(nil)
	}
}
