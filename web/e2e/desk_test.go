package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"

	"workbench/web"
	"workbench/web/live"
)

// A deskRoom is a room of a site, with who presents it and who follows in browsers
// of their own.
type deskRoom struct {
	t    *testing.T
	site *Site
	code string
	desk *Tab
}

// openDesk opens a room at a chapter and its desk. The room is kept in no folder.
func openDesk(t *testing.T, bundle bool, chapter string) *deskRoom {
	t.Helper()
	return openDeskIn(t, bundle, chapter, "")
}

func openDeskIn(t *testing.T, bundle bool, chapter, dir string) *deskRoom {
	t.Helper()
	return openDeskOf(t, web.RoomOptions{Dir: dir}, bundle, chapter)
}

func openDeskOf(t *testing.T, rooms web.RoomOptions, bundle bool, chapter string) *deskRoom {
	t.Helper()
	return openDeskOn(t, rooms, bundle, chapter, 1280)
}

// openDeskOn opens a desk on a screen of that width.
func openDeskOn(t *testing.T, rooms web.RoomOptions, bundle bool, chapter string, width int64) *deskRoom {
	t.Helper()
	o := options(bundle)
	o.Rooms, o.Lessons = &rooms, rooms.Dir
	site := serve(t, o)
	room, secret, err := site.server.Rooms().New(chapter)
	if err != nil {
		t.Fatal(err)
	}
	l := &deskRoom{t: t, site: site, code: room.Code(), desk: newTab(t, site)}
	l.desk.size(width, 720)
	l.desk.present(secret)
	l.untilDesk(l.desk)
	if at := l.desk.location(); at != site.url("/rooms/"+l.code+"/desk") {
		t.Fatalf("the presenter's link leads to %s", at)
	}
	return l
}

func (l *deskRoom) untilDesk(tab *Tab) {
	l.t.Helper()
	tab.untilLive("open")
	tab.until("the room", "document.querySelector('.desk-chapter').textContent !== 'Asking the room …'")
}

// follower joins with a browser of their own, and waits until it is told where the lesson is.
func (l *deskRoom) follower() *Tab {
	l.t.Helper()
	tab := newTab(l.t, l.site)
	tab.load("/join/" + l.code)
	tab.until("the page to live", "e2e.ready()")
	tab.untilLive("open")
	return tab
}

// says waits until a part of the desk says something.
func (l *deskRoom) says(selector, words string) {
	l.t.Helper()
	l.desk.until(fmt.Sprintf("%s to say %q", selector, words), "e2e.words(document.querySelector(%s)).includes(%s)", selector, words)
}

// TestDesk leads a class with the keyboard alone: steps, a prediction, modes, the end.
func TestDesk(t *testing.T) {
	t.Parallel()
	l := openDesk(t, false, "01-one-product")
	desk := l.desk
	l.says("#notice", "Nobody follows yet.")
	class := l.follower()
	l.says(".desk-gauge", "1 follows")

	// Three presses move by three, whatever is under way.
	desk.press("j")
	l.says(".desk-count", "Step 2 of 0–7")
	desk.press("j", "ArrowRight", "j")
	l.says(".desk-count", "Step 5 of 0–7")
	l.says(".desk-step-title", "C[1, 0] = 4·7 + 5·9 + 6·11 = 139")
	class.until("the class at step 5", "e2e.state('first-product').step === 6") // counted from 1
	if got := class.state("first-product"); !strings.Contains(got.Title, "139") {
		t.Errorf("the class sees %+v", got)
	}
	desk.press("k", "k", "k")
	l.says("#notes", "Four cells, and none of them needed another.")
	l.says("#ahead", "C[0, 0] = 1·7 + 2·9 + 3·11 = 58")
	desk.press("k")
	l.says(".desk-note-ask", "What is C[0,1]?")
	l.says(".desk-answer", "64")

	// A question of the notes, with one press.
	desk.click("document.querySelector('.desk-note-ask button')")
	l.says(".desk-poll-open", "What is C[0,1]?")
	l.says(".desk-poll-open", "0 answers of 1. The poll is open.")
	desk.click("[...document.querySelectorAll('.desk-poll-open button')].find((one) => one.textContent === 'Close')")
	l.says(".desk-poll-open", "The poll is closed. The right answer is 64.")
	desk.press("c") // of the next step, since none is in front
	l.says(".desk-poll-open", "What is C[")

	// What is typed is no key, and what the room would refuse is said beside it.
	desk.click("[...document.querySelectorAll('.desk-poll-open button')].find((one) => one.textContent === 'Clear')")
	desk.until("the form", "document.activeElement.closest('.desk-poll-form')")
	desk.press("j", "m")
	if got := get[string](desk, "document.activeElement.value"); got != "jm" {
		t.Errorf("the question is %q after j and m", got)
	}
	get[bool](desk, "(document.querySelector('.desk-poll-form select').value = 'choice', document.querySelector('.desk-poll-form select').dispatchEvent(new Event('change')), true)")
	desk.press("Enter")
	l.says(".desk-poll-form .desk-fault", "Write two choices at least")
	if got := get[string](desk, "document.activeElement.tagName"); got != "TEXTAREA" {
		t.Errorf("the focus is at a %s after a mistake in the choices", got)
	}
	get[bool](desk, "(document.activeElement.blur(), true)")

	desk.press("m")
	desk.until("free mode", "document.querySelector('.desk-modes :checked')?.value === 'free'")
	desk.press("m", "m")
	desk.until("the class to follow", "document.querySelector('.desk-modes :checked')?.value === 'follow'")

	desk.click("document.querySelector('.desk-ending .desk-end')")
	desk.until("the question", "document.querySelector('.desk-ask').open")
	if got := get[string](desk, "document.activeElement.textContent"); got != "Go on teaching" {
		t.Errorf("before the end the focus is at %q", got)
	}
	checkNames(t, desk, "a desk that asks whether to end")
	desk.press("j") // what is behind the question is not moved
	desk.click("document.querySelector('.desk-ask .desk-end')")
	l.says("#notice", "This lesson has ended.")
	l.says("#ending", "Download the lesson")
	if got := get[string](desk, "document.querySelector('.desk-count').textContent"); !strings.HasPrefix(got, "Step 1 ") {
		t.Errorf("the lesson ended at %q", got)
	}
}

// TestDeskKeepsItsTimer starts the countdown and loads the page again.
func TestDeskKeepsItsTimer(t *testing.T) {
	t.Parallel()
	l := openDesk(t, false, "01-one-product")
	desk := l.desk
	desk.press("t")
	desk.until("the timer to run", "document.querySelector('.desk-left').textContent < '9:59' && document.querySelector('.desk-left').textContent !== '10:00'")
	desk.reload()
	if got := get[string](desk, "document.querySelector('.desk-timer').innerText"); !strings.Contains(got, "Stop") {
		t.Errorf("after a reload the timer says %q", got)
	}
	// As if its time were over.
	get[bool](desk, "(dispatchEvent(new StorageEvent('storage', { key: 'wb:desk:' + %s + ':timer', newValue: JSON.stringify({ minutes: 3, ends: Date.now() - 1000 }) })), true)", l.code)
	l.says(".desk-alarm", "Time is up: 3 min")
	if got := get[string](desk, "document.querySelector('.desk-alarm').getAttribute('role')"); got != "alert" {
		t.Errorf("the end of the timer is announced as %q", got)
	}
}

// TestDeskCanBeReadAndHeard holds the desk to what every page is held to: names for
// what a screen reader stops at, contrast, structure, and nothing beyond a phone's edge.
func TestDeskCanBeReadAndHeard(t *testing.T) {
	t.Parallel()
	l := openDesk(t, false, "01-one-product")
	desk := l.desk
	class := l.follower()
	if class.location() == "" {
		t.Fatal("nobody follows")
	}
	desk.press("j", "j")
	l.says(".desk-count", "Step 3 of 0–7")
	desk.press("c")
	l.says(".desk-poll-open", "What is C[0,0]?")
	get[bool](desk, `(() => {
		for (const details of document.querySelectorAll('details')) details.open = true;
		[...document.querySelectorAll('#presenters button')].find((one) => one.textContent.startsWith('Invite')).click();
		return true;
	})()`)
	desk.until("the invitation", "document.querySelector('.desk-link').textContent.includes('It works once')")
	if text := get[string](desk, "document.body.innerText"); strings.Contains(text, "/present/") {
		t.Error("a secret link is shown that nobody asked to see")
	}
	get[bool](desk, "([...document.querySelectorAll('.desk-link button')].find((one) => one.textContent === 'Show link').click(), true)")
	l.says(".desk-secret", "/present/")

	count := checkNames(t, desk, "the desk")
	for _, role := range []string{"banner", "main", "radio", "timer", "status", "button", "combobox", "heading"} {
		if count[role] == 0 {
			t.Errorf("the desk has nothing of the role %s: %v", role, count)
		}
	}
	for _, size := range []struct{ width, height int64 }{{1280, 720}, {360, 740}} {
		desk.size(size.width, size.height)
		checkContrast(t, desk, fmt.Sprintf("the desk, %d pixels wide,", size.width))
		if wide := get[int64](desk, "document.documentElement.scrollWidth"); wide > size.width {
			t.Errorf("the desk is %d pixels wide on a screen of %d", wide, size.width)
		}
		if small := get[[]string](desk, `[...document.querySelectorAll('.desk button, .desk select, .desk summary')].filter((one) => e2e.shown(one) && one.getBoundingClientRect().height < (innerWidth < 640 ? 44 : 24)).map((one) => one.outerHTML.slice(0, 80))`); len(small) > 0 {
			t.Errorf("too low for a finger: %q", small)
		}
	}

	// The page for the class is as large as the screen, and Escape leads back.
	desk.size(1280, 720)
	desk.press("s")
	desk.until("the door", "document.querySelector('#door').open")
	if got := get[string](desk, "e2e.words(document.querySelector('#door'))"); !strings.Contains(got, l.code) || !strings.Contains(got, "Only this computer reaches this address") {
		t.Errorf("the class is shown %q", got)
	}
	if box := get[[2]float64](desk, "(({ width, height }) => [width, height])(document.querySelector('#door svg.qr').getBoundingClientRect())"); box[0] < 300 || box[0] != box[1] {
		t.Errorf("the QR code has %v pixels", box)
	}
	desk.press("Escape")
	desk.until("the desk again", "!document.querySelector('#door').open")
}

// TestDeskAndStage steps a chapter from the desk and from the stage, which are two
// windows of one presenter.
func TestDeskAndStage(t *testing.T) {
	t.Parallel()
	l := openDeskOf(t, web.RoomOptions{Addresses: []string{"http://192.168.1.20:8080", "http://10.0.0.20:8080"}}, false, "01-one-product")
	desk := l.desk
	desk.press("j", "j")
	l.says(".desk-count", "Step 3 of 0–7")
	stage := desk.twin()
	stage.load(get[string](desk, "new URL([...document.querySelectorAll('a')].find((one) => one.textContent === 'Open the stage').href).pathname"))
	stage.until("the page to live", "e2e.ready()")
	stage.until("the step of the desk", "e2e.state('first-product').step === 4") // counted from 1
	desk.press("j")
	stage.until("the next one", "e2e.state('first-product').step === 5")
	stage.focusOn("first-product")
	stage.press("j")
	l.says(".desk-count", "Step 5 of 0–7")
	desk.press("k")
	stage.until("the one before", "e2e.state('first-product').step === 5")

	// How to join, as large as the stage: from the stage, and from the desk.
	stage.press("q")
	stage.until("the door", "document.querySelector('#door').open && e2e.words(document.querySelector('#door')).includes(%s)", "192.168.1.20:8080/join Code "+l.code)
	if size := get[float64](stage, "document.querySelector('#door svg.qr').getBoundingClientRect().width"); size < 400 {
		t.Errorf("the QR code on the stage is %v pixels wide", size)
	}
	if count := checkNames(t, stage, "a stage that shows how to join"); count["dialog"] != 1 || count["image"] != 1 || count["combobox"] != 1 {
		t.Errorf("a stage that shows how to join has %v", count)
	}
	l.says("#show-door", "Show the lesson again")
	stage.press("q")
	stage.until("the lesson", "!document.querySelector('#door').open")
	desk.listen()
	desk.press("s")
	stage.until("the door", "document.querySelector('#door').open")
	desk.hears("The stage shows how to join.")
	desk.press("s")
	stage.until("the lesson", "!document.querySelector('#door').open")
	if get[bool](desk, "document.querySelector('#door').open") {
		t.Error("the desk shows what the stage shows")
	}

	// What the preview shows is what the next press brings: a step, beyond the last one the
	// next example, and from the text the example below.
	l.bringsAhead(stage, "first-product", 5)
	desk.press("End")
	l.says(".desk-count", "Step 7 of 0–7")
	l.bringsAhead(stage, "two-batches", 12)
	l.says(".desk-count", "Two products in one request")
	// The text after it; what the desk has still under way may come later, so once more then.
	after := get[int](stage, "[...document.querySelectorAll('.prose > *')].indexOf(e2e.widget('two-batches')) + 1")
	for deadline := time.Now().Add(patience); !get[bool](desk, `e2e.ask({ do: 'drive', lease: 1, chapter: '01-one-product', at: { block: %s } })
		.then(() => e2e.words(document.querySelector('.desk-count')) === 'The text of the chapter')`, after); {
		if time.Now().After(deadline) {
			t.Fatal("the desk does not come to the text")
		}
	}
	l.bringsAhead(stage, "outer-product", 10)
	l.bringsAhead(stage, "outer-product", 11)
	// What happens in it goes nowhere: the room hears it before what is pressed next.
	l.desk.until("the preview of step 12", readsAhead+"("+inPreview+", %s, 12)", "outer-product")
	get[bool](desk, "((win) => win.e2e.find('outer-product', '.stage').dispatchEvent(new win.KeyboardEvent('keydown', { key: 'Home', bubbles: true })) || true)("+inPreview+")")
	l.desk.until("the preview to be elsewhere", readsAhead+"("+inPreview+", %s, 0)", "outer-product")
	desk.press("j")
	l.says(".desk-count", "Step 12 of")

	// Any chapter is a choice away.
	l.pick("02-rows-sums-means", "mean-of-three")
	l.says(".desk-chapter", "2. ")
	stage.until("the other chapter", "location.pathname.endsWith('/02-rows-sums-means') && e2e.ready()")
	l.says("#ahead", get[string](desk, "(({ step = 0, steps }) => steps[step + 1].title)(JSON.parse(document.querySelector('#course').textContent).chapters[1].widgets.find((one) => one.id === 'mean-of-three'))"))
	l.bringsAhead(stage, "mean-of-three", 3)
	l.pick("07-product-in-three-versions", "tiled")
	stage.until("the chapter of kernels", "location.pathname.endsWith('/07-product-in-three-versions') && e2e.ready()")
	l.bringsAhead(stage, "tiled", 84)
	l.pick("07-product-in-three-versions", tilesID)
	l.bringsAhead(stage, tilesID, "0")
	l.bringsAhead(stage, tilesID, "1")

	// An example without steps is one that the next press comes to as well.
	l.pick("07-product-in-three-versions", "by-strides")
	desk.press("End")
	desk.until("the preview of the ladder", "e2e.shown(("+inPreview+").document.querySelector('#ladder .widget-live'))")
	desk.press("j")
	l.says(".desk-count", get[string](stage, "e2e.words(e2e.widget('ladder').querySelector('figcaption, .widget-title')).slice(0, 20)"))
}

// readsAhead is what is read of an example in a window, once it is at a step, or a phase:
// what it is called and made of, and all that stands on its stage.
const readsAhead = `(({ e2e, document: { body } }, id, at) => {
	if (!e2e?.ready() || !e2e.widget(id) || !e2e.rests(id) || !e2e.shown(e2e.find(id, '.stage'))) return null;
	const { step, phase = step } = e2e.widget(id).view.place;
	if (phase !== at) return null;
	const { title, device, marked, source } = e2e.reads(id);
	return { title, device, marked, source, stage: e2e.find(id, '.stage').innerText.replace(/\s+/g, ' ').trim() };
})`

const inPreview = "document.querySelector('.desk-frame').contentWindow"

// bringsAhead holds the preview to what the stage shows after the next press: an example
// at a step, or a phase.
func (l *deskRoom) bringsAhead(stage *Tab, id string, at any) {
	l.t.Helper()
	l.desk.until(fmt.Sprintf("the preview of %s at %v", id, at), readsAhead+"("+inPreview+", %s, %s)", id, at)
	ahead := get[json.RawMessage](l.desk, readsAhead+"("+inPreview+", %s, %s)", id, at)
	if front := get[[]string](l.desk, "[...("+inPreview+").document.querySelectorAll('.prose > *')].filter((one) => one.checkVisibility()).map((one) => one.id)"); !slices.Equal(front, []string{id}) {
		l.t.Errorf("beside %s the preview shows %q", id, front)
	}
	l.desk.press("j")
	stage.until(fmt.Sprintf("%s at %v", id, at), readsAhead+"(window, %s, %s)", id, at)
	stage.until(id+" in sight", "((box) => box.top > -2 && box.top < innerHeight / 2)(e2e.widget(%s).getBoundingClientRect())", id)
	if got := get[json.RawMessage](stage, readsAhead+"(window, %s, %s)", id, at); string(got) != string(ahead) {
		l.t.Errorf("after the press, %s at %v reads on the stage, unlike ahead,\n%s", id, at, differs(string(got), string(ahead)))
	}
}

// pick goes to an example by the desk's form.
func (l *deskRoom) pick(chapter, id string) {
	l.t.Helper()
	get[bool](l.desk, `((chapter, id) => {
		document.querySelector('.desk-elsewhere').open = true;
		const [chapters, examples] = document.querySelectorAll('.desk-picker select');
		chapters.value = chapter;
		chapters.dispatchEvent(new Event('change'));
		examples.value = id;
		examples.dispatchEvent(new Event('change'));
		return true;
	})(%s, %s)`, chapter, id)
	l.desk.click("document.querySelector('.desk-picker button')")
}

// TestTheWheelChangesHands has a second presenter come by the link of an invitation, who
// drives nothing until they get the wheel, gives it back, and gets it again when the
// first one vanishes. Who follows sees what the one does who has it.
func TestTheWheelChangesHands(t *testing.T) {
	t.Parallel()
	l := openDeskOf(t, web.RoomOptions{Limits: live.Limits{Grace: 200 * time.Millisecond}}, false, "01-one-product")
	first, class := l.desk, l.follower()
	first.press("j")
	class.until("the class to follow", "e2e.state('first-product').step === 3")
	l.says(".desk-wheel", "You have the wheel.")
	first.click("[...document.querySelectorAll('#presenters button')].find((one) => one.textContent.startsWith('Invite'))")
	first.until("the invitation", "[...document.querySelectorAll('.desk-link button')].some((one) => one.textContent === 'Show link')")
	first.click("[...document.querySelectorAll('.desk-link button')].find((one) => one.textContent === 'Show link')")
	link := get[string](first, "document.querySelector('.desk-secret').textContent")

	// The invitation is clicked in a chat, which is another site's page.
	chat := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!DOCTYPE html><title>Chat</title><link rel="icon" href="data:,"><a href="%s">Present with me</a>`, link)
	}))
	defer chat.Close()
	second := newTab(t, l.site)
	second.allow(func(fault string) bool { return strings.Contains(fault, "http://localhost:") })
	elsewhere := strings.Replace(chat.URL, "127.0.0.1", "localhost", 1)
	call(second, page.Navigate, page.NavigateParams{URL: elsewhere})
	second.until("the chat", "document.readyState === 'complete'")
	second.click("document.querySelector('a')")
	l.untilDesk(second)
	second.allow(nil)
	first.until("the link, which is used, to be gone", "document.querySelector('.desk-link').hidden")
	if been := get[[]string](second, "navigation.entries().map(({ url }) => new URL(url).pathname)"); !slices.Equal(been, []string{"/rooms/" + l.code + "/desk"}) {
		t.Errorf("the history of who came by a link has %q", been)
	}
	second.until("who has the wheel", "document.querySelector('.desk-wheel').textContent === 'Presenter 1 has the wheel.'")
	second.press("j")
	second.until("the refusal", "e2e.words(document.querySelector('.desk-passing')).includes('Presenter 1 has the wheel. Ask for it first.')")
	stage := second.twin()
	stage.load("/rooms/" + l.code + "/stage/01-one-product")
	stage.untilBar("locked")
	stage.until("the step of the class", "e2e.state('first-product').step === 3")
	stage.focusOn("first-product")
	stage.press("j", "j")
	stage.until("the refusal", "e2e.words(document.querySelector('.room-said')).startsWith('Another presenter has the wheel') && e2e.state('first-product').step === 3")

	for _, tab := range []*Tab{first, second, stage} {
		tab.listen()
	}
	checkTree(t, stage, "a stage without the wheel")
	second.press("w")
	l.says("#notice", "Presenter 2 asks for the wheel.")
	first.hears("Presenter 2 asks for the wheel.")
	first.click("document.querySelector('.desk-lasting button')")
	l.says("#notice", "Presenter 2 has the wheel now.")
	second.until("the wheel", "document.querySelector('.desk-wheel').textContent === 'You have the wheel.'")
	stage.untilBar("drives")
	for _, tab := range []*Tab{second, stage} {
		tab.hears("You have the wheel: the class sees what you do.")
	}
	first.hears("Presenter 2 has the wheel now.")
	second.press("j")
	class.until("the step of the second", "e2e.state('first-product').step === 4")
	stage.focusOn("first-product")
	stage.press("j")
	class.until("the step of the second's stage", "e2e.state('first-product').step === 5")
	l.says(".desk-count", "Step 4 of 0–7")
	if got := get[bool](first, "document.querySelector('.desk-next').getAttribute('aria-disabled') === 'true'"); !got {
		t.Error("Next is offered to a presenter who has not the wheel")
	}

	second.click("[...document.querySelectorAll('#presenters button')].find((one) => one.getAttribute('aria-label') === 'Give the wheel to Presenter 1')")
	l.says(".desk-wheel", "You have the wheel.")
	first.press("k")
	class.until("the step of the first", "e2e.state('first-product').step === 4")
	stage.untilBar("locked")
	stage.hears("Another presenter has the wheel now.")
	second.hears("Presenter 1 has the wheel now.")

	// Whoever vanishes with the wheel keeps it no longer than it takes to come back.
	call(first, page.Navigate, page.NavigateParams{URL: "about:blank"})
	stage.click("[...document.querySelectorAll('.room-bar button')].find((one) => one.textContent === 'Take the wheel')")
	stage.untilBar("drives")
	stage.focusOn("first-product")
	stage.press("j")
	class.until("the step of who is left", "e2e.state('first-product').step === 5")
	get[bool](first, "(setTimeout(() => history.back()), true)") // the answer comes before it
	l.says(".desk-wheel", "Presenter 2 has the wheel.")
	l.says(".desk-count", "Step 4 of 0–7")

	// The link holds once. Who used it finds the desk again by it, and anybody else learns why and what to do.
	third := newTab(t, l.site)
	for _, tab := range []*Tab{second, third} {
		tab.allow(func(fault string) bool { return strings.Contains(fault, "403") })
		tab.load(strings.TrimPrefix(link, l.site.url("")))
		if title := get[string](tab, "document.title"); !strings.HasPrefix(title, "This link was used already") {
			t.Errorf("a used link leads to %q", title)
		}
		checkTree(t, tab, "/present, used")
		tab.click("document.querySelector('main a[href$=desk]')")
	}
	l.untilDesk(second)
	third.until("what to do", "document.title.startsWith('This is the presenter’s') && e2e.words(document.querySelector('main')).includes('./course present')")
}

// TestDeskAfterARestart stops the server under a desk. A room that is kept goes on at
// its step; of one that is not the desk says that it is gone, and asks no more.
func TestDeskAfterARestart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		kept bool
	}{{"kept", true}, {"forgotten", false}} {
		t.Run(c.name, func(t *testing.T) {
			dir := ""
			if c.kept {
				dir = t.TempDir()
			}
			l := openDeskIn(t, false, "01-one-product", dir)
			desk := l.desk
			desk.press("j", "j")
			l.says(".desk-count", "Step 3 of 0–7")
			desk.until("the preview", "document.querySelector('.desk-frame').contentDocument?.documentElement.dataset.room === 'preview'")
			desk.allow(func(fault string) bool { return refused(fault) || strings.Contains(fault, "404") })
			if err := l.site.stop(); err != nil {
				t.Fatal(err)
			}
			l.says("#notice", "There is no connection to the workbench.")
			desk.listen()
			desk.press("j")
			l.says("#notice", "That did not go out")
			if err := l.site.begin(); err != nil {
				t.Fatal(err)
			}
			get[bool](desk, "([...document.querySelectorAll('.live-state button')].forEach((one) => one.click()), true)")
			if !c.kept {
				l.says("#notice", "The workbench does not know this room any more.")
				l.says(".desk-step-title", "C[0, 0]") // what is there can still be read
				return
			}
			l.untilDesk(desk)
			desk.press("j")
			l.says(".desk-count", "Step 4 of 0–7")
			desk.hears("Connected again.")
		})
	}
}
