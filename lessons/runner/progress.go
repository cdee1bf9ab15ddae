package runner

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gofrs/flock"

	"workbench/lessons/lesson"
)

// ProgressFile is the name of the file in the learner's folder that says which
// exercises passed. It is text, a line for each thing that is known, so that it
// can be read, copied to another machine, and put under version control:
//
//	# How far you are …
//	at guard
//	passed flat-index 2026-11-30T12:00:00Z on this computer
//	hints guard 2
//
// Exercises are named by their IDs. What is about one that the course no longer
// has, and lines that nobody understands, stay in the file.
const ProgressFile = "progress.txt"

// maxProgress bounds the file that is read, in bytes.
const maxProgress = 1 << 20

const progressHead = `# How far you are in the exercises. The course reads and writes this file; copy it
# to another machine, and you go on from here.
`

// ProgressPath is the file that says how far the learner is.
func (c *Course) ProgressPath() string { return filepath.Join(c.Dir, ProgressFile) }

// Progress reads how far the learner is. A file that is not there is the
// beginning.
func (c *Course) Progress() (*lesson.Progress, error) {
	p := &lesson.Progress{Passed: map[string]lesson.Passed{}, Hints: map[string]int{}}
	name := c.ProgressPath()
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p, nil
	case err != nil:
		return nil, err
	case info.IsDir() || info.Size() > maxProgress:
		return nil, &FileError{name, "is no list of what passed", "move it away; a new one is begun, and `check-all` finds out again what passes"}
	}
	file, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(file, []byte("\xef\xbb\xbf")) {
		file = file[3:]
	}
	for line := range strings.Lines(string(file)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if !take(p, line) {
			p.Strange = append(p.Strange, line)
		}
	}
	return p, nil
}

// take reads one line and says whether it could.
func take(p *lesson.Progress, line string) bool {
	words := strings.Fields(line)
	if len(words) < 2 || !utf8.ValidString(line) {
		return false
	}
	id := words[1]
	switch {
	case words[0] == "at" && len(words) == 2:
		p.At = id
		return true
	case words[0] == "hints" && len(words) == 3:
		n, err := strconv.Atoi(words[2])
		if err != nil || n < 0 {
			return false
		}
		p.Hints[id] = max(p.Hints[id], n)
		return true
	case words[0] == "passed" && len(words) >= 3:
		when, err := time.Parse(time.RFC3339, words[2])
		if err != nil {
			return false
		}
		on := ""
		if len(words) > 4 && words[3] == "on" {
			on = strings.Join(words[4:], " ")
		}
		if have, ok := p.Passed[id]; !ok || when.Before(have.When) {
			p.Passed[id] = lesson.Passed{When: when, On: on}
		}
		return true
	}
	return false
}

// text writes the file.
func text(p *lesson.Progress) []byte {
	out := bytes.NewBufferString(progressHead)
	if p.At != "" {
		fmt.Fprintf(out, "at %s\n", p.At)
	}
	for _, id := range slices.Sorted(maps.Keys(p.Passed)) {
		passed := p.Passed[id]
		fmt.Fprintf(out, "passed %s %s", id, passed.When.UTC().Format(time.RFC3339))
		if passed.On != "" {
			fmt.Fprintf(out, " on %s", strings.Join(strings.Fields(passed.On), " "))
		}
		fmt.Fprintln(out)
	}
	for _, id := range slices.Sorted(maps.Keys(p.Hints)) {
		fmt.Fprintf(out, "hints %s %d\n", id, p.Hints[id])
	}
	for _, line := range p.Strange {
		fmt.Fprintln(out, line)
	}
	return out.Bytes()
}

// change changes the progress. Other processes that do so wait for their turn.
func (c *Course) change(how func(*lesson.Progress)) error {
	if err := os.MkdirAll(c.Dir, 0o777); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(c.Dir, ".progress.lock"))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("the progress cannot be kept: %w", err)
	}
	defer lock.Unlock()
	p, err := c.Progress()
	if err != nil {
		return err
	}
	before := text(p)
	how(p)
	after := text(p)
	if bytes.Equal(before, after) {
		return nil
	}
	return writeFile(c.ProgressPath(), after)
}

// Choose says that the learner is at an exercise now.
func (c *Course) Choose(l *lesson.Lesson) error {
	return c.change(func(p *lesson.Progress) { p.At = l.ID })
}

// Keep takes down a verdict: that the exercise passed, if it did, and the verdict
// itself, for whoever shows it. First says that it passed for the first time.
func (c *Course) Keep(v *lesson.Verdict) (first bool, err error) {
	if err := c.keepVerdict(v); err != nil {
		return false, err
	}
	if !v.Passed {
		return false, nil
	}
	err = c.change(func(p *lesson.Progress) {
		if _, ok := p.Passed[v.Lesson]; !ok {
			first = true
			p.Passed[v.Lesson] = lesson.Passed{When: v.When, On: v.Device}
		}
	})
	return first, err
}

// NextHint returns the next hint of an exercise, and which it is, from 1. Behind
// the last it is the last again; "" and 0 where there is none.
func (c *Course) NextHint(l *lesson.Lesson) (text string, number int, err error) {
	if len(l.Hints) == 0 {
		return "", 0, nil
	}
	err = c.change(func(p *lesson.Progress) {
		number = min(p.Hints[l.ID]+1, len(l.Hints))
		p.Hints[l.ID] = number
	})
	if err != nil {
		return "", 0, err
	}
	return l.Hints[number-1], number, nil
}

// Current returns the exercise that the learner is at: the one that was chosen,
// if it has not passed, or else the first behind it that has not, or the first of
// all. Nil is that all passed.
func (c *Course) Current(p *lesson.Progress) *lesson.Lesson {
	begin := 0
	for i := range c.Lessons {
		if c.Lessons[i].ID == p.At {
			begin = i
		}
	}
	for k := range c.Lessons {
		l := &c.Lessons[(begin+k)%len(c.Lessons)]
		if _, passed := p.Passed[l.ID]; !passed {
			return l
		}
	}
	return nil
}
