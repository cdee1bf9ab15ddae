package terminal

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"workbench/lessons/lesson"
)

// CellState is what is known of an exercise while all are checked.
type CellState string

const (
	Waiting CellState = "waiting"
	Running CellState = "running"
	Passing CellState = "passed"
	Failing CellState = "not passed"
	Unbegun CellState = "not begun"
	Broken  CellState = "could not be checked"
)

// Cell is one exercise of a check of all.
type Cell struct {
	Lesson *lesson.Lesson
	Number int // from 1
	State  CellState

	Verdict *lesson.Verdict // of one that passes or fails
	Before  bool            // it had passed before
	Trouble error           // of one that could not be checked
}

func (s CellState) mark() (string, lipgloss.Style) {
	switch s {
	case Passing:
		return markPassed, good
	case Failing:
		return markFailed, bad
	case Unbegun:
		return "–", aside
	case Running:
		return markRunning, place
	case Broken:
		return "!", bad
	}
	return markPending, aside
}

// Grid draws every exercise of a check of all as its number with a mark.
func (l Look) Grid(cells []Cell) string {
	p := l.page()
	const cell = 6
	across := max(min(l.Width, proseWidth)/cell, 1)
	line := ""
	for i, c := range cells {
		mark, style := c.State.mark()
		line += style.Render(fmt.Sprintf("%3d %s", c.Number, mark)) + " "
		if (i+1)%across == 0 || i == len(cells)-1 {
			p.b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = ""
		}
	}
	counts := map[CellState]int{}
	for _, c := range cells {
		counts[c.State]++
	}
	var words []string
	for _, state := range []CellState{Passing, Failing, Broken, Unbegun, Running, Waiting} {
		if n := counts[state]; n > 0 {
			mark, style := state.mark()
			words = append(words, styled(style, fmt.Sprintf("%s %d %s", mark, n, state)))
		}
	}
	p.blank()
	p.prose("", "", strings.Join(words, ", "))
	return p.String()
}

// CellLine draws an exercise of a check of all as a line.
func (l Look) CellLine(c Cell) string {
	p := l.page()
	mark, style := c.State.mark()
	lead := style.Render(fmt.Sprintf("%s %3d", mark, c.Number)) + "  "
	text := c.Lesson.ID
	switch {
	case c.Trouble != nil:
		text += ": " + visible(c.Trouble.Error())
	case c.State == Passing && !c.Before:
		text += ": passed for the first time"
	case c.State == Failing:
		text += ": " + reason(c.Verdict)
	default:
		text += ": " + string(c.State)
	}
	if c.Before && (c.State == Failing || c.State == Unbegun) {
		text += "; it passed before, and stays passed"
	}
	p.prose(lead, "       ", text)
	return p.String()
}

// StateOf is how an exercise stands by a verdict.
func StateOf(v *lesson.Verdict) CellState {
	switch {
	case v.Passed:
		return Passing
	case untouched(v):
		return Unbegun
	}
	return Failing
}

// reason says in a few words why an exercise did not pass.
func reason(v *lesson.Verdict) string {
	if len(v.Findings) == 0 {
		return "it did not pass, and nothing says why"
	}
	f := v.Findings[0]
	text := lowered(f.Kind.Title())
	if f.Line > 0 {
		text += fmt.Sprintf(", line %d", f.Line)
	}
	return text
}

// Summary draws what came of a check of all: what is not as it should be, and
// what is new.
func (l Look) Summary(cells []Cell) string {
	p := l.page()
	passing, fresh, stay, unbegun, done := 0, 0, 0, 0, 0
	var first *Cell // to look at
	for i, c := range cells {
		if c.State != Waiting && c.State != Running {
			done++
		}
		switch c.State {
		case Passing:
			passing++
			if !c.Before {
				fresh++
			}
			continue
		case Failing, Broken:
			if first == nil || first.State == Unbegun {
				first = &cells[i]
			}
		case Unbegun:
			unbegun++
			if first == nil {
				first = &cells[i]
			}
		}
		if c.Before && (c.State == Failing || c.State == Unbegun) {
			stay++
		}
	}
	if done < len(cells) {
		p.prose("", "", fmt.Sprintf("Ended after %d of %s; what was found until then is kept.", done, count(len(cells), "exercise", "exercises")))
	}
	mark := bad.Render(markFailed)
	if passing == len(cells) {
		mark = good.Render(markPassed)
	}
	text := fmt.Sprintf("%d of %s", passing, count(len(cells), "exercise passes", "exercises pass"))
	if fresh > 0 {
		text += fmt.Sprintf(", %d of them for the first time", fresh)
	}
	if unbegun > 0 {
		text += "; " + count(unbegun, "is not begun", "are not begun")
	}
	p.prose(mark+" ", "  ", text+".")
	if stay > 0 {
		p.prose("  ", "  ", fmt.Sprintf("%s passed before and not now. What has passed stays passed.", count(stay, "exercise", "exercises")))
	}
	if first != nil {
		p.choices("  ", [][2]string{{"run " + first.Lesson.ID, "says more about the first of the others"}})
	}
	return p.String()
}
