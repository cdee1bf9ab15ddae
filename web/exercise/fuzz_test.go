package exercise_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"
	"unicode/utf8"

	"workbench/web/exercise"
	"workbench/web/exercise/exercisetest"
)

// FuzzResult puts anything in the place of a kept verdict and of the progress: a
// book comes of it, bounded and of characters that a page can show.
func FuzzResult(f *testing.F) {
	f.Add([]byte(`{"lesson":"row-sum","findings":[{"kind":"shifted","text":"\u001b[31m","line":1,"column":99,"source":"x","values":{"shape":[-1],"first":[{"at":[1]}],"worst":{"at":null}}}],"output":"\u0000","when":"2026-11-30T12:00:00Z","cases":[{"ran":true}]}`), []byte("passed row-sum 2026-11-30T12:00:00Z on \x1b[1m\nat row-sum\nhints row-sum 99999999999\n"))
	f.Add([]byte("{"), []byte("\xff\xfe"))
	f.Add([]byte(`{"lesson":"row-sum","when":"9999-12-31T23:59:59Z","findings":null}`), []byte(""))
	f.Fuzz(func(t *testing.T, result, progress []byte) {
		c := exercisetest.Course(filepath.Join(t.TempDir(), "exercises"))
		file := c.ResultPath(exercisetest.Lesson(c, "row-sum"))
		for _, step := range []error{
			os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, result, 0o644), os.WriteFile(c.ProgressPath(), progress, 0o644),
		} {
			if step != nil {
				t.Fatal(step)
			}
		}
		d, err := exercise.NewDesk(c, exercise.Options{Zone: time.FixedZone("east", 14*3600)})
		if err != nil {
			t.Fatal(err)
		}
		b := d.Book()
		e := b.Entries[1]
		texts := []string{b.Problem, e.Problem, e.Say(), e.Words()}
		if e.Passed != nil {
			texts = append(texts, e.Passed.On)
		}
		if v := e.Verdict; v != nil {
			texts = append(texts, v.Device, v.Limits, v.Took, v.Tally, v.Output, v.Cut)
			texts = append(texts, v.Notes...)
			for _, f := range append(v.Findings, v.Later...) {
				texts = append(texts, f.Title, f.Case, f.Text, f.Next, f.Place, f.Source, f.Caret, f.Detail)
				if f.Values != nil {
					texts = append(texts, f.Values.Summary, f.Values.Within)
					for _, r := range f.Values.Rows {
						texts = append(texts, r.At, r.Expected, r.Actual)
					}
				}
			}
			for _, c := range v.Cases {
				texts = append(texts, c.Name)
			}
		}
		for _, text := range texts {
			if len(text) > 64<<10 || !utf8.ValidString(text) {
				t.Errorf("a page would show %d bytes: %.80q", len(text), text)
			}
			for _, r := range text {
				if r < ' ' && r != '\n' && r != '\t' || r >= 0x202a && r <= 0x202e {
					t.Errorf("a page would show the character %U: %.80q", r, text)
				}
			}
		}
	})
}
