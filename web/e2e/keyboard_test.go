package e2e

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// mostStops bounds how often Tab is pressed to get from one example to the
// next: a reader gives up earlier.
const mostStops = 120

// TestChaptersByKeyboard goes through every chapter with the keyboard alone:
// Tab from example to example, and in each the shortcut keys from the first
// step to the last. The step, its title and the address follow every key.
func TestChaptersByKeyboard(t *testing.T) {
	t.Parallel()
	long(t)
	for _, b := range bundles {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			site := course(t, b.present)
			for _, slug := range site.server.Chapters() {
				// Without the bundle formulas and sources are other elements, of which these have all.
				if !b.present && slug != "01-one-product" && slug != "07-product-in-three-versions" {
					continue
				}
				t.Run(slug, func(t *testing.T) {
					t.Parallel()
					tab := newTab(t, site)
					tab.open("/chapters/" + slug)
					for _, id := range tab.widgets() {
						if get[bool](tab, "!e2e.find(%s, '.stage')", id) {
							continue // a table with controls, which are on the way to the next
						}
						tab.tabTo(id)
						if get[bool](tab, "Boolean(e2e.find(%s, '.stepbar') && e2e.data(%s).trace)", id, id) {
							stepThrough(t, tab, slug, id)
						}
					}
					checkFormulas(t, tab, b.present)
				})
			}
		})
	}
}

// tabTo presses Tab until the stage of an example has the focus. Everything
// that has it on the way must show that it has.
func (tab *Tab) tabTo(id string) {
	tab.t.Helper()
	type stop struct {
		Widget, Class, Tag, Text string
		Seen                     bool
	}
	var last stop
	for range mostStops {
		tab.press("Tab")
		last = get[stop](tab, `(() => {
			const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(document.activeElement);
			return { ...e2e.focus(), seen: (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none' };
		})()`)
		if !last.Seen {
			tab.t.Errorf("nothing shows that %s.%s %q has the focus", last.Tag, last.Class, last.Text)
		}
		if last.Widget == id && last.Class == "stage" {
			return
		}
	}
	tab.t.Fatalf("%d presses of Tab do not lead to the stage of %s: the focus is on %s.%s of %q", mostStops, id, last.Tag, last.Class, last.Widget)
}

// stepThrough goes from the first step to the last, back by one, and to both
// ends at once.
func stepThrough(t *testing.T, tab *Tab, slug, id string) {
	t.Helper()
	titles := get[[]string](tab, "e2e.data(%s).trace.steps.map((step) => step.title)", id)
	device := get[string](tab, "e2e.data(%s).device", id)
	at := func(key string, step int) {
		t.Helper()
		tab.press(key)
		s := tab.state(id)
		if s.Step != step+1 || s.Steps != len(titles) || s.Title != words(titles[step]) {
			t.Fatalf("%s after %s: step %d of %d, %q; want %d of %d, %q", id, key, s.Step, s.Steps, s.Title, step+1, len(titles), titles[step])
		}
		checkAddress(t, s.URL, "/chapters/"+slug, url.Values{"widget": {id}, "step": {strconv.Itoa(step)}, "device": {device}})
	}
	last := len(titles) - 1
	tab.press("End")
	at("Home", 0)
	forth := []string{"j", "ArrowRight", "ArrowRight", "ArrowRight"} // a letter takes the browser longer
	for step := 1; step <= last; step++ {
		at(forth[step%4], step)
	}
	at("ArrowRight", last) // there is no step after the last
	at("k", last-1)
	at("ArrowLeft", max(0, last-2))
	at("End", last)
	at("Home", 0)
}

// checkAddress holds an address against a place; a chosen cell may be in it
// as well.
func checkAddress(t *testing.T, address, path string, want url.Values) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	for name, values := range want {
		if query.Get(name) != values[0] {
			t.Fatalf("the address %s has %s = %q, want %q", address, name, query.Get(name), values[0])
		}
	}
	if u.Path != path || u.Fragment != want.Get("widget") {
		t.Fatalf("the address %s should be %s with #%s", address, path, want.Get("widget"))
	}
}

// checkFormulas holds formulas to be MathML where the bundle is, and TeX to
// read where it is not.
func checkFormulas(t *testing.T, tab *Tab, bundle bool) {
	t.Helper()
	const visible = "(selector) => [...document.querySelectorAll(selector)].filter(e2e.shown).length"
	if bundle {
		tab.until("the formulas", "("+visible+")('math') > 0 && ("+visible+")('code.tex') === 0")
		return
	}
	math, tex := get[int](tab, "("+visible+")('math')"), get[int](tab, "("+visible+")('code.tex')")
	if math != 0 || tex == 0 {
		t.Errorf("without the bundle the page has %d formulas as MathML and %d as TeX", math, tex)
	}
}

// words writes a text as page.js does.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

// TestKeysOfAnExample tries the keys that stepThrough does not: playing, help,
// and those that belong to what has the focus.
func TestKeysOfAnExample(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const id = "first-product"
	tab.open("/chapters/01-one-product?widget=first-product&step=0&device=cpu#first-product")
	tab.until("the focus", "e2e.focus().class === 'stage'")

	get[bool](tab, "(e2e.find(%s, '.step-speed').value = '4', e2e.find(%s, '.step-speed').dispatchEvent(new Event('change')))", id, id)
	tab.press("p")
	if label := get[string](tab, "e2e.find(%s, '[aria-label=Pause]')?.title ?? ''", id); label != "Pause" {
		t.Error("while it plays there is no button to pause")
	}
	tab.until("playing to move on", "e2e.state(%s).step >= 3", id)
	tab.press("Space")
	at := tab.state(id).Step
	get[int](tab, "new Promise((done) => setTimeout(() => done(1), 400))")
	if now := tab.state(id).Step; now != at {
		t.Errorf("paused at step %d, and now at %d", at, now)
	}

	tab.press("?")
	tab.until("the help", "e2e.shown(e2e.find(%s, '.help'))", id)
	if text := get[string](tab, "e2e.words(e2e.find(%s, '.help'))", id); !strings.Contains(text, "next step") {
		t.Errorf("the help says %q", text)
	}
	tab.press("Escape")
	tab.until("the help to close", "!e2e.shown(e2e.find(%s, '.help'))", id)

	// In a field and in a menu the keys are those of the field and the menu.
	tab.press("Home")
	tab.edit(id, "Left matrix A", "j")
	tab.press("j", "End", "Home", "k")
	if s := tab.state(id); s.Step != 1 {
		t.Errorf("typing in a field moved to step %d", s.Step)
	}
	if text := get[string](tab, "e2e.field(%s, 'Left matrix A').value", id); text != "kjj" {
		t.Errorf("the field has %q, want kjj", text)
	}
}

// TestSkipLink holds the first key press to lead past the navigation.
func TestSkipLink(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	tab.open("/chapters/01-one-product")
	tab.press("Tab")
	if at := get[string](tab, "document.activeElement.className"); at != "skip-link" {
		t.Fatalf("the first thing in the tab order is %q", at)
	}
	if !get[bool](tab, "document.activeElement.getBoundingClientRect().top >= 0 && document.activeElement.getBoundingClientRect().left >= 0") {
		t.Error("the skip link has the focus and is not in view")
	}
	tab.press("Enter", "Tab")
	if !get[bool](tab, "Boolean(document.activeElement.closest('#main'))") {
		t.Error("after the skip link Tab leads to something outside the text")
	}
}
