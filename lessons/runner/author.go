package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"workbench/engine/device"
	"workbench/lessons/lesson"
)

// What is expected of every exercise.
const (
	mostID        = 32 // letters
	mostTitle     = 60
	mostColumns   = 80 // of a statement's line
	mostStatement = 60 // lines
	fewestHints   = 3
)

// fewestMutants is how many known-wrong variants an exercise has at least.
func fewestMutants(k lesson.Kind) int {
	switch k {
	case lesson.KindCUDA:
		return 4
	case lesson.KindGo:
		return 3
	}
	return 2
}

// Inspection is what an author is told of one exercise.
type Inspection struct {
	Lesson   string    `json:"lesson"` // ID; that of a folder which no exercise has
	Problems []Problem `json:"problems"`
	Variants []Variant `json:"variants"`
}

// Problem is something that is wrong with an exercise.
type Problem struct {
	File string `json:"file,omitempty"` // below the exercises' folder: "guard/mutants/no-guard/guard.cu"
	Text string `json:"text"`
}

func (p Problem) String() string {
	if p.File == "" {
		return p.Text
	}
	return p.File + ": " + p.Text
}

// Variant is one file of an exercise that was checked on one device.
type Variant struct {
	Name   string               `json:"name"` // "starter", "solution", "mutant no-guard"
	Device string               `json:"device"`
	Left   string               `json:"left,omitempty"` // why it was not checked
	Passed bool                 `json:"passed"`
	Kinds  []lesson.FindingKind `json:"kinds"`
}

// InspectOptions choose what is inspected.
type InspectOptions struct {
	Only     []string // IDs; none is all
	Devices  []string // further ones than those that every machine has: "cuda:0"
	Disk     fs.FS    // the exercises' folder as it is on the disk, to find files that do not belong there; nil looks for none
	Workers  int      // exercises at once; 0 is one for each processor
	Finished func(Inspection)
}

// Inspect holds every exercise to what an exercise has to be: its row, its files,
// a starter that fails, a solution that passes on every device, and mutants that
// are caught as what their authors say. The result has one Inspection for each
// exercise, in order, and one for each folder that is none.
func (c *Course) Inspect(ctx context.Context, o InspectOptions) ([]Inspection, error) {
	var chosen []*lesson.Lesson
	for i := range c.Lessons {
		if l := &c.Lessons[i]; len(o.Only) == 0 || slices.Contains(o.Only, l.ID) {
			chosen = append(chosen, l)
		}
	}
	out := make([]Inspection, len(chosen))
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var telling sync.Mutex
	var group sync.WaitGroup
	turn := make(chan struct{}, workers)
	for i, l := range chosen {
		turn <- struct{}{}
		group.Go(func() {
			defer func() { <-turn }()
			out[i] = c.inspect(ctx, l, o)
			if o.Finished != nil {
				telling.Lock()
				defer telling.Unlock()
				o.Finished(out[i])
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(o.Only) == 0 {
		out = append(out, c.strangers(o.Disk)...)
	}
	return out, nil
}

// strangers are folders that are no exercise of the list.
func (c *Course) strangers(disk fs.FS) []Inspection {
	known := map[string]bool{"lesson": true, "runner": true}
	for i := range c.Lessons {
		known[c.Lessons[i].ID] = true
	}
	if disk == nil {
		disk = c.Files
	}
	entries, err := fs.ReadDir(disk, ".")
	if err != nil {
		return []Inspection{{Lesson: ".", Problems: []Problem{{Text: err.Error()}}}}
	}
	var out []Inspection
	for _, e := range entries {
		if e.IsDir() && !known[e.Name()] {
			out = append(out, Inspection{Lesson: e.Name(), Problems: []Problem{{Text: "the folder is no exercise of the list: add its row, or remove it"}}})
		}
	}
	return out
}

// inspect inspects one exercise.
func (c *Course) inspect(ctx context.Context, l *lesson.Lesson, o InspectOptions) Inspection {
	in := Inspection{Lesson: l.ID, Problems: []Problem{}, Variants: []Variant{}}
	say := func(file, format string, args ...any) {
		in.Problems = append(in.Problems, Problem{file, fmt.Sprintf(format, args...)})
	}
	c.inspectRow(l, say)
	c.inspectStatement(l, say)
	c.inspectFolder(l, o.Disk, say)

	starter, err := c.starter(l)
	if err != nil {
		say(path.Join(l.ID, "starter", l.File()), "is missing")
		return in
	}
	inspectMarks(path.Join(l.ID, "starter", l.File()), starter, say)
	c.inspectForm(l, path.Join(l.ID, "starter", l.File()), starter, starter, say)

	run := func(name, file, spec string, source []byte) (*lesson.Verdict, bool) {
		v, err := c.Check(ctx, l, Options{Device: spec, Source: source, Name: file})
		var missing *device.UnavailableError
		switch {
		case errors.As(err, &missing):
			in.Variants = append(in.Variants, Variant{Name: name, Device: spec, Left: missing.Error(), Kinds: []lesson.FindingKind{}})
			return nil, false
		case err != nil:
			if ctx.Err() == nil {
				say(file, "cannot be checked on %s: %v", spec, err)
			}
			return nil, false
		}
		in.Variants = append(in.Variants, Variant{Name: name, Device: spec, Passed: v.Passed, Kinds: append([]lesson.FindingKind{}, v.Kinds()...)})
		return v, true
	}

	specs := specsOf(l, o.Devices)
	if v, ok := run("starter", path.Join(l.ID, "starter", l.File()), specs[0], starter); ok && v.Passed {
		say(path.Join(l.ID, "starter", l.File()), "passes: there is nothing to do")
	}

	if solution, err := c.Solution(l); err != nil {
		say(path.Join(l.ID, "solution", l.File()), "is missing")
	} else {
		file := path.Join(l.ID, "solution", l.File())
		c.inspectForm(l, file, starter, solution, say)
		for _, spec := range specs {
			if v, ok := run("solution", file, spec, solution); ok && !v.Passed {
				say(file, "fails on %s: %s", spec, first(v))
			}
		}
	}

	mutants, _ := fs.ReadDir(c.Files, path.Join(l.ID, "mutants"))
	if len(mutants) < fewestMutants(l.Kind()) {
		say(path.Join(l.ID, "mutants"), "has %d known-wrong variants; a %s exercise has at least %d", len(mutants), l.Kind(), fewestMutants(l.Kind()))
	}
	seen := map[string]string{}
	for _, m := range mutants {
		file := path.Join(l.ID, "mutants", m.Name(), l.File())
		source, err := fs.ReadFile(c.Files, file)
		if err != nil {
			say(file, "is missing")
			continue
		}
		kind, rest, problem := caughtAs(source)
		if problem != "" {
			say(file, "%s", problem)
			continue
		}
		if other, ok := seen[string(rest)]; ok {
			say(file, "is the same as mutant %s", other)
		}
		seen[string(rest)] = m.Name()
		c.inspectForm(l, file, starter, rest, say)
		if v, ok := run("mutant "+m.Name(), file, specs[0], source); ok {
			switch {
			case v.Passed:
				say(file, "passes: its mistake is not caught")
			case !slices.Contains(v.Kinds(), kind):
				say(file, "is caught as %v and not as %s: %s", v.Kinds(), kind, first(v))
			}
		}
	}
	return in
}

// first is the first finding in a line.
func first(v *lesson.Verdict) string {
	f := v.Findings[0]
	text := string(f.Kind) + ": " + f.Text
	if f.Case != "" {
		text += " (" + f.Case + ")"
	}
	return text
}

// specsOf are the devices on which a solution has to pass: both contracts where a
// kernel is run, since which one a learner has must not matter.
func specsOf(l *lesson.Lesson, more []string) []string {
	var specs []string
	for _, kind := range l.Devices {
		if kind == device.CUDA {
			continue // is among the further ones, where there is one
		}
		specs = append(specs, string(kind))
		if kind == device.Emulator {
			specs = append(specs, string(kind)+",fused")
		}
	}
	for _, name := range more {
		if spec, err := device.ParseSpec(name); err == nil && slices.Contains(l.Devices, spec.Kind) {
			specs = append(specs, name)
		}
	}
	return specs
}

var kebab = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// inspectRow looks at an exercise's row in the list.
func (c *Course) inspectRow(l *lesson.Lesson, say func(file, format string, args ...any)) {
	if !kebab.MatchString(l.ID) || len(l.ID) > mostID {
		say("", "the ID %q is not one: small letters and digits with single dashes between, %d at most", l.ID, mostID)
	}
	if n := utf8.RuneCountInString(l.Title); n == 0 || n > mostTitle {
		say("", "the title has %d letters, and a list has room for 1 to %d", n, mostTitle)
	}
	for i := range c.Lessons {
		other := &c.Lessons[i]
		if other == l {
			if i > 0 && c.Lessons[i-1].Chapter > l.Chapter {
				say("", "it follows chapter %d and stands behind one of chapter %d", l.Chapter, c.Lessons[i-1].Chapter)
			}
			continue
		}
		if other.ID == l.ID {
			say("", "another exercise has the same ID")
		}
		if other.Title == l.Title {
			say("", "%s has the same title", other.ID)
		}
	}
	if len(l.Devices) == 0 {
		say("", "no device is named")
	}
	if l.Limit <= 0 {
		say("", "it has no time limit")
	}
	if l.Within != (lesson.Tolerance{}) && l.Within.Why == "" {
		say("", "nothing says where its tolerance comes from")
	}
	if len(l.Hints) < fewestHints {
		say("", "it has %d hints; an exercise has at least %d", len(l.Hints), fewestHints)
	}
	for i, hint := range l.Hints {
		if strings.TrimSpace(hint) == "" || slices.Contains(l.Hints[:i], hint) {
			say("", "hint %d says nothing new", i+1)
		}
	}
}

// inspectStatement looks at what is to be done.
func (c *Course) inspectStatement(l *lesson.Lesson, say func(file, format string, args ...any)) {
	file := path.Join(l.ID, "statement.md")
	text, err := c.Statement(l)
	if err != nil {
		say(file, "is missing")
		return
	}
	if !strings.HasPrefix(text, "# ") {
		say(file, "does not begin with a title: # …")
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) > mostStatement {
		say(file, "has %d lines, more than the %d that are read at a glance", len(lines), mostStatement)
	}
	for i, line := range lines {
		if n := utf8.RuneCountInString(line); n > mostColumns {
			say(file, "line %d has %d columns, more than the %d of a terminal", i+1, n, mostColumns)
		}
	}
}

// inspectFolder looks for files that an exercise does not have.
func (c *Course) inspectFolder(l *lesson.Lesson, disk fs.FS, say func(file, format string, args ...any)) {
	if disk == nil {
		return
	}
	err := fs.WalkDir(disk, l.ID, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(strings.TrimPrefix(name, l.ID), "/")
		parts := strings.Split(rel, "/")
		var belongs bool
		switch {
		case rel == "" || rel == "starter" || rel == "solution" || rel == "mutants" || len(parts) == 2 && parts[0] == "mutants":
			belongs = d.IsDir()
		case len(parts) == 1: // what checks it, and a kernel that its statement is about
			belongs = rel == "statement.md" || strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, ".cu")
		case len(parts) == 2 && (parts[0] == "starter" || parts[0] == "solution"):
			belongs = parts[1] == l.File()
		case len(parts) == 3 && parts[0] == "mutants":
			belongs = parts[2] == l.File()
		}
		if !belongs {
			say(name, "does not belong here")
			if d.IsDir() {
				return fs.SkipDir
			}
		}
		return nil
	})
	if err != nil {
		say(l.ID, "cannot be listed: %v", err)
	}
}

// inspectMarks looks for the marks of what may be changed.
func inspectMarks(file string, source []byte, say func(file, format string, args ...any)) {
	open, pairs := false, 0
	for i, line := range strings.Split(string(source), "\n") {
		opens, closes := strings.Contains(line, lesson.Opens), strings.Contains(line, lesson.Closes)
		switch {
		case opens && open:
			say(file, "line %d begins a part within another", i+1)
		case closes && !open:
			say(file, "line %d ends a part that did not begin", i+1)
		case closes:
			pairs++
		}
		open = open && !closes || opens
	}
	if open {
		say(file, "a part begins that does not end")
	} else if pairs == 0 {
		say(file, "nothing marks what may be changed: write a comment with %q and one with %q", lesson.Opens, lesson.Closes)
	}
}

// inspectForm looks at how a variant is written: it differs from the starter
// between the marks alone, and Go is formatted.
func (c *Course) inspectForm(l *lesson.Lesson, file string, starter, source []byte, say func(file, format string, args ...any)) {
	if line, _ := strayed(string(starter), string(source)); line > 0 {
		say(file, "differs from the starter outside of the marks, at the line %d behind its heading", line)
	}
	if l.Kind() == lesson.KindGo {
		if formatted, err := format.Source(source); err != nil {
			say(file, "is no Go: %v", err)
		} else if !bytes.Equal(formatted, source) {
			say(file, "is not formatted: gofmt -w")
		}
	}
	for i, line := range bytes.Split(source, []byte("\n")) {
		if bytes.HasSuffix(line, []byte(" ")) || bytes.HasSuffix(line, []byte("\t")) || bytes.HasSuffix(line, []byte("\r")) {
			say(file, "line %d ends in blanks", i+1)
		}
	}
}

var caught = regexp.MustCompile(`^(?://|#) Caught as ([a-z-]+): .`)

// caughtAs reads the first line of a mutant, and returns what is below it.
func caughtAs(source []byte) (kind lesson.FindingKind, rest []byte, problem string) {
	m := caught.FindSubmatch(source)
	if m == nil {
		return "", nil, "its first line does not say what catches it: // Caught as KIND: why"
	}
	kind = lesson.FindingKind(m[1])
	if !kind.Known() {
		return "", nil, fmt.Sprintf("nothing is ever caught as %s", kind)
	}
	_, rest, _ = bytes.Cut(source, []byte("\n"))
	return kind, bytes.TrimPrefix(rest, []byte("\n")), ""
}
