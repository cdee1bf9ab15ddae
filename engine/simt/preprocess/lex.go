package preprocess

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"workbench/engine/simt/source"
)

// A lexer reads the tokens of one file. A backslash before the end of a line
// joins it with the next, also within a word.
type lexer struct {
	file    *source.File
	text    string
	at      int  // the offset of the character c
	c       byte // the current character, 0 at the end
	spliced bool // a join was passed since the token began
}

func newLexer(file *source.File) *lexer {
	l := &lexer{file: file, text: file.Text}
	if strings.HasPrefix(l.text, "\uFEFF") {
		l.at = len("\uFEFF")
	}
	l.load()
	return l
}

// load sets c for the offset at, after passing over joins.
func (l *lexer) load() {
	for l.at < len(l.text) && l.text[l.at] == '\\' {
		n := splice(l.text[l.at:])
		if n == 0 {
			break
		}
		l.at += n
		l.spliced = true
	}
	if l.at >= len(l.text) {
		l.at, l.c = len(l.text), 0
		return
	}
	l.c = l.text[l.at]
}

// splice returns the length of a backslash and the end of its line.
func splice(text string) int {
	switch {
	case strings.HasPrefix(text, "\\\n"):
		return 2
	case strings.HasPrefix(text, "\\\r\n"):
		return 3
	}
	return 0
}

func (l *lexer) next() {
	if l.at < len(l.text) {
		l.at++
		l.load()
	}
}

// peek returns the character after c.
func (l *lexer) peek() byte {
	saved := *l
	l.next()
	c := l.c
	*l = saved
	return c
}

func (l *lexer) end() bool { return l.at >= len(l.text) }

func (l *lexer) pos(offset int) source.Pos { return source.Pos{File: l.file, Offset: int32(offset)} }

// spelling returns the text from an offset to here, without joins.
func (l *lexer) spelling(from int) string {
	text := l.text[from:l.at]
	if l.spliced {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\\\r\n", ""), "\\\n", "")
	}
	return text
}

// space passes over white space and comments, and reports whether there was any
// and whether a line ended.
func (l *lexer) space() (any, line bool, err error) {
	for {
		switch {
		case l.c == '\n':
			line = true
		case l.c == ' ' || l.c == '\t' || l.c == '\r' || l.c == '\f' || l.c == '\v':
		case l.c == '/' && l.peek() == '/':
			for !l.end() && l.c != '\n' {
				l.next()
			}
			any = true
			continue
		case l.c == '/' && l.peek() == '*':
			start := l.at
			l.next()
			l.next()
			for !(l.c == '*' && l.peek() == '/') {
				if l.end() {
					return any, line, source.Errorf(l.pos(start), "comment", "this comment has no end").With("close it with */")
				}
				l.next()
			}
			l.next() // the * here, the / below
		default:
			return any, line, nil
		}
		any = true
		l.next()
	}
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// operators by their first character, longest first.
var operators = func() map[byte][]string {
	out := map[byte][]string{}
	for _, op := range []string{
		"<<=", ">>=", "...", "->*", "<=>",
		"->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "::", "##", ".*",
		"{", "}", "[", "]", "(", ")", ";", ":", ",", ".", "?", "+", "-", "*", "/", "%", "&", "|", "^", "!", "~", "<", ">", "=", "#",
	} {
		if op != "<=>" { // C++20's, which nothing here has: a<=>b stays a <= > b
			out[op[0]] = append(out[op[0]], op)
		}
	}
	return out
}()

// words that are operators.
var words = map[string]string{
	"and": "&&", "or": "||", "not": "!", "bitand": "&", "bitor": "|", "xor": "^", "compl": "~",
	"and_eq": "&=", "or_eq": "|=", "xor_eq": "^=", "not_eq": "!=",
}

// token reads the next token. At the end of the text it is EOF.
func (l *lexer) token() (Token, error) {
	first := l.at == 0 || l.at == len("\uFEFF") && strings.HasPrefix(l.text, "\uFEFF")
	space, line, err := l.space()
	if err != nil {
		return Token{}, err
	}
	start := l.at
	l.spliced = false
	t := Token{Pos: l.pos(start), Space: space, First: first || line}
	switch {
	case l.end():
		t.Kind, t.First = EOF, true
		return t, nil
	case letter(l.c):
		for letter(l.c) || digit(l.c) {
			l.next()
		}
		t.Kind, t.Text = Ident, l.spelling(start)
		if l.c == '"' || l.c == '\'' {
			switch t.Text {
			case "R":
				if l.c == '"' {
					return l.raw(t)
				}
			case "L", "u", "U", "u8", "LR", "uR", "UR", "u8R":
				return t, source.Errorf(t.Pos, t.Text+" literal", "the prefix %s of a character or string is not supported", t.Text).With("write it without a prefix")
			}
		}
		if op, ok := words[t.Text]; ok {
			t.Kind, t.Text = Punct, op
		}
		return t, nil
	case digit(l.c) || l.c == '.' && digit(l.peek()):
		for {
			c := l.c
			switch {
			case letter(c) || digit(c) || c == '.':
				l.next()
				if c|0x20 == 'e' || c|0x20 == 'p' {
					if l.c == '+' || l.c == '-' {
						// 0xe+1 is one word in C too: it is refused where it is read
						l.next()
					}
				}
				continue
			case c == '\'':
				if p := l.peek(); letter(p) || digit(p) {
					l.next()
					continue
				}
			}
			break
		}
		t.Kind, t.Text = Number, l.spelling(start)
		return t, nil
	case l.c == '"' || l.c == '\'':
		quote := l.c
		t.Kind = String
		what := "string"
		if quote == '\'' {
			t.Kind, what = Char, "character"
		}
		l.next()
		for l.c != quote {
			if l.end() || l.c == '\n' {
				return t, source.Errorf(t.Pos, what, "this %s has no closing %c on its line", what, quote)
			}
			if l.c == '\\' {
				l.next()
				if l.end() {
					continue
				}
			}
			l.next()
		}
		l.next()
		t.Text = l.spelling(start)
		return t, nil
	}
	rest := l.text[l.at:]
	for _, op := range operators[l.c] {
		if l.matches(op) {
			for range op {
				l.next()
			}
			t.Kind, t.Text = Punct, op
			return t, nil
		}
	}
	r, size := utf8.DecodeRuneInString(rest)
	bad := source.Errorf(t.Pos, "character", "%s cannot stand here", character(r, size, l.c))
	switch r {
	case '\u2018', '\u2019', '\u201c', '\u201d':
		bad.With("write a straight quotation mark, ' or \"")
	case '\u2013', '\u2014', '\u2212':
		bad.With("write a hyphen-minus, -")
	case '\u00a0', '\u200b', '\u2009':
		bad.With("write an ordinary space")
	case '\\':
		bad.With("a backslash joins two lines only as the last character of its line")
	case '@', '$', '`':
		bad.With("CUDA C has no use for it outside of strings and comments")
	default:
		bad.With("names are made of the letters a to z and A to Z, digits and _; anything may stand in comments and strings")
	}
	return t, bad
}

// raw reads R"mark(…)mark", after the R, as the string that it stands for, written
// in the ordinary way.
func (l *lexer) raw(t Token) (Token, error) {
	rest := l.text[l.at+1:]
	mark, _, ok := strings.Cut(rest, "(")
	if !ok || len(mark) > 16 || strings.ContainsAny(mark, " )\\\t\n\"") {
		return t, source.Errorf(t.Pos, "string", "a raw string is written R\"(…)\"")
	}
	end := ")" + mark + `"`
	n := strings.Index(rest[len(mark):], end)
	if n < 0 {
		return t, source.Errorf(t.Pos, "string", "this string has no closing %s", end)
	}
	body := strings.ReplaceAll(rest[len(mark)+1:len(mark)+n], "\r\n", "\n")
	t.Kind = String
	t.Text = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(body) + `"`
	l.at += 1 + len(mark) + n + len(end)
	l.load()
	return t, nil
}

// matches reports whether the operator op is here.
func (l *lexer) matches(op string) bool {
	if strings.HasPrefix(l.text[l.at:], op) {
		return true
	}
	if len(op) == 1 || !strings.Contains(l.text[l.at:min(l.at+8, len(l.text))], "\\") {
		return false
	}
	saved := *l
	defer func() { *l = saved }()
	for i := range len(op) {
		if l.end() || l.c != op[i] {
			return false
		}
		l.next()
	}
	return true
}

func character(r rune, size int, c byte) string {
	switch {
	case r == utf8.RuneError && size <= 1:
		return fmt.Sprintf("the byte 0x%02x, which is no UTF-8,", c)
	case r < ' ' || r == 0x7f:
		return fmt.Sprintf("the control character U+%04X", r)
	}
	return fmt.Sprintf("the character %c (U+%04X)", r, r)
}
