package runner

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"workbench/lessons/lesson"
)

// TestLast keeps a verdict and reads it, and names what is kept and is none.
func TestLast(t *testing.T) {
	l, files := sound()
	c := &Course{Lessons: []lesson.Lesson{l}, Files: files, Dir: t.TempDir()}
	if v, err := c.Last(&l); v != nil || err != nil {
		t.Fatalf("before the first check there is %v, %v", v, err)
	}
	when := time.Date(2026, 11, 30, 12, 0, 0, 123456789, time.UTC)
	if _, err := c.Keep(&lesson.Verdict{Lesson: l.ID, Saved: when, Findings: []lesson.Finding{{Kind: lesson.WrongAnswer, Text: "3 is wrong"}}}); err != nil {
		t.Fatal(err)
	}
	if v, err := c.Last(&l); err != nil || len(v.Findings) != 1 || v.Findings[0].Text != "3 is wrong" || !v.Saved.Equal(when) {
		t.Errorf("of what was kept %+v, %v came back", v, err)
	}
	file := c.ResultPath(&l)
	for name, write := range map[string]func() error{
		"half a file":        func() error { return os.WriteFile(file, []byte(`{"lesson": "wh`), 0o644) },
		"another exercise's": func() error { return os.WriteFile(file, []byte(`{"lesson": "guard"}`), 0o644) },
		"too long":           func() error { return os.WriteFile(file, []byte(strings.Repeat(" ", maxResult+1)), 0o644) },
		"a folder":           func() error { return errors.Join(os.Remove(file), os.Mkdir(file, 0o755)) },
	} {
		if info, err := os.Stat(file); err == nil && info.IsDir() {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := os.Stat(file); err != nil {
			if err := os.WriteFile(file, nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := write(); err != nil {
			t.Fatal(err)
		}
		var wrong *FileError
		if v, err := c.Last(&l); v != nil || !errors.As(err, &wrong) || wrong.Path != filepath.Join(c.Dir, "which", ".result.json") || wrong.Next == "" {
			t.Errorf("%s: %v, %v", name, v, err)
		}
	}
}

// TestCheckNotesTheFilesTime holds a verdict to say which version of the file it
// is about.
func TestCheckNotesTheFilesTime(t *testing.T) {
	l, files := sound()
	c := &Course{Lessons: []lesson.Lesson{l}, Files: files, Dir: t.TempDir()}
	if err := c.Prepare(); err != nil {
		t.Fatal(err)
	}
	saved := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	if err := os.Chtimes(c.Path(&l), saved, saved); err != nil {
		t.Fatal(err)
	}
	v, err := c.Check(t.Context(), &l, Options{})
	if err != nil || !v.Saved.Equal(saved) {
		t.Errorf("the file was saved at %v, and the verdict says %+v, %v", saved, v, err)
	}
}
