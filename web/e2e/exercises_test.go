package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"workbench/lessons"
	"workbench/lessons/lesson"
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

func keep(t *testing.T, c *runner.Course, v *lesson.Verdict) {
	t.Helper()
	if _, err := c.Keep(v); err != nil {
		t.Fatal(err)
	}
}

// marked notes on the page that it is this one: a reload would forget it.
func (tab *Tab) marked() {
	tab.t.Helper()
	get[bool](tab, "(globalThis.sameAsBefore = true)")
}

func (tab *Tab) stillMarked() {
	tab.t.Helper()
	if !get[bool](tab, "Boolean(globalThis.sameAsBefore)") {
		tab.t.Error("the page was loaded again")
	}
}

// TestExercisesWhileOpen changes the learner's folder under open pages: they
// follow without a reload, and the reader stays where they are.
func TestExercisesWhileOpen(t *testing.T) {
	t.Parallel()
	site, c := classroom(t)
	tab := newTab(t, site)
	tab.open("/exercises")
	tab.untilLive("open")
	contents := tab.twin()
	contents.open("/")
	chapter := tab.twin()
	chapter.open("/chapters/02-rows-sums-means#exercises")
	for _, one := range []*Tab{tab, contents, chapter} {
		one.marked()
		if said := get[string](one, "e2e.words(document.querySelector('.exercise-begin'))"); !strings.Contains(said, "Begin with ./course run") || !strings.Contains(said, c.Dir) {
			t.Errorf("before anything is begun %s says %q", one.location(), said)
		}
	}

	// The reader is at the last exercise, and has opened what it asks.
	const summary = "document.querySelector('#exercise-barrier summary')"
	get[bool](tab, "("+summary+".scrollIntoView({ block: 'center', behavior: 'instant' }), "+summary+".focus(), true)")
	tab.press("Enter")
	tab.settle()
	top := get[float64](tab, summary+".getBoundingClientRect().top")

	tab.listen()
	if err := exercisetest.Begin(c); err != nil {
		t.Fatal(err)
	}
	tab.until("what passed", "document.querySelectorAll('.exercise[data-state=passed]').length === 2 && !document.querySelector('.exercise-begin')")
	tab.until("the values", "document.querySelectorAll('#exercise-row-sum .wrong-values tbody tr').length === 5")
	values := get[[][]string](tab, "[...document.querySelectorAll('#exercise-row-sum .wrong-values tbody tr')].map((row) => [...row.cells].map(e2e.words))")
	if got, want := fmt.Sprint(values), "[[[0] 6 15] [[1] 15 24] [[2] 24 -1.7976931348623157e+308] [and 2 more] [[4] the worst 605 NaN]]"; got != want {
		t.Errorf("the values are %s, want %s", got, want)
	}
	if mark := get[string](tab, "document.querySelector('#exercise-row-sum .finding-source').textContent.split('\\n')[1]"); mark != "\t          ^" {
		t.Errorf("below the line stands %q", mark)
	}
	tab.settle()
	if now := get[float64](tab, summary+".getBoundingClientRect().top"); now < top-2 || now > top+2 {
		t.Errorf("what the reader looks at was at %.0f px of the window and is at %.0f", top, now)
	}
	if !get[bool](tab, "document.activeElement === "+summary+" && "+summary+".parentElement.open") {
		t.Error("the focus is gone, or what was opened is closed")
	}
	// At once, or one after the other as the files came.
	told := func(sentence string) {
		t.Helper()
		tab.until("a word for who does not see it", "e2e.heard.some(({ text }) => text.includes(%s))", sentence)
	}
	told("Exercise 2, Add up each row: not passed. Each value")
	told("2 of 5 exercises passed.")
	contents.until("the contents", "e2e.words(document.querySelector('.standing')).startsWith('2 of 5 exercises passed Next: 2. Add up each row')")
	chapter.until("the chapter", "e2e.words(document.querySelector('#exercises .progress-line')) === '1 of 2 exercises passed'")
	if text := get[string](contents, "e2e.words(document.querySelector('.chapter-list li .progress-line'))"); text != "1 of 3 exercises passed" {
		t.Errorf("the first chapter's card says %q", text)
	}

	// A pass closes what was found; a save afterwards is said, and what the reader
	// has opened meanwhile stays open.
	keep(t, c, exercisetest.Passed(c, "row-sum", exercisetest.Now.Add(time.Second)))
	tab.until("the pass", "document.querySelector('#exercise-row-sum').dataset.state === 'passed' && !document.querySelector('#exercise-row-sum .verdict').open")
	tab.until("the next one", "document.querySelector('#exercise-strides').hasAttribute('data-next') && !document.querySelector('#exercise-row-sum').hasAttribute('data-next')")
	told("Exercise 2, Add up each row: passed.")
	get[bool](tab, "(document.querySelector('#exercise-row-sum .verdict').open = true)")
	if err := exercisetest.Save(c, "row-sum", exercisetest.Now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	tab.until("that the file was changed", "e2e.words(document.querySelector('#exercise-row-sum .notice-stale')).startsWith('The file was changed since, 30 November 2026, 13:00:00')")
	if !get[bool](tab, "document.querySelector('#exercise-row-sum .verdict').open") {
		t.Error("what the reader opened is closed")
	}

	// What happens while the connection is down shows when it is back.
	tab.allow(refused)
	contents.allow(refused)
	chapter.allow(refused)
	site.cut()
	keep(t, c, exercisetest.Passed(c, "strides", exercisetest.Now.Add(time.Minute)))
	for _, one := range []*Tab{tab, contents} {
		one.until("what happened meanwhile", "e2e.words(document.querySelector('.standing')).startsWith('4 of 5 exercises passed')")
		one.stillMarked()
	}
	keep(t, c, exercisetest.Passed(c, "barrier", exercisetest.Now.Add(time.Minute)))
	contents.until("the end", "e2e.words(document.querySelector('.standing')).includes('All of them passed.')")
	chapter.until("the chapter's end", "e2e.words(document.querySelector('#exercises .progress-line')) === '2 of 2 exercises passed'")
	chapter.stillMarked()
}

// TestExercisesWithoutScripts reads a verdict, and chooses exercises, where no
// script runs.
func TestExercisesWithoutScripts(t *testing.T) {
	t.Parallel()
	site, c := classroom(t)
	if err := exercisetest.Begin(c); err != nil {
		t.Fatal(err)
	}
	tab := bare(t, site, "/exercises")
	says := get[string](tab, "document.querySelector('#exercise-row-sum').innerText.replace(/\\s+/g, ' ')")
	for _, want := range []string{"Next", "./course run row-sum", "5 of 5 elements are wrong", "[4] the worst 605 NaN", "row_sum.go, line 9, column 12", "Your program printed: row 0: 15", "within 1 s, 64 KiB of output", c.ResultPath(exercisetest.Lesson(c, "row-sum"))} {
		if !strings.Contains(says, want) {
			t.Errorf("the exercise does not say %q: %s", want, clip(says))
		}
	}
	if get[bool](tab, "Boolean(document.querySelector('.copy'))") {
		t.Error("there is a button that does nothing")
	}
	tab.load("/exercises?state=open&kind=cuda&chapter=&text=")
	if ids := get[string](tab, "[...document.querySelectorAll('.exercise')].map((one) => one.id).join()"); ids != "exercise-barrier" {
		t.Errorf("open CUDA exercises are %s", ids)
	}
	keep(t, c, exercisetest.Passed(c, "barrier", exercisetest.Now))
	tab.load("/chapters/02-rows-sums-means")
	if text := get[string](tab, "e2e.words(document.querySelector('#exercises .progress-line'))"); text != "2 of 2 exercises passed" {
		t.Errorf("after a pass the chapter says %q", text)
	}
}

// TestExercisesByKeyboard goes to an exercise, opens it, copies its command and
// chooses exercises without a mouse.
func TestExercisesByKeyboard(t *testing.T) {
	t.Parallel()
	site, c := classroom(t)
	if err := exercisetest.Begin(c); err != nil {
		t.Fatal(err)
	}
	tab := newTab(t, site)
	tab.scheme("light") // with little motion: keys are pressed faster than a page scrolls
	tab.open("/chapters/01-one-product")
	tabTo := func(what, test string) {
		t.Helper()
		for range mostStops {
			tab.press("Tab")
			if get[bool](tab, "((at) => Boolean("+test+"))(document.activeElement)") {
				return
			}
		}
		t.Fatalf("Tab does not lead to %s", what)
	}
	tabTo("the exercises", "at.matches('.page-nav a[href=\"#exercises\"]')")
	tab.press("Enter")
	tab.until("the exercises", "location.hash === '#exercises' && Math.abs(document.querySelector('#exercises').getBoundingClientRect().top) < 100")
	tabTo("the first exercise", "at.matches('#exercise-which-place h3 a')")
	tab.press("Tab")
	tab.press("Enter")
	tab.until("what became of the copy", "/^(Copied|Chosen: copy it with Ctrl-C)$/.test(e2e.words(document.querySelector('#exercise-which-place .copied')))")
	tab.press("Tab", "Enter")
	tab.until("what it asks", "e2e.shown(document.querySelector('#exercise-which-place .exercise-text'))")

	tab.open("/exercises")
	tabTo("the states", "at.matches('select[name=state]')")
	tab.press("p")
	tabTo("the button", "at.matches('.exercise-filter button')")
	tab.press("Enter")
	tab.until("those that passed", "location.search.includes('state=passed') && e2e.ready()")
	if ids := get[string](tab, "[...document.querySelectorAll('.exercise')].map((one) => one.id).join()"); ids != "exercise-which-place,exercise-surplus" {
		t.Errorf("those that passed are %s", ids)
	}
}

// TestExercisesForEveryone holds the pages with exercises to what every other
// page is held to: names for a screen reader, contrast, a fit at any width, and
// targets for a finger.
func TestExercisesForEveryone(t *testing.T) {
	t.Parallel()
	site, c := classroom(t)
	tab := newTab(t, site)
	check := func(tab *Tab, paths ...string) {
		for _, path := range paths {
			tab.open(path)
			tab.untilLive("open")
			get[bool](tab, "([...document.querySelectorAll('.exercise details')].forEach((one) => { one.open = true; }), true)")
			checkTree(t, tab, path)
			checkFits(t, tab, path)
			checkContrast(t, tab, path)
			// What an example and the questions have is held on the pages of the course.
			checkTargets(t, tab, path, "main :is(.copy, select, input, button, summary, .exercise-where a):not(.widget-live *, .questions *), .site-header a")
		}
	}
	check(tab, "/exercises")
	if err := exercisetest.Begin(c); err != nil {
		t.Fatal(err)
	}
	check(tab, "/exercises", "/", "/chapters/02-rows-sums-means")
	if err := os.WriteFile(c.ProgressPath(), []byte(strings.Repeat("?", 2<<20)), 0o644); err != nil {
		t.Fatal(err)
	}
	check(tab, "/exercises?state=failing")

	// And the course's own, with every statement.
	o := options(false)
	o.Exercises = &runner.Course{Lessons: lessons.All, Files: lessons.Files(), Dir: filepath.Join(t.TempDir(), "exercises")}
	tab = newTab(t, serve(t, o))
	check(tab, "/exercises")
	if n := get[int](tab, "document.querySelectorAll('.exercise').length"); n != len(lessons.All) {
		t.Errorf("the page has %d exercises, and the course %d", n, len(lessons.All))
	}
}

// TestExercisesPictures writes pictures for people to look at, where they are
// asked for.
func TestExercisesPictures(t *testing.T) {
	t.Parallel()
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
	tab.open("/chapters/02-rows-sums-means")
	for _, width := range widths {
		for _, scheme := range schemes {
			tab.size(width, 900)
			tab.scheme(scheme)
			tab.settle()
			tab.pictureOf("exercises", filepath.Join(folder, fmt.Sprintf("exercises chapter %d %s.png", width, scheme)))
		}
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
