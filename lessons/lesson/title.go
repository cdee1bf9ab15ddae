package lesson

import "strings"

// titles name the kinds of findings on every screen. A report of the emulator is
// called by its kind.
var titles = map[FindingKind]string{
	Compile:        "It does not compile",
	Signature:      "A function is missing, or not as asked for",
	Untouched:      "Nothing was changed yet",
	NothingWritten: "Nothing was written",
	PartUnwritten:  "Some elements were not written",
	Transposed:     "Rows and columns are exchanged",
	Shifted:        "The right values, some places off",
	Misplaced:      "The right values, at other places",
	LastTile:       "What lies behind the last whole part is wrong",
	Constant:       "One value everywhere",
	Scaled:         "Every value by the same factor",
	Offset:         "Every value too large or too small by the same",
	WrongValues:    "Wrong values",
	KnownMistake:   "Wrong values, of a known mistake",
	WroteOutside:   "It wrote outside of an array",
	InputChanged:   "It changed an input",
	NotFinite:      "NaN or ∞ where a number belongs",
	Panic:          "The program died",
	TimeLimit:      "It ran longer than it may",
	OutputLimit:    "It printed more than it may",
	MemoryLimit:    "It took more memory than it may",
	DeviceFault:    "The GPU gave up",
	TooSlow:        "Right, but with more work than is needed",
	BankConflicts:  "Right, but with bank conflicts",
	Unused:         "Right, but without what this exercise is about",
	Unrepeatable:   "Right, but perhaps not in the next run",
	Unanswered:     "No answer yet",
	WrongAnswer:    "Not the right answer",
	StrangeLine:    "A line that is no answer",
}

// Title says what kind of thing is wrong, as the heading of a finding.
func (k FindingKind) Title() string {
	if text := titles[k]; text != "" {
		return text
	}
	text := strings.ReplaceAll(string(k), "-", " ")
	if text == "" {
		return "Something is wrong"
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
