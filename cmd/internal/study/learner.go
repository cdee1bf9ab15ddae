// Package study is a learner at work: how far they are, the exercise that they
// are at, and what happens when they save its file or press a key.
//
// A Session has no screen. What happens comes in as events, one at a time: a save,
// a verdict, a key. What a person sees of it is drawn by Screen on a terminal, and
// by Lines where there is none.
package study

import (
	"errors"
	"io/fs"
	"os"

	"workbench/cmd/internal/terminal"
	"workbench/lessons/lesson"
	"workbench/lessons/runner"
)

// Learner is the course as one learner stands in it. Progress is as it was at the
// last Refresh.
type Learner struct {
	*runner.Course
	Far  *lesson.Progress
	Made bool // the learner's folder was made just now
}

// Open opens the learner's folder, and makes what it lacks.
func Open(c *runner.Course) (*Learner, error) {
	_, err := os.Stat(c.Dir)
	l := &Learner{Course: c, Made: errors.Is(err, fs.ErrNotExist)}
	if err := c.Prepare(); err != nil {
		return nil, err
	}
	return l, l.Refresh()
}

// Refresh reads how far the learner is.
func (l *Learner) Refresh() error {
	p, err := l.Progress()
	if err == nil {
		l.Far = p
	}
	return err
}

// Named returns the exercise of a name, or the current one where there is none;
// nil is that all have passed.
func (l *Learner) Named(name string) (*lesson.Lesson, error) {
	if name == "" {
		return l.Current(l.Far), nil
	}
	return l.Find(name)
}

// Passed says whether an exercise passed, now or once.
func (l *Learner) Passed(about *lesson.Lesson) bool {
	_, ok := l.Far.Passed[about.ID]
	return ok
}

// Standing returns an exercise's place in the course.
func (l *Learner) Standing(about *lesson.Lesson) terminal.Standing {
	s := terminal.Standing{
		Lesson: about, Number: l.Number(about), Of: len(l.Lessons),
		Passed: l.Passed(about), Next: l.Current(l.Far), Hints: l.Far.Hints[about.ID],
	}
	for i := range l.Lessons {
		if !l.Passed(&l.Lessons[i]) {
			s.Left++
		}
	}
	return s
}

// Entries are the exercises as a list shows them.
func (l *Learner) Entries() []terminal.Entry {
	current := l.Current(l.Far)
	entries := make([]terminal.Entry, len(l.Lessons))
	for i := range l.Lessons {
		about := &l.Lessons[i]
		state := terminal.Pending
		switch {
		case l.Passed(about):
			state = terminal.Passed
		case about == current:
			state = terminal.Next
		}
		entries[i] = terminal.Entry{Lesson: about, Number: i + 1, State: state}
	}
	return entries
}

// Keep takes down a verdict and how far the learner is then. Standing is the
// exercise's, with Passed from before.
func (l *Learner) Keep(v *lesson.Verdict, about *lesson.Lesson) (terminal.Standing, error) {
	before := l.Passed(about)
	if _, err := l.Course.Keep(v); err != nil {
		return terminal.Standing{}, err
	}
	if err := l.Refresh(); err != nil {
		return terminal.Standing{}, err
	}
	s := l.Standing(about)
	s.Passed = before
	return s, nil
}

// Met says whether the learner has met an exercise before.
func (l *Learner) Met(about *lesson.Lesson) (bool, error) {
	last, err := l.Last(about)
	return last != nil || l.Passed(about), err
}
