package live

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"workbench/web/run"
	"workbench/web/socket"
)

// Lesson writes the lesson as it is now, as one packed file, which ReadLessonFile
// reads. Nothing in it says who followed or how to come into the room. An error that
// comes before anything is written is a *run.Failure.
func (r *Room) Lesson(w io.Writer) error {
	text, err := r.journal.lesson()
	if err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if _, err := io.Copy(z, text); err != nil {
		return err
	}
	return z.Close()
}

// LessonName is what the lesson's file is called where it is downloaded.
func (r *Room) LessonName() string {
	return "lesson-" + r.began.Format("2006-01-02-1504") + ".jsonl.gz"
}

// scribble begins the lesson of a room that is not kept: it is there to be downloaded
// while the room is.
func (r *Room) scribble() error {
	f, err := newScratch()
	if err != nil {
		return err
	}
	return r.beginLesson(f)
}

// visit returns the chapter that the lesson is at. It is called with mu held.
func (r *Room) visit() Visit {
	v := Visit{Slug: r.state.Chapter}
	v.Title, _ = r.rooms.options.Course.Chapter(v.Slug)
	if version := r.rooms.options.Version; version != nil {
		v.Version = version(v.Slug)
	}
	return v
}

// A Lesson is one that was read from its file, to be replayed. What is long of it
// stays in a file of its own, which Close takes away. Its methods may be called by
// several goroutines.
type Lesson struct {
	Header
	Duration time.Duration
	// Torn, if not nil, says where the file was cut off.
	Torn *TornError

	visits  []visited
	news    []piece            // in their order
	answers map[string][]piece // by key, the oldest first
	file    diary

	mu     sync.Mutex
	closed bool
	pages  map[*socket.Page]bool
}

// A piece is a part of the file that says something of a moment.
type piece struct {
	t, at int64
	size  int
}

// visited is when the lesson came to a chapter.
type visited struct {
	t int64
	Visit
}

// Chapters returns the chapters to which the lesson comes, in the order in which it
// first does, as they were when it last did.
func (l *Lesson) Chapters() []Visit {
	var all []Visit
	for _, v := range l.visits {
		i := slices.IndexFunc(all, func(o Visit) bool { return o.Slug == v.Slug })
		if i < 0 {
			all = append(all, v.Visit)
		} else {
			all[i] = v.Visit
		}
	}
	return all
}

// First returns the chapter at which the lesson begins.
func (l *Lesson) First() string { return l.visits[0].Slug }

// WriteNews writes what the room said, as a JSON array of {"t": milliseconds since
// the lesson began, "news": News}.
func (l *Lesson) WriteNews(w io.Writer) error {
	out := bufio.NewWriterSize(w, 64<<10)
	before := "["
	for _, p := range l.news {
		out.WriteString(before)
		if _, err := io.Copy(out, io.NewSectionReader(l.file, p.at, int64(p.size))); err != nil {
			return err
		}
		before = ",\n"
	}
	if len(l.news) == 0 {
		out.WriteString(before)
	}
	out.WriteString("]")
	return out.Flush() // with what failed before
}

// answer returns what was answered at a moment of the lesson: the latest before it, or
// else the first after it, as a page asks a little before it is answered.
func (l *Lesson) answer(key string, at int64) (a socket.Answer, ok bool, err error) {
	all := l.answers[key]
	if len(all) == 0 {
		return a, false, nil
	}
	after, _ := slices.BinarySearchFunc(all, at+1, func(p piece, t int64) int { return cmp.Compare(p.t, t) })
	p := all[max(after-1, 0)]
	text := make([]byte, p.size)
	if _, err := l.file.ReadAt(text, p.at); err != nil {
		return a, false, err
	}
	return a, true, a.UnmarshalJSON(text)
}

// Close forgets the lesson, and lets its pages go.
func (l *Lesson) Close() error {
	l.mu.Lock()
	pages := l.pages
	l.pages, l.closed = nil, true
	l.mu.Unlock()
	for p := range pages {
		p.Close("the lesson was put away")
	}
	return l.file.Close()
}

// Seat is where a page sits that replays the lesson: what was asked for in the lesson
// is answered as it was, and everything else is refused.
func (l *Lesson) Seat() socket.Seat { return replaySeat{l} }

type replaySeat struct{ lesson *Lesson }

func (s replaySeat) Table() *socket.Table  { return nil } // nothing runs
func (s replaySeat) Limits() socket.Limits { return socket.Limits{Message: maxAsk} }

func (s replaySeat) Sit(p *socket.Page) {
	l := s.lesson
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		p.Close("the lesson was put away")
		return
	}
	l.pages[p] = true
}

func (s replaySeat) Rise(p *socket.Page) {
	l := s.lesson
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.pages, p)
}

func (s replaySeat) Answer(_ context.Context, _ *socket.Page, q socket.Request, _ socket.Compute) (socket.Answer, error) {
	if !runs(q.Type) && !looks(q.Type) {
		return socket.Answer{}, &run.Failure{Code: CodeForbidden, Message: "A lesson that is replayed cannot be changed."}
	}
	a, ok, err := s.lesson.answer(keyOf(q), q.At)
	if err == nil && !ok {
		err = &run.Failure{
			Code: CodeFollower, Message: "This step was not shown in the lesson.",
			Next: "The chapter itself, outside of the replay, runs it.",
		}
	}
	return a, err
}
