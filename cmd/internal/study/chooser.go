package study

import (
	"strings"
	"unicode/utf8"

	"workbench/cmd/internal/terminal"
	"workbench/lessons/lesson"
)

// chooser is the list in which one goes up and down.
type chooser struct {
	all    []terminal.Entry
	at     int // in shown
	state  terminal.State
	search string
	typing bool // the search
}

func newChooser(all []terminal.Entry, id string) *chooser {
	c := &chooser{all: all}
	for i, e := range all {
		if e.Lesson.ID == id {
			c.at = i
		}
	}
	return c
}

// shown are the exercises that the filter and the search leave.
func (c *chooser) shown() []terminal.Entry {
	var out []terminal.Entry
	for _, e := range c.all {
		passed := e.State == terminal.Passed
		if c.state == terminal.Passed && !passed || c.state == terminal.Pending && passed || !e.Matches(c.search) {
			continue
		}
		out = append(out, e)
	}
	return out
}

// chosen is the exercise that is pointed at, or nil.
func (c *chooser) chosen() *lesson.Lesson {
	shown := c.shown()
	if c.at >= len(shown) {
		return nil
	}
	return shown[c.at].Lesson
}

// filter shows those of one state, or all again, and stays at its exercise if
// that is still there.
func (c *chooser) filter(change func()) {
	was := c.chosen()
	change()
	c.at = 0
	for i, e := range c.shown() {
		if was != nil && e.Lesson.ID == was.ID {
			c.at = i
		}
	}
}

// key takes a key and says what it asks for: "choose", "reset", "back" or
// nothing.
func (c *chooser) key(key string) string {
	if c.typing {
		switch {
		case key == "enter":
			c.typing = false
		case key == "esc":
			c.typing = false
			c.filter(func() { c.search = "" })
		case key == "backspace":
			c.filter(func() {
				_, size := utf8.DecodeLastRuneInString(c.search)
				c.search = c.search[:len(c.search)-size]
			})
		case key == "space":
			c.filter(func() { c.search += " " })
		case utf8.RuneCountInString(key) == 1 && len(c.search) < 40:
			c.filter(func() { c.search += key })
		}
		return ""
	}
	toggle := func(state terminal.State) {
		c.filter(func() {
			if c.state == state {
				state = ""
			}
			c.state = state
		})
	}
	last := max(len(c.shown())-1, 0)
	switch key {
	case "j", "down":
		c.at = min(c.at+1, last)
	case "k", "up":
		c.at = max(c.at-1, 0)
	case "pgdown":
		c.at = min(c.at+10, last)
	case "pgup":
		c.at = max(c.at-10, 0)
	case "g", "home":
		c.at = 0
	case "G", "end":
		c.at = last
	case "p":
		toggle(terminal.Pending)
	case "d":
		toggle(terminal.Passed)
	case "/":
		c.typing = true
	case "enter", "c":
		if c.chosen() != nil {
			return "choose"
		}
	case "r":
		if c.chosen() != nil {
			return "reset"
		}
	case "esc", "q", "l":
		if c.search != "" && key == "esc" {
			c.filter(func() { c.search = "" })
			return ""
		}
		return "back"
	}
	return ""
}

// view draws the list in a number of lines.
func (c *chooser) view(look terminal.Look, height int) string {
	filter := []string{}
	if c.state != "" {
		filter = append(filter, map[terminal.State]string{terminal.Passed: "that have passed", terminal.Pending: "that have not passed"}[c.state])
	}
	if c.search != "" || c.typing {
		cursor := ""
		if c.typing {
			cursor = "▏"
		}
		filter = append(filter, "with: "+c.search+cursor)
	}
	return look.Chooser(c.shown(), c.all, c.at, height, strings.Join(filter, ", "))
}

// choose takes a key while the list is open.
func (s *Session) choose(key string) error {
	switch l := s.list.chosen(); s.list.key(key) {
	case "choose":
		return s.open(l)
	case "reset":
		s.askFor(againText(s.Learner, l), func() error { s.list = nil; return s.reset(l) })
	case "back":
		s.list = nil
	}
	return nil
}
