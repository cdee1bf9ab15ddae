package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// look holds a page of a room to what every page is held to: it fits a telephone and
// a projector, and its texts have contrast, in light and dark. Where pictures are
// wanted it takes them.
func look(t *testing.T, tab *Tab, name string) {
	t.Helper()
	folder := os.Getenv(pictures)
	checkFits(t, tab, name)
	for _, width := range []int64{360, 1920} {
		for _, scheme := range schemes {
			tab.size(width, 800)
			tab.scheme(scheme)
			tab.settle()
			tab.settle() // a chart takes the colours of its theme a frame later
			for _, fault := range get[[]string](tab, "e2e.contrast()") {
				t.Errorf("%s at %d px in %s: %s", name, width, scheme, fault)
			}
			if folder != "" {
				tab.save(filepath.Join(folder, fmt.Sprintf("room %s %d %s.png", name, width, scheme)), nil)
			}
		}
	}
}

// TestRoomLooks goes through the states in which a class sees the pages of a room.
func TestRoomLooks(t *testing.T) {
	t.Parallel()
	long(t)
	course(t, true)
	c := openClass(t, true, "01-one-product")
	door := newTab(t, c.site)
	door.load("/join")
	look(t, door, "join")
	door.allow(func(fault string) bool { return strings.Contains(fault, "404") })
	door.load("/join?code=AAAAAA")
	look(t, door, "wrong code")
	door.allow(nil)

	page := c.join(360)
	look(t, page, "following")
	page.focusOn("first-product")
	page.press("j")
	c.bar(page, "On your own.")
	look(t, page, "on one's own")
	c.ask(`{ do: 'mode', mode: 'locked' }`)
	c.bar(page, "Following, locked.")
	look(t, page, "locked")
	c.ask(`{ do: 'mode', mode: 'follow' }`)
	c.ask(`{ do: 'poll', act: 'open', question: 'What is C[0,1]?', kind: 'number', answer: '64' }`)
	c.bar(page, "Poll: What is C[0,1]?")
	look(t, page, "poll")
	page.write("document.querySelector('.room-poll input')", "64")
	page.press("Enter")
	c.bar(page, "Your answer: 64.")
	c.ask(`{ do: 'poll', act: 'reveal' }`)
	page.until("the answers", "e2e.shown(document.querySelector('.poll-counts'))")
	look(t, page, "poll revealed")
	look(t, c.stage, "stage")

	for _, tab := range []*Tab{page, c.stage} {
		tab.allow(refused)
	}
	if err := c.site.stop(); err != nil {
		t.Fatal(err)
	}
	c.bar(page, "Not connected.")
	look(t, page, "not connected")
}
