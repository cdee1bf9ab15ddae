package decoder

import (
	"fmt"

	"workbench/engine/autograd"
	"workbench/engine/tensor"
)

// Sections of a pass, as watchers see them. A block's are its name followed by
// SectionAttention or SectionFeedForward.
const (
	SectionEmbedding   = "embedding"
	SectionAttention   = ".attention"
	SectionFeedForward = ".ffn"
	SectionFinalNorm   = "final_norm"
	SectionHead        = "head"
	SectionLoss        = "loss"
)

// Forward returns the logits [1, T, V] for T token IDs, with dense attention
// that keeps every intermediate. An error is left in c.
func (m *Model) Forward(c autograd.Context, ids []int) *autograd.Node {
	return m.forward(c, ids, m.dense)
}

// ForwardTiled returns the same logits up to rounding, with attention computed
// tile by tile. Nothing of the attention is kept, so it is for contexts that do
// not record. An error is left in c.
func (m *Model) ForwardTiled(c autograd.Context, ids []int, tiles Tiles) *autograd.Node {
	if err := tiles.Validate(); err != nil {
		c.Fail(err)
		return nil
	}
	if c.Records() {
		c.Fail(fmt.Errorf("decoder: tiled attention keeps no intermediates to record: use Forward, or a context that does not record"))
		return nil
	}
	return m.forward(c, ids, func(c autograd.Context, query, key, value *autograd.Node) *autograd.Node {
		return tiledAttention(c, query, key, value, tiles)
	})
}

// attention maps queries, keys and values [1, H, T, D] to contexts [1, H, T, D].
type attention func(c autograd.Context, query, key, value *autograd.Node) *autograd.Node

func (m *Model) forward(c autograd.Context, ids []int, attend attention) *autograd.Node {
	if len(ids) == 0 || len(ids) > m.config.Positions {
		c.Fail(&tensor.ShapeError{Op: "decoder", Left: []int{len(ids)}, Reason: fmt.Sprintf("takes 1 to %d tokens: shorten the text or raise positions", m.config.Positions)})
		return nil
	}
	e := c.In(SectionEmbedding)
	x := e.As("rows").Gather(m.embedding, ids)
	x = e.As("x").Reshape(x, 1, len(ids), m.config.Width)
	for _, b := range m.blocks {
		x = m.attentionLayer(c.In(b.name+SectionAttention), b, x, attend)
		x = m.feedForwardLayer(c.In(b.name+SectionFeedForward), b, x)
	}
	h := m.norm(c.In(SectionFinalNorm), "h", x, m.finalNorm)
	return c.In(SectionHead).As("logits").MatmulTransposed(h, m.Head(), false, true)
}

// norm returns x · exp(−½·log(mean(x²) + ε)) · gain.
func (m *Model) norm(c autograd.Context, label string, x, gain *autograd.Node) *autograd.Node {
	square := c.As("x²").Mul(x, x)
	mean := c.As("mean x²").MeanAxis(square, 2, true)
	mean = c.As("mean x² + ε").Offset(mean, m.config.Epsilon)
	root := c.As("log").Log(mean)
	root = c.As("−½·log").Scale(root, -0.5)
	root = c.As("1/rms").Exp(root)
	return c.As(label).Mul(c.As("x/rms").Mul(x, root), gain)
}

func (m *Model) attentionLayer(c autograd.Context, b block, x *autograd.Node, attend attention) *autograd.Node {
	normed := m.norm(c, "normed", x, b.attentionNorm)
	query := m.split(c, "queries", c.As("queries").Matmul(normed, b.query))
	key := m.split(c, "keys", c.As("keys").Matmul(normed, b.key))
	value := m.split(c, "values", c.As("values").Matmul(normed, b.value))
	query = c.As("queries, turned").Rotate(query, m.cos, m.sin)
	key = c.As("keys, turned").Rotate(key, m.cos, m.sin)
	merged := m.merge(c, "contexts", attend(c, query, key, value))
	out := c.As("attention").Matmul(merged, b.output)
	return c.As("x after attention").Add(x, out)
}

// split gives each head its slice of columns: [1, T, W] → [1, H, T, D].
func (m *Model) split(c autograd.Context, label string, a *autograd.Node) *autograd.Node {
	if a == nil {
		return nil // the context has failed
	}
	positions, heads, width := a.Value().Dim(1), m.config.Heads, m.config.Width/m.config.Heads
	if heads == 1 {
		return c.As(label+" of the head").Reshape(a, 1, 1, positions, width)
	}
	a = c.As(label+" by head").Reshape(a, 1, positions, heads, width)
	return c.As(label+" of each head").SwapAxes(a, 1, 2)
}

// merge puts the heads' columns beside each other again: [1, H, T, D] → [1, T, W].
func (m *Model) merge(c autograd.Context, label string, a *autograd.Node) *autograd.Node {
	if a == nil {
		return nil
	}
	positions := a.Value().Dim(2)
	if m.config.Heads > 1 {
		a = c.As(label+" by position").SwapAxes(a, 1, 2)
	}
	return c.As(label).Reshape(a, 1, positions, m.config.Width)
}

func (m *Model) feedForwardLayer(c autograd.Context, b block, x *autograd.Node) *autograd.Node {
	normed := m.norm(c, "normed", x, b.ffnNorm)
	gate := c.As("gate").Matmul(normed, b.gate)
	up := c.As("up").Matmul(normed, b.up)
	open := c.As("silu(gate)").Mul(gate, c.As("σ(gate)").Sigmoid(gate))
	out := c.As("down").Matmul(c.As("silu(gate)·up").Mul(open, up), b.down)
	return c.As("x after ffn").Add(x, out)
}

// Loss returns the mean over positions of logΣexp(logits) − logit of the target,
// in nats, as a scalar. Logits are [1, T, V] and targets T token IDs. An error is
// left in c.
func (m *Model) Loss(c autograd.Context, logits *autograd.Node, targets []int) *autograd.Node {
	if logits == nil {
		c.Fail(fmt.Errorf("decoder: the loss needs logits"))
		return nil
	}
	if shape := logits.Value().Shape(); len(shape) != 3 || shape[0] != 1 {
		c.Fail(&tensor.ShapeError{Op: "loss", Left: shape, Reason: "needs logits of shape [1, T, V], as Forward returns them"})
		return nil
	}
	c = c.In(SectionLoss)
	positions := logits.Value().Dim(1)
	largest := c.As("max").MaxAxis(logits, 2)
	sum := c.As("Σ exp").SumAxis(c.As("exp").Exp(c.As("logits − max").Sub(logits, largest)), 2, true)
	total := c.As("logΣexp").Add(largest, c.As("log Σ exp").Log(sum))
	total = c.As("logΣexp by position").Reshape(total, 1, positions)
	chosen := c.As("target logits").Pick(logits, targets)
	each := c.As("nll").Sub(total, chosen)
	each = c.As("nll by position").Reshape(each, positions)
	return c.As("loss").MeanAxis(each, 0, false)
}
