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
	t    *testing.T
	dir  string
	now  time.Time
	room string // COURSE_ROOM
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
		p.getenv = func(name string) string { return map[string]string{"COURSE_ROOM": l.room}[name] }
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
	said := strings.Join(strings.Fields(o.stdout+o.stderr), " ") // wherever the lines end
	for _, text := range prints {
		if !strings.Contains(said, strings.TrimSpace(text)) {
			l.t.Errorf("%v does not say %q:\n%s", args, text, o)
		}
	}
	return o
}

// The way of a learner through the whole course, by run alone.
func TestRunThroughTheCourse(t *testing.T) {
	l := newLearner(t)
	o := l.expect(statusFailed, []string{"run"}, "Your exercises are in ", "How much is n?", "exercise 1 of 3", l.file("first-sum"), "Not begun", "workbench hint")
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

// A verdict that was kept and cannot be read is written anew.
func TestRunAfterABrokenVerdict(t *testing.T) {
	l := newLearner(t)
	l.call("", "run")
	kept := filepath.Join(l.dir, "first-sum", ".result.json")
	if err := os.WriteFile(kept, []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	l.answer("first-sum", "1")
	l.expect(statusOK, []string{"run"}, "Passed")
	if text, err := os.ReadFile(kept); err != nil || !json.Valid(text) {
		t.Errorf("afterwards there is %q, %v", text, err)
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

func TestHints(t *testing.T) {
	l := newLearner(t)
	l.expect(statusOK, []string{"hint"}, "Hint 1 of 3 for first-sum", "Count.")
	l.expect(statusFailed, []string{"run"}, "gives a stronger hint")
	l.expect(statusFailed, []string{"hint", "--all"}, "has not passed yet")
	l.expect(statusOK, []string{"hint"}, "Hint 2 of 3")
	l.expect(statusOK, []string{"hint"}, "Hint 3 of 3", "Count to 1.")
	l.expect(statusOK, []string{"hint"}, "Hint 3 of 3")
	l.expect(statusOK, []string{"hint", "2"}, "Hint 1 of 3 for second-sum")
	l.answer("first-sum", "1")
	l.expect(statusOK, []string{"run", "first-sum"})
	l.expect(statusOK, []string{"hint", "first-sum", "--all"}, "Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3")
}

// What was written is kept, and the command says where.
func TestReset(t *testing.T) {
	l := newLearner(t)
	l.call("", "list")
	l.answer("first-sum", "41")
	if o := l.expect(statusUsage, []string{"reset"}, "write --yes"); o.stdout != "" {
		t.Errorf("it prints %q", o.stdout)
	}
	backup := l.file("first-sum") + ".2026-11-30-120000.bak"
	l.expect(statusOK, []string{"reset", "--yes"}, "is as it was handed out", "is kept in "+backup)
	for file, want := range map[string]string{l.file("first-sum"): "n = \n", backup: "n = 41\n"} {
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s holds %q, %v", file, text, err)
		}
	}
	if o := l.expect(statusOK, []string{"reset", "--yes"}, "is as it was handed out"); strings.Contains(o.stdout, "kept") {
		t.Errorf("a file that nobody changed is kept: %s", o)
	}
}

func TestSolution(t *testing.T) {
	l := newLearner(t)
	if o := l.expect(statusFailed, []string{"solution"}, "has not passed yet"); o.stdout != "" {
		t.Errorf("it prints %q", o.stdout)
	}
	whole := "# ---- your part begins ----\nn = 2\n# ---- your part ends ----\n"
	if o := l.expect(statusOK, []string{"solution", "second-sum", "--peek"}); o.stdout != whole {
		t.Errorf("it prints %q", o.stdout)
	}
	l.answer("first-sum", "1.0")
	l.expect(statusOK, []string{"run"}, "Passed")
	l.expect(statusOK, []string{"solution"}, "n = 1\n") // of the one that was chosen last
	if o := l.expect(statusOK, []string{"solution", "--diff"}); !strings.Contains(o.stdout, "\n-n = 1.0\n+n = 1\n") {
		t.Errorf("the differences are %s", o)
	}
	l.answer("first-sum", "1")
	l.expect(statusOK, []string{"solution", "--diff"}, "letter by letter")
}

func TestListCommand(t *testing.T) {
	l := newLearner(t)
	l.answerAll()
	l.expect(statusOK, []string{"run", "second-sum"})
	o := l.expect(statusOK, []string{"list"}, "first-sum", "second-sum", "third-product", "1 of 3 exercises have passed")
	if strings.Count(o.stdout, "next") != 1 || strings.Count(o.stdout, "not yet") != 1 {
		t.Errorf("the states are wrong:\n%s", o.stdout)
	}
	for _, c := range []struct {
		args []string
		want string // IDs
	}{
		{nil, "first-sum second-sum third-product"},
		{[]string{"--passed"}, "second-sum"},
		{[]string{"--pending"}, "first-sum third-product"},
		{[]string{"--chapter", "2"}, "third-product"},
		{[]string{"--kind", "question", "sum"}, "first-sum second-sum"},
		{[]string{"--kind", "cuda"}, ""},
		{[]string{"number", "3"}, "third-product"},
	} {
		o := l.call("", append([]string{"list", "--json"}, c.args...)...)
		var out []listed
		if err := json.Unmarshal([]byte(o.stdout), &out); err != nil || o.status != statusOK {
			t.Fatalf("%v: %v, %s", c.args, err, o)
		}
		var ids []string
		for _, e := range out {
			ids = append(ids, e.ID)
			if passed := e.ID == "second-sum"; passed != (e.State == "passed") || passed != (e.When != nil && e.On == "this computer") {
				t.Errorf("%+v", e)
			}
		}
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("list %v has %q, want %q", c.args, got, c.want)
		}
	}
	l.expect(statusUsage, []string{"list", "--passed", "--pending"}, "leave nothing over")
	l.expect(statusUsage, []string{"list", "--kind", "rust"}, "write go, cuda or question")
	l.expect(statusUsage, []string{"list", "--chapter", "0"}, "chapters count from 1")
}

// answerAll answers everything, and checks nothing.
func (l *learner) answerAll() {
	l.t.Helper()
	l.call("", "list")
	for i, id := range []string{"first-sum", "second-sum", "third-product"} {
		l.answer(id, fmt.Sprint(i+1))
	}
}

func TestCheckAll(t *testing.T) {
	l := newLearner(t)
	l.call("", "list")
	l.answer("second-sum", "2")
	o := l.expect(statusFailed, []string{"check-all"},
		"– 1 first-sum: not begun", "✓ 2 second-sum: passed for the first time", "1 of 3 exercises pass, 1 of them for the first time; 2 are not begun.", "run first-sum")
	if strings.Contains(o.stdout, "\x1b") {
		t.Errorf("escapes where nobody has a terminal: %q", o.stdout)
	}
	l.answerAll()
	l.answer("second-sum", "5")
	l.expect(statusFailed, []string{"check-all"}, "it passed before, and stays passed", "2 of 3 exercises pass, 2 of them for the first time.", "1 exercise passed before and not now.")
	l.expect(statusOK, []string{"list"}, "3 of 3 exercises have passed")
	l.answerAll()
	l.expect(statusOK, []string{"check-all", "--workers", "2"}, "✓ 3 of 3 exercises pass.")

	if err := os.Remove(l.file("first-sum")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(l.file("first-sum"), 0o777); err != nil {
		t.Fatal(err)
	}
	o = l.call("", "check-all", "--json")
	var all []checkedAll
	if err := json.Unmarshal([]byte(o.stdout), &all); err != nil || o.status != statusFailed || len(all) != 3 {
		t.Fatalf("%v, %s", err, o)
	}
	if all[0].State != "could not be checked" || !strings.Contains(all[0].Trouble, "is a folder") || all[1].State != "passed" || !all[1].Before || !all[1].Verdict.Passed {
		t.Errorf("%+v", all)
	}
	l.expect(statusUsage, []string{"check-all", "--workers", "-1"}, "write 0 or more")
	l.expect(statusUsage, []string{"check-all", "--device", "cpu"}, "cpu runs no kernels")
}

// watch without a terminal, until its reader has enough.
func TestWatchWithoutATerminal(t *testing.T) {
	l := newLearner(t)
	o := l.call("t\nq\n", "watch")
	if o.status != statusOK || !strings.Contains(o.stdout, "exercise 1 of 3") || strings.Count(o.stdout, "How much is n?") != 2 || strings.Contains(o.stdout, "\x1b") {
		t.Error(o)
	}
	l.expect(statusUsage, []string{"watch", "no-such"}, "there is no exercise")
	l.expect(statusUsage, []string{"watch", "--device", "gpu"}, "--device: ")
	l.answerAll()
	l.expect(statusOK, []string{"check-all"})
	l.expect(statusOK, []string{"watch"}, "All 3 exercises have passed")
}
