package live

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// KeptDays is for how long a lesson that is over is kept.
const KeptDays = 30

// Keep bounds the lessons that are over and still lie in a folder of rooms.
type Keep struct {
	For     time.Duration // since they were written last; 30 days
	Lessons int           // 200
	Bytes   int64         // 2 GiB
	Resume  time.Duration // as Limits has it
}

func (k Keep) withDefaults() Keep {
	if k.For == 0 {
		k.For = KeptDays * 24 * time.Hour
	}
	if k.Lessons == 0 {
		k.Lessons = 200
	}
	if k.Bytes == 0 {
		k.Bytes = 2 << 30
	}
	k.Resume = cmp.Or(k.Resume, ResumeTime)
	return k
}

// A KeptLesson is one that lies in a folder of rooms.
type KeptLesson struct {
	Code     string
	Began    time.Time
	Length   time.Duration
	Chapters []string // their titles, in the order in which the lesson came to them
	Ended    bool     // otherwise it rests, or goes on
	File     string
}

// List returns the lessons that lie in a folder of rooms, the newest first. What cannot
// be read is left out; a folder that is not there has none.
func List(dir string) ([]KeptLesson, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) || dir == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []KeptLesson
	for _, e := range entries {
		if ParseCode(e.Name()) != e.Name() {
			continue
		}
		var s saved
		text, err := os.ReadFile(filepath.Join(dir, e.Name(), roomFile))
		if err != nil || json.Unmarshal(text, &s) != nil {
			continue
		}
		k := KeptLesson{
			Code: e.Name(), Began: s.Began, Length: time.Duration(s.Length) * time.Millisecond, Chapters: s.Chapters, Ended: s.Ended,
			File: filepath.Join(dir, e.Name(), LessonFile),
		}
		if info, err := os.Stat(k.File); err == nil && info.Mode().IsRegular() {
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(a, b KeptLesson) int { return cmp.Or(b.Began.Compare(a.Began), cmp.Compare(a.Code, b.Code)) })
	return all, nil
}

// Spell writes how long a lesson is.
func Spell(d time.Duration) string {
	minutes := int(d.Round(time.Minute) / time.Minute)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Round(time.Second)/time.Second))
	case minutes < 60:
		return fmt.Sprintf("%d min", minutes)
	}
	return fmt.Sprintf("%d h %d min", minutes/60, minutes%60)
}

// OpenLesson reads a lesson from its file.
func OpenLesson(name string) (*Lesson, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lesson, err := ReadLessonFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return lesson, nil
}

// Sweep removes the oldest of the lessons in a folder that are over, as far as the
// bounds ask for that, and returns how many are kept. Rooms that a server would go on
// with stay, and so does whatever is no room. No server may be open on the folder.
func Sweep(dir string, k Keep) (kept int, err error) {
	k = k.withDefaults()
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	type lesson struct {
		dir   string
		at    time.Time
		bytes int64
	}
	var over []lesson
	for _, e := range entries {
		if ParseCode(e.Name()) != e.Name() || !e.IsDir() {
			continue
		}
		l := lesson{dir: filepath.Join(dir, e.Name())}
		if info, err := os.Stat(filepath.Join(l.dir, LessonFile)); err == nil {
			l.at, l.bytes = info.ModTime(), info.Size()
		}
		text, err := os.ReadFile(filepath.Join(l.dir, roomFile))
		if err == nil {
			var s saved
			if err := json.Unmarshal(text, &s); err != nil {
				continue // Open says what is wrong with it
			}
			if !s.Ended && now().Sub(s.LastUse) <= k.Resume {
				continue
			}
			l.at = s.LastUse
		} else if !errors.Is(err, os.ErrNotExist) {
			continue
		}
		over = append(over, l)
	}
	slices.SortFunc(over, func(a, b lesson) int { return b.at.Compare(a.at) })
	var bytes int64
	var problems []error
	for _, l := range over {
		if kept < k.Lessons && bytes+l.bytes <= k.Bytes && now().Sub(l.at) <= k.For {
			kept++
			bytes += l.bytes
			continue
		}
		problems = append(problems, os.RemoveAll(l.dir))
	}
	return kept, errors.Join(problems...)
}
