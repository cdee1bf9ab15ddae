package trace

import "workbench/engine/decoder"

// Largest sizes of an example. They keep a trace readable and a page quick: a
// million values are some 20 MB of a trace's JSON.
const (
	MaxOutputElements = 1 << 16 // of a product or a view
	MaxTerms          = 1 << 24 // products of operands in one example
	MaxTextBytes      = 256     // of a decoder's text
	MaxScalars        = 1 << 17 // parameters of a decoder
	MaxDecoderValues  = 1 << 20 // that a decoder computes
	MaxPackedElements = 1 << 14 // that one request of a boundary example packs
	MaxViewOps        = 32
	MaxViewValues     = 1 << 19 // that a view example shows, storages and indices counted
)

// Bounds of what a trace writes out by itself; the rest is explained on demand.
const (
	MaxCellSteps   = 4096 // output cells, or groups, that get a step
	MaxInlineTerms = 4096 // products written out in these steps
)

// MaxByteElements bounds a packed operand whose bytes a trace writes out.
const MaxByteElements = 256

// A cell of more terms than MaxCellTerms is written out without its middle.
const (
	MaxCellTerms  = 1024
	lastCellTerms = 64 // of them after the gap
)

// decoderValues is an upper bound, by less than half, of how many values a
// decoder computes forward and backward for a number of tokens. Scores grow with
// the square of the text, for each head.
func decoderValues(c decoder.Config, tokens int) int {
	weights := c.Width * (2 + 4*c.Width + 3*c.FeedForward)
	block := 15*c.Heads*tokens*tokens + tokens*(88*c.Width+14*c.FeedForward+64) + 3*weights
	return c.Blocks*block + tokens*(8*c.Vocabulary+32*c.Width+64) + 6*c.Vocabulary*c.Width + c.Positions*c.Width/c.Heads
}

// mostTokens is the largest number of tokens that keeps a decoder within
// MaxDecoderValues. It is at least 1: MaxScalars bounds what does not grow with
// the text.
func mostTokens(c decoder.Config) int {
	tokens := 1
	for decoderValues(c, tokens+1) <= MaxDecoderValues {
		tokens++
	}
	return tokens
}
