package live

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"
)

// Lessons that are kept are listed with what is in them, the newest first.
func TestList(t *testing.T) {
	dir := t.TempDir()
	at := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	put := func(code string, s saved, lesson bool) {
		t.Helper()
		text, err := json.Marshal(s)
		if err == nil {
			err = os.MkdirAll(filepath.Join(dir, code), 0o700)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, code, roomFile), text, 0o600)
		}
		if err == nil && lesson {
			err = os.WriteFile(filepath.Join(dir, code, LessonFile), nil, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	put("AAAAAA", saved{Began: at, Length: 2500, Chapters: []string{"One", "Two"}, Ended: true}, true)
	put("BBBBBB", saved{Began: at.Add(time.Hour)}, true)
	put("CCCCCC", saved{Began: at.Add(time.Hour)}, false) // its lesson was taken away
	put("none", saved{Began: at}, true)
	got, err := List(dir)
	want := []KeptLesson{
		{Code: "BBBBBB", Began: at.Add(time.Hour), File: filepath.Join(dir, "BBBBBB", LessonFile)},
		{Code: "AAAAAA", Began: at, Length: 2500 * time.Millisecond, Chapters: []string{"One", "Two"}, Ended: true, File: filepath.Join(dir, "AAAAAA", LessonFile)},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("listed are %+v, %v; want %+v", got, err, want)
	}
	for _, none := range []string{"", filepath.Join(dir, "nowhere")} {
		if got, err := List(none); got != nil || err != nil {
			t.Errorf("of %q: %v, %v", none, got, err)
		}
	}
}

// Lessons that are over go when they are too old, too many or too large, the oldest
// first; nothing else goes.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	if kept, err := Sweep(filepath.Join(dir, "none"), Keep{}); kept != 0 || err != nil {
		t.Errorf("of no folder %d are kept, %v", kept, err)
	}
	day := 24 * time.Hour
	put := func(code string, ended bool, age time.Duration, bytes int) {
		t.Helper()
		folder := filepath.Join(dir, code)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(saved{Version: savedVersion, Ended: ended, LastUse: time.Now().Add(-age)})
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string][]byte{roomFile: text, LessonFile: make([]byte, bytes)} {
			if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	put("AAAAAA", false, time.Hour, 1000) // goes on
	put("BBBBBB", false, 13*time.Hour, 10)
	put("CCCCCC", true, time.Hour, 10)
	put("DDDDDD", true, 2*day, 10)
	put("EEEEEE", true, 29*day, 10)
	put("FFFFFF", true, 31*day, 10)
	put("my-own", true, 99*day, 10)
	put("GGGGGG", true, time.Hour, 10)
	if err := os.WriteFile(filepath.Join(dir, "GGGGGG", roomFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		keep Keep
		kept int
		left []string
	}{
		{Keep{}, 4, []string{"AAAAAA", "BBBBBB", "CCCCCC", "DDDDDD", "EEEEEE", "GGGGGG", "my-own"}},
		{Keep{Lessons: 3}, 3, []string{"AAAAAA", "BBBBBB", "CCCCCC", "DDDDDD", "GGGGGG", "my-own"}},
		{Keep{Bytes: 25}, 2, []string{"AAAAAA", "BBBBBB", "CCCCCC", "GGGGGG", "my-own"}},
		{Keep{For: 2 * time.Hour}, 1, []string{"AAAAAA", "CCCCCC", "GGGGGG", "my-own"}},
	} {
		kept, err := Sweep(dir, step.keep)
		if err != nil || kept != step.kept {
			t.Errorf("with %+v %d are kept, %v", step.keep, kept, err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, e := range entries {
			left = append(left, e.Name())
		}
		if !slices.Equal(left, step.left) {
			t.Errorf("with %+v there are %v, want %v", step.keep, left, step.left)
		}
	}
}
