package web

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// A desk has what a presenter needs to lead the room: how a class joins, the chapters
// with their examples, and the notes. Nobody else gets it.
func TestDesk(t *testing.T) {
	o := fixture()
	o.Rooms = &RoomOptions{Addresses: []string{"http://192.168.1.20:8080", "http://[fd00::20]:8080/"}}
	s, h := start(t, o)
	room, secret, err := s.Rooms().New("01-first")
	if err != nil {
		t.Fatal(err)
	}
	address := h.URL + "/rooms/" + room.Code() + "/desk"

	if r, body := get(t, address); r.StatusCode != http.StatusForbidden || strings.Contains(body, "wait for hands") {
		t.Errorf("without a cookie: %s", r.Status)
	}
	if r, _ := get(t, h.URL+"/rooms/ABCDEF/desk"); r.StatusCode != http.StatusNotFound {
		t.Errorf("of a room that is not there: %s", r.Status)
	}
	r := redeem(t, h.URL, secret)
	if r.Header.Get("Location") != "/rooms/"+room.Code()+"/desk" || len(r.Cookies()) != 2 {
		t.Fatalf("the presenter's link leads to %q with %d cookies", r.Header.Get("Location"), len(r.Cookies()))
	}
	cookie := r.Cookies()[0].Name + "=" + r.Cookies()[0].Value
	r, body := get(t, address, "Cookie", cookie)
	if r.StatusCode != http.StatusOK {
		t.Fatalf("the desk: %s", r.Status)
	}
	for _, want := range []string{
		`<meta name="wb-room" content="` + room.Code() + `" data-as="desk" data-live="/rooms/` + room.Code() + `/live?as=desk&amp;chapter=01-first" data-base="/rooms/` + room.Code() + `/stage/">`,
		`aria-label="QR code of http://192.168.1.20:8080/join/` + room.Code() + `"`,
		`data-address="http://[fd00::20]:8080/join/` + room.Code() + `"`,
		`>192.168.1.20:8080/join<`, `/js/desk.js"`, `/css/desk.css"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the desk has no %s", want)
		}
	}
	if _, stage := get(t, h.URL+"/rooms/"+room.Code()+"/stage/01-first", "Cookie", cookie); !strings.Contains(stage, `data-address="http://192.168.1.20:8080/join/`+room.Code()+`"`) || !strings.Contains(stage, `<svg class="qr"`) {
		t.Error("the stage does not say where others join")
	}
	if strings.Contains(body, secret) || strings.Contains(body, strings.SplitN(cookie, "=", 2)[1]) {
		t.Error("the desk shows a secret")
	}
	if strings.Contains(body, "Only this computer reaches") {
		t.Error("the desk says that nobody can join, and the server has addresses")
	}

	data := regexp.MustCompile(`(?s)<script type="application/json" id="course">(.*?)</script>`).FindStringSubmatch(body)
	if data == nil {
		t.Fatal("the desk has no course")
	}
	var course struct {
		Chapters []struct {
			Slug    string
			Widgets []struct {
				ID, Kind, Title string
				Last            int
				Steps           []struct{ Title string }
			}
			Notes []struct{ Widget, Ask, Answer, HTML string }
		}
	}
	if err := json.Unmarshal([]byte(data[1]), &course); err != nil {
		t.Fatal(err)
	}
	document, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	asks := false
	for i, c := range s.edition.Load().library.Chapters {
		told := course.Chapters[i]
		if told.Slug != c.Slug || len(told.Widgets) != len(c.Widgets) || len(told.Notes) != len(c.Notes) {
			t.Fatalf("the desk knows %+v of %s, which has %d widgets and %d notes", told, c.Slug, len(c.Widgets), len(c.Notes))
		}
		for j, w := range c.Widgets {
			if got := told.Widgets[j]; got.ID != w.ID || got.Title == "" || w.Trace != nil && (got.Last != len(w.Trace.Steps)-1 || got.Steps[got.Last].Title != w.Trace.Steps[got.Last].Title) {
				t.Errorf("the desk knows %+v of the widget %s", got, w.ID)
			}
		}
		texts := templateOf(document, c.Slug)
		if len(texts) != len(c.Notes) {
			t.Fatalf("%d texts of the %d notes of %s", len(texts), len(c.Notes), c.Slug)
		}
		for j, n := range c.Notes {
			asks = asks || n.Ask != "" && told.Notes[j].Ask == n.Ask && told.Notes[j].Answer == n.Answer
			if told.Notes[j].HTML != "" || texts[j] != string(n.HTML) {
				t.Errorf("the note %q of %s is %q on the desk", n.HTML, c.Slug, texts[j])
			}
		}
	}
	if !asks {
		t.Error("no question of the notes is on the desk")
	}
}

// templateOf returns the HTML of the notes of a chapter, as a script would clone them.
func templateOf(document *html.Node, slug string) (texts []string) {
	for n := range document.Descendants() {
		if n.Type != html.ElementNode || n.Data != "template" || attribute(n, "data-notes") != slug {
			continue
		}
		for note := range n.ChildNodes() {
			var out strings.Builder
			for c := range note.ChildNodes() {
				if err := html.Render(&out, c); err != nil {
					return nil
				}
			}
			texts = append(texts, out.String())
		}
	}
	return texts
}

// With no address of the network, the page says so, and has one that works here.
func TestDeskOfOneComputer(t *testing.T) {
	o := fixture()
	o.Rooms = &RoomOptions{}
	s, h := start(t, o)
	room, secret, err := s.Rooms().New("01-first")
	if err != nil {
		t.Fatal(err)
	}
	r := redeem(t, h.URL, secret)
	_, body := get(t, h.URL+"/rooms/"+room.Code()+"/desk", "Cookie", r.Cookies()[0].Name+"="+r.Cookies()[0].Value)
	if !strings.Contains(body, "Only this computer reaches") || !strings.Contains(body, `data-address="`+h.URL+"/join/"+room.Code()+`"`) {
		t.Error("the desk does not say that only this computer reaches the room, or has no address")
	}
	if _, stage := get(t, h.URL+"/rooms/"+room.Code()+"/stage/01-first", "Cookie", r.Cookies()[0].Name+"="+r.Cookies()[0].Value); strings.Contains(stage, `id="door"`) {
		t.Error("a stage shows how to join where nobody can")
	}
}
