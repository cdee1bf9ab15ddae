package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"workbench/engine/trace"
)

// decoderFlags are the flags of the commands that run the tiny decoder.
type decoderFlags struct {
	text, precision                              string
	seed                                         trace.Seed
	width, heads, feedForward, blocks, positions int
}

// add declares the flags; their defaults are the fixture of chapter 4.
func (f *decoderFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.text, "text", "ab", "the document the decoder reads")
	f.seed = 39
	flags.Var((*seedValue)(&f.seed), "seed", "start of the random numbers that the parameters are drawn from")
	for _, c := range []struct {
		value           *int
		fallback, least int
		name, usage     string
	}{
		{&f.width, 4, 1, "width", "values per token, an even number for each head"},
		{&f.heads, 1, 1, "heads", "attention heads"},
		{&f.feedForward, 8, 1, "feed-forward", "width inside the feed-forward part"},
		{&f.blocks, 2, 0, "blocks", "decoder blocks"},
		{&f.positions, 8, 1, "positions", "the most tokens a document may have"},
	} {
		*c.value = c.fallback
		flags.Var(&countValue{c.value, c.least}, c.name, c.usage)
	}
	flags.StringVar(&f.precision, "precision", "float64", "of products, sums and means: float64, float32, float16 or bfloat16")
}

// input returns what the flags ask for.
func (f *decoderFlags) input() trace.DecoderInput {
	return trace.DecoderInput{
		Text: &f.text, Seed: &f.seed, Width: &f.width, Heads: &f.heads,
		FeedForward: &f.feedForward, Blocks: &f.blocks, Positions: &f.positions, Precision: f.precision,
	}
}

// flagOfField turns an error that names a field of the input into one that
// names the flag it came from.
func flagOfField(err error) error {
	var field *trace.FieldError
	if errors.As(err, &field) {
		return usagef("--%s: %s", strings.ReplaceAll(field.Field, "_", "-"), field.Reason)
	}
	return err
}

// countValue is a flag whose value is a whole number.
type countValue struct {
	value *int
	least int
}

func (c *countValue) String() string {
	if c.value == nil {
		return "" // pflag asks a zero value for its text
	}
	return strconv.Itoa(*c.value)
}

func (c *countValue) Type() string { return "number" }

func (c *countValue) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || int(n) < c.least {
		return fmt.Errorf("write a whole number from %d up", c.least)
	}
	*c.value = int(n)
	return nil
}

// seedValue is a flag whose value is any 64-bit number.
type seedValue trace.Seed

func (s *seedValue) String() string { return strconv.FormatUint(uint64(*s), 10) }
func (s *seedValue) Type() string   { return "number" }
func (s *seedValue) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return errors.New("write a whole number from 0 to 18446744073709551615")
	}
	*s = seedValue(n)
	return nil
}
