package exercise

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"workbench/lessons/lesson"
)

// A Source is the course's exercises and the learner's folder: what package
// runner calls a Course. Its methods may be called by several goroutines.
type Source interface {
	List() []lesson.Lesson
	Statement(*lesson.Lesson) (string, error) // Markdown

	Folder() string                               // where the learner works
	ProgressPath() string                         // files in it
	Path(*lesson.Lesson) string                   //
	ResultPath(*lesson.Lesson) string             //
	Progress() (*lesson.Progress, error)          // an empty one where there is none
	Current(*lesson.Progress) *lesson.Lesson      // nil if all passed
	Last(*lesson.Lesson) (*lesson.Verdict, error) // nil if there is none
}

// Options of a Desk. The zero value is for ./course on this machine.
type Options struct {
	Command string         // the course's; "./course" if empty
	Zone    *time.Location // of the times that pages show; this machine's if nil
}

// A Desk is where a learner works, as pages look at it. It may be used by
// several goroutines.
type Desk struct {
	source     Source
	command    string
	zone       *time.Location
	lessons    []lesson.Lesson
	statements []template.HTML

	mu   sync.Mutex
	seen []fs.FileInfo // guarded by mu: what book was made of, nil for what was not there
	book *Book         // guarded by mu
}

// NewDesk returns a desk with the statements of all exercises.
func NewDesk(source Source, o Options) (*Desk, error) {
	d := &Desk{source: source, command: o.Command, zone: o.Zone, lessons: source.List()}
	if d.command == "" {
		d.command = "./course"
	}
	if d.zone == nil {
		d.zone = time.Local
	}
	for i := range d.lessons {
		text, err := source.Statement(&d.lessons[i])
		if err != nil {
			return nil, fmt.Errorf("the exercise %s has no statement: %w", d.lessons[i].ID, err)
		}
		d.statements = append(d.statements, statement(text))
	}
	return d, nil
}

// Folder is the learner's.
func (d *Desk) Folder() string { return d.source.Folder() }

// Book returns what the learner's folder holds now. It is the same one as before
// while nothing has changed.
func (d *Desk) Book() *Book {
	d.mu.Lock()
	defer d.mu.Unlock()
	// Before it is read: what changes meanwhile is another look's.
	now := d.look()
	if d.book != nil && slices.EqualFunc(d.seen, now, sameFile) {
		return d.book
	}
	d.seen = now
	if b := d.read(); d.book == nil || d.book.Version != b.Version {
		d.book = b
	}
	return d.book
}

// look returns the state of every file that a book is made of.
func (d *Desk) look() []fs.FileInfo {
	files := make([]fs.FileInfo, 0, 2+2*len(d.lessons))
	add := func(name string) {
		info, err := os.Stat(name)
		if err != nil {
			info = nil
		}
		files = append(files, info)
	}
	add(d.source.Folder())
	files[0] = folderOf(files[0])
	add(d.source.ProgressPath())
	for i := range d.lessons {
		add(d.source.Path(&d.lessons[i]))
		add(d.source.ResultPath(&d.lessons[i]))
	}
	return files
}

// A folder is there or not: its time changes with every file that comes and goes.
type folder struct{ fs.FileInfo }

func (folder) ModTime() time.Time { return time.Time{} }
func (folder) Size() int64        { return 0 }

func folderOf(info fs.FileInfo) fs.FileInfo {
	if info != nil && info.IsDir() {
		return folder{info}
	}
	return info
}

func sameFile(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	// A file that took another's place within one tick of the clock is another one.
	return a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size() && a.Mode() == b.Mode() && (a.IsDir() || os.SameFile(a, b))
}

// read makes a book.
func (d *Desk) read() *Book {
	b := &Book{Command: d.command + " run", Folder: d.source.Folder()}
	switch info, err := os.Stat(b.Folder); {
	case err == nil && !info.IsDir():
		b.Problem = b.Folder + " is no folder: move it away, and `" + b.Command + "` makes one"
	case err == nil:
		b.Begun = true
	case !errors.Is(err, fs.ErrNotExist):
		b.Problem = explain(b.Folder, err)
	}
	progress, next := d.progress(b)
	for i := range d.lessons {
		l := &d.lessons[i]
		e := d.entry(b, l, i)
		if progress != nil {
			e.State = Open
			if p, ok := progress.Passed[l.ID]; ok {
				e.State, e.Passed = Passed, &Pass{moment(p.When, d.zone), line(p.On)}
				b.Passed++
			}
		}
		if next != nil && next.ID == l.ID {
			e.Next, b.Next = true, e
		}
		b.Entries = append(b.Entries, e)
		g := b.Group(l.Chapter)
		if g == nil {
			g = &Group{Chapter: l.Chapter, Known: progress != nil}
			b.Groups = append(b.Groups, g)
		}
		g.Entries = append(g.Entries, e)
		g.Of++
		if e.State == Passed {
			g.Passed++
		}
	}
	for _, g := range b.Groups {
		// What its chapter's page says of the folder, too.
		g.Version = version(g, b.Folder, b.Begun, b.Problem, b.Strange)
	}
	b.Version = version(b)
	return b
}

// version names what is in something.
func version(of ...any) string {
	text, err := json.Marshal(of)
	if err != nil {
		panic("BUG: a book is always JSON: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// progress reads how far the learner is; nil if nobody can say.
func (d *Desk) progress(b *Book) (*lesson.Progress, *lesson.Lesson) {
	if b.Problem != "" {
		return nil, nil
	}
	p, err := d.source.Progress()
	if err != nil {
		b.Problem = explain(d.source.ProgressPath(), err)
		return nil, nil
	}
	b.Strange = len(p.Strange)
	return p, d.source.Current(p)
}

// entry makes what is shown of one exercise, but for whether it passed.
func (d *Desk) entry(b *Book, l *lesson.Lesson, i int) *Entry {
	e := &Entry{
		Number: i + 1, ID: l.ID, Title: l.Title, Kind: l.Kind(), Chapter: l.Chapter,
		Command: b.Command + " " + l.ID, Statement: d.statements[i], State: Unknown,
		File: d.source.Path(l), Result: d.source.ResultPath(l),
	}
	v, err := d.source.Last(l)
	if err != nil {
		e.Problem = explain(e.Result, err)
		return e
	}
	if v == nil {
		return e
	}
	e.Verdict = verdict(v, d.zone)
	switch info, err := os.Stat(e.File); {
	case errors.Is(err, fs.ErrNotExist):
		e.Verdict.Gone = true
	case err != nil: // who cannot look at it cannot say that it changed
	case v.Saved.IsZero() && info.ModTime().After(v.When), !v.Saved.IsZero() && !info.ModTime().Equal(v.Saved):
		changed := moment(info.ModTime(), d.zone)
		e.Verdict.Changed = &changed
	}
	return e
}

// moment is a time as a page shows it. A year that has no four digits can be no
// JSON, and is left out.
func moment(t time.Time, zone *time.Location) time.Time {
	for _, shown := range []time.Time{t.In(zone), t.UTC()} {
		if shown.Year() >= 0 && shown.Year() <= 9999 {
			return shown
		}
	}
	return time.Time{}
}

// explain says what is wrong with a file, and what to do.
func explain(file string, err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return fmt.Sprintf("%s cannot be read (%v): mend that, and it shows here", file, at.Err)
	}
	return line(err.Error()) // a FileError of package runner, which has place and way out
}
