package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode"

	"workbench/engine"
	"workbench/engine/device"
	"workbench/lessons/lesson"
)

func TestAnswersMatch(t *testing.T) {
	for _, c := range []struct {
		form, right string
		unordered   bool
		same, other []string
	}{
		{
			form: "a whole number of bytes", right: "1000",
			same:  []string{"1000", " 1 000 ", "1,000", "1_000", "1’000", "1\u202f000", "1000 bytes", "1000bytes", "1000 byte", "1000.", "1e3", "+1000", "`1000`", "1000.0", "= 1000"},
			other: []string{"100", "1.000", "1 0 0 0", "10 00", "1000 kB", "-1000", "a thousand", "1000 1000", ""},
		},
		{
			form: "a number", right: "1234567.5",
			same:  []string{"1,234,567.5", "1 234 567.5", "1234567,5"},
			other: []string{"1234567", "1,234"},
		},
		{
			form: "a number", right: "-2.5",
			same:  []string{"−2.5", "-2,5", "-5/2", "-2.50"},
			other: []string{"2.5", "-2", "-2/5", "-2.5/0", "-2.5e"},
		},
		{
			form: "two thread numbers, as in 3 and 5", right: "7, 12", unordered: true,
			same:  []string{"7 and 12", "12 and 7", "[12, 7]", "threads 7 and 12", "7;12", "7 & 12", "7,12"},
			other: []string{"7", "7 7 12", "7 or 12", "712"},
		},
		{
			form: "two numbers", right: "10, 200",
			same:  []string{"10 200", "10,200", "(10, 200)"},
			other: []string{"200, 10", "10, 200, 0"},
		},
		{
			form: "yes or no", right: "yes",
			same:  []string{"Yes", "YES.", "“yes”", "yes!"},
			other: []string{"no", "yes no", "y", "1"},
		},
		{
			form: "the letters of the sentences that hold", right: "a c", unordered: true,
			same:  []string{"A, C", "c and a", "c,a", "(a) (c)"},
			other: []string{"a", "a b c"},
		},
	} {
		m := matcher{form: c.form, unordered: c.unordered}
		for _, given := range c.same {
			if !m.match(c.right, given) {
				t.Errorf("%q is not taken for %q", given, c.right)
			}
		}
		for _, given := range c.other {
			if m.match(c.right, given) {
				t.Errorf("%q is taken for %q", given, c.right)
			}
		}
	}
}

// questioned is an exercise of three questions, whose answers are 42, "3, 5" in
// any order, and "later".
func questioned(answer func(ctx context.Context, on lesson.On) ([]string, error)) (*Course, *lesson.Lesson) {
	fixed := func(right ...string) func(context.Context, lesson.On) ([]string, error) {
		return func(context.Context, lesson.On) ([]string, error) { return right, nil }
	}
	if answer == nil {
		answer = fixed("42")
	}
	c := &Course{
		Lessons: []lesson.Lesson{{
			ID: "asked", Title: "asked", Chapter: 1, Devices: []device.Kind{device.CPU}, Limit: 5 * time.Second,
			Check: &lesson.Questions{Questions: []lesson.Question{
				{Name: "bytes", Form: "a whole number of bytes", Answer: answer, Mistakes: map[string]string{"21": "that is one operand alone"}, Why: "six times seven"},
				{Name: "threads", Form: "two numbers", Answer: fixed("3, 5"), Unordered: true},
				{Name: "when", Form: "now or later", Answer: fixed("later")},
			}},
		}},
		Files: fstest.MapFS{
			"asked/starter/asked.txt": {Data: []byte("bytes =\nthreads =\nwhen =\n")},
			"asked/scale.cu":          {Data: []byte("__global__ void scale(float* x) { x[threadIdx.x] *= 3; }\n")},
		},
		Emulator: engine.Emulator, Open: engine.Open,
	}
	return c, &c.Lessons[0]
}

func TestQuestions(t *testing.T) {
	c, l := questioned(nil)
	for _, tried := range []struct {
		source string
		want   []string // line: kind: a part of the text or of what is next
	}{
		{"bytes = 42\nthreads = 5 and 3\nwhen = Later\n", nil},
		{"\xef\xbb\xbf# a comment\r\n\r\n  Bytes  =  42 bytes  # six times seven\r\nthreads=3,5\r\nWHEN = later", nil},
		{"bytes = 42 bytes\nthreads = threads 5 and 3\nwhen = later\n", nil},
		{"bytes: 42\n`threads` : 3, 5\nwhen: later\n", nil},
		{"bytes =\nwhen = later\nthreads = 3, 5\nbytes = 42\n", nil},
		{"bytes =\nthreads =\nwhen =\n", []string{"0: untouched: as it was handed out", "1: unanswered: bytes is not", "2: unanswered: threads", "3: unanswered: when"}},
		{"bytes = 21\nthreads = 3 and 6\nwhen = ?\n", []string{"1: wrong-answer: that is one operand alone", "2: wrong-answer: threads = “3 and 6” is not right", "3: unanswered: when"}},
		{"threads = 3 5\nwhen = later\n", []string{"0: unanswered: add a line: bytes ="}},
		{"bytes = six\nthreads = 3 5\nwhen = later\n", []string{"1: wrong-answer: cannot be read as a whole number of bytes"}},
		{"bytes = 42\nthreads = 3\nwhen = later\n", []string{"2: wrong-answer: is 1 number; what is asked for is 2 numbers"}},
		{"bytes = 42\nthread = 3 5\nwhen = later\n", []string{"2: strange-line: if you mean threads", "0: unanswered: threads"}},
		{"bytes = 42\nthreads 3 5\nwhen = later\n", []string{"2: strange-line: if it is the answer to threads, write =", "0: unanswered: threads"}},
		{"bytes = 42\nbytes = 43\nthreads = 3 5\nwhen = later\n", []string{"2: strange-line: bytes has an answer in line 1 already"}},
		{"bytes = 42\nthreads = 3 5\nwhen = later\nreason = none\n", []string{"4: strange-line: the questions here are bytes, threads, when"}},
		{"bytes = \x1b[2J" + strings.Repeat("9", 1000) + "\nthreads = 3 5\nwhen = later\n", []string{"1: wrong-answer: …"}},
		{strings.Repeat("x\n", 1000), append(slices.Collect(func(yield func(string) bool) {
			for i := 1; i <= 10; i++ {
				if !yield(fmt.Sprintf("%d: strange-line: no =", i)) {
					return
				}
			}
		}), "0: unanswered", "0: unanswered", "0: unanswered")},
	} {
		v, err := c.Check(context.Background(), l, Options{Source: []byte(tried.source)})
		if err != nil {
			t.Fatal(err)
		}
		if v.Passed != (len(tried.want) == 0) || len(v.Cases) != 3 {
			t.Errorf("%.60q: passed is %v, with %d cases", tried.source, v.Passed, len(v.Cases))
		}
		if v.Passed && !slices.Contains(v.Notes, "bytes: six times seven") {
			t.Errorf("%.60q: passed, and the notes do not say why: %q", tried.source, v.Notes)
		}
		if len(v.Findings) != len(tried.want) {
			t.Errorf("%.60q: %d findings, want %d: %+v", tried.source, len(v.Findings), len(tried.want), v.Findings)
			continue
		}
		for i, f := range v.Findings {
			head, about, _ := strings.Cut(tried.want[i], ": ")
			kind, about, _ := strings.Cut(about, ": ")
			if fmt.Sprint(f.Line) != head || string(f.Kind) != kind || !strings.Contains(f.Text+" "+f.Next, about) {
				t.Errorf("%.60q: finding %d is %+v, want %s", tried.source, i, f, tried.want[i])
			}
			if said := f.Text + f.Next + f.Source; strings.Contains(said, "42") && !strings.Contains(tried.source, "42") || strings.ContainsRune(said, '\x1b') {
				t.Errorf("%.60q: the finding gives the answer away, or moves the cursor: %+v", tried.source, f)
			}
		}
	}

	// A starter that is to be mended says what is wrong with it.
	mend := *l
	mend.Mend = true
	as, err := c.Check(context.Background(), &mend, Options{Source: []byte("bytes =\nthreads =\nwhen =\n")})
	if err != nil {
		t.Fatal(err)
	}
	if kinds := as.Kinds(); !slices.Equal(kinds, []lesson.FindingKind{lesson.Unanswered}) || len(as.Notes) == 0 {
		t.Errorf("the starter as it is: %v, notes %q", kinds, as.Notes)
	}

	v, err := c.Check(context.Background(), l, Options{Source: []byte("bytes = 42\n  when\t= soon # or not\nthreads = 3 5\n")})
	if err != nil {
		t.Fatal(err)
	}
	if f := v.Findings[0]; len(v.Findings) != 1 || f.Line != 2 || f.Column != 10 || f.Source != "  when\t= soon # or not" {
		t.Errorf("a wrong answer's place: %+v", v.Findings)
	}
}

// TestAnswersAreExecuted: an answer is what the emulator does with the exercise's
// kernel, and a question that cannot be answered is nobody's mistake.
func TestAnswersAreExecuted(t *testing.T) {
	c, l := questioned(func(ctx context.Context, on lesson.On) ([]string, error) {
		r, err := on.One(ctx, `{"source": "scale.cu", "kernel": "scale", "grid": [1], "block": [7],
			"args": [{"name": "x", "type": "f32", "shape": [7], "fill": "iota", "out": true}]}`)
		if err != nil {
			return nil, err
		}
		return []string{fmt.Sprint(r.Measurement.Loads.Bytes)}, nil
	})
	check := func() (*lesson.Verdict, error) {
		return c.Check(context.Background(), l, Options{Source: []byte("bytes = 28\nthreads = 3 5\nwhen = later\n")})
	}
	if v, err := check(); err != nil || !v.Passed {
		t.Errorf("%v, %+v", err, v)
	}
	c.Files.(fstest.MapFS)["asked/scale.cu"].Data = []byte("__global__ void scale(float* x) { x[threadIdx.x] *= ; }\n")
	if v, err := check(); err == nil || !strings.Contains(err.Error(), "the answer to bytes of asked cannot be found out") {
		t.Errorf("%v, %+v", err, v)
	}

	c, l = questioned(func(ctx context.Context, on lesson.On) ([]string, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	l.Limit = time.Millisecond
	if _, err := check(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an answer that does not come: %v", err)
	}
}

// FuzzAnswers: whatever is in the file, each question has one verdict, and what is
// said of it can be shown.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		"bytes = 1,000\nthreads = 3 & 5\n", "bytes: −1_0e3.5/2\n= 7\n==\n", "\xef\xbb\xbfbytes\u202f=\u00a01 000 000,5 bytes # so\r\n",
		"bytes = 1,000,000,000,000,000 1 000 1\nBYTES = 1e999\nwhen = \x00\xff\n", "threads = ((((3/0, .5.5)\n",
	} {
		f.Add(seed)
	}
	questions := []lesson.Question{
		{Name: "bytes", Form: "a whole number of bytes", Mistakes: map[string]string{"21": "half of it"}},
		{Name: "threads", Form: "two numbers, as in 3 and 5", Unordered: true},
		{Name: "when", Form: "now or later"},
	}
	right := [][]string{{"1000"}, {"3, 5"}, {"later"}}
	f.Fuzz(func(t *testing.T, source string) {
		answers, findings := readAnswers([]byte(source), questions)
		if len(findings) > maxStrange {
			t.Errorf("%d lines are found strange", len(findings))
		}
		for i := range questions {
			if a, ok := answers[questions[i].Name]; ok {
				if finding, wrong := a.judge(&questions[i], right[i]); wrong {
					findings = append(findings, finding)
				}
			}
		}
		for _, f := range findings {
			if f.Line < 1 || f.Column < 1 || f.Text == "" || f.Next == "" {
				t.Errorf("%+v", f)
			}
			for _, r := range f.Text + f.Next + f.Source {
				if r != '\t' && !unicode.IsPrint(r) {
					t.Errorf("%q is in %+v", r, f)
				}
			}
		}
	})
}
