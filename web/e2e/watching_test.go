package e2e

import (
	"regexp"
	"strings"
	"testing"

	"workbench/web"
)

// roomFor opens a room at a chapter. It returns the stage, from which a presenter
// drives, and a follower's page in another profile.
func roomFor(t *testing.T, slug string) (stage, follower *Tab) {
	t.Helper()
	o := options(false)
	o.Rooms = &web.RoomOptions{}
	site := serve(t, o)
	stage = newTab(t, site)
	stage.load("/")
	desk := get[string](stage, "fetch('/rooms', { method: 'POST', body: new URLSearchParams({ chapter: %s }) }).then((reply) => reply.url)", slug)
	code := regexp.MustCompile(`/rooms/(\w+)/desk`).FindStringSubmatch(desk)
	if code == nil {
		t.Fatalf("opening a room leads to %s", desk)
	}
	follower = newTab(t, site)
	stage.load("/rooms/" + code[1] + "/stage/" + slug)
	follower.load("/join/" + code[1])
	for _, tab := range []*Tab{stage, follower} {
		tab.until("the examples", "e2e.ready()")
		get[bool](tab, viewScript)
	}
	return stage, follower
}

// TestFollowerSeesWhatIsRun drives every kind of example of two chapters from a stage,
// and finds a follower at the same place with the same results, who has nothing to run
// them with.
func TestFollowerSeesWhatIsRun(t *testing.T) {
	t.Parallel()
	long(t)
	for _, slug := range []string{"02-rows-sums-means", "07-product-in-three-versions"} {
		t.Run(slug, func(t *testing.T) {
			t.Parallel()
			stage, follower := roomFor(t, slug)
			for _, id := range get[[]string](stage, "views.some(1)") {
				for act := range get[int](stage, "views.acts(%s)", id) {
					did := get[shown](stage, "views.act(%s, %s)", id, act)
					follower.until("the view of "+id, "views.has(%s, %s)", id, did.View)
					// What stands around it is another one's: who presents has buttons.
					for _, part := range []string{".stage", ".notice"} {
						text := get[string](stage, "views.text(%s, '.widget-live ' + %s)", id, part)
						// Only who presents is asked to run something.
						text = strings.Replace(text, " – run again.", ". The presenter has not run it yet.", 1)
						follower.until(part+" to read "+text, "views.text(%s, '.widget-live ' + %s) === %s", id, part, text)
					}
				}
				for _, css := range []string{".run", ".stop", ".emulate", ".missing-devices", "[type=submit]:not(.block-picker *, .table-tools *)", ".device-select:enabled", ".edit :is(textarea, input[type=text]):read-write", ".edit :is(select, [type=checkbox]):enabled", ".source-area:read-write"} {
					if n := get[int](follower, "[...e2e.widget(%s).querySelectorAll('.widget-live ' + %s)].filter(e2e.shown).length", id, css); n > 0 {
						t.Errorf("%s: a follower has %d of %s", id, n, css)
					}
				}
				if note := get[string](follower, "e2e.words(e2e.find(%s, '.lesson-note'))", id); !strings.HasPrefix(note, "In a lesson the presenter runs it.") || !strings.Contains(note, "./course serve") {
					t.Errorf("%s says %q", id, note)
				}
			}
		})
	}
}
