package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"workbench/engine/device"
	"workbench/lessons/lesson"
	"workbench/lessons/runner"
)

// smallCourse is a course of three questions, whose answers are 1, 2 and 3.
func smallCourse() ([]lesson.Lesson, fs.FS) {
	files := fstest.MapFS{}
	var all []lesson.Lesson
	for i, id := range []string{"first-sum", "second-sum", "third-product"} {
		answer := fmt.Sprint(i + 1)
		all = append(all, lesson.Lesson{
			ID: id, Title: "Say what comes out, number " + answer, Chapter: 1 + i/2,
			Devices: []device.Kind{device.CPU}, Limit: time.Second,
			Hints: []string{"Count.", "Count again, from one.", "Count to " + answer + "."},
			Check: &lesson.Questions{Questions: []lesson.Question{{
				Name: "n", Form: "a whole number",
				Answer: func(context.Context, lesson.On) ([]string, error) { return []string{answer}, nil },
			}}},
		})
		file := strings.ReplaceAll(id, "-", "_") + ".txt"
		text := func(answer string) *fstest.MapFile {
			return &fstest.MapFile{Data: []byte("# ---- your part begins ----\nn = " + answer + "\n# ---- your part ends ----\n")}
		}
		files[id+"/starter/"+file] = text("")
		files[id+"/solution/"+file] = text(answer)
		files[id+"/statement.md"] = &fstest.MapFile{Data: []byte("# What comes out\n\nHow much is n?\n")}
	}
	return all, files
}

// learner is somebody who works on the small course in a folder of their own.
type learner struct {
	t   *testing.T
	dir string
	now time.Time
}

func newLearner(t *testing.T) *learner {
	return &learner{t: t, dir: filepath.Join(t.TempDir(), "exercises"), now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
}

// call runs a command in the learner's folder.
func (l *learner) call(stdin string, args ...string) outcome {
	l.t.Helper()
	return callWith(l.t.Context(), func(p *program) {
		p.teach = func(c *runner.Course) {
			c.Lessons, c.Files = smallCourse()
			c.Now = func() time.Time { return l.now }
		}
	}, stdin, append(args, "--dir", l.dir)...)
}

// file is where the learner writes an exercise's answer.
func (l *learner) file(id string) string {
	return filepath.Join(l.dir, id, strings.ReplaceAll(id, "-", "_")+".txt")
}

func (l *learner) answer(id, answer string) {
	l.t.Helper()
	if err := os.WriteFile(l.file(id), []byte("# ---- your part begins ----\nn = "+answer+"\n# ---- your part ends ----\n"), 0o666); err != nil {
		l.t.Fatal(err)
	}
}

// expect runs a command and holds its status and what it prints.
func (l *learner) expect(status int, args []string, prints ...string) outcome {
	l.t.Helper()
	o := l.call("", args...)
	if o.status != status {
		l.t.Errorf("%v ends with status %d, want %d: %s", args, o.status, status, o)
	}
	for _, text := range prints {
		if !strings.Contains(o.stdout+o.stderr, text) {
			l.t.Errorf("%v does not say %q:\n%s", args, text, o)
		}
	}
	return o
}

// The way of a learner through the whole course, by run alone.
func TestRunThroughTheCourse(t *testing.T) {
	l := newLearner(t)
	o := l.expect(statusFailed, []string{"run"}, "Your exercises are in ", "How much is n?", "exercise 1 of 3", l.file("first-sum"), "Not passed", "workbench hint")
	if strings.Contains(o.stdout, "\x1b") {
		t.Errorf("escapes where nobody has a terminal: %q", o.stdout)
	}
	l.answer("first-sum", "7")
	o = l.expect(statusFailed, []string{"run"}, "Not passed", l.file("first-sum"), "this computer")
	if strings.Contains(o.stdout, "How much") || strings.Contains(o.stdout, "Your exercises are in") {
		t.Errorf("what was said once is said again:\n%s", o.stdout)
	}
	l.expect(statusFailed, []string{"run", "--statement"}, "How much is n?")

	l.answer("first-sum", "1")
	l.expect(statusOK, []string{"run"}, "Passed", "Next: Say what comes out, number 2 (second-sum)")
	l.expect(statusFailed, []string{"run"}, "exercise 2 of 3", "How much is n?")

	// What passed stays so, and that is said.
	l.answer("first-sum", "9")
	l.expect(statusFailed, []string{"run", "first"}, "Not passed", "passed before, and stays passed")
	l.answer("third-product", "3")
	l.expect(statusOK, []string{"run", "3"}, "Passed", "(second-sum)")
	l.answer("second-sum", "2")
	l.expect(statusOK, []string{"run", "second-sum"}, "All 3 exercises have passed")
	l.expect(statusOK, []string{"run"}, "All 3 exercises have passed", "third-product", "check-all")
	if o := l.call("", "run", "--json"); o.status != statusOK || o.stdout != "null\n" {
		t.Errorf("with nothing left --json: %s", o)
	}
}

func TestRunJSON(t *testing.T) {
	l := newLearner(t)
	for _, c := range []struct {
		answer string
		status int
	}{{"4", statusFailed}, {"1", statusOK}} {
		l.call("", "run", "--json")
		l.answer("first-sum", c.answer)
		o := l.call("", "run", "first-sum", "--json")
		var v lesson.Verdict
		if err := json.Unmarshal([]byte(o.stdout), &v); err != nil || o.status != c.status || o.stderr != "" {
			t.Fatalf("%v, %s", err, o)
		}
		if v.Lesson != "first-sum" || v.Passed != (c.status == statusOK) || v.File != l.file("first-sum") {
			t.Errorf("the verdict is %+v", v)
		}
	}
}

// A wrong call has status 2 and prints nothing else; what cannot be read fails.
func TestRunErrors(t *testing.T) {
	l := newLearner(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "frist-sum"}, `there is no exercise "frist-sum"; there is first-sum`},
		{[]string{"run", "nothing-like-it"}, "`list` shows all"},
		{[]string{"run", "4"}, `there is no exercise "4"`},
		{[]string{"run", ""}, `"" is no exercise`},
		{[]string{"run", "first-sum", "second-sum"}, "one argument too many"},
		{[]string{"run", "--device", "gpu"}, "--device: "},
		{[]string{"run", "--device", "cuda:0"}, "it is a question: leave --device away"},
	} {
		o := l.expect(statusUsage, c.args, c.want)
		if o.stdout != "" {
			t.Errorf("%v prints %q besides its error", c.args, o.stdout)
		}
	}
	if err := os.Remove(l.file("first-sum")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(l.file("first-sum"), 0o777); err != nil {
		t.Fatal(err)
	}
	l.expect(statusFailed, []string{"run"}, l.file("first-sum")+" is a folder")
}
