package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"workbench/web"
	"workbench/web/live"
)

// A given lesson is a room with all who are in it: a desk and a stage in one browser,
// and each who follows in another, with cookies and storage of its own.
type given struct {
	*deskRoom
	stage *Tab
	class []*Tab
	began time.Time
	stops []stop
}

// A stop is what all pages showed of an example, at a time of the lesson.
type stop struct {
	what, id string
	t        int64 // milliseconds since the lesson began
	reads    json.RawMessage
}

// telephone makes a tab one of a telephone.
func (tab *Tab) telephone() *Tab {
	tab.t.Helper()
	call(tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 360, Height: 780, DeviceScaleFactor: 1, Mobile: true})
	call(tab, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
	return tab
}

// untilBar waits until the bar says how the page stands to the lesson.
func (tab *Tab) untilBar(state string) {
	tab.t.Helper()
	tab.until("the bar to say "+state, "e2e.ready() && document.querySelector('#room-bar')?.dataset.state === %s", state)
}

// listen hears what the page tells who does not see it, from now on.
func (tab *Tab) listen() {
	tab.t.Helper()
	get[bool](tab, "e2e.listen()")
}

// hears waits until the page has told something, and holds it to one voice.
func (tab *Tab) hears(words string) {
	tab.t.Helper()
	tab.until("to be told "+words, "e2e.heard.some(({ text }) => text.includes(%s))", words)
	if got := get[[]string](tab, "e2e.heard.filter(({ region }) => region !== 'unseen').map(({ region, text }) => region + ': ' + text)"); len(got) > 0 {
		tab.t.Errorf("another part of the page speaks too: %q", got)
	}
	get[bool](tab, "e2e.heard.splice(0).length > 0")
}

// opens presses Enter on a link that opens another tab, and returns that tab.
func (tab *Tab) opens() *Tab {
	tab.t.Helper()
	opened := chromedp.WaitNewTarget(tab.ctx, func(*target.Info) bool { return true })
	tab.press("Enter")
	select {
	case id := <-opened:
		made := openTab(tab.t, tab.site, tab.ctx, chromedp.WithTargetID(id))
		// It may have begun before it was told to run the script.
		made.until("the tab's page", "location.href !== 'about:blank' && document.readyState === 'complete'")
		get[bool](made, "(globalThis.e2e || (0, eval)(%s), true)", pageScript)
		return made
	case <-time.After(patience):
		tab.t.Fatal("Enter opens no tab")
		return nil
	}
}

// tabUntil presses Tab, or Shift+Tab, until what a selector means has the focus. Whoever
// is not there after so many gives up.
func (tab *Tab) tabUntil(key, selector string, most int) {
	tab.t.Helper()
	for range most {
		tab.press(key)
		if get[bool](tab, "document.activeElement.matches(%s)", selector) {
			return
		}
	}
	tab.t.Fatalf("%d presses of %s do not lead to %s: the focus is on %s", most, key, selector, get[string](tab, "document.activeElement.outerHTML.slice(0, 200)"))
}

// next goes to the next example by the lesson's key.
func (tab *Tab) next(id string) {
	tab.t.Helper()
	tab.press("n")
	tab.until("the focus in "+id, "e2e.focus().widget === %s", id)
}

// types writes as an input method does.
func (tab *Tab) types(text string) {
	tab.t.Helper()
	call(tab, input.InsertText, input.InsertTextParams{Text: text})
}

// tap touches the middle of what a selector means.
func (tab *Tab) tap(selector string) {
	tab.t.Helper()
	tab.until(selector, "e2e.shown(document.querySelector(%s))", selector)
	at := get[[2]float64](tab, `((box) => [box.x + box.width / 2, box.y + box.height / 2])(document.querySelector(%s).getBoundingClientRect())`, selector)
	call(tab, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: "touchStart", TouchPoints: []*input.TouchPoint{{X: at[0], Y: at[1]}}})
	call(tab, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: "touchEnd", TouchPoints: []*input.TouchPoint{}})
}

// joinLesson types the code.
func (l *given) joinLesson(tab *Tab) *Tab {
	l.t.Helper()
	tab.load("/join")
	tab.until("the field of the code", "document.activeElement.id === 'code'")
	tab.types(strings.ToLower(l.code))
	tab.press("Enter")
	tab.untilBar("following")
	return tab
}

// agree waits until every page of the class reads of an example what the stage does.
func (l *given) agree(id, what string) stop {
	l.t.Helper()
	l.stage.until(what+" on the stage", "e2e.rests(%s)", id)
	s := stop{what: what, id: id, reads: get[json.RawMessage](l.stage, "e2e.reads(%s)", id)}
	for i, tab := range l.class {
		if got := tab.untilReads(id, s.reads); string(got) != string(s.reads) {
			l.t.Errorf("%s: page %d of the class reads of %s\n%s", what, i, id, differs(string(got), string(s.reads)))
		}
	}
	s.t = time.Since(l.began).Milliseconds()
	l.stops = append(l.stops, s)
	return s
}

// untilReads waits until an example reads so, and returns how it does in the end. To
// read a large one takes the page a while, in which it gets nothing else done: so first
// it has to be at the step.
func (tab *Tab) untilReads(id string, want json.RawMessage) json.RawMessage {
	tab.t.Helper()
	wait := script("e2e.rests(%s) && e2e.state(%s).title === %s.title ? e2e.reads(%s) : null", id, id, want, id)
	var got json.RawMessage
	for deadline := time.Now().Add(patience); time.Now().Before(deadline) && string(got) != string(want); time.Sleep(25 * time.Millisecond) {
		got, _ = evaluate[json.RawMessage](tab, wait) // the page may be on its way
	}
	if string(got) != string(want) {
		got, _ = evaluate[json.RawMessage](tab, script("e2e.reads(%s)", id))
	}
	return got
}

// inSight waits until an example is where what is in front is.
func (tab *Tab) inSight(id string) {
	tab.t.Helper()
	tab.until(id+" in front", "((box) => box.top > -2 && box.top < innerHeight / 2)(e2e.widget(%s).getBoundingClientRect())", id)
}

// everybody does something with each page of the room.
func (l *given) everybody(do func(tab *Tab)) {
	for _, tab := range append([]*Tab{l.desk, l.stage}, l.class...) {
		do(tab)
	}
}

// TestLesson gives chapter 7 to its end, with the keyboard alone: kernels are stepped,
// one is broken and mended, and two who follow, one on a telephone, see at every stop
// what the stage shows. In between somebody leaves and comes again, the server is
// stopped and started, and a poll is answered. The lesson's file then shows it again.
func TestLesson(t *testing.T) {
	t.Parallel()
	long(t)
	course(t, true)
	const chapter = "07-product-in-three-versions"
	// A narrow desk begins without its preview, which is one more page of the chapter.
	l := &given{deskRoom: openDeskOn(t, web.RoomOptions{Dir: t.TempDir()}, true, chapter, 900)}
	l.began = l.site.server.Rooms().Room(l.code).Began()
	desk := l.desk
	desk.tabUntil("Tab", ".desk-where .desk-button", 12)
	l.stage = desk.opens()
	l.stage.untilBar("drives")
	l.class = []*Tab{l.joinLesson(newTab(t, l.site)), l.joinLesson(newTab(t, l.site).telephone())}
	l.says(".desk-gauge", "2 follow")
	stage, wide, phone := l.stage, l.class[0], l.class[1]

	stage.next("naive")
	stage.press("j", "j", "j")
	l.agree("naive", "three steps")

	// An element of a tile is chosen; the barrier is deleted, missed, and put back.
	stage.next("tiled")
	stage.press("N")
	stage.until("the example before", "e2e.focus().widget === 'naive'")
	stage.next("tiled")
	stage.tabUntil("Shift+Tab", ".goal-element", 4)
	stage.types("left[3][4]")
	stage.press("Enter")
	l.agree("tiled", "an element")
	stage.tabUntil("Tab", ".stage", 4)
	stage.press("s", "Ctrl+Home")
	for range barrier - 1 {
		stage.press("ArrowDown")
	}
	stage.press("End", "Shift+Home", "Shift+Home", "Delete") // an editor's first Home may stop at the indent
	l.agree("tiled", "the edited source")
	stage.press("Ctrl+Enter")
	stage.until("the reports", "e2e.kernel('tiled').reports.length > 0")
	raced := l.agree("tiled", "the race")
	for _, tab := range l.class {
		k := tab.kernel("tiled")
		if !strings.Contains(strings.Join(k.Reports, "\n"), "thread (1,0,0) reads") || !strings.Contains(k.Verdict, "are not what cpu computes") {
			t.Errorf("who follows reads of the race %q, %q", k.Reports, k.Verdict)
		}
	}
	stage.types("\t\t__syncthreads();")
	stage.press("Ctrl+Enter")
	stage.until("no reports", "e2e.kernel('tiled').reports.length === 0 && !e2e.state('tiled').stale")
	l.agree("tiled", "the mended kernel")
	stage.press("Escape", "Home", "b", "b", "b")
	l.agree("tiled", "the second phase")

	// Whoever comes again is where the lesson is.
	wide.load("/replays")
	l.says(".desk-gauge", "1 follows")
	l.joinLesson(wide)
	l.agree("tiled", "somebody is back")

	// The server stops, and goes on: nobody loads a page again.
	l.everybody(func(tab *Tab) {
		tab.allow(refused)
		get[bool](tab, "globalThis.before = true")
	})
	phone.listen()
	if err := l.site.stop(); err != nil {
		t.Fatal(err)
	}
	phone.untilBar("offline")
	phone.hears("The connection is lost. The page shows the last that came")
	if err := l.site.begin(); err != nil {
		t.Fatal(err)
	}
	stage.untilBar("drives")
	wide.untilBar("following")
	phone.untilBar("following")
	l.untilDesk(desk)
	stage.press("b")
	l.agree("tiled", "a phase after the restart")
	l.everybody(func(tab *Tab) {
		if !get[bool](tab, "globalThis.before === true") {
			t.Error("a page was loaded again")
		}
		tab.allow(nil)
	})

	stage.next(tilesID)
	stage.press("Home", "ArrowRight", "ArrowRight")
	l.agree(tilesID, "the tiles' second phase")

	// A poll from the desk: one is wrong, and one right.
	desk.press("p")
	desk.until("the poll's field", "document.activeElement.closest('.desk-poll-form')")
	desk.types("How often is each value loaded now?")
	desk.press("Tab", "Tab")
	desk.types("2")
	desk.press("Enter")
	wide.until("the poll", "e2e.shown(document.querySelector('.room-poll input'))")
	wide.press("r")
	wide.tabUntil("Tab", ".room-poll input", 3)
	phone.tap(".room-poll input")
	for tab, answer := range map[*Tab]string{wide: "32", phone: "2"} {
		tab.until("the field", "document.activeElement.matches('.room-poll input')")
		tab.types(answer)
		tab.press("Enter")
		tab.until("the answer to be taken", "e2e.words(document.querySelector('.poll-note')).includes(%s)", "Your answer: "+answer)
	}
	l.says(".desk-poll-open", "2 answers of 2")
	desk.press("p")
	desk.tabUntil("Tab", ".desk-poll-open button:nth-of-type(2)", 5)
	desk.press("Enter")
	for _, tab := range l.class {
		tab.until("the right answer", "e2e.words(document.querySelector('.poll-counts [data-right]')).startsWith('2 ✓ right')")
		tab.until("the chart", "e2e.shown(document.querySelector('.room-poll .poll-result .chart svg'))")
	}
	revealed := time.Since(l.began).Milliseconds()
	phone.tap(".room-lost")
	phone.tap(".room-tools [aria-haspopup=dialog]")
	phone.until("the question's field", "document.activeElement.matches('.room-ask textarea')")
	phone.types("Why twice?")
	phone.press("Tab", "Tab", "Enter")
	l.says("#questions", "Why twice?")
	l.says(".desk-gauge", "1 is lost")

	for _, id := range []string{"blocked", "by-strides"} {
		stage.next(id)
		stage.press("End")
		l.agree(id, "the last step")
	}

	// Behind the last kernel comes what all of them reach on a GPU.
	desk.press("j")
	ladder := l.agree("ladder", "the measurements")
	l.says("#notes", "collect three factors")
	for _, tab := range l.class {
		tab.inSight("ladder")
	}
	if text := string(ladder.reads); !strings.Contains(text, "cuBLAS") || !strings.Contains(text, "GFLOP/s") {
		t.Errorf("the ladder reads %s", text)
	}
	desk.tabUntil("Tab", ".desk-ending .desk-end", 10)
	desk.press("Enter", "Tab", "Enter")
	l.says("#notice", "This lesson has ended.")
	phone.untilBar("ended")
	file, err := base64.StdEncoding.DecodeString(get[string](phone, `fetch(document.querySelector('#room-bar a[download]').href).then((reply) => reply.bytes()).then((bytes) => bytes.toBase64())`))
	if err != nil {
		t.Fatal(err)
	}

	// Seen again by who gave it.
	lesson, err := live.ReadLessonFile(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	path, err := l.site.server.AddReplay(lesson)
	if err != nil {
		t.Fatal(err)
	}
	again := desk.twin()
	again.scheme("light") // without motion: from stop to stop it is far
	again.open(path)
	again.until("the replay", "document.querySelector('.replay-bar')")
	get[bool](again, shownScript)
	for _, s := range append(l.stops, raced) {
		get[bool](again, "replayed.seek(%s)", s.t)
		if got := again.untilReads(s.id, s.reads); string(got) != string(s.reads) {
			t.Errorf("replayed, %s reads of %s\n%s", s.what, s.id, differs(string(got), string(s.reads)))
		}
	}
	get[bool](again, "replayed.seek(%s)", revealed)
	again.until("the poll", "e2e.words(document.querySelector('.room-poll')).includes('How often is each value loaded now?') && e2e.words(document.querySelector('.poll-counts [data-right]')).startsWith('2 ✓ right')")
}
