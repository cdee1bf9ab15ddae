package live

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"workbench/engine/experiment"
	"workbench/engine/launch"
	"workbench/web/run"
	"workbench/web/run/runtest"
	"workbench/web/socket"
)

const (
	someKey    = "run:0123456789abcdef0123456789abcdef"
	headerLine = `{"format":"workbench lesson","version":1,"title":"One product","began":"2026-11-30T10:00:00Z","build":"b"}`
	first      = `{"t":0,"chapter":{"slug":"01-first","title":"First","version":"v1"}}`
	stateLine  = `{"t":0,"news":{"kind":"state","epoch":1,"seq":1,"state":{"mode":"follow","chapter":"01-first","at":{},"lease":0,"driver":"","here":false,"recall":0,"ended":false,"polls":0,"lesson":""}}}`
	widgetLine = `{"t":900,"news":{"kind":"widget","epoch":1,"seq":2,"widget":{"chapter":"01-first","widget":"w","view":{"place":{"step":3},"texts":null,"ran":{"n":1,"texts":null,"device":"cpu"},"running":false,"last":4},"from":"e1p1"}}}`
)

// answerLine is a run's answer of a name.
func answerLine(t int, name string) string {
	return fmt.Sprintf(`{"t":%d,"answer":{"key":%q,"message":{"v":1,"type":"trace","run":%q,"elapsed_ms":1.5}}}`, t, someKey, name)
}

func lessonOf(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

func packed(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func readLesson(t testing.TB, file []byte) *Lesson {
	t.Helper()
	l, err := ReadLessonFile(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// TestAnswersAtTheirTime: what was run twice is answered as it was at each moment.
func TestAnswersAtTheirTime(t *testing.T) {
	text := lessonOf(headerLine, first, stateLine, answerLine(500, "e1r1"), widgetLine, answerLine(2000, "e1r2"), answerLine(2000, "e1r3"))
	for name, file := range map[string][]byte{"plain": []byte(text), "packed": packed(t, text)} {
		l := readLesson(t, file)
		if l.Duration.Milliseconds() != 2000 || l.Title != "One product" || l.Torn != nil || l.First() != "01-first" {
			t.Errorf("%s: %v long, %q, torn %v, begins at %s", name, l.Duration, l.Title, l.Torn, l.First())
		}
		for at, want := range map[int64]string{0: "e1r1", 499: "e1r1", 500: "e1r1", 1999: "e1r1", 2000: "e1r3", 1 << 40: "e1r3", -5: "e1r1"} {
			a, ok, err := l.answer(someKey, at)
			if err != nil || !ok || a.Run != want {
				t.Errorf("%s: at %d the run is %q, %v, %v; want %s", name, at, a.Run, ok, err, want)
			}
		}
		var news []Event
		var out bytes.Buffer
		if err := l.WriteNews(&out); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out.Bytes(), &news); err != nil || len(news) != 2 || news[1].T != 900 || news[1].News.Widget.View.Ran.N != 1 {
			t.Errorf("%s: the news is %s (%v)", name, &out, err)
		}
	}
}

// TestLessonRefused: a file that was changed by hand is refused where it is wrong.
func TestLessonRefused(t *testing.T) {
	change := func(line, old, new string) string {
		if !strings.Contains(line, old) {
			t.Fatalf("%s has no %s", line, old)
		}
		return lessonOf(headerLine, first, stateLine, strings.Replace(line, old, new, 1))
	}
	run := answerLine(500, "e1r1")
	for name, test := range map[string]struct{ text, want string }{
		"nothing":          {"", "empty"},
		"another file":     {"\x7fELF\n", "no lesson"},
		"one long line":    {strings.Repeat("x", 1<<20), "no lesson"},
		"another format":   {strings.Replace(lessonOf(headerLine), "workbench lesson", "slides", 1), "no lesson"},
		"another version":  {strings.Replace(lessonOf(headerLine), `"version":1`, `"version":2`, 1), "version 2"},
		"no chapter":       {lessonOf(headerLine), "at no chapter"},
		"no JSON":          {change(stateLine, "{", "["), "line 4: "},
		"unknown field":    {change(stateLine, `"mode"`, `"moed"`), "line 4: "},
		"more on a line":   {change(stateLine, "}}}", "}}} 1"), "line 4: it has more"},
		"time goes back":   {lessonOf(headerLine, first, stateLine, widgetLine, run), "line 5: the time 500 does not follow 900"},
		"a week":           {change(widgetLine, `"t":900`, `"t":604800000`), "line 4: the time"},
		"two in one":       {change(widgetLine, `"t":900`, `"t":900,"chapter":{"slug":"a","title":"","version":""}`), "line 4: it is neither"},
		"another chapter":  {change(stateLine, `"01-first"`, `"../../exercises"`), "line 4: its state"},
		"a mode":           {change(stateLine, `"follow"`, `"sleep"`), "line 4: its state"},
		"class in news":    {change(stateLine, `"state","epoch"`, `"class","epoch"`), `line 4: it has news of the kind "class"`},
		"news says naught": {change(stateLine, `"kind":"state"`, `"kind":"widget"`), `line 4: it has news of the kind "widget"`},
		"huge step":        {change(widgetLine, `"step":3`, `"step":-3`), "line 4: view.place.step"},
		"key":              {change(run, someKey, "room:0123456789abcdef0123456789abcdef"), "line 4: its answer has the key"},
		"short key":        {change(run, someKey, "run:01"), "line 4: its answer has the key"},
		"type":             {change(run, `"trace"`, `"hello"`), `line 4: its answer to run is of the type "hello"`},
		"protocol":         {change(run, `"v":1`, `"v":2`), "line 4: "},
		"id":               {change(run, `"type"`, `"id":"7","type"`), "line 4: its answer has an id"},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := ReadLessonFile(strings.NewReader(test.text))
			if err == nil {
				l.Close()
				t.Fatal("it was taken")
			}
			if !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "Go ") {
				t.Errorf("the error is %q, want %q in it", err, test.want)
			}
		})
	}
	damaged := packed(t, lessonOf(headerLine, first, stateLine, widgetLine))
	damaged[len(damaged)-6] ^= 1 // of the sum of what was packed
	if _, err := ReadLessonFile(bytes.NewReader(damaged)); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged file: %v", err)
	}
}

// TestLessonCutOff: a file that ends too early is replayed up to there.
func TestLessonCutOff(t *testing.T) {
	// What does not pack well, so that the end of the packed file is in the lines.
	lines := []string{headerLine, first, stateLine}
	for i := range 400 {
		lines = append(lines, answerLine(i*10, fmt.Sprintf("e1r%d", i*i*7919)))
	}
	text := lessonOf(lines...)
	whole := packed(t, text)
	for name, file := range map[string][]byte{"plain": []byte(text[:len(text)-20]), "packed": whole[:len(whole)/2], "without its sum": whole[:len(whole)-8]} {
		l := readLesson(t, file)
		last, ok, err := l.answer(someKey, 1<<40)
		if l.Torn == nil || l.Duration <= 0 || !ok || err != nil || last.Run == "" {
			t.Errorf("%s: torn %v, %v long, the last answer %q, %v", name, l.Torn, l.Duration, last.Run, err)
		}
		if n := len(l.answers[someKey]); l.Torn != nil && l.Torn.Line != n+4 {
			t.Errorf("%s: cut off at line %d after %d whole ones", name, l.Torn.Line, n+3)
		}
	}
}

// TestFailedRuns: a view says of which run the results are that stand beside a
// failure; the page's own are another thing than no failure.
func TestFailedRuns(t *testing.T) {
	with := func(before string) string {
		return lessonOf(headerLine, first, stateLine, strings.Replace(widgetLine, `"device":"cpu"}`, `"device":"cpu"`+before+`}`, 1))
	}
	for _, before := range []string{``, `,"before":null`, `,"before":{"texts":{"left":"1"},"device":"cpu,fused"}`} {
		var out bytes.Buffer
		if err := readLesson(t, []byte(with(before))).WriteNews(&out); err != nil || !strings.Contains(out.String(), `"device":"cpu"`+before+`}`) {
			t.Errorf("%s: %v, %s", before, err, &out)
		}
	}
	for _, before := range []string{`,"before":7`, `,"before":{"n":1}`, `,"before":{"texts":null,"device":"` + strings.Repeat("x", maxWord+1) + `"}`} {
		if l, err := ReadLessonFile(strings.NewReader(with(before))); err == nil || !strings.Contains(err.Error(), "line 4: view.ran") {
			t.Errorf("%.40s is taken: %+v, %v", before, l, err)
		}
	}
}

// TestReplaySeat: a replay answers what is in the lesson, and runs nothing.
func TestReplaySeat(t *testing.T) {
	q := socket.Request{V: 1, Type: socket.Run, ID: "1", Example: "product", Device: "cpu", Input: json.RawMessage(`{"left": [[1]]}`)}
	line := strings.Replace(answerLine(500, "e1r1"), someKey, keyOf(q), 1)
	l := readLesson(t, []byte(lessonOf(headerLine, first, stateLine, line)))
	compute := func(_ context.Context, q socket.Request) (socket.Answer, *run.Failure) {
		t.Errorf("a replay computes %+v", q)
		return socket.Answer{}, nil
	}
	for _, test := range []struct {
		change func(*socket.Request)
		code   run.Code
	}{
		{func(*socket.Request) {}, ""},
		{func(q *socket.Request) { q.Fresh, q.ID, q.At = true, "9", 700 }, ""},
		{func(q *socket.Request) { q.Device = "cpu,fused" }, CodeFollower},
		{func(q *socket.Request) { q.Type = socket.Devices }, CodeForbidden},
		{func(q *socket.Request) { q.Type, q.Room = socket.Room, json.RawMessage(`{"do":"end"}`) }, CodeForbidden},
	} {
		asked := q
		test.change(&asked)
		a, err := l.Seat().Answer(t.Context(), nil, asked, compute)
		var f *run.Failure
		if test.code == "" {
			if err != nil || a.Run != "e1r1" {
				t.Errorf("%+v: %q, %v", asked, a.Run, err)
			}
		} else if !errors.As(err, &f) || f.Code != test.code {
			t.Errorf("%+v: %v, want the code %s", asked, err, test.code)
		}
	}
}

// TestKeys: keys are in lessons' files. If one changes, the lessons that people have
// are mute: give socket.Request's new field a tag that leaves it out.
func TestKeys(t *testing.T) {
	step := 0
	for want, q := range map[string]socket.Request{
		"run:5a19a4f2b3a3a67bfc3927fe2cf81426":     {Type: socket.Run, Example: "product", Device: "cpu", Input: json.RawMessage(`{ "k": 0 }`)},
		"explain:9685f34709588ed36487162ec932171f": {Type: socket.Explain, Run: "page:w", Chapter: "01-first", Step: &step, Cell: []int{0, 1, 2}},
		"launch:e7b932058f94d11fd971cf1244ee6295":  {Type: socket.Launch, Device: "emulator", Kernel: &experiment.Input{Source: "x", Launch: json.RawMessage(`{"grid": [1]}`)}, Record: []launch.Index{{1, 0, 0}}},
		"moment:453ab9b6e4ab463cd7e0ce4f79ab7a71":  {Type: socket.Moment, Run: "e1r1", Step: &step, View: launch.View{Warps: []int{0}, Shared: true}, Goal: &launch.Goal{Kind: "line", Line: 3}},
	} {
		got := keyOf(q)
		q.V, q.ID, q.Fresh, q.At, q.Room = 1, "7", true, 99, json.RawMessage("{}")
		if got != want || keyOf(q) != got {
			t.Errorf("%s: the key is %s, and %s for another page", q.Type, got, keyOf(q))
		}
	}
}

type oneChapter struct{}

func (oneChapter) Chapter(slug string) (string, bool)      { return "First", slug == "01-first" }
func (oneChapter) Widget(_, id string) bool                { return id == "w" }
func (oneChapter) Exercise(string) (title string, ok bool) { return "", false }

// oneRoom opens a room that is kept in no folder.
func oneRoom(t *testing.T) (r *Room, closeIt func()) {
	t.Helper()
	hub := socket.NewHub(socket.Options{Runner: &runtest.Runner{}, Logger: slog.New(slog.DiscardHandler)})
	rooms, err := Open(Options{Hub: hub, Course: oneChapter{}})
	if err != nil {
		t.Fatal(err)
	}
	closeIt = func() {
		if err := rooms.Close(); err != nil {
			t.Error(err)
		}
		hub.Close()
	}
	if r, _, err = rooms.New("01-first"); err != nil {
		closeIt()
		t.Fatal(err)
	}
	return r, closeIt
}

// TestGoalIsInTheLesson: where a goal led a presenter, others ask for the step.
func TestGoalIsInTheLesson(t *testing.T) {
	room, closeRoom := oneRoom(t)
	defer closeRoom()
	compute := func(_ context.Context, q socket.Request) (socket.Answer, *run.Failure) {
		step, found := *q.Step, true
		m := socket.Message{Type: socket.Moment, Step: &step}
		if q.Goal != nil {
			step, m.Found = 57, &found
		}
		a, err := socket.NewAnswer(m)
		if err != nil {
			t.Error(err)
		}
		return a, nil
	}
	stage := &member{presenter: &presenter{}}
	for name, asking := range map[string][]*member{"the stage alone": {stage}, "a follower before it": {{}, stage}} {
		from, to := 3, 57
		q := socket.Request{Type: socket.Moment, Run: name, Step: &from, Goal: &launch.Goal{Kind: "line", Line: 3}}
		for _, m := range asking {
			if _, err := room.answer(t.Context(), m, q, compute); err != nil {
				t.Fatal(err)
			}
		}
		var file bytes.Buffer
		if err := room.Lesson(&file); err != nil {
			t.Fatal(err)
		}
		q.Step, q.Goal = &to, nil
		a, err := readLesson(t, file.Bytes()).Seat().Answer(t.Context(), nil, q, nil)
		if want := `{"v":1,"type":"moment","step":57}`; err != nil || string(a.Text()) != want {
			t.Errorf("%s asked: step 57 is answered %s, %v; want %s", name, a.Text(), err, want)
		}
	}
}

// TestFollowersAskFirst: what a follower asked for first, and the stage while that was
// computed, is in the lesson: the stage has shown it.
func TestFollowersAskFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room, closeRoom := oneRoom(t)
		defer closeRoom()
		gate := make(chan struct{})
		calls := 0
		compute := func(_ context.Context, q socket.Request) (socket.Answer, *run.Failure) {
			calls++
			<-gate
			a, err := socket.NewAnswer(socket.Message{Type: socket.Touched, Step: q.Step})
			if err != nil {
				t.Error(err)
			}
			return a, nil
		}
		from := 0
		q := socket.Request{Type: socket.Touched, Run: "e1k1", Step: &from, To: 127}
		for _, m := range []*member{{}, {presenter: &presenter{}}} {
			go func() {
				if _, err := room.answer(t.Context(), m, q, compute); err != nil {
					t.Error(err)
				}
			}()
			synctest.Wait() // it waits at the gate, or for who does
		}
		close(gate)
		synctest.Wait()
		var file bytes.Buffer
		if err := room.Lesson(&file); err != nil {
			t.Fatal(err)
		}
		if a, err := readLesson(t, file.Bytes()).Seat().Answer(t.Context(), nil, q, nil); err != nil || calls != 1 {
			t.Errorf("what both asked for was computed %d times, and the lesson answers it %s, %v", calls, a.Text(), err)
		}
	})
}

// TestLessonOfTwoServers: a lesson goes on after a restart, also where the clock was set
// back meanwhile, and names a chapter once.
func TestLessonOfTwoServers(t *testing.T) {
	hub := socket.NewHub(socket.Options{Runner: &runtest.Runner{}, Logger: slog.New(slog.DiscardHandler)})
	defer hub.Close()
	dir := t.TempDir()
	o := Options{Hub: hub, Course: oneChapter{}, Dir: dir, Version: func(string) string { return "v1" }}
	rooms, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	room, _, err := rooms.New("01-first")
	if err != nil {
		t.Fatal(err)
	}
	room.journal.began = room.began.Add(-time.Hour) // an hour of lesson
	room.mu.Lock()
	room.tellState()
	room.mu.Unlock()
	if err := rooms.Close(); err != nil {
		t.Fatal(err)
	}
	if rooms, err = Open(o); err != nil {
		t.Fatal(err)
	}
	defer rooms.Close()
	room = rooms.Room(room.Code())
	if room == nil {
		t.Fatal("the room does not go on")
	}
	var file bytes.Buffer
	if err := room.Lesson(&file); err != nil {
		t.Fatal(err)
	}
	l := readLesson(t, file.Bytes())
	if len(l.news) != 3 || l.Duration < time.Hour || l.Duration > time.Hour+time.Minute {
		t.Errorf("the lesson has %d pieces of news in %v", len(l.news), l.Duration)
	}
	if want := []Visit{{"01-first", "First", "v1"}}; len(l.visits) != 1 || !slices.Equal(l.Chapters(), want) {
		t.Errorf("it comes to %v", l.visits)
	}
}

// TestFullDisk: what could be written of a lesson stays, and is whole.
func TestFullDisk(t *testing.T) {
	var log bytes.Buffer
	j := newJournal(1<<20, slog.New(slog.NewTextHandler(&log, nil)))
	f, err := newScratch()
	if err != nil {
		t.Fatal(err)
	}
	disk := &fullDisk{diary: f, left: 300}
	j.begin(disk, time.Now(), 0)
	defer j.close()
	if err := j.header(Header{Format: Format, Version: FormatVersion}); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		j.visit(Visit{Slug: "01-first", Version: fmt.Sprint(disk.left)})
	}
	text, err := j.lesson()
	if err != nil {
		t.Fatal(err)
	}
	l, err := ReadLessonFile(text)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if l.Torn != nil || len(l.visits) == 0 || len(l.visits) == 5 || strings.Count(log.String(), "no space left") != 1 {
		t.Errorf("of 5 chapters %d are there, torn %v; logged: %s", len(l.visits), l.Torn, &log)
	}
}

// fullDisk has place for some bytes.
type fullDisk struct {
	diary
	left int
}

func (d *fullDisk) Write(p []byte) (int, error) {
	n, err := d.diary.Write(p[:min(len(p), d.left)])
	if d.left -= n; n < len(p) && err == nil {
		err = syscall.ENOSPC
	}
	return n, err
}

// FuzzLessonFile: whatever is taken can be replayed.
func FuzzLessonFile(f *testing.F) {
	text := lessonOf(headerLine, first, stateLine, answerLine(500, "e1r1"), widgetLine,
		`{"t":950,"news":{"kind":"pointer","epoch":1,"seq":3,"pointer":{"chapter":"01-first","block":2,"path":[0,1],"x":0.5,"y":1,"from":"e1p1"}}}`,
		`{"t":950,"news":{"kind":"pointer","epoch":1,"seq":4}}`,
		`{"t":960,"news":{"kind":"poll","epoch":1,"seq":5,"poll":{"n":1,"question":"C[0,1]?","kind":"number","state":"open","total":3}}}`)
	f.Add([]byte(text))
	f.Add([]byte(text[:len(text)-9]))
	f.Add(packed(f, text))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Add([]byte(lessonOf(headerLine, strings.Replace(first, "01-first", "//x", 1))))
	f.Fuzz(func(t *testing.T, file []byte) {
		l, err := ReadLessonFile(bytes.NewReader(file))
		if err != nil {
			return
		}
		defer l.Close()
		var out bytes.Buffer
		var news []Event
		if err := l.WriteNews(&out); err != nil {
			t.Fatal(err)
		}
		if err := strict(out.Bytes(), &news); err != nil {
			t.Fatalf("the news %s cannot be read: %v", &out, err)
		}
		last := int64(0)
		for _, e := range news {
			if e.News == nil || e.T < last || e.T > l.Duration.Milliseconds() {
				t.Errorf("%+v after %d in a lesson of %v", e, last, l.Duration)
			}
			last = e.T
		}
		for key, all := range l.answers {
			for _, p := range all {
				if _, ok, err := l.answer(key, p.t); !ok || err != nil {
					t.Errorf("the answer to %s at %d cannot be had: %v", key, p.t, err)
				}
			}
		}
		for _, v := range l.Chapters() {
			if !isSlug(v.Slug) {
				t.Errorf("the chapter %q would be in an address", v.Slug)
			}
		}
	})
}
