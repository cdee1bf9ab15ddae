package live_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"workbench/web/live"
	"workbench/web/run"
)

// stall makes whatever is computed wait until the test lets go or nobody waits for it.
func (s *school) stall() (release func()) {
	gate := make(chan struct{})
	s.runner.Before = func(ctx context.Context) error {
		s.runs.Add(1)
		select {
		case <-gate:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return sync.OnceFunc(func() { close(gate) })
}

// begun waits until the runner has begun so many calls.
func (s *school) begun(n int64) {
	s.Helper()
	for end := time.Now().Add(tooLong); s.runs.Load() < n; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			s.Fatalf("%d calls have begun, want %d", s.runs.Load(), n)
		}
	}
}

// What a presenter ran is what a follower gets, byte for byte, and nothing is computed
// for it.
func TestFollowersGetThePresentersRun(t *testing.T) {
	s := open(t, "", live.Limits{})
	l := s.begin()
	stage := l.stage()
	first := stage.ask(runProduct, `{"type":"trace","run":"e1r1"}`)
	outcome := stage.ask(launchK, `{"type":"outcome"}`)
	runs := s.runs.Load()
	for i := range 3 {
		f := l.follower(fmt.Sprint(i))
		// The same, written otherwise.
		if got := f.ask(strings.Replace(runProduct, "[[1,2]]", "[ [1, 2] ]", 1), `{"type":"trace"}`); got != first {
			t.Errorf("the follower's run is\n\t%s\nand the presenter's\n\t%s", got, first)
		}
		if got := f.ask(launchK, `{"type":"outcome"}`); got != outcome {
			t.Errorf("the follower's launch is\n\t%s\nand the presenter's\n\t%s", got, outcome)
		}
		f.ask(`{"type":"explain","run":"e1r1","step":2,"cell":[0,0,1]}`, `{"type":"cell","run":"e1r1"}`)
		f.ask(`{"type":"moment","run":"e1k1","step":1}`, `{"type":"moment","step":1}`)
		f.ask(`{"type":"moment","run":"page:add","chapter":"01-one","step":1}`, `{"type":"moment","step":1}`)
	}
	if n := s.runs.Load() - runs; n != 1 {
		t.Errorf("%d things were computed for three followers who asked for one cell", n)
	}
	// A presenter's second page is served as well, until a person presses Run.
	other := l.stage()
	if got := other.ask(runProduct, `{"type":"trace"}`); got != first {
		t.Errorf("another page of the presenter got %s", got)
	}
	other.ask(fresh(runProduct), `{"type":"trace","run":"e1r2"}`)
	l.follower("late").ask(runProduct, `{"type":"trace","run":"e1r2"}`)
}

func TestWhatNobodyRanIsRefused(t *testing.T) {
	s := open(t, "", live.Limits{})
	l := s.begin()
	f, preview := l.follower("a"), l.enter(live.AsPreview, l.token, "preview")
	for _, body := range []string{
		runProduct, launchK,
		`{"type":"compare","devices":["cpu","cpu,fused"],"input":{"text":"ab"}}`,
		`{"type":"ladder","device":"cpu","precision":"float32","size":256}`,
	} {
		f.ask(body, `{"type":"error","code":"follower","message":"The presenter has not run this."}`)
		f.ask(fresh(body), refused("forbidden"))
		preview.ask(body, refused("follower"))
		preview.ask(fresh(body), refused("forbidden"))
	}
	f.ask(fresh(explainOne), refused("forbidden"))
	f.ask(`{"type":"devices"}`, refused("forbidden"))
	f.ask(`{"type":"moment","run":"e1k1","step":0}`, refused("unknown-run"))
	if n := s.runs.Load(); n != 0 {
		t.Errorf("%d things were computed for a follower", n)
	}
	if log := s.log.String(); !strings.Contains(log, `"a page asked for a fresh run"`) || !strings.Contains(log, `"a page asked for what it may not"`) {
		t.Errorf("the log says nothing of it:\n%s", log)
	}
}

// Fifty pages that ask for one thing at once are one computation, whichever of them
// goes meanwhile.
func TestOneComputationForAll(t *testing.T) {
	s := open(t, "", live.Limits{})
	l := s.begin()
	release := s.stall()
	defer release()
	var pages []*page
	var ids []string
	for i := range 50 {
		p := l.follower(fmt.Sprint(i))
		pages, ids = append(pages, p), append(ids, p.send(explainOne))
		s.begun(1) // by the first, who goes
	}
	pages[0].conn.Close()
	// The presenter's page has the room's word that all were heard.
	for _, p := range pages[1:] {
		p.say(`{"do":"lost","lost":true}`, fine)
	}
	release()
	_, want := pages[1].answer(ids[1])
	for i, p := range pages[1:] {
		if _, got := p.answer(ids[1+i]); got != want || !strings.Contains(got, `"type":"cell"`) {
			t.Fatalf("page %d was answered %s, and another %s", i, got, want)
		}
	}
	if n := s.runs.Load(); n != 1 {
		t.Errorf("%d computations", n)
	}
}

// A follower that asks while the presenter's run is under way, or a moment before it,
// gets it; and so does it with a failure.
func TestFollowersWaitForARun(t *testing.T) {
	s := open(t, "", live.Limits{Wait: time.Hour})
	l := s.begin()
	release := s.stall()
	defer release()
	stage, early, late := l.stage(), l.follower("early"), l.follower("late")
	first := early.send(runProduct)
	mine := stage.send(fresh(runProduct))
	s.begun(1)
	second := late.send(runProduct)
	late.say(`{"do":"lost","lost":true}`, fine) // the request before is at work
	release()
	_, want := stage.answer(mine)
	for p, id := range map[*page]string{early: first, late: second} {
		if _, got := p.answer(id); got != want {
			t.Errorf("a follower got %s, the presenter %s", got, want)
		}
	}
	s.runner.Before = func(context.Context) error {
		return &run.Failure{Code: run.CodeCompile, Message: "line 1: no", Detail: &run.Detail{Title: "The compiler says", Lines: []string{"k.cu:1: no"}}}
	}
	want = stage.ask(fresh(runProduct), `{"type":"error","code":"compile","detail":{"lines":["k.cu:1: no"]}}`)
	if got := early.ask(runProduct, `{"type":"error","code":"compile"}`); got != want {
		t.Errorf("the follower is told %s, the presenter %s", got, want)
	}
}

// A run that its page gives up is nobody's result: followers wait on for the next, and
// another page of the presenter runs it itself.
func TestARunThatIsGivenUp(t *testing.T) {
	s := open(t, "", live.Limits{Wait: time.Hour})
	l := s.begin()
	release := s.stall()
	defer release()
	stage, desk, f := l.stage(), l.enter(live.AsDesk, l.token, "desk"), l.follower("a")
	mine := stage.send(runProduct)
	s.begun(1)
	others := f.send(runProduct)
	deskRun := desk.send(runProduct)
	desk.say(`{"do":"unlost"}`, fine)
	stage.write(fmt.Sprintf(`{"v":1,"type":"cancel","id":%q}`, mine))
	if _, got := stage.answer(mine); !strings.Contains(got, `"cancelled"`) {
		t.Errorf("who cancelled is told %s", got)
	}
	s.begun(2) // by the desk, which did not cancel
	release()
	_, want := desk.answer(deskRun)
	if _, got := f.answer(others); got != want || !strings.Contains(got, `"type":"trace"`) {
		t.Errorf("the follower got %s, the desk %s", got, want)
	}
}

// Of two fresh runs of the same, what the later one answers stays, though the earlier
// one ends last.
func TestTheLaterRunStays(t *testing.T) {
	s := open(t, "", live.Limits{})
	l := s.begin()
	stage, f := l.stage(), l.follower("a")
	first := make(chan struct{})
	s.runner.Before = func(ctx context.Context) error {
		if s.runs.Add(1) == 1 {
			<-first
		}
		return nil
	}
	slow := stage.send(fresh(runProduct))
	s.begun(1)
	want := stage.ask(fresh(runProduct), `{"type":"trace","run":"e1r1"}`)
	if got := f.ask(runProduct, `{"type":"trace"}`); got != want {
		t.Errorf("before the slow one ends: %s", got)
	}
	close(first)
	stage.answer(slow)
	if got := f.ask(runProduct, `{"type":"trace"}`); got != want {
		t.Errorf("after the slow one ended: %s", got)
	}
}

// However much a follower looks at, what the presenter ran stays.
func TestLooksPushNoRunOut(t *testing.T) {
	s := open(t, "", live.Limits{Answers: 6 << 10})
	l := s.begin()
	stage, f := l.stage(), l.follower("a")
	want := stage.ask(runProduct, `{"type":"trace"}`)
	for i := range 60 {
		if i%30 == 0 {
			f = l.follower("a") // one page asks no more than some things a second
		}
		f.ask(fmt.Sprintf(`{"type":"explain","run":"page:by-hand","chapter":"01-one","step":2,"cell":[0,0,%d]}`, i), `{"type":"cell"}`)
	}
	if got := l.follower("b").ask(runProduct, `{"type":"trace"}`); got != want {
		t.Errorf("the run became %s", got)
	}
}

// Looks at what came with a page are looks at the chapter as it is: an author's save
// makes them anew, and leaves what was run.
func TestAChapterThatIsSaved(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, live.Limits{})
	l := s.begin()
	stage, f := l.stage(), l.follower("a")
	const look = `{"type":"explain","run":"page:by-hand","chapter":"01-one","step":2,"cell":[0,0,1]}`
	run := stage.ask(runProduct, `{"type":"trace"}`)
	for version := range int64(3) {
		s.text.Store(version)
		runs := s.runs.Load()
		for range 2 {
			f.ask(look, `{"type":"cell"}`)
			stage.ask(look, `{"type":"cell"}`)
		}
		if n := s.runs.Load() - runs; n != 1 {
			t.Errorf("%d looks at version %d of the chapter were computed, want 1", n, version)
		}
	}
	if got := f.ask(runProduct, `{"type":"trace"}`); got != run {
		t.Errorf("the run became %s", got)
	}
	s.close()
	again := open(t, dir, live.Limits{})
	f = l.again(again).follower("a")
	f.ask(look, `{"type":"cell"}`)
	if n := again.runs.Load(); n != 1 {
		t.Errorf("a server that was started since computes the look %d times", n)
	}
}

// A failure that says nothing of what was asked is not kept.
func TestAFailureThatMayPass(t *testing.T) {
	s := open(t, "", live.Limits{})
	l := s.begin()
	stage := l.stage()
	s.runner.Before = func(context.Context) error { return errors.New("out of luck") }
	stage.ask(runProduct, refused("internal"))
	stage.ask(explainOne, refused("internal"))
	s.runner.Before = nil
	stage.ask(runProduct, `{"type":"trace"}`)
	l.follower("a").ask(explainOne, `{"type":"cell"}`)
}

// Rooms never mix: equal requests are two runs, and no news crosses.
func TestRoomsNeverMix(t *testing.T) {
	s := open(t, "", live.Limits{})
	one, two := s.begin(), s.begin()
	stage, follower := one.stage(), one.follower("x")
	otherStage, other := two.stage(), two.follower("x")
	stage.ask(runProduct, `{"type":"trace"}`)
	stage.ask(launchK, `{"type":"outcome","run":"e1k1"}`)
	other.ask(runProduct, refused("follower"))
	other.ask(`{"type":"moment","run":"e1k1","step":0}`, refused("unknown-run"))
	runs := s.runs.Load()
	otherStage.ask(runProduct, `{"type":"trace"}`)
	if s.runs.Load() != runs+1 {
		t.Error("a room was answered with another room's run")
	}
	stage.drive(1, `"chapter":"02-two","at":{"widget":"tiles"},"widget":"tiles","view":{"last":3},"pointer":{"path":[1],"x":0.5,"y":0.5}`)
	stage.say(`{"do":"poll","act":"open","question":"Which?","kind":"text"}`, fine)
	stage.say(`{"do":"mode","mode":"locked"}`, fine)
	follower.news("state", `{"state":{"mode":"locked","chapter":"02-two"}}`)
	follower.say(`{"do":"answer","poll":1,"text":"this"}`, fine)
	follower.say(`{"do":"question","text":"Why?"}`, fine)
	// The cookie of one room is nothing in the other.
	if _, err := two.dial(live.AsStage, one.token, "x"); err == nil || !strings.Contains(err.Error(), "status 503") {
		t.Errorf("the cookie of another room was taken: %v", err)
	}
	other.say(`{"do":"answer","poll":1,"text":"this"}`, refused("ended"))
	for _, p := range []*page{other, otherStage} {
		p.say(`{"do":"none"}`, refused("protocol"))
		for _, n := range p.heard("") {
			if kind := n["kind"]; kind != "all" && kind != "class" && kind != "state" || has(n, decode(`{"state":{"chapter":"02-two"}}`)) || has(n, decode(`{"state":{"mode":"locked"}}`)) {
				t.Errorf("a page of the other room was told %v", n)
			}
		}
	}
}
