// Package runner checks exercises: it runs the learner's file on the cases of
// the exercise and says what came of it, in a lesson.Verdict.
//
//	course := &runner.Course{Lessons: lessons.All, Files: lessons.Files(), Dir: "exercises", …}
//	verdict, err := course.Check(ctx, l, runner.Options{})
//
// What is wrong with the learner's file is in the verdict. An error is something
// that keeps an exercise from being checked at all: a folder that cannot be
// written, a device that is not there.
package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

// MaxSource is the most bytes of a learner's file.
const MaxSource = 256 << 10

// Course is the exercises, and where a learner works on them. Its methods may be
// called by several goroutines.
type Course struct {
	Lessons []lesson.Lesson
	Files   fs.FS // the folders of the exercises, by ID

	Dir   string // the learner's copies, and the progress
	Cache string // where Go exercises are built

	// Open opens a device by name, Emulator makes what runs kernels without a GPU:
	// the engine's front door.
	Open     func(ctx context.Context, spec string) (device.Device, error)
	Emulator func(launch.Watch) launch.Recorder

	// Go is the command that builds Go exercises; "" looks for it.
	Go string

	// Now is the clock of verdicts and progress; nil is the system's.
	Now func() time.Time
}

// Phase is what a check is at.
type Phase struct {
	Doing string // "compiling", "running", "comparing"
	Case  string // of which case, if one
	Done  int    // cases that are done
	Of    int    // cases there are, 0 while nobody knows
}

// Options of a check. The zero value checks the learner's file where the exercise
// is usually checked.
type Options struct {
	Device   string      // "emulator", "cuda:0"; "" is the exercise's first
	Source   []byte      // checked in place of the learner's file, if not nil
	Name     string      // of Source in messages
	Progress func(Phase) // is told, if not nil, in one goroutine
}

// NotFoundError is an exercise that nobody has.
type NotFoundError struct {
	Name    string
	Nearest []string // IDs that are like it
}

func (e *NotFoundError) Error() string {
	if len(e.Nearest) == 0 {
		return fmt.Sprintf("there is no exercise %q", e.Name)
	}
	return fmt.Sprintf("there is no exercise %q; there is %s", e.Name, strings.Join(e.Nearest, ", "))
}

// FileError is a learner's file, or one of the course's about them, that cannot
// be used.
type FileError struct {
	Path   string
	Reason string
	Next   string
}

func (e *FileError) Error() string { return e.Path + " " + e.Reason + ": " + e.Next }

// DeviceError is a device on which an exercise is not checked.
type DeviceError struct {
	Lesson string
	Device string
	Reason string
}

func (e *DeviceError) Error() string {
	return fmt.Sprintf("%s is not checked on %s: %s", e.Lesson, e.Device, e.Reason)
}

// A check in progress.
type job struct {
	lesson   *lesson.Lesson
	source   []byte
	spec     device.Spec
	progress func(Phase)
	verdict  *lesson.Verdict
}

// find adds what is wrong.
func (j *job) find(f lesson.Finding) { j.verdict.Findings = append(j.verdict.Findings, f) }

// Check checks the learner's file of an exercise.
func (c *Course) Check(ctx context.Context, l *lesson.Lesson, o Options) (*lesson.Verdict, error) {
	spec, err := deviceOf(l, o.Device)
	if err != nil {
		return nil, err
	}
	j := &job{lesson: l, spec: spec, progress: o.Progress, source: o.Source}
	if j.progress == nil {
		j.progress = func(Phase) {}
	}
	name := o.Name
	var saved time.Time
	if o.Source == nil {
		name = c.Path(l)
		if j.source, saved, err = readSource(name); err != nil {
			return nil, err
		}
	}
	if name == "" {
		name = l.File()
	}
	j.verdict = &lesson.Verdict{Lesson: l.ID, Kind: l.Kind(), File: name, Device: spec.String(), When: c.now(), Saved: saved, Findings: []lesson.Finding{}, Notes: []string{}, Cases: []lesson.CaseRun{}}
	switch check := l.Check.(type) {
	case *lesson.Go:
		err = c.checkGo(ctx, j, check)
	case *lesson.CUDA:
		err = c.checkCUDA(ctx, j, check)
	case *lesson.Questions:
		err = c.checkQuestions(ctx, j, check)
	default:
		panic("BUG: nothing checks " + l.ID)
	}
	if err != nil {
		return nil, err
	}
	j.verdict.Passed = len(j.verdict.Findings) == 0
	if !j.verdict.Passed {
		c.explain(j)
	}
	return j.verdict, nil
}

// explain adds to a failed verdict what the cases cannot know: that nothing was
// done yet, or that lines were changed that were to stay.
func (c *Course) explain(j *job) {
	starter, err := c.starter(j.lesson)
	if err != nil {
		return
	}
	if string(starter) == string(j.source) && j.lesson.Mend {
		j.verdict.Notes = append(j.verdict.Notes, "the file is as it was handed out, and this is what is wrong with it")
		return
	}
	if string(starter) == string(j.source) {
		j.verdict.Findings = append([]lesson.Finding{{
			Kind: lesson.Untouched,
			Text: "The file is as it was handed out.",
			Next: "open " + j.verdict.File + " and write your part between the two marks",
		}}, j.verdict.Findings...)
		return
	}
	if line, text := strayed(string(starter), string(j.source)); line > 0 {
		note := fmt.Sprintf("line %d is outside of your part and was changed; the exercise hands it out as: %s", line, text)
		if text == "" {
			note = fmt.Sprintf("line %d is outside of your part, and the exercise has no such line", line)
		}
		j.verdict.Notes = append(j.verdict.Notes, note)
	}
}

// strayed returns the first line outside of the marks in which a source differs
// from the starter, and what the starter has there, "" if the line was added; 0 if
// none does. What Go imports is the learner's affair.
func strayed(starter, source string) (line int, text string) {
	want, have := outside(starter), outside(source)
	for i, w := range want {
		if i == len(have) {
			return strings.Count(source, "\n") + 1, w.text
		}
		if have[i].text != w.text {
			return have[i].number, w.text
		}
	}
	if len(have) > len(want) {
		return have[len(want)].number, ""
	}
	return 0, ""
}

// numbered is a line of a file.
type numbered struct {
	number int // from 1
	text   string
}

// outside returns the lines outside of the marks, with the marks, and without those
// that are blank or import something.
func outside(source string) []numbered {
	var lines []numbered
	mine, importing, number := false, false, 0
	for text := range strings.Lines(source) {
		number++
		text = strings.TrimSpace(text)
		switch {
		case mine && !strings.Contains(text, lesson.Closes), text == "":
			continue
		case importing:
			importing = text != ")"
			continue
		case strings.HasPrefix(text, "import "):
			importing = strings.HasSuffix(text, "(")
			continue
		}
		mine = strings.Contains(text, lesson.Opens)
		lines = append(lines, numbered{number, text})
	}
	return lines
}

// deviceOf reads the device that was asked for, and holds it against the
// exercise's.
func deviceOf(l *lesson.Lesson, name string) (device.Spec, error) {
	if name == "" {
		return device.Spec{Kind: l.Devices[0]}, nil
	}
	spec, err := device.ParseSpec(name)
	if err != nil {
		return device.Spec{}, err
	}
	if spec.Library {
		return device.Spec{}, &DeviceError{l.ID, name, "an exercise's kernel is one's own, and no library's"}
	}
	for _, kind := range l.Devices {
		if kind == spec.Kind {
			return spec, nil
		}
	}
	switch l.Kind() {
	case lesson.KindCUDA:
		return device.Spec{}, &DeviceError{l.ID, name, "it is a kernel, which runs on the emulator or a GPU: leave --device away, or write --device cuda:0"}
	case lesson.KindGo:
		return device.Spec{}, &DeviceError{l.ID, name, "it is a Go program of this computer: leave --device away"}
	}
	return device.Spec{}, &DeviceError{l.ID, name, "it is a question: leave --device away"}
}

// readSource reads a learner's file within bounds, and says when it was saved.
func readSource(path string) (source []byte, saved time.Time, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, saved, &FileError{path, "is missing", "`reset` hands it out again"}
	case err != nil:
		return nil, saved, err
	case info.IsDir():
		return nil, saved, &FileError{path, "is a folder", "move it away, and `reset` hands the file out again"}
	case info.Size() > MaxSource:
		return nil, saved, &FileError{path, fmt.Sprintf("has %d bytes, more than the %d that are read", info.Size(), MaxSource), "make it shorter"}
	}
	source, err = os.ReadFile(path)
	if len(source) > MaxSource {
		return nil, saved, &FileError{path, "grew while it was read", "check it again"}
	}
	return source, info.ModTime(), err
}

// Find returns the exercise of an ID, of its number in the list from 1, or of an
// ID's beginning that no other has.
func (c *Course) Find(name string) (*lesson.Lesson, error) {
	var like []string
	var found *lesson.Lesson
	for i := range c.Lessons {
		l := &c.Lessons[i]
		if l.ID == name || fmt.Sprint(i+1) == name {
			return l, nil
		}
		if strings.HasPrefix(l.ID, name) && name != "" {
			like, found = append(like, l.ID), l
		}
	}
	if len(like) == 1 {
		return found, nil
	}
	if len(like) == 0 {
		for i := range c.Lessons {
			if id := c.Lessons[i].ID; strings.Contains(id, name) || near(id, name) {
				like = append(like, id)
			}
		}
	}
	return nil, &NotFoundError{name, like}
}

// near says whether two names are within two letters of each other (Levenshtein).
func near(a, b string) bool {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)] <= 2
}

// Number returns an exercise's place in the list, from 1.
func (c *Course) Number(l *lesson.Lesson) int {
	for i := range c.Lessons {
		if c.Lessons[i].ID == l.ID {
			return i + 1
		}
	}
	panic("BUG: " + l.ID + " is not in the course")
}

func (c *Course) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}

// List returns the exercises in order.
func (c *Course) List() []lesson.Lesson { return c.Lessons }

// Folder is where the learner works.
func (c *Course) Folder() string { return c.Dir }

// Path is the learner's file of an exercise.
func (c *Course) Path(l *lesson.Lesson) string { return filepath.Join(c.Dir, l.ID, l.File()) }
