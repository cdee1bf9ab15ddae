package launch

import (
	"fmt"
	"strings"
)

// A CompileError is a source that does not compile.
type CompileError struct {
	File        string
	Diagnostics []Diagnostic
	Log         string // as the compiler wrote it
}

// Diagnostic is one message of a compiler.
type Diagnostic struct {
	File     string // "" for the source itself
	Line     int    // from 1; 0 if the message names none
	Column   int    // from 1, in characters; 0 if the message names none
	Severity string // "error", "warning" or "note", which belongs to the one before
	Message  string
	Source   string // the line's text

	Construct string // the name of what is wrong or not supported, if the compiler says
	Instead   string // what to write instead, if the compiler says
}

// Error writes each message as compilers do, its line with a caret below it:
//
//	scale.cu does not compile
//	scale.cu:3:9: error: no variable is named y
//	    3 | 	x[i] = y;
//	      | 	       ^
func (e *CompileError) Error() string {
	if len(e.Diagnostics) == 0 {
		return fmt.Sprintf("%s does not compile: %s", e.File, strings.TrimSpace(e.Log))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s does not compile", e.File)
	for _, d := range e.Diagnostics {
		b.WriteString("\n" + d.text(e.File))
	}
	return b.String()
}

func (d Diagnostic) text(file string) string {
	if d.File != "" {
		file = d.File
	}
	var b strings.Builder
	b.WriteString(file)
	for _, n := range []int{d.Line, d.Column} {
		if n == 0 {
			break
		}
		fmt.Fprintf(&b, ":%d", n)
	}
	fmt.Fprintf(&b, ": %s: %s", d.Severity, d.Message)
	if text := strings.TrimRight(d.Source, " \t\r\n"); text != "" {
		b.WriteString("\n" + quote(d.Line, text, d.Column))
	}
	if d.Instead != "" {
		b.WriteString("\n    " + d.Instead)
	}
	return b.String()
}

// widest is how much of a line is shown, in characters: sources may have lines of
// any length.
const widest = 160

// quote shows a line, with a caret below a column of it unless that is 0.
func quote(line int, text string, column int) string {
	runes := []rune(text)
	column = min(column, len(runes)+1)
	if skip := column - widest/2; len(runes) > widest && skip > 0 {
		runes, column = runes[min(skip, len(runes)):], column-skip
	}
	runes = runes[:min(len(runes), widest)]
	mark := make([]rune, max(column-1, 0))
	for i := range mark {
		mark[i] = ' '
		if i < len(runes) && runes[i] == '\t' {
			mark[i] = '\t'
		}
	}
	for i, r := range runes {
		if r < ' ' && r != '\t' || r == 0x7f {
			runes[i] = '\uFFFD' // would move the caret, or the terminal's cursor
		}
	}
	number := fmt.Sprint(line)
	if line == 0 {
		return "    " + string(runes)
	}
	s := fmt.Sprintf("    %s | %s", number, string(runes))
	if column > 0 {
		s += fmt.Sprintf("\n    %*s | %s^", len(number), "", string(mark))
	}
	return s
}

// An ArgumentError is a launch that does not fit its kernel or its device.
type ArgumentError struct {
	Symbol string
	Field  string // "grid", "block", "args[2]"
	Reason string // what is wrong and what would be right
}

func (e *ArgumentError) Error() string {
	return fmt.Sprintf("launch of %s: %s: %s", e.Symbol, e.Field, e.Reason)
}
