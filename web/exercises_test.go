package web

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"workbench/lessons"
	"workbench/lessons/runner"
	"workbench/web/exercise"
	"workbench/web/exercise/exercisetest"
)

// withExercises are options with a small course of exercises, worked on in a
// folder that is not there yet.
func withExercises(t *testing.T) (Options, *runner.Course) {
	o := fixture()
	c := exercisetest.Course(filepath.Join(t.TempDir(), "exercises"))
	o.Exercises, o.Desk = c, exercise.Options{Zone: time.UTC}
	return o, c
}

func begin(t *testing.T, c *runner.Course) {
	t.Helper()
	if err := exercisetest.Begin(c); err != nil {
		t.Fatal(err)
	}
}

// TestGoldenExercises holds the pages of a learner who begins, of one in the
// middle, and of one whose files are broken.
func TestGoldenExercises(t *testing.T) {
	o, c := withExercises(t)
	_, h := start(t, o)
	page := func(path string) string {
		r, body := get(t, h.URL+path)
		if r.StatusCode != 200 {
			t.Errorf("%s: status %d", path, r.StatusCode)
		}
		body = strings.ReplaceAll(body, filepath.ToSlash(c.Dir), "/course/exercises")
		// The version is that of other paths on every machine.
		before, rest, _ := strings.Cut(body, `<meta name="wb-exercises" content="`)
		_, after, ok := strings.Cut(rest, `"`)
		if !ok {
			t.Errorf("%s does not say which version it shows", path)
		}
		return before + `<meta name="wb-exercises" content="version"` + after
	}
	golden(t, "exercises-none.html", page("/exercises"))
	begin(t, c)
	golden(t, "exercises.html", page("/exercises"))
	golden(t, "exercises-some.html", page("/exercises?state=failing&chapter=1&text=row"))
	golden(t, "exercises-contents.html", page("/"))
	golden(t, "exercises-chapter.html", page("/chapters/02-second"))
	for _, file := range []string{c.ProgressPath(), c.ResultPath(exercisetest.Lesson(c, "row-sum"))} {
		if err := os.WriteFile(file, []byte(strings.Repeat("<script>", 1<<18)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "exercises-broken.html", page("/exercises?chapter=1"))
}

// Whatever is in a learner's files is text on a page.
func TestExercisesAreText(t *testing.T) {
	o, c := withExercises(t)
	_, h := start(t, o)
	begin(t, c)
	for _, path := range []string{"/exercises", "/chapters/01-first", "/exercises?text=%3Cscript%3Ealert(1)"} {
		_, body := get(t, h.URL+path)
		for _, wrong := range []string{"<script>alert", "<b>bold", "javascript:", "\x1b", "\u202e", " style=", "ZgotmplZ"} {
			if strings.Contains(body, wrong) {
				t.Errorf("%s has %q in it", path, wrong)
			}
		}
		if !strings.Contains(body, "&lt;script&gt;alert(1)") {
			t.Errorf("%s lacks the hostile text, so that this test sees nothing", path)
		}
	}
}

// Addresses of single exercises lead to the page of all; a workbench without
// exercises has none of these pages, and says nothing of them elsewhere.
func TestExerciseAddresses(t *testing.T) {
	o, _ := withExercises(t)
	_, h := start(t, o)
	for path, want := range map[string]string{"/exercises/row-sum": "/exercises#exercise-row-sum", "/exercises/": "/exercises", "/exercises/a%2Fb": "/exercises#exercise-a/b"} {
		if r, _ := get(t, h.URL+path); r.StatusCode != 302 || r.Header.Get("Location") != want {
			t.Errorf("%s: status %d, to %q, want %q", path, r.StatusCode, r.Header.Get("Location"), want)
		}
	}
	_, h = start(t, fixture())
	if r, body := get(t, h.URL+"/exercises"); r.StatusCode != 404 || !strings.Contains(body, "serves no exercises") {
		t.Errorf("without exercises: status %d", r.StatusCode)
	}
	if _, body := get(t, h.URL+"/"); strings.Contains(body, "xercise") {
		t.Error("a workbench without exercises speaks of them")
	}
}

// A page that is loaded shows what the folder holds at that moment, and the pages
// of chapters for which nothing has changed are not written again.
func TestExercisesAreCurrent(t *testing.T) {
	o, c := withExercises(t)
	s, h := start(t, o)
	begin(t, c)
	shows := func(path, text string) {
		t.Helper()
		if _, body := get(t, h.URL+path); !strings.Contains(body, text) {
			t.Errorf("%s does not say %q", path, text)
		}
	}
	shows("/chapters/02-second", "1 of 2 exercises passed")
	first, second := s.edition.Load().pages["01-first"], s.edition.Load().pages["02-second"]
	if _, err := c.Keep(exercisetest.Passed(c, "barrier", exercisetest.Now)); err != nil {
		t.Fatal(err)
	}
	shows("/chapters/02-second", "2 of 2 exercises passed")
	shows("/", "3 of 5 exercises passed")
	shows("/exercises", "3 of 5 exercises passed")
	if now := s.edition.Load(); now.pages["01-first"] != first || now.pages["02-second"] == second {
		t.Error("a pass in chapter 2 makes chapter 1's page anew, or leaves its own")
	}
}

// Every exercise of the course stands at the end of its chapter, with a statement
// of which nothing had to be left out.
func TestCourseExercises(t *testing.T) {
	o := course()
	o.Exercises = &runner.Course{Lessons: lessons.All, Files: lessons.Files(), Dir: filepath.Join(t.TempDir(), "exercises")}
	s, h := start(t, o)
	found := map[string]int{}
	for _, c := range s.edition.Load().library.Chapters {
		_, body := get(t, h.URL+"/chapters/"+c.Slug)
		for _, l := range lessons.All {
			if strings.Contains(body, `<article class="exercise" id="exercise-`+l.ID+`"`) {
				if found[l.ID]++; l.Chapter != c.Number {
					t.Errorf("%s stands in chapter %d and belongs to %d", l.ID, c.Number, l.Chapter)
				}
			}
		}
		if strings.Contains(body, "raw HTML omitted") {
			t.Errorf("a statement in %s has HTML, which is left out", c.Slug)
		}
	}
	_, all := get(t, h.URL+"/exercises")
	for _, l := range lessons.All {
		if found[l.ID] != 1 || !strings.Contains(all, `id="exercise-`+l.ID+`"`) {
			t.Errorf("%s stands in %d chapters", l.ID, found[l.ID])
		}
	}
}

// Open pages are told when the folder changes, and when they come which version
// there is.
func TestExercisesLive(t *testing.T) {
	o, c := withExercises(t)
	_, h := start(t, o)
	conn, _, err := dial(t, h, nil)
	if err != nil {
		t.Fatal(err)
	}
	type message struct {
		V        int
		Type     string
		Versions map[string]string
	}
	read := func(conn *websocket.Conn) map[string]string {
		t.Helper()
		for {
			var m message
			_, text, err := conn.ReadMessage()
			if err == nil {
				err = json.Unmarshal(text, &m)
			}
			if err != nil {
				t.Fatal(err)
			}
			if m.Type == "exercises" {
				if m.V != 1 || m.Versions[""] == "" {
					t.Fatalf("the message is %s", text)
				}
				return m.Versions
			}
		}
	}
	none := read(conn)
	if _, body := get(t, h.URL+"/exercises"); !strings.Contains(body, `<meta name="wb-exercises" content="`+none[""]+`">`) {
		t.Error("the page shows another version than the message names")
	}
	begin(t, c)
	if _, err := c.Keep(exercisetest.Passed(c, "barrier", exercisetest.Now)); err != nil {
		t.Fatal(err)
	}
	// The folder may have been seen while it was filled.
	for now := read(conn); ; now = read(conn) {
		if _, body := get(t, h.URL+"/chapters/02-second"); strings.Contains(body, `content="`+now["2"]+`" data-chapter="2">`) && strings.Contains(body, "2 of 2 exercises passed") {
			late, _, err := dial(t, h, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := read(late); got[""] == none[""] {
				t.Error("who comes later is told of the first version")
			}
			return
		}
	}
}
