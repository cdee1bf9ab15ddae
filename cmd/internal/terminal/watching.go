package terminal

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"workbench/lessons/lesson"
)

// Sentence draws one.
func (l Look) Sentence(text string) string {
	p := l.page()
	p.prose("", "", visible(text))
	return p.String()
}

// Ask draws a question that y or n answers.
func (l Look) Ask(text string) string {
	p := l.page()
	p.prose(next.Render("?")+" ", "  ", visible(text)+" "+styled(strong, "y or n"))
	return p.String()
}

// Trouble draws an error.
func (l Look) Trouble(err error) string {
	p := l.page()
	p.prose(bad.Render(markFailed)+" ", "  ", visible(err.Error()))
	return p.String()
}

// Watching says by what saves are noticed.
func (l Look) Watching(notices bool) string {
	p := l.page()
	text := "Every save is checked: the system tells of it at once."
	if !notices {
		text = "Every save is checked: the file is looked at 5 times a second, because the system does not tell of saves here."
	}
	p.prose("", "", styled(aside, text))
	return p.String()
}

// Checked says what came of the last check, and when it was.
func (l Look) Checked(v *lesson.Verdict) string {
	p := l.page()
	mark, word, style := outcome(v)
	p.line(style.Render(mark+" "+word) + aside.Render(v.When.Format(", checked at 15:04:05.")))
	return p.String()
}

// Checking says what a check is at.
func (l Look) Checking(what string) string {
	p := l.page()
	p.line(styled(place, markRunning+" "+what))
	return p.String()
}

// keys are what can be pressed while a file is watched.
var keys = [][3]string{
	{"n", "next", "go to the next exercise, once this one has passed"},
	{"h", "hint", "the next stronger hint"},
	{"t", "text", "what the exercise asks for"},
	{"r", "run", "check again, without a save"},
	{"l", "list", "all exercises: to look around, and to go to another"},
	{"x", "reset", "hand the file out again; what you wrote is kept"},
	{"s", "solution", "how the course does it, once you have passed"},
	{"a", "all", "check all exercises"},
	{"?", "keys", "this list"},
	{"q", "end", "quit; what you wrote and what has passed is kept"},
}

// Keys draws all keys with what they do.
func (l Look) Keys() string {
	p := l.page()
	for _, k := range keys {
		p.prose(styled(place, k[0])+"  ", "   ", k[2])
	}
	p.prose(styled(place, "↑")+" "+styled(place, "↓")+"  ", "   ", "scroll, as do page up and page down")
	return p.String()
}

// KeyLine draws all keys in as few lines as they take. Next stands out once there
// is one to go to.
func (l Look) KeyLine(passed bool) string {
	p := l.page()
	var words []string
	for _, k := range keys {
		style := aside
		if k[0] == "n" && passed {
			style = next
		}
		words = append(words, place.Render(k[0])+" "+style.Render(k[1]))
	}
	p.items(words)
	return p.String()
}

// Rule draws a line from one side to the other, with a word in it.
func (l Look) Rule(word string) string {
	if word != "" {
		word = " " + word + " "
	}
	return aside.Render(ansi.Truncate("──"+word+strings.Repeat("─", l.Width), l.Width, "")) + "\n"
}

// Chooser draws a list of which one is pointed at, in a number of lines.
func (l Look) Chooser(shown, all []Entry, at, height int, filter string) string {
	p := l.page()
	passed := 0
	for _, e := range all {
		if e.State == Passed {
			passed++
		}
	}
	if filter != "" {
		filter = "; shown are those " + filter
	}
	p.prose("", "", visible(fmt.Sprintf("%d of %s passed%s.", passed, count(len(all), "exercise has", "exercises have"), filter))+l.legend())
	rows := l.rows(shown)
	if len(rows) == 0 {
		p.prose("", "", "No exercise is like that.")
		return p.String()
	}
	p.line("  " + rows[0])
	rows = rows[1:]
	full := l.page() // the title of the one that is pointed at, which may be cut off above
	full.prose("   ", "   ", shown[at].Lesson.Title)
	room := max(height-strings.Count(p.String(), "\n")-strings.Count(full.String(), "\n")-1, 1)
	from := 0
	if len(rows) > room {
		from = min(max(at-room/2, 0), len(rows)-room)
	}
	for i := from; i < min(from+room, len(rows)); i++ {
		if i == at {
			p.line(next.Render(">") + " " + strong.Render(ansi.Strip(rows[i])))
		} else {
			p.line("  " + rows[i])
		}
	}
	p.blank()
	return p.String() + full.String()
}

// ChooserKeys draws what can be pressed in the list.
func (l Look) ChooserKeys() string {
	p := l.page()
	var words []string
	for _, k := range [][2]string{{"j", "down"}, {"k", "up"}, {"g", "first"}, {"G", "last"}, {"/", "search"}, {"p", "not passed"}, {"d", "passed"}, {"enter", "go to it"}, {"r", "reset"}, {"q", "back"}} {
		words = append(words, place.Render(k[0])+" "+aside.Render(k[1]))
	}
	p.items(words)
	return p.String()
}

// Parting says where a learner who quits goes on.
func (l Look) Parting(s Standing) string {
	p := l.page()
	switch {
	case s.Next == nil:
		p.prose("", "", fmt.Sprintf("All %s have passed.", count(s.Of, "exercise", "exercises")))
	case s.Passed:
		p.prose("", "", fmt.Sprintf("%s has passed. %s goes on with %s.", s.Lesson.ID, l.command("watch"), s.nextName()))
	default:
		p.prose("", "", fmt.Sprintf("%s has not passed yet. %s goes on with it.", s.Lesson.ID, l.command("watch")))
	}
	return p.String()
}
