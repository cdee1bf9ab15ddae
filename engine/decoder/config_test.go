package decoder_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"workbench/engine/decoder"
)

func TestConfigValidate(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(c *decoder.Config)
		field  string // "" if the config is good
		says   string
	}{
		{"the fixture", func(*decoder.Config) {}, "", ""},
		{"no blocks", func(c *decoder.Config) { c.Blocks = 0 }, "", ""},
		{"most blocks", func(c *decoder.Config) { c.Blocks = decoder.MaxBlocks }, "", ""},
		{"one token", func(c *decoder.Config) { c.Vocabulary, c.Positions = 1, 1 }, "", ""},
		{"two heads of two", func(c *decoder.Config) { c.Heads = 2 }, "", ""},
		{"widest", func(c *decoder.Config) { c.Width, c.Heads = decoder.MaxWidth, decoder.MaxWidth/2 }, "", ""},
		{"largest epsilon", func(c *decoder.Config) { c.Epsilon = 1 }, "", ""},
		{"largest base", func(c *decoder.Config) { c.RopeBase = 1e12 }, "", ""},

		{"zero value", func(c *decoder.Config) { *c = decoder.Config{} }, "vocabulary", "0 lies outside 1 to 65536"},
		{"vocabulary", func(c *decoder.Config) { c.Vocabulary = decoder.MaxVocabulary + 1 }, "vocabulary", "65537 lies outside"},
		{"negative width", func(c *decoder.Config) { c.Width = -4 }, "width", "-4 lies outside 1 to 256"},
		{"width", func(c *decoder.Config) { c.Width = decoder.MaxWidth + 2 }, "width", "258 lies outside"},
		{"no heads", func(c *decoder.Config) { c.Heads = 0 }, "heads", "0 lies outside"},
		{"heads do not divide", func(c *decoder.Config) { c.Heads = 3 }, "heads", "3 does not divide width 4"},
		{"more heads than width", func(c *decoder.Config) { c.Heads = 8 }, "heads", "8 does not divide width 4"},
		{"odd heads", func(c *decoder.Config) { c.Width, c.Heads = 6, 2 }, "width", "heads of width 3, which is odd"},
		{"width 1", func(c *decoder.Config) { c.Width = 1 }, "width", "odd"},
		{"feed-forward", func(c *decoder.Config) { c.FeedForward = 0 }, "feed-forward", "0 lies outside 1 to 1024"},
		{"negative blocks", func(c *decoder.Config) { c.Blocks = -1 }, "blocks", "-1 lies outside 0 to 16"},
		{"blocks", func(c *decoder.Config) { c.Blocks = decoder.MaxBlocks + 1 }, "blocks", "17 lies outside"},
		{"positions", func(c *decoder.Config) { c.Positions = 0 }, "positions", "0 lies outside 1 to 1024"},
		{"huge positions", func(c *decoder.Config) { c.Positions = math.MaxInt }, "positions", "lies outside"},
		{"base of one", func(c *decoder.Config) { c.RopeBase = 1 }, "rope base", "1 lies outside"},
		{"base NaN", func(c *decoder.Config) { c.RopeBase = math.NaN() }, "rope base", "NaN lies outside"},
		{"base infinite", func(c *decoder.Config) { c.RopeBase = math.Inf(1) }, "rope base", "lies outside"},
		{"epsilon zero", func(c *decoder.Config) { c.Epsilon = 0 }, "epsilon", "0 lies outside"},
		{"epsilon NaN", func(c *decoder.Config) { c.Epsilon = math.NaN() }, "epsilon", "NaN lies outside"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := decoder.DefaultConfig()
			c.change(&config)
			err := config.Validate()
			if c.field == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			var bad *decoder.ConfigError
			if !errors.As(err, &bad) || bad.Field != c.field || !strings.Contains(bad.Error(), c.says) {
				t.Errorf("%v, want a *decoder.ConfigError of %q that says %q", err, c.field, c.says)
			}
			if m, err := decoder.New(config); m != nil || !errors.As(err, &bad) {
				t.Errorf("New returned %v, %v", m, err)
			}
		})
	}
}

// A seed names a model: the same one draws the same, another one does not, and
// gains are ones that draw nothing.
func TestSeed(t *testing.T) {
	config := decoder.DefaultConfig()
	first, again := newModel(t, config), newModel(t, config)
	config.Seed++
	other := newModel(t, config)
	for i, p := range first.Parameters() {
		gain := strings.HasSuffix(p.Name(), ".gain")
		differing := 0
		for j, x := range p.Value().Data() {
			if !sameBits(x, again.Parameters()[i].Value().Data()[j]) {
				t.Errorf("%s: the same seed drew another value at %d", p.Name(), j)
			}
			if gain && x != 1 {
				t.Errorf("%s: gain %v, want 1", p.Name(), x)
			}
			if x != other.Parameters()[i].Value().Data()[j] {
				differing++
			}
		}
		if !gain && differing != p.Value().Len() {
			t.Errorf("%s: another seed drew %d of %d values anew", p.Name(), differing, p.Value().Len())
		}
	}
	// The whole range of seeds draws finite values inside Xavier's bounds.
	for _, seed := range []uint64{0, math.MaxUint64} {
		config.Seed = seed
		table := newModel(t, config).Embedding().Value()
		limit := math.Sqrt(6.0 / (258 + 4))
		for _, x := range table.Data() {
			if !(math.Abs(x) <= limit) {
				t.Fatalf("seed %d draws %v, outside ±%v", seed, x, limit)
			}
		}
	}
}

// Position 0 is not turned, and position 1 by one radian in the first pair.
func TestRotaryTables(t *testing.T) {
	config := decoder.DefaultConfig()
	cos, sin := newModel(t, config).RotaryTables()
	for i := range cos.Dim(1) {
		if cos.At(0, i) != 1 || sin.At(0, i) != 0 {
			t.Errorf("pair %d of position 0 is turned: cos %v, sin %v", i, cos.At(0, i), sin.At(0, i))
		}
	}
	for at := range config.Positions {
		for i := range config.Width / config.Heads / 2 {
			angle := float64(at) * math.Pow(config.RopeBase, -2*float64(i)/4)
			// Angles up to 7, in which half an ulp is 4e-16.
			if !(math.Abs(cos.At(at, i)-math.Cos(angle)) <= 1e-15) || !(math.Abs(sin.At(at, i)-math.Sin(angle)) <= 1e-15) {
				t.Errorf("position %d, pair %d: cos %v, sin %v of %v", at, i, cos.At(at, i), sin.At(at, i), angle)
			}
		}
	}
}
