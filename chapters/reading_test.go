package chapters_test

import (
	"context"
	"io/fs"
	"testing"

	"workbench/assets"
	"workbench/chapters"
	"workbench/engine"
	"workbench/web/chapter"
	"workbench/web/run"
)

// TestReading reads the chapters as the server does and holds each to the
// course's form.
func TestReading(t *testing.T) {
	library, _ := course(t)
	if n := len(library.Chapters); n != 7 {
		t.Errorf("%d chapters, want 7", n)
	}
	for _, c := range library.Chapters {
		if n := len(c.Front.Outcomes); n < 4 {
			t.Errorf("%s: %d outcomes", c.Slug, n)
		}
		if n := len(c.Front.Sources); n < 4 {
			t.Errorf("%s: %d sources", c.Slug, n)
		}
		if n := len(c.Front.Questions); n < 5 {
			t.Errorf("%s: %d questions", c.Slug, n)
		}
		for _, q := range c.Front.Questions {
			if q.Where == "" {
				t.Errorf("%s: the key of %q names no place", c.Slug, q.Ask)
			}
		}
		if n := len(c.Widgets); n < 4 {
			t.Errorf("%s: %d widgets", c.Slug, n)
		}
		for _, m := range c.Measured {
			// Without a measurement the page says what it would show.
			if !m.Empty && len(m.Absent) > 0 {
				t.Errorf("%s: %s asks for the figures %q, which no measurement has", c.Slug, m.ID, m.Absent)
			}
		}
		for _, w := range c.Widgets {
			if w.Caption == "" {
				t.Errorf("%s: widget %s has no caption", c.Slug, w.ID)
			}
			if w.Cell == nil || w.Trace == nil || w.Step == 0 {
				continue
			}
			// A widget that opens at a step opens at the step of its cell, or at
			// the whole product, of which it is chosen.
			step := w.Trace.Steps[w.Step]
			cell := step.Cell
			if p := step.Product; cell == nil && p != nil && w.Cell[0] < p.B && w.Cell[1] < p.M && w.Cell[2] < p.N {
				continue
			}
			if cell == nil || *w.Cell != [3]int{cell.Batch, cell.Row, cell.Column} {
				t.Errorf("%s: widget %s opens at step %d, which does not write out cell %v", c.Slug, w.ID, w.Step, *w.Cell)
			}
		}
	}
}

// course reads the chapters as the server does.
func course(t *testing.T) (*chapter.Library, run.Runner) {
	t.Helper()
	runner := run.NewEngine(engine.Open, engine.List, engine.Emulator)
	t.Cleanup(func() {
		if err := runner.Close(); err != nil {
			t.Error(err)
		}
	})
	measured, err := assets.Measurements()
	if err != nil {
		t.Fatal(err)
	}
	shelf := chapter.Shelf{FS: chapters.FS, Name: "chapters", Quotes: []fs.FS{chapters.FS}, Measurements: measured, Runner: runner}
	library, err := shelf.Load(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := library.Err(); err != nil {
		t.Error(err)
	}
	return library, runner
}
