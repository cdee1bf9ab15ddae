package figure

import (
	"math"
	"strconv"
	"strings"

	"workbench/engine/tensor"
)

// Number spells a number as the page's script does: the shortest decimal that
// reads back to the same bits, without an exponent from 1e-6 up to 1e21.
func Number(n tensor.Number) string {
	x := float64(n)
	switch a := math.Abs(x); {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	case a != 0 && (a < 1e-6 || a >= 1e21):
		// A script writes 1e-7 where Go writes 1e-07.
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
		return mantissa + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0")
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}
