package terminal

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"workbench/lessons/lesson"
)

// Standing is an exercise's place in the course, and how far the learner is.
type Standing struct {
	Lesson *lesson.Lesson
	Number int // in the list, from 1
	Of     int

	Passed bool           // it had passed before this
	Left   int            // exercises that have not passed
	Next   *lesson.Lesson // which is next; nil if all passed
	Hints  int            // that were shown

	// Keys says that the file is watched: what is to be done next is saving it and
	// pressing keys, not another command.
	Keys bool
}

// What is shown of a verdict; --json has all of it.
const (
	shownFindings = 3
	shownWrong    = 6
	shownOutput   = 40 // lines
	shownLines    = 60 // of a detail
)

// Head draws which exercise is meant, what it asks for if the statement is not
// empty, and the file that is checked.
func (l Look) Head(s Standing, statement, file string) string {
	p := l.page()
	if statement == "" {
		p.prose("", "", styled(strong, s.Lesson.Title))
	}
	p.prose("", "", styled(aside, fmt.Sprintf("%s: exercise %d of %d, chapter %d, %s", s.Lesson.ID, s.Number, s.Of, s.Lesson.Chapter, s.Lesson.Kind())))
	p.blank()
	if statement != "" {
		p.b.WriteString(l.Statement(statement))
		p.blank()
	}
	p.prose("file    ", "        ", l.file(file, ""))
	return p.String()
}

// Verdict draws what came of a check, and what to do next.
func (l Look) Verdict(v *lesson.Verdict, s Standing) string {
	p := l.page()
	p.prose("device  ", "        ", visible(v.Device))
	if v.Limits != "" {
		p.prose("limits  ", "        ", visible(v.Limits))
	}
	p.blank()
	if untouched(v) { // whatever else is wrong comes of that
		mark, word, style := outcome(v)
		p.prose(style.Render(mark)+" ", "  ", styled(style, word)+": "+lowered(visible(v.Findings[0].Text)))
	} else {
		p.outcome(v)
		p.findings(v)
	}
	p.output(v)
	for _, note := range v.Notes {
		p.blank()
		p.prose("Note: ", "      ", visible(note))
	}
	p.blank()
	p.next(v, s)
	return p.String()
}

// untouched says whether the learner has not begun.
func untouched(v *lesson.Verdict) bool {
	return len(v.Findings) > 0 && v.Findings[0].Kind == lesson.Untouched
}

// outcome is what a verdict comes to in a word.
func outcome(v *lesson.Verdict) (mark, word string, style lipgloss.Style) {
	switch {
	case v.Passed:
		return markPassed, "Passed", good
	case untouched(v):
		return markNext, "Not begun", next
	}
	return markFailed, "Not passed", bad
}

// outcome writes the one line that most people look for.
func (p *page) outcome(v *lesson.Verdict) {
	mark, word, style := outcome(v)
	mark, word = style.Render(mark), styled(style, word)
	var facts []string
	if tally := v.Tally(); tally != "" {
		facts = append(facts, tally)
	}
	if v.Building > 0 {
		facts = append(facts, "built in "+duration(v.Building))
	}
	if v.Running > 0 {
		facts = append(facts, "ran for "+duration(v.Running))
	}
	text := word + "."
	if len(facts) > 0 {
		text = word + ": " + strings.Join(facts, ", ") + "."
	}
	p.prose(mark+" ", "  ", text)
}

// lowered begins a sentence with a small letter, for behind a colon.
func lowered(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToLower(text[:1]) + text[1:]
}

// duration writes a time as a person says it.
func duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "less than 1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// findings writes what is wrong, the first to mend first.
func (p *page) findings(v *lesson.Verdict) {
	if !v.Passed && len(v.Findings) == 0 {
		p.blank()
		p.prose("", "", "It did not pass, and nothing says why. That is a mistake of the course, not yours.")
		return
	}
	for i, f := range v.Findings {
		if i == shownFindings {
			break
		}
		p.blank()
		p.finding(v, f, i+1)
		if f.Kind == lesson.Unanswered && i == 0 {
			return // whatever else there is comes of that
		}
	}
	if rest := v.Findings[min(shownFindings, len(v.Findings)):]; len(rest) > 0 {
		p.blank()
		p.prose("", "", fmt.Sprintf("And %s, to be looked at when these are mended:", count(len(rest), "thing more", "things more")))
		for i, f := range rest {
			if i == 2*shownFindings {
				p.prose("  ", "  ", fmt.Sprintf("… %d in all; %s has every one", len(v.Findings), p.look.command("run "+v.Lesson+" --json")))
				break
			}
			where := ""
			if f.Line > 0 {
				where = fmt.Sprintf(" on line %d", f.Line)
			}
			p.prose("  "+bad.Render(markFailed)+" ", "    ", f.Kind.Title()+where)
		}
	}
}

func (p *page) finding(v *lesson.Verdict, f lesson.Finding, number int) {
	const indent = "   "
	head := styled(strong, f.Kind.Title())
	if f.Line > 0 {
		at := fmt.Sprintf(":%d", f.Line)
		if f.Column > 0 {
			at += fmt.Sprintf(":%d", f.Column)
		}
		head += ", at " + p.look.file(v.File, at)
	}
	p.prose(bad.Render(fmt.Sprintf("%d", number))+"  ", indent, head)
	if f.Case != "" {
		p.prose(indent+"case: ", indent+"      ", visible(f.Case))
	}
	if f.Source != "" && !strings.Contains(f.Detail, strings.TrimSpace(f.Source)) {
		p.source(indent, f)
	}
	text := f.Text
	if strings.TrimSpace(text) == "" && f.Detail == "" && f.Values == nil {
		text = "Nothing more is known about it."
	}
	if strings.TrimSpace(text) != "" {
		p.prose(indent, indent, visible(text))
	}
	if f.Values != nil {
		p.values(indent, f.Values)
	}
	if f.Detail != "" {
		p.blank()
		p.pitch(indent+"  ", strings.TrimRight(someLines(f.Detail, shownLines), "\n"))
	}
	if f.Next != "" {
		if f.Detail != "" || f.Values != nil {
			p.blank()
		}
		p.prose(indent+next.Render("→")+" ", indent+"  ", visible(f.Next))
	}
}

// source writes the line that is to blame, with a caret below the column.
func (p *page) source(indent string, f lesson.Finding) {
	text := []rune(strings.TrimRight(f.Source, " \t\r\n"))
	column := min(max(f.Column-1, 0), len(text))
	before := visible(string(text[:column]))
	caret := -1
	if f.Column > 0 {
		caret = ansi.StringWidth(before)
	}
	p.pointed(indent, fmt.Sprintf("%5d", f.Line), before+visible(string(text[column:])), caret)
}

// pointed writes a line of source behind its number, and a caret below a column
// of it, if that is not negative. Of a line that is too long the part around the
// column is shown.
func (p *page) pointed(indent, number, text string, caret int) {
	room := p.look.Width - ansi.StringWidth(indent+number) - len(" | ")
	if drop := caret - room*2/3; !p.look.Piped && ansi.StringWidth(text) > room && drop > 0 {
		text = "…" + ansi.TruncateLeft(text, drop+1, "")
		caret -= drop
	}
	p.b.WriteString(indent + aside.Render(number+" | ") + p.look.cut(text, room) + "\n")
	if caret >= 0 {
		p.b.WriteString(indent + aside.Render(pad("", ansi.StringWidth(number))+" | ") + strings.Repeat(" ", caret) + bad.Render("^") + "\n")
	}
}

// values writes the first wrong elements as a table.
func (p *page) values(indent string, v *lesson.Values) {
	p.blank()
	if v.Count != 1 { // of one value the table says it
		what := v.Array
		if len(v.Shape) > 0 {
			what += ", " + shape(v.Shape)
		}
		p.prose(indent, indent, visible(fmt.Sprintf("%s: %d of %s wrong", what, v.Wrong, count(v.Count, "element is", "elements are"))))
	}
	if v.Within != "" && v.Within != "equal" {
		p.prose(indent, indent, visible("allowed: "+v.Within))
	}
	rows := [][]string{{"at", "expected", "yours"}}
	for i, w := range v.First {
		if i == shownWrong {
			break
		}
		rows = append(rows, []string{index(w.At), w.Expected, w.Actual})
	}
	if left := v.Wrong - (len(rows) - 1); left > 0 && len(rows) > 1 {
		rows = append(rows, []string{"…"})
	}
	if w := v.Worst; w != nil && v.Wrong > 1 {
		rows = append(rows, []string{"worst " + index(w.At), w.Expected, w.Actual})
	}
	widths := make([]int, 3)
	for _, row := range rows {
		for i, cell := range row {
			row[i] = visible(cell)
			widths[i] = max(widths[i], ansi.StringWidth(row[i]))
		}
	}
	for i, row := range rows {
		line := indent + "  "
		for k, cell := range row {
			gap := strings.Repeat(" ", widths[k]-ansi.StringWidth(cell))
			switch {
			case k == 0:
				line += cell + gap
			case i == 0:
				line += "  " + gap + cell
			case k == 1:
				line += "  " + gap + styled(good, cell)
			default:
				line += "  " + gap + styled(bad, cell)
			}
		}
		p.line(strings.TrimRight(line, " "))
	}
}

// shape writes 3×4.
func shape(extents []int) string {
	words := make([]string, len(extents))
	for i, n := range extents {
		words[i] = fmt.Sprint(n)
	}
	if len(words) == 1 {
		return words[0] + " long"
	}
	return strings.Join(words, "×")
}

// index writes [1, 2].
func index(at []int) string {
	if len(at) == 0 {
		return "the value"
	}
	return strings.ReplaceAll(fmt.Sprint(at), " ", ", ")
}

// output writes what the learner's program printed.
func (p *page) output(v *lesson.Verdict) {
	if v.Output == "" {
		return
	}
	p.blank()
	p.prose("", "", "Your program printed:")
	bar := aside.Render("│") + " "
	for line := range strings.Lines(someLines(onceEach(v.Output), shownOutput)) {
		line = strings.TrimRight(visible(line), "\n")
		for _, part := range strings.Split(ansi.Hardwrap(line, p.look.Width-2, true), "\n") {
			p.b.WriteString(bar + part + "\n")
		}
	}
	if v.Cut {
		p.prose("", "", "What came behind that was not kept: it is more than a program may print.")
	}
}

// onceEach says how often a line follows itself, where that is often: what an
// endless loop prints.
func onceEach(text string) string {
	const often = 4
	var b strings.Builder
	lines := strings.SplitAfter(text, "\n")
	for i := 0; i < len(lines); {
		same := 1
		for i+same < len(lines) && lines[i+same] == lines[i] {
			same++
		}
		if same >= often {
			fmt.Fprintf(&b, "%s… and %d times more\n", lines[i], same-1)
		} else {
			b.WriteString(strings.Repeat(lines[i], same))
		}
		i += same
	}
	return b.String()
}

// someLines returns a text's first and last lines, if it has more than most.
func someLines(text string, most int) string {
	lines := strings.SplitAfter(strings.TrimRight(text, "\n"), "\n")
	if len(lines) <= most {
		return text
	}
	last := most / 4
	first := most - last - 1
	return strings.Join(lines[:first], "") +
		fmt.Sprintf("… %d lines more …\n", len(lines)-first-last) +
		strings.Join(lines[len(lines)-last:], "") + "\n"
}

// next writes what is to be done now.
func (p *page) next(v *lesson.Verdict, s Standing) {
	l := p.look
	if !v.Passed {
		if s.Passed {
			p.prose("", "", "This exercise passed before, and stays passed.")
		}
		p.prose(next.Render("Next:")+" ", "      ", l.mend(v, s.Keys))
		if s.Keys {
			return
		}
		name := " " + v.Lesson
		if s.Next != nil && s.Next.ID == v.Lesson {
			name = "" // it is what is meant where no name is given
		}
		more := "a hint"
		if s.Hints > 0 {
			more = "a stronger hint"
		}
		p.choices("      ", [][2]string{{"hint" + name, "gives " + more}, {"watch" + name, "checks at every save"}})
		return
	}
	if s.Keys {
		text := fmt.Sprintf("nothing is left: all %s have passed.", count(s.Of, "exercise", "exercises"))
		if s.Next != nil {
			text = "press n to go on with " + s.nextName() + "."
		}
		p.prose(next.Render("Next:")+" ", "      ", text)
		return
	}
	if s.Next == nil {
		p.prose("", "", fmt.Sprintf("All %s have passed.", count(s.Of, "exercise", "exercises")))
		p.choices("", [][2]string{{"solution " + v.Lesson, "shows how the course does it"}, {"list", "shows them all"}})
		return
	}
	p.prose(next.Render("Next:")+" ", "      ", s.nextName())
	p.choices("      ", [][2]string{{"run", "goes on with it"}, {"solution " + v.Lesson, "shows how the course does it"}})
}

// nextName names the exercise that is next.
func (s Standing) nextName() string { return fmt.Sprintf("%s (%s)", s.Next.Title, s.Next.ID) }

// mend says which line of which file to change.
func (l Look) mend(v *lesson.Verdict, watched bool) string {
	again := " and run this again."
	if watched {
		again = " and save it."
	}
	for _, f := range v.Findings {
		switch f.Kind {
		case lesson.Untouched:
			return "open " + l.file(v.File, "") + ", write your part between the two marks," + again
		case lesson.Unanswered:
			return "write your answer into " + l.file(v.File, "") + again
		}
		if f.Line > 0 {
			return fmt.Sprintf("mend line %d of %s", f.Line, l.file(v.File, "")) + again
		}
	}
	return "mend " + l.file(v.File, "") + again
}
