package launchfile

import (
	"math"
	"strconv"
	"strings"

	"workbench/engine/dtype"
)

// decimal is a number as it was written: ±0.digits · 10^exponent, exactly. The
// digits neither begin nor end with a zero, so that zero has none.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// parseDecimal reads what JSON writes for a number.
func parseDecimal(text string) (d decimal, ok bool) {
	rest := text
	if strings.HasPrefix(rest, "-") {
		d.negative, rest = true, rest[1:]
	}
	whole := leadingDigits(rest)
	rest = rest[len(whole):]
	if whole == "" || len(whole) > 1 && whole[0] == '0' {
		return d, false
	}
	fraction := ""
	if strings.HasPrefix(rest, ".") {
		fraction = leadingDigits(rest[1:])
		rest = rest[1+len(fraction):]
		if fraction == "" {
			return d, false
		}
	}
	d.exponent = len(whole)
	if rest != "" {
		if rest[0] != 'e' && rest[0] != 'E' {
			return d, false
		}
		rest = rest[1:]
		sign := 1
		if rest != "" && (rest[0] == '+' || rest[0] == '-') {
			if rest[0] == '-' {
				sign = -1
			}
			rest = rest[1:]
		}
		if rest == "" || leadingDigits(rest) != rest {
			return d, false
		}
		e, err := strconv.ParseInt(rest, 10, 32)
		if err != nil {
			e = math.MaxInt32 // an infinity or a zero, whatever the digits
		}
		d.exponent += sign * int(e)
	}
	all := whole + fraction
	d.digits = strings.TrimLeft(all, "0")
	d.exponent -= len(all) - len(d.digits)
	d.digits = strings.TrimRight(d.digits, "0")
	if d.digits == "" {
		d.exponent = 0
	}
	return d, true
}

func leadingDigits(s string) string {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return s[:n]
}

// whole returns a whole number without point and exponent. One of more than 20
// digits fits no type, and is given back with 21.
func (d decimal) whole() (text string, ok bool) {
	switch {
	case d.digits == "":
		return "0", true
	case len(d.digits) > d.exponent:
		return "", false
	}
	text = d.digits
	if d.exponent > 20 {
		text = "1" + strings.Repeat("0", 20)
	} else {
		text += strings.Repeat("0", d.exponent-len(d.digits))
	}
	if d.negative {
		text = "-" + text
	}
	return text, true
}

// above compares the magnitudes: -1, 0 or 1.
func (d decimal) above(e decimal) int {
	switch {
	case d.digits == "" || e.digits == "":
		return len(d.digits) - len(e.digits)
	case d.exponent != e.exponent:
		if d.exponent > e.exponent {
			return 1
		}
		return -1
	}
	return strings.Compare(d.digits, e.digits)
}

// nearest returns a value from which rounding to t, of 16 bits, gives what
// rounding the decimal at once would. The nearest float64 does, except where it
// is the middle of two neighbours and the decimal is not: then it is the
// neighbour on the decimal's side.
func (t Type) nearest(text string, d decimal) float64 {
	x, _ := strconv.ParseFloat(text, 64)
	round, beyond := dtype.RoundFloat16, 0x1p16
	if t == BF16 {
		round, beyond = dtype.RoundBFloat16, 0x1p128
	}
	a := math.Abs(x)
	if a == 0 || a > beyond {
		return x
	}
	low, high := round(math.Nextafter(a, 0)), round(math.Nextafter(a, math.Inf(1)))
	if math.IsInf(high, 1) && !math.IsInf(low, 1) {
		high = beyond // the value after the largest, were there one
	}
	if low == high || a-low != high-a {
		return x
	}
	middle, _ := parseDecimal(strconv.FormatFloat(a, 'e', 800, 64)) // all its digits
	switch c := d.above(middle); {
	case c > 0:
		return math.Copysign(high, x)
	case c < 0:
		return math.Copysign(low, x)
	}
	return x
}
