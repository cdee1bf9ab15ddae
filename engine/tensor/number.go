package tensor

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Number is a float64 that JSON carries exactly: the shortest decimal that
// reads back to the same bits, and the strings "NaN", "Infinity" and
// "-Infinity" for what a JSON number cannot hold.
type Number float64

// Bits returns the 16 hexadecimal digits of a float64.
func Bits(x float64) string { return fmt.Sprintf("%016x", math.Float64bits(x)) }

// MarshalJSON writes the number.
func (n Number) MarshalJSON() ([]byte, error) { return appendNumber(nil, float64(n)), nil }

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		var word string
		if err := json.Unmarshal(text, &word); err != nil {
			return err
		}
		switch word {
		case "NaN":
			*n = Number(math.NaN())
		case "Infinity":
			*n = Number(math.Inf(1))
		case "-Infinity":
			*n = Number(math.Inf(-1))
		default:
			return fmt.Errorf("%q is not a number: write a number, \"NaN\", \"Infinity\" or \"-Infinity\"", word)
		}
		return nil
	}
	value, err := strconv.ParseFloat(string(text), 64)
	// ParseFloat reads more than JSON writes: Inf, 0x1p3, 1_000.
	switch {
	case errors.Is(err, strconv.ErrRange) && json.Valid(text):
		return fmt.Errorf("%s is not a number a float64 can hold", text)
	case err != nil || !json.Valid(text):
		return fmt.Errorf("%s is not a number", text)
	}
	*n = Number(value)
	return nil
}

// Values is a slice of float64 that JSON carries exactly, like Number.
type Values []float64

// MarshalJSON writes an array of numbers; nil is an empty array.
func (v Values) MarshalJSON() ([]byte, error) {
	out := make([]byte, 0, 2+len(v)*8)
	out = append(out, '[')
	for i, x := range v {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendNumber(out, x)
	}
	return append(out, ']'), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (v *Values) UnmarshalJSON(text []byte) error {
	var numbers []Number
	if err := json.Unmarshal(text, &numbers); err != nil {
		return err
	}
	*v = make(Values, len(numbers))
	for i, n := range numbers {
		(*v)[i] = float64(n)
	}
	return nil
}

func appendNumber(out []byte, x float64) []byte {
	switch {
	case math.IsNaN(x):
		return append(out, `"NaN"`...)
	case math.IsInf(x, 1):
		return append(out, `"Infinity"`...)
	case math.IsInf(x, -1):
		return append(out, `"-Infinity"`...)
	}
	return strconv.AppendFloat(out, x, 'g', -1, 64)
}
