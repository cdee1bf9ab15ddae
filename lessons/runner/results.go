package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"workbench/lessons/lesson"
)

// ResultPath is where the last verdict about an exercise is kept, so that a page
// shows what a terminal said.
func (c *Course) ResultPath(l *lesson.Lesson) string { return c.resultFile(l.ID) }

func (c *Course) resultFile(id string) string {
	return filepath.Join(c.Dir, id, ".result.json")
}

// maxResult bounds the verdict that is read, in bytes.
const maxResult = 4 << 20

func (c *Course) keepVerdict(v *lesson.Verdict) error {
	text, err := json.MarshalIndent(v, "", "\t")
	if err != nil {
		return fmt.Errorf("BUG: a verdict cannot be written: %w", err)
	}
	file := c.resultFile(v.Lesson)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return writeFile(file, append(text, '\n'))
}

// Last returns the last verdict about an exercise, or nil if it was never
// checked. What was kept and cannot be read is a FileError.
func (c *Course) Last(l *lesson.Lesson) (*lesson.Verdict, error) {
	file := c.resultFile(l.ID)
	broken := func(reason string) error {
		return &FileError{file, reason, "`run " + l.ID + "` writes it anew"}
	}
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, &FileError{file, "is a folder", "move it away"}
	case info.Size() > maxResult:
		return nil, broken(fmt.Sprintf("has %d bytes, more than a verdict has", info.Size()))
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	v := &lesson.Verdict{}
	if err := json.Unmarshal(text, v); err != nil {
		return nil, broken("is no verdict")
	}
	if v.Lesson != l.ID {
		return nil, broken(fmt.Sprintf("is a verdict about %q and not about this exercise", v.Lesson))
	}
	return v, nil
}
