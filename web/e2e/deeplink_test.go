package e2e

import (
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
)

// TestDeepLinkOpensItsPlace holds a link to open the chapter at its example,
// its step, its chosen cell and its device.
func TestDeepLinkOpensItsPlace(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	for _, c := range []struct {
		name, path, id string
		want           State
		selected       string // cell of the last grid
	}{
		{
			"step and cell", "/chapters/01-one-product?widget=first-product&step=2&cell=0,1,0&device=cpu#first-product", "first-product",
			State{Step: 3, Steps: 8, Sentence: "139 = 4·7 + 5·9 + 6·11", Device: "cpu"}, "1,0",
		},
		{
			"another device", "/chapters/01-one-product?widget=separate&step=3&cell=0,0,0&device=cpu,fused#separate", "separate",
			State{Step: 4, Steps: 8, Sentence: "5.551115123125783e-17 = 1·(−1) + 0.1·10", Device: "cpu,fused"}, "0,0",
		},
		{
			"a cell without its step", "/chapters/01-one-product?widget=two-batches&cell=1,1,2#two-batches", "two-batches",
			State{Step: 15, Steps: 16, Device: "cpu"}, "1,2",
		},
		{
			"no number of the chapter", "/chapters/one-product?widget=first-product&step=7#first-product", "first-product",
			State{Step: 8, Steps: 8, Device: "cpu"}, "",
		},
		{
			"a step past the end", "/chapters/01-one-product?widget=first-product&step=700#first-product", "first-product",
			State{Step: 8, Steps: 8, Device: "cpu"}, "",
		},
		{
			"an element of a view", "/chapters/03-views-and-packing?widget=transpose&step=1&cell=0,2,1#transpose", "transpose",
			State{Step: 2, Steps: 3, Device: "cpu"}, "",
		},
		{
			"a step of the decoder", "/chapters/04-tiny-decoder?widget=tiny-decoder&step=318&device=cpu#tiny-decoder", "tiny-decoder",
			State{Step: 319, Steps: 320, Device: "cpu"}, "",
		},
	} {
		tab.open(c.path)
		tab.until("the example in view", `(() => {
			const { top, bottom } = e2e.widget(%s).getBoundingClientRect();
			return top < innerHeight && bottom > 0;
		})()`, c.id)
		tab.until("the focus where the keys step", "e2e.focus().widget === %s && e2e.focus().class === 'stage'", c.id)
		tab.until("the run on the device", "!e2e.state(%s).running && e2e.state(%s).made.startsWith('Made by ' + %s + ' (')", c.id, c.id, c.want.Device)
		s := tab.state(c.id)
		if s.Step != c.want.Step || s.Steps != c.want.Steps || s.Device != c.want.Device || s.Stale {
			t.Errorf("%s: it opened at step %d of %d on %s (stale: %v), want %d of %d on %s", c.name, s.Step, s.Steps, s.Device, s.Stale, c.want.Step, c.want.Steps, c.want.Device)
		}
		if c.want.Sentence != "" && s.Sentence != c.want.Sentence {
			t.Errorf("%s: the cell is %q, want %q", c.name, s.Sentence, c.want.Sentence)
		}
		if c.selected != "" {
			grids := tab.grids(c.id)
			last := grids[len(grids)-1]
			if len(last.Selected) != 1 || last.Selected[0] != c.selected {
				t.Errorf("%s: in %s the cells %q are chosen, want %s", c.name, last.Name, last.Selected, c.selected)
			}
		}
	}
}

// TestDeepLinkOfAKernel holds a link to lead to the block, the thread, the step, the
// device and the part of a kernel's example that is looked at, and the example to write
// the same link.
func TestDeepLinkOfAKernel(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const page, id = "/chapters/07-product-in-three-versions", "tiled"
	for _, c := range []struct{ view, opens, focus string }{
		{"", "", "e2e.focus().class === 'stage'"},
		{"source", "", "document.activeElement.matches('.source-area')"},
		{"launch", "details.launch", "document.activeElement.matches('.launch summary')"},
		{"lanes", "", "document.activeElement.matches('.lanes-scroll')"},
		{"shared", "", "Boolean(document.activeElement.closest('.shared'))"},
		{"lines", "details.by-line", "document.activeElement.matches('.by-line summary')"},
		{"result", "", "Boolean(document.activeElement.closest('.outputs'))"},
	} {
		query := "?widget=tiled&step=100&cell=left[3][4]&block=1,1,0&thread=5,3,0"
		if c.view != "" {
			query += "&view=" + c.view
		}
		query += "&device=emulator#tiled"
		tab.open(page + query)
		tab.until("the focus in what is looked at", c.focus+" && e2e.focus().widget === %s", id)
		k := tab.atRest(id)
		if !strings.HasPrefix(k.Step, "step 100 of") || !strings.Contains(get[string](tab, "e2e.words(e2e.find(%s, '.step-maker'))", id), "Block (1,1,0)") {
			t.Errorf("view %q opened at %s, %s", c.view, k.Step, get[string](tab, "e2e.words(e2e.find(%s, '.step-maker'))", id))
		}
		if got := get[string](tab, "e2e.words(e2e.find(%s, 'tr.of-thread th'))", id); got != "21" { // thread 5 + 16·3 = 53, lane 21 of warp 1
			t.Errorf("view %q: lane %q is marked", c.view, got)
		}
		if got := get[string](tab, "e2e.find(%s, '.shared-grid .chosen')?.closest('table').caption.textContent ?? ''", id); !strings.Contains(got, "left[16][16]") {
			t.Errorf("view %q: the element that is chosen lies in %q", c.view, got)
		}
		if c.opens != "" && !get[bool](tab, "e2e.find(%s, %s).open", id, c.opens) {
			t.Errorf("view %q: %s is closed", c.view, c.opens)
		}
		tab.until("it in sight", "(({ top, bottom }) => top < innerHeight && bottom > 0)(document.activeElement.getBoundingClientRect())")
		if got := get[string](tab, "e2e.find(%s, '.step-link').getAttribute('href')", id); got != page+query {
			t.Errorf("the example writes %s, want %s", got, page+query)
		}
	}
}

// TestDeepLinkOfALadder holds a link to choose the product that is measured.
func TestDeepLinkOfALadder(t *testing.T) {
	t.Parallel()
	tab := newTab(t, serve(t, withGPU(options(false), nil, nil)))
	const id = "ladder"
	tab.open(ladderPage + "?widget=ladder&view=2048,float32&device=cuda:0#ladder")
	chosen := script("[...e2e.widget(%s).querySelectorAll('.widget-run select')].map(({ value }) => value).join(' ')", id)
	tab.until("the product of the link", chosen+" === 'cuda:0 2048 float32' && e2e.focus().widget === 'ladder'")
	get[bool](tab, "((size) => { size.value = '512'; size.dispatchEvent(new Event('change')); return true; })(e2e.widget(%s).querySelectorAll('.widget-run select')[1])", id)
	if got := tab.state(id).URL; got != ladderPage+"?widget=ladder&view=512,float32&device=cuda:0#ladder" {
		t.Errorf("the address is %s", got)
	}
	tab.reload()
	tab.until("the same after a reload", chosen+" === 'cuda:0 512 float32'")
}

// TestDeepLinkOfAView holds the element in a link to be chosen in the grid and
// in the storage.
func TestDeepLinkOfAView(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	tab.open("/chapters/03-views-and-packing?widget=transpose&step=1&cell=0,2,1#transpose")
	grids := tab.grids("transpose")
	if len(grids) != 2 || len(grids[0].Selected) != 1 || grids[0].Selected[0] != "2,1" || len(grids[1].Selected) != 1 || grids[1].Selected[0] != "0,5" {
		t.Errorf("chosen: %+v", grids)
	}
}

// TestBackAndForward holds the browser's own buttons to lead from place to
// place, over examples and over a link in the text.
func TestBackAndForward(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const first, fused = "first-product", "fused"
	path := "/chapters/01-one-product"
	tab.open(path + "?widget=first-product&step=0&device=cpu#first-product")
	tab.until("the focus", "e2e.focus().class === 'stage'")
	tab.press("j", "j")
	tab.focusOn(fused)
	tab.press("Home", "j")

	steps := func(want ...int) {
		t.Helper()
		tab.until("both steps", "e2e.state(%s).step === %s && e2e.state(%s).step === %s", first, want[0], fused, want[1])
	}
	steps(3, 2)
	for _, want := range [][]int{{3, 1}, {3, 4}, {2, 4}, {1, 4}} {
		get[bool](tab, "(history.back(), true)")
		steps(want...)
	}
	for _, want := range [][]int{{2, 4}, {3, 4}, {3, 1}, {3, 2}} {
		get[bool](tab, "(history.forward(), true)")
		steps(want...)
	}
	checkAddress(t, tab.state(fused).URL, path, url.Values{"widget": {fused}, "step": {"1"}})
	if grids := tab.grids(first); len(grids) != 3 || grids[2].Cells[1][1] != "154" {
		t.Errorf("after the way back and forth C is %v", grids)
	}
}

// TestLinkInTheText holds a chapter's own link to a step to move the example
// without loading the page again.
func TestLinkInTheText(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const id = "tiny-decoder"
	tab.open("/chapters/04-tiny-decoder")
	links := get[[]string](tab, `[...document.querySelectorAll('.prose > p a[href*="widget=tiny-decoder"]')].map((a) => a.getAttribute('href'))`)
	if len(links) == 0 {
		t.Fatal("the chapter has no link to a step")
	}
	get[bool](tab, "(globalThis.same = true)")
	for _, link := range links {
		u, err := url.Parse(link)
		if err != nil {
			t.Fatal(err)
		}
		tab.click(script("document.querySelector('.prose > p a[href=' + CSS.escape(%s).replace(/^/, '\"').replace(/$/, '\"') + ']')", link))
		tab.until("step "+u.Query().Get("step"), "e2e.data(%s).trace.steps[%s].title.replace(/\\s+/g, ' ') === e2e.state(%s).title && location.search.includes('step=' + %s)",
			id, mustInt(t, u.Query().Get("step")), id, u.Query().Get("step"))
		tab.until("the focus on the example", "e2e.focus().widget === %s", id)
	}
	if !get[bool](tab, "globalThis.same === true") {
		t.Error("a link to a step loaded the page again")
	}
	get[bool](tab, "(history.back(), true)")
	tab.until("the way back", "location.search !== %s", queryOf(t, links[len(links)-1]))
}

// TestLinkToAStep holds the link beside the steps to open what it stands by.
func TestLinkToAStep(t *testing.T) {
	t.Parallel()
	site := course(t, false)
	tab := newTab(t, site)
	const id = "two-batches"
	tab.open("/chapters/01-one-product?widget=two-batches&step=2&device=cpu#two-batches")
	tab.until("the focus", "e2e.focus().class === 'stage'")
	tab.press("j", "j", "j")
	before := tab.state(id)
	href := get[string](tab, "e2e.find(%s, '.step-link').getAttribute('href')", id)
	other := newTab(t, site)
	other.open(href)
	if s := other.state(id); s.Step != before.Step || s.Title != before.Title {
		t.Errorf("the link %s opened step %d %q, not %d %q", href, s.Step, s.Title, before.Step, before.Title)
	}
}

// TestTwoTabsDoNotDisturbEachOther steps and runs the same example in two tabs
// of one browser.
func TestTwoTabsDoNotDisturbEachOther(t *testing.T) {
	t.Parallel()
	const id = "separate"
	one := newTab(t, course(t, false))
	one.open("/chapters/01-one-product?widget=separate&step=3&device=cpu#separate")
	two := one.twin()
	two.open("/chapters/01-one-product?widget=separate&step=0&device=cpu,fused#separate")
	two.until("the fused run", "e2e.state(%s).made.startsWith('Made by cpu,fused')", id)
	two.focusOn(id)
	two.press("End")
	one.focusOn(id)
	one.press("k")

	a, b := one.state(id), two.state(id)
	if a.Step != 3 || a.Device != "cpu" || b.Step != 8 || b.Device != "cpu,fused" {
		t.Errorf("one is at step %d on %s, the other at %d on %s; want 3 on cpu and 8 on cpu,fused", a.Step, a.Device, b.Step, b.Device)
	}
	if a, b := one.grids(id)[2].Cells[0][0], two.grids(id)[2].Cells[0][0]; a != "0" || b != "5.551115123125783e-17" {
		t.Errorf("C[0, 0] is %s in one and %s in the other", a, b)
	}
	one.reload()
	if s := one.state(id); s.Step != 3 || s.Device != "cpu" {
		t.Errorf("after a reload the first is at step %d on %s, want 3 on cpu", s.Step, s.Device)
	}
	if s := two.state(id); s.Step != 8 || s.Device != "cpu,fused" {
		t.Errorf("and the other at step %d on %s, want 8 on cpu,fused", s.Step, s.Device)
	}
}

// TestPageBeforeItsScript holds pages to show what the server wrote as long as their
// script does not come: any page while it is on its way, and that of a link, which is
// drawn when it lives, once the script is known not to come.
func TestPageBeforeItsScript(t *testing.T) {
	const text = "/chapters/01-one-product"
	tab := newTab(t, course(t, false))
	call(tab, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*/js/main.js"}}})
	call(tab, page.Navigate, page.NavigateParams{URL: tab.site.url(text)})
	tab.until("the page to be drawn", "document.readyState === 'interactive' && performance.getEntriesByName('first-contentful-paint').length > 0")

	tab.allow(func(fault string) bool { return strings.Contains(fault, "ERR_BLOCKED_BY_CLIENT") })
	call(tab, fetch.Disable, cdp.Empty{})
	call(tab, network.SetBlockedURLs, network.SetBlockedURLsParams{URLPatterns: []*network.BlockPattern{{URLPattern: "*://*:*/*/js/main.js", Block: true}}})
	tab.load(text + "?widget=first-product&step=2#first-product")
	tab.until("the page to be drawn", "performance.getEntriesByName('first-contentful-paint').length > 0")
	tab.until("the server's tables", "document.querySelector('#first-product .widget-static table').checkVisibility()")

	// A table of a thousand cells that is folded up.
	tab.load("/chapters/04-tiny-decoder")
	const parameters = "[...document.querySelectorAll('#tiny-decoder summary')].find((one) => e2e.words(one) === 'inputs, parameters: 2 steps')"
	tab.click(parameters)
	tab.until("what is folded up", "e2e.shown("+parameters+".parentElement.querySelector('table')) && "+parameters+".parentElement.querySelectorAll('table td').length > 1032")
}
