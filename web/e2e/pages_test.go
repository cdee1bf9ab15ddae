package e2e

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// pages are all pages of the course.
func pages(t *testing.T, site *Site) []string {
	t.Helper()
	paths := []string{"/"}
	for _, slug := range site.server.Chapters() {
		paths = append(paths, "/chapters/"+slug)
	}
	return paths
}

// openAll opens what a page of the course has closed.
const openAll = `(() => {
	for (const details of document.querySelectorAll('.widget-live details, .questions details')) details.open = true;
	return true;
})()`

// TestPages goes through every page of the course, as it opens and with its forms and its
// help open too: everything has a name, nothing is cut, too small or too pale, and every
// example gives when it is run what it opened with.
func TestPages(t *testing.T) {
	t.Parallel()
	long(t)
	for _, b := range bundles {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			site := course(t, b.present)
			tab := newTab(t, site)
			emulated := 0
			for _, path := range pages(t, site) {
				tab.open(path)
				checkFits(t, tab, path)
				get[bool](tab, openAll)
				get[bool](tab, "(document.querySelector('.help')?.showPopover(), true)")
				tab.settle()
				all := path + " with everything open"
				checkTree(t, tab, all)
				get[bool](tab, "(document.querySelector('.help')?.hidePopover(), true)")
				checkFits(t, tab, all)
				checkTargets(t, tab, all, ".widget-live :is(button, select, input:not([type=checkbox]), summary, textarea), .site-header :is(button, a), .chapter-nav a")
				if b.present {
					// States that have colours of their own: a mistake, and what is stale.
					if path == "/chapters/01-one-product" {
						tab.edit("first-product", "Left matrix A", "1 2\n3 4 5")
						tab.press("Ctrl+Enter")
						tab.edit("two-batches", "Left matrix A", "1 2\n3 4")
					}
					checkContrast(t, tab, all)
					get[bool](tab, "(localStorage.clear(), true)")
				} else {
					checkFresh(t, tab)
					emulated += checkEmulated(t, tab)
				}
			}
			if !b.present && emulated < 25 {
				t.Errorf("%d examples ran on the emulator", emulated)
			}
		})
	}
}

// checkFresh holds every example of a page to open with a result of its own inputs, and
// to give the same one when it is run.
func checkFresh(t *testing.T, tab *Tab) {
	t.Helper()
	for _, id := range tab.widgets() {
		if s := tab.state(id); s.Stale || s.Notice != "" {
			t.Errorf("%s opens and says %q (stale: %v)", id, s.Notice, s.Stale)
		}
		if !get[bool](tab, "Boolean(e2e.find(%s, '.run')?.checkVisibility({ visibilityProperty: true }))", id) {
			continue // it shows recordings, or measures GPUs, and runs nothing here
		}
		before := tab.grids(id)
		tab.click(script("e2e.find(%s, '.run')", id))
		tab.until("the run of "+id, "e2e.state(%s).made.includes('run in ')", id)
		if s := tab.state(id); s.Stale || s.Notice != "" {
			t.Errorf("%s was run and says %q (stale: %v)", id, s.Notice, s.Stale)
		}
		if after := tab.grids(id); !reflect.DeepEqual(after, before) {
			t.Errorf("%s was run and shows %v, was %v", id, after, before)
		}
	}
}

// checkEmulated chooses the emulator in the menu of every example of a page that has a
// menu of one device: it runs there and says so, and its values are those of before. It
// returns how many there are.
func checkEmulated(t *testing.T, tab *Tab) int {
	t.Helper()
	ran := 0
	for _, id := range tab.widgets() {
		if menus := get[int](tab, "e2e.widget(%s).querySelectorAll('.widget-live .device-select').length", id); menus != 1 {
			continue // of several devices, or of figures
		}
		made := tab.state(id)
		if !strings.HasPrefix(made.Made, "Made by cpu") {
			continue // it is a kernel's
		}
		contract := get[string](tab, "e2e.state(%s).made.includes('(fused') ? 'fused' : 'separate'", id)
		spec := map[string]string{"separate": "emulator", "fused": "emulator,fused"}[contract]
		before := tab.grids(id)
		tab.choose(id, spec)
		tab.click(script("e2e.find(%s, '.run')", id))
		tab.until("a run on "+spec+" of "+id, "!e2e.state(%s).stale && e2e.state(%s).made.startsWith(%s)", id, id, fmt.Sprintf("Made by %s (%s, ", spec, contract))
		if s := tab.state(id); s.Notice != "" || s.Step != made.Step {
			t.Errorf("%s: %+v", id, s)
		}
		if got := tab.grids(id); !reflect.DeepEqual(got, before) {
			t.Errorf("%s: on %s it shows %v, and showed %v", id, spec, got, before)
		}
		ran++
	}
	return ran
}
