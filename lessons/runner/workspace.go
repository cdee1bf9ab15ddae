package runner

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"workbench/engine/wholefile"
	"workbench/lessons/lesson"
)

// goMod makes the learner's folder a module of its own, so that an editor
// understands the Go files and the course's own tests pass them by.
const goMod = "module exercises\n\ngo 1.26\n"

// starter returns what an exercise hands out, solution what passes.
func (c *Course) starter(l *lesson.Lesson) ([]byte, error) { return c.read(l, "starter") }

// Solution returns the course's own solution of an exercise.
func (c *Course) Solution(l *lesson.Lesson) ([]byte, error) { return c.read(l, "solution") }

// Statement returns what is to be done, in Markdown.
func (c *Course) Statement(l *lesson.Lesson) (string, error) {
	text, err := fs.ReadFile(c.Files, path.Join(l.ID, "statement.md"))
	return string(text), err
}

func (c *Course) read(l *lesson.Lesson, folder string) ([]byte, error) {
	return fs.ReadFile(c.Files, path.Join(l.ID, folder, l.File()))
}

// Prepare makes the copies that a learner does not have yet, of all exercises.
// What is there is left alone, but for statements, which nobody edits.
func (c *Course) Prepare() error {
	if err := c.prepare(); err != nil {
		return fmt.Errorf("the exercises cannot be handed out: %w", err)
	}
	return nil
}

func (c *Course) prepare() error {
	if err := os.MkdirAll(c.Dir, 0o777); err != nil {
		return err
	}
	if err := create(filepath.Join(c.Dir, "go.mod"), []byte(goMod)); err != nil {
		return err
	}
	for i := range c.Lessons {
		l := &c.Lessons[i]
		text, err := c.starter(l)
		if err != nil {
			return err
		}
		statement, err := c.Statement(l)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(c.Dir, l.ID), 0o777); err != nil {
			return err
		}
		if err := create(c.Path(l), text); err != nil {
			return err
		}
		readme := filepath.Join(c.Dir, l.ID, "README.md")
		if have, err := os.ReadFile(readme); err != nil || !bytes.Equal(have, []byte(statement)) {
			if err := writeFile(readme, []byte(statement)); err != nil {
				return err
			}
		}
	}
	return nil
}

// create writes a file that is not there.
func create(path string, text []byte) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return writeFile(path, text)
}

// writeFile writes a file that anybody may read, whole or not at all.
func writeFile(path string, text []byte) error { return wholefile.Write(path, text, 0o644) }

// Reset hands an exercise's file out again. What the learner had is kept beside
// it, and backup says where; "" if there was nothing but the file as it was
// handed out.
func (c *Course) Reset(l *lesson.Lesson) (backup string, err error) {
	starter, err := c.starter(l)
	if err != nil {
		return "", err
	}
	file := c.Path(l)
	have, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return "", err
	case bytes.Equal(have, starter):
		return "", nil
	default:
		if backup, err = c.backUp(file, have); err != nil {
			return "", err
		}
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return backup, err
	}
	return backup, writeFile(file, starter)
}

// backUp keeps what a file holds under a name that is not taken.
func (c *Course) backUp(file string, text []byte) (string, error) {
	stem := file + "." + c.now().Format("2006-01-02-150405")
	for n := 1; ; n++ {
		name := stem + ".bak"
		if n > 1 {
			name = fmt.Sprintf("%s-%d.bak", stem, n)
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(text)
		if closed := f.Close(); err == nil {
			err = closed
		}
		return name, err
	}
}
