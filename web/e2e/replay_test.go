package e2e

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"workbench/web"
	"workbench/web/live"
)

// taught is a lesson that was given on a stage: what stood there after each thing that
// its presenter did.
type taught struct {
	file    []byte
	moments []moment
}

type moment struct {
	t           int64 // milliseconds since the room was opened
	chapter, id string
	act         int
	text        string // of the example
}

// teach opens chapters on a stage, does there what a person does in their examples, and
// saves the lesson.
func teach(t *testing.T, chapters ...string) taught {
	t.Helper()
	o := options(false)
	o.Rooms = &web.RoomOptions{}
	site := serve(t, o)
	room, secret, err := site.server.Rooms().New(chapters[0])
	if err != nil {
		t.Fatal(err)
	}
	stage := newTab(t, site)
	stage.present(secret)
	lesson := taught{}
	for _, slug := range chapters {
		stage.open("/rooms/" + room.Code() + "/stage/" + slug)
		stage.until("the wheel", "document.querySelector('.room-bar')?.dataset.state === 'drives'")
		get[bool](stage, viewScript)
		get[bool](stage, shownScript)
		for _, id := range stage.widgets() {
			for act := range get[int](stage, "views.acts(%s)", id) {
				get[shown](stage, "views.act(%s, %s)", id, act)
				// What was done is told one after the other: the last when the one before it has
				// been answered, and the room answers in order.
				for range 3 {
					get[int](stage, askRoom, map[string]string{"do": "wheel", "act": "take"})
				}
				lesson.moments = append(lesson.moments, moment{
					t: time.Since(room.Began()).Milliseconds(), chapter: slug, id: id, act: act, text: get[string](stage, "replayed.text(%s)", id),
				})
			}
		}
	}
	var file bytes.Buffer
	if err := room.Lesson(&file); err != nil {
		t.Fatal(err)
	}
	lesson.file = file.Bytes()
	return lesson
}

// TestReplay gives a lesson and replays it on a workbench that has never run any of it.
func TestReplay(t *testing.T) {
	t.Parallel()
	given := teach(t, "01-one-product", "06-how-kernels-divide-work")
	if folder := os.Getenv(pictures); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, "lesson.jsonl.gz"), given.file, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	site := serve(t, options(false))
	lesson, err := live.ReadLessonFile(bytes.NewReader(given.file))
	if err != nil {
		t.Fatal(err)
	}
	path, err := site.server.AddReplay(lesson)
	if err != nil {
		t.Fatal(err)
	}
	tab := newTab(t, site)
	tab.open(path)
	tab.until("the replay", "document.querySelector('.replay-bar')")
	get[bool](tab, viewScript)
	get[bool](tab, shownScript)
	// On, and back again: over the change of chapters and over runs of the same.
	last := len(given.moments) - 1
	order := []int{}
	for i := range given.moments {
		order = append(order, i)
	}
	for i := range given.moments {
		order = append(order, last-i)
	}
	for _, i := range order {
		m := given.moments[i]
		get[bool](tab, "replayed.seek(%s)", m.t)
		tab.until("chapter "+m.chapter, "location.pathname.endsWith(%s) && e2e.ready() && document.querySelector('.replay-bar')", "/"+m.chapter)
		if get[bool](tab, "globalThis.replayed === undefined") {
			get[bool](tab, viewScript)
			get[bool](tab, shownScript)
		}
		if got := tab.untilReplayed(m.id, m.text); got != m.text {
			t.Errorf("%s, act %d, at %d ms: it reads\n%s", m.id, m.act, m.t, differs(got, m.text))
		}
	}
}

// choose gives the page of replays a file.
func choose(tab *Tab, file []byte) {
	tab.t.Helper()
	get[bool](tab, `(() => {
		const input = document.querySelector('input[type=file]');
		const chosen = new DataTransfer();
		chosen.items.add(new File([Uint8Array.from(atob(%s), (c) => c.charCodeAt(0))], 'lesson.jsonl.gz'));
		input.files = chosen.files;
		return true;
	})()`, base64.StdEncoding.EncodeToString(file))
	tab.click("document.querySelector('.replay-form button')")
}

// keptIn puts a lesson where those are that were given on a machine.
func keptIn(t *testing.T, given taught) (dir string) {
	t.Helper()
	dir = t.TempDir()
	room := filepath.Join(dir, "K7QM2X")
	if err := os.Mkdir(room, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		live.LessonFile: given.file,
		"room.json":     []byte(`{"version":1,"began":"2026-11-30T10:00:00Z","ended":true,"length":2520000,"chapters":["One product by hand","Rows"]}`),
	} {
		if err := os.WriteFile(filepath.Join(room, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestReplayControls chooses a lesson on the page of replays, and plays it by keyboard,
// on a telephone too.
func TestReplayControls(t *testing.T) {
	t.Parallel()
	given := teach(t, "01-one-product")
	o := options(false)
	o.Lessons = keptIn(t, given)
	site := serve(t, o)
	tab := newTab(t, site)
	tab.load("/replays")
	checkTree(t, tab, "the page of replays")
	tab.allow(func(fault string) bool { return strings.Contains(fault, "400") })
	choose(tab, bytes.Replace(given.file, given.file[40:60], make([]byte, 20), 1))
	tab.until("what is wrong", "document.querySelector('[role=alert]')?.textContent.includes('The file was not taken')")
	checkContrast(t, tab, "a file that is not taken")
	tab.click("document.querySelector('.replay-kept button')")
	tab.until("the replay", "location.pathname.endsWith('/chapters/01-one-product') && document.querySelector('.replay-bar') && e2e.ready()")
	tab.until("the connection", "document.querySelector('.live-state')?.dataset.state === 'open'")
	get[bool](tab, shownScript)

	const (
		bar   = "document.querySelector('.replay-bar')"
		label = bar + ".querySelectorAll('.replay-button')[1].getAttribute('aria-label')"
		now   = "Number(document.querySelector('.replay-slider').value)"
	)
	checkTree(t, tab, "a replay")
	tab.press("Space")
	tab.until("the lesson to play", label+" === 'Pause' && "+now+" > 0.2")
	tab.press("Space")
	tab.until("it to wait", label+" === 'Play'")
	at := get[float64](tab, now)
	tab.press("Shift+ArrowRight", "Shift+ArrowRight")
	on := get[float64](tab, now)
	tab.press("Shift+ArrowLeft")
	if back := get[float64](tab, now); !(on > at && back < on) {
		t.Errorf("from %g s two events on is %g s, and one back %g s", at, on, back)
	}

	checkContrast(t, tab, "a replay")
	for _, small := range get[[]string](tab, `[...document.querySelectorAll('.replay-bar :is(button, select, input)')].filter(e2e.shown).flatMap((one) => {
		const { width, height } = (one.closest('label') ?? one).getBoundingClientRect();
		return width < 24 || height < 24 ? [one.className + ': ' + width + ' × ' + height] : [];
	})`) {
		t.Errorf("too small for a finger: %s", small)
	}

	// Who does something themselves is on their own until they press f.
	m := given.moments[0]
	get[bool](tab, "replayed.seek(%s)", m.t)
	lesson := tab.untilReplayed(m.id, m.text)
	tab.press("Space")
	tab.focusOn(m.id)
	tab.press("Home")
	tab.until("the replay to wait", bar+".dataset.state === 'free' && "+label+" === 'Play' && replayed.text(%s) !== %s", m.id, lesson)
	get[bool](tab, "replayed.seek(%s)", m.t)
	if got := tab.untilReplayed(m.id, lesson); got != lesson {
		t.Errorf("back at the lesson %s reads\n%s", m.id, differs(got, lesson))
	}
	tab.press("End")
	tab.until("the replay to wait", bar+".dataset.state === 'free'")
	checkContrast(t, tab, "a replay that waits")
	tab.press("f")
	tab.until("the lesson", bar+".dataset.state === 'following'")
	if got := tab.untilReplayed(m.id, lesson); got != lesson {
		t.Errorf("after f %s reads\n%s", m.id, differs(got, lesson))
	}

	tab.size(360, 740)
	tab.settle()
	if wide := get[int](tab, "document.documentElement.scrollWidth"); wide > 360 {
		t.Errorf("on a telephone the page is %d wide", wide)
	}
	if high := get[float64](tab, bar+".getBoundingClientRect().height"); high > 740/3 {
		t.Errorf("on a telephone the bar takes %g of 740", high)
	}

	// A chapter in which the lesson was not, and back.
	tab.click("document.querySelector('.chapter-nav a[href$=\"02-rows-sums-means\"]')")
	tab.until("the other chapter", "location.pathname.endsWith('/02-rows-sums-means') && "+bar+"?.textContent.includes('The lesson was not in this chapter')")
	tab.press("f")
	tab.until("the lesson", "location.pathname.endsWith('/01-one-product') && "+bar+"?.dataset.state === 'following' && "+now+" > 0")
}

// askRoom asks the room something, and has the number that it answers.
const askRoom = `e2e.ask(%s).then(({ seq }) => seq)`

// untilReplayed waits until an example reads so, and returns how it does in the end.
func (tab *Tab) untilReplayed(id, want string) string {
	tab.t.Helper()
	got := ""
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if got = get[string](tab, "replayed.text(%s)", id); got == want {
			break
		}
	}
	return got
}

// shownScript reads what of an example a presenter and who watches see alike.
const shownScript = `globalThis.replayed = (() => {
	const hidden = '.widget-run, .lesson-note, .notice, .missing-devices, .step-more, .edit-tools, button';
	const text = (id) => {
		const parts = [];
		const walker = document.createTreeWalker(e2e.widget(id).querySelector('.widget-live'), NodeFilter.SHOW_ALL, (node) =>
			node.nodeType === Node.ELEMENT_NODE && (node.matches(hidden) || !node.checkVisibility()) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
		for (let node = walker.nextNode(); node; node = walker.nextNode()) {
			if (node.nodeType === Node.TEXT_NODE) parts.push(node.data);
			else if (node.matches?.('input:not([type=checkbox]), textarea')) parts.push('[' + node.value + ']');
		}
		// Who only watches is told of no key and no button.
		return parts.join(' ').replace(/\s+/g, ' ').replace(/Ctrl\+Enter runs (it|them too)\.|In a (lesson|replay) .*? (it|lesson’s)\.|(Edit the|The) (inputs|launch) /g, '').replace(/\s+/g, ' ').trim();
	};
	return {
		text,
		seek: (t) => {
			const slider = document.querySelector('.replay-slider');
			slider.value = String(t / 1000);
			for (const type of ['input', 'change']) slider.dispatchEvent(new Event(type, { bubbles: true }));
			return true;
		},
	};
})(), true`

// differs shows where one text is not the other.
func differs(got, want string) string {
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	cut := func(s string) string { return s[max(0, min(len(s), at)-80):min(len(s), at+160)] }
	return "… " + cut(got) + " …, want\n… " + cut(want) + " …"
}
