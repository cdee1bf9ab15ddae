// Caught as known-mistake: it uses the logarithm of base 2.

// Package exercise computes the loss of a prediction.
package exercise

import "math"

// Loss returns minus the natural logarithm of the probability that softmax of the
// logits gives to the target: m + log(sum of e^(z − m)) − z[target], of which m is
// the largest logit. The result is in nats.
func Loss(logits []float64, target int) float64 {
	// ---- your part begins ----
	largest := math.Inf(-1)
	for _, z := range logits {
		largest = max(largest, z)
	}
	sum := 0.0
	for _, z := range logits {
		sum += math.Exp(z - largest)
	}
	return math.Log2(sum) + (largest-logits[target])/math.Ln2
	// ---- your part ends ----
}
