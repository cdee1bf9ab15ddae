package source

import (
	"fmt"
	"strings"
)

// An Error is what is wrong with a source, or what this reader of CUDA C does
// not support, at one place.
type Error struct {
	Pos       Pos
	Construct string // its name: "goto", "call of sqrtq"
	Message   string // what is wrong, a sentence without its end
	Instead   string // what to write instead; "" where the message says it all
	Notes     []Note // other places that belong to it

	Unsupported bool // CUDA has it, and this reader does not
	Unknown     bool // nothing has the name, unless a header that was not found does
}

// A Note is another place that an error is about.
type Note struct {
	Pos     Pos
	Message string
}

// Errorf returns the error of a construct at a place.
func Errorf(pos Pos, construct, format string, args ...any) *Error {
	return &Error{Pos: pos, Construct: construct, Message: fmt.Sprintf(format, args...)}
}

// With says what to write instead.
func (e *Error) With(format string, args ...any) *Error {
	e.Instead = fmt.Sprintf(format, args...)
	return e
}

// Refused marks e as what CUDA has, and this reader does not.
func (e *Error) Refused() *Error {
	e.Unsupported = true
	return e
}

// Missing marks e as a name that nothing has.
func (e *Error) Missing() *Error {
	e.Unknown = true
	return e
}

// Note adds a place.
func (e *Error) Note(pos Pos, format string, args ...any) *Error {
	e.Notes = append(e.Notes, Note{pos, fmt.Sprintf(format, args...)})
	return e
}

// Error writes the place, the message, the line with a caret, and what to do.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.Pos, e.Message)
	quote(&b, e.Pos)
	shown := 0
	for x := e.Pos.Macro; x != nil; x = x.Token.Macro {
		if x.Token.File != nil && x.Token.File.BuiltIn {
			continue
		}
		if shown++; shown > mostExpansions {
			b.WriteString("\n    and so on, through more macros")
			break
		}
		fmt.Fprintf(&b, "\n%s: in the expansion of macro %s", x.Token, x.Name)
		quote(&b, x.Token)
	}
	for _, n := range e.Notes {
		fmt.Fprintf(&b, "\n%s: %s", n.Pos, n.Message)
		quote(&b, n.Pos)
	}
	if e.Instead != "" {
		fmt.Fprintf(&b, "\n    %s", e.Instead)
	}
	return b.String()
}

// mostExpansions is how many macros an error shows: macros that use macros can
// go on for long.
const mostExpansions = 5

// Quote returns the line of a place with a caret under it, in two lines of text
// that each begin with four spaces; "" for no place.
func Quote(pos Pos) string {
	var b strings.Builder
	quote(&b, pos)
	return strings.TrimPrefix(b.String(), "\n")
}

// widest is how much of a line is shown, in characters: sources may have lines
// of any length.
const widest = 160

func quote(b *strings.Builder, pos Pos) {
	if pos.File == nil {
		return
	}
	line, column := pos.Place()
	text := []rune(pos.File.Line(line))
	column = min(column, len(text)+1)
	if skip := column - widest/2; len(text) > widest && skip > 0 {
		text, column = text[min(skip, len(text)):], column-skip
	}
	if len(text) > widest {
		text = text[:widest]
	}
	number := fmt.Sprint(line)
	fmt.Fprintf(b, "\n    %s | %s\n    %*s | ", number, plain(text), len(number), "")
	for _, r := range text[:column-1] {
		if r == '\t' {
			b.WriteByte('\t')
		} else {
			b.WriteByte(' ')
		}
	}
	b.WriteByte('^')
}

// plain replaces what would move the caret, or the terminal's cursor.
func plain(text []rune) string {
	out := make([]rune, len(text))
	for i, r := range text {
		if r < ' ' && r != '\t' || r == 0x7f {
			r = '\uFFFD'
		}
		out[i] = r
	}
	return string(out)
}
