// Package decoder is a tiny decoder-only language model, small enough to read
// every number of: token embedding, blocks of causal attention and a gated
// feed-forward layer, a final norm, and a head tied to the embedding.
//
//	ids [T] ── rows of the table E ──▶ x [1, T, W]
//	per block   x ← x + attention(norm(x))
//	            x ← x + down(silu(gate(norm(x))) · up(norm(x)))
//	logits [1, T, V] = norm(x) · Eᵀ            (the same table: the head is tied)
//	loss = mean over positions of logΣexp(logits) − logit of the next token
//
// RMSNorm is Zhang and Sennrich 2019, the rotary embedding Su et al. 2021, the
// gated unit SwiGLU of Shazeer 2020, written as x·exp(−½·log(mean(x²)+ε))·gain
// and silu(z) = z·σ(z). Nothing has a bias.
//
// Parameters come from one stream of SplitMix64, so a seed names a model.
package decoder
