package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"workbench/engine/wholefile"
)

// A store keeps a room in a folder:
//
//	lesson.jsonl  the lesson so far; it holds no secret and no name
//	room.json     what else a server needs to go on with the room: the hashes of its
//	              presenters' secrets, the poll's answers, what was asked and passed
type store struct {
	dir string

	waiting *time.Timer // guarded by the room's mu

	mu   sync.Mutex // held while room.json is written, and taken before the room's
	last bool       // guarded by mu: nothing more is written
}

// savePause is the time in which changes are saved together.
const savePause = 200 * time.Millisecond

// saved is room.json.
type saved struct {
	Version    int                 `json:"version"`
	Began      time.Time           `json:"began"`
	LastUse    time.Time           `json:"last_use"`
	Epoch      int                 `json:"epoch"`
	Seq        int                 `json:"seq"`
	Ended      bool                `json:"ended"`
	Length     int64               `json:"length"`   // of the lesson, in milliseconds
	Chapters   []string            `json:"chapters"` // their titles
	Presenters []*presenter        `json:"presenters"`
	Invites    []invite            `json:"invites"`
	Used       []digest            `json:"used"`
	Asked      int                 `json:"asked"`
	Questions  []Question          `json:"questions"`
	Passes     map[string][]digest `json:"passes"`
	Poll       *poll               `json:"poll"`
	Answers    map[digest]string   `json:"answers"`
}

const savedVersion = 1

// LessonFile is the name of a lesson's file in the folder of its room.
const LessonFile = "lesson.jsonl"

const roomFile = "room.json"

// keep begins the files of a new room.
func (r *Room) keep() error {
	dir := filepath.Join(r.rooms.options.Dir, r.code)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, LessonFile), os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if err := r.beginLesson(f); err != nil {
		return err
	}
	r.store = &store{dir: dir}
	return r.saveNow()
}

// beginLesson begins the lesson in a file that is empty.
func (r *Room) beginLesson(f diary) error {
	r.journal.begin(f, r.began, 0)
	title, _ := r.rooms.options.Course.Chapter(r.state.Chapter)
	return r.journal.header(Header{Format, FormatVersion, title, r.began, r.rooms.options.Build})
}

func (r *Rooms) exists(code string) bool {
	if r.options.Dir == "" {
		return false
	}
	_, err := os.Lstat(filepath.Join(r.options.Dir, code))
	return err == nil
}

// save saves the room soon. It is called with mu held.
func (r *Room) save() {
	if r.store == nil || r.store.waiting != nil || r.closed {
		return
	}
	r.store.waiting = time.AfterFunc(savePause, func() { _ = r.saveNow() }) // logged
}

// saveNow saves the room. The lesson waits for the copy that is saved, and not for
// the disk.
func (r *Room) saveNow() error { return r.write(false) }

// saveLast saves the room, which is closed, and ends all saving: the files are a
// later server's.
func (r *Room) saveLast() error { return r.write(true) }

func (r *Room) write(last bool) error {
	if r.store == nil {
		return nil
	}
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	if r.store.last {
		return nil
	}
	r.store.last = last
	text, err := json.Marshal(r.snapshot())
	if err != nil {
		panic("BUG: a room is always JSON: " + err.Error())
	}
	if err := wholefile.Write(filepath.Join(r.store.dir, roomFile), text, 0o600); err != nil {
		r.log.Error("the room could not be saved", "error", err)
		return err
	}
	return nil
}

// snapshot returns what is saved of the room as it is now.
func (r *Room) snapshot() saved {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.store.waiting != nil {
		r.store.waiting.Stop()
		r.store.waiting = nil
	}
	s := saved{
		Version: savedVersion, Began: r.began, LastUse: now(), Epoch: r.epoch, Seq: r.seq, Ended: r.state.Ended,
		Presenters: slices.Clone(r.presenters), Invites: slices.Clone(r.invites), Used: slices.Clone(r.used),
		Asked: r.class.asked, Questions: slices.Clone(r.class.questions), Passes: map[string][]digest{},
	}
	s.Length, s.Chapters = r.journal.contents()
	for id, who := range r.class.passes {
		s.Passes[id] = slices.Collect(maps.Keys(who))
	}
	if r.poll != nil {
		poll := *r.poll
		s.Poll, s.Answers = &poll, maps.Clone(r.poll.answers)
	}
	return s
}

// revive goes on with a room that a server before this one had. It returns nil
// for one that is over.
func (r *Rooms) revive(dir, code string) (*Room, error) {
	name := filepath.Join(dir, roomFile)
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // its server ended before it was open
	}
	if err != nil {
		return nil, err
	}
	var s saved
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if s.Version != savedVersion || s.Ended || time.Since(s.LastUse) > r.limits.Resume {
		return nil, nil
	}
	room := r.blank(code, s.Began)
	room.epoch, room.seq = s.Epoch+1, s.Seq
	room.invites, room.used = s.Invites, s.Used
	for _, p := range s.Presenters {
		if p != nil {
			p.seen = now() // who had the wheel is about to come back to it
			room.presenters = append(room.presenters, p)
		}
	}
	room.class.asked, room.class.questions = s.Asked, s.Questions
	for id, all := range s.Passes {
		who := map[digest]bool{}
		for _, d := range all {
			who[d] = true
		}
		room.class.passes[id] = who
	}
	if room.poll = s.Poll; room.poll != nil {
		if room.poll.answers = s.Answers; room.poll.answers == nil {
			room.poll.answers = map[digest]string{}
		}
	}
	room.table = r.options.Hub.Table(fmt.Sprintf("e%d", room.epoch), roomShare)
	lesson := filepath.Join(dir, LessonFile)
	f, err := os.OpenFile(lesson, os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		room.end()
		return nil, err
	}
	size, err := room.recall(f)
	if err == nil {
		// What was being written when the server was killed.
		err = f.Truncate(size)
	}
	if _, ok := r.options.Course.Chapter(room.state.Chapter); err == nil && !ok {
		err = fmt.Errorf("the lesson is at the chapter %q, which this workbench does not have", clip(room.state.Chapter))
	}
	if err != nil {
		room.end()
		return nil, errors.Join(fmt.Errorf("%s: %w", lesson, err), f.Close())
	}
	room.journal.begin(f, room.began, size)
	room.store = &store{dir: dir}
	room.mu.Lock()
	room.tellState()
	room.mu.Unlock()
	if err := room.saveNow(); err != nil {
		room.end()
		return nil, errors.Join(err, f.Close())
	}
	r.log.Info("a room goes on", "room", code, "epoch", room.epoch)
	return room, nil
}

// recall makes the room what the lesson says it was, and returns how many bytes
// of the file are whole lines.
func (r *Room) recall(f io.Reader) (int64, error) {
	size, err := readEvents(f, func(Header) error { return nil }, func(e Event) error {
		if a := e.Answer; a != nil {
			r.answers.recall(*a)
		}
		if n := e.News; n != nil {
			if n.State != nil {
				r.state = *n.State
			}
			if n.Widget != nil {
				r.setView(n.Widget)
			}
			r.seq = max(r.seq, n.Seq)
		}
		if v := e.Chapter; v != nil {
			r.journal.note(*v)
		}
		r.journal.last = e.T
		return nil
	})
	var torn *TornError
	if errors.As(err, &torn) {
		err = nil
	}
	return size, err
}
