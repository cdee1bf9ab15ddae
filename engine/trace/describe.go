package trace

import (
	"fmt"
	"strings"

	"workbench/engine/autograd"
	"workbench/engine/device"
	"workbench/engine/tensor"
)

// describe says what an operation did, as a sentence with the names of its
// tensors, and as a formula in TeX.
func describe(e autograd.Event, output string, inputs []string) (title, formula string) {
	in := func(i int) string {
		if i < len(inputs) {
			return operand(inputs[i])
		}
		return "?"
	}
	argument := strings.Join(inputs, ", ") // of a function, which brings brackets of its own
	assign := func(format string, args ...any) string {
		value := fmt.Sprintf(format, args...)
		if bare, _, _ := strings.Cut(value, ", element by element"); sameWords(bare, output) {
			return output + ": " + operationWords[e.Op] + " of " + strings.Join(inputs, " and ") // the name says already how it is made
		}
		return output + " = " + value
	}
	switch e.Op {
	case "matmul":
		left, right := e.Product.TransposeLeft, e.Product.TransposeRight
		return assign("%s · %s", factorName(inputs[0], left), factorName(inputs[1], right)),
			fmt.Sprintf(`Y = A%s\,B%s`, texTransposed(left), texTransposed(right))
	case "sum":
		if unfinished(inputs[0]) {
			return assign("the result before, summed along axis %d", e.Axis), `s_g = \sum_k x_{g,k}`
		}
		return assign("sum of %s along axis %d", in(0), e.Axis), `s_g = \sum_k x_{g,k}`
	case "mean":
		return assign("mean of %s along axis %d", in(0), e.Axis), `m_g = \frac{1}{K}\sum_k x_{g,k}`
	case "max":
		return assign("largest of %s along axis %d", in(0), e.Axis), `m_g = \max_k x_{g,k}`
	case "add":
		return assign("%s + %s", in(0), in(1)), `y = a + b`
	case "sub":
		return assign("%s − %s", in(0), in(1)), `y = a - b`
	case "mul":
		return assign("%s · %s, element by element", in(0), in(1)), `y = a\odot b`
	case "div":
		if e.Backward && len(inputs) == 3 {
			return assign("−%s · %s / %s", in(0), in(1), in(2)), `\bar b = -\bar y\,\frac{y}{b}`
		}
		return assign("%s / %s, element by element", in(0), in(1)), `y = \frac{a}{b}`
	case "scale":
		return assign("%s · %s", FormatNumber(e.Factor), in(0)), `y = c\,x`
	case "offset":
		return assign("%s + %s", in(0), FormatNumber(e.Factor)), `y = x + c`
	case "exp":
		return assign("exp(%s)", argument), `y = e^{x}`
	case "log":
		return assign("log(%s)", argument), `y = \ln x`
	case "sigmoid":
		return assign("1/(1 + exp(−%s))", in(0)), `\sigma(x) = \frac{1}{1+e^{-x}}`
	case "sigmoid-slope":
		return assign("%s · σ · (1 − σ)", in(0)), `\bar x = \bar y\,\sigma(1-\sigma)`
	case "reshape":
		if unfinished(inputs[0]) {
			return assign("the result before, in shape %s", tensor.FormatShape(e.Output.Shape())), ""
		}
		return assign("%s in shape %s", in(0), tensor.FormatShape(e.Output.Shape())), ""
	case "swap-axes":
		return assign("%s with two axes exchanged, packed", in(0)), ""
	case "gather":
		return assign("rows %s of %s", joinInts(e.IDs), in(0)), `x_t = E_{\mathrm{id}(t)}`
	case "scatter":
		return assign("each row of %s added to rows %s", in(0), joinInts(e.IDs)), `\bar E_{\mathrm{id}(t)} \mathrel{+}= \bar x_t`
	case "pick":
		return assign("from each row of %s the element of its target, %s", in(0), joinInts(e.IDs)), `y_t = x_{t,\mathrm{target}(t)}`
	case "unpick":
		return assign("%s at each target, zero elsewhere", in(0)), ""
	case "mask":
		if e.Backward {
			return assign("%s, zero where it was masked", in(0)), ""
		}
		return assign("%s, −∞ where the key is later than the query", in(0)), `s_{t,u} = -\infty \text{ where } u > t`
	case "rotate":
		return assign("pairs of %s turned by their position's angle", in(0)), `\binom{x'}{y'} = \begin{pmatrix}\cos\theta & -\sin\theta\\ \sin\theta & \cos\theta\end{pmatrix}\binom{x}{y}`
	case "rotate-back":
		return assign("pairs of %s turned back", in(0)), `\binom{x}{y} = \begin{pmatrix}\cos\theta & \sin\theta\\ -\sin\theta & \cos\theta\end{pmatrix}\binom{x'}{y'}`
	case "accumulate":
		return assign("%s + %s", shareOf(inputs[0]), shareOf(inputs[1])), sharesFormula(e)
	case "pass":
		return assign("%s, passed on unchanged", in(0)), ""
	case "negate":
		return assign("−%s", in(0)), ""
	case "repeat":
		if e.Factor != 1 {
			return assign("%s / %s for every element that was averaged", in(0), FormatNumber(e.Factor)), `\bar x_{g,k} = \bar m_g / K`
		}
		return assign("%s for every element that was added", in(0)), `\bar x_{g,k} = \bar s_g`
	}
	return assign("%s of %s", e.Op, strings.Join(inputs, ", ")), ""
}

// operationWords names operations of which the decoder gives an output the name
// that a reader would give the expression.
var operationWords = map[string]string{
	"add": "the sum",
	"sub": "the difference",
	"mul": "the element by element product",
	"div": "the element by element quotient",
	"exp": "the exponential",
	"log": "the logarithm",
}

// sameWords reports whether two expressions differ in white space and brackets
// alone.
func sameWords(a, b string) bool {
	bare := strings.NewReplacer(" ", "", "(", "", ")", "")
	return bare.Replace(a) == bare.Replace(b)
}

// operand writes a tensor's name inside an expression: in brackets where the
// name is an expression itself, or would read as two.
func operand(name string) string {
	if strings.ContainsAny(name, "+−·/,") && !isAdjoint(name) {
		return "(" + name + ")"
	}
	return name
}

// factorName writes a factor of a product: in brackets too where a sign of
// transposition would seem to belong to the last word alone.
func factorName(name string, transpose bool) string {
	text := operand(name)
	if transpose && text == name && strings.Contains(name, " ") && !isAdjoint(name) {
		text = "(" + name + ")"
	}
	return text + transposed(transpose)
}

func texTransposed(yes bool) string {
	if yes {
		return `^{\mathsf T}`
	}
	return ""
}

// noteOf says what to notice about an operation of the decoder, or nothing.
func noteOf(e autograd.Event, inputs []string) string {
	if e.Backward {
		switch {
		case e.Op == "matmul":
			return adjointNote(e.Product, isAdjoint(inputs[0]))
		case e.Op == "scatter":
			return "Only the rows that were looked up get a share here. The head, which uses the same table, reaches every row."
		case e.Op == "accumulate" && e.Parameter != "":
			return "The table is one parameter with two uses, so its gradient is the sum of what each use sends."
		case e.Op == "accumulate" && e.Whole():
			return fmt.Sprintf("The loss depends on it through %d uses, and each sent a share.", e.Share.Count)
		}
		return ""
	}
	return forwardNotes[e.Label]
}

// adjointNote says which adjoint a backward product is. The decoder multiplies
// A·B, and A·Bᵀ for the scores and the logits; what is transposed, and on which
// side G stands, tells the four apart.
func adjointNote(p *device.Product, leftIsAdjoint bool) string {
	product, of, share := "A·B", "A", "G·Bᵀ"
	switch {
	case !leftIsAdjoint:
		of, share = "B", "Aᵀ·G"
	case p.TransposeLeft:
		product, of, share = "A·Bᵀ", "B", "Gᵀ·A"
	case !p.TransposeRight:
		product, share = "A·Bᵀ", "G·B"
	}
	return fmt.Sprintf("For Y = %s with the adjoint G of Y, the share of %s is %s. The device that multiplied forward multiplies here too.", product, of, share)
}

// forwardNotes are keyed by the name that the decoder gives an output.
var forwardNotes = map[string]string{
	"rows":            "An embedding is a row of a table: nothing is multiplied.",
	"mean x²":         "One of the reductions that the chosen device runs: a product with a column of ones, then a division.",
	"−½·log":          "Half the negative logarithm, then its exponential: the same as dividing by the root of the mean square.",
	"queries":         "One product for all positions: each row is one token's vector, each column one learned direction.",
	"queries, turned": "The angle grows with the position, so that a score depends on how far apart two tokens are. Position 0 is not turned.",
	"scores":          "Every query against every key. This is the product whose size grows with the square of the text.",
	"causal scores":   "A position must not see what comes after it, or training would hand it the answer.",
	"weights":         "Each row adds up to one: how much of each earlier position is mixed in.",
	"attention":       "The output weights mix the heads back into the residual stream.",
	"σ(gate)":         "The gate opens and closes each of the feed-forward channels by itself.",
	"logits":          "The same table as at the start, transposed without copying: row v scores token v as the next one.",
	"logits − max":    "Subtracting the largest changes no probability and keeps the exponential from overflowing.",
	"nll":             "What each position pays for the token that really came next, in nats.",
	"loss":            "The mean over positions. A uniform guess over 258 tokens would cost ln 258 ≈ 5.553.",
}
