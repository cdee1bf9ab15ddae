// Package crossentropy checks the exercise of that name.
package crossentropy

import (
	"fmt"
	"math"

	"workbench/lessons/lesson"
)

// Check has targets that are likely and targets that have no chance, and logits
// far from 0.
var Check = &lesson.Go{
	Functions: []lesson.Function{{Name: "Loss", Signature: "func(logits []float64, target int) float64"}},
	Calls:     calls,
}

func calls() []lesson.Call {
	calls := []lesson.Call{call("258 tokens, each as likely as the others", make([]float64, 258), 99)}
	for _, t := range []struct {
		logits []float64
		target int
	}{
		{[]float64{2, 1, 0}, 1},
		{[]float64{0.3, -1.2, 0.7, 2.2, -0.4}, 2},
		{[]float64{5, 6, 7, 8}, 0},
		{[]float64{1000, 0}, 1},
		{[]float64{1000, 0}, 0},
		{[]float64{-1003, -1001, -1002}, 1},
		{[]float64{3.5}, 0},
		{[]float64{720, 719, 300}, 2},
	} {
		calls = append(calls, call(fmt.Sprintf("logits %v, target %d", t.logits, t.target), t.logits, t.target))
	}
	return calls
}

// call expects log(1 + the sum over the others of e^(difference to the target)),
// and what is far too large for that is the difference itself.
func call(name string, logits []float64, target int) lesson.Call {
	sum, largest := 0.0, math.Inf(-1)
	for j, z := range logits {
		largest = max(largest, z)
		if j != target {
			sum += math.Exp(z - logits[target])
		}
	}
	want := math.Log1p(sum)
	if math.IsInf(sum, 1) {
		want = largest - logits[target] // the others are less than its last bit
	}
	c := lesson.Call{Name: name, Function: "Loss", Args: []any{logits, target}, Want: []any{want}}
	if largest != 0 {
		c.Mistakes = append(c.Mistakes, lesson.Mistake{
			Array: "0", Values: []float64{want - largest},
			Text: "the largest logit was taken out of the sum and not put back in front of the logarithm",
		})
	}
	if want > 0 {
		c.Mistakes = append(c.Mistakes, lesson.Mistake{
			Array: "0", Values: []float64{want / math.Ln2}, Text: "this is the loss in bits: nats want the natural logarithm",
		})
	}
	return c
}
