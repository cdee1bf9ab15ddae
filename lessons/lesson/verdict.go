package lesson

import (
	"fmt"
	"slices"
	"time"

	"workbench/engine/launch"
)

// Verdict is what came of a check, in words for the learner. It travels as JSON
// to the pages and is kept beside the learner's file.
type Verdict struct {
	Lesson string `json:"lesson"` // ID
	Kind   Kind   `json:"kind"`   // what the file is written in
	File   string `json:"file"`   // that was checked, as a person opens it
	Device string `json:"device"` // on which: "emulator", "cuda:0: NVIDIA H200", "this computer, Go 1.26"
	Limits string `json:"limits"` // "5 s, 2^25 instructions, 64 KiB of output"

	Passed   bool      `json:"passed"`
	Findings []Finding `json:"findings"` // what is wrong, the first to mend first
	Notes    []string  `json:"notes"`    // what else there is to say: what was not checked here, what a pass cost
	Cases    []CaseRun `json:"cases"`    // in order; those behind one that ended the program were not run

	Output string `json:"output,omitempty"` // what the learner's program printed
	Cut    bool   `json:"cut,omitempty"`    // it printed more than was kept

	Building time.Duration `json:"building_ns"` // until the program could run
	Running  time.Duration `json:"running_ns"`
	When     time.Time     `json:"when"`

	// Saved is the time of the learner's file when it was read: a file of another
	// time was changed since. Zero if nobody knows.
	Saved time.Time `json:"saved,omitzero"`
}

// CaseRun is what became of one case.
type CaseRun struct {
	Name   string `json:"name"`
	Ran    bool   `json:"ran"`
	Passed bool   `json:"passed"`
}

// Tally says in a few words what became of the cases: "5 of 7 cases pass, 1 did
// not run"; "" where there
// are none.
func (v *Verdict) Tally() string {
	passed, ran, n := 0, 0, len(v.Cases)
	for _, c := range v.Cases {
		if c.Passed {
			passed++
		}
		if c.Ran {
			ran++
		}
	}
	one, many := "case passes", "cases pass"
	if v.Kind == KindQuestion {
		one, many = "answer is right", "answers are right"
	}
	what := many
	switch n {
	case 0:
		return ""
	case 1:
		what = one
	}
	text := fmt.Sprintf("%d of %d %s", passed, n, what)
	if ran > 0 && ran < n {
		text += fmt.Sprintf(", %d did not run", n-ran)
	}
	return text
}

// Kinds returns the kinds of the findings, each once, in their order.
func (v *Verdict) Kinds() []FindingKind {
	var kinds []FindingKind
	for _, f := range v.Findings {
		if !slices.Contains(kinds, f.Kind) {
			kinds = append(kinds, f.Kind)
		}
	}
	return kinds
}

// Finding is one thing that is wrong.
type Finding struct {
	Kind FindingKind `json:"kind"`
	Case string      `json:"case,omitempty"` // in which it was seen first

	Text string `json:"text"`           // what is wrong, in a sentence or two
	Next string `json:"next,omitempty"` // what to look at or do

	// Where in the learner's file, from 1; 0 if no line is to blame.
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"` // in characters
	Source string `json:"source,omitempty"` // the line's text

	Values *Values `json:"values,omitempty"` // of a wrong result
	Detail string  `json:"detail,omitempty"` // lines in a fixed pitch: an emulator's report, a compiler's message
}

// Values says where a result is wrong.
type Values struct {
	Array  string  `json:"array"`
	Shape  []int   `json:"shape"`
	Count  int     `json:"count"`
	Wrong  int     `json:"wrong"`
	First  []Wrong `json:"first"` // the first few, in their order
	Worst  *Wrong  `json:"worst,omitempty"`
	Within string  `json:"within"` // "equal", "|Δ| ≤ 1e-6 + 1e-5·|expected|"
}

// Wrong is one wrong element. The numbers are written out: NaN and ∞ have none
// in JSON.
type Wrong struct {
	At       []int  `json:"at"`
	Expected string `json:"expected"`
	Actual   string `json:"actual"`
}

// FindingKind names what is wrong. A report of the emulator has its own kind.
type FindingKind string

const (
	Compile   FindingKind = "compile"   // the file does not compile
	Signature FindingKind = "signature" // a function or kernel is missing or takes something else
	Untouched FindingKind = "untouched" // nothing was done yet: the file is the starter

	NothingWritten FindingKind = "nothing-written" // no element of a result was written
	PartUnwritten  FindingKind = "part-unwritten"  // some were not
	Transposed     FindingKind = "transposed"      // rows and columns are exchanged
	Shifted        FindingKind = "shifted"         // the right values, some places off
	Misplaced      FindingKind = "misplaced"       // the right values, in other places: reversed, or another tile's
	LastTile       FindingKind = "last-tile"       // what is wrong lies behind the last whole tile, row or column
	Constant       FindingKind = "constant"        // one value everywhere
	Scaled         FindingKind = "scaled"          // every value by the same factor
	Offset         FindingKind = "offset"          // every value too large, or too small, by the same
	WrongValues    FindingKind = "wrong-values"    // none of these
	KnownMistake   FindingKind = "known-mistake"   // a Mistake's result, if it names no other kind

	WroteOutside FindingKind = "wrote-outside" // behind the end of an array
	InputChanged FindingKind = "input-changed"
	NotFinite    FindingKind = "not-finite" // NaN or ∞ where a number is expected

	Panic       FindingKind = "panic"        // a Go program's, or that it died
	TimeLimit   FindingKind = "time-limit"   // it ran longer than it may
	OutputLimit FindingKind = "output-limit" // it printed more than it may
	MemoryLimit FindingKind = "memory-limit"
	DeviceFault FindingKind = "device-fault" // a GPU refused the kernel or lost it

	TooSlow       FindingKind = "too-slow"       // the right result, by more accesses or instructions than the exercise allows
	BankConflicts FindingKind = "bank-conflicts" // likewise
	Unused        FindingKind = "unused"         // it does without what it is about
	Unrepeatable  FindingKind = "unrepeatable"   // the right result, by an order that may be another one in the next run

	Unanswered  FindingKind = "unanswered"
	WrongAnswer FindingKind = "wrong-answer"
	StrangeLine FindingKind = "strange-line" // it is no answer to any question of the file
)

// FindingKinds are all of them but those of the emulator's reports.
var FindingKinds = []FindingKind{
	Compile, Signature, Untouched,
	NothingWritten, PartUnwritten, Transposed, Shifted, Misplaced, LastTile, Constant, Scaled, Offset, WrongValues, KnownMistake,
	WroteOutside, InputChanged, NotFinite,
	Panic, TimeLimit, OutputLimit, MemoryLimit, DeviceFault,
	TooSlow, BankConflicts, Unused, Unrepeatable,
	Unanswered, WrongAnswer, StrangeLine,
}

// Known says whether there is such a kind.
func (k FindingKind) Known() bool {
	return slices.Contains(FindingKinds, k) || slices.Contains(launch.ReportKinds, launch.ReportKind(k))
}
