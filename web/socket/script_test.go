package socket_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"workbench/engine/experiment"
	"workbench/engine/trace"
	"workbench/web/run/runtest"
	"workbench/web/socket"
)

// A server under test, with a runner that a test can step into.
type server struct {
	*httptest.Server
	hub    *socket.Hub
	runner *runtest.Runner
	log    *runtest.Log
}

func serve(t testing.TB, limits socket.Limits) *server {
	return serveWith(t, &runtest.Runner{}, limits)
}

func serveWith(t testing.TB, runner *runtest.Runner, limits socket.Limits) *server {
	s := &server{runner: runner, log: &runtest.Log{}}
	s.hub = socket.NewHub(socket.Options{
		Runner: s.runner, Host: runtest.Infos[:2],
		PageTrace: func(chapter, widget string) *trace.Trace {
			if chapter != "01-one" || widget != "by-hand" {
				return nil
			}
			return runtest.Product("cpu")
		},
		PageOutcome: func(chapter, widget string, which int) *experiment.Outcome {
			if chapter != "01-test" || widget != "add" || which != 1 {
				return nil
			}
			return runtest.Outcome("emulator", 1)
		},
		Build: "build 1", Reload: true, Limits: limits,
		Logger: slog.New(slog.NewTextHandler(s.log, nil)),
	})
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.hub.ServeHTTP(w, r); err != nil {
			http.Error(w, err.Error(), http.StatusTeapot)
		}
	}))
	t.Cleanup(func() {
		s.hub.Close()
		s.Close()
	})
	return s
}

// A page is one client.
type page struct {
	testing.TB
	*websocket.Conn
	hello map[string]any
}

// open connects and reads the greeting.
func (s *server) open(t testing.TB) page {
	t.Helper()
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(s.URL, "http"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	p := page{t, conn, nil}
	p.hello = p.expect(`{"v":1,"type":"hello","build":"build 1","reload":true}`)
	return p
}

func (p page) send(text string) {
	p.Helper()
	if err := p.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		p.Fatalf("send: %v", err)
	}
}

// read returns the next message that is about this page alone. The list of
// devices comes to all when it comes.
func (p page) read() map[string]any {
	p.Helper()
	for {
		if m := p.next(); m["type"] != socket.Devices || m["id"] != nil {
			return m
		}
	}
}

// next reads one message.
func (p page) next() map[string]any {
	p.Helper()
	if err := p.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		p.Fatal(err)
	}
	_, text, err := p.ReadMessage()
	if err != nil {
		p.Fatalf("read: %v", err)
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		p.Fatalf("read %s: %v", text, err)
	}
	return m
}

// expect reads one message, which must have at least what is wanted.
func (p page) expect(want string) map[string]any {
	p.Helper()
	got := p.read()
	if missing := lacks(got, want); missing != "" {
		text, _ := json.Marshal(got)
		p.Fatalf("message is\n\t%.600s\nwant %s", text, missing)
	}
	return got
}

// lacks names what an object is without.
func lacks(got map[string]any, want string) string {
	var fields map[string]any
	if err := json.Unmarshal([]byte(want), &fields); err != nil {
		panic(err)
	}
	for name, value := range fields {
		text, isText := value.(string)
		if start, ok := strings.CutSuffix(text, "…"); isText && ok {
			if has, _ := got[name].(string); strings.HasPrefix(has, start) {
				continue
			}
		} else if reflect.DeepEqual(got[name], value) {
			continue
		}
		return fmt.Sprintf("%s: %v", name, value)
	}
	return ""
}

const (
	runProduct   = `{"v":1,"type":"run","id":"%s","example":"product","device":"cpu","input":{"left":[[1,2]],"right":[[3],[4]]}}`
	launchKernel = `{"v":1,"type":"launch","id":"1","device":"emulator","record":[[0,0,0]],"kernel":{"source":"__global__ void k(float* x) {}","launch":{"source":"k.cu","kernel":"k","grid":[1],"block":[4],"args":[{"name":"x","type":"f32","shape":[4]}]}}}`
	oneInput     = `"input":{"left":[[1]],"right":[[1]]}`
)

// The conversation of a page, message by message. A line that ends in … gives
// the start of a text.
func TestScripts(t *testing.T) {
	long := strings.Repeat(" ", 1<<20)
	for name, script := range map[string][][2]string{
		"run, explain": {
			{fmt.Sprintf(runProduct, "7"), `{"v":1,"type":"trace","id":"7","run":"r1"}`},
			{`{"v":1,"type":"explain","id":"8","run":"r1","step":2,"cell":[0,0,1]}`, `{"type":"cell","id":"8","run":"r1","step":2}`},
			{`{"v":1,"type":"explain","id":"9","run":"page:by-hand","chapter":"01-one","step":2,"cell":[0,1,1]}`, `{"type":"cell","id":"9","run":"page:by-hand","step":2}`},
			{`{"v":1,"type":"explain","id":"a","run":"r1","step":0,"cell":[0,0,0]}`, `{"type":"error","id":"a","code":"input","field":"step"}`},
			{`{"v":1,"type":"explain","id":"b","run":"r1","step":99,"cell":[0,0,0]}`, `{"type":"error","id":"b","code":"input","field":"step","message":"step 99 does not exist: the run has 5"}`},
		},
		"a reduction's groups": {
			{`{"v":1,"type":"run","id":"1","example":"reduction","device":"cpu","input":{"input":[[1,2]],"axis":1}}`, `{"type":"trace","id":"1","run":"r1"}`},
			{`{"v":1,"type":"explain","id":"2","run":"r1","step":1,"cell":[0,1,1]}`, `{"type":"error","id":"2","code":"input","field":"cell","message":"a reduction's groups are named 0, group, 0, and the cell is [0, 1, 1]"}`},
		},
		"runs that are not kept": {
			{`{"v":1,"type":"explain","id":"1","run":"r1","step":2,"cell":[0,0,1]}`, `{"type":"error","id":"1","code":"unknown-run","next":"Run it again."}`},
			{`{"v":1,"type":"explain","id":"2","run":"page:other","chapter":"01-one","step":2,"cell":[0,0,1]}`, `{"type":"error","id":"2","code":"unknown-run","message":"There is no chapter \"01-one\" with a widget \"other\" that shows a run.","next":"Reload the page."}`},
			{`{"v":1,"type":"explain","id":"3","run":"page:by-hand","chapter":"02-two","step":2,"cell":[0,0,1]}`, `{"type":"error","id":"3","code":"unknown-run"}`},
		},
		"compare and devices": {
			{`{"v":1,"type":"compare","id":"1","devices":["cpu","cpu,fused"],"input":{"text":"ab"}}`, `{"type":"progress","id":"1","note":"cpu is done","done":1,"total":2}`},
			{"", `{"type":"report","id":"1"}`},
			// Another example than the decoder has its own inputs.
			{`{"v":1,"type":"compare","id":"5","devices":["cpu","cpu,fused"],"example":"product","input":{"left":[[1]],"right":[[2]]}}`, `{"type":"progress","id":"5"}`},
			{"", `{"type":"report","id":"5"}`},
			{`{"v":1,"type":"compare","id":"6","devices":["cpu","cpu,fused"],"example":"product","input":{"text":"ab"}}`, `{"type":"error","id":"6","code":"input","field":"text"}`},
			{`{"v":1,"type":"devices","id":"2"}`, `{"type":"devices","id":"2"}`},
		},
		"a kernel, run and stepped": {
			{launchKernel, `{"v":1,"type":"outcome","id":"1","run":"k1"}`},
			{`{"v":1,"type":"moment","id":"2","run":"k1","step":1}`, `{"type":"moment","id":"2","run":"k1","step":1}`},
			{`{"v":1,"type":"moment","id":"3","run":"k1","step":1,"goal":{"kind":"barrier"},"view":{"warps":[0],"shared":true}}`, `{"type":"moment","id":"3","step":2,"found":true}`},
			{`{"v":1,"type":"moment","id":"4","run":"k1","step":0,"goal":{"kind":"step","back":true}}`, `{"type":"moment","id":"4","step":0,"found":false}`},
			{`{"v":1,"type":"moment","id":"5","run":"k1","step":3}`, `{"type":"error","id":"5","code":"input","field":"step","message":"step 3 does not exist: the recording's run from 0 to 2"}`},
			{`{"v":1,"type":"moment","id":"6","run":"k1","step":0,"block":1}`, `{"type":"error","id":"6","code":"input","field":"block"}`},
			{`{"v":1,"type":"touched","id":"7","run":"k1","step":0,"to":3}`, `{"type":"touched","id":"7","run":"k1"}`},
			{`{"v":1,"type":"touched","id":"8","run":"k1","step":0,"to":4}`, `{"type":"error","id":"8","code":"input","field":"to"}`},
			{`{"v":1,"type":"values","id":"9","run":"k1","output":"nobody"}`, `{"type":"error","id":"9","code":"input","field":"output"}`},
			{`{"v":1,"type":"moment","id":"a","run":"page:add","chapter":"01-test","which":1,"step":2}`, `{"type":"moment","id":"a","step":2}`},
			{`{"v":1,"type":"moment","id":"b","run":"page:add","chapter":"01-test","which":2,"step":2}`, `{"type":"error","id":"b","code":"unknown-run","next":"Reload the page."}`},
			{`{"v":1,"type":"moment","id":"c","run":"k2","step":2}`, `{"type":"error","id":"c","code":"unknown-run","next":"Run it again."}`},
			{strings.Replace(launchKernel, `"shape":[4]`, `"shape":[-4]`, 1), `{"type":"error","id":"1","code":"input","field":"launch.args[0].shape[0]"}`},
			{`{"v":1,"type":"launch","id":"d","device":"emulator"}`, `{"type":"error","id":"d","code":"protocol","field":"kernel"}`},
			{`{"v":1,"type":"launch","id":"e","device":"emulator","kernel":{"source":"","launch":{}}}`, `{"type":"error","id":"e","code":"input","field":"launch.kernel"}`},
		},
		"a ladder": {
			{`{"v":1,"type":"ladder","id":"1","device":"cuda:0","precision":"float32","size":256}`, `{"type":"error","id":"1","code":"device","message":"cuda:0 is not available: no driver was found"}`},
			{`{"v":1,"type":"ladder","id":"2","device":"cpu","precision":"float32","size":256}`, `{"type":"progress","id":"2","note":"the naive version","done":1,"total":5}`},
			{"", `{"v":1,"type":"ladder","id":"2"}`},
			{`{"v":1,"type":"ladder","id":"3","device":"cuda:0","precision":"float32"}`, `{"type":"error","id":"3","code":"protocol","field":"size"}`},
			{`{"v":1,"type":"ladder","id":"4","device":"cuda:0","size":256}`, `{"type":"error","id":"4","code":"protocol","field":"precision"}`},
		},
		"mistakes in an input": {
			{`{"v":1,"type":"run","id":"1","example":"product","device":"cpu","input":{"left":[[1,2],[3]],"right":[[1]]}}`, `{"type":"error","id":"1","code":"input","field":"left","message":"row 1 has…"}`},
			{`{"v":1,"type":"run","id":"2","example":"product","device":"cpu","input":{"left":[[1,2]],"right":[[1,2]]}}`, `{"type":"error","id":"2","code":"input","field":"right"}`},
			{`{"v":1,"type":"run","id":"3","example":"product","device":"cpu","input":{"left":{"shape":[1000000,1000000],"values":[]},"right":[[1]]}}`, `{"type":"error","id":"3","code":"input","field":"left…"}`},
			{`{"v":1,"type":"run","id":"4","example":"reduction","device":"cpu","input":{"input":{"shape":[2,0],"values":[]},"axis":1}}`, `{"type":"error","id":"4","code":"input","field":"axis"}`},
			{`{"v":1,"type":"run","id":"5","example":"dance","device":"cpu","input":{}}`, `{"type":"error","id":"5","code":"input","field":"example"}`},
			{`{"v":1,"type":"run","id":"6","example":"product","device":"cpu"}`, `{"type":"error","id":"6","code":"input","field":"left"}`},
			{`{"v":1,"type":"run","id":"7","example":"decoder","device":"cpu","input":{"text":"\ud800"}}`, `{"type":"error","id":"7","code":"input","field":"text"}`},
		},
		"devices that are not there": {
			{`{"v":1,"type":"run","id":"1","example":"product","device":"gpu",` + oneInput + `}`, `{"type":"error","id":"1","code":"device","field":"device"}`},
			{`{"v":1,"type":"run","id":"2","example":"product","device":"cuda:0",` + oneInput + `}`, `{"type":"error","id":"2","code":"device","message":"cuda:0 is not available: no driver was found","next":"install one"}`},
			{`{"v":1,"type":"compare","id":"3","devices":["cpu","cuda:0"]}`, `{"type":"error","id":"3","code":"device"}`},
		},
		"messages that cannot be read, and the connection goes on": {
			{`{`, `{"type":"error","code":"protocol"}`},
			{"{\"v\":1,\"type\":\"devices\",\"id\":\"\xff\"}", `{"type":"error","code":"protocol","message":"A message has bytes that are not UTF-8."}`},
			{`{"v":1,"type":"dance","id":"1"}`, `{"type":"error","id":"1","code":"protocol"}`},
			{`{"v":2,"type":"devices","id":"2"}`, `{"type":"error","id":"2","code":"protocol","message":"The page speaks version 2 of the protocol, and this workbench version 1.","next":"Reload the page."}`},
			{`{"v":1,"type":"devices","id":"3","x":"` + long + `"}`, `{"type":"error","id":"3","code":"too-large","message":"A message is longer than 1048576 bytes, and was not read."}`},
			{`{"v":1,"type":"cancel","id":"never was"}`, ""},
			{`{"v":1,"type":"devices","id":"4"}`, `{"type":"devices","id":"4"}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := serve(t, socket.Limits{}).open(t)
			for _, line := range script {
				if line[0] != "" {
					p.send(line[0])
				}
				if line[1] != "" {
					p.expect(line[1])
				}
			}
		})
	}
}

// What a message shows is what the runner said, though it is wrong.
func TestMessagesShowWhatTheyAreTold(t *testing.T) {
	p := serve(t, socket.Limits{}).open(t)
	p.send(fmt.Sprintf(runProduct, "1"))
	got := p.expect(`{"type":"trace"}`)
	tensors := got["trace"].(map[string]any)["tensors"].([]any)
	if values := tensors[2].(map[string]any)["values"]; !reflect.DeepEqual(values, []any{1001.5, 12.5, 1e-7, -0.25}) {
		t.Errorf("C is %v", values)
	}
	if _, ok := got["elapsed_ms"].(float64); !ok {
		t.Errorf("the time it took is %v", got["elapsed_ms"])
	}
	p.send(`{"v":1,"type":"explain","id":"2","run":"r1","step":2,"cell":[0,0,1]}`)
	got = p.expect(`{"type":"cell"}`)
	text, _ := json.Marshal(got["chart"])
	if !strings.Contains(string(text), `"data":[{"value":5.5},{"value":6.25}]`) || !strings.Contains(string(text), `"data":[{"value":5.5},{"value":12.125}]`) {
		t.Errorf("the chart is %s", text)
	}
	if cell := got["cell"].(map[string]any); cell["agrees"] != false || cell["last"] != 12.125 {
		t.Errorf("the cell is %v", cell)
	}
}

// stall makes runs wait until their context ends or the test lets go.
func (s *server) stall() (release func()) {
	gate := make(chan struct{})
	s.runner.Before = func(ctx context.Context) error {
		select {
		case <-gate:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return sync.OnceFunc(func() { close(gate) })
}

// working waits until that many runs have begun.
func (s *server) working(t testing.TB, n int64) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); s.runner.Working.Load() != n; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d runs are at work, want %d", s.runner.Working.Load(), n)
		}
	}
}

func TestCancel(t *testing.T) {
	s := serve(t, socket.Limits{Working: 1, Progress: time.Hour})
	defer s.stall()()
	p := s.open(t)
	p.send(fmt.Sprintf(runProduct, "runs"))
	s.working(t, 1)
	p.send(fmt.Sprintf(runProduct, "waits"))
	p.send(`{"v":1,"type":"cancel","id":"waits"}`)
	p.expect(`{"type":"error","id":"waits","code":"cancelled"}`)
	p.send(`{"v":1,"type":"cancel","id":"runs"}`)
	p.expect(`{"type":"error","id":"runs","code":"cancelled"}`)
	s.working(t, 0)
}

func TestTimeLimit(t *testing.T) {
	s := serve(t, socket.Limits{RunTime: 20 * time.Millisecond})
	defer s.stall()()
	p := s.open(t)
	p.send(fmt.Sprintf(runProduct, "1"))
	p.expect(`{"type":"error","id":"1","code":"too-large","message":"The run took longer than a run may and was stopped."}`)
	// A measurement runs one product many times, and has a limit of its own.
	s = serve(t, socket.Limits{RunTime: time.Hour, Measuring: 20 * time.Millisecond})
	defer s.stall()()
	p = s.open(t)
	p.send(`{"v":1,"type":"ladder","id":"2","device":"cpu","precision":"float32","size":256}`)
	p.expect(`{"type":"error","id":"2","code":"too-large"}`)
}

// A long run gives signs of life, and none after its answer.
func TestProgress(t *testing.T) {
	s := serve(t, socket.Limits{Progress: 5 * time.Millisecond})
	release := s.stall()
	p := s.open(t)
	p.send(fmt.Sprintf(runProduct, "1"))
	p.expect(`{"type":"progress","id":"1","note":"product runs on cpu: …"}`)
	p.expect(`{"type":"progress","id":"1"}`)
	release()
	for p.read()["type"] == "progress" {
	}
	p.send(`{"v":1,"type":"devices","id":"2"}`)
	p.expect(`{"type":"devices","id":"2"}`)
}

// A page that asks for everything at once is told what is too much, and gets
// the rest.
func TestFlood(t *testing.T) {
	s := serve(t, socket.Limits{Working: 2, Waiting: 3, Progress: time.Hour})
	release := s.stall()
	p := s.open(t)
	const asked = 40
	for i := range asked {
		p.send(fmt.Sprintf(runProduct, fmt.Sprint(i)))
	}
	for i := 5; i < asked; i++ {
		p.expect(fmt.Sprintf(`{"type":"error","id":"%d","code":"busy"}`, i))
	}
	s.working(t, 2)
	release()
	answered := map[string]bool{}
	for range 5 {
		m := p.expect(`{"type":"trace"}`)
		answered[m["id"].(string)] = true
	}
	if len(answered) != 5 {
		t.Errorf("answered: %v", answered)
	}
}

func TestOneIDForTwoRequests(t *testing.T) {
	s := serve(t, socket.Limits{Progress: time.Hour})
	release := s.stall()
	p := s.open(t)
	p.send(fmt.Sprintf(runProduct, "1"))
	p.send(fmt.Sprintf(runProduct, "1"))
	m := p.expect(`{"type":"error","code":"protocol","message":"Two requests at once have the id 1."}`)
	if m["id"] != nil {
		t.Errorf("the answer has id %v: the page would take it for the first request's", m["id"])
	}
	release()
	p.expect(`{"type":"trace","id":"1"}`)
}

// Nothing runs on for a page that has gone.
func TestGoneInMidRun(t *testing.T) {
	s := serve(t, socket.Limits{Progress: time.Hour})
	defer s.stall()()
	p := s.open(t)
	for i := range 6 {
		p.send(fmt.Sprintf(runProduct, fmt.Sprint(i)))
	}
	s.working(t, 4)
	p.NetConn().Close() // without a word, as a crashed browser does
	s.working(t, 0)
}

// A message of 100 MB is refused without being kept, and the page goes on.
func TestHugeMessage(t *testing.T) {
	p := serve(t, socket.Limits{}).open(t)
	w, err := p.NextWriter(websocket.TextMessage)
	if err != nil {
		t.Fatal(err)
	}
	part := []byte(strings.Repeat("1,", 1<<19))
	for range 100 {
		if _, err := w.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	p.expect(`{"type":"error","code":"too-large"}`)
	p.send(`{"v":1,"type":"devices","id":"1"}`)
	p.expect(`{"type":"devices","id":"1"}`)
}

func TestBinaryMessage(t *testing.T) {
	p := serve(t, socket.Limits{}).open(t)
	if err := p.WriteMessage(websocket.BinaryMessage, []byte(`{"v":1,"type":"devices","id":"1"}`)); err != nil {
		t.Fatal(err)
	}
	p.expect(`{"type":"error","code":"protocol","message":"A message is binary: messages here are JSON text."}`)
}

// A run that panics is this page's answer and the log's business; the server
// goes on.
func TestPanic(t *testing.T) {
	s := serve(t, socket.Limits{})
	s.runner.Before = func(context.Context) error { panic("BUG: a secret") }
	p := s.open(t)
	p.send(fmt.Sprintf(runProduct, "1"))
	m := p.expect(`{"type":"error","id":"1","code":"internal"}`)
	if strings.Contains(fmt.Sprint(m), "secret") {
		t.Errorf("the page is told %v", m)
	}
	if !strings.Contains(s.log.String(), "BUG: a secret") {
		t.Errorf("the log has %q", s.log)
	}
	s.runner.Before = func(context.Context) error { return errors.New("another secret") }
	p.send(fmt.Sprintf(runProduct, "2"))
	if m := p.expect(`{"type":"error","id":"2","code":"internal"}`); strings.Contains(fmt.Sprint(m), "secret") || !strings.Contains(s.log.String(), "another secret") {
		t.Errorf("the page is told %v, the log %q", m, s.log)
	}
}

func TestTraceTooLargeForAPage(t *testing.T) {
	p := serve(t, socket.Limits{Values: 3}).open(t)
	p.send(fmt.Sprintf(runProduct, "1"))
	p.expect(`{"type":"error","id":"1","code":"too-large","message":"The run has 12 values, and a page takes at most 3."}`)
}

func TestTooManyPages(t *testing.T) {
	s := serve(t, socket.Limits{Pages: 1})
	first := s.open(t)
	_, r, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(s.URL, "http"), nil)
	if err == nil || r == nil || r.StatusCode != http.StatusTeapot {
		t.Fatalf("a second page: %v", err)
	}
	first.Close()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(s.URL, "http"), nil)
		if err == nil {
			conn.Close()
			return
		}
		if time.Now().After(end) {
			t.Fatalf("after the first page has gone: %v", err)
		}
	}
}

func TestNotASocket(t *testing.T) {
	s := serve(t, socket.Limits{})
	r, err := http.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusTeapot {
		t.Errorf("an ordinary request: status %d", r.StatusCode)
	}
}

// A page that answers no ping is gone; one that answers stays.
func TestPing(t *testing.T) {
	s := serve(t, socket.Limits{Ping: 10 * time.Millisecond, Silence: 500 * time.Millisecond})
	// read reads until the page is told what is wanted, or its end. Reading answers pings.
	read := func(c page, want string) error {
		for {
			if _, text, err := c.ReadMessage(); err != nil || want != "" && strings.Contains(string(text), want) {
				return err
			}
		}
	}
	alive := s.open(t)
	answered := make(chan error, 1)
	go func() { answered <- read(alive, `"id":"later"`) }()
	dead := s.open(t)
	dead.SetPingHandler(func(string) error { return nil })
	if err := dead.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if err := read(dead, ""); strings.Contains(err.Error(), "timeout") {
		t.Errorf("a page that answers no ping ended with %v", err)
	}
	if err := alive.WriteMessage(websocket.TextMessage, []byte(`{"v":1,"type":"devices","id":"later"}`)); err != nil {
		t.Fatal(err)
	}
	if err := <-answered; err != nil {
		t.Errorf("a page that answers pings ended too: %v", err)
	}
}

// A page that does not read is given up, and nobody else waits for it.
func TestSlowPage(t *testing.T) {
	s := serve(t, socket.Limits{Write: 100 * time.Millisecond})
	slow, quick := s.open(t), s.open(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		// It asks and asks, until the connection breaks under it.
		for i := 0; ; i++ {
			if slow.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"v":1,"type":"dance","id":"%d"}`, i)) != nil {
				return
			}
		}
	}()
	for i := range 40 {
		p := fmt.Sprint(i)
		quick.send(fmt.Sprintf(runProduct, p))
		quick.expect(`{"type":"trace","id":"` + p + `"}`)
	}
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Error("a page that does not read is still served")
	}
}

func TestReload(t *testing.T) {
	s := serve(t, socket.Limits{})
	a, b := s.open(t), s.open(t)
	s.hub.Reload("01-one")
	for _, p := range []page{a, b} {
		p.expect(`{"v":1,"type":"reload","chapter":"01-one"}`)
	}
}

// TestExercises tells open pages which versions there are, and those that come
// later the last of them, after the greeting.
func TestExercises(t *testing.T) {
	s := serve(t, socket.Limits{})
	a, b := s.open(t), s.open(t)
	for _, version := range []string{"first", "second"} {
		s.hub.Exercises(map[string]string{"": version, "6": "chapter"})
		for _, p := range []page{a, b} {
			p.expect(`{"v":1,"type":"exercises","versions":{"":"` + version + `","6":"chapter"}}`)
		}
	}
	s.open(t).expect(`{"v":1,"type":"exercises","versions":{"":"second","6":"chapter"}}`)
}

func TestClose(t *testing.T) {
	s := serve(t, socket.Limits{})
	defer s.stall()()
	p := s.open(t)
	p.send(fmt.Sprintf(runProduct, "1"))
	s.working(t, 1)
	s.hub.Close()
	s.working(t, 0)
	for {
		if err := p.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		_, _, err := p.ReadMessage()
		if err == nil {
			continue // what was on its way
		}
		if !websocket.IsCloseError(err, websocket.CloseGoingAway) {
			t.Errorf("the page ended with %v, want it to be told that the server stops", err)
		}
		break
	}
	if _, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(s.URL, "http"), nil); err == nil {
		t.Error("a closed hub took a page")
	}
}
