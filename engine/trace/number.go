package trace

import (
	"math"
	"strconv"
)

// FormatNumber writes the shortest decimal that reads back to the same bits,
// with a real minus sign and words for infinities.
func FormatNumber(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "∞"
	case math.IsInf(x, -1):
		return "−∞"
	}
	a, format := math.Abs(x), byte('f')
	if a != 0 && (a >= 1e21 || a < 1e-6) {
		format = 'e'
	}
	text := strconv.FormatFloat(a, format, -1, 64)
	if math.Signbit(x) {
		return "−" + text
	}
	return text
}
