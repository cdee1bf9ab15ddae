package live

import (
	"encoding/json"
	"errors"
	"hash/maphash"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"workbench/web/run"
	"workbench/web/socket"
)

// Format and FormatVersion are in the first line of a lesson.
const (
	Format        = "workbench lesson"
	FormatVersion = 1
)

// Header is the first line of a lesson.
type Header struct {
	Format  string    `json:"format"`
	Version int       `json:"version"`
	Title   string    `json:"title"`
	Began   time.Time `json:"began"`
	Build   string    `json:"build"` // of the workbench
}

// Event is every other line: one of news, an answer, a chapter.
type Event struct {
	T       int64     `json:"t"` // milliseconds since Began
	News    *News     `json:"news,omitempty"`
	Answer  *Answered `json:"answer,omitempty"`
	Chapter *Visit    `json:"chapter,omitempty"`
}

// Answered is what a presenter's page asked for and was answered.
type Answered struct {
	Key     string          `json:"key"`
	Ask     *socket.Request `json:"ask,omitempty"` // of a run
	Message socket.Answer   `json:"message"`
}

// Visit is a chapter to which the lesson comes: as it was then.
type Visit struct {
	Slug    string `json:"slug"`
	Title   string `json:"title"`
	Version string `json:"version"` // names its text; "" if nobody knows
}

// A journal writes a lesson down, line by line, as it happens.
type journal struct {
	most int64
	log  *slog.Logger

	mu      sync.Mutex
	file    diary // nil before begin, and once closed
	began   time.Time
	last    int64             // of the times that were written
	size    int64             // of whole lines
	failed  error             // after which nothing more is written
	written map[string]uint64 // key → hash of the answer that stands in the file
	seed    maphash.Seed
	visited map[string]Visit // by slug, as it stands in the file
	titles  []string         // of those chapters, in the order in which the lesson came to them
	pointed time.Time        // the last pointer's
}

// pointerPause is the time between two pointers that are written down.
const pointerPause = 200 * time.Millisecond

// newsRoom is what a lesson may grow for news when there is no more for answers.
const newsRoom = 64 << 20

func newJournal(most int64, log *slog.Logger) *journal {
	return &journal{most: most, log: log, written: map[string]uint64{}, seed: maphash.MakeSeed(), visited: map[string]Visit{}}
}

// begin writes into a file that has size bytes of a lesson already.
func (j *journal) begin(f diary, began time.Time, size int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.file, j.began, j.size = f, began, size
}

func (j *journal) header(h Header) error {
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.line(text)
	return j.failed
}

// errFull ends a lesson that goes on for too long.
var errFull = errors.New("the lesson has become too long: the rest of it is not written down")

// line is called with mu held.
func (j *journal) line(text []byte) {
	if j.file == nil || j.failed != nil {
		return
	}
	err := errFull
	if j.size+int64(len(text)) < j.most+newsRoom {
		_, err = j.file.Write(append(text, '\n'))
	}
	if err != nil {
		j.failed = err
		j.log.Error("the lesson is written down no further", "error", err)
		return
	}
	j.size += int64(len(text)) + 1
}

func (j *journal) event(e Event) {
	// The clock may have been set back since a server before this one wrote.
	j.last = max(j.last, time.Since(j.began).Milliseconds())
	e.T = j.last
	text, err := json.Marshal(e)
	if err != nil {
		panic("BUG: an event is always JSON: " + err.Error())
	}
	j.line(text)
}

// news writes news down. Of a pointer that moves, some.
func (j *journal) news(n News) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if n.Kind == newsPointer && n.Pointer != nil {
		if time.Since(j.pointed) < pointerPause {
			return
		}
		j.pointed = time.Now()
	}
	j.event(Event{News: &n})
}

// visit writes down to which chapter the lesson comes, unless that stands there.
func (j *journal) visit(v Visit) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.visited[v.Slug] == v {
		return
	}
	j.note(v)
	j.event(Event{Chapter: &v})
}

// note notes that a chapter stands in the file.
func (j *journal) note(v Visit) {
	if _, been := j.visited[v.Slug]; !been {
		j.titles = append(j.titles, v.Title)
	}
	j.visited[v.Slug] = v
}

// contents returns how long the lesson is so far, in milliseconds, and the titles of its
// chapters.
func (j *journal) contents() (last int64, titles []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last, slices.Clone(j.titles)
}

// answer writes an answer down, unless it stands there. A lesson that has become too
// long has no more of them.
func (j *journal) answer(key string, q socket.Request, a socket.Answer) {
	j.mu.Lock()
	defer j.mu.Unlock()
	hash := maphash.Bytes(j.seed, a.Text())
	if old, ok := j.written[key]; ok && old == hash || j.size+int64(a.Size()) > j.most {
		return
	}
	j.written[key] = hash
	e := Answered{Key: key, Message: a}
	if runs(q.Type) && a.Run != "" {
		q.ID = ""
		e.Ask = &q
	}
	j.event(Event{Answer: &e})
}

// lesson returns what is written, which does not change while it is read. One that
// was given up is what there is of it.
func (j *journal) lesson() (io.Reader, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil || j.size == 0 {
		return nil, errNotKept
	}
	return io.NewSectionReader(j.file, 0, j.size), nil
}

var errNotKept = &run.Failure{Code: run.CodeInternal, Message: "This lesson was not written down."}

func (j *journal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	err := j.file.Close()
	j.file = nil
	return err
}
