package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	"workbench/engine/experiment"
	"workbench/web/run"
)

// said is what a page says to its room: Do, and what that needs.
type said struct {
	Do string `json:"do"`

	// Of drive.
	Lease   int             `json:"lease"`
	Chapter *string         `json:"chapter"`
	At      *At             `json:"at"`
	Widget  string          `json:"widget"`
	View    *View           `json:"view"`
	Pointer json.RawMessage `json:"pointer"` // null for none

	Act string `json:"act"` // of wheel and poll
	To  string `json:"to"`  // of wheel

	Mode Mode `json:"mode"`

	pollRequest

	Poll  int    `json:"poll"`  // of answer
	Text  string `json:"text"`  // of answer and ask
	Lost  bool   `json:"lost"`  //
	Free  bool   `json:"free"`  // of wander
	Share bool   `json:"share"` // of end
	N     int    `json:"n"`     // of done
}

// Bounds of what is driven.
const (
	// The texts of a widget are those of what it runs: of a kernel its source and its
	// launch. A view has them as they are edited, as they were run, and as the run before
	// one that failed had them.
	maxTexts   = experiment.MaxSource + 64<<10 // bytes
	maxFields  = 12
	maxWord    = 300 // bytes of a place's part
	maxPath    = 40
	maxOrdinal = 1 << 30

	// What a room keeps of views is its pages' memory too, and what who comes late has to
	// take.
	mostViews = 400     // widgets of which a view is kept
	maxViews  = 4 << 20 // bytes of all their texts
)

// done is what a page is told of what it said.
type done struct {
	Seq  int    `json:"seq"`
	Got  *bool  `json:"got,omitempty"`  // of wheel: false if it was asked for
	Path string `json:"path,omitempty"` // of invite
}

// do does what a page says.
func (r *Room) do(m *member, raw json.RawMessage) (any, error) {
	var s said
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&s); err != nil {
		return nil, &run.Failure{Code: run.CodeProtocol, Message: "What the page says to the room cannot be read: " + clip(err.Error()) + ".", Next: "Reload the page."}
	}
	reply, err := r.says(m, s)
	if err != nil {
		if f, ok := err.(*run.Failure); ok && f.Code == CodeForbidden {
			r.refused("a page said what it may not", "as", m.you.As, "do", clip(s.Do))
		}
		return nil, err
	}
	switch s.Do {
	case "poll", "invite", "end":
		// A server that is killed now must not have forgotten it.
		_ = r.saveNow() // logged
	}
	return reply, nil
}

func (r *Room) says(m *member, s said) (done, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lastUse = now()
	var reply done
	err := r.carryOut(m, s, &reply)
	reply.Seq = r.seq
	return reply, err
}

func (r *Room) carryOut(m *member, s said, reply *done) error {
	presents := func() error {
		if !m.leads() {
			return &run.Failure{Code: CodeForbidden, Message: "That is the presenter's to do."}
		}
		return nil
	}
	follows := func() error {
		if m.presenter != nil {
			return &run.Failure{Code: CodeForbidden, Message: "That is for those who follow."}
		}
		if r.state.Ended {
			return &run.Failure{Code: CodeEnded, Message: "The lesson has ended."}
		}
		return nil
	}
	switch s.Do {
	case "answer", "question", "lost", "wander":
		if err := follows(); err != nil {
			return err
		}
	case "drive", "wheel", "mode", "invite", "poll", "done", "unlost", "end":
		if err := presents(); err != nil {
			return err
		}
		if r.state.Ended && s.Do != "end" {
			return &run.Failure{Code: CodeEnded, Message: "The lesson has ended."}
		}
	}
	switch s.Do {
	case "here": // a page that slept asks whether anybody hears it
		return nil
	case "drive":
		return r.drive(m, s)
	case "wheel":
		switch s.Act {
		case "take":
			got := r.take(m.presenter)
			reply.Got = &got
			return nil
		case "give":
			return r.give(m.presenter, s.To)
		}
		return unknown("act", s.Act)
	case "mode":
		return r.setMode(s.Mode)
	case "invite":
		reply.Path = "/present/" + r.invite()
		return nil
	case "poll":
		return r.runPoll(s)
	case "answer":
		if r.poll == nil || r.poll.N != s.Poll {
			return &run.Failure{Code: CodeEnded, Message: "That poll is over."}
		}
		if f := r.poll.answer(m.seat, s.Text); f != nil {
			return f
		}
		r.pollChanged()
		return nil
	case "question":
		return r.ask(m, s.Text)
	case "done":
		return r.answered(s.N)
	case "lost":
		m.lost = s.Lost
		r.classChanged()
		return nil
	case "unlost":
		for _, other := range r.pages {
			other.lost = false
		}
		r.state.Found++ // a page shows what it counts as
		r.tellState()
		r.classChanged()
		return nil
	case "wander":
		m.free = s.Free
		r.classChanged()
		return nil
	case "end":
		r.finish(s.Share)
		return nil
	}
	return unknown("do", s.Do)
}

func unknown(field, text string) *run.Failure {
	return &run.Failure{Code: run.CodeProtocol, Field: field, Message: fmt.Sprintf("%q is unknown here.", clip(text))}
}

func bad(field, format string, args ...any) *run.Failure {
	return &run.Failure{Code: run.CodeInput, Field: field, Message: fmt.Sprintf(format, args...)}
}

// drive changes what the class sees.
func (r *Room) drive(m *member, s said) error {
	if f := r.mayDrive(m.presenter, s.Lease); f != nil {
		return f
	}
	course := r.rooms.options.Course
	chapter := r.state.Chapter
	if s.Chapter != nil {
		chapter = *s.Chapter
	}
	if _, ok := course.Chapter(chapter); !ok {
		return bad("chapter", "There is no chapter %q.", clip(chapter))
	}
	// All of it is checked before anything is changed.
	if (s.View != nil) != (s.Widget != "") {
		return bad("view", "A view and its widget are told together.")
	}
	if s.View != nil {
		if !course.Widget(chapter, s.Widget) {
			return bad("widget", "The chapter %s has no widget %q.", chapter, clip(s.Widget))
		}
		if f := s.View.check(); f != nil {
			return f
		}
		old := r.views[place{chapter, s.Widget}]
		if old == nil && len(r.views) >= mostViews {
			return bad("widget", "The room keeps %d examples as they were changed, and no more.", mostViews)
		}
		if bytes := r.viewBytes + s.View.bytes() - old.bytes(); bytes > maxViews {
			return bad("view.texts", "The room keeps %d KiB of changed examples, and with this one they are %d KiB: reset one that is not needed any more.", maxViews>>10, bytes>>10)
		}
	}
	if s.At != nil {
		if s.At.Widget != "" && !course.Widget(chapter, s.At.Widget) {
			return bad("at.widget", "The chapter %s has no widget %q.", chapter, clip(s.At.Widget))
		}
		if b := s.At.Block; b != nil && (*b < 0 || *b > maxOrdinal) {
			return bad("at.block", "is no number of a block")
		}
	}
	pointer, points, f := readPointer(s.Pointer, chapter, m.you.Page)
	if f != nil {
		return f
	}

	moved := chapter != r.state.Chapter
	if moved {
		r.state.Chapter, r.state.At = chapter, At{}
	}
	if s.View != nil {
		v := &WidgetView{Chapter: chapter, Widget: s.Widget, View: *s.View, From: m.you.Page}
		r.setView(v)
		n := r.next(newsWidget)
		n.Widget = v
		r.tell(newsWidget+" "+chapter+"/"+s.Widget, n, nil)
	}
	if s.At != nil && !s.At.same(r.state.At) {
		r.state.At, moved = *s.At, true
	}
	if moved {
		r.tellState()
	}
	if points {
		r.pointer = pointer
		n := r.next(newsPointer)
		n.Pointer = pointer
		r.tell(newsPointer, n, nil)
	}
	return nil
}

func (a At) same(b At) bool {
	return a.Widget == b.Widget && (a.Block == nil) == (b.Block == nil) && (a.Block == nil || *a.Block == *b.Block)
}

// setView keeps how a widget looks.
func (r *Room) setView(v *WidgetView) {
	at := place{v.Chapter, v.Widget}
	r.viewBytes += v.bytes() - r.views[at].bytes()
	r.views[at], r.shown = v, nil
}

// bytes are those of a widget's texts; of none, 0.
func (w *WidgetView) bytes() int {
	if w == nil {
		return 0
	}
	return w.View.bytes()
}

func (v *View) bytes() int {
	n := textBytes(v.Texts)
	if v.Ran != nil {
		n += textBytes(v.Ran.Texts) + len(v.Ran.Before)
	}
	return n
}

func textBytes(texts map[string]string) int {
	n := 0
	for name, text := range texts {
		n += len(name) + len(text)
	}
	return n
}

// check bounds a view. What a place means, the widget knows.
func (v *View) check() *run.Failure {
	p := v.Place
	if p.Step != nil && (*p.Step < 0 || *p.Step > maxOrdinal) {
		return bad("view.place.step", "is no number of a step")
	}
	for _, word := range []string{p.Cell, p.Device, p.Block, p.Thread, p.Phase, p.View} {
		if len(word) > maxWord {
			return bad("view.place", "has a part of %d bytes, and %d are the most", len(word), maxWord)
		}
	}
	if v.Last < 0 || v.Last > maxOrdinal {
		return bad("view.last", "is no number of a step")
	}
	all := []map[string]string{v.Texts}
	if v.Ran != nil {
		runs := []RanWith{v.Ran.RanWith}
		if raw := v.Ran.Before; raw != nil {
			var before *RanWith
			if strict(raw, &before) != nil {
				return bad("view.ran.before", "is no run")
			}
			if before != nil {
				runs = append(runs, *before)
			}
		}
		for _, ran := range runs {
			if v.Ran.N < 0 || len(ran.Device) > maxWord {
				return bad("view.ran", "is no run")
			}
			all = append(all, ran.Texts)
		}
	}
	for _, texts := range all {
		if len(texts) > maxFields {
			return bad("view.texts", "has %d fields, and %d are the most", len(texts), maxFields)
		}
		if n := textBytes(texts); n > maxTexts {
			return bad("view.texts", "The example's texts have %d KiB, and a class is shown at most %d KiB: shorten them.", n>>10, maxTexts>>10)
		}
	}
	return nil
}

func readPointer(raw json.RawMessage, chapter, from string) (p *Pointer, points bool, f *run.Failure) {
	if raw == nil {
		return nil, false, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p); err != nil {
		return nil, false, bad("pointer", "cannot be read")
	}
	if p == nil {
		return nil, true, nil
	}
	within := func(x float64) bool { return x >= -1 && x <= 2 && !math.IsNaN(x) }
	if len(p.Path) > maxPath || len(p.Widget) > maxWord || !within(p.X) || !within(p.Y) {
		return nil, false, bad("pointer", "points nowhere")
	}
	p.Chapter, p.From = chapter, from
	return p, true, nil
}

func (r *Room) setMode(mode Mode) error {
	switch mode {
	case Follow, Locked:
		if mode != r.state.Mode {
			r.state.Recall++
			for _, m := range r.pages {
				m.free = false
			}
		}
	case Free:
	default:
		return bad("mode", "is %q: follow, free or locked", clip(string(mode)))
	}
	r.state.Mode = mode
	r.tellState()
	r.classChanged()
	return nil
}

func (r *Room) runPoll(s said) error {
	switch s.Act {
	case "open":
		n := 1
		if r.poll != nil {
			n = r.poll.N + 1
		}
		n = max(n, r.state.Polls+1)
		p, f := newPoll(n, s.pollRequest)
		if f != nil {
			return f
		}
		r.state.Polls = n
		r.poll = p
		r.tellState()
	case "close", "reveal", "clear":
		if r.poll == nil {
			return bad("act", "There is no poll.")
		}
		switch s.Act {
		case "close":
			if r.poll.State == PollOpen {
				r.poll.State = PollClosed
			}
		case "reveal":
			r.poll.State = PollRevealed
		default:
			r.poll = nil
		}
	default:
		return unknown("act", s.Act)
	}
	r.tellPoll()
	return nil
}

// finish ends the lesson.
func (r *Room) finish(share bool) {
	before := r.state.Ended
	r.state.Ended = true
	r.state.Lesson = ""
	if share {
		r.state.Lesson = "/rooms/" + r.code + "/lesson"
	}
	r.state.Mode = Free
	r.pointer = nil
	r.tellState()
	if !before {
		r.notice(true)
	}
}
