package trace

import (
	"fmt"
	"slices"
	"strings"

	"workbench/engine/autograd"
	"workbench/engine/decoder"
	"workbench/engine/tensor"
)

const adjointPrefix = "∂loss/∂("

func adjointName(of string) string { return adjointPrefix + of + ")" }

// isAdjoint reports whether a name is that of a whole adjoint.
func isAdjoint(name string) bool {
	return strings.HasPrefix(name, adjointPrefix) && strings.HasSuffix(name, ")")
}

// unfinished reports whether a name is that of an adjoint on its way. Only the
// step after it reads such a tensor, or the sum of the shares.
func unfinished(name string) bool { return strings.Contains(name, adjointPrefix) && !isAdjoint(name) }

// adjoint names the output of a backward event. The name ∂loss/∂(x) alone belongs
// to the adjoint itself. What is on the way to it has a name of its own:
//
//	share 2 of ∂loss/∂(x), from x²      one of the shares that are added up
//	shares 1 to 3 of ∂loss/∂(x), added  the first of them
//	∂loss/∂(gain), before summing       what a broadcast repeated
func (b *decoderBuilder) adjoint(e autograd.Event, of string) string {
	name := adjointName(of)
	if e.Whole() {
		return name
	}
	switch s := e.Share; {
	case e.Op == "accumulate" && s.Number == 2:
		return "shares 1 and 2 of " + name + ", added"
	case e.Op == "accumulate":
		return fmt.Sprintf("shares 1 to %d of %s, added", s.Number, name)
	case s.Count > 1 && e.Parameter == b.table && e.Section == decoder.SectionHead:
		name = "the head’s share of " + name
	case s.Count > 1 && e.Parameter == b.table:
		name = "the look-up’s share of " + name
	case s.Count > 1:
		from := s.From
		if from == "" {
			from = e.Of
		}
		name = fmt.Sprintf("share %d of %s, from %s", s.Number, name, from)
	}
	return name + stage(e)
}

// stage says what has yet to be done to a share until it has the adjoint's shape.
func stage(e autograd.Event) string {
	shape := e.Output.Shape()
	if slices.Equal(shape, e.Share.Shape) {
		return ""
	}
	n, err := tensor.Elements(e.Share.Shape)
	switch {
	case err == nil && n == e.Output.Len():
		return ", before reshaping"
	case e.Op == "sum":
		return fmt.Sprintf(", summed along axis %d", e.Axis)
	case e.Op == "reshape":
		return ", reshaped before summing"
	}
	return ", before summing"
}

// shareOf is how a sum of shares calls one of its operands: "share 2", "shares 1
// and 2", "the head’s share".
func shareOf(name string) string {
	share, _, _ := strings.Cut(name, " of "+adjointPrefix)
	return share
}

// sharesFormula writes which shares an "accumulate" has added.
func sharesFormula(e autograd.Event) string {
	sum := `\bar x_1 + \bar x_2`
	if n := e.Share.Number; n > 2 {
		sum = fmt.Sprintf(`(\bar x_1 + \dots + \bar x_{%d}) + \bar x_{%d}`, n-1, n)
		if n == 3 {
			sum = `(\bar x_1 + \bar x_2) + \bar x_3`
		}
	}
	if e.Whole() {
		return `\bar x = ` + sum
	}
	return sum
}
