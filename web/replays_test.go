package web

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"workbench/web/live"
)

// inRoom is a page's connection that sits somewhere.
type inRoom struct {
	t     *testing.T
	conn  *websocket.Conn
	asked int
}

func sit(t *testing.T, h *httptest.Server, path, cookie string) *inRoom {
	t.Helper()
	header := http.Header{"Origin": {h.URL}}
	if cookie != "" {
		header.Set("Cookie", cookie)
	}
	conn, _, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(h.URL, "http")+path, header)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	t.Cleanup(func() { conn.Close() })
	return &inRoom{t: t, conn: conn}
}

// ask sends a request and returns its answer as it came, without its ID.
func (p *inRoom) ask(request string) string {
	p.t.Helper()
	p.asked++
	id := fmt.Sprintf(`"id":"%d",`, p.asked)
	if err := p.conn.WriteMessage(websocket.TextMessage, []byte(`{"v":1,`+id+request+`}`)); err != nil {
		p.t.Fatal(err)
	}
	for {
		text := p.read()
		if answer, ok := strings.CutPrefix(string(text), `{"v":1,`+id); ok && !strings.Contains(string(text[:60]), `"type":"progress"`) {
			return answer
		}
	}
}

func (p *inRoom) read() []byte {
	p.t.Helper()
	if err := p.conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		p.t.Fatal(err)
	}
	_, text, err := p.conn.ReadMessage()
	if err != nil {
		p.t.Fatal(err)
	}
	return text
}

// waitFor reads until a message has all parts.
func (p *inRoom) waitFor(parts ...string) {
	p.t.Helper()
	for {
		text := string(p.read())
		if !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(text, part) }) {
			return
		}
	}
}

// upload sends a file as the form of the page of replays does.
func upload(t *testing.T, h *httptest.Server, name string, file []byte) (*http.Response, string) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("lesson", name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write(file); err != nil {
		t.Fatal(err)
	}
	form.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+"/replays", &body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Origin", h.URL)
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}

func unpack(t *testing.T, file []byte) string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestReplay teaches a lesson, saves it, and replays it on another server: what was
// shown is shown, and answered byte for byte as it was.
func TestReplay(t *testing.T) {
	for name, dir := range map[string]string{"kept": t.TempDir(), "not kept": ""} {
		t.Run(name, func(t *testing.T) {
			o := fixture()
			o.Rooms, o.Lessons = &RoomOptions{Dir: dir}, dir
			teaching, h := start(t, o)
			room, secret, err := teaching.Rooms().New("01-first")
			if err != nil {
				t.Fatal(err)
			}
			_, token, err := teaching.Rooms().Redeem(secret)
			if err != nil {
				t.Fatal(err)
			}
			at := "/rooms/" + room.Code() + "/live?chapter=01-first&as="
			stage := sit(t, h, at+"stage", cookieOf(room)+"="+token)
			class := sit(t, h, at+"follow", "")

			const (
				product = `"type":"run","example":"product","device":"cpu","input":{"left":[[1]],"right":[[2]]}`
				cell    = `"type":"explain","run":"page:by-hand","chapter":"01-first","step":2,"cell":[0,0,1]`
				broken  = `"type":"run","example":"product","device":"cpu","input":{"left":[[1]],"right":[[2,3],[4]]}`
			)
			drive := func(what string) {
				t.Helper()
				if got := stage.ask(`"type":"room","room":{"do":"drive","lease":1,` + what + `}`); !strings.Contains(got, `"type":"room"`) {
					t.Fatalf("drive %s is answered %s", what, got)
				}
			}
			view := func(step, ran int) string {
				return fmt.Sprintf(`"chapter":"01-first","widget":"by-hand","view":{"place":{"step":%d},"texts":null,"ran":{"n":%d,"texts":null,"device":"cpu"},"running":false,"last":4}`, step, ran)
			}
			if got := stage.ask(`"type":"room","room":{"do":"wheel","act":"take"}`); !strings.Contains(got, `"got":true`) {
				t.Fatalf("the wheel: %s", got)
			}
			first := stage.ask(product)
			drive(view(1, 1))
			explained := stage.ask(cell)
			mistake := stage.ask(broken)
			time.Sleep(5 * time.Millisecond) // two runs at one moment are one to a replay
			second := stage.ask(product + `,"fresh":true`)
			drive(view(2, 2))
			drive(`"chapter":"01-first","at":{"block":3},"pointer":{"block":3,"path":[0,1],"x":0.5,"y":1}`)
			say := func(p *inRoom, what string) {
				t.Helper()
				if got := p.ask(`"type":"room","room":{` + what + `}`); !strings.Contains(got, `"type":"room"`) {
					t.Fatalf("%s is answered %s", what, got)
				}
			}
			say(stage, `"do":"poll","act":"open","question":"What is C[0,1]?","kind":"number","answer":"12.5","about":{"chapter":"01-first","widget":"by-hand","step":2,"cell":"0,1"}`)
			say(class, `"do":"answer","poll":1,"text":"12.5"`)
			say(stage, `"do":"poll","act":"close"`)
			say(stage, `"do":"poll","act":"reveal"`)
			say(stage, `"do":"poll","act":"clear"`)
			say(stage, `"do":"poll","act":"open","question":"Which?","kind":"choice","choices":["a","b"]`)
			say(stage, `"do":"mode","mode":"locked"`)
			say(stage, `"do":"mode","mode":"follow"`)
			drive(`"chapter":"02-second"`)
			class.waitFor(`"kind":"state"`, `"02-second"`)
			if first == second || !strings.Contains(mistake, `"type":"error"`) {
				t.Fatalf("a fresh run is the old one: %.80s and %.80s; a wrong one is answered %.200s", first, second, mistake)
			}

			download := h.URL + "/rooms/" + room.Code() + "/lesson"
			if r, body := get(t, download); r.StatusCode != http.StatusForbidden {
				t.Errorf("the lesson is given to anybody: status %d, %d bytes", r.StatusCode, len(body))
			}
			r, saved := get(t, download, "Cookie", cookieOf(room)+"="+token)
			if r.StatusCode != http.StatusOK || !strings.Contains(r.Header.Get("Content-Disposition"), `filename="lesson-`) {
				t.Fatalf("the lesson is saved with status %d as %s", r.StatusCode, r.Header.Get("Content-Disposition"))
			}
			file := []byte(saved)
			text := unpack(t, file)
			for _, private := range []string{token, secret, room.Code()} {
				if strings.Contains(text, private) {
					t.Errorf("the lesson has %q in it", private)
				}
			}
			var secondAt int64
			for line := range strings.Lines(text) {
				var e live.Event
				if json.Unmarshal([]byte(line), &e) == nil && e.Answer != nil {
					secondAt = e.T
				}
			}

			if _, body := get(t, h.URL+"/replays"); !strings.Contains(body, "None is kept here yet") {
				t.Error("a lesson that goes on is listed to be replayed, or it is not said that none is")
			}
			stage.ask(`"type":"room","room":{"do":"end","share":true}`)
			if dir != "" {
				replayKept(t, h, room.Code())
				o := fixture()
				o.Lessons = dir
				_, later := start(t, o)
				replayKept(t, later, room.Code())
			}
			if r, _ := get(t, download); r.StatusCode != http.StatusOK {
				t.Errorf("a shared lesson is answered %d", r.StatusCode)
			}

			// On another machine.
			_, h = start(t, fixture())
			r, _ = upload(t, h, room.LessonName(), file)
			path := r.Header.Get("Location")
			if r.StatusCode != http.StatusSeeOther || !regexp.MustCompile(`^/replays/[\w-]+/chapters/01-first$`).MatchString(path) {
				t.Fatalf("a lesson is taken with status %d to %q", r.StatusCode, path)
			}
			base := strings.TrimSuffix(path, "chapters/01-first")
			if _, body := get(t, h.URL+path); !strings.Contains(body, `data-as="replay" data-live="`+base+`live" data-base="`+base+`chapters/" data-events="`+base+`events.json"`) {
				t.Errorf("the page of a replay is no room's: %.900s", body)
			}
			if _, body := get(t, h.URL+"/replays"); !strings.Contains(body, `href="`+base+`chapters/02-second"`) {
				t.Error("the page of replays does not list the lesson's chapters")
			}
			replayed := sit(t, h, base+"live", "")
			for request, want := range map[string]string{
				product: first, product + fmt.Sprintf(`,"at":%d`, secondAt-1): first, product + fmt.Sprintf(`,"at":%d`, secondAt): second,
				cell: explained, broken: mistake,
			} {
				if got := replayed.ask(request); got != want {
					t.Errorf("%s is answered\n%.300s\nand in the lesson\n%.300s", request, got, want)
				}
			}
			for request, code := range map[string]string{
				strings.Replace(product, "[[2]]", "[[3]]", 1):   "follower",
				`"type":"devices"`:                              "forbidden",
				`"type":"room","room":{"do":"drive","lease":1}`: "forbidden",
			} {
				if got := replayed.ask(request); !strings.Contains(got, `"code":"`+code+`"`) {
					t.Errorf("%s is answered %.300s, want the code %s", request, got, code)
				}
			}

			var events struct {
				Duration int64
				Chapters []replayChapter
				Events   []live.Event
			}
			r, body := get(t, h.URL+base+"events.json")
			if err := json.Unmarshal([]byte(body), &events); err != nil {
				t.Fatalf("%v in %s", err, body)
			}
			var shown []string
			chapter := ""
			for _, e := range events.Events {
				switch n := e.News; n.Kind {
				case "widget":
					shown = append(shown, fmt.Sprintf("%s %d of run %d", n.Widget.Widget, *n.Widget.View.Place.Step, n.Widget.View.Ran.N))
				case "poll":
					if n.Poll == nil {
						shown = append(shown, "no poll")
					} else if at := fmt.Sprintf("poll %d %s %s", n.Poll.N, n.Poll.State, n.Poll.Answer); shown[len(shown)-1] != at {
						shown = append(shown, at)
					}
				case "pointer":
					shown = append(shown, "pointer")
				case "state":
					if n.State.Chapter != chapter {
						chapter = n.State.Chapter
						shown = append(shown, chapter)
					}
				}
			}
			if want := []string{"01-first", "by-hand 1 of run 1", "by-hand 2 of run 2", "pointer", "poll 1 open ", "poll 1 closed ", "poll 1 revealed 12.5", "no poll", "poll 2 open ", "02-second"}; !slices.Equal(shown, want) {
				t.Errorf("the replay shows %q, want %q", shown, want)
			}
			if len(events.Chapters) != 2 || events.Chapters[0] != (replayChapter{Slug: "01-first", Title: "First & foremost"}) {
				t.Errorf("the lesson's chapters are %+v", events.Chapters)
			}
			if r, _ := get(t, h.URL+base+"events.json", "If-None-Match", r.Header.Get("ETag")); r.StatusCode != http.StatusNotModified {
				t.Errorf("the same events again: status %d", r.StatusCode)
			}

			// A file that somebody changed, and one of a chapter that has changed since.
			lines := strings.SplitAfter(text, "\n")
			lines[3] = strings.Replace(lines[3], `"t":`, `"t":-1`, 1)
			if r, body := upload(t, h, "x.jsonl", []byte(strings.Join(lines, ""))); r.StatusCode != http.StatusBadRequest || !strings.Contains(body, "The file was not taken: line 4: the time") {
				t.Errorf("a changed file: status %d, %.2000s", r.StatusCode, body)
			}
			other := strings.Replace(text, `"slug":"01-first","title":"First \u0026 foremost","version":"`, `"slug":"01-first","title":"","version":"0`, 1)
			r, _ = upload(t, h, "x.jsonl", []byte(other))
			base = strings.TrimSuffix(r.Header.Get("Location"), "chapters/01-first")
			if _, body := get(t, h.URL+base+"events.json"); !strings.Contains(body, `{"slug":"01-first","title":"First \u0026 foremost","changed":true,"gone":false}`) {
				t.Errorf("nobody is told that the chapter has changed: %.300s", body)
			}
		})
	}
}

// replayKept replays a lesson that was given on this machine, from the list.
func replayKept(t *testing.T, h *httptest.Server, code string) {
	t.Helper()
	if _, body := get(t, h.URL+"/replays"); !regexp.MustCompile(`(?s)name="code" value="` + code + `">.*?>First &amp; foremost</button>.*?; \d+ s; then “Second”<`).MatchString(body) {
		t.Errorf("the lesson is not listed: %s", body)
	}
	choose := func(code, origin string) *http.Response {
		r, _ := do(t, http.MethodPost, h.URL+"/replays/kept?code="+code, "Origin", origin)
		return r
	}
	r := choose(code, h.URL)
	path := r.Header.Get("Location")
	if r.StatusCode != http.StatusSeeOther || !strings.HasSuffix(path, "/chapters/01-first") {
		t.Fatalf("the lesson is answered %s, to %q", r.Status, path)
	}
	if _, body := get(t, h.URL+path); !strings.Contains(body, `data-as="replay"`) {
		t.Error("it leads to no replay")
	}
	if again := choose(code, h.URL); again.Header.Get("Location") != path {
		t.Errorf("it is loaded twice: %q", again.Header.Get("Location"))
	}
	for code, want := range map[string]int{"": http.StatusNotFound, "ABCDEF": http.StatusNotFound, "..": http.StatusNotFound} {
		if r := choose(code, h.URL); r.StatusCode != want {
			t.Errorf("the code %q is answered %s", code, r.Status)
		}
	}
	if r := choose(code, "http://evil.example"); r.StatusCode != http.StatusForbidden {
		t.Errorf("another site's page is answered %s", r.Status)
	}
}

// TestReplaysKept: a few lessons are kept, and none is for another machine.
func TestReplaysKept(t *testing.T) {
	s, h := start(t, fixture())
	lesson := `{"format":"workbench lesson","version":1,"title":"T","began":"2026-11-30T10:00:00Z","build":"b"}` + "\n" +
		`{"t":0,"chapter":{"slug":"SLUG","title":"T","version":""}}` + "\n"
	var first string
	for i := range mostReplays + 1 {
		r, _ := upload(t, h, "x", []byte(strings.Replace(lesson, "SLUG", "01-first", 1)))
		if r.StatusCode != http.StatusSeeOther {
			t.Fatalf("lesson %d: status %d", i, r.StatusCode)
		}
		if i == 0 {
			first = r.Header.Get("Location")
			page := sit(t, h, strings.Replace(first, "chapters/01-first", "live", 1), "")
			defer func() {
				if err := page.conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
					t.Fatal(err)
				}
				for {
					_, _, err := page.conn.ReadMessage()
					if websocket.IsCloseError(err, websocket.ClosePolicyViolation) {
						return
					}
					if err != nil {
						t.Fatalf("a page of a lesson that was put away: %v", err)
					}
				}
			}()
		}
	}
	if r, _ := get(t, h.URL+first); r.StatusCode != http.StatusNotFound {
		t.Errorf("the oldest lesson answers %d after %d others", r.StatusCode, mostReplays)
	}
	for name, file := range map[string]string{"": "no file was chosen", strings.Replace(lesson, "SLUG", "77-nowhere", 1): "no such chapter is served here"} {
		filename := "x"
		if name == "" {
			filename = ""
		}
		if r, body := upload(t, h, filename, []byte(name)); r.StatusCode != http.StatusBadRequest || !strings.Contains(body, file) {
			t.Errorf("%q: status %d, want %q in %.1500s", name, r.StatusCode, file, body)
		}
	}
	for _, path := range []string{"/replays", first} {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Host, r.RemoteAddr = "localhost", "192.0.2.7:4711"
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		if w.Code != http.StatusForbidden {
			t.Errorf("%s answers another machine with %d", path, w.Code)
		}
	}
}
