package runner_test

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"workbench/engine"
	"workbench/lessons"
	"workbench/lessons/lesson"
	"workbench/lessons/runner"
)

// TestMistakesOfQuestions gives each wrong answer that a question knows, and wants
// to be told its reason, and not what is right.
func TestMistakesOfQuestions(t *testing.T) {
	c := &runner.Course{Lessons: lessons.All, Files: lessons.Files(), Emulator: engine.Emulator, Open: engine.Open}
	asked := 0
	for i := range c.Lessons {
		l := &c.Lessons[i]
		check, ok := l.Check.(*lesson.Questions)
		if !ok {
			continue
		}
		asked++
		solution, err := c.Solution(l)
		if err != nil {
			t.Fatal(err)
		}
		for round := 0; ; round++ {
			// Every question's mistake number round, in one file.
			wrong, given := string(solution), map[string]string{}
			for _, q := range check.Questions {
				known := sorted(q.Mistakes)
				if round < len(known) {
					given[q.Name] = known[round]
					line := regexp.MustCompile(`(?m)^` + q.Name + ` = .*$`)
					wrong = line.ReplaceAllString(wrong, q.Name+" = "+known[round])
				}
			}
			if len(given) == 0 {
				break
			}
			v, err := c.Check(t.Context(), l, runner.Options{Source: []byte(wrong)})
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range check.Questions {
				answer, ok := given[q.Name]
				if !ok {
					continue
				}
				at := slices.IndexFunc(v.Findings, func(f lesson.Finding) bool { return f.Case == q.Name })
				if at < 0 {
					t.Errorf("%s: %s = %s passes, and is a known mistake", l.ID, q.Name, answer)
					continue
				}
				f := v.Findings[at]
				if f.Kind != lesson.WrongAnswer || !strings.Contains(f.Text, q.Mistakes[answer]) {
					t.Errorf("%s: %s = %s: %+v", l.ID, q.Name, answer, f)
				}
				right := regexp.MustCompile(`(?m)^` + q.Name + ` = (.*)$`).FindStringSubmatch(string(solution))[1]
				if len(right) > 1 && regexp.MustCompile(`(^|[^\w.])`+regexp.QuoteMeta(right)+`($|[^\w.])`).MatchString(q.Mistakes[answer]) {
					t.Errorf("%s: %s = %s: the finding says what is right: %s", l.ID, q.Name, answer, q.Mistakes[answer])
				}
			}
		}
	}
	if asked == 0 {
		t.Error("there are no questions")
	}
}

func sorted(m map[string]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// TestKernelsAreShown: who is asked about a kernel sees all of it. What behind it
// only finds the answer out begins with a comment.
func TestKernelsAreShown(t *testing.T) {
	files := lessons.Files()
	kernels, err := fs.Glob(files, "*/kernel.cu")
	if err != nil || len(kernels) == 0 {
		t.Fatalf("%d kernels, %v", len(kernels), err)
	}
	for _, name := range kernels {
		source, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := fs.ReadFile(files, path.Join(path.Dir(name), "statement.md"))
		if err != nil {
			t.Fatal(err)
		}
		for part := range strings.SplitSeq(strings.TrimSpace(string(source)), "\n\n") {
			if strings.HasPrefix(part, "//") {
				continue
			}
			var shown strings.Builder
			for line := range strings.Lines(part) {
				shown.WriteString("    " + strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    ") + "\n")
			}
			if !strings.Contains(string(text), shown.String()) {
				t.Errorf("%s is not in its statement:\n%s", name, shown.String())
			}
		}
	}
}
