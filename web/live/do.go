package live

import (
	"bytes"
	"encoding/json"
	"fmt"

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
