package exercise

import (
	"fmt"
	"html/template"
	"strconv"
	"time"

	"workbench/lessons/lesson"
)

// A Book is the exercises, and how far a learner is with them.
type Book struct {
	Version string // other contents have another one
	Command string // that checks the next exercise: "./course run"

	Folder  string // where the learner works
	Begun   bool   // it is there
	Problem string // why it is not known what passed, with the way out; "" if it is
	Strange int    // lines of the progress that nobody understands

	Entries []*Entry // in order
	Groups  []*Group // of them, those of one chapter each
	Passed  int
	Next    *Entry // nil if all passed, or nobody knows
}

// Of is how many exercises there are.
func (b *Book) Of() int { return len(b.Entries) }

// Group is the exercises of one chapter.
type Group struct {
	Version string // what its chapter's page shows is another with another one
	Chapter int
	Entries []*Entry // all of them, or those that a Filter chose
	Passed  int      // of all
	Of      int      // how many there are in all
	Known   bool     // whether anything is known of what passed
}

// Group returns the exercises of a chapter, or nil if it has none.
func (b *Book) Group(chapter int) *Group {
	if b == nil {
		return nil
	}
	for _, g := range b.Groups {
		if g.Chapter == chapter {
			return g
		}
	}
	return nil
}

// Versions are those of the groups by their chapters, and of the whole book by "".
func (b *Book) Versions() map[string]string {
	if b == nil {
		return nil
	}
	versions := map[string]string{"": b.Version}
	for _, g := range b.Groups {
		versions[strconv.Itoa(g.Chapter)] = g.Version
	}
	return versions
}

// Entry is one exercise.
type Entry struct {
	Number    int // from 1
	ID, Title string
	Kind      lesson.Kind
	Chapter   int
	Command   string        // that checks it: "./course run guard"
	Statement template.HTML // what is to be done

	State  State
	Next   bool  // it is the one to go on with
	Passed *Pass // when and where it passed first; nil if it did not

	File    string   // the learner's
	Result  string   // the file that the verdict is from
	Verdict *Verdict // the last; nil if it was never checked
	Problem string   // why the last verdict cannot be shown, with the way out
}

// State is how an exercise stands.
type State string

const (
	Passed  State = "passed"
	Open    State = "open"
	Unknown State = "unknown" // the progress cannot be read
)

// Pass is that an exercise passed.
type Pass struct {
	When time.Time
	On   string
}

// Words says the state as a list shows it.
func (e *Entry) Words() string {
	switch {
	case e.State == Passed:
		return "Passed"
	case e.State == Unknown:
		return "Not known"
	case e.Next:
		return "Next"
	}
	return "Not passed yet"
}

// Failing says whether the last check found something wrong.
func (e *Entry) Failing() bool { return e.Verdict != nil && !e.Verdict.Passed }

// Changed says whether the learner's file was changed since the last check.
func (e *Entry) Changed() bool { return e.Verdict != nil && e.Verdict.Changed != nil }

// Say is what a screen reader says when something about the exercise is new.
func (e *Entry) Say() string {
	about := fmt.Sprintf("Exercise %d, %s: ", e.Number, e.Title)
	v := e.Verdict
	switch {
	case e.Problem != "":
		return about + "the last verdict cannot be read."
	case v == nil && e.State == Passed:
		return about + "passed."
	case v == nil:
		return about + "not checked yet."
	case v.Changed != nil:
		return about + "the file was changed since it was checked."
	case v.Passed:
		return about + "passed."
	case len(v.Findings) > 0:
		return about + "not passed. " + clip(v.Findings[0].Text, 200)
	}
	return about + "not passed."
}
