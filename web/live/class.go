package live

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"workbench/web/run"
)

// Bounds of what a class says.
const (
	mostQuestions = 100 // that are open; older ones make place
	questionRunes = 280
	mostAtOnce    = 20   // questions of all in the time between two of one
	mostReporters = 2000 // of passes of one exercise
)

// class is what those say who follow, without their names.
type class struct {
	asked     int                  // of all questions ever
	latest    []time.Time          // when the last were asked
	askers    map[digest]time.Time // and by whom
	questions []Question
	passes    map[string]map[digest]bool // exercise → who passed it
}

// classView is called with mu held.
func (r *Room) classView() *ClassView {
	v := &ClassView{Questions: slices.Clone(r.class.questions), Passes: []Passed{}, Presenters: []PresenterView{}}
	slices.Reverse(v.Questions)
	for _, m := range r.pages {
		switch {
		case m.presenter != nil:
			continue
		case m.free:
			v.Free++
		default:
			v.Following++
		}
		if m.lost {
			v.Lost++
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.class.passes)) {
		title, _ := r.rooms.options.Course.Exercise(id)
		v.Passes = append(v.Passes, Passed{id, cmp.Or(title, id), len(r.class.passes[id])})
	}
	for _, p := range r.presenters {
		v.Presenters = append(v.Presenters, PresenterView{ID: p.ID, Here: r.isHere(p), Driving: p.ID == r.state.Driver, Wants: p.wants})
	}
	return v
}

// ask takes a question.
func (r *Room) ask(m *member, text string) error {
	text, f := sentence("text", text, questionRunes)
	if f != nil {
		return f
	}
	if f := r.class.mayAsk(m.seat, now(), r.limits.Ask); f != nil {
		return f
	}
	r.class.asked++
	r.class.questions = append(r.class.questions, Question{r.class.asked, text, now().UnixMilli()})
	if len(r.class.questions) > mostQuestions {
		r.class.questions = slices.Delete(r.class.questions, 0, 1)
	}
	r.classChanged()
	return nil
}

// mayAsk bounds how often somebody asks, and how often all do together: whoever closes
// a page and opens another is somebody else to the room.
func (c *class) mayAsk(who digest, at time.Time, pause time.Duration) *run.Failure {
	soon := func(wait time.Duration) *run.Failure {
		return &run.Failure{Code: run.CodeBusy, Message: fmt.Sprintf("A question was asked just now: try again in %d s.", int(wait/time.Second)+1)}
	}
	for other, last := range c.askers {
		if at.Sub(last) >= pause {
			delete(c.askers, other)
		}
	}
	if last, ok := c.askers[who]; ok {
		return soon(pause - at.Sub(last))
	}
	if len(c.latest) >= mostAtOnce {
		if wait := pause - at.Sub(c.latest[0]); wait > 0 {
			return soon(wait)
		}
		c.latest = c.latest[1:]
	}
	c.latest = append(c.latest, at)
	if c.askers == nil {
		c.askers = map[digest]time.Time{}
	}
	c.askers[who] = at
	return nil
}

// answered takes a question away.
func (r *Room) answered(n int) error {
	before := len(r.class.questions)
	r.class.questions = slices.DeleteFunc(r.class.questions, func(q Question) bool { return q.N == n })
	if len(r.class.questions) == before {
		return &run.Failure{Code: run.CodeInput, Field: "question", Message: "That question is answered already."}
	}
	r.classChanged()
	return nil
}

// Report is what a learner's workbench tells a room of an exercise that passed, and
// all that it tells. Reporter says nothing, and is the same whenever the same learner
// reports to the room: nobody counts twice.
type Report struct {
	Exercise string `json:"exercise"`
	Reporter string `json:"reporter"`
}

// Pass notes that somebody in the room passed an exercise. Reporter is a name that
// says nothing and is the same whenever the same person reports: nobody counts twice.
func (r *Room) Pass(reporter, exercise string) error {
	if _, ok := r.rooms.options.Course.Exercise(exercise); !ok {
		return &run.Failure{Code: run.CodeInput, Field: "exercise", Message: fmt.Sprintf("There is no exercise %q.", clip(exercise))}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.state.Ended {
		return &run.Failure{Code: CodeEnded, Message: "The lesson has ended."}
	}
	who := r.class.passes[exercise]
	if who == nil {
		who = map[digest]bool{}
		r.class.passes[exercise] = who
	}
	if len(who) >= mostReporters {
		return &run.Failure{Code: run.CodeBusy, Message: "More have reported than a room takes."}
	}
	who[digestOf(reporter)] = true
	r.classChanged()
	return nil
}

// sentence checks what somebody wrote: one line that is not empty and not too long.
func sentence(field, text string, most int) (string, *run.Failure) {
	text = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, text)), " ")
	switch {
	case text == "":
		return "", &run.Failure{Code: run.CodeInput, Field: field, Message: "is empty"}
	case utf8.RuneCountInString(text) > most:
		return "", &run.Failure{Code: run.CodeInput, Field: field, Message: fmt.Sprintf("has %d characters, and %d are the most", utf8.RuneCountInString(text), most)}
	}
	return text, nil
}

// clip shortens what was sent before it is sent back.
func clip(s string) string { return run.Clip(s, 80) }
