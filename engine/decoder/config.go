package decoder

import "fmt"

// Config is the shape of a model and the seed of its parameters.
type Config struct {
	Vocabulary  int     // V, rows of the token table
	Width       int     // W, of the residual stream; divisible by Heads
	Heads       int     // H; Width/Heads is even, for the rotary pairs
	FeedForward int     // F, width inside the gated layer
	Blocks      int     // 0 or more
	Positions   int     // most tokens of one input
	RopeBase    float64 // of the rotary angles
	Epsilon     float64 // ε of the norms
	Seed        uint64
}

// DefaultConfig is the fixture of the course: two blocks of width 4 over the
// bytes, 1372 parameters in 20 tensors.
func DefaultConfig() Config {
	return Config{
		Vocabulary: 258, Width: 4, Heads: 1, FeedForward: 8, Blocks: 2, Positions: 8,
		RopeBase: 10000, Epsilon: 1e-6, Seed: 39,
	}
}

// Most of each dimension. They bound a model to some 30 million parameters.
const (
	MaxVocabulary  = 1 << 16
	MaxWidth       = 256
	MaxFeedForward = 1024
	MaxBlocks      = 16
	MaxPositions   = 1024
)

// A ConfigError names the field of a Config that cannot be used.
type ConfigError struct {
	Field  string // as a flag spells it: "width", "feed-forward"
	Reason string
}

func (e *ConfigError) Error() string { return "decoder: " + e.Field + " " + e.Reason }

// Validate checks every field, in the order of the struct.
func (c Config) Validate() error {
	for _, bound := range []struct {
		field            string
		value, low, high int
	}{
		{"vocabulary", c.Vocabulary, 1, MaxVocabulary},
		{"width", c.Width, 1, MaxWidth},
		{"heads", c.Heads, 1, MaxWidth},
		{"feed-forward", c.FeedForward, 1, MaxFeedForward},
		{"blocks", c.Blocks, 0, MaxBlocks},
		{"positions", c.Positions, 1, MaxPositions},
	} {
		if bound.value < bound.low || bound.value > bound.high {
			return &ConfigError{bound.field, fmt.Sprintf("%d lies outside %d to %d", bound.value, bound.low, bound.high)}
		}
	}
	if c.Width%c.Heads != 0 {
		return &ConfigError{"heads", fmt.Sprintf("%d does not divide width %d: every head takes an equal slice", c.Heads, c.Width)}
	}
	if c.Width/c.Heads%2 != 0 {
		return &ConfigError{"width", fmt.Sprintf("%d gives heads of width %d, which is odd: the rotary embedding turns pairs", c.Width, c.Width/c.Heads)}
	}
	if !(c.RopeBase > 1 && c.RopeBase <= 1e12) {
		return &ConfigError{"rope base", fmt.Sprintf("%v lies outside 1 to 1e12", c.RopeBase)}
	}
	if !(c.Epsilon > 0 && c.Epsilon <= 1) {
		return &ConfigError{"epsilon", fmt.Sprintf("%v lies outside 0 to 1", c.Epsilon)}
	}
	return nil
}
