package web

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gorilla/websocket"

	"workbench/assets"
	"workbench/chapters"
	"workbench/engine"
	"workbench/web/run"
	"workbench/web/run/runtest"
)

var update = flag.Bool("update", false, "write the golden pages anew")

// testAssets stand for the real ones, so that goldens do not change with them.
var testAssets = fstest.MapFS{
	"css/main.css":      {Data: []byte("main{}\n")},
	"css/desk.css":      {Data: []byte("desk{}\n")},
	"js/main.js":        {Data: []byte("import { say } from './part/say.js';\nsay('main');\n")},
	"js/desk.js":        {Data: []byte("import { say } from './part/say.js';\nsay('desk');\n")},
	"js/part/say.js":    {Data: []byte("export const say = console.log;\n")},
	"js/theme-early.js": {Data: []byte("// early\n")},
	"icons/favicon.svg": {Data: []byte("<svg/>")},
	"dist/README.md":    {Data: []byte("nothing")},
}

// fixture are options for the chapters of testdata and a runner that lies.
func fixture() Options {
	return Options{Chapters: os.DirFS("testdata/chapters"), Assets: testAssets, Runner: &runtest.Runner{}, Build: "test"}
}

func start(t testing.TB, o Options) (*Server, *httptest.Server) {
	t.Helper()
	s, err := New(o)
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
	return s, h
}

// get answers a request without following redirects.
func get(t testing.TB, url string, header ...string) (*http.Response, string) {
	t.Helper()
	return do(t, http.MethodGet, url, header...)
}

func do(t testing.TB, method, url string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		} else {
			r.Header.Set(header[i], header[i+1])
		}
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: write it with go test ./web -update, and read it", err)
	}
	if got == string(want) {
		return
	}
	a, b := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			line := func(s []string) string {
				if i < len(s) {
					return s[i]
				}
				return "(nothing)"
			}
			t.Fatalf("%s differs at line %d:\n\t%.400s\nwant\n\t%.400s\nIf that is meant: go test ./web -update, and read the difference.", name, i+1, line(a), line(b))
		}
	}
}

func TestGoldenPages(t *testing.T) {
	_, h := start(t, fixture())
	for path, test := range map[string]struct {
		golden string
		status int
	}{
		"/":                   {"contents.html", 200},
		"/chapters/01-first":  {"first.html", 200},
		"/chapters/02-second": {"second.html", 200},
		"/chapters/none":      {"missing.html", 404},
	} {
		r, body := get(t, h.URL+path)
		if r.StatusCode != test.status || r.Header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: status %d, %s", path, r.StatusCode, r.Header.Get("Content-Type"))
		}
		golden(t, test.golden, body)
	}
	o := fixture()
	o.AuthorDir = "testdata/author"
	_, h = start(t, o)
	_, body := get(t, h.URL+"/chapters/01-broken")
	golden(t, "broken.html", body)
	_, body = get(t, h.URL+"/")
	golden(t, "author.html", body)
}

// The bundle changes the page in one place: what its script is told.
func TestBundle(t *testing.T) {
	o := fixture()
	_, h := start(t, o)
	_, absent := get(t, h.URL+"/chapters/01-first")
	o.HasBundle = true
	_, h = start(t, o)
	_, present := get(t, h.URL+"/chapters/01-first")
	if want := strings.Replace(absent, `name="wb-bundle" content="absent"`, `name="wb-bundle" content="present"`, 1); present != want || present == absent {
		t.Error("the pages with and without the bundle differ in more than what they say of it")
	}
}

// The runner's numbers are on the page twice, in its data and in its tables,
// though no product has them.
func TestPageShowsWhatItIsTold(t *testing.T) {
	_, h := start(t, fixture())
	_, body := get(t, h.URL+"/chapters/01-first")
	for _, want := range []string{
		`"values":[1001.5,12.5,1e-07,-0.25]`, "<td>1001.5</td>", "<td>1e-7</td>",
		`"sum":12.125`, "<td>12.125</td>",
		`"values":[33.5,1e+21]`, "<td>33.5</td>", "<td>1e+21</td>",
		`"indices":[0,2,1,33]`, "<td>33</td>",
		"4711</td>", `"loss":77.75`, "Loss 77.75 nats",
		`"relative":0.875`, "<td>4611</td>",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// The course's own chapters have no mistake, and every widget of theirs runs.
func TestCourse(t *testing.T) {
	s, h := start(t, Options{Chapters: chapters.FS, Assets: assets.FS, HasBundle: assets.HasBundle(), Open: engine.Open, List: engine.List, Emulator: engine.Emulator, Build: "test"})
	slugs := s.Chapters()
	if len(slugs) < 4 {
		t.Errorf("chapters are %v", slugs)
	}
	for _, slug := range slugs {
		r, body := get(t, h.URL+"/chapters/"+slug)
		if r.StatusCode != 200 || !strings.Contains(body, "<article") {
			t.Errorf("%s: status %d, %d bytes", slug, r.StatusCode, len(body))
		}
		for _, wrong := range []string{`class="author-error"`, "widget-unavailable", " style=", "BUG"} {
			if strings.Contains(body, wrong) {
				t.Errorf("%s has %q in it", slug, wrong)
			}
		}
		for _, c := range s.edition.Load().library.Chapters {
			if c.Slug != slug {
				continue
			}
			if len(c.Widgets) == 0 || len(c.Front.Questions) == 0 || len(c.Front.Sources) == 0 || len(c.Front.Outcomes) == 0 {
				t.Errorf("%s has %d widgets, %d questions, %d sources, %d outcomes", slug, len(c.Widgets), len(c.Front.Questions), len(c.Front.Sources), len(c.Front.Outcomes))
			}
		}
	}
}

// A mistake in the course's own chapters stops the server before it serves.
func TestMistakeStopsStart(t *testing.T) {
	o := fixture()
	o.Chapters = os.DirFS("testdata/author")
	_, err := New(o)
	if err == nil {
		t.Fatal("a course with mistakes was served")
	}
	for _, want := range []string{
		"chapters/01-broken/chapter.md:3: sumary: is not a key here: did you mean summary?",
		"chapters/01-broken/chapter.md:11: right: matmul [1, 2] and [1, 2]:",
		"chapters/01-broken/chapter.md:14: prodct: is no kind of widget: did you mean product?",
		"chapters/01-broken/chapter.md:18: the link \"#nowhere\": nothing in 01-broken is named nowhere",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q:\n%v", want, err)
		}
	}
}

// So does one in a module of the pages' scripts.
func TestMistakeInAModuleStopsStart(t *testing.T) {
	o := fixture()
	files := maps.Clone(testAssets)
	files["js/part/say.js"] = &fstest.MapFile{Data: []byte("export const say =\n  console.;\n")}
	o.Assets = files
	if _, err := New(o); err == nil || !strings.Contains(err.Error(), "js/main.js") || !strings.Contains(err.Error(), "\njs/part/say.js:2:11: ") {
		t.Errorf("New = %v, want the file, the line and the column", err)
	}
}

func TestNewNeedsItsOptions(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"chapters":                    func(o *Options) { o.Chapters = nil },
		"assets":                      func(o *Options) { o.Assets = nil },
		"runner":                      func(o *Options) { o.Runner = nil },
		"no such folder of an author": func(o *Options) { o.AuthorDir = "testdata/none" },
		"a file and not a folder":     func(o *Options) { o.AuthorDir = "testdata/example.go" },
	} {
		o := fixture()
		change(&o)
		if s, err := New(o); err == nil {
			s.Close()
			t.Errorf("without %s: no error", name)
		}
	}
}

func TestAddresses(t *testing.T) {
	_, h := start(t, fixture())
	for _, test := range []struct {
		method, path string
		header       []string
		status       int
		says         string // in the body, or in Location
	}{
		{"GET", "/healthz", nil, 200, `{"status":"ok","build":"test","chapters":2}`},
		{"HEAD", "/chapters/01-first", nil, 200, ""},
		{"GET", "/chapters/first?step=2#by-hand", nil, 302, "/chapters/01-first?step=2"},
		{"GET", "/chapters/01-first/grid.svg", nil, 200, "<svg"},
		{"GET", "/chapters/01-first/none.svg", nil, 404, "There is no such picture"},
		{"GET", "/chapters/01-first/chapter.md", nil, 404, "There is no such picture"},
		{"GET", "/chapters/01-first/..%2f02-second%2fchapter.md", nil, 404, ""},
		{"GET", "/chapters/quotes", nil, 404, "There is no chapter &#34;quotes&#34;"},
		{"GET", "/chapters/<script>", nil, 404, "&lt;script&gt;"},
		{"GET", "/none", nil, 404, "First &amp; foremost"},
		{"GET", "/assets/css/main.css", nil, 200, "main{}"},
		{"GET", "/assets/js/main.js", nil, 200, "console.log;"},
		{"GET", "/assets/js/main.js.map", nil, 200, "export const say"},
		{"GET", "/assets/js/desk.js", nil, 200, "console.log;"},
		{"GET", "/assets/js/part/say.js", nil, 404, "no such file"}, // or a page could have it twice
		{"GET", "/assets/js/theme-early.js", nil, 200, "early"},
		{"GET", "/assets/dist/README.md", nil, 404, "no such file"},
		{"GET", "/assets/", nil, 404, "no such file"},
		{"GET", "/assets/css", nil, 404, "no such file"},
		{"GET", "/live", nil, 426, "speaks WebSocket"},
		{"GET", "/live", []string{"Origin", "http://evil.example"}, 403, "another site"},
		{"POST", "/", nil, 405, "can be read and nothing else"},
		{"POST", "/", []string{"Origin", "http://evil.example"}, 403, "another site"},
		{"PUT", "/chapters/01-first", []string{"Sec-Fetch-Site", "cross-site"}, 403, "another site"},
		{"GET", "/", []string{"Host", "evil.example"}, 421, "flag --host"},
		{"GET", "/api/compare.csv", nil, 400, "a and b: name the two devices"},
		{"GET", "/api/compare.csv?a=cpu&b=cpu,fused&text=ab", []string{"Sec-Fetch-Site", "cross-site"}, 403, "Another site"},
		{"GET", "/api/compare.csv?a=cpu&b=gpu", nil, 404, "is not a device"},
		{"GET", "/api/compare.csv?a=cpu&b=cuda:0", nil, 404, "no driver was found; install one"},
		{"GET", "/api/compare.csv?a=cpu&b=cpu&text=%ff", nil, 400, "text: is not UTF-8"},
		{"GET", "/api/compare.csv?a=cpu&b=cpu&text=a&text=b", nil, 400, "text: is given twice"},
		{"GET", "/api/compare.csv?a=cpu&b=cpu&width=x", nil, 400, "width:"},
		{"GET", "/api/compare.csv?a=cpu&b=cpu&colour=1", nil, 400, "colour: is not a field"},
		{"GET", "/api/none", nil, 404, "There are /api/compare.csv and /api/compare.json"},
		{"GET", "/chapters", nil, 302, "/"},
		{"GET", "/chapters/", nil, 302, "/"},
		{"GET", "/chapters/01-first/", nil, 302, "/chapters/01-first"},
		{"GET", "/chapters/01-first/?widget=by-hand&step=2", nil, 302, "/chapters/01-first?widget=by-hand&step=2"},
		{"GET", "/chapters/%2f%2fevil.example/", nil, 302, "/chapters/"},
		{"GET", "/chapters/none/", nil, 302, "/chapters/none"},
	} {
		r, body := do(t, test.method, h.URL+test.path, test.header...)
		says := body
		if r.StatusCode == 302 {
			says = r.Header.Get("Location")
		}
		if r.StatusCode != test.status || !strings.Contains(says, test.says) {
			t.Errorf("%s %s %v: status %d, %.300q; want %d, %q", test.method, test.path, test.header, r.StatusCode, says, test.status, test.says)
		}
		if r.Header.Get("Content-Security-Policy") == "" || r.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %s: headers %v", test.method, test.path, r.Header)
		}
	}
}

func TestCompareDownloads(t *testing.T) {
	_, h := start(t, fixture())
	r, body := get(t, h.URL+"/api/compare.csv?a=cpu&b=cpu,fused&text=ab&seed=039")
	if r.Header.Get("Content-Type") != "text/csv; charset=utf-8" || r.Header.Get("Content-Disposition") != `attachment; filename="comparison-cpu-cpu-fused.csv"` {
		t.Errorf("headers %v", r.Header)
	}
	if !strings.Contains(body, "0.625") || !strings.Contains(body, "3fe4000000000000") {
		t.Errorf("the CSV is %s", body)
	}
	r, body = get(t, h.URL+"/api/compare.json?a=cpu&b=cpu,fused")
	var report struct {
		Passed  bool
		Entries []struct{ Absolute float64 }
	}
	if err := json.Unmarshal([]byte(body), &report); err != nil || r.Header.Get("Content-Type") != "application/json" || report.Passed || report.Entries[1].Absolute != 0.375 {
		t.Errorf("the JSON is %s, %v", body, err)
	}
}

// The downloads of no more than two pages are computed at once, and none for
// longer than a run may take.
func TestCompareIsBounded(t *testing.T) {
	o := fixture()
	runner := o.Runner.(*runtest.Runner)
	release := make(chan struct{})
	runner.Before = func(ctx context.Context) error {
		if s := ctx.Value("page"); s != nil {
			return nil
		}
		select {
		case <-release:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	o.Chapters = fstest.MapFS{"01-first/chapter.md": {Data: []byte("---\ntitle: t\nsummary: s\noutcomes: [o]\n---\n")}}
	o.Limits.RunTime = time.Second
	_, h := start(t, o)
	statuses := make(chan int, 3)
	for range 2 {
		go func() {
			r, err := http.Get(h.URL + "/api/compare.csv?a=cpu&b=cpu")
			if err != nil {
				t.Error(err)
				statuses <- 0
				return
			}
			r.Body.Close()
			statuses <- r.StatusCode
		}()
	}
	for runner.Working.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	r, _ := get(t, h.URL+"/api/compare.csv?a=cpu&b=cpu")
	if r.StatusCode != 503 || r.Header.Get("Retry-After") == "" {
		t.Errorf("a third: status %d", r.StatusCode)
	}
	for range 2 {
		if status := <-statuses; status != 413 {
			t.Errorf("after the time limit: status %d", status)
		}
	}
	close(release)
	if r, _ := get(t, h.URL+"/api/compare.csv?a=cpu&b=cpu"); r.StatusCode != 200 {
		t.Errorf("afterwards: status %d", r.StatusCode)
	}
}

// A page is sent compressed, once, and not at all if the browser has it.
func TestPageIsCached(t *testing.T) {
	_, h := start(t, fixture())
	r, body := get(t, h.URL+"/chapters/01-first", "Accept-Encoding", "gzip")
	if r.Header.Get("Content-Encoding") != "gzip" || len(body) > 7000 {
		t.Errorf("encoding %q, %d bytes", r.Header.Get("Content-Encoding"), len(body))
	}
	r, body = get(t, h.URL+"/chapters/01-first", "Accept-Encoding", "gzip", "If-None-Match", r.Header.Get("ETag"))
	if r.StatusCode != 304 || body != "" {
		t.Errorf("a page that the browser has: status %d, %d bytes", r.StatusCode, len(body))
	}
}

func dial(t testing.TB, h *httptest.Server, header http.Header) (*websocket.Conn, *http.Response, error) {
	t.Helper()
	conn, r, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(h.URL, "http")+"/live", header)
	if err == nil {
		t.Cleanup(func() { conn.Close() })
	}
	return conn, r, err
}

func TestLive(t *testing.T) {
	_, h := start(t, fixture())
	if _, r, err := dial(t, h, http.Header{"Origin": {"http://evil.example"}}); err == nil || r == nil || r.StatusCode != 403 {
		t.Errorf("another site's page: %v", err)
	}
	conn, _, err := dial(t, h, http.Header{"Origin": {h.URL}})
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.WriteMessage(websocket.TextMessage, []byte(`{"v":1,"type":"explain","id":"1","run":"page:by-hand","chapter":"01-first","step":2,"cell":[0,0,1]}`)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"reload":false`, `"type":"cell","id":"1","run":"page:by-hand","step":2`} {
		_, text, err := conn.ReadMessage()
		if err == nil && strings.HasPrefix(string(text), `{"v":1,"type":"devices"`) { // which comes when it comes
			_, text, err = conn.ReadMessage()
		}
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("message %s, %v; want %s", text, err, want)
		}
	}
}

// An author's save shows on the page, and the page is told.
func TestAuthor(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "01-mine", "chapter.md")
	save := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("---\ntitle: Mine\nsummary: s\noutcomes: [o]\n---\n"+text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	save("before")
	o := fixture()
	o.AuthorDir = dir
	s, h := start(t, o)
	if _, body := get(t, h.URL+"/chapters/01-mine"); !strings.Contains(body, "<p>before</p>") || !strings.Contains(body, `name="wb-author" content="on"`) {
		t.Error("the author's chapter is not served")
	}
	if r, _ := get(t, h.URL+"/chapters/01-first"); r.StatusCode != 404 {
		t.Error("the course's chapters are served beside the author's")
	}
	conn, _, err := dial(t, h, nil)
	if err != nil {
		t.Fatal(err)
	}
	expect := func(want string) {
		t.Helper()
		if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, text, err := conn.ReadMessage(); err != nil || !strings.Contains(string(text), want) {
			t.Fatalf("message %s, %v; want %s", text, err, want)
		}
	}
	expect(`"reload":true`)

	// At once: a save counts even if the folder is not watched yet.
	save("after\n\n```product x\nleft: [[1]]\n```\n")
	expect(`{"v":1,"type":"reload","chapter":"01-mine"}`)
	want := file + ":8: right: is missing"
	if _, body := get(t, h.URL+"/chapters/01-mine"); !strings.Contains(body, "<p>after</p>") || strings.Count(body, want) != 2 {
		t.Errorf("the page lacks what was saved, or %q at the top and in its place:\n%s", want, body)
	}

	// A quote of the course's own code works in an author's chapter too.
	save("```quote\nfile: web/testdata/example.go\nregion: flat\n```\n")
	expect(`"reload"`)
	if err := s.edition.Load().library.Err(); err != nil {
		t.Error(err)
	}
}

// A server that is told to end lets a page go, closes what a browser has opened and does
// not use, and waits for the request that is under way.
func TestServe(t *testing.T) {
	defer func(before time.Duration) { stopTime = before }(stopTime)
	stopTime = 4 * time.Second // and http.Server.Shutdown gives a new connection 5 s
	o := fixture()
	runner := o.Runner.(*runtest.Runner)
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	begun, goOn := make(chan bool), make(chan bool)
	runner.Before = func(context.Context) error {
		begun <- true
		<-goOn
		return nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l) }()
	connect := func(sends string) net.Conn {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if _, err := io.WriteString(c, sends); err != nil {
			t.Fatal(err)
		}
		return c
	}
	page, _, err := websocket.DefaultDialer.Dial("ws://"+l.Addr().String()+"/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close()
	if _, _, err := page.ReadMessage(); err != nil {
		t.Fatal(err)
	}
	unused := []net.Conn{
		connect(""),
		connect("GET /healthz HTTP/1.1\r\nHost: local"),
		connect("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"), // and then nothing
	}
	answer := make(chan string)
	go func() {
		r, err := http.Get("http://" + l.Addr().String() + "/api/compare.csv?a=cpu&b=cpu")
		if err != nil {
			answer <- err.Error()
			return
		}
		defer r.Body.Close()
		_, err = io.ReadAll(r.Body)
		answer <- fmt.Sprint(r.StatusCode, " ", err)
	}()
	<-begun
	stop()
	for _, c := range unused {
		_, _ = io.ReadAll(c) // until it is closed
	}
	select {
	case err := <-served:
		t.Fatalf("Serve has ended before the request that is under way: %v", err)
	default:
	}
	close(goOn)
	if got := <-answer; got != "200 <nil>" {
		t.Errorf("the request that was under way: %s", got)
	}
	if err := <-served; err != nil {
		t.Errorf("Serve ended with %v", err)
	}
	// News of the devices may have come before the end.
	for err == nil {
		_, _, err = page.ReadMessage()
	}
	if !websocket.IsCloseError(err, websocket.CloseGoingAway) {
		t.Errorf("the page ended with %v", err)
	}
}

// A request that does not end is cut off.
func TestServeCutsOff(t *testing.T) {
	defer func(before time.Duration) { stopTime = before }(stopTime)
	stopTime = time.Millisecond
	o := fixture()
	runner := o.Runner.(*runtest.Runner)
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	begun := make(chan bool)
	runner.Before = func(ctx context.Context) error {
		close(begun)
		<-ctx.Done() // its connection was closed
		return ctx.Err()
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l) }()
	asked := make(chan error)
	go func() {
		r, err := http.Get("http://" + l.Addr().String() + "/api/compare.csv?a=cpu&b=cpu")
		if err == nil {
			r.Body.Close()
			err = fmt.Errorf("status %d", r.StatusCode)
		}
		asked <- err
	}()
	<-begun
	stop()
	if err := <-served; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Serve ended with %v", err)
	}
	if err := <-asked; !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the request ended with %v", err)
	}
}

// A handler that panics is one answer and a line in the log.
func TestPanic(t *testing.T) {
	var log strings.Builder
	o := fixture()
	o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	runner := o.Runner.(*runtest.Runner)
	s, _ := start(t, o)
	runner.Before = func(context.Context) error { panic("BUG: a secret") }
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/api/compare.csv?a=cpu&b=cpu", nil))
	if w.Code != 500 || strings.Contains(w.Body.String(), "secret") || !strings.Contains(log.String(), "BUG: a secret") {
		t.Errorf("status %d, %q, log %q", w.Code, w.Body, log.String())
	}
	runner.Before = func(context.Context) error { return fmt.Errorf("another secret") }
	w = httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/api/compare.csv?a=cpu&b=cpu", nil))
	if w.Code != 500 || strings.Contains(w.Body.String(), "secret") || !strings.Contains(log.String(), "another secret") {
		t.Errorf("status %d, %q, log %q", w.Code, w.Body, log.String())
	}
}

// A chapter that takes too long, or fails in the engine, is a mistake at its
// widget and stops nothing else.
func TestWidgetThatFails(t *testing.T) {
	o := fixture()
	o.Runner.(*runtest.Runner).Before = func(context.Context) error { return run.ErrTimeLimit }
	_, err := New(o)
	if err == nil || !strings.Contains(err.Error(), "chapters/01-first/chapter.md:30: product: The run took longer") {
		t.Errorf("error is %v", err)
	}
}
