package live_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"workbench/web/live"
	"workbench/web/run/runtest"
)

// killed returns a folder with what a server that is killed now leaves of its rooms.
func (s *school) killed() (dir string) {
	s.Helper()
	dir = s.TempDir()
	if err := os.CopyFS(dir, os.DirFS(s.dir)); err != nil {
		s.Fatal(err)
	}
	return dir
}

// saved waits until a room's file says something.
func (l lesson) saved(what string) {
	l.Helper()
	name := filepath.Join(l.dir, l.room.Code(), "room.json")
	for end := time.Now().Add(tooLong); ; time.Sleep(5 * time.Millisecond) {
		text, err := os.ReadFile(name)
		if err != nil {
			l.Fatal(err)
		}
		if strings.Contains(string(text), what) {
			return
		}
		if time.Now().After(end) {
			l.Fatalf("%s has no %q: %s", name, what, text)
		}
	}
}

// A server that was killed is started again: the rooms go on where they were.
func TestAKilledServer(t *testing.T) {
	s := open(t, t.TempDir(), live.Limits{})
	l := s.begin()
	stage, f := l.stage(), l.follower("a")
	unused, used := l.room.Invite(), l.room.Invite()
	co := s.redeem(used)
	trace := stage.ask(runProduct, `{"type":"trace","run":"e1r1"}`)
	outcome := stage.ask(launchK, `{"type":"outcome","run":"e1k1"}`)
	cell := stage.ask(`{"type":"explain","run":"e1r1","step":2,"cell":[0,0,1]}`, `{"type":"cell"}`)
	moment := stage.ask(`{"type":"moment","run":"e1k1","step":2}`, `{"type":"moment"}`)
	f.say(`{"do":"question","text":"Why?"}`, fine)
	if err := l.room.Pass("somebody", "guard"); err != nil {
		t.Fatal(err)
	}
	stage.say(`{"do":"poll","act":"open","question":"What is it?","kind":"number","answer":"64"}`, fine)
	f.say(`{"do":"answer","poll":1,"text":"63"}`, fine)
	l.saved(`"63"`)
	stage.say(`{"do":"mode","mode":"locked"}`, fine)
	stage.drive(1, `"chapter":"02-two","at":{"widget":"tiles"},"widget":"tiles","view":`+tilesAt3)
	last := f.news("widget", `{}`)["seq"].(float64)

	dir := s.killed()
	// Its last line was being written.
	file, err := os.OpenFile(filepath.Join(dir, l.room.Code(), "lesson.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = file.WriteString(`{"t":99,"news":{"kind":"state","epoch":1,"seq":9999,"state":{"chap`)
		file.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, live.Limits{Grace: time.Hour})
	if len(s.rooms.Resumed()) != 1 {
		t.Fatalf("%d rooms go on", len(s.rooms.Resumed()))
	}
	l = l.again(s)
	f = l.follower("a")
	if want := `{"epoch":2,"state":{"mode":"locked","chapter":"02-two","at":{"widget":"tiles"},"lease":1,"here":false,"polls":1},"widgets":[{"widget":"tiles","view":` + tilesAt3 + `}],` +
		`"you":{"answer":"63"},"poll":{"n":1,"state":"open","total":1}}`; !has(f.all, decode(want)) {
		t.Errorf("a follower that comes back is told\n\t%v\nwant %s", f.all, want)
	}
	if seq := f.all["seq"].(float64); seq < last {
		t.Errorf("the number of the news went back from %v to %v", last, seq)
	}
	// The cookies are good, and the wheel stays with who had it.
	other := l.enter(live.AsStage, co, "co")
	other.say(`{"do":"wheel","act":"take"}`, `{"room":{"got":false}}`)
	stage = l.stage()
	f.news("state", `{"state":{"here":true}}`)
	if want := `{"class":{"questions":[{"text":"Why?"}],"passes":[{"exercise":"guard","count":1}]},"poll":{"counts":[{"text":"63","count":1}]}}`; !has(stage.all, decode(want)) {
		t.Errorf("the presenter is told\n\t%v\nwant %s", stage.all, want)
	}
	if err := l.room.Pass("somebody", "guard"); err != nil {
		t.Fatal(err)
	}
	stage.drive(1, `"chapter":"01-one"`)
	f.news("state", `{"epoch":2,"state":{"chapter":"01-one"}}`)
	// Links that were used stay used.
	if _, _, err := s.rooms.Redeem(used); err == nil {
		t.Error("a link that was used up was taken")
	}
	s.redeem(unused)
	// What was answered is kept, and nothing is computed for it.
	for body, want := range map[string]string{
		runProduct: trace, launchK: outcome,
		`{"type":"explain","run":"e1r1","step":2,"cell":[0,0,1]}`: cell,
		`{"type":"moment","run":"e1k1","step":2}`:                 moment,
	} {
		if got := f.ask(body, `{}`); got != want {
			t.Errorf("%s\nwas answered\n\t%s\nand is now\n\t%s", body, want, got)
		}
	}
	if n := s.runs.Load(); n != 0 {
		t.Errorf("%d things were computed", n)
	}
	// What was not asked for is looked up in a run that is made again, once, and has the
	// name that all pages know.
	f.ask(`{"type":"moment","run":"e1k1","step":1}`, `{"type":"moment","run":"e1k1","step":1}`)
	f.ask(`{"type":"moment","run":"e1k1","step":0}`, `{"type":"moment","run":"e1k1","step":0}`)
	f.ask(`{"type":"explain","run":"e1r1","step":2,"cell":[0,1,1]}`, `{"type":"cell","run":"e1r1"}`)
	if n := s.runs.Load(); n != 3 {
		t.Errorf("%d things were computed for two runs and a cell", n)
	}
	if got := f.ask(launchK, `{}`); got != outcome {
		t.Errorf("the run is called another name: %s", got)
	}
	// A new run has a name that no old one had.
	stage.ask(fresh(runProduct), `{"type":"trace"}`)
	if got := f.ask(runProduct, `{}`); strings.Contains(got, `"e1r1"`) {
		t.Errorf("two runs have one name: %s", got)
	}
}

// A recording that a GPU made is not made again for a follower.
func TestNoGPUForAFollower(t *testing.T) {
	s := openWith(t, &runtest.Runner{GPU: true}, t.TempDir(), live.Limits{})
	l := s.begin()
	onGPU := strings.Replace(runProduct, `"cpu"`, `"cuda:0"`, 1)
	l.stage().ask(onGPU, `{"type":"trace","run":"e1r1"}`)
	s = openWith(t, &runtest.Runner{GPU: true}, s.killed(), live.Limits{})
	f := l.again(s).follower("a")
	f.ask(onGPU, `{"type":"trace","run":"e1r1"}`)
	f.ask(`{"type":"explain","run":"e1r1","step":2,"cell":[0,0,1]}`, refused("unknown-run"))
	if n := s.runs.Load(); n != 0 {
		t.Errorf("a follower had the GPU work, %d times", n)
	}
}

// Whoever reads the lesson learns no secret and no name; whoever reads the room's file
// gets nobody's place.
func TestWhatIsKept(t *testing.T) {
	s := open(t, t.TempDir(), live.Limits{})
	room, secret, err := s.rooms.New("01-one")
	if err != nil {
		t.Fatal(err)
	}
	l := lesson{s, room, s.redeem(secret)}
	link := room.Invite()
	l.stage().say(`{"do":"poll","act":"open","question":"?","kind":"text"}`, fine)
	l.follower("seat-of-somebody").say(`{"do":"answer","poll":1,"text":"64"}`, fine)
	if err := room.Pass("reporter-somebody", "guard"); err != nil {
		t.Fatal(err)
	}
	l.saved(`"guard"`)
	s.close()
	folder := filepath.Join(s.dir, room.Code())
	for name, secrets := range map[string][]string{
		"lesson.jsonl": {secret, l.token, link, "somebody", `"64"`, "Invites", "presenters"},
		"room.json":    {secret, l.token, link, "somebody"},
	} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range secrets {
			if strings.Contains(string(text), one) {
				t.Errorf("%s has %q in it", name, one)
			}
		}
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
	if log := s.log.String(); strings.Contains(log, secret) || strings.Contains(log, l.token) || strings.Contains(log, link) {
		t.Errorf("the log has a secret:\n%s", log)
	}
}

// Files that cannot be read are named, and the other rooms go on.
func TestTornFiles(t *testing.T) {
	s := open(t, t.TempDir(), live.Limits{})
	var lessons []lesson
	for range 5 {
		lessons = append(lessons, s.begin())
	}
	s.close()
	at := func(i int, name string) string { return filepath.Join(s.dir, lessons[i].room.Code(), name) }
	change := func(name string, change func(text string) string) {
		t.Helper()
		text, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(name, []byte(change(string(text))), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	change(at(0, "room.json"), func(text string) string { return text[:len(text)/2] })
	change(at(1, "lesson.jsonl"), func(text string) string { return strings.Replace(text, `"news"`, `"olds"`, 1) })
	change(at(2, "lesson.jsonl"), func(text string) string { return strings.SplitAfter(text, "\n")[0] }) // killed before it was anywhere
	change(at(3, "room.json"), func(text string) string { return strings.Replace(text, `"presenters":[`, `"presenters":[null,`, 1) })
	var wrong []string
	rooms, err := live.Open(live.Options{Hub: s.hub, Course: course{}, Dir: s.dir})
	for i, l := range lessons {
		if room := rooms.Room(l.room.Code()); (room == nil) != (i < 3) {
			t.Errorf("room %d goes on: %v", i, room != nil)
		} else if room != nil {
			if _, ok := room.Presenter(l.token); !ok {
				t.Errorf("the presenter of room %d is not known", i)
			}
		}
		if i < 3 {
			wrong = append(wrong, l.room.Code())
		}
	}
	for _, code := range wrong {
		if err == nil || !strings.Contains(err.Error(), code) {
			t.Errorf("the error does not name %s: %v", code, err)
		}
	}
	if err := rooms.Close(); err != nil {
		t.Error(err)
	}
}

// A room that rested for too long is over.
func TestResume(t *testing.T) {
	s := open(t, t.TempDir(), live.Limits{})
	l := s.begin()
	s.close()
	if open(t, s.dir, live.Limits{Resume: time.Nanosecond}).rooms.Room(l.room.Code()) != nil {
		t.Error("a room goes on that rested for longer than it may")
	}
	s = open(t, s.dir, live.Limits{})
	l = l.again(s)
	if f := l.follower("a"); f.all["epoch"] != 2.0 {
		t.Errorf("the epoch is %v", f.all["epoch"])
	}
	s.close()
	l = l.again(open(t, s.dir, live.Limits{}))
	if f := l.follower("a"); f.all["epoch"] != 3.0 || !strings.HasPrefix(fmt.Sprint(f.you["page"]), "e3") {
		t.Errorf("the epoch is %v and the page %v", f.all["epoch"], f.you["page"])
	}
}
