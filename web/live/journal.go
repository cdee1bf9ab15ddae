package live

import (
	"encoding/json"
	"errors"
	"hash/maphash"
	"io"
	"os"
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

// Event is every other line: news, or an answer.
type Event struct {
	T      int64     `json:"t"` // milliseconds since Began
	News   *News     `json:"news,omitempty"`
	Answer *Answered `json:"answer,omitempty"`
}

// Answered is what a presenter's page asked for and was answered.
type Answered struct {
	Key     string          `json:"key"`
	Ask     *socket.Request `json:"ask,omitempty"` // of a run
	Message socket.Answer   `json:"message"`
}

// A journal writes a lesson down, line by line, as it happens.
type journal struct {
	most int64

	mu      sync.Mutex
	file    *os.File // nil before begin, and once closed
	began   time.Time
	size    int64
	failed  error
	written map[string]uint64 // key → hash of the answer that stands in the file
	seed    maphash.Seed
	pointed time.Time // the last pointer's
}

// pointerPause is the time between two pointers that are written down.
const pointerPause = 200 * time.Millisecond

func newJournal(most int64) *journal {
	return &journal{most: most, written: map[string]uint64{}, seed: maphash.MakeSeed()}
}

// begin writes into a file that has size bytes of a lesson already.
func (j *journal) begin(f *os.File, began time.Time, size int64) {
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
	return j.line(text)
}

// line is called with mu held.
func (j *journal) line(text []byte) error {
	if j.file == nil {
		return nil
	}
	n, err := j.file.Write(append(text, '\n'))
	j.size += int64(n)
	if err != nil && j.failed == nil {
		j.failed = err
	}
	return err
}

func (j *journal) event(e Event) {
	e.T = time.Since(j.began).Milliseconds()
	text, err := json.Marshal(e)
	if err != nil {
		panic("BUG: an event is always JSON: " + err.Error())
	}
	_ = j.line(text) // kept in failed
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

// copy writes the lesson as it is.
func (j *journal) copy(w io.Writer) error {
	j.mu.Lock()
	file, size, failed := j.file, j.size, j.failed
	j.mu.Unlock()
	switch {
	case failed != nil:
		return failed
	case file == nil:
		return errNotKept
	}
	_, err := io.Copy(w, io.NewSectionReader(file, 0, size))
	return err
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
	return errors.Join(j.failed, err)
}
