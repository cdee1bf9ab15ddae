package value

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// shown is how many elements of a list are written out for a person.
const shown = 12

// String writes a value as a person reads it, the beginning of what is long.
func (v Value) String() string {
	switch v.Kind {
	case Int:
		return strconv.FormatInt(v.Int, 10)
	case Uint:
		return strconv.FormatUint(v.Uint, 10)
	case Float:
		switch {
		case math.IsInf(v.Float, 1):
			return "∞"
		case math.IsInf(v.Float, -1):
			return "−∞"
		}
		return strconv.FormatFloat(v.Float, 'g', -1, 64)
	case Bool:
		return strconv.FormatBool(v.Bool)
	case String:
		return strconv.Quote(cut(v.Text))
	case Error:
		return "the error " + strconv.Quote(cut(v.Text))
	case Nil:
		return "nil"
	case List, Struct:
		out := []string{}
		for i, item := range v.Items {
			if i == shown {
				out = append(out, fmt.Sprintf("… %d more", len(v.Items)-shown))
				break
			}
			text := item.String()
			if v.Kind == Struct {
				text = v.Names[i] + ": " + text
			}
			out = append(out, text)
		}
		if v.Kind == Struct {
			return "{" + strings.Join(out, ", ") + "}"
		}
		return "[" + strings.Join(out, " ") + "]"
	}
	return v.Text
}

func cut(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
