package bpe

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Name returns what a token is called on a page: "<begin>" and "<end>", the
// token's text where all of it can be seen, with "␣" for a space, and its bytes
// in hexadecimal otherwise ("0x0a", "0xc3a9ff"). A number outside the
// vocabulary is "<unknown 999>".
//
// Names are for people and not unique: the merges a+bc and ab+c are both "abc".
func (t *Tokenizer) Name(id int) string {
	switch {
	case id < 0 || id >= t.Vocabulary():
		return fmt.Sprintf("<unknown %d>", id)
	case id == Begin:
		return "<begin>"
	case id == End:
		return "<end>"
	}
	text := t.appendBytes(make([]byte, 0, t.length(id)), id)
	if !legible(text) {
		return fmt.Sprintf("0x%x", text)
	}
	return strings.ReplaceAll(string(text), " ", "␣")
}

// legible reports whether a name can show the text: valid UTF-8 of printable
// characters. The sign for a space would be taken for one, and a combining mark
// at the start would be drawn over whatever stands before the name.
func legible(text []byte) bool {
	if !utf8.Valid(text) {
		return false
	}
	for i, r := range string(text) {
		if !unicode.IsPrint(r) || r == '␣' || i == 0 && unicode.Is(unicode.M, r) {
			return false
		}
	}
	return true
}
