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

// resultFile is where the last verdict about an exercise is kept, so that a page
// shows what a terminal said.
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

// Last returns the last verdict about an exercise, or nil if it was never checked
// or what was kept cannot be read.
func (c *Course) Last(l *lesson.Lesson) (*lesson.Verdict, error) {
	file := c.resultFile(l.ID)
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if info.Size() > maxResult {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	v := &lesson.Verdict{}
	if json.Unmarshal(text, v) != nil || v.Lesson != l.ID {
		return nil, nil
	}
	return v, nil
}
