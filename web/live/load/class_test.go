package load

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"workbench/chapters"
)

// A class is a room of a server, its presenter and its followers.
type class struct {
	testing.TB
	base, code string
	first      string // the chapter with the widget that is stepped
	second     string // and another
	widget     string
	last       int    // step of it
	launch     string // the request for a run of it, without its kind
	browser    *http.Transport
	loaded     atomic.Int64 // bytes of pages

	cookie    string // the presenter's
	stage     *stage
	followers []*follower
	stops     []context.CancelFunc
	pages     sync.WaitGroup

	sent []arrival // what was driven: the number of its news, and when
}

// join returns the class of a room, by its presenter's link.
func join(t testing.TB, link string) *class {
	t.Helper()
	c := &class{
		TB: t, first: "07-product-in-three-versions", second: "06-how-kernels-divide-work", widget: "tiled", last: 120,
		browser: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 16, MaxConnsPerHost: 64},
	}
	t.Cleanup(c.browser.CloseIdleConnections)
	base, secret, _ := strings.Cut(link, "/present/")
	c.base = base
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/present", strings.NewReader("secret="+secret))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := c.browser.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusSeeOther || len(answer.Cookies()) != 1 {
		t.Fatalf("the presenter's link answers %s", answer.Status)
	}
	cookie := answer.Cookies()[0]
	c.cookie = cookie.Name + "=" + cookie.Value
	c.code = strings.TrimPrefix(cookie.Name, "wb_room_")
	source, err := chapters.FS.ReadFile(c.first + "/tiled.cu")
	if err != nil {
		t.Fatal(err)
	}
	launch, err := json.Marshal(map[string]any{
		"device": "emulator", "record": [][]int{{0, 0, 0}},
		"kernel": map[string]any{"source": string(source), "launch": map[string]any{
			"source": "tiled.cu", "kernel": "product", "grid": []int{2, 2}, "block": []int{16, 16},
			"args": []any{
				map[string]any{"name": "a", "type": "f32", "shape": []int{32, 32}, "fill": "random", "seed": 1},
				map[string]any{"name": "b", "type": "f32", "shape": []int{32, 32}, "fill": "random", "seed": 2},
				map[string]any{"name": "c", "type": "f32", "shape": []int{32, 32}, "out": true},
				map[string]any{"name": "m", "type": "i32", "value": 32}, map[string]any{"name": "k", "type": "i32", "value": 32}, map[string]any{"name": "n", "type": "i32", "value": 32},
			},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c.launch = string(launch)
	c.stage = c.enter()
	t.Cleanup(func() {
		c.leave(0)
		c.stage.conn.Close()
	})
	return c
}

// come has followers come in.
func (c *class) come(n int, how manner) {
	for range n {
		f := &follower{c: c, id: len(c.followers), manner: how}
		ctx, stop := context.WithCancel(context.Background())
		c.followers, c.stops = append(c.followers, f), append(c.stops, stop)
		c.pages.Go(func() { f.follow(ctx) })
	}
}

// leave has all followers from a place on go.
func (c *class) leave(from int) {
	for _, stop := range c.stops[from:] {
		stop()
	}
	c.followers, c.stops = c.followers[:from], c.stops[:from]
	if from == 0 {
		c.pages.Wait()
	}
}

// patience is when the test is given up.
const patience = 2 * time.Minute

// all waits until all followers who do well show the news of a number with its values,
// or a later one.
func (c *class) all(seq int64) {
	c.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		behind := 0
		for _, f := range c.followers {
			if f.manner == well && f.shown.Load() < seq {
				behind++
			}
		}
		if behind == 0 {
			return
		}
		if time.Now().After(end) {
			for _, f := range c.followers {
				f.mu.Lock()
				if f.failure != nil {
					c.Error(f.failure)
				}
				f.mu.Unlock()
			}
			c.Fatalf("%d followers do not show the news %d", behind, seq)
		}
	}
}

// at holds that all show a step.
func (c *class) at(step int) {
	c.Helper()
	wrong := 0
	for _, f := range c.followers {
		if f.manner == well && f.shownAt.Load() != int64(step) {
			wrong++
		}
	}
	if wrong > 0 {
		c.Errorf("%d followers are not on step %d", wrong, step)
	}
}

// A stage is the page from which the presenter drives.
type stage struct {
	testing.TB
	conn  *websocket.Conn
	lease int
	ran   string // the view's
	texts string // likewise

	mu      sync.Mutex
	asked   int
	answers map[string]chan []byte
}

// enter connects the presenter's page.
func (c *class) enter() *stage {
	c.Helper()
	var conn *websocket.Conn
	var err error
	for end := time.Now().Add(patience); conn == nil; time.Sleep(20 * time.Millisecond) {
		conn, _, err = websocket.DefaultDialer.Dial("ws"+c.base[len("http"):]+"/rooms/"+c.code+"/live?as=stage&chapter="+c.first, http.Header{"Origin": {c.base}, "Cookie": {c.cookie}})
		if err != nil && time.Now().After(end) {
			c.Fatal(err)
		}
	}
	s := &stage{TB: c.TB, conn: conn, lease: 1, ran: "null", texts: "null", answers: map[string]chan []byte{}}
	go func() {
		for {
			_, text, err := conn.ReadMessage()
			if err != nil {
				return
			}
			s.mu.Lock()
			answer := s.answers[between(text[:min(len(text), 200)], `"id":"`, `"`)]
			s.mu.Unlock()
			if answer != nil && !strings.Contains(string(text[:min(len(text), 100)]), `"progress"`) {
				answer <- text
			}
		}
	}()
	return s
}

// send sends a request; what it returns waits for the answer.
func (s *stage) send(body string) (answer func() []byte) {
	s.Helper()
	s.mu.Lock()
	s.asked++
	id := fmt.Sprint("s", s.asked)
	waits := make(chan []byte, 1)
	s.answers[id] = waits
	s.mu.Unlock()
	if err := s.conn.WriteMessage(websocket.TextMessage, []byte(`{"v":1,"id":"`+id+`",`+body[1:])); err != nil {
		s.Fatal(err)
	}
	return func() []byte {
		s.Helper()
		select {
		case text := <-waits:
			if strings.Contains(string(text[:min(len(text), 100)]), `"error"`) {
				s.Fatalf("%.200s is answered by %s", body, text)
			}
			return text
		case <-time.After(patience):
			s.Fatalf("%.200s is not answered", body)
			return nil
		}
	}
}

// drive sends a drive. What it returns waits for the number of its news.
func (s *stage) drive(c *class, body string) (seq func() int64) {
	s.Helper()
	at := time.Now()
	answer := s.send(fmt.Sprintf(`{"type":"room","room":{"do":"drive","lease":%d,%s}}`, s.lease, body))
	return func() int64 {
		s.Helper()
		seq := int64(number(between(answer(), `"seq":`, `,`)))
		c.sent = append(c.sent, arrival{seq, at})
		return seq
	}
}

// step drives the widget to a step.
func (s *stage) step(c *class, step int) (seq func() int64) {
	s.Helper()
	return s.drive(c, fmt.Sprintf(`"chapter":%q,"widget":%q,"view":{"place":{"step":%d,"device":"emulator"},"texts":%s,"ran":%s,"running":false,"last":%d}`,
		c.first, c.widget, step, s.texts, s.ran, c.last))
}

// run runs the kernel, as a person who presses Run, and shows the results.
func (s *stage) run(c *class, n, step int) (seq func() int64) {
	s.Helper()
	s.send(`{"type":"launch","fresh":true,` + c.launch[1:])()
	s.ran = fmt.Sprintf(`{"n":%d,"texts":null,"device":"emulator"}`, n)
	return s.step(c, step)
}

// latencies are the times from what was driven to when it, or what came behind it, was
// shown with its values: of all followers who do well, sorted. Both lists begin anew.
func (c *class) latencies() (all []time.Duration) {
	for _, f := range c.followers {
		f.mu.Lock()
		arrivals := f.arrivals
		f.arrivals = nil
		f.mu.Unlock()
		if f.manner != well {
			continue
		}
		for _, s := range c.sent {
			if i := slices.IndexFunc(arrivals, func(a arrival) bool { return a.seq >= s.seq }); i >= 0 {
				all = append(all, arrivals[i].at.Sub(s.at))
			}
		}
	}
	c.sent = nil
	slices.Sort(all)
	return all
}
