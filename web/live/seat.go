package live

import (
	"context"
	"fmt"

	"workbench/web/run"
	"workbench/web/socket"
)

// Bytes of a message: of one that asks for a run, and of a drive, whose view may have
// three times as much. JSON writes some characters as two or more.
const (
	maxAsk   = maxTexts + 128<<10
	maxDrive = 3*maxTexts + 384<<10
)

// limitsOf bound a page of a role: a follower's says little and asks little.
func limitsOf(as Role) socket.Limits {
	if as.Presents() {
		return socket.Limits{Message: maxDrive}
	}
	return socket.Limits{Message: maxAsk, Letters: 24, Outbox: 4 << 20, Rate: 40}
}

// A seat is one page's.
type seat struct {
	room *Room
	m    *member
}

// Seat returns where a page sits that comes in the role. Presenter is the ID of
// whose page it is, "" for a follower's; name is the same for all pages of one
// browser, and says nothing else. The error is a *run.Failure.
func (r *Room) Seat(as Role, presenter, name string) (socket.Seat, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := &member{seat: digestOf(name)}
	for _, p := range r.presenters {
		if p.ID == presenter && as.Presents() {
			m.presenter = p
		}
	}
	if as.Presents() && m.presenter == nil || !as.Known() {
		r.refused("a page came as what it is not", "as", clip(string(as)))
		return nil, &run.Failure{Code: CodeForbidden, Message: "This page is a presenter's.", Next: "Open it by the presenter's link."}
	}
	if r.closed {
		return nil, &run.Failure{Code: CodeEnded, Message: "The room was closed."}
	}
	count, most := r.seats(m), r.limits.Followers
	if m.presenter != nil {
		most = r.limits.Presents
	}
	if *count >= most {
		r.refused("a page found the room full", "as", as, "pages", *count)
		return nil, &run.Failure{Code: run.CodeBusy, Message: fmt.Sprintf("The room is full: %d pages are in it.", *count), Next: "Close some, or look at a neighbour's."}
	}
	*count++ // before it has come: many come at once
	r.lastPage++
	m.you = You{Page: fmt.Sprintf("e%dp%d", r.epoch, r.lastPage), As: as}
	if m.presenter != nil {
		m.you.Presenter = m.presenter.ID
	}
	return &seat{r, m}, nil
}

// seats counts the seats of those who are what m is. It is called with mu held.
func (r *Room) seats(m *member) *int {
	if m.presenter != nil {
		return &r.presenting
	}
	return &r.following
}

// refused logs what was refused, as far as the log has not enough of it.
func (r *Room) refused(what string, args ...any) {
	r.rooms.refusals.Log(what, append([]any{"room", r.code}, args...)...)
}

func (s *seat) Table() *socket.Table  { return s.room.table }
func (s *seat) Limits() socket.Limits { return limitsOf(s.m.you.As) }

// Sit tells the page everything.
func (s *seat) Sit(p *socket.Page) {
	r := s.room
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		p.Close("the room was closed")
		return
	}
	s.m.page = p
	here := r.driverHere()
	r.pages[p] = s.m
	r.tellAll(s.m)
	r.came(s.m, here)
}

// Rise forgets the page.
func (s *seat) Rise(p *socket.Page) {
	r := s.room
	r.mu.Lock()
	defer r.mu.Unlock()
	*r.seats(s.m)--
	if r.pages[p] == nil {
		return // it never came
	}
	here := r.driverHere()
	delete(r.pages, p)
	r.came(s.m, here)
}

// came notes that a page has come or gone. Here says whether the driver was there before.
func (r *Room) came(m *member, here bool) {
	r.lastUse = now()
	if m.presenter != nil {
		m.presenter.seen = r.lastUse
	}
	if r.driverHere() != here {
		r.tellState()
		r.bequeath()
	}
	r.classChanged()
}

// Answer answers a request of a page.
func (s *seat) Answer(ctx context.Context, _ *socket.Page, q socket.Request, compute socket.Compute) (socket.Answer, error) {
	switch {
	case q.Type == socket.Room:
		reply, err := s.room.do(s.m, q.Room)
		if err != nil {
			return socket.Answer{}, err
		}
		return socket.NewAnswer(socket.Message{Type: socket.Room, Room: reply})
	case runs(q.Type) || looks(q.Type):
		return s.room.answer(ctx, s.m, q, compute)
	case s.m.presenter != nil:
		a, _ := compute(ctx, q)
		return a, nil
	}
	s.room.refused("a page asked for what it may not", "as", s.m.you.As, "type", q.Type)
	return socket.Answer{}, &run.Failure{Code: CodeForbidden, Message: "In a lesson that is the presenter's to ask."}
}
