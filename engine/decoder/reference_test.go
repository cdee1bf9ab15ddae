package decoder_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"workbench/engine/autograd"
	"workbench/engine/decoder"
	"workbench/engine/device"
)

// fixture is testdata/reference.json.
type fixture struct {
	Text       string      `json:"text"`
	Document   []int       `json:"document"`
	Loss       float64     `json:"loss"`
	LossBits   string      `json:"loss_bits"`
	Logits     [][]float64 `json:"logits"`
	Parameters map[string]struct {
		Shape    []int     `json:"shape"`
		Initial  []float64 `json:"initial"`
		Gradient []float64 `json:"gradient"`
	} `json:"parameters"`
}

func readFixture(t *testing.T) fixture {
	t.Helper()
	text, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var f fixture
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestReference holds the fixture on the CPU against an independent program:
// see testdata/README.md. Initial values and the loss are equal in every bit.
// Logits and gradients may differ by 1e-12: the two programs share their
// conventions, but not the last bits of exponentials and logarithms, and values
// of magnitude 1 pass through a few hundred roundings of 1e-16.
func TestReference(t *testing.T) {
	const tolerance = 1e-12
	want := readFixture(t)
	if !slices.Equal(want.Document, ab) {
		t.Errorf("the fixture's document is %v, the tests' %v", want.Document, ab)
	}
	m := newModel(t, decoder.DefaultConfig())
	if n := len(m.Parameters()); n != 20 || len(want.Parameters) != 20 {
		t.Errorf("%d parameters, the fixture has %d, want 20", n, len(want.Parameters))
	}
	if m.Scalars() != 1372 {
		t.Errorf("%d scalars, want 1372", m.Scalars())
	}
	// Five gains of width 4 are ones.
	if m.Drawn() != 1372-5*4 {
		t.Errorf("%d of them are drawn, want 1352", m.Drawn())
	}
	for _, p := range m.Parameters() {
		w, ok := want.Parameters[p.Name()]
		if !ok || !slices.Equal(p.Value().Shape(), w.Shape) {
			t.Errorf("%s has shape %v, the fixture %v", p.Name(), p.Value().Shape(), w.Shape)
			continue
		}
		for i, c := range w.Initial {
			if u := p.Value().Data()[i]; !sameBits(u, c) {
				t.Errorf("%s: initial value %d is %x, want %x", p.Name(), i, u, c)
			}
		}
	}

	c := autograd.Recording(t.Context(), device.NewRun(open(t, device.Separate)))
	logits, loss := forward(t, c, m, want.Document)
	if err := loss.Backward(c); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%016x", math.Float64bits(loss.Value().Data()[0])); got != "4016ac70bf03b620" || got != want.LossBits || loss.Value().Data()[0] != want.Loss {
		t.Errorf("the loss is %v (bits %s), the fixture's %v (%s)", loss.Value().Data()[0], got, want.Loss, want.LossBits)
	}
	if got, wanted := logits.Value().Shape(), []int{1, len(want.Logits), len(want.Logits[0])}; !slices.Equal(got, wanted) {
		t.Fatalf("logits of shape %v, want %v", got, wanted)
	}
	held := 0
	hold := func(name string, i int, u, c float64) {
		held++
		if !(math.Abs(u-c) <= tolerance) {
			t.Errorf("%s, element %d: %v, want %v", name, i, u, c)
		}
	}
	for i, c := range slices.Concat(want.Logits...) {
		hold("logits", i, logits.Value().Data()[i], c)
	}
	for _, p := range m.Parameters() {
		g := p.Gradient()
		w := want.Parameters[p.Name()]
		if g == nil || !slices.Equal(g.Shape(), w.Shape) {
			t.Errorf("%s has the gradient %v, want shape %v", p.Name(), g, w.Shape)
			continue
		}
		for i, c := range w.Gradient {
			hold(p.Name(), i, g.Data()[i], c)
		}
	}
	if held != 774+1372 {
		t.Errorf("%d values were held against the fixture, want 774 logits and 1372 gradients", held)
	}
}
