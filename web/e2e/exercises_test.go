package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"workbench/lessons/runner"
	"workbench/web/exercise"
	"workbench/web/exercise/exercisetest"
)

// classroom serves the course with a small course of exercises, which are worked
// on in a folder that is not there yet.
func classroom(t *testing.T) (*Site, *runner.Course) {
	t.Helper()
	c := exercisetest.Course(filepath.Join(t.TempDir(), "exercises"))
	o := options(false)
	o.Exercises, o.Desk = c, exercise.Options{Zone: time.UTC}
	return serve(t, o), c
}

// TestExercisesPictures writes pictures for people to look at, where they are
// asked for.
func TestExercisesPictures(t *testing.T) {
	folder := os.Getenv(pictures)
	if folder == "" {
		t.Skip("set " + pictures + " to a folder to have pictures written there")
	}
	site, c := classroom(t)
	tab := newTab(t, site)
	shoot := func(name string) {
		for _, width := range widths {
			for _, scheme := range schemes {
				tab.size(width, 900)
				tab.scheme(scheme)
				tab.settle()
				tab.picture(filepath.Join(folder, fmt.Sprintf("exercises %s %d %s.png", name, width, scheme)))
			}
		}
	}
	tab.open("/exercises")
	shoot("none")
	if err := exercisetest.Begin(c); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"all": "/exercises", "some": "/exercises?state=changed", "contents": "/"} {
		tab.open(path)
		shoot(name)
	}
	tab.open("/exercises")
	get[bool](tab, "([...document.querySelectorAll('.exercise details')].forEach((one) => { one.open = true; }), true)")
	shoot("open")
	if err := os.WriteFile(c.ProgressPath(), []byte(strings.Repeat("?", 2<<20)), 0o644); err != nil {
		t.Fatal(err)
	}
	tab.open("/exercises")
	shoot("broken")
}
