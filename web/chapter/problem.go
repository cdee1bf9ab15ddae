package chapter

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Problem is one mistake in a chapter, where its author can mend it.
type Problem struct {
	File   string // as the author knows it
	Line   int    // from 1; 0 if the mistake is in no line
	Field  string // of the front matter or of a fence's body; may be empty
	Reason string // what is wrong and what would be right
}

// Error writes file:line: field: reason.
func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	b.WriteString(": ")
	if p.Field != "" {
		b.WriteString(p.Field)
		b.WriteString(": ")
	}
	b.WriteString(p.Reason)
	return b.String()
}

// Problems are the mistakes of one or several chapters. As an error it names
// them all, one a line.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// sort orders the problems as an author meets them.
func (ps Problems) sort() {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
}
