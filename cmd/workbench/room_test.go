package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gorilla/websocket"

	"workbench/engine"
	"workbench/lessons/runner"
	"workbench/web"
	"workbench/web/live"
)

// classroom is a server with a room, in which the small course is taught.
type classroom struct {
	t      *testing.T
	server *web.Server
	url    string
	room   *live.Room
}

func newClassroom(t *testing.T) *classroom {
	t.Helper()
	course := &runner.Course{Dir: filepath.Join(t.TempDir(), "exercises")}
	course.Lessons, course.Files = smallCourse()
	s, err := web.New(web.Options{
		Chapters:  fstest.MapFS{"01-one/chapter.md": {Data: []byte("---\ntitle: One\nsummary: s\noutcomes: [o]\n---\n\nText.\n")}},
		Exercises: course, Open: engine.Open, List: engine.List, Emulator: engine.Emulator, Rooms: &web.RoomOptions{},
		Assets: fstest.MapFS{"css/main.css": {}, "css/desk.css": {}, "js/main.js": {}, "js/desk.js": {}, "js/theme-early.js": {}, "icons/favicon.svg": {}},
	})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		h.Close()
	})
	room, _, err := s.Rooms().New("01-one")
	if err != nil {
		t.Fatal(err)
	}
	return &classroom{t, s, h.URL, room}
}

// passed is what a desk shows of who passed what.
func (c *classroom) passed() map[string]int {
	c.t.Helper()
	r, err := presenters(c.t).PostForm(c.url+"/present", url.Values{"secret": {c.room.Invite()}})
	if err != nil {
		c.t.Fatal(err)
	}
	r.Body.Close()
	cookie := r.Cookies()[0]
	conn, _, err := websocket.DefaultDialer.DialContext(c.t.Context(), "ws"+strings.TrimPrefix(c.url, "http")+"/rooms/"+c.room.Code()+"/live?as=desk", http.Header{"Cookie": {cookie.Name + "=" + cookie.Value}})
	if err != nil {
		c.t.Fatal(err)
	}
	defer conn.Close()
	for {
		var m struct{ Room live.News }
		if err := conn.ReadJSON(&m); err != nil {
			c.t.Fatal(err)
		}
		if m.Room.Class != nil {
			passed := map[string]int{}
			for _, p := range m.Room.Class.Passes {
				passed[p.Exercise] = p.Count
			}
			return passed
		}
	}
}

// The presenter sees how many passed, of those who asked that it is told.
func TestRunTellsRoom(t *testing.T) {
	c := newClassroom(t)
	address := c.url + "/join/" + c.room.Code()
	ana, ben, cem := newLearner(t), newLearner(t), newLearner(t)
	for _, l := range []*learner{ana, ben, cem} {
		l.call("", "list")
		l.answer("first-sum", "7")
		l.expect(statusFailed, []string{"run", "first-sum", "--room", address})
		l.answer("first-sum", "1")
	}
	if got := c.passed(); len(got) != 0 {
		t.Errorf("before anybody passed: %v", got)
	}
	told := "Room " + c.room.Code() + " was told that somebody passed first-sum, and not who."
	ana.expect(statusOK, []string{"run", "first-sum", "--room", address}, "Passed", told)
	ana.expect(statusOK, []string{"run", "first-sum", "--room", strings.ToLower(address[len("http://"):])}, told)
	o := ben.expect(statusOK, []string{"run", "first-sum", "--room", address, "--json"})
	if !json.Valid([]byte(o.stdout)) || o.stderr != "" {
		t.Errorf("beside the JSON: %s", o)
	}
	if o := cem.expect(statusOK, []string{"run", "first-sum"}); strings.Contains(o.stdout, "was told") {
		t.Errorf("a room is told without being asked for: %s", o)
	}
	if got := c.passed(); len(got) != 1 || got["first-sum"] != 2 {
		t.Errorf("the presenter sees %v", got)
	}

	// By the environment, as a class sets it once; and to a room that is not there.
	cem.room = address
	cem.expect(statusOK, []string{"run", "first-sum"}, told)
	if got := c.passed(); got["first-sum"] != 3 {
		t.Errorf("the presenter sees %v", got)
	}
	cem.expect(statusOK, []string{"run", "first-sum", "--room", c.url + "/join/ABCDEF"}, "Passed", "Room ABCDEF could not be told that first-sum passed: there is no such room at ", "The exercise has passed all the same.")
	cem.expect(statusUsage, []string{"run", "first-sum", "--room", "guard"}, `--room "guard": write the room's code, such as K7QM2X, or the address of its page for joining`)
	cem.expect(statusUsage, []string{"watch", "--room", "guard"}, `--room "guard": write the room's code`)
	cem.room = "here"
	cem.expect(statusUsage, []string{"run", "first-sum"}, `COURSE_ROOM "here": write the room's code`)
}
