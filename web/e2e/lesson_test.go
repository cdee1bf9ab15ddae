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
	call(tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 360, Height: 780, DeviceScaleFactor: 2, Mobile: true})
	call(tab, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
	return tab
}

// untilBar waits until the bar says how the page stands to the lesson.
func (tab *Tab) untilBar(state string) {
	tab.t.Helper()
	tab.until("the bar to say "+state, "e2e.ready() && document.querySelector('#room-bar')?.dataset.state === %s", state)
}

// listen hears what the page tells who does not see it, from now on.
func (tab *Tab) listen() *Tab {
	tab.t.Helper()
	get[bool](tab, "e2e.listen()")
	return tab
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

// joinLesson comes in by the code.
func (l *given) joinLesson(tab *Tab) *Tab {
	l.t.Helper()
	tab.load("/join/" + l.code)
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

// untilReads waits until an example reads so, and returns how it does in the end.
func (tab *Tab) untilReads(id string, want json.RawMessage) json.RawMessage {
	tab.t.Helper()
	var got json.RawMessage
	for deadline := time.Now().Add(patience); time.Now().Before(deadline) && string(got) != string(want); time.Sleep(10 * time.Millisecond) {
		got, _ = evaluate[json.RawMessage](tab, script("e2e.rests(%s) ? e2e.reads(%s) : null", id, id)) // the page may be on its way
	}
	return got
}

// everybody does something with each page of the room.
func (l *given) everybody(do func(tab *Tab)) {
	for _, tab := range append([]*Tab{l.desk, l.stage}, l.class...) {
		do(tab)
	}
}

// TestLesson gives chapter 7 to its last kernel, with the keyboard alone: kernels are stepped,
// one is broken and mended, and two who follow, one on a telephone, see at every stop
// what the stage shows. In between somebody leaves and comes again, the server is
// stopped and started, and a poll is answered. The lesson's file then shows it again.
func TestLesson(t *testing.T) {
	t.Parallel()
	long(t)
	course(t, true)
	const chapter = "07-product-in-three-versions"
	l := &given{deskRoom: openDeskIn(t, true, chapter, t.TempDir())}
	l.began = l.site.server.Rooms().Room(l.code).Began()
	desk := l.desk
	l.stage = desk.twin()
	l.stage.load(get[string](desk, "document.querySelector('.desk-where .desk-button').getAttribute('href')"))
	l.stage.untilBar("drives")
	l.class = []*Tab{l.joinLesson(newTab(t, l.site)), l.joinLesson(newTab(t, l.site).telephone())}
	l.says(".desk-gauge", "2 follow")
	stage, wide, phone := l.stage, l.class[0], l.class[1]

	stage.tabTo("naive")
	stage.press("j", "j", "j")
	l.agree("naive", "three steps")

	// An element of a tile is chosen; the barrier is deleted, missed, and put back.
	stage.tabTo("tiled")
	stage.write("e2e.find('tiled', '.goal-element')", "left[3][4]")
	stage.press("Enter")
	l.agree("tiled", "an element")
	stage.writeLine("tiled", barrier, "")
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
	stage.writeLine("tiled", barrier, "\t\t__syncthreads();")
	stage.press("Ctrl+Enter")
	stage.until("no reports", "e2e.kernel('tiled').reports.length === 0 && !e2e.state('tiled').stale")
	l.agree("tiled", "the mended kernel")
	stage.focusOn("tiled")
	stage.press("Home", "b", "b", "b")
	l.agree("tiled", "the second phase")

	// Whoever comes again is where the lesson is.
	wide.load("/replays")
	wide.load("/replays")
	l.says(".desk-gauge", "1 follows")
	l.joinLesson(wide)
	l.agree("tiled", "somebody is back")

	// The server stops, and goes on: nobody loads a page again.
	l.everybody(func(tab *Tab) {
		tab.allow(refused)
		get[bool](tab, "globalThis.before = true")
	})
	if err := l.site.stop(); err != nil {
		t.Fatal(err)
	}
	phone.untilBar("offline")
	phone.listen().hears("The connection is lost. The page shows the last that came")
	if err := l.site.begin(); err != nil {
		t.Fatal(err)
	}
	stage.untilBar("drives")
	wide.untilBar("following")
	phone.untilBar("following")
	l.untilDesk(desk)
	stage.focusOn("tiled")
	stage.press("b")
	l.agree("tiled", "a phase after the restart")
	l.everybody(func(tab *Tab) {
		if !get[bool](tab, "globalThis.before === true") {
			t.Error("a page was loaded again")
		}
		tab.allow(nil)
	})

	stage.tabTo(tilesID)
	stage.press("Home", "ArrowRight", "ArrowRight")
	l.agree(tilesID, "the tiles' second phase")

	// A poll from the desk: one is wrong, and one right.
	desk.press("p")
	desk.until("the poll's field", "document.activeElement.closest('.desk-poll-form')")
	call(desk, input.InsertText, input.InsertTextParams{Text: "How often is each value loaded now?"})
	desk.press("Tab", "Tab")
	call(desk, input.InsertText, input.InsertTextParams{Text: "2"})
	desk.press("Enter")
	for _, c := range []struct {
		tab    *Tab
		answer string
	}{{wide, "32"}, {phone, "2"}} {
		c.tab.until("the poll", "e2e.shown(document.querySelector('.room-poll input'))")
		c.tab.write("document.querySelector('.room-poll input')", c.answer)
		c.tab.press("Enter")
		c.tab.until("the answer to be taken", "e2e.words(document.querySelector('.poll-note')).includes(%s)", "Your answer: "+c.answer)
	}
	l.says(".desk-poll-open", "2 answers of 2")
	get[bool](desk, "([...document.querySelectorAll('.desk-poll-open button')].find((one) => one.textContent.startsWith('Show the answers')).focus(), true)")
	desk.press("Enter")
	for _, tab := range l.class {
		tab.until("the right answer", "e2e.words(document.querySelector('.poll-counts [data-right]')).startsWith('2 ✓ right')")
		tab.until("the chart", "e2e.shown(document.querySelector('.room-poll .poll-result .chart svg'))")
	}
	revealed := time.Since(l.began).Milliseconds()
	get[bool](phone, "(document.querySelector('.room-lost').focus(), true)")
	phone.press("Space", "Tab", "Enter")
	phone.until("the question's field", "document.activeElement.matches('.room-ask textarea')")
	call(phone, input.InsertText, input.InsertTextParams{Text: "Why twice?"})
	phone.press("Tab", "Tab", "Enter")
	l.says("#questions", "Why twice?")
	l.says(".desk-gauge", "1 is lost")

	for _, id := range []string{"blocked", "by-strides"} {
		stage.tabTo(id)
		stage.press("End")
		l.agree(id, "the last step")
		stage.press("Home", "j")
		l.agree(id, "one step")
	}
	get[bool](desk, "(document.querySelector('.desk-ending .desk-end').focus(), true)")
	desk.press("Enter", "Tab", "Enter")
	l.says("#notice", "This lesson has ended.")
	phone.untilBar("ended")
	file, err := base64.StdEncoding.DecodeString(get[string](phone, `fetch(document.querySelector('#room-bar a[download]').href).then((reply) => reply.bytes()).then((bytes) => bytes.toBase64())`))
	if err != nil {
		t.Fatal(err)
	}

	// Seen again on a workbench that has run nothing.
	site := serve(t, options(true))
	lesson, err := live.ReadLessonFile(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	path, err := site.server.AddReplay(lesson)
	if err != nil {
		t.Fatal(err)
	}
	again := newTab(t, site)
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
