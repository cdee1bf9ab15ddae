package terminal

import (
	"fmt"
	"path/filepath"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"workbench/lessons/lesson"
	"workbench/lessons/runner"
)

// State is how far an exercise is.
type State string

const (
	Passed  State = "passed"
	Next    State = "next" // the one that the learner is at
	Pending State = "not yet"
)

// Entry is an exercise in the list.
type Entry struct {
	Lesson *lesson.Lesson
	Number int // from 1
	State  State
}

// mark returns what stands for a state, and how it is drawn.
func (s State) mark() (string, lipgloss.Style) {
	switch s {
	case Passed:
		return markPassed, good
	case Next:
		return markNext, next
	}
	return markPending, aside
}

// List draws exercises as a table, and how many of all have passed.
func (l Look) List(shown, all []Entry) string {
	p := l.page()
	if len(shown) == 0 {
		p.prose("", "", "No exercise is like that. "+l.command("list")+" without anything shows all.")
	}
	for _, row := range l.rows(shown) {
		p.line(row)
	}
	passed := 0
	for _, e := range all {
		if e.State == Passed {
			passed++
		}
	}
	p.blank()
	text := fmt.Sprintf("%d of %s passed.", passed, count(len(all), "exercise has", "exercises have"))
	if len(shown) != len(all) && len(shown) > 0 {
		text = fmt.Sprintf("%d of them shown here. ", len(shown)) + text
	}
	p.prose("", "", text+l.legend())
	return p.String()
}

// rows draws a table's lines, the heading first. A narrow terminal has fewer
// columns, and marks without words for the states, which legend explains.
func (l Look) rows(entries []Entry) []string {
	id, title := 2, 5
	for _, e := range entries {
		id = max(id, ansi.StringWidth(e.Lesson.ID))
		title = max(title, ansi.StringWidth(e.Lesson.Title))
	}
	state := 9
	if l.terse() {
		state = 1
	}
	const (
		number  = 3
		chapter = 3
		kind    = 8
	)
	wide := l.Width >= 72 || l.Piped
	room := l.Width - number - 2 - state - 2 - id - 2
	if wide {
		room -= chapter + 2 + kind + 2
	}
	if !l.Piped {
		title = max(min(title, room), 0)
	}
	row := func(n, mark, word string, style lipgloss.Style, name, chapter, kind, text string) string {
		if state > 1 {
			mark = fmt.Sprintf("%s %-7s", mark, word)
		}
		line := fmt.Sprintf("%3s  ", n) + style.Render(mark) + "  " + pad(name, id)
		if wide {
			line += fmt.Sprintf("  %-3s  %-8s", chapter, kind)
		}
		if title >= 8 {
			line += "  " + l.cut(text, title)
		}
		return strings.TrimRight(line, " ")
	}
	if len(entries) == 0 {
		return nil
	}
	rows := []string{row("no.", " ", "state", strong, "ID", "ch.", "kind", "what is to be done")}
	for _, e := range entries {
		mark, style := e.State.mark()
		rows = append(rows, row(fmt.Sprint(e.Number), mark, string(e.State), style, e.Lesson.ID, fmt.Sprint(e.Lesson.Chapter), string(e.Lesson.Kind()), e.Lesson.Title))
	}
	return rows
}

// terse says whether there is no room for the states' words.
func (l Look) terse() bool { return l.Width < 100 && !l.Piped }

// legend explains the marks where they stand alone.
func (l Look) legend() string {
	if !l.terse() {
		return ""
	}
	var words []string
	for _, s := range []State{Passed, Next, Pending} {
		mark, style := s.mark()
		words = append(words, style.Render(mark)+" "+string(s))
	}
	return " " + strings.Join(words, ", ") + "."
}

// pad fills a text with blanks.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(width-ansi.StringWidth(text), 0))
}

// AllPassed says that nothing is left to do.
func (l Look) AllPassed(entries []Entry) string {
	p := l.page()
	p.prose(good.Render(markPassed)+" ", "  ", styled(good, fmt.Sprintf("All %s have passed.", count(len(entries), "exercise", "exercises"))))
	p.blank()
	for _, row := range l.rows(entries) {
		p.line(row)
	}
	p.blank()
	p.prose("", "", l.command("run ID")+" checks one again, "+l.command("check-all")+" all of them, and "+l.command("reset ID")+" hands one out anew.")
	return p.String()
}

// Chosen says how one goes on with an exercise that was chosen in the list.
func (l Look) Chosen(about *lesson.Lesson) string {
	p := l.page()
	p.prose("", "", fmt.Sprintf("%s (%s) is chosen.", about.Title, about.ID))
	p.choices("", [][2]string{{"run " + about.ID, "checks it"}, {"watch " + about.ID, "checks it at every save"}})
	return p.String()
}

// Made says that the learner's files are there now.
func (l Look) Made(dir string, exercises int) string {
	p := l.page()
	p.prose("", "", fmt.Sprintf("Your exercises are in %s now: %s, each in a folder of its own with a README.md that says what to do. Edit them with whatever editor you like. None of them needs a GPU.", l.file(dir, string(filepath.Separator)), count(exercises, "file", "files")))
	p.choices("", [][2]string{{"list", "shows them all"}, {"run ID", "goes to any of them, as this does to the first"}})
	p.blank()
	return p.String()
}

// Phase says what a check is at.
func Phase(p runner.Phase) string {
	text := p.Doing
	if p.Case != "" {
		text += " " + p.Case
	}
	if p.Of > 0 {
		text += fmt.Sprintf(" (%d of %d cases done)", p.Done, p.Of)
	}
	return visible(text)
}

// Matches says whether an exercise has all the words of a search.
func (e Entry) Matches(search string) bool {
	about := strings.ToLower(fmt.Sprintf("%s %s chapter %d %s", e.Lesson.ID, e.Lesson.Title, e.Lesson.Chapter, e.Lesson.Kind()))
	for _, word := range strings.Fields(strings.ToLower(search)) {
		if !strings.Contains(about, word) {
			return false
		}
	}
	return true
}
