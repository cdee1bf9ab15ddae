package live

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"workbench/web/run"
	"workbench/web/socket"
)

// Options of Rooms. Hub and Course are needed.
type Options struct {
	Hub    *socket.Hub
	Course Course
	// Version, if any, names a chapter's text as it is now. What came with its page is
	// of that version, and whoever replays the lesson is told where it is another one.
	Version func(slug string) string
	// Dir keeps the rooms, so that they outlive the server. With none they do not.
	Dir    string
	Build  string
	Logger *slog.Logger
	Limits Limits
	// Notice, if any, is told that a room was opened or that its lesson has ended. It
	// must not wait, nor ask the room for more.
	Notice func(Notice)
}

// Notice is what whoever sits at the server is told of a room.
type Notice struct {
	Code, Chapter string
	Ended         bool // it was opened otherwise
}

func (r *Room) notice(ended bool) {
	tell := r.rooms.options.Notice
	if tell == nil {
		return
	}
	tell(Notice{Code: r.code, Chapter: r.state.Chapter, Ended: ended})
}

// Course is what rooms know of the course.
type Course interface {
	// Chapter returns the chapter's title, or false.
	Chapter(slug string) (title string, ok bool)
	// Widget reports whether the chapter has that widget.
	Widget(slug, id string) bool
	// Exercise returns the exercise's title, or false.
	Exercise(id string) (title string, ok bool)
}

// Limits bound rooms. A zero field takes the default.
type Limits struct {
	Rooms     int           // at once; 32
	Followers int           // pages of one room; 2000
	Presents  int           // pages of a room's presenters; 32
	Answers   int           // bytes of answers that a room keeps; 48 MiB
	Views     int           // bytes of all texts of changed widgets that a room keeps; 4 MiB
	Journal   int64         // bytes of a lesson; 256 MiB
	Idle      time.Duration // after which a room that nobody is in is over; 12 h
	Resume    time.Duration // how old a room may be that a server goes on with; 12 h
	Grace     time.Duration // how long a wheel stays with a presenter who is gone; 10 s
	Wait      time.Duration // of a follower for what a presenter is running; 5 s
	Invite    time.Duration // how long a link for a co-presenter holds; 15 min
	Ask       time.Duration // between two questions of one follower; 5 s
}

// Defaults of Limits that people are told of.
const (
	ResumeTime = 12 * time.Hour
	InviteTime = 15 * time.Minute
)

func (l Limits) withDefaults() Limits {
	return Limits{
		Rooms: cmp.Or(l.Rooms, 32), Followers: cmp.Or(l.Followers, 2000), Presents: cmp.Or(l.Presents, 32),
		Answers: cmp.Or(l.Answers, 48<<20), Views: cmp.Or(l.Views, 4<<20), Journal: cmp.Or(l.Journal, 256<<20),
		Idle: cmp.Or(l.Idle, 12*time.Hour), Resume: cmp.Or(l.Resume, ResumeTime),
		Grace: cmp.Or(l.Grace, 10*time.Second), Wait: cmp.Or(l.Wait, 5*time.Second),
		Invite: cmp.Or(l.Invite, InviteTime), Ask: cmp.Or(l.Ask, 5*time.Second),
	}
}

// Rooms are those of one server. Its methods may be called by several goroutines.
type Rooms struct {
	options Options
	limits  Limits
	log     *slog.Logger

	refusals *Refusals

	mu     sync.Mutex
	rooms  map[string]*Room // by code; nil once closed
	resume []*Room
}

// Errors of Rooms.
var (
	ErrTooMany = errors.New("this server has as many rooms as it may: end one first")
	ErrClosed  = errors.New("the server is stopping")
)

// Open returns the rooms of a server: those that were not ended when the server
// before it stopped, if there is a Dir. A room whose files cannot be read is an
// error that names them; the others are there all the same.
func Open(o Options) (*Rooms, error) {
	r := &Rooms{options: o, limits: o.Limits.withDefaults(), log: o.Logger, rooms: map[string]*Room{}}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	r.refusals = NewRefusals(r.log)
	if o.Dir == "" {
		return r, nil
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return r, fmt.Errorf("the folder of rooms cannot be made: %w", err)
	}
	entries, err := os.ReadDir(o.Dir)
	if err != nil {
		return r, fmt.Errorf("the folder of rooms cannot be read: %w", err)
	}
	var problems []error
	for _, e := range entries {
		if ParseCode(e.Name()) != e.Name() {
			continue
		}
		room, err := r.revive(filepath.Join(o.Dir, e.Name()), e.Name())
		if err != nil {
			problems = append(problems, err)
		} else if room != nil {
			r.rooms[room.code] = room
			r.resume = append(r.resume, room)
		}
	}
	slices.SortFunc(r.resume, func(a, b *Room) int { return a.began.Compare(b.began) })
	return r, errors.Join(problems...)
}

// Resumed returns the rooms that Open went on with, the oldest first.
func (r *Rooms) Resumed() []*Room { return r.resume }

// New opens a room at a chapter. The secret is its presenter's, to be redeemed once.
func (r *Rooms) New(chapter string) (room *Room, secret string, err error) {
	if _, ok := r.options.Course.Chapter(chapter); !ok {
		return nil, "", fmt.Errorf("there is no chapter %q", chapter)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.rooms == nil:
		return nil, "", ErrClosed
	case len(r.rooms) >= r.limits.Rooms && !r.tidy():
		return nil, "", ErrTooMany
	}
	code := newCode()
	for r.rooms[code] != nil || r.exists(code) {
		code = newCode()
	}
	room, err = r.open(code, chapter)
	if err != nil {
		return nil, "", err
	}
	r.rooms[code] = room
	r.log.Info("a room was opened", "room", code, "chapter", chapter)
	room.notice(false)
	return room, room.Invite(), nil
}

// tidy makes place by forgetting a room that is over. It is called with mu held.
func (r *Rooms) tidy() bool {
	for code, room := range r.rooms {
		if room.over() {
			room.close()
			delete(r.rooms, code)
			return true
		}
	}
	return false
}

// Room returns the room of a code, or nil.
func (r *Rooms) Room(code string) *Room {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rooms[ParseCode(code)]
}

// All returns the rooms that go on, the oldest first.
func (r *Rooms) All() []*Room {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []*Room
	for _, room := range r.rooms {
		if !room.over() {
			all = append(all, room)
		}
	}
	slices.SortFunc(all, func(a, b *Room) int { return a.began.Compare(b.began) })
	return all
}

// Link is what becomes of a presenter's link.
type Link int

// Links.
const (
	LinkUnknown Link = iota // there never was one, or its room is forgotten
	LinkHolds               // it makes somebody a presenter, once
	LinkUsed                // it has done so
	LinkOver                // its time is over
)

// Look returns what a presenter's link is good for, and of which room it is, or was.
// Looking at it does not use it up: what only shows where a link leads, as a chat does,
// must not take it from whom it is for.
func (r *Rooms) Look(secret string) (*Room, Link) {
	d := digestOf(secret)
	for _, room := range r.every() {
		if link := room.link(d); link != LinkUnknown {
			return room, link
		}
	}
	return nil, LinkUnknown
}

// every returns all rooms.
func (r *Rooms) every() []*Room {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.rooms))
}

// Redeem takes a secret of a presenter's link, which holds once, and returns
// what their cookie holds from now on.
func (r *Rooms) Redeem(secret string) (room *Room, token string, err error) {
	for _, room := range r.every() {
		if token, ok := room.redeem(secret); ok {
			return room, token, nil
		}
	}
	r.refusals.Log("a presenter's link was refused")
	return nil, "", &run.Failure{
		Code: CodeForbidden, Message: "This link opens no room: it was used already, or its time is over.",
		Next: "Ask for another on the desk, or in the terminal that presents.",
	}
}

// Close lets the rooms rest: what they are is written down, and a server that
// starts within some hours goes on with them. The hub's connections are its own to close.
func (r *Rooms) Close() error {
	r.mu.Lock()
	rooms := r.rooms
	r.rooms = nil
	r.mu.Unlock()
	var problems []error
	for _, room := range rooms {
		problems = append(problems, room.close())
	}
	return errors.Join(problems...)
}
