package e2e

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"workbench/engine"
	"workbench/engine/launch"
	"workbench/web"
)

// aDevice is a chapter with a kernel that runs on a given device.
func aDevice(spec string) web.Options {
	o := options(false)
	o.Chapters = fstest.MapFS{
		"01-add/add.cu": {Data: []byte(addSource)},
		"01-add/chapter.md": {Data: []byte("---\ntitle: An addition\nsummary: One kernel.\noutcomes:\n  - run it\n---\n\n" +
			"```kernel sum\ncaption: One thread for each element.\nsource: add.cu\ndevice: \"" + spec + "\"\nlaunch:\n  kernel: add\n  grid: [2]\n  block: [32]\n  args:\n" +
			"    - {name: x, type: f32, shape: [50], fill: iota}\n    - {name: y, type: f32, shape: [50], fill: ones}\n" +
			"    - {name: out, type: f32, shape: [50], out: true}\n    - {name: n, type: i32, value: 50}\n```\n")},
	}
	return o
}

const neverRun = "/chapters/01-add?widget=sum#sum"

// TestKernelThatWasNeverRun opens a kernel whose device is not there: the page says
// what is missing and what can be done, and one key does it. A source without a kernel
// is told from one that is wrong.
func TestKernelThatWasNeverRun(t *testing.T) {
	t.Parallel()
	tab := newTab(t, serve(t, aDevice("cuda:0")))
	const id = "sum"
	tab.open(neverRun)
	s := tab.state(id)
	if !strings.Contains(s.Notice, "cuda:0 is not available here.") || !strings.HasPrefix(s.Title, "This kernel has not been run yet. The emulator is part of the workbench") {
		t.Errorf("it says %q and %q", s.Notice, s.Title)
	}
	for _, css := range []string{".stepbar", ".lane-table", ".shared", ".findings"} {
		if get[bool](tab, "e2e.shown(e2e.find(%s, %s))", id, css) {
			t.Errorf("%s is there and has nothing to show", css)
		}
	}
	checkFits(t, tab, "a kernel that was never run")
	tab.focusOn(id)
	tab.press("Tab")
	if got := get[string](tab, "e2e.focus().text"); got != "Run it on the emulator" {
		t.Fatalf("the first thing in the empty stage is %q", got)
	}
	tab.press("Enter")
	tab.until("the run", "!e2e.state(%s).running && e2e.kernel(%s).step.startsWith('step 0 of 0–')", id, id)
	if s := tab.state(id); s.Device != "emulator" || s.Stale || get[bool](tab, "e2e.shown(e2e.find(%s, '.emulate'))", id) {
		t.Errorf("after the run: %+v", s)
	}
	if focus := get[string](tab, "e2e.focus().class"); focus != "stage" {
		t.Errorf("the focus is on %q", focus)
	}

	tab.rewrite(id, "")
	tab.press("Ctrl+Enter")
	tab.until("what is wrong", "e2e.state(%s).notice.startsWith('There is no kernel to run: the source is empty.')", id)
	if tab.state(id).Running {
		t.Error("nothing is run")
	}
}

// waiting is an emulator whose launches wait for a token, or for their end.
type waiting struct {
	launch.Recorder
	tokens <-chan struct{}
}

func (w waiting) Record(ctx context.Context, launches []*launch.Launch, index int, blocks []launch.Index) ([]*launch.Result, []launch.Recording, error) {
	select {
	case <-w.tokens:
		return w.Recorder.Record(ctx, launches, index, blocks)
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
}

// TestTilesStopped asks for another block and stops the recording of it: the block
// before is shown as it was, the address says so, and the next recording works.
func TestTilesStopped(t *testing.T) {
	t.Parallel()
	o := options(false)
	tokens := make(chan struct{}, 100)
	for range 100 {
		tokens <- struct{}{}
	}
	o.Emulator = func(w launch.Watch) launch.Recorder { return waiting{engine.Emulator(w), tokens} }
	tab := newTab(t, serve(t, o))
	for len(tokens) > 0 { // the page's own kernels have run
		<-tokens
	}
	tab.open(tilesPage + "?widget=" + tilesID + "#" + tilesID)
	tab.until("the page's own block", "[...e2e.widget(%s).querySelectorAll('.tiles-place')].at(-1).textContent === 'block (1, 0), all phases, 0–4' && !e2e.find(%s, '[aria-busy]')", tilesID, tilesID)
	before := tab.tiles()
	choose := func(y string) {
		tab.write(script("e2e.widget(%s).querySelectorAll('.index-picker')[0].querySelectorAll('.index-field')[1]", tilesID), y)
		tab.press("Enter")
	}
	choose("1")
	tab.until("the recording", "e2e.shown(e2e.find(%s, '.stop')) && e2e.state(%s).notice.startsWith('Looking at block (1, 1)')", tilesID, tilesID)
	if !tab.state(tilesID).Stale {
		t.Error("the block before does not look stale")
	}
	tab.click(script("e2e.find(%s, '.stop')", tilesID))
	tab.until("the stop", "!e2e.shown(e2e.find(%s, '.stop')) && e2e.state(%s).notice === 'Stopped. The block below is the one before.'", tilesID, tilesID)
	after := tab.tiles()
	if s := tab.state(tilesID); s.Stale || !strings.Contains(s.URL, "block=1,0,0") || after[1].Place != before[1].Place || len(after[1].Maps["a[32][32]"]["load"]) != len(before[1].Maps["a[32][32]"]["load"]) {
		t.Errorf("after the stop: %+v, %q", s, after[1].Place)
	}
	for range 2 {
		tokens <- struct{}{}
	}
	choose("1")
	tab.until("the next recording", "[...e2e.widget(%s).querySelectorAll('.tiles-place')].at(-1).textContent === 'block (1, 1), all phases, 0–4' && !e2e.state(%s).notice", tilesID, tilesID)
}
