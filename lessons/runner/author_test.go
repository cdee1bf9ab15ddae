package runner

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"workbench/engine/device"
	"workbench/lessons/lesson"
)

// sound is a question that has all that an exercise has to have.
func sound() (lesson.Lesson, fstest.MapFS) {
	const form = "# Which?\n# ---- your part begins ----\nflat =%\n# ---- your part ends ----\n"
	file := func(heading, answer string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(heading + strings.ReplaceAll(form, "%", answer))}
	}
	return lesson.Lesson{
			ID: "which", Title: "Say which", Chapter: 1, Devices: []device.Kind{device.CPU}, Limit: time.Second,
			Hints: []string{"one", "two", "three"},
			Check: &lesson.Questions{Questions: []lesson.Question{{
				Name: "flat", Form: "a whole number",
				Answer: func(context.Context, lesson.On) ([]string, error) { return []string{"5"}, nil },
			}}},
		}, fstest.MapFS{
			"which/statement.md":                {Data: []byte("# Which\n\nSay which.\n")},
			"which/starter/which.txt":           file("", ""),
			"which/solution/which.txt":          file("", " 5"),
			"which/mutants/columns/which.txt":   file("# Caught as wrong-answer: columns first.\n", " 3"),
			"which/mutants/beginning/which.txt": file("# Caught as wrong-answer: counted from one.\n", " 6"),
		}
}

// TestInspectForms plants a mistake in the files and the row of an exercise, one
// at a time, and wants it to be named.
func TestInspectForms(t *testing.T) {
	tests := map[string]struct {
		plant func(l *lesson.Lesson, files fstest.MapFS)
		want  string
	}{
		"sound":        {func(*lesson.Lesson, fstest.MapFS) {}, ""},
		"ID":           {func(l *lesson.Lesson, _ fstest.MapFS) { l.ID = "Which" }, "is not one"},
		"no title":     {func(l *lesson.Lesson, _ fstest.MapFS) { l.Title = "" }, "title has 0"},
		"no limit":     {func(l *lesson.Lesson, _ fstest.MapFS) { l.Limit = 0 }, "time limit"},
		"tolerance":    {func(l *lesson.Lesson, _ fstest.MapFS) { l.Within.Absolute = 1 }, "where its tolerance"},
		"few hints":    {func(l *lesson.Lesson, _ fstest.MapFS) { l.Hints = l.Hints[:1] }, "has 1 hints"},
		"hint twice":   {func(l *lesson.Lesson, _ fstest.MapFS) { l.Hints[2] = "one" }, "hint 3 says nothing new"},
		"no statement": {func(_ *lesson.Lesson, f fstest.MapFS) { delete(f, "which/statement.md") }, "which/statement.md: is missing"},
		"wide statement": {func(_ *lesson.Lesson, f fstest.MapFS) {
			f["which/statement.md"].Data = []byte("# " + strings.Repeat("w", 99))
		}, "columns"},
		"no marks": {func(_ *lesson.Lesson, f fstest.MapFS) { f["which/starter/which.txt"].Data = []byte("flat =\n") }, "nothing marks"},
		"a mark alone": {func(_ *lesson.Lesson, f fstest.MapFS) {
			f["which/starter/which.txt"].Data = []byte("# " + lesson.Opens + "\nflat =\n")
		}, "does not end"},
		"stray file":   {func(_ *lesson.Lesson, f fstest.MapFS) { f["which/starter/notes.txt"] = &fstest.MapFile{} }, "notes.txt: does not belong"},
		"stray folder": {func(_ *lesson.Lesson, f fstest.MapFS) { f["other/statement.md"] = &fstest.MapFile{} }, "no exercise of the list"},
		"no solution":  {func(_ *lesson.Lesson, f fstest.MapFS) { delete(f, "which/solution/which.txt") }, "solution/which.txt: is missing"},
		"few mutants":  {func(_ *lesson.Lesson, f fstest.MapFS) { delete(f, "which/mutants/columns/which.txt") }, "has 1 known-wrong"},
		"unnamed mutant": {func(_ *lesson.Lesson, f fstest.MapFS) {
			f["which/mutants/columns/which.txt"].Data = []byte("flat = 3\n")
		}, "does not say what catches it"},
		"strange kind": {func(_ *lesson.Lesson, f fstest.MapFS) {
			d := f["which/mutants/columns/which.txt"]
			d.Data = []byte(strings.Replace(string(d.Data), "wrong-answer", "luck", 1))
		}, "ever caught as luck"},
		"changed outside": {func(_ *lesson.Lesson, f fstest.MapFS) {
			d := f["which/solution/which.txt"]
			d.Data = []byte(strings.Replace(string(d.Data), "# Which?", "# What?", 1))
		}, "outside of the marks"},
		"mutant twice": {func(_ *lesson.Lesson, f fstest.MapFS) {
			f["which/mutants/beginning/which.txt"] = f["which/mutants/columns/which.txt"]
		}, "same as mutant beginning"},
		"blanks at an end": {func(_ *lesson.Lesson, f fstest.MapFS) {
			d := f["which/solution/which.txt"]
			d.Data = []byte(strings.Replace(string(d.Data), "flat = 5", "flat = 5 ", 1))
		}, "ends in blanks"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			l, files := sound()
			test.plant(&l, files)
			c := &Course{Lessons: []lesson.Lesson{l}, Files: files}
			inspections, err := c.Inspect(t.Context(), InspectOptions{Disk: files})
			if err != nil {
				t.Fatal(err)
			}
			var problems []string
			for _, in := range inspections {
				for _, p := range in.Problems {
					if !strings.Contains(p.Text, "cannot be checked on") {
						problems = append(problems, p.String())
					}
				}
			}
			switch {
			case test.want == "" && len(problems) > 0:
				t.Errorf("problems: %q", problems)
			case test.want != "" && !strings.Contains(strings.Join(problems, "\n"), test.want):
				t.Errorf("problems: %q; want one with %q", problems, test.want)
			}
		})
	}
}

func TestStrayed(t *testing.T) {
	const starter = "// A heading\n\nfunc f() {\n\t// " + lesson.Opens + "\n\treturn\n\t// " + lesson.Closes + "\n}\n"
	for _, c := range []struct {
		source string
		line   int
		text   string
	}{
		{starter, 0, ""},
		{strings.Replace(starter, "\treturn\n", "", 1), 0, ""},
		{strings.Replace(starter, "return", "x := 1\n\n\tuse(x)", 1), 0, ""},
		{strings.ReplaceAll(starter, "\n", "\r\n"), 0, ""},
		{strings.Replace(starter, "\n\nfunc", "\n\nimport \"math\"\n\nfunc", 1), 0, ""},
		{strings.Replace(starter, "\nfunc", "\nimport (\n\t\"fmt\"\n\t\"math\"\n)\nfunc", 1), 0, ""},
		{strings.TrimSuffix(starter, "\n") + "\n\n\n", 0, ""},
		{strings.Replace(starter, "func f()", "func g()", 1), 3, "func f() {"},
		{strings.Replace(starter, "\nfunc", "\nvar y int\nfunc", 1), 3, "func f() {"},
		{starter + "func g() {}\n", 8, ""},
		{strings.TrimSuffix(starter, "}\n"), 7, "}"},
		{strings.Replace(starter, "\t// "+lesson.Closes+"\n", "", 1), 7, "// " + lesson.Closes},
	} {
		if line, text := strayed(starter, c.source); line != c.line || text != c.text {
			t.Errorf("line %d, %q, want line %d, %q, of\n%s", line, text, c.line, c.text, c.source)
		}
	}
}
