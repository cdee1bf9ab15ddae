package study

import (
	"context"
	"fmt"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"

	"workbench/cmd/internal/terminal"
	"workbench/lessons/lesson"
)

// Screen watches an exercise on a terminal, until the learner quits or ctx is
// done. The terminal is then as it was.
func Screen(ctx context.Context, s *Session, l *lesson.Lesson, in io.Reader, out io.Writer) error {
	m := &screen{session: s}
	p := program(m, s.Look, in, out)
	s.Post = func(e Event) { p.Send(posted{e}) }
	if err := s.Start(ctx, l); err != nil {
		return err
	}
	err := run(ctx, p)
	s.Close()
	if m.err != nil {
		return m.err
	}
	return err
}

// program is what draws a model on a terminal, without handling signals.
func program(m tea.Model, look terminal.Look, in io.Reader, out io.Writer) *tea.Program {
	return tea.NewProgram(m,
		tea.WithInput(in), tea.WithOutput(out),
		tea.WithColorProfile(look.Profile), tea.WithoutSignalHandler())
}

// run draws until the program quits or ctx is done, which a signal does and which
// is no error. The program is then asked to quit and not given ctx: of a context
// it is killed, and closes the terminal while it is still being read.
func run(ctx context.Context, p *tea.Program) error {
	defer context.AfterFunc(ctx, p.Quit)()
	_, err := p.Run()
	return err
}

// posted is an event that came through the program's queue.
type posted struct{ event Event }

// screen is a session as it is drawn.
type screen struct {
	session *Session
	height  int
	from    int // the first line of the body that is shown
	shown   string
	err     error
}

func (m *screen) Init() tea.Cmd { return nil }

func (m *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	s := m.session
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.resize(max(msg.Width, 20))
		m.height = msg.Height
	case posted:
		m.err = s.Handle(msg.event)
	case tea.KeyPressMsg:
		key := msg.String()
		if key == "ctrl+z" && canSuspend() {
			return m, tea.Suspend
		}
		if !m.scroll(key) {
			m.err = s.Key(key)
		}
	}
	if m.err != nil || s.Quitting() {
		return m, tea.Quit
	}
	return m, nil
}

// scroll moves the body, if that is what a key is for now.
func (m *screen) scroll(key string) bool {
	if m.session.list != nil {
		return false
	}
	page := max(m.height/2, 1)
	switch key {
	case "down", "j":
		m.from++
	case "up", "k":
		m.from--
	case "pgdown", "space":
		m.from += page
	case "pgup":
		m.from -= page
	case "home", "g":
		m.from = 0
	case "end", "G":
		m.from = 1 << 20
	default:
		return false
	}
	return true
}

// View draws the session in the terminal's height: what is watched, what came of
// it, and what can be pressed. Only the middle gives way.
func (m *screen) View() tea.View {
	v := tea.NewView(m.text())
	v.AltScreen = true
	return v
}

func (m *screen) text() string {
	s := m.session
	if s.lesson == nil || m.height == 0 {
		return ""
	}
	head, foot := s.head(), s.foot()
	room := max(m.height-lines(head)-lines(foot)-1, 1)
	body := s.body(room)
	if body != m.shown { // something else is shown, from its beginning
		m.shown, m.from = body, 0
	}
	all := strings.Split(strings.TrimRight(body, "\n"), "\n")
	m.from = max(min(m.from, len(all)-room), 0)
	shown := all[m.from:min(m.from+room, len(all))]
	for len(shown) < room {
		shown = append(shown, "")
	}
	more := ""
	if below := len(all) - m.from - room; below > 0 {
		more = fmt.Sprintf("↓ %d more", below)
	}
	if m.from > 0 {
		more = strings.TrimSpace(fmt.Sprintf("↑ %d more  %s", m.from, more))
	}
	return head + strings.Join(shown, "\n") + "\n" + s.Look.Rule(more) + strings.TrimRight(foot, "\n")
}

// lines counts a text's.
func lines(text string) int { return strings.Count(text, "\n") }

// resize draws for another width.
func (s *Session) resize(width int) { s.Look.Width = width }

// head is what is watched.
func (s *Session) head() string {
	if s.list != nil || s.all != nil {
		return ""
	}
	return s.Look.Head(s.standing, "", s.Learner.Path(s.lesson))
}

// body is what came of it.
func (s *Session) body(height int) string {
	switch {
	case s.list != nil:
		return s.list.view(s.Look, height)
	case s.all != nil:
		text := s.Look.Grid(s.all.cells)
		for _, c := range s.all.cells {
			if c.State == terminal.Failing || c.State == terminal.Broken {
				text += s.Look.CellLine(c)
			}
		}
		if s.all.done {
			text += "\n" + s.Look.Summary(s.all.cells)
		}
		return text
	}
	text := ""
	if s.verdict != nil {
		text = s.Look.Verdict(s.verdict, s.inside())
	}
	if s.report != "" {
		text += "\n" + s.report
	}
	if s.failed != nil {
		text = "\n" + s.Look.Trouble(s.failed)
	}
	if panel := s.panel(); panel != "" {
		text = "\n" + panel + "\n" + text
	}
	return text
}

// foot is what goes on, and what can be pressed.
func (s *Session) foot() string {
	switch {
	case s.ask != nil:
		return s.Look.Ask(s.ask.text)
	case s.list != nil:
		return s.Look.ChooserKeys()
	case s.all != nil && s.all.done:
		return s.Look.Sentence("q goes back to " + s.lesson.ID + ".")
	case s.all != nil:
		return s.Look.Sentence("Checking all exercises; q ends that and goes back.")
	}
	state := ""
	switch {
	case s.running:
		what := terminal.Phase(s.phase)
		if what == "" {
			what = "checking"
		}
		state = s.Look.Checking(what)
	case s.verdict != nil:
		state = s.Look.Checked(s.verdict)
	}
	if s.by != "" {
		state += s.Look.Watching(s.by == "notices")
	}
	return state + s.Look.KeyLine(s.Learner.Passed(s.lesson))
}
