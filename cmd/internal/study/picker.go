package study

import (
	"context"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"

	"workbench/cmd/internal/terminal"
	"workbench/lessons/lesson"
)

// Pick shows the list of exercises on a terminal, to look around in, and returns
// the one that was chosen, or nil.
func Pick(ctx context.Context, l *Learner, look terminal.Look, in io.Reader, out io.Writer) (*lesson.Lesson, error) {
	m := &picker{learner: l, look: look, list: newChooser(l.Entries(), l.Far.At)}
	err := run(ctx, program(m, look, in, out))
	return m.picked, err
}

// picker is the list by itself.
type picker struct {
	learner *Learner
	look    terminal.Look
	list    *chooser
	height  int

	asked  *lesson.Lesson // whether it is to be handed out again
	said   string         // what came of that
	picked *lesson.Lesson
}

func (m *picker) Init() tea.Cmd { return nil }

func (m *picker) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.look.Width, m.height = max(msg.Width, 20), msg.Height
	case tea.KeyPressMsg:
		key := msg.String()
		m.said = ""
		switch {
		case key == "ctrl+c":
			return m, tea.Quit
		case m.asked != nil:
			m.answer(key)
			return m, nil
		}
		l := m.list.chosen()
		switch m.list.key(key) {
		case "choose":
			m.picked = l
			return m, tea.Quit
		case "back":
			return m, tea.Quit
		case "reset":
			m.asked = l
		}
	}
	return m, nil
}

// answer takes a key as a yes or a no.
func (m *picker) answer(key string) {
	l := m.asked
	m.asked = nil
	if !strings.EqualFold(key, "y") {
		m.said = m.look.Sentence("Nothing was done.")
		return
	}
	backup, err := m.learner.Reset(l)
	if err != nil {
		m.said = m.look.Trouble(err)
		return
	}
	m.said = m.look.Reset(m.learner.Path(l), backup)
}

func (m *picker) View() tea.View {
	foot := m.look.ChooserKeys()
	if m.asked != nil {
		foot = m.look.Ask(againText(m.learner, m.asked))
	}
	foot = m.said + foot
	room := max(m.height-lines(foot)-1, 1)
	body := strings.TrimRight(m.list.view(m.look, room), "\n")
	body += strings.Repeat("\n", max(room-lines(body), 1))
	v := tea.NewView(body + m.look.Rule("") + strings.TrimRight(foot, "\n"))
	v.AltScreen = true
	return v
}

// againText asks whether an exercise is to be handed out again.
func againText(learner *Learner, l *lesson.Lesson) string {
	return "Hand " + learner.Path(l) + " out again? What you wrote is kept beside it."
}
