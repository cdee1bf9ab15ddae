package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/input"

	"workbench/web"
)

// A roomful is a room with a stage that drives it, and those who follow, each in a
// browser of their own.
type roomful struct {
	t     *testing.T
	site  *Site
	code  string
	stage *Tab
}

// openClass opens a room at a chapter, and its stage there.
func openClass(t *testing.T, bundle bool, chapter string) *roomful {
	t.Helper()
	o := options(bundle)
	o.Rooms = &web.RoomOptions{}
	site := serve(t, o)
	room, secret, err := site.server.Rooms().New(chapter)
	if err != nil {
		t.Fatal(err)
	}
	c := &roomful{t: t, site: site, code: room.Code(), stage: newTab(t, site)}
	c.stage.present(secret)
	c.stage.load("/rooms/" + c.code + "/stage/" + chapter)
	c.bar(c.stage, "You drive.")
	return c
}

// join lets somebody in, on a screen of that width.
func (c *roomful) join(width int64) *Tab {
	c.t.Helper()
	tab := newTab(c.t, c.site)
	tab.size(width, 740)
	tab.load("/join/" + c.code)
	c.bar(tab, "Following the lesson.")
	return tab
}

// bar waits until a page's bar says something, and its examples live.
func (c *roomful) bar(tab *Tab, words string) {
	c.t.Helper()
	tab.until("the bar to say "+words, "e2e.ready() && e2e.words(document.querySelector('.room-bar')).includes(%s)", words)
}

// ask sends what the desk would.
func (c *roomful) ask(body string) {
	c.t.Helper()
	get[int](c.stage, `e2e.ask(`+body+`).then(({ seq }) => seq)`)
}

// untilStep waits until an example shows a step, counted from 0 as the bar does.
func (c *roomful) untilStep(id string, step int, tabs ...*Tab) {
	c.t.Helper()
	for _, tab := range tabs {
		tab.until("the step", "e2e.state(%s).step === %s", id, step+1)
	}
}

// inFront is true where the first example stands at the top of a window.
const inFront = "((box) => box.top > -2 && box.top < innerHeight / 2)(e2e.widget('first-product').getBoundingClientRect())"

// TestClassFollows has two follow a stage that is driven by keys, one of them on a
// telephone: steps, text, the pointer, another chapter, and a connection that breaks.
func TestClassFollows(t *testing.T) {
	t.Parallel()
	c := openClass(t, false, "01-one-product")
	stage, phone, desk := c.stage, c.join(360), c.join(1100)

	stage.focusOn("first-product")
	stage.press("Home", "j", "j", "j")
	c.untilStep("first-product", 3, stage, phone, desk)
	want := stage.state("first-product")
	if want.Title == "" {
		t.Fatal("the stage shows no step")
	}
	for _, tab := range []*Tab{phone, desk} {
		if got := tab.state("first-product"); got.Title != want.Title || got.Sentence != want.Sentence {
			t.Errorf("a follower sees %+v, and the stage %+v", got, want)
		}
		// Of all the steps on the way, who listens is told where the lesson rests.
		tab.until("the step to be told", "[...document.querySelectorAll('.unseen[role=status]')].some((one) => e2e.words(one).endsWith(%s))", want.Title)
		tab.until("the example in front", inFront)
		if wide := get[int](tab, "document.scrollingElement.scrollWidth - innerWidth"); wide > 0 {
			t.Errorf("the page is %d px too wide", wide)
		}
	}

	// Who turns their telephone sees what they saw.
	for _, size := range [][2]int64{{740, 360}, {360, 740}} {
		phone.size(size[0], size[1])
		phone.until("the example in front of who turned their telephone", inFront)
	}

	// The pointer is at the same number, wherever that is on a screen.
	stage.press(".")
	const cell = `[...e2e.widget('first-product').querySelectorAll('.grid td')].find((one) => e2e.shown(one) && e2e.words(one) === '154')`
	at := get[[2]float64](stage, `(async (one) => {
		one.scrollIntoView({ block: 'center', behavior: 'instant' });
		let box = one.getBoundingClientRect();
		for (let still = 0; still < 5;) {
			await new Promise(requestAnimationFrame);
			const now = one.getBoundingClientRect();
			still = now.y === box.y ? still + 1 : 0;
			box = now;
		}
		return [box.x + box.width / 2, box.y + box.height / 2];
	})(`+cell+`)`)
	moveMouse(stage, at)
	phone.until("the pointer at its cell", `(() => {
		const dot = document.querySelector('.room-pointer');
		if (!e2e.shown(dot)) return false;
		const box = dot.getBoundingClientRect(), there = (`+cell+`).getBoundingClientRect();
		const x = box.x + box.width / 2, y = box.y + box.height / 2;
		return x > there.left && x < there.right && y > there.top && y < there.bottom;
	})()`)
	stage.press(".")
	phone.until("no pointer", "!e2e.shown(document.querySelector('.room-pointer'))")

	// What is done while there is no connection is shown when it is back.
	for _, tab := range []*Tab{stage, phone, desk} {
		tab.allow(refused)
		tab.listen()
	}
	c.site.cut()
	stage.focusOn("first-product")
	stage.press("j")
	c.untilStep("first-product", 4, stage, phone, desk)
	for _, tab := range []*Tab{stage, phone, desk} {
		tab.hears("Connected again.")
		tab.allow(nil)
	}

	stage.click("document.querySelector('.chapter-nav li:nth-child(2) a')")
	for _, tab := range []*Tab{phone, desk} {
		tab.until("the next chapter", "location.pathname === %s && e2e.ready()", "/rooms/"+c.code+"/chapters/02-rows-sums-means")
	}
	late := c.join(800)
	late.until("the chapter where the lesson is", "location.pathname.endsWith('/chapters/02-rows-sums-means')")
}

// TestFollowerWanders has a follower leave the lesson and come back, and be kept.
func TestFollowerWanders(t *testing.T) {
	t.Parallel()
	c := openClass(t, false, "01-one-product")
	phone := c.join(360)
	c.stage.focusOn("first-product")
	c.stage.press("Home", "j")
	c.untilStep("first-product", 1, phone)

	phone.listen()
	phone.focusOn("two-batches")
	phone.press("j")
	c.bar(phone, "On your own. The lesson is at: The whole product, then each of its four cells, step 1.")
	phone.hears("You are on your own now. To come back to the lesson, press f.")
	c.sight(phone)
	c.stage.press("j")
	c.bar(phone, "step 2.")
	c.untilStep("first-product", 1, phone)
	phone.press("f")
	c.untilStep("first-product", 2, phone)
	c.bar(phone, "Following the lesson.")
	phone.hears("Back at the lesson.")

	// A chapter of one's own; f leads back from there, too.
	phone.click("document.querySelector('.chapter-nav li:nth-child(3) a')")
	phone.until("another chapter", "location.pathname.endsWith('/chapters/03-views-and-packing')")
	c.bar(phone, "On your own. The lesson is at: One product by hand, step 2.")
	phone.press("f")
	phone.until("the lesson's chapter", "location.pathname.endsWith('/chapters/01-one-product')")
	c.bar(phone, "Following the lesson.")
	c.untilStep("first-product", 2, phone)

	for _, tab := range []*Tab{c.stage, phone} {
		tab.listen()
	}
	c.ask(`{ do: 'mode', mode: 'locked' }`)
	c.bar(phone, "Following, locked.")
	phone.focusOn("first-product")
	phone.press("End")
	c.bar(phone, "Your change was set back.")
	c.untilStep("first-product", 2, phone)
	phone.hears("The page is locked: it shows the lesson and nothing else, for now.")
	c.stage.hears("The class follows, locked.")

	c.ask(`{ do: 'mode', mode: 'free' }`)
	c.bar(phone, "Everybody works on their own.")
	phone.hears("Everybody works on their own now. To go to the lesson, press f.")
	c.stage.press("j")
	c.bar(phone, "step 3.")
	c.untilStep("first-product", 2, phone)
	c.ask(`{ do: 'mode', mode: 'follow' }`)
	c.untilStep("first-product", 3, phone)
	phone.hears("The presenter calls everybody back to the lesson.")

	c.ask(`{ do: 'end', share: true }`)
	c.bar(phone, "The lesson has ended.")
	phone.hears("The lesson has ended. It can be kept as one file.")
	if to := get[string](phone, "[...document.querySelectorAll('.room-bar a')].find(e2e.shown).getAttribute('href')"); to != "/rooms/"+c.code+"/lesson" {
		t.Errorf("the lesson is offered at %s", to)
	}
}

// TestFollowerSpeaks answers a poll, asks, and is lost, with the keyboard alone, and sees
// what the bar looks like at each.
func TestFollowerSpeaks(t *testing.T) {
	t.Parallel()
	course(t, true)
	c := openClass(t, true, "01-one-product")
	phone := c.join(360)
	c.ask(`{ do: 'poll', act: 'open', question: 'What is C[0,1]?', kind: 'choice', choices: ['58', '64', '139'], answer: '64' }`)
	c.bar(phone, "Poll: What is C[0,1]?")
	checkTree(t, phone, "a follower's page with a poll")
	c.sight(phone)
	get[bool](phone, "(document.querySelector('.room-poll input').focus(), true)")
	phone.press("Space", "ArrowDown", "Tab", "Enter")
	c.bar(phone, "Your answer: 64. Answered: 1. You can change it until it closes.")
	if counts := get[bool](c.stage, "e2e.shown(document.querySelector('.poll-counts'))"); counts {
		t.Error("the stage shows the answers before the presenter does")
	}
	c.ask(`{ do: 'poll', act: 'reveal' }`)
	for _, tab := range []*Tab{phone, c.stage} {
		tab.until("the answers", "e2e.shown(document.querySelector('.poll-counts')) && e2e.words(document.querySelector('.poll-counts [data-right]')).startsWith('64 ✓ right')")
	}
	for _, tab := range []*Tab{phone, c.stage} {
		tab.until("the chart", "e2e.shown(document.querySelector('.room-poll .chart svg'))")
		c.sight(tab)
	}
	phone.until("its own", "e2e.words(document.querySelector('.poll-counts [data-right]')).endsWith('yours1')")
	c.ask(`{ do: 'poll', act: 'clear' }`)
	phone.until("no poll", "!e2e.shown(document.querySelector('.room-poll'))")

	get[bool](phone, "(document.querySelector('.room-lost').focus(), true)")
	phone.press("Space", "Tab", "Enter")
	phone.until("the question's field", "document.activeElement.matches('.room-ask textarea')")
	checkNames(t, phone, "a question of who follows")
	phone.press("f", "?") // are letters here
	if text := get[string](phone, "document.activeElement.value"); text != "f?" {
		t.Errorf("f and ? write %q", text)
	}
	phone.press("Tab", "Tab", "Enter")
	phone.until("the question to be sent", "!document.querySelector('.room-ask').open")
	if pressed := get[string](phone, "document.querySelector('.room-lost').ariaPressed"); pressed != "true" {
		t.Errorf("who said that they are lost: %s", pressed)
	}
	c.ask(`{ do: 'unlost' }`)
	phone.until("to be found", "document.querySelector('.room-lost').ariaPressed === 'false'")
	get[bool](c.stage, "(document.querySelector('.room-help').click(), true)")
	c.stage.until("the help", "e2e.shown(document.querySelector('.room-bar ~ .help, .room-bar .help'))")
	checkTree(t, c.stage, "a stage and its keys")
	c.stage.press("Escape")
	c.stage.press(".")
	c.sight(c.stage)
	c.ask(`{ do: 'mode', mode: 'locked' }`)
	phone.untilBar("locked")
	phone.focusOn("first-product")
	phone.press("End")
	c.bar(phone, "Your change was set back.")
	c.sight(phone)

	for _, tab := range []*Tab{phone, c.stage} {
		tab.allow(refused)
	}
	if err := c.site.stop(); err != nil {
		t.Fatal(err)
	}
	c.bar(phone, "Not connected.")
	c.sight(phone)
}

// sight holds a bar to what can be read, hit with a finger, and leaves the page to be seen.
func (c *roomful) sight(tab *Tab) {
	c.t.Helper()
	for _, scheme := range schemes {
		tab.scheme(scheme)
		tab.settle()
		for _, fault := range get[[]string](tab, "e2e.contrast(document.querySelector('.room-bar'))") {
			c.t.Errorf("in %s: %s", scheme, fault)
		}
	}
	// 44 px where a finger is in a hurry, and the least of WCAG 2.2 elsewhere.
	const small = `[...document.querySelectorAll('.room-bar button, .room-bar a, .room-bar input[type=text], .poll-choice')].filter((one) => {
		const { top, bottom, height } = one.getBoundingClientRect();
		return e2e.shown(one) && (height < (innerWidth < 640 ? 44 : 24) || top < 0 || bottom > innerHeight);
	}).map((one) => ` + "`${e2e.words(one)}: ${JSON.stringify(one.getBoundingClientRect())}`" + `)`
	for _, one := range get[[]string](tab, small) {
		c.t.Errorf("too low for a finger, or out of the window: %s", one)
	}
	if part := get[float64](tab, "document.querySelector('.room-bar').getBoundingClientRect().height / innerHeight"); part > 0.71 {
		c.t.Errorf("the bar takes %.2f of the window", part)
	}
	if wide := get[int](tab, "document.scrollingElement.scrollWidth - innerWidth"); wide > 0 {
		c.t.Errorf("the page is %d px too wide", wide)
	}
}

func moveMouse(tab *Tab, at [2]float64) {
	tab.t.Helper()
	call(tab, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: "mouseMoved", X: at[0], Y: at[1]})
}
