package live

import (
	"bytes"
	"encoding/json"
	"math"

	"workbench/engine/experiment"
	"workbench/web/run"
)

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

	mostViews = 400 // widgets of which a view is kept
)

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
		if bytes := r.viewBytes + s.View.bytes() - old.bytes(); bytes > r.limits.Views {
			return bad("view.texts", "The room keeps %d KiB of changed examples, and with this one they are %d KiB: reset one that is not needed any more.", r.limits.Views>>10, bytes>>10)
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
