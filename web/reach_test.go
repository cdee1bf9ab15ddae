package web

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// from is a request as a server gets it that listens at an address of its own.
func from(remote, at, host string, header ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "http://"+host+"/", nil)
	r.RemoteAddr = remote
	r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(at)))))
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

func TestLocal(t *testing.T) {
	const here = "127.0.0.1:8080"
	for _, c := range []struct {
		r    *http.Request
		want bool
		why  string
	}{
		{from("127.0.0.1:5000", here, "127.0.0.1:8080"), true, "the loopback"},
		{from("127.0.0.1:5000", here, "localhost:8080"), true, "by name"},
		{from("[::1]:5000", "[::1]:8080", "[::1]:8080"), true, "of IPv6"},
		{from("[::ffff:127.0.0.1]:5000", "[::ffff:127.0.0.1]:8080", "localhost:8080"), true, "of IPv4 in IPv6"},
		{from("192.168.1.20:5000", "192.168.1.20:8080", "192.168.1.20:8080"), true, "by the machine's own address"},
		{from("[::ffff:192.168.1.20]:5000", "[::ffff:192.168.1.20]:8080", "192.168.1.20:8080"), true, "likewise, in IPv6"},

		{from("192.168.1.33:5000", "192.168.1.20:8080", "192.168.1.20:8080"), false, "another machine"},
		{from("[::ffff:192.168.1.33]:5000", "[::ffff:192.168.1.20]:8080", "192.168.1.20:8080"), false, "another, in IPv6"},
		{from("[fe80::1%eth0]:5000", "[fe80::2%eth0]:8080", "[fe80::2]:8080"), false, "a neighbour"},
		{from("192.168.1.33:5000", "192.168.1.20:8080", "localhost:8080"), false, "another that says it is this one"},
		{from("127.0.0.1:5000", here, "127.0.0.1:8080", "X-Forwarded-For", "203.0.113.7"), false, "through a proxy"},
		{from("127.0.0.1:5000", here, "127.0.0.1:8080", "Forwarded", "for=127.0.0.1"), false, "through a proxy that says so by the book"},
		{from("127.0.0.1:5000", here, "127.0.0.1:8080", "X-Real-IP", ""), false, "through one that says nobody"},
		{from("127.0.0.1:5000", here, "localhost:8080", "X-Forwarded-Server", "lab"), false, "through one that says little"},
		{from("127.0.0.1:5000", here, "localhost:8080", "Via", "1.1 lab"), false, "likewise"},
		{from("127.0.0.1:5000", here, "203.0.113.5:8080"), false, "through a tunnel, by the other end's address"},
		{from("127.0.0.1:5000", here, "class.example"), false, "likewise, by its name"},
		{from("127.0.0.1:5000", here, "localhost.evil.example"), false, "by a name that begins so"},
		{from("@", here, "127.0.0.1:8080"), false, "from nowhere"},
	} {
		if got := local(c.r); got != c.want {
			t.Errorf("%s (from %s by %s): local is %v", c.why, c.r.RemoteAddr, c.r.Host, got)
		}
	}
}

// elsewhere sends a request as another machine does.
func elsewhere(s *Server, method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://192.168.1.20:8080"+path, strings.NewReader(body))
	r.RemoteAddr = "192.168.1.33:5000"
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

// presenting is a server for presenting with a room at the first chapter.
func presenting(t testing.TB, o Options) (s *Server, h *httptest.Server, code string) {
	t.Helper()
	if o.Rooms == nil {
		o.Rooms = &RoomOptions{}
	}
	s, h = start(t, o)
	room, _, err := s.Rooms().New("01-first")
	if err != nil {
		t.Fatal(err)
	}
	return s, h, room.Code()
}

// Where others are meant to reach the server, a proxy that says localhost and nothing
// else makes nobody its presenter: that takes the presenter's link, on this machine.
func TestHereByTheLink(t *testing.T) {
	o := fixture()
	o.Hosts, o.Origins = []string{"lab.example.org"}, []string{"https://lab.example.org"}
	o.Rooms = &RoomOptions{Addresses: o.Origins}
	s, _, _ := presenting(t, o)
	form := []string{"Content-Type", "application/x-www-form-urlencoded"}
	send := func(host, method, path, body string, header ...string) *httptest.ResponseRecorder {
		r := from("127.0.0.1:5000", "127.0.0.1:8080", host, append(header, form...)...)
		r.Method, r.URL.Path, r.Body = method, path, io.NopCloser(strings.NewReader(body))
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		return w
	}
	private := map[string]string{"/chapters/01-first": "GET", "/live": "GET", "/api/compare.csv": "GET", "/replays": "GET", "/rooms": "POST"}
	refused := func(host, cookie string) {
		t.Helper()
		for path, method := range private {
			if w := send(host, method, path, "chapter=01-first", "Cookie", cookie); w.Code != http.StatusForbidden {
				t.Errorf("%s %s by %s with the cookies %q answers %d", method, path, host, cookie, w.Code)
			}
		}
	}
	cookies := func(w *httptest.ResponseRecorder) string {
		t.Helper()
		if w.Code != http.StatusSeeOther {
			t.Fatalf("the link is answered %d: %.200s", w.Code, w.Body)
		}
		var all []string
		for _, c := range w.Result().Cookies() {
			all = append(all, c.Name+"="+c.Value)
		}
		return strings.Join(all, "; ")
	}
	room := s.Rooms().All()[0]
	refused("localhost:8080", "")
	// A co-presenter who comes by the proxy, which sends their own name.
	other := cookies(send("lab.example.org", "POST", "/present", "secret="+room.Invite(), "Origin", "https://lab.example.org"))
	refused("lab.example.org", other)
	refused("localhost:8080", other)
	refused("localhost:8080", "wb_here_8080=x")

	mine := cookies(send("localhost:8080", "POST", "/present", "secret="+room.Invite()))
	for path, want := range map[string]int{"/chapters/01-first": http.StatusOK, "/replays": http.StatusOK, "/live": http.StatusUpgradeRequired, "/api/compare.csv": http.StatusBadRequest} {
		if w := send("localhost:8080", "GET", path, "", "Cookie", mine); w.Code != want {
			t.Errorf("%s of the presenter answers %d: %.200s", path, w.Code, w.Body)
		}
	}
	refused("lab.example.org", mine)
	if w := send("localhost:8080", "POST", "/rooms", "chapter=01-first", "Cookie", mine); w.Code != http.StatusSeeOther {
		t.Errorf("the presenter opens a room: %d", w.Code)
	}
	// A server that was started again has the browser of a room that goes on come back.
	s.claim = "another"
	refused("localhost:8080", mine)
	w := send("localhost:8080", "GET", "/rooms/"+room.Code()+"/desk", "", "Cookie", mine)
	if w.Code != http.StatusOK || len(w.Result().Cookies()) != 1 {
		t.Errorf("the desk answers %d, with the cookies %v", w.Code, w.Result().Cookies())
	}
}

// Other machines see rooms and nothing else: whatever there is, however it is asked for.
func TestOtherMachines(t *testing.T) {
	o, _ := withExercises(t)
	s, _, code := presenting(t, o)
	websocket := []string{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}
	for _, c := range []struct {
		method, path string
		header       []string
	}{
		{"GET", "/chapters/01-first", nil}, {"HEAD", "/chapters/01-first", nil}, {"GET", "/chapters/01-first/grid.svg", nil},
		{"GET", "/exercises", nil}, {"GET", "/exercises/row-sum", nil}, {"GET", "/chapters", nil},
		{"GET", "/live", websocket}, {"GET", "/live?as=follow", websocket}, {"POST", "/live", nil},
		{"GET", "/api/compare.csv?a=cpu&b=cpu,fused", nil}, {"GET", "/api/compare.json?a=cpu&b=cuda:0", nil},
		{"POST", "/rooms", nil}, {"GET", "/rooms", nil}, {"GET", "/none", nil}, {"GET", "/joining", nil}, {"GET", "//live", websocket},
		{"GET", "/exercises", []string{"X-Forwarded-For", "127.0.0.1"}}, {"GET", "/exercises", []string{"Host", "localhost:8080"}},
	} {
		w := elsewhere(s, c.method, c.path, "", c.header...)
		if w.Code != http.StatusForbidden {
			t.Errorf("%s %s answers %d", c.method, c.path, w.Code)
		}
		noSign(t, c.path, w.Body.String())
	}
	for _, c := range []struct {
		path   string
		status int
		says   string
	}{
		{"/", 303, ""}, {"/join", 200, `name="code"`}, {"/join/" + code, 303, ""}, {"/rooms/" + code, 303, ""},
		{"/rooms/" + code + "/chapters/01-first", 200, "by-hand"}, {"/rooms/" + code + "/chapters/01-first/grid.svg", 200, "<svg"},
		{"/rooms/" + code + "/desk/01-first/grid.svg", 404, "No page has this address"},
		{"/rooms/" + code + "/chapters/none", 404, "no such chapter"}, {"/rooms/" + code + "/none", 404, "No page has this address"},
		{"/rooms/" + code + "/desk", 403, "presenter"}, {"/rooms/" + code + "/stage/01-first", 403, "presenter"},
		{"/rooms/" + code + "/preview/01-first", 403, "presenter"}, {"/rooms/" + code + "/notes/01-first", 403, "presenter"},
		{"/rooms/ABCDEF/chapters/01-first", 404, "no room"}, {"/present/none", 403, "used already"},
		{"/assets/css/main.css", 200, "main{}"}, {"/healthz", 200, "ok"},
	} {
		w := elsewhere(s, "GET", c.path, "")
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%s answers %d, %.200q", c.path, w.Code, w.Body)
		}
		noSign(t, c.path, w.Body.String())
	}
}

// noSign holds that a page which others see shows nothing of this machine: no path, no
// progress, no page or program that is not theirs.
func noSign(t *testing.T, what, body string) {
	t.Helper()
	for _, sign := range []string{"/tmp/", "/home/", "exercises/", "wb-exercises", "progress-line", `class="exercise-state"`, `details class="verdict"`, `href="/"`, `href="/chapters`, `src="/chapters`, `href="/exercises`, "wb-author", `action="/rooms"`, "chapter.md"} {
		if strings.Contains(body, sign) {
			t.Errorf("%s shows others %q", what, sign)
		}
	}
}

// With All other machines see what is there, and still open no room.
func TestOtherMachinesSeeAll(t *testing.T) {
	o := fixture()
	o.Rooms = &RoomOptions{All: true}
	s, h, _ := presenting(t, o)
	if w := elsewhere(s, "GET", "/chapters/01-first", ""); w.Code != http.StatusOK {
		t.Errorf("a chapter answers %d", w.Code)
	}
	// Nor do they have the button for it, which whoever sits here has.
	for _, path := range []string{"/", "/chapters/01-first", "/chapters/none"} {
		if body := elsewhere(s, "GET", path, "").Body.String(); strings.Contains(body, `action="/rooms"`) || !strings.Contains(body, `href="/chapters/01-first"`) {
			t.Errorf("%s shows others %s", path, body)
		}
		if _, body := get(t, h.URL+path); !strings.Contains(body, `action="/rooms"`) {
			t.Errorf("%s has no button to present", path)
		}
	}
	w := elsewhere(s, "POST", "/rooms", "chapter=01-first", "Content-Type", "application/x-www-form-urlencoded")
	if w.Code != http.StatusForbidden || len(s.Rooms().All()) != 1 {
		t.Errorf("opening a room answers %d, and there are %d", w.Code, len(s.Rooms().All()))
	}
}
