package exercise_test

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"workbench/lessons/lesson"
	"workbench/lessons/runner"
	"workbench/web/exercise"
	"workbench/web/exercise/exercisetest"
)

// desk returns a course that is begun, and the desk that looks at it.
func desk(t *testing.T) (*runner.Course, *exercise.Desk) {
	t.Helper()
	c := exercisetest.Course(filepath.Join(t.TempDir(), "exercises"))
	if err := exercisetest.Begin(c); err != nil {
		t.Fatal(err)
	}
	return c, open(t, c)
}

func open(t *testing.T, c *runner.Course) *exercise.Desk {
	t.Helper()
	d, err := exercise.NewDesk(c, exercise.Options{Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func keep(t *testing.T, c *runner.Course, v *lesson.Verdict) {
	t.Helper()
	if _, err := c.Keep(v); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func states(b *exercise.Book) string {
	var words []string
	for _, e := range b.Entries {
		word := string(e.State)
		if e.Next {
			word += " next"
		}
		if e.Failing() {
			word += " failing"
		}
		if e.Changed() {
			word += " changed"
		}
		if e.Problem != "" {
			word += " broken"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// A desk sees what is in the folder, and again only when it is another.
func TestBookFollowsTheFolder(t *testing.T) {
	c := exercisetest.Course(filepath.Join(t.TempDir(), "exercises"))
	d := open(t, c)
	empty := d.Book()
	if empty.Begun || empty.Problem != "" || states(empty) != "open next, open, open, open, open" {
		t.Errorf("without a folder: %+v, %s", empty, states(empty))
	}
	if err := exercisetest.Begin(c); err != nil {
		t.Fatal(err)
	}
	b := d.Book()
	if !b.Begun || states(b) != "passed, open next failing, open failing, passed changed, open" || b.Passed != 2 || b.Next.ID != "row-sum" {
		t.Errorf("begun: %d passed, %s", b.Passed, states(b))
	}
	if g := b.Group(1); g.Passed != 1 || g.Of != 3 || b.Group(7) != nil || (*exercise.Book)(nil).Group(1) != nil {
		t.Errorf("chapter 1 has %d of %d", g.Passed, g.Of)
	}
	if b.Version == empty.Version || d.Book() != b {
		t.Error("a book is another one when the folder is, and then alone")
	}
	// What does not concern chapter 2 leaves its version alone.
	before := b.Versions()
	keep(t, c, exercisetest.Passed(c, "row-sum", exercisetest.Now))
	after := d.Book().Versions()
	if after[""] == before[""] || after["1"] == before["1"] || after["2"] != before["2"] {
		t.Errorf("versions were %v and are %v", before, after)
	}
	if states(d.Book()) != "passed, passed, open next failing, passed changed, open" {
		t.Errorf("after a pass: %s", states(d.Book()))
	}
}

// A verdict is about the file that was checked: another time is another file,
// earlier or later, and the same again is no change.
func TestChangedSince(t *testing.T) {
	c, d := desk(t)
	changed := func() bool { return d.Book().Entries[1].Changed() }
	if changed() {
		t.Error("the file is as it was checked")
	}
	for _, by := range []time.Duration{time.Nanosecond, -time.Hour, time.Hour} {
		if err := exercisetest.Save(c, "row-sum", exercisetest.Now.Add(by)); err != nil {
			t.Fatal(err)
		}
		if !changed() {
			t.Errorf("a file that was saved %v from the check is taken for the one that was checked", by)
		}
	}
	if err := exercisetest.Save(c, "row-sum", exercisetest.Now.Add(-time.Minute)); err != nil {
		t.Fatal(err)
	}
	if changed() {
		t.Error("the file is again as it was checked")
	}
	// Of a verdict that does not say, a later file is another one.
	v := exercisetest.WrongValues(c)
	v.Saved = time.Time{}
	keep(t, c, v)
	if changed() {
		t.Error("the file is older than the verdict")
	}
	if err := exercisetest.Save(c, "row-sum", exercisetest.Now.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if !changed() {
		t.Error("the file is newer than the verdict")
	}
	if err := os.Remove(c.Path(exercisetest.Lesson(c, "row-sum"))); err != nil {
		t.Fatal(err)
	}
	if e := d.Book().Entries[1]; !e.Verdict.Gone || e.Changed() {
		t.Errorf("the file is gone, and of the verdict it says %+v", e.Verdict)
	}
}

// What cannot be read is named with its place, and the rest shows all the same.
func TestBrokenFiles(t *testing.T) {
	c, d := desk(t)
	result := c.ResultPath(exercisetest.Lesson(c, "row-sum"))
	write(t, result, `{"lesson": "row-sum", "findings": 3}`)
	b := d.Book()
	if e := b.Entries[1]; e.Verdict != nil || !strings.HasPrefix(e.Problem, result) || !strings.Contains(e.Problem, "run row-sum") {
		t.Errorf("of a broken verdict it says %q", e.Problem)
	}
	if states(b) != "passed, open next broken, open failing, passed changed, open" {
		t.Errorf("beside it: %s", states(b))
	}
	write(t, c.ProgressPath(), "passed which-place 2026-11-30T12:00:00Z on this computer\nit is mine\npassed barrier yesterday\n")
	if b := d.Book(); b.Strange != 2 || b.Problem != "" || b.Passed != 1 {
		t.Errorf("of a progress that is half understood: %+v", b)
	}
	write(t, c.ProgressPath(), strings.Repeat("x", 2<<20))
	b = d.Book()
	if !strings.HasPrefix(b.Problem, c.ProgressPath()) || b.Next != nil || b.Passed != 0 || states(b) != "unknown, unknown broken, unknown failing, unknown changed, unknown" {
		t.Errorf("of a broken progress it says %q, %s", b.Problem, states(b))
	}
	write(t, c.ProgressPath(), "")
	if b := d.Book(); b.Problem != "" {
		t.Errorf("a mended progress is still wrong: %s", b.Problem)
	}

	file := filepath.Join(t.TempDir(), "exercises")
	write(t, file, "no folder")
	if b := open(t, exercisetest.Course(file)).Book(); !strings.Contains(b.Problem, "is no folder: move it away") {
		t.Errorf("of a file in the folder's place it says %q", b.Problem)
	}
}

// What a file of verdicts holds is bounded, and clean of what a page cannot show.
func TestVerdictIsBounded(t *testing.T) {
	c, d := desk(t)
	long := strings.Repeat("é", 1<<11)
	v := exercisetest.WrongValues(c)
	wrong := lesson.Wrong{At: make([]int, 99), Expected: long, Actual: long}
	f := lesson.Finding{Kind: lesson.FindingKind(long), Case: long, Text: long, Next: long, Source: long, Line: 1, Column: 1 << 15, Detail: long,
		Values: &lesson.Values{Array: long, Shape: make([]int, 999), First: slices.Repeat([]lesson.Wrong{wrong}, 99), Worst: &wrong}}
	v.Findings = slices.Repeat([]lesson.Finding{f}, 2)
	v.Notes, v.Cases, v.Output = []string{long}, slices.Repeat([]lesson.CaseRun{{Name: long}}, 9), strings.Repeat(long, 9)
	v.File, v.Device, v.Limits = long, long, long
	keep(t, c, v)
	s := d.Book().Entries[1].Verdict
	if s == nil {
		t.Fatal("a long verdict is not shown")
	}
	size := len(s.Output) + len(s.Device) + len(s.Limits)
	for _, f := range s.Findings {
		size += len(f.Title) + len(f.Case) + len(f.Text) + len(f.Next) + len(f.Source) + len(f.Caret) + len(f.Detail) + len(f.Place) + len(f.Values.Summary)
		for _, r := range f.Values.Rows {
			size += len(r.At) + len(r.Expected) + len(r.Actual)
		}
	}
	if size > 200<<10 {
		t.Errorf("%d bytes of one verdict are shown", size)
	}
	if s.Cut == "" || len(s.Findings[0].Values.Rows) > 16 {
		t.Errorf("cut: %q, %d rows", s.Cut, len(s.Findings[0].Values.Rows))
	}

	v = exercisetest.WrongValues(c)
	v.Output = "a\x00b\x1b[31mc\x7f\u202ed\xffe\r\n\tf"
	v.Findings = slices.Repeat(v.Findings, 30)
	keep(t, c, v)
	s = d.Book().Entries[1].Verdict
	if want := "a␀b␛[31mc␡\uFFFDd\uFFFDe\n\tf"; s.Output != want {
		t.Errorf("the output is shown as %q, want %q", s.Output, want)
	}
	if len(s.Findings) != 3 || len(s.Later) != 17 || s.Count() != 60 {
		t.Errorf("%d findings are shown, %d are folded and %d are not, of 60", len(s.Findings), len(s.Later), s.More)
	}
	// Of a file as it was handed out nothing else is worth a word.
	v.Findings = append([]lesson.Finding{{Kind: lesson.Untouched, Text: "as it was"}}, v.Findings...)
	keep(t, c, v)
	if s = d.Book().Entries[1].Verdict; s.Count() != 1 || s.Findings[0].Text != "as it was" {
		t.Errorf("of an untouched file %d things are said: %+v", s.Count(), s.Findings)
	}
}

// The mark stands below the column, whatever is before it.
func TestCaret(t *testing.T) {
	c, d := desk(t)
	for _, test := range []struct {
		source       string
		column       int
		shown, caret string
	}{
		{"\tx = y;", 6, "\tx = y;", "\t    ^"},
		{"größe = 1", 9, "größe = 1", "        ^"},
		{"x", 2, "x", " ^"},
		{"x", 0, "x", ""},
		{"x", 9, "x", ""},
		{strings.Repeat("a", 200) + "B" + strings.Repeat("c", 400), 201, "…" + strings.Repeat("a", 159) + "B" + strings.Repeat("c", 160) + "…", strings.Repeat(" ", 160) + "^"},
	} {
		v := exercisetest.WrongValues(c)
		v.Findings = []lesson.Finding{{Line: 1, Column: test.column, Source: test.source}}
		keep(t, c, v)
		if f := d.Book().Entries[1].Verdict.Findings[0]; f.Source != test.shown || f.Caret != test.caret {
			t.Errorf("%q, column %d:\n%s\n%s\nwant\n%s\n%s", test.source, test.column, f.Source, f.Caret, test.shown, test.caret)
		}
	}
}

func TestFilter(t *testing.T) {
	_, d := desk(t)
	b := d.Book()
	for query, want := range map[string]string{
		"":                                "which-place row-sum strides surplus barrier",
		"state=open":                      "row-sum strides barrier",
		"state=passed":                    "which-place surplus",
		"state=failing":                   "row-sum strides",
		"state=changed":                   "surplus",
		"state=unchecked":                 "barrier",
		"kind=cuda":                       "surplus barrier",
		"kind=go&state=failing":           "row-sum strides",
		"kind=question":                   "which-place",
		"chapter=2":                       "surplus barrier",
		"chapter=9":                       "",
		"text=ROW":                        "row-sum",
		"text=the+tile":                   "barrier",
		"text=where+row":                  "",
		"state=nonsense&kind=x&chapter=y": "which-place row-sum strides surplus barrier",
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, g := range exercise.ReadFilter(q).Choose(b) {
			if g.Of != b.Group(g.Chapter).Of {
				t.Errorf("%s: chapter %d is said to have %d exercises", query, g.Chapter, g.Of)
			}
			for _, e := range g.Entries {
				ids = append(ids, e.ID)
			}
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%s chooses %q, want %q", query, got, want)
		}
	}
}

// A statement is part of a page: no title of its own, no headings above the
// exercise's, and nothing that runs.
func TestStatement(t *testing.T) {
	_, d := desk(t)
	html := string(d.Book().Entries[0].Statement)
	for _, want := range []string{"<h4>What to write</h4>", "<code>6</code>", "<pre><code>1  2  3\n4  5  6\n</code></pre>", `<td align="right">[3, 1]</td>`, `<a href="/chapters/01-one-product">page</a>`, "no picture"} {
		if !strings.Contains(html, want) {
			t.Errorf("the statement lacks %s: %s", want, html)
		}
	}
	for _, wrong := range []string{"<h1", "Say where", "<script", "javascript:", "<b>", "<img"} {
		if strings.Contains(html, wrong) {
			t.Errorf("the statement has %s: %s", wrong, html)
		}
	}
}
