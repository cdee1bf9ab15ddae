package exercise

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"workbench/engine/tensor"
	"workbench/lessons/lesson"
)

// Bounds of what a page shows of one verdict. A file of verdicts may be of
// another version of the course, or of nobody's.
const (
	mostFindings  = 20
	firstFindings = 3 // of them are shown at once, as in a terminal
	mostNotes     = 20
	mostCases     = 100
	mostWrong     = 16
	mostLine      = 400      // bytes of one line
	mostText      = 4 << 10  // of a few sentences
	mostDetail    = 16 << 10 // of several lines
	mostColumns   = 160      // characters of a source line on either side of its column
)

// Verdict is what came of a check, ready to be shown: its texts are bounded and
// have no control characters.
type Verdict struct {
	Passed  bool
	When    time.Time
	Device  string
	Limits  string
	Took    string     // "built in 1.2 s, ran for 20 ms"; "" if nobody knows
	Changed *time.Time // when the learner's file was changed since; nil if it was not
	Gone    bool       // the learner's file is not there any more

	Findings  []Finding // the first to mend
	Later     []Finding // to be looked at when those are mended
	More      int       // findings that are not shown
	Notes     []string
	Cases     []lesson.CaseRun
	MoreCases int
	Tally     string // of all cases: "5 of 7 cases pass, 1 did not run"

	Output string
	Cut    string // a sentence if that is not all the program printed
}

// Count is how many things are wrong.
func (v *Verdict) Count() int { return len(v.Findings) + len(v.Later) + v.More }

// Finding is one thing that is wrong.
type Finding struct {
	Title  string // "Wrong values"
	Case   string
	Text   string
	Next   string
	Place  string // "guard.cu, line 12, column 9"
	Source string // the line
	Caret  string // what stands below it: blanks, and ^ under the column
	Values *Values
	Detail string
}

// Values says where a result is wrong.
type Values struct {
	Summary string // "out of shape [2, 3]: 3 of 6 elements are wrong"
	Within  string
	Rows    []Row
	Left    int  // wrong elements that are not among Rows
	Worst   *Row // if it is not among Rows
}

// Row is one wrong element.
type Row struct {
	At, Expected, Actual string
	Worst                bool
}

func verdict(v *lesson.Verdict, zone *time.Location) *Verdict {
	s := &Verdict{
		Passed: v.Passed, When: moment(v.When, zone), Device: line(v.Device), Limits: line(v.Limits),
		Took: took(v), Notes: few(v.Notes, mostNotes), Tally: v.Tally(),
		More: max(0, len(v.Findings)-mostFindings), MoreCases: max(0, len(v.Cases)-mostCases),
	}
	for i, f := range v.Findings[:min(len(v.Findings), mostFindings)] {
		s.Findings = append(s.Findings, finding(f, v.File))
		if f.Kind == lesson.Untouched || f.Kind == lesson.Unanswered && i == 0 {
			s.More = 0
			break // whatever else there is comes of that
		}
	}
	if n := len(s.Findings); n > firstFindings {
		s.Findings, s.Later = s.Findings[:firstFindings], s.Findings[firstFindings:]
	}
	for _, c := range v.Cases[:min(len(v.Cases), mostCases)] {
		s.Cases = append(s.Cases, lesson.CaseRun{Name: line(c.Name), Ran: c.Ran, Passed: c.Passed})
	}
	whole := strings.TrimRight(v.Output, "\n")
	s.Output = clean(clip(whole, mostDetail))
	switch {
	case len(whole) > mostDetail:
		s.Cut = fmt.Sprintf("The page shows the beginning: the program printed %d bytes or more.", len(whole))
	case v.Cut:
		s.Cut = "The program printed more than was kept."
	}
	return s
}

func finding(f lesson.Finding, file string) Finding {
	s := Finding{
		Title: line(f.Kind.Title()), Case: line(f.Case), Text: prose(f.Text), Next: prose(f.Next),
		Detail: clean(clip(strings.TrimRight(f.Detail, "\n"), mostDetail)), Values: values(f.Values),
	}
	if s.Text == "" && s.Detail == "" && s.Values == nil {
		s.Text = "Nothing more is known about it."
	}
	if f.Line > 0 {
		s.Place = fmt.Sprintf("%s, line %d", line(filepath.Base(file)), f.Line)
		if f.Column > 0 {
			s.Place += fmt.Sprintf(", column %d", f.Column)
		}
		if !strings.Contains(f.Detail, strings.TrimSpace(f.Source)) {
			s.Source, s.Caret = pointed(f.Source, f.Column)
		} // or else the report shows it
	}
	return s
}

// pointed returns a line of source and what points at its column, from 1. Of a
// long line it is what stands around the column.
func pointed(source string, column int) (shown, caret string) {
	letters := []rune(clean(strings.TrimRight(source, "\r\n")))
	begin := 0
	if column > mostColumns {
		begin = min(column-mostColumns, len(letters))
	}
	end := min(begin+2*mostColumns, len(letters))
	shown = string(letters[begin:end])
	if begin > 0 {
		shown = "…" + shown
	}
	if end < len(letters) {
		shown += "…"
	}
	if column < 1 || column > len(letters)+1 || shown == "" {
		return shown, ""
	}
	var b strings.Builder
	for _, r := range []rune(shown)[:min(column-1-begin+min(begin, 1), len([]rune(shown)))] {
		if r != '\t' {
			r = ' '
		}
		b.WriteRune(r) // a tab stays one: it is as wide in both lines
	}
	return shown, b.String() + "^"
}

func values(v *lesson.Values) *Values {
	if v == nil {
		return nil
	}
	s := &Values{Within: line(v.Within)}
	elements := "elements are"
	if v.Count == 1 {
		elements = "element is"
	}
	of := ""
	if len(v.Shape) > 0 {
		of = " of shape " + shape(v.Shape)
	}
	s.Summary = fmt.Sprintf("%s%s: %d of %d %s wrong", line(v.Array), of, v.Wrong, v.Count, elements)
	worst := ""
	if v.Worst != nil {
		worst = index(v.Worst.At)
	}
	row := func(w lesson.Wrong) Row {
		at := index(w.At)
		return Row{At: at, Expected: line(w.Expected), Actual: line(w.Actual), Worst: v.Worst != nil && at == worst}
	}
	for _, w := range v.First[:min(len(v.First), mostWrong)] {
		r := row(w)
		s.Rows = append(s.Rows, r)
		if r.Worst {
			worst = "" // is there already
		}
	}
	s.Left = max(0, v.Wrong-len(s.Rows))
	if v.Worst != nil && worst != "" {
		r := row(*v.Worst)
		s.Worst = &r
	}
	return s
}

// index writes where an element is.
func index(at []int) string {
	if len(at) == 0 {
		return "the value"
	}
	return shape(at)
}

// shape writes a shape or an index.
func shape(n []int) string {
	if len(n) > 16 {
		return tensor.FormatShape(n[:16]) + "…"
	}
	return tensor.FormatShape(n)
}

func took(v *lesson.Verdict) string {
	var words []string
	for _, part := range []struct {
		doing string
		time  time.Duration
	}{{"built in", v.Building}, {"ran for", v.Running}} {
		if part.time > 0 {
			words = append(words, part.doing+" "+seconds(part.time))
		}
	}
	return strings.Join(words, ", ")
}

// seconds writes a duration with two digits that mean something.
func seconds(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d >= time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.0f ms", float64(d)/float64(time.Millisecond))
	}
	return "less than 1 ms"
}

func few(texts []string, most int) []string {
	var out []string
	for _, t := range texts[:min(len(texts), most)] {
		out = append(out, prose(t))
	}
	return out
}

// line is what is one line, prose what may be several.
func line(s string) string {
	return strings.Join(strings.Fields(clean(clip(s, mostLine))), " ")
}
func prose(s string) string { return clean(clip(strings.TrimSpace(s), mostText)) }

// clip shortens a text to a number of bytes.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

// clean replaces what a page cannot show, and what would turn the text around
// it: control characters and those that change the direction of writing.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return -1
		case r < ' ':
			return '␀' + r
		case r == 0x7f:
			return '␡'
		case r >= 0x80 && r < 0xa0, r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
