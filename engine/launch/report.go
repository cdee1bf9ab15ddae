package launch

import (
	"fmt"
	"strings"
)

// Index is a blockIdx or a threadIdx: x, y, z. In JSON it is [x, y, z].
type Index [3]int

// String writes it as a kernel's author counts: (3,0,0).
func (i Index) String() string { return fmt.Sprintf("(%d,%d,%d)", i[0], i[1], i[2]) }

// ReportKind is what is wrong with a kernel.
type ReportKind string

const (
	// Race: two accesses to one place by two threads, at least one a plain
	// write, and nothing in the kernel makes one of them happen before the other.
	Race ReportKind = "race"

	// OutOfBounds: an access outside its array, at either end, through a null
	// pointer, or a write to what is read only.
	OutOfBounds ReportKind = "out-of-bounds"

	// Uninitialised: a value is read that nobody has written.
	Uninitialised ReportKind = "uninitialised"

	// Misaligned: an access of n bytes at an address that is no multiple of n.
	Misaligned ReportKind = "misaligned"

	// DivergentBarrier: a barrier that some threads of the block do not reach.
	DivergentBarrier ReportKind = "divergent-barrier"

	// InactiveShuffle: a lane exchanges a value with one that does not take part.
	InactiveShuffle ReportKind = "inactive-shuffle"

	// EndlessLoop: the instruction budget is spent, or calls nest without end.
	EndlessLoop ReportKind = "endless-loop"

	// DivideByZero: an integer division or remainder by zero.
	DivideByZero ReportKind = "divide-by-zero"

	// SharedMemory: a block asks for more shared memory than there is.
	SharedMemory ReportKind = "shared-memory"

	// Assert: an assert of the kernel does not hold, or it traps.
	Assert ReportKind = "assert"
)

// ReportKinds are all of them.
var ReportKinds = []ReportKind{
	Race, OutOfBounds, Uninitialised, Misaligned, DivergentBarrier,
	InactiveShuffle, EndlessLoop, DivideByZero, SharedMemory, Assert,
}

// Severity is how bad it is.
type Severity string

const (
	// Fault: the result cannot be relied on.
	Fault Severity = "error"

	// Doubt: it is against the rules and may give the right result all the same:
	// several threads write one same value to one place.
	Doubt Severity = "warning"
)

// Report is one thing that is wrong with a kernel, as a launch showed it. What
// happened to many threads, or many times, at one place of the source is one
// Report: it is about the first of them and has their Count.
type Report struct {
	Kind     ReportKind `json:"kind"`
	Severity Severity   `json:"severity"`

	Place
	Other *Place `json:"other,omitempty"` // of a race: the other access

	Address string `json:"address,omitempty"` // the element: "tile[3][16]"
	Message string `json:"message"`           // what happened, one sentence without its place
	Cause   string `json:"cause,omitempty"`   // what it most likely comes from, and what to do
	Count   int64  `json:"count"`             // how often it was seen, at least 1
}

// Place is where in the source something happened, and to which thread.
type Place struct {
	File   string `json:"file"`
	Line   int    `json:"line"`             // from 1; 0 if it is not known
	Column int    `json:"column"`           // from 1, in bytes
	Macro  string `json:"macro,omitempty"`  // the macro that it was expanded from
	Source string `json:"source,omitempty"` // the line's text, if it is known

	Block  Index  `json:"block"`
	Thread Index  `json:"thread"`
	Warp   int    `json:"warp"` // within the block
	Lane   int    `json:"lane"`
	Access string `json:"access,omitempty"` // "read", "write", "atomic", "volatile read", "volatile write"
}

// String writes file:line:column.
func (p Place) String() string {
	if p.Line == 0 {
		return "(unknown position)"
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Who writes which thread it is.
func (p Place) Who() string {
	return fmt.Sprintf("block %v, thread %v: warp %d, lane %d", p.Block, p.Thread, p.Warp, p.Lane)
}

// Caret writes the source line with a mark below the column; "" if the line is
// not known.
func (p Place) Caret() string {
	text := strings.TrimRight(p.Source, " \t\r\n")
	if text == "" {
		return ""
	}
	var mark strings.Builder
	for i := 0; i < p.Column-1 && i < len(text); i++ {
		switch c := text[i]; {
		case c == '\t':
			mark.WriteByte('\t')
		case c&0xc0 != 0x80: // one mark for all bytes of a rune
			mark.WriteByte(' ')
		}
	}
	return fmt.Sprintf("%5d | %s\n      | %s^\n", p.Line, text, mark.String())
}

// Text writes the whole report, as compilers write theirs:
//
//	tile.cu:14:17: error: race: tile[0][1] is read by thread (0,0,0) and …
//	   14 |         sum += tile[threadIdx.y][k] * …
//	      |                ^
//	    read by block (0,0,0), thread (0,0,0): warp 0, lane 0
//	    the other access: write by block (0,0,0), thread (1,0,0): warp 0, lane 1, at tile.cu:11:9
//	   11 |         tile[threadIdx.y][threadIdx.x] = a[i];
//	      |         ^
//	    likely cause: no __syncthreads() between line 11 and line 14
//	    seen 480 times
func (r *Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v: %s: %s: %s\n", r.Place, r.Severity, r.Kind, r.Message)
	b.WriteString(r.Caret())
	expanded := func(p Place) {
		if p.Macro != "" {
			fmt.Fprintf(&b, "    in the expansion of %s\n", p.Macro)
		}
	}
	by := func(p Place) string {
		if p.Access == "" {
			return p.Who()
		}
		return p.Access + " by " + p.Who()
	}
	expanded(r.Place)
	fmt.Fprintf(&b, "    %s\n", by(r.Place))
	if o := r.Other; o != nil {
		what := "the other access"
		if o.Access == "" {
			what = "the other thread"
		}
		fmt.Fprintf(&b, "    %s: %s, at %v\n", what, by(*o), *o)
		if o.File != r.File || o.Line != r.Line || o.Column != r.Column {
			b.WriteString(o.Caret())
			expanded(*o)
		}
	}
	if r.Cause != "" {
		fmt.Fprintf(&b, "    likely cause: %s\n", r.Cause)
	}
	if r.Count > 1 {
		fmt.Fprintf(&b, "    seen %d times\n", r.Count)
	}
	return b.String()
}
