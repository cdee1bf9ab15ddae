package live_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"workbench/engine/experiment"
	"workbench/engine/trace"
	"workbench/web/live"
	"workbench/web/run/runtest"
	"workbench/web/socket"
)

// A school is a server under test: real rooms, a real hub, and a runner that lies and
// counts.
type school struct {
	testing.TB
	rooms  *live.Rooms
	hub    *socket.Hub
	runner *runtest.Runner
	runs   atomic.Int64 // that the runner began, looks at cells included
	log    *runtest.Log
	server *httptest.Server
	dir    string
	text   atomic.Int64 // the version of the chapters
	closed bool
}

// course is of two chapters.
type course struct{}

func (course) Chapter(slug string) (string, bool) {
	title, ok := map[string]string{"01-one": "One", "02-two": "Two"}[slug]
	return title, ok
}

func (course) Widget(slug, id string) bool {
	return slices.Contains(map[string][]string{"01-one": {"add", "by-hand"}, "02-two": {"tiles"}}[slug], id)
}

func (course) Exercise(id string) (string, bool) {
	title, ok := map[string]string{"guard": "Guard the edge", "stride": "Strides"}[id]
	return title, ok
}

// open starts a server. Followers wait for no run unless a test says so: none is a
// matter of time.
func open(t testing.TB, dir string, limits live.Limits) *school {
	return openWith(t, &runtest.Runner{}, dir, limits)
}

func openWith(t testing.TB, runner *runtest.Runner, dir string, limits live.Limits) *school {
	s := &school{TB: t, runner: runner, log: &runtest.Log{}, dir: dir}
	s.runner.Before = func(context.Context) error { s.runs.Add(1); return nil }
	if limits.Wait == 0 {
		limits.Wait = time.Nanosecond
	}
	logger := slog.New(slog.NewTextHandler(s.log, nil))
	s.hub = socket.NewHub(socket.Options{
		Runner: s.runner, Host: runtest.Infos[:2], Logger: logger, Build: "build 1",
		PageTrace: func(chapter, widget string) *trace.Trace {
			if chapter != "01-one" || widget != "by-hand" {
				return nil
			}
			return runtest.Product("cpu")
		},
		PageOutcome: func(chapter, widget string, which int) *experiment.Outcome {
			if chapter != "01-one" || widget != "add" {
				return nil
			}
			return runtest.Outcome("emulator", 1)
		},
	})
	var err error
	s.rooms, err = live.Open(live.Options{Hub: s.hub, Course: course{}, Version: func(string) string { return fmt.Sprint(s.text.Load()) }, Dir: dir, Build: "build 1", Logger: logger, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		room := s.rooms.Room(q.Get("room"))
		if room == nil {
			http.Error(w, "no room", http.StatusNotFound)
			return
		}
		id, _ := room.Presenter(q.Get("token"))
		seat, err := room.Seat(live.Role(q.Get("as")), id, q.Get("name"))
		if err == nil {
			err = s.hub.ServeSeat(w, r, seat)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(s.close)
	return s
}

func (s *school) close() {
	if s.closed {
		return
	}
	s.closed = true
	s.hub.Close()
	if err := s.rooms.Close(); err != nil {
		s.Error(err)
	}
	s.server.Close()
}

// A lesson is a room and its presenter's cookie.
type lesson struct {
	*school
	room  *live.Room
	token string
}

// begin opens a room at the first chapter.
func (s *school) begin() lesson {
	s.Helper()
	room, secret, err := s.rooms.New("01-one")
	if err != nil {
		s.Fatal(err)
	}
	return lesson{s, room, s.redeem(secret)}
}

func (s *school) redeem(secret string) (token string) {
	s.Helper()
	_, token, err := s.rooms.Redeem(secret)
	if err != nil {
		s.Fatal(err)
	}
	return token
}

// again returns the lesson at a server that was started after its own.
func (l lesson) again(s *school) lesson {
	s.Helper()
	room := s.rooms.Room(l.room.Code())
	if room == nil {
		s.Fatalf("the room %s is gone; the log:\n%s", l.room.Code(), s.log)
	}
	return lesson{s, room, l.token}
}

// A page is one client. All that it is told is kept in order.
type page struct {
	testing.TB
	conn *websocket.Conn
	you  map[string]any
	all  map[string]any // the first news
	last int            // of its requests

	mu   sync.Mutex
	told []map[string]any
	raw  [][]byte
	gone error
	more chan struct{} // closed when there is more
	read int           // of told, by news
}

// enter connects, and waits until the page knows the room.
func (l lesson) enter(as live.Role, token, name string) *page {
	l.Helper()
	p, err := l.dial(as, token, name)
	if err != nil {
		l.Fatal(err)
	}
	p.all = p.news("all", `{}`)
	p.you = p.all["you"].(map[string]any)
	return p
}

func (l lesson) dial(as live.Role, token, name string) (*page, error) {
	address := fmt.Sprintf("ws%s/?room=%s&as=%s&token=%s&name=%s", strings.TrimPrefix(l.server.URL, "http"), l.room.Code(), as, token, name)
	conn, response, err := websocket.DefaultDialer.Dial(address, nil)
	if err != nil {
		if response != nil {
			err = fmt.Errorf("%w: status %d", err, response.StatusCode)
		}
		return nil, err
	}
	l.Cleanup(func() { conn.Close() })
	p := &page{TB: l.TB, conn: conn, more: make(chan struct{})}
	go func() {
		for {
			_, text, err := conn.ReadMessage()
			var m map[string]any
			if err == nil {
				err = json.Unmarshal(text, &m)
			}
			p.mu.Lock()
			p.gone = err
			if err == nil {
				p.told, p.raw = append(p.told, m), append(p.raw, text)
			}
			close(p.more)
			p.more = make(chan struct{})
			p.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return p, nil
}

func (l lesson) stage() *page               { return l.enter(live.AsStage, l.token, "stage") }
func (l lesson) follower(name string) *page { return l.enter(live.AsFollow, "", name) }

// tooLong is when a test is given up.
const tooLong = 20 * time.Second

// find waits for the first message from a place on that fits.
func (p *page) find(from int, what string, fits func(map[string]any) bool) (at int, m map[string]any) {
	p.Helper()
	patience := time.After(tooLong)
	for at = from; ; {
		p.mu.Lock()
		for ; at < len(p.told); at++ {
			if fits(p.told[at]) {
				m = p.told[at]
				p.mu.Unlock()
				return at, m
			}
		}
		more, gone := p.more, p.gone
		p.mu.Unlock()
		if gone != nil {
			p.Fatalf("the page was told nothing like %s and is gone: %v", what, gone)
		}
		select {
		case <-more:
		case <-patience:
			p.mu.Lock()
			defer p.mu.Unlock()
			var got strings.Builder
			for _, text := range p.raw[min(from, len(p.raw)):] {
				fmt.Fprintf(&got, "\t%.400s\n", text)
			}
			p.Fatalf("the page was told nothing like %s, but\n%s", what, got.String())
		}
	}
}

// news waits for news of a kind that has what is wanted, behind what was waited for before.
func (p *page) news(kind, want string) map[string]any {
	p.Helper()
	at, m := p.find(p.read, kind+" "+want, func(m map[string]any) bool { return isNews(m, kind) && has(m["room"], decode(want)) })
	p.read = at + 1
	return m["room"].(map[string]any)
}

func isNews(m map[string]any, kind string) bool {
	news, ok := m["room"].(map[string]any)
	return ok && m["id"] == nil && (kind == "" || news["kind"] == kind)
}

// heard returns all news of a kind so far. Whatever was told before the page's last
// request was answered is there.
func (p *page) heard(kind string) (all []map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.told {
		if isNews(m, kind) {
			all = append(all, m["room"].(map[string]any))
		}
	}
	return all
}

// send sends a request, and returns its ID.
func (p *page) send(body string) (id string) {
	p.Helper()
	p.last++
	id = fmt.Sprint("q", p.last)
	p.write(fmt.Sprintf(`{"v":1,"id":%q,%s`, id, strings.TrimPrefix(body, "{")))
	return id
}

func (p *page) write(text string) {
	p.Helper()
	if err := p.conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		p.Fatal(err)
	}
}

// answer waits for the answer to a request, and returns its text too, without the ID.
func (p *page) answer(id string) (m map[string]any, text string) {
	p.Helper()
	at, m := p.find(0, "an answer to "+id, func(m map[string]any) bool { return m["id"] == id && m["type"] != "progress" })
	p.mu.Lock()
	defer p.mu.Unlock()
	return m, strings.Replace(string(p.raw[at]), fmt.Sprintf(`"id":%q,`, id), "", 1)
}

// ask sends a request and waits for its answer, which must have what is wanted.
func (p *page) ask(body, want string) (text string) {
	p.Helper()
	m, text := p.answer(p.send(body))
	if !has(m, decode(want)) {
		p.Fatalf("%s\nis answered by %.600s\nwant %s", body, text, want)
	}
	return text
}

// say says something to the room, which must answer as wanted.
func (p *page) say(said, want string) (text string) {
	p.Helper()
	return p.ask(`{"type":"room","room":`+said+`}`, want)
}

const fine = `{"type":"room"}`

// drive says drive with the lease that the page knows.
func (p *page) drive(lease int, more string) {
	p.Helper()
	p.say(fmt.Sprintf(`{"do":"drive","lease":%d,%s}`, lease, more), fine)
}

func refused(code string) string { return fmt.Sprintf(`{"type":"error","code":%q}`, code) }

func decode(text string) (v any) {
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		panic(text + ": " + err.Error())
	}
	return v
}

// has reports whether a value has at least what is wanted; of a list, all.
func has(got, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		for name, value := range want {
			ok = ok && has(object[name], value)
		}
		return ok
	case []any:
		list, ok := got.([]any)
		ok = ok && len(list) == len(want)
		for i := range want {
			ok = ok && has(list[i], want[i])
		}
		return ok
	}
	return reflect.DeepEqual(got, want)
}

// Requests of widgets.
const (
	runProduct = `{"type":"run","example":"product","device":"cpu","input":{"left":[[1,2]],"right":[[3],[4]]}}`
	explainOne = `{"type":"explain","run":"page:by-hand","chapter":"01-one","step":2,"cell":[0,0,1]}`
	launchK    = `{"type":"launch","device":"emulator","record":[[0,0,0]],"kernel":{"source":"__global__ void k(float* x) {}","launch":{"source":"k.cu","kernel":"k","grid":[1],"block":[4],"args":[{"name":"x","type":"f32","shape":[4]}]}}}`
)

// fresh is a request that a person made by pressing Run.
func fresh(body string) string { return `{"fresh":true,` + strings.TrimPrefix(body, "{") }
