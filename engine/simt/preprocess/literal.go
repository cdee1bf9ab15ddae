package preprocess

import (
	"strings"

	"workbench/engine/simt/source"
)

// Unquote returns the bytes that a character or a string stands for.
func Unquote(t Token) (string, error) {
	body := t.Text[1 : len(t.Text)-1]
	if !strings.Contains(body, `\`) {
		return body, nil
	}
	var b strings.Builder
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			b.WriteByte(body[i])
			continue
		}
		if i++; i == len(body) {
			return "", source.Errorf(t.Pos, "escape", "a backslash at the end of %s stands for nothing", t)
		}
		switch c := body[i]; c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'a':
			b.WriteByte('\a')
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'v':
			b.WriteByte('\v')
		case '\\', '\'', '"', '?':
			b.WriteByte(c)
		case 'x':
			v, n := 0, 0
			for i+1 < len(body) && hex(body[i+1]) >= 0 && v < 256 {
				i++
				n++
				v = v*16 + hex(body[i])
			}
			if n == 0 || v > 255 {
				return "", source.Errorf(t.Pos, "escape", `\x takes the hexadecimal digits of one byte: \x41`)
			}
			b.WriteByte(byte(v))
		case '0', '1', '2', '3', '4', '5', '6', '7':
			v := int(c - '0')
			for n := 1; n < 3 && i+1 < len(body) && body[i+1] >= '0' && body[i+1] <= '7'; n++ {
				i++
				v = v*8 + int(body[i]-'0')
			}
			if v > 255 {
				return "", source.Errorf(t.Pos, "escape", `\%o is more than a byte`, v)
			}
			b.WriteByte(byte(v))
		default:
			return "", source.Errorf(t.Pos, "escape", `there is no \%c`, c).With(`write \\ for a backslash`)
		}
	}
	return b.String(), nil
}

func hex(c byte) int {
	switch {
	case digit(c):
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
