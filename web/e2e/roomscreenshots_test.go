package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"workbench/web"
	"workbench/web/live"
)

// An album takes pictures of the pages of rooms: what a window shows, since their bars
// stand at its foot.
type album struct {
	t      *testing.T
	folder string
}

var (
	telephone = [2]int64{360, 740}
	laptop    = [2]int64{1024, 768} // at a lectern
	projector = [2]int64{1920, 1080}
)

// take takes a page in light and dark, at each size.
func (a *album) take(tab *Tab, name string, sizes ...[2]int64) {
	a.t.Helper()
	for _, size := range sizes {
		for _, scheme := range schemes {
			tab.size(size[0], size[1])
			tab.scheme(scheme)
			a.save(tab, fmt.Sprintf("%s %d %s", name, size[0], scheme))
		}
	}
}

// plain takes a page as somebody has it whose system chooses all colours.
func (a *album) plain(tab *Tab, name string, size [2]int64) {
	a.t.Helper()
	tab.size(size[0], size[1])
	call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "forced-colors", Value: "active"}, {Name: "prefers-color-scheme", Value: "dark"}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	a.save(tab, fmt.Sprintf("%s %d forced", name, size[0]))
	call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "forced-colors", Value: "none"}}})
	tab.settle()
}

func (a *album) save(tab *Tab, name string) {
	a.t.Helper()
	tab.settle()
	tab.settle() // a chart takes the colours of its theme a frame later
	tab.window(filepath.Join(a.folder, "room "+name+".png"))
}

// TestRoomScreenshots writes pictures of the pages of rooms for people to look at, and
// asserts nothing beyond what every test does. It runs only where it is asked for.
func TestRoomScreenshots(t *testing.T) {
	t.Parallel()
	folder := os.Getenv(pictures)
	if folder == "" {
		t.Skip("set " + pictures + " to a folder to have pictures written there")
	}
	course(t, true)
	// Each subject has a site of its own, and all may be chosen by name.
	for _, c := range []struct {
		name string
		take func(t *testing.T, a *album)
	}{{"door", doorAlbum}, {"class", classAlbum}, {"desk", deskAlbum}, {"replays", replaysAlbum}} {
		t.Run(c.name, func(t *testing.T) { c.take(t, &album{t, folder}) })
	}
}

// doorAlbum has the pages on the way into a room.
func doorAlbum(t *testing.T, a *album) {
	c := openClass(t, true, "01-one-product")
	tab := newTab(t, c.site)
	both := [][2]int64{telephone, projector}
	tab.load("/join")
	a.take(tab, "join", both...)
	a.plain(tab, "join", telephone)
	tab.allow(func(fault string) bool { return strings.Contains(fault, "40") || strings.Contains(fault, "429") })
	for name, path := range map[string]string{
		"join wrong": "/join?code=AAAAAA", "join mistyped": "/join?code=K0QM2X", "used link": "/present/none", "refused": "/rooms/" + c.code + "/desk", "no room": "/rooms/AAAAAA/chapters/01-one-product",
	} {
		tab.load(path)
		a.take(tab, name, both...)
	}
	tab.load("/")
	a.take(tab, "contents", both...)
	tab.load("/chapters/01-one-product")
	a.take(tab, "present button", both...)
}

// classAlbum has what a class and a stage see.
func classAlbum(t *testing.T, a *album) {
	c := openClass(t, true, "01-one-product")
	both := [][2]int64{telephone, projector}
	page := c.join(360)
	a.take(c.stage, "stage", telephone, laptop, projector)
	c.stage.size(1280, 900)
	c.stage.focusOn("first-product")
	c.stage.press("Home", "j", "j")
	c.untilStep("first-product", 2, page)
	a.take(page, "following", both...)
	a.plain(page, "following", telephone)
	page.focusOn("first-product")
	page.press("j")
	c.bar(page, "On your own.")
	a.take(page, "on one's own", both...)
	c.ask(`{ do: 'mode', mode: 'free' }`)
	c.bar(page, "Everybody works on their own.")
	a.take(page, "free", both...)
	c.ask(`{ do: 'mode', mode: 'locked' }`)
	c.bar(page, "Following, locked.")
	a.take(page, "locked", both...)
	page.focusOn("first-product")
	page.press("End")
	c.bar(page, "Your change was set back.")
	a.take(page, "set back", both...)
	c.ask(`{ do: 'mode', mode: 'follow' }`)
	c.bar(page, "Following the lesson.")
	get[bool](page, "(document.querySelector('.room-lost').click(), true)")
	a.take(page, "lost", both...)

	c.ask(`{ do: 'poll', act: 'open', question: 'What is C[0,1]?', kind: 'number', answer: '64' }`)
	c.bar(page, "Poll: What is C[0,1]?")
	a.take(page, "poll", both...)
	a.take(c.stage, "stage poll", telephone, projector)
	page.write("document.querySelector('.room-poll input')", "64")
	page.press("Enter")
	c.bar(page, "Your answer: 64.")
	a.take(page, "poll answered", both...)
	c.ask(`{ do: 'poll', act: 'reveal' }`)
	page.until("the answers", "e2e.shown(document.querySelector('.poll-counts'))")
	a.take(page, "poll revealed", both...)
	a.plain(page, "poll revealed", telephone)
	a.take(c.stage, "stage poll revealed", telephone, laptop, projector)
	c.ask(`{ do: 'poll', act: 'clear' }`)
	c.ask(`{ do: 'poll', act: 'open', question: 'Which of the two products in this request needs the larger number of additions, if the additions of zeros are counted too?', kind: 'choice', choices: ['The first', 'The second one, since its rows are longer than those of the first', 'Both need the same', 'It depends on the device'], answer: 'Both need the same' }`)
	c.bar(page, "Poll: Which of")
	a.take(page, "poll of choices", both...)
	a.take(c.stage, "stage poll of choices", laptop, projector)
	get[bool](page, "(document.querySelector('.room-poll input').click(), document.querySelector('.poll-form button').click(), true)")
	c.bar(page, "Your answer: The first.")
	c.ask(`{ do: 'poll', act: 'reveal' }`)
	page.until("the answers", "e2e.shown(document.querySelector('.poll-counts'))")
	a.take(page, "poll of choices revealed", both...)
	a.take(c.stage, "stage poll of choices revealed", laptop, projector)
	c.ask(`{ do: 'poll', act: 'clear' }`)

	get[bool](page, "([...document.querySelectorAll('.room-bar button')].find((one) => one.textContent.startsWith('Ask')).click(), true)")
	page.until("the question's field", "document.activeElement.matches('.room-ask textarea')")
	page.write("document.activeElement", "Why is it 64 and not 58? I see two rows.")
	a.take(page, "question", both...)
	page.press("Escape")
	get[bool](page, "([...document.querySelectorAll('.room-bar .room-help')][0].click(), true)")
	a.take(page, "keys", both...)
	page.press("Escape")

	c.stage.size(1920, 1080)
	c.stage.press(".")
	const cell = `[...e2e.widget('first-product').querySelectorAll('.grid td')].find((one) => e2e.shown(one) && e2e.words(one) === '154')`
	at := get[[2]float64](c.stage, `((one) => {
		one.scrollIntoView({ block: 'center', behavior: 'instant' });
		const box = one.getBoundingClientRect();
		return [box.x + box.width / 2, box.y + box.height / 2];
	})(`+cell+`)`)
	moveMouse(c.stage, at)
	page.until("the pointer", "e2e.shown(document.querySelector('.room-pointer'))")
	c.stage.settle()
	a.save(c.stage, "stage pointer 1920 light")
	a.save(page, "pointer 1920")
	c.stage.press(".")

	for _, tab := range []*Tab{page, c.stage} {
		tab.allow(refused)
	}
	if err := c.site.stop(); err != nil {
		t.Fatal(err)
	}
	c.bar(page, "Not connected.")
	a.take(page, "not connected", both...)
	a.take(c.stage, "stage not connected", laptop, projector)
	if err := c.site.begin(); err != nil {
		t.Fatal(err)
	}
}

// deskAlbum has the presenter's desk, from before a class to its end.
func deskAlbum(t *testing.T, a *album) {
	l := openDeskIn(t, true, "01-one-product", t.TempDir())
	desk := l.desk
	all := [][2]int64{telephone, laptop, projector}
	l.says("#notice", "Nobody follows yet.")
	a.take(desk, "desk before", all...)
	class := []*Tab{l.follower(), l.follower(), l.follower(), l.follower()}
	bar := func(tab *Tab, words string) {
		tab.until("the bar to say "+words, "e2e.ready() && e2e.words(document.querySelector('.room-bar')).includes(%s)", words)
	}
	desk.size(1280, 720)
	desk.press("j")
	l.says(".desk-count", "Step 2 of")
	class[0].focusOn("two-batches")
	class[0].press("j")
	bar(class[0], "On your own.")
	get[bool](class[1], "(document.querySelector('.room-lost').click(), true)")
	l.says(".desk-gauge", "lost")
	desk.press("t")
	desk.settle()
	a.take(desk, "desk during", all...)
	a.plain(desk, "desk during", laptop)
	a.plain(desk, "desk during", telephone)
	for i, text := range []string{"Why 64 and not 58?", "What is a request? The chapter says the word, and it is not in the list of words at the beginning, or I did not find it there."} {
		get[int](class[1+i], `e2e.ask({ do: 'question', text: %s }).then(() => 1)`, text)
	}
	l.says("#questions", "What is a request?")
	desk.size(1280, 720)
	desk.press("c")
	l.says(".desk-poll-open", "What is C[")
	a.take(desk, "desk poll open", all...)
	for i, answer := range []string{"64", "64", "58", "65"} {
		get[int](class[i], `e2e.ask({ do: 'answer', poll: 1, text: %s }).then(() => 1)`, answer)
	}
	l.says(".desk-poll-open", "4 answers")
	a.take(desk, "desk poll answered", all...)
	a.whole(desk, "desk poll answered")
	get[bool](desk, `([...document.querySelectorAll('#presenters button')].find((one) => one.textContent.startsWith('Invite')).click(), true)`)
	desk.until("the invitation", "[...document.querySelectorAll('.desk-link button')].some((one) => one.textContent === 'Show link')")
	get[bool](desk, "([...document.querySelectorAll('.desk-link button')].find((one) => one.textContent === 'Show link').click(), true)")
	link := get[string](desk, "document.querySelector('.desk-secret').textContent")
	a.take(desk, "desk invites", all...)
	second := newTab(t, l.site)
	second.size(1024, 768)
	second.load(strings.TrimPrefix(link, l.site.url("")))
	l.untilDesk(second)
	second.press("w")
	l.says("#notice", "asks for the wheel.")
	a.take(desk, "desk asked for the wheel", all...)
	a.take(second, "desk of a second presenter", all...)
	get[bool](desk, `(() => {
		for (const details of document.querySelectorAll('details')) details.open = true;
		return true;
	})()`)
	a.take(desk, "desk open", all...)
	a.whole(desk, "desk open")
	get[bool](desk, `(dispatchEvent(new StorageEvent('storage', { key: 'wb:desk:' + %s + ':timer', newValue: JSON.stringify({ minutes: 3, ends: Date.now() - 1000 }) })), true)`, l.code)
	l.says(".desk-alarm", "Time is up")
	a.take(desk, "desk time is up", all...)
	desk.size(1280, 720)
	desk.press("s")
	a.take(desk, "desk door", all...)
	desk.press("Escape", "?")
	a.take(desk, "desk keys", all...)
	desk.press("Escape")
	desk.click("document.querySelector('.desk-ending .desk-end')")
	a.take(desk, "desk asks", all...)
	desk.click("document.querySelector('.desk-ask .desk-end')")
	l.says("#notice", "This lesson has ended.")
	a.take(desk, "desk ended", all...)
	a.take(class[0], "ended", telephone, projector)
	class[1].load("/replays")
	a.take(class[1], "replays kept", telephone, projector)
}

// whole takes all that is in columns which are scrolled by themselves.
func (a *album) whole(tab *Tab, name string) {
	a.t.Helper()
	tab.size(1024, 2400)
	a.save(tab, name+" whole")
}

// replaysAlbum has a lesson that was saved.
func replaysAlbum(t *testing.T, a *album) {
	both := [][2]int64{telephone, projector}
	given := teach(t, "01-one-product")
	site := serve(t, func() web.Options { o := options(true); o.Rooms = &web.RoomOptions{}; return o }())
	tab := newTab(t, site)
	tab.load("/replays")
	a.take(tab, "replays", both...)
	tab.allow(func(fault string) bool { return strings.Contains(fault, "400") })
	choose(tab, bytes.Replace(given.file, given.file[40:60], make([]byte, 20), 1))
	tab.until("what is wrong", "document.querySelector('[role=alert]')?.textContent.includes('The file was not taken')")
	a.take(tab, "replays bad file", both...)
	lesson, err := live.ReadLessonFile(bytes.NewReader(given.file))
	if err != nil {
		t.Fatal(err)
	}
	path, err := site.server.AddReplay(lesson)
	if err != nil {
		t.Fatal(err)
	}
	tab.load("/replays")
	a.take(tab, "replays loaded", both...)
	tab.open(path)
	tab.until("the replay", "document.querySelector('.replay-bar')")
	get[bool](tab, shownScript)
	a.take(tab, "replay", both...)
	get[bool](tab, "replayed.seek(%s)", given.moments[len(given.moments)/2].t)
	a.take(tab, "replay inside", both...)
	a.plain(tab, "replay inside", telephone)
	get[bool](tab, "([...document.querySelectorAll('.replay-bar button')].find((one) => one.textContent.includes('Contents') || one.popoverTargetElement)?.click(), true)")
	a.take(tab, "replay list", both...)
	tab.press("Escape")
	tab.focusOn(given.moments[0].id)
	tab.press("Home", "j")
	tab.until("the replay to wait", "document.querySelector('.replay-bar').dataset.state === 'free'")
	a.take(tab, "replay wandering", both...)
	get[bool](tab, "replayed.seek(1e9)")
	a.take(tab, "replay end", both...)
}
