package compare

import (
	"math"

	"workbench/engine/tensor"
)

// Exact asks for equal bits, for two results that share contract and order. The
// source says why they do. It tells +0 from −0, which a tolerance of zero does
// not.
func Exact(source string) Tolerance { return Tolerance{Bits: true, Source: source} }

// Float64 is the tolerance between float64 results of different contracts or
// orders.
func Float64() Tolerance {
	return Tolerance{
		Absolute: 1e-10,
		Relative: 1e-10,
		Source:   "chosen before the run for float64 results of this size: the relative part scales with the reference, the absolute part covers values near zero",
	}
}

// Bounded is the tolerance of a report whose groups bring bounds of their own.
// It allows a group without bounds no difference.
func Bounded() Tolerance {
	return Tolerance{Source: "a bound for each value, γ(K)·Σ|a||b| and the rounding of the result (Higham 2002, §3.1), computed from the operands before the run"}
}

// allowed returns atol + rtol·|c|.
func (t Tolerance) allowed(c float64) float64 {
	return float64(float64(t.Relative)*math.Abs(c)) + float64(t.Absolute)
}

// criterion writes the tolerance as the equality or inequality it is.
func (t Tolerance) criterion() string {
	switch {
	case t.Bits:
		return "u and c are equal in every bit"
	case t.Absolute == 0 && t.Relative == 0:
		return "|u − c| = 0"
	case t.Relative == 0:
		return "|u − c| ≤ " + decimal(t.Absolute)
	case t.Absolute == 0:
		return "|u − c| ≤ " + decimal(t.Relative) + "·|c|"
	}
	return "|u − c| ≤ " + decimal(t.Absolute) + " + " + decimal(t.Relative) + "·|c|"
}

// decimal writes a number as JSON does, without the quotes of NaN and the
// infinities.
func decimal(n tensor.Number) string {
	text, _ := n.MarshalJSON()
	if text[0] == '"' {
		text = text[1 : len(text)-1]
	}
	return string(text)
}
