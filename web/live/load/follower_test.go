package load

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// A manner is how a follower's network does.
type manner int

const (
	well manner = iota
	slow        // reads 1 KB a second
	dead        // connects, and never reads
)

// A follower is one page of the class.
type follower struct {
	c      *class
	id     int
	manner manner
	cookie string

	// What it shows. Only its own goroutine changes these.
	chapter  string
	run      string // of the widget's results; "" for those of the page
	ran      int    // their number
	running  string // the ID of the request for them, or ""
	step     int
	at       int64 // the number of the news that it shows, or waits to show
	kept     map[int]bool
	asking   int // the step of the moment that it has asked for, or -1
	requests int

	shown   atomic.Int64 // the number of the latest news that it shows with its values
	shownAt atomic.Int64 // and the step

	mu       sync.Mutex
	arrivals []arrival
	failure  error // that ended it
}

// arrival is when news was shown with its values.
type arrival struct {
	seq int64
	at  time.Time
}

// follow is a page's life: it ends with ctx.
func (f *follower) follow(ctx context.Context) {
	f.chapter = f.c.first
	failures := 0
	load := true
	for ctx.Err() == nil {
		var conn *websocket.Conn
		var err error
		if load && f.manner == well {
			err = f.load(ctx)
		}
		if err == nil {
			load = false
			conn, err = f.connect(ctx)
		}
		if err == nil {
			failures = 0
			stop := context.AfterFunc(ctx, func() { conn.Close() })
			load = f.listen(ctx, conn)
			stop()
			conn.Close()
			if load {
				continue // it goes to another chapter
			}
		}
		// model/live.js: half of the pause is fixed and half random, 4 s is the longest.
		pause := min(4*time.Second, 500*time.Millisecond<<failures)
		failures = min(failures+1, 4)
		select {
		case <-time.After(pause/2 + rand.N(pause/2)):
		case <-ctx.Done():
		}
	}
}

// load loads the page of the chapter where the class is, as a browser does.
func (f *follower) load(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.c.base+"/rooms/"+f.c.code+"/chapters/"+f.chapter, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept-Encoding", "gzip")
	if f.cookie != "" {
		r.Header.Set("Cookie", f.cookie)
	}
	answer, err := f.c.browser.RoundTrip(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	n, err := io.Copy(io.Discard, answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the page answers %s", answer.Status)
	}
	f.c.loaded.Add(n)
	for _, c := range answer.Cookies() {
		f.cookie = c.Name + "=" + c.Value
	}
	return nil
}

func (f *follower) connect(ctx context.Context) (*websocket.Conn, error) {
	dialer := websocket.Dialer{HandshakeTimeout: 20 * time.Second, ReadBufferSize: 8 << 10, WriteBufferSize: 1 << 10, WriteBufferPool: &buffers}
	if f.manner != well {
		dialer.NetDialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
			if err == nil {
				err = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
			}
			return &slowConn{conn, ctx, f}, err
		}
	}
	header := http.Header{"Origin": {f.c.base}}
	if f.cookie != "" {
		header.Set("Cookie", f.cookie)
	}
	conn, _, err := dialer.DialContext(ctx, "ws"+f.c.base[len("http"):]+"/rooms/"+f.c.code+"/live?as=follow&chapter="+f.chapter, header)
	return conn, err
}

var buffers sync.Pool

// slowConn reads slowly once the handshake is read.
type slowConn struct {
	net.Conn
	ctx context.Context
	f   *follower
}

func (s *slowConn) Read(p []byte) (int, error) {
	time.Sleep(time.Second)
	return s.Conn.Read(p[:min(len(p), 1<<10)])
}

// listen reads until the connection ends, or the lesson goes to another chapter, whose
// page is loaded next.
func (f *follower) listen(ctx context.Context, conn *websocket.Conn) (load bool) {
	f.kept, f.asking, f.running = map[int]bool{}, -1, ""
	if f.manner == dead {
		<-ctx.Done()
		return false
	}
	var buffer bytes.Buffer
	for {
		_, r, err := conn.NextReader()
		if err != nil {
			return false
		}
		buffer.Reset()
		if _, err := buffer.ReadFrom(io.LimitReader(r, 64<<10)); err != nil {
			return false
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			return false
		}
		if load, err := f.take(conn, buffer.Bytes()); load || err != nil {
			return load
		}
	}
}

// take takes a message. Of what is long, its beginning is enough.
func (f *follower) take(conn *websocket.Conn, text []byte) (load bool, err error) {
	switch id := between(text, `"id":"`, `"`); {
	case id != "" && bytes.Contains(text[:min(200, len(text))], []byte(`"type":"error"`)):
		return false, f.fail("%s is answered by %s", id, text)
	case id != "" && id[0] == 'm':
		f.asking = -1
		step, run := number(id[1:]), between(text, `"run":"`, `"`)
		if run == f.runName() {
			f.kept[step] = true
		}
		return false, f.want(conn)
	case id != "" && id == f.running:
		f.run, f.running, f.kept = between(text, `"run":"`, `"`), "", map[int]bool{}
		return false, f.want(conn)
	case id != "":
		return false, nil
	case bytes.HasPrefix(text, []byte(`{"v":1,"type":"room"`)):
		return f.news(conn, text)
	}
	return false, nil
}

func (f *follower) news(conn *websocket.Conn, text []byte) (load bool, err error) {
	kind, seq := between(text, `"kind":"`, `"`), int64(number(between(text, `"seq":`, `,`)))
	if kind == "all" || kind == "state" {
		if chapter := between(text, `"mode":"follow","chapter":"`, `"`); chapter != f.chapter {
			f.chapter, f.run, f.ran = chapter, "", 0
			return true, nil
		}
	}
	if f.chapter != f.c.first {
		f.show(seq)
		return false, nil
	}
	if kind == "all" {
		// Of the widgets, the one that is stepped.
		_, after, ok := bytes.Cut(text, []byte(`"widget":"`+f.c.widget+`"`))
		if !ok {
			f.show(seq)
			return false, nil
		}
		text = after
	} else if kind != "widget" || between(text, `"widget":"`, `"`) != f.c.widget {
		f.show(seq)
		return false, nil
	}
	f.at, f.step = seq, number(between(text, `"step":`, `,`))
	if ran := between(text, `"ran":{"n":`, `,`); ran != "" && number(ran) != f.ran {
		f.ran, f.requests = number(ran), f.requests+1
		f.running = fmt.Sprint("r", f.requests)
		return false, f.send(conn, `{"v":1,"type":"launch","id":"`+f.running+`",`+f.c.launch[1:])
	}
	return false, f.want(conn)
}

// runName is what the widget's results are called.
func (f *follower) runName() string {
	if f.run == "" {
		return "page:" + f.c.widget
	}
	return f.run
}

// want is what part/moments.js does: it shows the moment, or asks for it; where it is
// shown, it fetches the next.
func (f *follower) want(conn *websocket.Conn) error {
	if f.running != "" {
		return nil
	}
	next := f.step
	if f.kept[f.step] {
		f.show(f.at)
		next++
		if f.kept[next] || next > f.c.last {
			return nil
		}
	}
	if f.asking >= 0 {
		return nil
	}
	f.asking = next
	chapter := ""
	if f.run == "" {
		chapter = fmt.Sprintf(`"chapter":%q,"which":0,`, f.chapter)
	}
	return f.send(conn, fmt.Sprintf(`{"v":1,"type":"moment","id":"m%d","run":%q,%s"step":%d,"view":{"shared":true},"block":0}`, next, f.runName(), chapter, next))
}

func (f *follower) send(conn *websocket.Conn, text string) error {
	return conn.WriteMessage(websocket.TextMessage, []byte(text))
}

// show notes that news is shown with its values.
func (f *follower) show(seq int64) {
	if seq <= f.shown.Load() {
		return
	}
	f.mu.Lock()
	f.arrivals = append(f.arrivals, arrival{seq, time.Now()})
	f.mu.Unlock()
	f.shownAt.Store(int64(f.step))
	f.shown.Store(seq)
}

func (f *follower) fail(format string, args ...any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failure = fmt.Errorf("follower %d: "+format, append([]any{f.id}, args...)...)
	return f.failure
}

// between returns what stands between two texts, the first time.
func between(text []byte, before, after string) string {
	_, rest, ok := bytes.Cut(text, []byte(before))
	if !ok {
		return ""
	}
	if end := bytes.IndexAny(rest, after+"}"); end >= 0 {
		rest = rest[:end]
	}
	return string(rest)
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}
