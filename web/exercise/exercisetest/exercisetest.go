// Package exercisetest has a small course of exercises for tests of pages, with
// a learner who is in the middle of it.
package exercisetest

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing/fstest"
	"time"

	"workbench/engine/device"
	"workbench/lessons/lesson"
	"workbench/lessons/runner"
)

// Now is when everything here happens.
var Now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// Course returns five exercises of chapters 1 and 2, worked on in dir.
func Course(dir string) *runner.Course {
	host, gpus := []device.Kind{device.CPU}, []device.Kind{device.Emulator, device.CUDA}
	question := &lesson.Questions{Questions: []lesson.Question{{
		Name: "flat", Form: "a whole number",
		Answer: func(context.Context, lesson.On) ([]string, error) { return []string{"5"}, nil },
	}}}
	hints := []string{"one", "two", "three"}
	files := fstest.MapFS{}
	add := func(name, text string) { files[name] = &fstest.MapFile{Data: []byte(text)} }
	course := &runner.Course{
		Files: files, Dir: dir, Now: func() time.Time { return Now },
		Lessons: []lesson.Lesson{
			{ID: "which-place", Title: "Say where an element lies", Chapter: 1, Devices: host, Limit: time.Second, Hints: hints, Check: question},
			{ID: "row-sum", Title: "Add up each row", Chapter: 1, Devices: host, Limit: time.Second, Hints: hints, Check: &lesson.Go{}},
			{ID: "strides", Title: "Compute strides & offsets", Chapter: 1, Devices: host, Limit: time.Second, Hints: hints, Check: &lesson.Go{}},
			{ID: "surplus", Title: "Let the surplus threads do nothing", Chapter: 2, Devices: gpus, Limit: time.Second, Hints: hints, Check: &lesson.CUDA{}},
			{ID: "barrier", Title: "Wait for the tile", Chapter: 2, Devices: gpus, Limit: time.Second, Hints: hints, Check: &lesson.CUDA{}},
		},
	}
	for i := range course.Lessons {
		l := &course.Lessons[i]
		add(l.ID+"/starter/"+l.File(), "// "+lesson.Opens+"\n// "+lesson.Closes+"\n")
		add(l.ID+"/statement.md", "# "+l.Title+"\n\nIn the 2×3 matrix\n\n    1  2  3\n    4  5  6\n\nthe `6` at [1, 2] lies at place 1·3 + 2 = 5.\n\n## What to write\n\n"+
			"| shape | strides |\n|:--|--:|\n| [2, 3] | [3, 1] |\n\nNo <b>HTML</b>, no [script](javascript:alert(1)), no ![picture](x.png); a [page](/chapters/01-one-product).\n\n<script>alert(1)</script>\n")
	}
	return course
}

// Lesson returns the exercise of an ID.
func Lesson(c *runner.Course, id string) *lesson.Lesson {
	l, err := c.Find(id)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return l
}

// Begin makes the learner's folder: the first exercise passed, the next two were
// checked and did not, the fourth passed and was changed since, and the last was
// never checked.
func Begin(c *runner.Course) error {
	if err := c.Prepare(); err != nil {
		return err
	}
	var all error
	for i := range c.Lessons {
		all = errors.Join(all, Save(c, c.Lessons[i].ID, Now.Add(-time.Minute)))
	}
	for _, v := range []*lesson.Verdict{passed(c, "which-place"), WrongValues(c), mistyped(c), passed(c, "surplus")} {
		_, err := c.Keep(v)
		all = errors.Join(all, err)
	}
	return errors.Join(all, Save(c, "surplus", Now.Add(time.Hour)), c.Choose(Lesson(c, "row-sum")))
}

// Save gives the learner's file of an exercise another time.
func Save(c *runner.Course, id string, at time.Time) error {
	return os.Chtimes(c.Path(Lesson(c, id)), at, at)
}

func about(c *runner.Course, id string) *lesson.Verdict {
	l := Lesson(c, id)
	v := &lesson.Verdict{Lesson: id, File: c.Path(l), Device: "this computer, Go 1.26", Limits: "1 s, 64 KiB of output", When: Now, Saved: Now.Add(-time.Minute)}
	if l.Kind() == lesson.KindCUDA {
		v.Device, v.Limits = "emulator", "1 s, 2^25 instructions, 64 KiB of output"
	}
	return v
}

func passed(c *runner.Course, id string) *lesson.Verdict {
	v := about(c, id)
	v.Passed = true
	v.Running = 31 * time.Millisecond
	v.Notes = []string{"It took 3 of the 5 accesses that the exercise allows."}
	v.Cases = []lesson.CaseRun{{Name: "n = 1", Ran: true, Passed: true}, {Name: "n = 33", Ran: true, Passed: true}}
	return v
}

// Passed is a verdict that all is right, at some time.
func Passed(c *runner.Course, id string, at time.Time) *lesson.Verdict {
	v := passed(c, id)
	v.When = at
	return v
}

// WrongValues is a verdict with wrong values, a report and much output.
func WrongValues(c *runner.Course) *lesson.Verdict {
	v := about(c, "row-sum")
	v.Building, v.Running = 1230*time.Millisecond, 2*time.Millisecond
	worst := lesson.Wrong{At: []int{4}, Expected: "605", Actual: "NaN"}
	v.Findings = []lesson.Finding{
		{
			Kind: lesson.Shifted, Case: "5 rows of 3", Text: "Each value of result 0 is the one that belongs one place further on.\nThe last is none at all.",
			Next: "look at the first index: does it begin at 0?",
			Values: &lesson.Values{
				Array: "result 0", Shape: []int{5}, Count: 5, Wrong: 5, Within: "|Δ| ≤ 1e-6 + 1e-5·|expected|", Worst: &worst,
				First: []lesson.Wrong{{At: []int{0}, Expected: "6", Actual: "15"}, {At: []int{1}, Expected: "15", Actual: "24"}, {At: []int{2}, Expected: "24", Actual: "-1.7976931348623157e+308"}},
			},
		},
		{
			Kind: lesson.FindingKind("out-of-bounds"), Case: "1 row", Text: "Thread (31,0,0) of block (0,0,0) reads behind the end of in: <b>bold</b> & \u202eturned.",
			Line: 9, Column: 12, Source: "\tsum += in[row*columns + column]; // <script>alert(1)</script>",
			Detail: "block (0,0,0) thread (31,0,0)\n  reads 4 bytes at in + 132, of 128\n  \x1b[31mred\x1b[0m",
		},
	}
	v.Cases = []lesson.CaseRun{{Name: "1 row", Ran: true}, {Name: "5 rows of 3", Ran: true}, {Name: "7 rows of 1", Ran: true, Passed: true}, {Name: "0 rows", Ran: false}}
	v.Output = "row 0: 15\nrow 1: 24\n" + strings.Repeat("a line that is rather long, so that it is wider than a telephone and has to be scrolled sideways\n", 40)
	v.Cut = true
	return v
}

func mistyped(c *runner.Course) *lesson.Verdict {
	v := about(c, "strides")
	v.Findings = []lesson.Finding{{
		Kind: lesson.Compile, Text: "undefined: shap. There is a parameter shape.", Next: "mend line 7", Line: 7, Column: 20, Source: "\tfor axis := len(shap) - 1; axis >= 0; axis-- {",
		Detail: "./strides.go:7:19: undefined: shap",
	}}
	return v
}
