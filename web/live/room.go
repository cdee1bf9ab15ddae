package live

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"workbench/web/run"
	"workbench/web/socket"
)

// Codes of failures that only rooms have.
const (
	CodeForbidden run.Code = "forbidden" // this page may not do that
	CodeLease     run.Code = "lease"     // another presenter has the wheel
	CodeFollower  run.Code = "follower"  // the presenter has not run this
	CodeEnded     run.Code = "ended"     // the lesson is over
)

// Room is one lesson and those who are in it.
type Room struct {
	code   string
	began  time.Time
	rooms  *Rooms
	limits Limits
	log    *slog.Logger
	table  *socket.Table
	life   context.Context // until the room is closed
	end    context.CancelFunc

	answers answers

	mu         sync.Mutex
	epoch, seq int
	state      State
	views      map[place]*WidgetView
	viewBytes  int    // of their texts
	shown      []byte // the views as who comes is told of them, or nil
	pointer    *Pointer
	class      class
	poll       *poll
	presenters []*presenter
	invites    []invite
	used       []digest // of links that made somebody a presenter
	pages      map[*socket.Page]*member
	lastPage   int
	presenting int // seats that were given to presenters' pages, come or not
	following  int // and to followers'
	lastUse    time.Time
	journal    *journal
	store      *store // nil of a room that is not kept
	closed     bool
	later      *time.Timer // tells the class's news, while it is set
	pollLater  *time.Timer // the poll's, likewise
	wheelLater *time.Timer // hands the wheel on, likewise
}

// place names a widget of a chapter.
type place struct{ chapter, widget string }

// member is a page that is in the room.
type member struct {
	you       You
	page      *socket.Page
	seat      digest // of what names whoever opened it, for a while
	free      bool
	lost      bool
	presenter *presenter // nil of a follower
}

// leads reports whether the page drives, runs and says things for a presenter. A
// preview only looks: what it shows has not come yet.
func (m *member) leads() bool { return m.presenter != nil && m.you.As != AsPreview }

// open makes a new room. It is called with rooms.mu held.
func (r *Rooms) open(code, chapter string) (*Room, error) {
	room := r.blank(code, time.Now())
	room.epoch = 1
	room.table = r.options.Hub.Table("e1", roomShare)
	room.state = State{Mode: Follow, Chapter: chapter}
	if r.options.Dir != "" {
		if err := room.keep(); err != nil {
			room.end()
			return nil, fmt.Errorf("the room cannot be kept: %w", err)
		}
	} else if err := room.scribble(); err != nil {
		room.log.Error("the lesson is not written down", "error", err)
	}
	room.mu.Lock()
	defer room.mu.Unlock()
	room.tellState()
	return room, nil
}

// roomShare is how many pages' runs a room keeps.
const roomShare = 4

func (r *Rooms) blank(code string, began time.Time) *Room {
	room := &Room{
		code: code, began: began, rooms: r, limits: r.limits, log: r.log.With("room", code),
		views: map[place]*WidgetView{}, pages: map[*socket.Page]*member{}, lastUse: time.Now(),
	}
	room.answers.init(r.limits.Answers)
	room.life, room.end = context.WithCancel(context.Background())
	room.class.passes = map[string]map[digest]bool{}
	room.journal = newJournal(r.limits.Journal, room.log)
	return room
}

// Code is what the class types to come in.
func (r *Room) Code() string { return r.code }

// Began is when the room was opened.
func (r *Room) Began() time.Time { return r.began }

// Chapter returns where the lesson is.
func (r *Room) Chapter() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state.Chapter
}

// Ended reports whether the lesson is over.
func (r *Room) Ended() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state.Ended
}

// Shared reports whether followers may download the lesson.
func (r *Room) Shared() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state.Lesson != ""
}

// over reports whether nobody will come back to the room.
func (r *Room) over() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.presenting+r.following == 0 && (r.state.Ended || time.Since(r.lastUse) > r.limits.Idle)
}

// close lets the room rest.
func (r *Room) close() error {
	r.end()
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil
	}
	r.closed = true
	for _, t := range []*time.Timer{r.later, r.pollLater, r.wheelLater} {
		if t != nil {
			t.Stop()
		}
	}
	r.table.Clear()
	r.mu.Unlock()
	return errors.Join(r.saveLast(), r.journal.close())
}

// --- News. All of these are called with mu held.

// next numbers news.
func (r *Room) next(kind string) News {
	r.seq++
	return News{Kind: kind, Epoch: r.epoch, Seq: r.seq}
}

// tell sends news to all pages that want it, and writes it down.
func (r *Room) tell(key string, n News, to func(*member) bool) {
	text := n.encode()
	for p, m := range r.pages {
		if to == nil || to(m) {
			p.Tell(key, text)
		}
	}
	r.journal.news(n)
}

func (r *Room) tellState() {
	r.state.Here = r.driverHere()
	n := r.next(newsState)
	state := r.state
	n.State = &state
	r.journal.visit(r.visit())
	r.tell(newsState, n, nil)
	r.save()
}

func (r *Room) tellPoll() {
	n := r.next(newsPoll)
	if r.poll == nil {
		r.tell(newsPoll, n, nil)
	} else {
		class := n
		n.Poll = r.poll.view(false)
		r.tell(newsPoll, n, func(m *member) bool { return m.presenter == nil })
		class.Poll = r.poll.view(true)
		text := class.encode()
		for p, m := range r.pages {
			if m.presenter != nil {
				p.Tell(newsPoll, text)
			}
		}
	}
	r.save()
}

// pollChanged has everybody told of the poll, soon.
func (r *Room) pollChanged() {
	if r.pollLater != nil || r.closed {
		return
	}
	r.pollLater = time.AfterFunc(classPause, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.pollLater = nil
		if !r.closed {
			r.tellPoll()
		}
	})
}

// classPause is the time between two pieces of news of the class.
const classPause = 400 * time.Millisecond

// classChanged has the presenters told, soon.
func (r *Room) classChanged() {
	if r.later != nil || r.closed {
		return
	}
	r.later = time.AfterFunc(classPause, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.later = nil
		if r.closed {
			return
		}
		n := r.next(newsClass)
		n.Class = r.classView()
		text := n.encode()
		for p, m := range r.pages {
			if m.presenter != nil {
				p.Tell(newsClass, text)
			}
		}
		r.save()
	})
}

// tellAll tells a page that has come everything.
func (r *Room) tellAll(m *member) {
	head := r.all(m).encode()
	if len(r.views) == 0 {
		m.page.Tell(newsAll, head)
		return
	}
	// A class that comes back all at once shares what is long of it.
	if r.shown == nil {
		views := []WidgetView{}
		for _, at := range slices.SortedFunc(maps.Keys(r.views), compare) {
			if r.rooms.options.Course.Widget(at.chapter, at.widget) { // an author may have taken it away
				views = append(views, *r.views[at])
			}
		}
		text, err := json.Marshal(views)
		if err != nil {
			panic("BUG: a view is always JSON: " + err.Error())
		}
		r.shown = append(text, "}}"...)
	}
	head = append(bytes.TrimSuffix(head, []byte("}}")), `,"widgets":`...)
	m.page.TellBoth(newsAll, head, r.shown)
}

// all is everything that a page needs to know when it comes, but for the views.
func (r *Room) all(m *member) News {
	n := News{Kind: newsAll, Epoch: r.epoch, Seq: r.seq}
	you, state := m.you, r.state
	state.Here = r.driverHere()
	n.You, n.State, n.Pointer = &you, &state, r.pointer
	if r.poll != nil {
		n.Poll = r.poll.view(m.presenter != nil)
		n.You.Answer = r.poll.answers[m.seat]
	}
	if m.presenter != nil {
		n.Class = r.classView()
	}
	return n
}

func compare(a, b place) int {
	return cmp.Or(cmp.Compare(a.chapter, b.chapter), cmp.Compare(a.widget, b.widget))
}
