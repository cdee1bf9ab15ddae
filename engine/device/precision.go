package device

import (
	"fmt"

	"workbench/engine/dtype"
)

// Precision is the arithmetic of a matrix product or a reduction. Host tensors
// hold float64 whatever the precision: operands are rounded to the format on
// their way in, and the result is a value of the format.
type Precision uint8

const (
	// Float64 multiplies and accumulates in float64.
	Float64 Precision = iota
	// Float32 rounds operands to float32 and accumulates in float32.
	Float32
	// Float16 rounds operands to IEEE binary16, accumulates in float32 and
	// rounds the result to binary16.
	Float16
	// BFloat16 does the same with bfloat16.
	BFloat16
)

// Precisions lists them all, for tests and for menus.
var Precisions = []Precision{Float64, Float32, Float16, BFloat16}

// String returns the name that ParsePrecision reads.
func (p Precision) String() string {
	switch p {
	case Float64:
		return "float64"
	case Float32:
		return "float32"
	case Float16:
		return "float16"
	case BFloat16:
		return "bfloat16"
	}
	return fmt.Sprintf("Precision(%d)", uint8(p))
}

// Round returns the value of the precision's format that is nearest to x: as an
// operand is on its way into a request, and a result on its way out.
func (p Precision) Round(x float64) float64 { return p.Rounding()(x) }

// Rounding returns Round as a function, for loops. An unknown precision has
// none and panics: requests in one are refused before.
func (p Precision) Rounding() func(x float64) float64 {
	switch p {
	case Float64:
		return func(x float64) float64 { return x }
	case Float32:
		return dtype.RoundFloat32
	case Float16:
		return dtype.RoundFloat16
	case BFloat16:
		return dtype.RoundBFloat16
	}
	panic("BUG: " + p.String() + " has no rounding")
}

// ParsePrecision reads float64, float32, float16 or bfloat16.
func ParsePrecision(s string) (Precision, error) {
	for _, p := range Precisions {
		if p.String() == s {
			return p, nil
		}
	}
	return 0, fmt.Errorf("precision %q is unknown: write float64, float32, float16 or bfloat16", s)
}

// MarshalText writes the precision's name.
func (p Precision) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (p *Precision) UnmarshalText(text []byte) error {
	parsed, err := ParsePrecision(string(text))
	if err != nil {
		return err
	}
	*p = parsed
	return nil
}
