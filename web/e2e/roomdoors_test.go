package e2e

import (
	"strings"
	"testing"

	"workbench/web"
)

// TestRoomDoors holds the pages on the way into a room to what every page is held to: they
// fit a telephone and a projector, and what they say can be read.
func TestRoomDoors(t *testing.T) {
	t.Parallel()
	o := options(false)
	o.Rooms = &web.RoomOptions{}
	tab := newTab(t, serve(t, o))
	tab.allow(func(fault string) bool { return strings.Contains(fault, "404") || strings.Contains(fault, "403") })
	for path, says := range map[string]string{
		"/join": "6 letters and digits", "/join?code=AAAAAA": "There is no room AAAAAA", "/present/used": "This link opens no room",
	} {
		tab.load(path)
		if got := get[string](tab, "document.querySelector('main').innerText"); !strings.Contains(got, says) {
			t.Errorf("%s says %q", path, got)
		}
		checkFits(t, tab, path)
		checkTree(t, tab, path)
		checkContrast(t, tab, path)
	}
	// From the list of chapters, where a card is a link and the button stands in it.
	tab.load("/")
	tab.click("document.querySelector('.chapter-list .present button')")
	tab.until("the desk", "location.pathname.endsWith('/desk') && document.querySelector('.desk-chapter')?.textContent.startsWith('1. ')")
}
