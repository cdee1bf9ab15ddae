package study

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"workbench/cmd/internal/terminal"
	"workbench/engine/device"
	"workbench/lessons/lesson"
	"workbench/lessons/runner"
	"workbench/web/watch"
)

// answers finds the answer of the first exercise out, as a test wants it.
type answers func(ctx context.Context) ([]string, error)

// newLearner is a learner of three questions, whose answers are 1, 2 and 3 unless
// first says otherwise.
func newLearner(t *testing.T, first answers) *Learner {
	t.Helper()
	files := fstest.MapFS{}
	var all []lesson.Lesson
	for i, id := range []string{"first-sum", "second-sum", "third-product"} {
		answer := fmt.Sprint(i + 1)
		find := func(context.Context, lesson.On) ([]string, error) { return []string{answer}, nil }
		if i == 0 && first != nil {
			find = func(ctx context.Context, _ lesson.On) ([]string, error) { return first(ctx) }
		}
		all = append(all, lesson.Lesson{
			ID: id, Title: "Say what comes out, number " + answer, Chapter: 1 + i/2,
			Devices: []device.Kind{device.CPU}, Limit: time.Minute, Hints: []string{"Count.", "Count from one."},
			Check: &lesson.Questions{Questions: []lesson.Question{{Name: "n", Form: "a whole number", Answer: find}}},
		})
		file := strings.ReplaceAll(id, "-", "_") + ".txt"
		files[id+"/starter/"+file] = &fstest.MapFile{Data: []byte(answered(""))}
		files[id+"/solution/"+file] = &fstest.MapFile{Data: []byte(answered(answer))}
		files[id+"/statement.md"] = &fstest.MapFile{Data: []byte("# What comes out\n\nHow much is n?\n")}
	}
	l, err := Open(&runner.Course{Lessons: all, Files: files, Dir: filepath.Join(t.TempDir(), "exercises")})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func answered(n string) string {
	return "# ---- your part begins ----\nn = " + n + "\n# ---- your part ends ----\n"
}

// running is a session whose events a test handles.
type running struct {
	*Session
	t      *testing.T
	events chan Event
	told   strings.Builder
}

func start(t *testing.T, l *Learner) *running {
	t.Helper()
	r := &running{t: t, events: make(chan Event)}
	ctx, cancel := context.WithCancel(t.Context())
	r.Session = &Session{
		Learner: l, Look: terminal.Look{Width: 80, Profile: colorprofile.NoTTY, Command: "course"},
		Post: func(e Event) {
			select {
			case r.events <- e:
			case <-ctx.Done():
			}
		},
		Tell: func(text string) { r.told.WriteString(ansi.Strip(text)) },
	}
	if err := r.Start(ctx, &l.Lessons[0]); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); r.Close() })
	return r
}

// until handles events until something is so.
func (r *running) until(what string, so func() bool) {
	r.t.Helper()
	late := time.After(20 * time.Second)
	for !so() {
		select {
		case e := <-r.events:
			if err := r.Handle(e); err != nil {
				r.t.Fatal(err)
			}
		case <-time.After(5 * time.Millisecond): // what is waited for may come without one
		case <-late:
			r.t.Fatalf("it never came to this: %s; told was\n%s", what, r.told.String())
		}
	}
}

// says handles events until a text was told.
func (r *running) says(text string) {
	r.t.Helper()
	r.until(text, func() bool { return strings.Contains(strings.Join(strings.Fields(r.told.String()), " "), text) })
	r.told.Reset()
}

func (r *running) key(key string) {
	r.t.Helper()
	if err := r.Key(key); err != nil {
		r.t.Fatal(err)
	}
}

func (r *running) save(text string) {
	r.t.Helper()
	if err := os.WriteFile(r.Learner.Path(r.Lesson()), []byte(text), 0o666); err != nil {
		r.t.Fatal(err)
	}
}

// A thousand saves while checks run: the last one is judged, one check follows the
// other, and there are not more of them than saves.
func TestStormOfSaves(t *testing.T) {
	const storm = 1000
	var at, most, checks atomic.Int64
	r := start(t, newLearner(t, func(ctx context.Context) ([]string, error) {
		checks.Add(1)
		most.Store(max(most.Load(), at.Add(1)))
		defer at.Add(-1)
		return []string{fmt.Sprint(storm)}, ctx.Err() // only the last save is right
	}))
	saved := make(chan struct{})
	path := r.Learner.Path(r.Lesson())
	go func() {
		defer close(saved)
		for i := range storm {
			if err := os.WriteFile(path, []byte(answered(fmt.Sprint(i+1))), 0o666); err != nil {
				t.Error(err)
			}
		}
	}()
	r.until("the last save is judged", func() bool { return r.Verdict() != nil && r.Verdict().Passed })
	<-saved
	if most.Load() != 1 {
		t.Errorf("%d checks ran at once", most.Load())
	}
	if n := checks.Load(); n > 3*storm { // a save is seen half written at most twice
		t.Errorf("%d saves were checked %d times", storm, n)
	}
	if !r.Learner.Passed(r.Lesson()) {
		t.Error("that it passed is not taken down")
	}
}

// A save while a check runs ends that check, whose verdict nobody sees, and has
// one more follow, however many saves there are.
func TestSaveDuringACheck(t *testing.T) {
	var checks atomic.Int64
	begun, ended := make(chan struct{}, 10), make(chan struct{}, 10)
	l := newLearner(t, func(ctx context.Context) ([]string, error) {
		if checks.Add(1) == 1 {
			begun <- struct{}{}
			<-ctx.Done() // an endless one
			ended <- struct{}{}
			return nil, ctx.Err()
		}
		return []string{"7"}, nil
	})
	if err := os.WriteFile(l.Path(&l.Lessons[0]), []byte(answered("4")), 0o666); err != nil {
		t.Fatal(err)
	}
	r := start(t, l)
	r.until("a check runs", func() bool { return len(begun) > 0 })
	for _, n := range []string{"5", "6", "7"} {
		// As the follower tells them, so that all come while the first check ends.
		if err := r.Handle(saved{r.opened, watch.Save{Text: []byte(answered(n)), When: time.Now()}}); err != nil {
			t.Fatal(err)
		}
	}
	r.until("a verdict", func() bool { return r.Verdict() != nil })
	if len(ended) != 1 || checks.Load() != 2 || !r.Verdict().Passed {
		t.Errorf("%d checks, of which %d were ended; the verdict is %+v", checks.Load(), len(ended), r.Verdict())
	}
}

// What is wrong with the file stays on the screen until it is mended.
func TestFileThatCannotBeRead(t *testing.T) {
	r := start(t, newLearner(t, nil))
	r.says("Not begun")
	if err := os.Remove(r.Learner.Path(r.Lesson())); err != nil {
		t.Fatal(err)
	}
	r.says("is missing")
	m := &screen{session: r.Session, height: 30}
	for _, key := range []string{"h", "?", "esc"} {
		r.key(key)
		if text := seen(m); !strings.Contains(text, "is missing") {
			t.Errorf("after %s the trouble is gone:\n%s", key, text)
		}
	}
	r.save(answered("1"))
	r.says("Passed")
	if text := seen(m); strings.Contains(text, "is missing") || !strings.Contains(text, "Passed") {
		t.Errorf("what is mended is still there:\n%s", text)
	}
}

// Nothing goes on by itself, and nothing that one may not mean is done unasked.
func TestKeys(t *testing.T) {
	r := start(t, newLearner(t, nil))
	r.says("How much is n?")
	r.says("Not begun")
	r.key("n")
	r.says("first-sum has not passed yet. Leave it for now and go to second-sum?")
	r.key("q") // no yes
	if r.Quitting() || r.Lesson().ID != "first-sum" {
		t.Fatal("a question was taken for answered")
	}
	r.key("s")
	r.says("once the exercise has passed")
	r.key("h")
	r.says("Hint 1 of 2")
	r.key("t")
	r.says("How much is n?")

	r.save(answered("1"))
	r.says("press n to go on with Say what comes out, number 2 (second-sum)")
	if r.Lesson().ID != "first-sum" {
		t.Fatal("it went on by itself")
	}
	r.key("s")
	r.says("n = 1")
	r.key("x")
	r.says("y or n")
	r.key("y")
	r.says("is kept in")
	r.says("passed before, and stays passed")
	r.key("n")
	r.says("exercise 2 of 3")
	r.says("Not begun")
	r.key("l")
	r.says("third-product")
	r.key("4")
	r.says("no exercise of that number")
	r.key("3")
	r.says("exercise 3 of 3")
	r.save(answered("3"))
	r.says("Passed")
	r.key("n")
	r.says("exercise 2 of 3")
	r.save(answered("2"))
	r.says("nothing is left: all 3 exercises have passed")
	r.key("n")
	r.says("All 3 exercises have passed")
	r.key("a")
	r.says("2 of 3 exercises pass; 1 is not begun.") // the first was handed out again
	r.key("q")
	if !r.Quitting() {
		t.Error("q does not quit")
	}
}

// A long text does not keep the verdict of the next save below the screen's end; a
// short one stays, for whoever works by it.
func TestLongTextGoes(t *testing.T) {
	r := start(t, newLearner(t, nil))
	r.says("Not begun")
	m := &screen{session: r.Session, height: 40}
	if text := seen(m); !strings.Contains(text, "How much is n?") {
		t.Fatalf("what it asks for is not shown:\n%s", text)
	}
	r.save(answered("7"))
	r.says("Not passed")
	if text := seen(m); strings.Contains(text, "How much is n?") || !strings.Contains(text, "✗ Not passed, checked at") {
		t.Errorf("after a save there is\n%s", text)
	}
	r.key("h")
	r.save(answered("8"))
	r.says("Not passed")
	if text := seen(m); !strings.Contains(text, "Hint 1 of 2") {
		t.Errorf("the hint is gone:\n%s", text)
	}
	r.save(answered("1"))
	r.says("Passed")
	if text := seen(m); strings.Contains(text, "Hint") || !strings.Contains(text, "✓ Passed, checked at") {
		t.Errorf("after a pass there is\n%s", text)
	}
}

// seen is what a screen shows, wherever its lines end.
func seen(m *screen) string { return strings.Join(strings.Fields(ansi.Strip(m.text())), " ") }

// The screen has the terminal's size, whatever is on it.
func TestScreenFits(t *testing.T) {
	r := start(t, newLearner(t, nil))
	r.says("Not begun")
	r.until("by what saves are noticed", func() bool { return r.by != "" })
	m := &screen{session: r.Session}
	look := func(what string) {
		t.Helper()
		for _, size := range [][2]int{{40, 24}, {80, 24}, {80, 10}, {200, 50}} {
			r.resize(size[0])
			m.height = size[1]
			text := ansi.Strip(m.text())
			if n := lines(text) + 1; n != size[1] && size[1] >= 24 {
				t.Errorf("%s: %d lines in %v:\n%s", what, n, size, text)
			}
			for line := range strings.Lines(text) {
				if n := ansi.StringWidth(strings.TrimRight(line, "\n")); n > size[0] {
					t.Errorf("%s: a line of %d in %v: %s", what, n, size, line)
				}
			}
		}
	}
	look("a verdict")
	r.Tell = nil // as on a screen, where the list and the grid stay
	for _, keys := range [][]string{{"h"}, {"?"}, {"t"}, {"x"}, {"n", "l"}, {"/", "x", "y"}, {"esc", "q"}} {
		for _, key := range keys {
			r.key(key)
		}
		look(fmt.Sprint(keys))
	}
	r.key("a")
	look("a grid")
	r.until("all are checked", func() bool { return r.all.done })
	look("a summary")
	r.key("q")
	r.resize(80)
	m.height = 12
	m.text()
	m.scroll("end")
	if text := seen(m); !strings.Contains(text, "↑ ") || !strings.Contains(text, "Next:") {
		t.Errorf("the end is not shown:\n%s", text)
	}
}

func TestChooser(t *testing.T) {
	l := newLearner(t, nil)
	if _, err := l.Keep(&lesson.Verdict{Lesson: "second-sum", Passed: true, When: time.Now()}, &l.Lessons[1]); err != nil {
		t.Fatal(err)
	}
	c := newChooser(l.Entries(), "second-sum")
	for _, step := range []struct {
		key, at string // what is pointed at then
		asks    string
	}{
		{"", "second-sum", ""},
		{"j", "third-product", ""}, {"j", "third-product", ""}, {"k", "second-sum", ""}, {"g", "first-sum", ""}, {"G", "third-product", ""},
		{"d", "second-sum", ""}, {"d", "second-sum", ""},
		{"p", "first-sum", ""}, {"down", "third-product", ""}, {"p", "third-product", ""},
		{"/", "third-product", ""}, {"s", "third-product", ""}, {"u", "first-sum", ""}, {"m", "first-sum", ""}, {"enter", "first-sum", ""},
		{"j", "second-sum", ""}, {"j", "second-sum", ""}, {"r", "second-sum", "reset"}, {"enter", "second-sum", "choose"},
		{"/", "second-sum", ""}, {"q", "", ""}, {"backspace", "first-sum", ""}, {"enter", "first-sum", ""},
		{"esc", "first-sum", ""}, {"G", "third-product", ""}, {"q", "third-product", "back"},
	} {
		asks := ""
		if step.key != "" {
			asks = c.key(step.key)
		}
		at := ""
		if l := c.chosen(); l != nil {
			at = l.ID
		}
		if at != step.at || asks != step.asks {
			t.Fatalf("after %q it points at %q and asks for %q, want %q and %q", step.key, at, asks, step.at, step.asks)
		}
	}
}

// Without a terminal the same is said in lines, and lines are the keys.
func TestLines(t *testing.T) {
	l := newLearner(t, nil)
	in, keys, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, said, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		s := &Session{Learner: l, Look: terminal.Of(said, func(string) string { return "" }), NoNotices: true}
		done <- Lines(t.Context(), s, &l.Lessons[0], in, said)
		said.Close()
	}()
	if err := out.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	heard := 0 // of all, wherever its lines end
	says := func(text string) {
		t.Helper()
		b := make([]byte, 1024)
		for {
			words := strings.Join(strings.Fields(all.String()), " ")
			if at := strings.Index(words[min(heard, len(words)):], text); at >= 0 {
				heard += at + len(text)
				return
			}
			n, err := out.Read(b)
			if err != nil {
				t.Fatalf("%s is not said (%v):\n%s", text, err, all.String())
			}
			all.Write(b[:n])
		}
	}
	says("the file is looked at 5 times a second")
	says("Not begun")
	fmt.Fprintln(keys, "h")
	says("Hint 1 of 2")
	if err := os.WriteFile(l.Path(&l.Lessons[0]), []byte(answered("1")), 0o666); err != nil {
		t.Fatal(err)
	}
	says("Passed")
	fmt.Fprintln(keys, "n")
	says("exercise 2 of 3")
	fmt.Fprintln(keys, "q")
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A check of all that is ended keeps what it found until then.
func TestAllEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	l := newLearner(t, func(ctx context.Context) ([]string, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	})
	for i := range l.Lessons {
		if err := os.WriteFile(l.Path(&l.Lessons[i]), []byte(answered(fmt.Sprint(i+1))), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// The first was checked before, so that the one that ends it all comes last.
	l.Lessons[0], l.Lessons[2] = l.Lessons[2], l.Lessons[0]
	cells, err := l.All(ctx, AllOptions{Workers: 1})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
	var states []terminal.CellState
	for _, c := range cells {
		states = append(states, c.State)
	}
	if fmt.Sprint(states) != "[passed passed waiting]" {
		t.Errorf("the exercises are %v", states)
	}
	if err := l.Refresh(); err != nil || len(l.Far.Passed) != 2 {
		t.Errorf("what passed is %v, %v", l.Far.Passed, err)
	}
}
