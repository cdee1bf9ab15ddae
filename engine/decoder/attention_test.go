package decoder_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"workbench/engine/autograd"
	"workbench/engine/decoder"
	"workbench/engine/device"
)

// heldTiled compares tiled with dense logits, |difference| ≤ 1e-12·scale with
// the largest logit as the scale: exponentials are taken relative to another
// maximum and corrected by one more factor a tile, some dozen roundings of
// 1e-16 each before everything passes through the rest of the model.
func heldTiled(t *testing.T, m *decoder.Model, ids []int, tiles decoder.Tiles) {
	t.Helper()
	c := autograd.NoGrad(t.Context(), device.NewRun(open(t, device.Separate)))
	dense, tiled := m.Forward(c, ids), m.ForwardTiled(c, ids, tiles)
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	if !tiled.Value().SameShape(dense.Value()) {
		t.Fatalf("shape %v, dense %v", tiled.Value().Shape(), dense.Value().Shape())
	}
	scale := 0.0
	for _, x := range dense.Value().Data() {
		scale = max(scale, math.Abs(x))
	}
	for i, want := range dense.Value().Data() {
		if got := tiled.Value().Data()[i]; !(math.Abs(got-want) <= 1e-12*scale) {
			t.Fatalf("logit %d is %v, dense %v (scale %v)", i, got, want, scale)
		}
	}
}

func TestTiledAttention(t *testing.T) {
	for _, heads := range []int{1, 2, 4} {
		config := decoder.DefaultConfig()
		config.Vocabulary, config.Width, config.Heads, config.Positions, config.Seed = 30, 8, heads, 16, uint64(heads)
		m := newModel(t, config)
		for _, n := range []int{1, 2, 5, 7, 16} {
			ids := make([]int, n)
			for i := range ids {
				ids[i] = (i*i*7 + 3) % config.Vocabulary
			}
			for _, query := range []int{1, 2, 3, 5, 17} {
				for _, key := range []int{1, 2, 3, 5, 17} {
					t.Run(fmt.Sprintf("%d heads/%d tokens/%dx%d", heads, n, query, key), func(t *testing.T) {
						heldTiled(t, m, ids, decoder.Tiles{Query: query, Key: key})
					})
				}
			}
		}
	}
}

// Scores in the hundreds of thousands, of both signs: exponentials of the
// scores themselves would be infinite or zero.
func TestTiledAttentionDoesNotOverflow(t *testing.T) {
	config := decoder.DefaultConfig()
	config.Vocabulary, config.Width, config.Heads = 30, 8, 2
	m := newModel(t, config)
	for _, p := range m.Parameters() {
		if strings.HasSuffix(p.Name(), "query.weight") || strings.HasSuffix(p.Name(), "key.weight") {
			for i := range p.Value().Data() {
				p.Value().Data()[i] *= 1000
			}
		}
	}
	// The largest score of a row must change from tile to tile, or nothing is
	// corrected: look at the scores.
	ids := []int{3, 9, 27, 1, 14, 8, 22, 5}
	largest, later := 0.0, false
	c := autograd.NoGrad(t.Context(), device.NewRun(open(t, device.Separate))).WithWatch(func(e autograd.Event) {
		if e.Label != "causal scores" {
			return
		}
		n := len(ids)
		for i, x := range e.Output.Data() {
			if math.IsInf(x, -1) {
				continue
			}
			largest = max(largest, math.Abs(x))
			if column := i % n; column > 0 && x > e.Output.Data()[i-1] {
				later = true
			}
		}
	})
	m.Forward(c, ids)
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	if !(largest > 1e5) || !later {
		t.Fatalf("the scores reach %v (later ones larger: %t): the test is not about large scores", largest, later)
	}
	for _, size := range []int{1, 2, 3, 8} {
		heldTiled(t, m, ids, decoder.Tiles{Query: size, Key: size})
	}
}

// Products and sums of the tiles go to the device too, and none of them is
// larger than a tile.
func TestTiledAttentionRequests(t *testing.T) {
	config := decoder.DefaultConfig()
	config.Blocks = 1
	m := newModel(t, config)
	s := &spy{Device: open(t, device.Separate)}
	c := autograd.NoGrad(t.Context(), device.NewRun(s)).WithPrecision(device.Float32)
	m.ForwardTiled(c, []int{1, 2, 3, 4, 5}, decoder.Tiles{Query: 2, Key: 3})
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	// Queries 0–1, 2–3 and 4 against keys 0–2 and 3–4, without the keys that no
	// query of the tile may see: 0–1, 0–2, 3, 0–2 and 3–4.
	l := &plan{p: device.Float32}
	for _, tile := range []struct{ queries, keys int }{{2, 2}, {2, 3}, {2, 1}, {1, 3}, {1, 2}} {
		l.rightT(1, tile.queries, 4, tile.keys)
		l.sum(3, 1, 1, tile.queries, tile.keys)
		l.product(1, tile.queries, tile.keys, 4)
	}
	whole := forwardPlan(config, 5, device.Float32)
	// The dense requests number 4 to 6 are scores, sum and contexts.
	want := append(append(append([]string{}, whole[:4]...), l.lines...), whole[7:]...)
	if join(s.lines) != join(want) {
		t.Errorf("requests\n%s\nwant\n%s", join(s.lines), join(want))
	}
}

func TestTiledAttentionRefuses(t *testing.T) {
	m := newModel(t, decoder.DefaultConfig())
	s := &spy{Device: open(t, device.Separate)}
	run := device.NewRun(s)
	c := autograd.Recording(t.Context(), run)
	if y := m.ForwardTiled(c, ab[:3], decoder.Tiles{Query: 1, Key: 1}); y != nil || c.Err() == nil || !strings.Contains(c.Err().Error(), "does not record") {
		t.Errorf("a recording context: %v, %v", y, c.Err())
	}
	for _, tiles := range []decoder.Tiles{{}, {Query: 1}, {Key: 1}, {Query: -1, Key: 2}} {
		c := autograd.NoGrad(t.Context(), run)
		if y := m.ForwardTiled(c, ab[:3], tiles); y != nil || c.Err() == nil || !strings.Contains(c.Err().Error(), "at least 1") {
			t.Errorf("tiles %+v: %v, %v", tiles, y, c.Err())
		}
	}
	if len(s.lines) != 0 {
		t.Errorf("the device was asked for %v", s.lines)
	}
}

// Whichever request of a tiled pass fails, its error is the context's.
func TestTiledAttentionFails(t *testing.T) {
	m := newModel(t, decoder.DefaultConfig())
	tiles := decoder.Tiles{Query: 2, Key: 1}
	count := &spy{Device: open(t, device.Separate)}
	m.ForwardTiled(autograd.NoGrad(t.Context(), device.NewRun(count)), ab[:3], tiles)
	for n := 1; n <= len(count.lines); n++ {
		s := &spy{Device: open(t, device.Separate), fail: n}
		c := autograd.NoGrad(t.Context(), device.NewRun(s))
		if y := m.ForwardTiled(c, ab[:3], tiles); y != nil || c.Err() == nil || len(s.lines) != n {
			t.Errorf("request %d failed: %v, %v, %d requests", n, y, c.Err(), len(s.lines))
		}
	}
}
