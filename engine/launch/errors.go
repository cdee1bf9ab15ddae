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
	Line     int    // from 1; 0 if the message names none
	Column   int    // from 1; 0 if the message names none
	Severity string // "error" or "warning"
	Message  string
	Source   string // the line's text
}

func (e *CompileError) Error() string {
	if len(e.Diagnostics) == 0 {
		return fmt.Sprintf("%s does not compile: %s", e.File, strings.TrimSpace(e.Log))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s does not compile", e.File)
	for _, d := range e.Diagnostics {
		at := e.File
		if d.Line > 0 {
			at = fmt.Sprintf("%s:%d", e.File, d.Line)
		}
		fmt.Fprintf(&b, "\n%s: %s: %s", at, d.Severity, d.Message)
		if d.Source != "" {
			fmt.Fprintf(&b, "\n    %s", strings.TrimSpace(d.Source))
		}
	}
	return b.String()
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
