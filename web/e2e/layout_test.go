package e2e

import (
	"strings"
	"testing"
)

// checkFits holds a page to fit its window, on a telephone and on a projector: it is
// scrolled down and never sideways.
func checkFits(t *testing.T, tab *Tab, where string) {
	t.Helper()
	for _, width := range []int64{360, 1920} {
		tab.size(width, 800)
		tab.settle()
		out := get[[]string](tab, `(() => {
			const page = document.scrollingElement;
			if (page.scrollWidth <= page.clientWidth) return [];
			return ['the page is ' + page.scrollWidth + ' px wide in a window of ' + page.clientWidth,
				...[...document.querySelectorAll('body *')].filter((one) => e2e.shown(one) && one.getBoundingClientRect().right > page.clientWidth + 1)
					.slice(0, 3).map((one) => one.outerHTML.slice(0, 120))];
		})()`)
		for _, fault := range out {
			t.Errorf("%s at %d px: %s", where, width, fault)
		}
	}
}

// TestStepsFit steps through every part of the decoder on a telephone: the
// widest tensors, and the longest names in its menus.
func TestStepsFit(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, true))
	tab.size(360, 800)
	const id = "tiny-decoder"
	tab.open(decoderPage)
	tab.until("the focus", "e2e.focus().class === 'stage'")
	parts := get[int](tab, "e2e.widget(%s).querySelectorAll('.sections button').length", id)
	if parts < 10 {
		t.Fatalf("the decoder has %d parts", parts)
	}
	for part := range parts {
		get[bool](tab, "(e2e.widget(%s).querySelectorAll('.sections button')[%s].click(), e2e.widget(%s).focusStep(), true)", id, part, id)
		for range 4 {
			if wide := get[int](tab, "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"); wide > 0 {
				t.Errorf("at step %d the page is %d px too wide", tab.state(id).Step, wide)
			}
			tab.press("j")
		}
	}
}

// checkTargets holds what is touched on a telephone to the least size of WCAG 2.2
// (2.5.8, level AA): 24 by 24 px, links in a text excepted.
func checkTargets(t *testing.T, tab *Tab, where, selector string) {
	t.Helper()
	tab.size(360, 800)
	for _, small := range get[[]string](tab, `[...document.querySelectorAll(%s)].filter(e2e.shown).flatMap((one) => {
		const { width, height } = one.getBoundingClientRect();
		return width >= 24 && height >= 24 ? [] : [Math.round(width) + '×' + Math.round(height) + ': ' + one.outerHTML.slice(0, 100)];
	})`, selector) {
		t.Errorf("%s has a target of %s", where, small)
	}
	tab.size(1280, 900)
}

// TestThemeIsKept holds the reader's own choice to win over the system's, on
// the next page as well, and without a flash of the other one.
func TestThemeIsKept(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	tab.scheme("dark")
	tab.open("/")
	back := "getComputedStyle(document.body).backgroundColor"
	dark := get[string](tab, back)
	button := "document.querySelector('.tool-theme')"
	tab.click(button)
	if name := get[string](tab, button+".getAttribute('aria-label')"); !strings.Contains(name, "light") {
		t.Errorf("after a click the button says %q", name)
	}
	light := get[string](tab, back)
	if light == dark {
		t.Fatalf("light and dark have the same background %s", dark)
	}
	tab.open("/chapters/01-one-product")
	if now := get[string](tab, back); now != light {
		t.Errorf("on the next page the background is %s, was %s", now, light)
	}
	tab.click(button)
	tab.click(button)
	if now := get[string](tab, back); now != dark {
		t.Errorf("as the system has it the background is %s, want %s", now, dark)
	}
}
