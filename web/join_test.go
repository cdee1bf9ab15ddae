package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"workbench/web/exercise/exercisetest"
	"workbench/web/live"
)

// A code is typed as people type, and what is wrong with it is said beside it.
func TestJoin(t *testing.T) {
	s, h, code := presenting(t, fixture())
	for _, path := range []string{"/join/" + code, "/join/" + strings.ToLower(code), "/join?code=" + strings.ToLower(code[:3]) + "+" + code[3:], "/join/?code=+" + code[:3] + "-" + code[3:]} {
		r, _ := get(t, h.URL+path)
		if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/rooms/"+code+"/chapters/01-first" {
			t.Errorf("%s: status %d, to %s", path, r.StatusCode, r.Header.Get("Location"))
		}
		cookies := r.Cookies()
		if len(cookies) != 1 || cookies[0].Name != seatCookie || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || cookies[0].MaxAge != 0 || !cookies[0].Expires.IsZero() {
			t.Errorf("%s sets %v", path, cookies)
		}
	}
	for path, says := range map[string]string{
		"/join/ABCDEF":      "There is no room ABCDEF:",
		"/join?code=k7q0m2": "There is no 0 in a code",
		"/join/K7Q":         "A code has 6 letters and digits",
		"/join?code=" + url.QueryEscape(`"><script>alert(1)</script>`): "&#34;&gt;&lt;SCRIPT",
		"/join?code=%ff%fe":                  "A code has 6 letters",
		"/join/" + strings.Repeat("A", 5000): "A code has 6 letters",
	} {
		r, body := get(t, h.URL+path)
		if r.StatusCode != http.StatusNotFound || !strings.Contains(body, says) || !strings.Contains(body, `aria-invalid="true"`) || len(body) > 4000 {
			t.Errorf("%.60s: status %d, %d bytes, %q is missing in %s", path, r.StatusCode, len(body), says, body)
		}
	}
	if _, body := get(t, h.URL+"/join"); strings.Contains(body, "aria-invalid") || !strings.Contains(body, `autocapitalize="characters"`) || strings.Contains(body, "<script type") {
		t.Errorf("the form is %s", body)
	}
	// Addresses inside a room are typed in any case too.
	r, _ := get(t, h.URL+"/rooms/"+strings.ToLower(code)+"/chapters/01-first")
	if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/rooms/"+code+"/chapters/01-first" {
		t.Errorf("in small letters: status %d, to %s", r.StatusCode, r.Header.Get("Location"))
	}
	if err := s.Rooms().Close(); err != nil {
		t.Fatal(err)
	}
	if r, _ := get(t, h.URL+"/join/"+code); r.StatusCode != http.StatusNotFound {
		t.Errorf("after the rooms were closed: status %d", r.StatusCode)
	}
}

// Who tries codes is told to wait, whichever way they are tried, and nobody else is.
func TestWrongCodes(t *testing.T) {
	began := time.Now()
	now := began
	minuteNow = func() time.Time { return now }
	t.Cleanup(func() { minuteNow = time.Now })
	s, _, code := presenting(t, fixture())
	try := func(path, remote string) int {
		r := httptest.NewRequest("GET", "http://192.168.1.20:8080"+path, nil)
		r.RemoteAddr = remote
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		return w.Code
	}
	ways := []string{"/join/ABCDEF", "/join?code=xx", "/rooms/ABCDEG/chapters/01-first", "/rooms/ABCDEH/live?as=follow", "/present/none"}
	for i := range mostWrong {
		if got := try(ways[i%len(ways)], "192.168.1.33:5000"); got == http.StatusTooManyRequests {
			t.Fatalf("the wrong code %d is one too many", i+1)
		}
	}
	for _, path := range ways {
		if got := try(path, "[::ffff:192.168.1.33]:6000"); got != http.StatusTooManyRequests {
			t.Errorf("%s after %d wrong codes answers %d", path, mostWrong, got)
		}
		if got := try(path, "192.168.1.34:5000"); got == http.StatusTooManyRequests {
			t.Errorf("%s of another address answers %d", path, got)
		}
	}
	if got := try("/join/"+code, "192.168.1.33:5000"); got != http.StatusSeeOther {
		t.Errorf("the right code, of a class that shares the address, answers %d", got)
	}
	now = began.Add(61 * time.Second)
	if got := try(ways[0], "192.168.1.33:5000"); got != http.StatusNotFound {
		t.Errorf("a minute later: %d", got)
	}
	// One network of IPv6 is one; and of a million addresses nobody takes the memory.
	for i := range mostWrong + 1 {
		try(ways[0], fmt.Sprintf("[2001:db8::%x]:1", i+1))
	}
	if got := try(ways[0], "[2001:db8::ffff]:1"); got != http.StatusTooManyRequests {
		t.Errorf("another address of the network: %d", got)
	}
	for i := range 2 * mostCounted {
		try("/rooms/ABCDEH/live", fmt.Sprintf("10.%d.%d.%d:1", i>>16, i>>8&255, i&255))
	}
	if n := len(s.tallies.wrong.count); n > mostCounted+1 {
		t.Errorf("%d addresses are counted", n)
	}
}

// browser is a client that keeps cookies and follows no redirect by itself.
func browser(t *testing.T) *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// exchange sends the form of a presenter's link.
func exchange(t *testing.T, b *http.Client, address, secret string) (*http.Response, int) {
	t.Helper()
	r, err := b.PostForm(address+"/present", url.Values{"secret": {secret}})
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	return r, r.StatusCode
}

// The presenter's link holds once. The secret is in no address after it, and the
// cookie opens this room's pages and no other's.
func TestPresentersLink(t *testing.T) {
	s, h, code := presenting(t, fixture())
	secret := s.Rooms().Room(code).Invite()
	b := browser(t)
	ask := func(b *http.Client, path string) (*http.Response, int) {
		t.Helper()
		r, err := b.Get(h.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		return r, r.StatusCode
	}
	for _, path := range []string{"/desk", "/stage/01-first", "/preview/01-first", "/notes/01-first"} {
		if _, status := ask(b, "/rooms/"+code+path); status != http.StatusForbidden {
			t.Errorf("%s without a cookie answers %d", path, status)
		}
	}
	// What only reads it, as a chat does that shows where it leads, does not use it up.
	for range 2 {
		r, status := ask(browser(t), "/present/"+secret)
		if status != http.StatusOK || len(r.Cookies()) != 0 || r.Header.Get("Referrer-Policy") != "strict-origin" || r.Header.Get("Cache-Control") != "no-store" || r.Header.Get("ETag") != "" {
			t.Errorf("the link: status %d, %v", status, r.Header)
		}
	}
	r, status := exchange(t, b, h.URL, secret)
	if status != http.StatusSeeOther || r.Header.Get("Location") != "/rooms/"+code+"/desk" || r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("the link's form: status %d, %v", status, r.Header)
	}
	c := r.Cookies()[0]
	if c.Path != "/rooms/"+code || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || strings.Contains(c.Value, secret) || len(c.Value) < 43 {
		t.Errorf("the cookie is %v", c)
	}
	for _, path := range []string{"/desk", "/stage/01-first", "/preview/01-first", "/notes/01-first"} {
		r, status := ask(b, "/rooms/"+code+path)
		if status != http.StatusOK {
			t.Errorf("%s with the cookie answers %d", path, status)
		}
		framed := strings.Contains(r.Header.Get("Content-Security-Policy"), "frame-ancestors 'self'")
		if framed != (path == "/preview/01-first") {
			t.Errorf("%s: a page may show it in a frame: %v", path, framed)
		}
	}
	if r, _ := ask(b, "/rooms/"+code+"/stage/"); r.Header.Get("Location") != "/rooms/"+code+"/stage/01-first" {
		t.Errorf("the stage is at %q", r.Header.Get("Location"))
	}
	if _, status := ask(browser(t), "/present/"+secret); status != http.StatusForbidden {
		t.Errorf("the link, once more: %d", status)
	}
	if r, status := exchange(t, browser(t), h.URL, secret); status != http.StatusForbidden || len(r.Cookies()) != 0 {
		t.Errorf("the link's form, once more: %d", status)
	}
	other, _, err := s.Rooms().New("02-second")
	if err != nil {
		t.Fatal(err)
	}
	if _, status := ask(b, "/rooms/"+other.Code()+"/desk"); status != http.StatusForbidden {
		t.Errorf("another room's desk answers %d", status)
	}
	// Whatever names the other's cookie so is not in it either.
	if r, _ := get(t, h.URL+"/rooms/"+other.Code()+"/desk", "Cookie", "wb_room_"+other.Code()+"="+c.Value); r.StatusCode != http.StatusForbidden {
		t.Errorf("another room's desk, with this one's secret, answers %d", r.StatusCode)
	}
}

// The button of a page opens a room on the server's own machine.
func TestOpenRoom(t *testing.T) {
	var told []live.Notice
	o := fixture()
	o.Rooms = &RoomOptions{Notice: func(n live.Notice) { told = append(told, n) }}
	s, h := start(t, o)
	for _, path := range []string{"/", "/chapters/02-second"} {
		if _, body := get(t, h.URL+path); !strings.Contains(body, `<form class="present" method="post" action="/rooms"><input type="hidden" name="chapter" value="02-second">`) {
			t.Errorf("%s has no button", path)
		}
	}
	b := browser(t)
	post := func(chapter string, header ...string) *http.Response {
		t.Helper()
		r, err := http.NewRequest("POST", h.URL+"/rooms", strings.NewReader(url.Values{"chapter": {chapter}}.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		response, err := b.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response
	}
	r := post("02-second", "Origin", h.URL)
	rooms := s.Rooms().All()
	if len(rooms) != 1 || r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/rooms/"+rooms[0].Code()+"/desk" || rooms[0].Chapter() != "02-second" {
		t.Fatalf("status %d, to %s; %d rooms", r.StatusCode, r.Header.Get("Location"), len(rooms))
	}
	if len(told) != 1 || told[0].Code != rooms[0].Code() || told[0].Ended {
		t.Errorf("the terminal is told %v", told)
	}
	if r, err := b.Get(h.URL + "/rooms/" + rooms[0].Code() + "/stage/02-second"); err != nil || r.StatusCode != http.StatusOK {
		t.Errorf("the stage: %v, %v", r.Status, err)
	}
	if r := post("03-none", "Origin", h.URL); r.StatusCode != http.StatusBadRequest {
		t.Errorf("no such chapter: %d", r.StatusCode)
	}
	if r := post("02-second", "Origin", "http://evil.example"); r.StatusCode != http.StatusForbidden {
		t.Errorf("another site's page: %d", r.StatusCode)
	}
	if len(s.Rooms().All()) != 1 {
		t.Errorf("there are %d rooms", len(s.Rooms().All()))
	}
}

// A follower's page has the chapter's exercises and how to report one, and none of the
// presenter's work at them. Nor has its connection anything of this machine.
func TestFollowersPage(t *testing.T) {
	o, c := withExercises(t)
	begin(t, c)
	o.Rooms = &RoomOptions{Addresses: []string{"http://192.168.1.20:8080"}}
	_, h, code := presenting(t, o)
	_, body := get(t, h.URL+"/rooms/"+code+"/chapters/01-first")
	for _, want := range []string{
		"<code>./course run row-sum --room http://192.168.1.20:8080/join/" + code + "</code>", "the <code>6</code> at [1, 2]",
		`href="/rooms/` + code + `/chapters/01-one-product"`, `src="/rooms/` + code + `/chapters/01-first/grid.svg"`,
		`data-live="/rooms/` + code + `/live?as=follow&amp;chapter=01-first"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	noSign(t, "the follower's page", body)
	if strings.Contains(body, c.Dir) || strings.Contains(body, exercisetest.Now.Format("2006")) {
		t.Error("the follower's page tells of the presenter's work")
	}

	conn, _, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(h.URL, "http")+"/rooms/"+code+"/live?as=follow&chapter=01-first", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for {
		// The devices come with the greeting, or after it when they were looked for.
		_, text, err := conn.ReadMessage()
		if err != nil || strings.Contains(string(text), "no driver was found") {
			t.Fatalf("a follower is told %s, %v", text, err)
		}
		if strings.Contains(string(text), `"spec":"cuda:0"`) {
			break
		}
	}
}

// A report counts once for each reporter, and nothing else is taken.
func TestPasses(t *testing.T) {
	o, _ := withExercises(t)
	s, h, code := presenting(t, o)
	post := func(body, kind string) (int, string) {
		t.Helper()
		r, err := http.Post(h.URL+"/rooms/"+code+"/passes", kind, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		var answer any
		_ = json.NewDecoder(r.Body).Decode(&answer)
		return r.StatusCode, fmt.Sprint(answer)
	}
	report := func(exercise, reporter string) string {
		text, err := json.Marshal(live.Report{Exercise: exercise, Reporter: reporter})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	ana, ben := live.NewSecret(), live.NewSecret()
	for _, who := range []string{ana, ben, ana} {
		if status, said := post(report("row-sum", who), "application/json"); status != http.StatusOK || said != "map[ok:true]" {
			t.Errorf("a report answers %d, %s", status, said)
		}
	}
	for _, c := range []struct {
		body, kind string
		status     int
	}{
		{report("none", ana), "application/json", 400},
		{report("row-sum", "ana"), "application/json", 400},
		{report("row-sum", ana), "text/plain", 415},
		{`{"exercise":"row-sum","reporter":"` + ana + `","name":"Ana"}`, "application/json", 400},
		{report("row-sum", ana) + "{}", "application/json", 400},
		{`{"exercise":"` + strings.Repeat("x", 100<<10) + `"}`, "application/json", 400},
		{"", "application/json", 400},
	} {
		if status, said := post(c.body, c.kind); status != c.status {
			t.Errorf("%.80s answers %d, %s", c.body, status, said)
		}
	}
	if got := passesSeen(t, s, h, code); len(got) != 1 || got[0].Exercise != "row-sum" || got[0].Title != "Add up each row" || got[0].Count != 2 {
		t.Errorf("the presenter sees %v", got)
	}
	for range mostPasses {
		post(report("row-sum", ben), "application/json")
	}
	if status, _ := post(report("row-sum", ben), "application/json"); status != http.StatusTooManyRequests {
		t.Errorf("after %d reports: %d", mostPasses, status)
	}
}

// passesSeen is what a desk is told when it connects.
func passesSeen(t *testing.T, s *Server, h *httptest.Server, code string) []live.Passed {
	t.Helper()
	r, _ := exchange(t, browser(t), h.URL, s.Rooms().Room(code).Invite())
	cookie := r.Cookies()[0]
	conn, _, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(h.URL, "http")+"/rooms/"+code+"/live?as=desk", http.Header{"Cookie": {cookie.Name + "=" + cookie.Value}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for {
		var m struct {
			Type string
			Room live.News
		}
		if err := conn.ReadJSON(&m); err != nil {
			t.Fatal(err)
		}
		if m.Type == "room" && m.Room.Class != nil {
			return m.Room.Class.Passes
		}
	}
}

// The lesson is its presenter's, and the class's once it is shared.
func TestDownloadLesson(t *testing.T) {
	s, h, code := presenting(t, fixture())
	room := s.Rooms().Room(code)
	b := browser(t)
	if _, status := exchange(t, b, h.URL, room.Invite()); status != http.StatusSeeOther {
		t.Fatalf("the presenter's link answers %d", status)
	}
	download := func(b *http.Client) (*http.Response, error) {
		r, err := b.Get(h.URL + "/rooms/" + code + "/lesson")
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if r.StatusCode != http.StatusOK {
			return r, nil
		}
		lesson, err := live.ReadLessonFile(r.Body)
		if err == nil {
			err = lesson.Close()
		}
		return r, err
	}
	r, err := download(b)
	if err != nil || r.StatusCode != http.StatusOK || r.Header.Get("Content-Disposition") != `attachment; filename="`+room.LessonName()+`"` {
		t.Errorf("the presenter gets %d, %v, %v", r.StatusCode, r.Header, err)
	}
	if r, _ := download(browser(t)); r.StatusCode != http.StatusForbidden {
		t.Errorf("a follower gets %d", r.StatusCode)
	}
	u, err := url.Parse(h.URL + "/rooms/" + code + "/")
	if err != nil {
		t.Fatal(err)
	}
	cookie := b.Jar.Cookies(u)[0]
	conn, _, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(h.URL, "http")+"/rooms/"+code+"/live?as=desk", http.Header{"Cookie": {cookie.String()}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.WriteMessage(websocket.TextMessage, []byte(`{"v":1,"type":"room","id":"1","room":{"do":"end","share":true}}`)); err != nil {
		t.Fatal(err)
	}
	for {
		_, text, err := conn.ReadMessage()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), `"id":"1"`) {
			break
		}
	}
	if r, err := download(browser(t)); r.StatusCode != http.StatusOK || err != nil {
		t.Errorf("a follower gets %d, %v of a lesson that is shared", r.StatusCode, err)
	}
}
