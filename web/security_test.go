package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"workbench/web/live"
	"workbench/web/run/runtest"
)

// A lesson under attack: a presenter, and a witness who follows and must notice nothing.
type lesson struct {
	testing.TB
	s      *Server
	h      *httptest.Server
	log    *runtest.Log
	room   *live.Room
	secret string // of the presenter's link, which is used up
	cookie string // the presenter's

	stage, witness *peer
	steps          int // that were driven
}

func attacked(t testing.TB, limits live.Limits) *lesson {
	t.Helper()
	l := &lesson{TB: t, log: &runtest.Log{}}
	limits.Wait = time.Nanosecond
	o := fixture()
	o.Runner = &runtest.Runner{GPU: true}
	o.Rooms, o.Logger = &RoomOptions{Limits: limits}, slog.New(slog.NewTextHandler(l.log, nil))
	l.s, l.h = start(t, o)
	l.room, l.secret, l.cookie = l.open()
	l.stage = l.enter("stage", "Cookie", l.cookie)
	l.stage.say(`{"do":"unlost"}`, `"seq":`) // it has come, and no news is behind
	l.witness = l.enter("follow")
	return l
}

// open opens a room and exchanges its link for a cookie, as a browser does.
func (l *lesson) open() (room *live.Room, secret, cookie string) {
	l.Helper()
	room, secret, err := l.s.Rooms().New("01-first")
	if err != nil {
		l.Fatal(err)
	}
	answer := redeem(l, l.h.URL, secret)
	if answer.StatusCode != http.StatusSeeOther || len(answer.Cookies()) != 1 {
		l.Fatalf("the presenter's link answers %s with %v", answer.Status, answer.Header)
	}
	c := answer.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/rooms/"+room.Code() || strings.Contains(answer.Header.Get("Location"), secret) {
		l.Errorf("the presenter's cookie is %v, and the way goes to %s", c, answer.Header.Get("Location"))
	}
	return room, secret, c.Name + "=" + c.Value
}

// step drives one step further, and the witness must see it next.
func (l *lesson) step() {
	l.Helper()
	l.steps++
	l.stage.say(fmt.Sprintf(`{"do":"drive","lease":1,"at":{"block":%d}}`, l.steps), `"seq":`)
	for {
		text := l.witness.read()
		if !strings.Contains(text, `"kind":"state"`) {
			continue
		}
		if !strings.Contains(text, fmt.Sprintf(`"at":{"block":%d}`, l.steps)) || !strings.Contains(text, `"mode":"follow","chapter":"01-first"`) || !strings.Contains(text, `"lease":1,`) {
			l.Fatalf("behind step %d the witness is told %s", l.steps-1, text)
		}
		return
	}
}

// A peer is a live connection to a room.
type peer struct {
	testing.TB
	*websocket.Conn
	last int
}

func (l *lesson) live(room *live.Room, as string) string {
	return l.h.URL + "/rooms/" + room.Code() + "/live?as=" + as + "&chapter=01-first"
}

func (l *lesson) enter(as string, header ...string) *peer {
	l.Helper()
	h := http.Header{"Origin": {l.h.URL}}
	for i := 0; i+1 < len(header); i += 2 {
		h.Add(header[i], header[i+1])
	}
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(l.live(l.room, as), "http"), h)
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() { conn.Close() })
	return &peer{TB: l.TB, Conn: conn}
}

func (p *peer) read() string {
	p.Helper()
	if err := p.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		p.Fatal(err)
	}
	_, text, err := p.ReadMessage()
	if err != nil {
		p.Fatal(err)
	}
	return string(text)
}

// ask sends a request; its answer must have what is wanted.
func (p *peer) ask(body, want string) {
	p.Helper()
	p.last++
	id := fmt.Sprintf(`"id":"q%d"`, p.last)
	if err := p.WriteMessage(websocket.TextMessage, []byte(`{"v":1,`+id+","+body[1:])); err != nil {
		p.Fatal(err)
	}
	for {
		if text := p.read(); strings.Contains(text, id) {
			if !strings.Contains(text, want) {
				p.Fatalf("%s is answered %.400s, want %s", body, text, want)
			}
			return
		}
	}
}

func (p *peer) say(said, want string) { p.Helper(); p.ask(`{"type":"room","room":`+said+`}`, want) }

const forbidden = `"code":"forbidden"`

// upgrade asks for a live connection, and returns the status. One that is made is ended.
func (l *lesson) upgrade(url string, header ...string) int {
	l.Helper()
	answer, _ := get(l, url, append([]string{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}, header...)...)
	return answer.StatusCode
}

// logs holds that the log says what was refused, and nothing secret.
func (l *lesson) logs(what ...string) {
	l.Helper()
	log := l.log.String()
	for _, one := range what {
		if !strings.Contains(log, one) {
			l.Errorf("the log does not say %q:\n%s", one, log)
		}
	}
	_, token, _ := strings.Cut(l.cookie, "=")
	for _, secret := range []string{l.secret, token} {
		if strings.Contains(log, secret) {
			l.Errorf("the log has a secret in it:\n%s", log)
		}
	}
}

// redeem exchanges a presenter's link, as the page of it does.
func redeem(t testing.TB, url, secret string, header ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/present", strings.NewReader("secret="+secret))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", url)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer
}

func TestAFollowerDrivesNothing(t *testing.T) {
	l := attacked(t, live.Limits{})
	l.step()
	f := l.enter("follow")
	for _, said := range []string{
		`{"do":"drive","lease":1,"chapter":"02-second"}`, `{"do":"drive","lease":1,"at":{"block":9}}`, `{"do":"drive","lease":1,"pointer":null}`,
		`{"do":"wheel","act":"take"}`, `{"do":"mode","mode":"locked"}`, `{"do":"invite"}`, `{"do":"poll","act":"open","question":"?","kind":"text"}`,
		`{"do":"done","n":1}`, `{"do":"unlost"}`, `{"do":"end","share":true}`,
	} {
		f.say(said, forbidden)
		l.step()
	}
	f.ask(`{"type":"run","example":"product","device":"cuda:0","input":{"left":[[1]],"right":[[1]]}}`, `"code":"follower"`)
	f.ask(`{"type":"run","fresh":true,"example":"product","device":"cuda:0","input":{"left":[[1]],"right":[[1]]}}`, forbidden)
	f.ask(`{"type":"ladder","device":"cuda:0","precision":"float32","size":64}`, `"code":"follower"`)
	f.ask(`{"type":"devices"}`, forbidden)
	if n := l.s.runner.(*runtest.Runner).Working.Load(); n != 0 {
		t.Errorf("%d things are at work for a follower", n)
	}
	l.step()
	l.logs(`"a page said what it may not"`, "do=drive", `"a page asked for what it may not"`)
}

// What opened a room once opens nothing again, and nothing else.
func TestOldSecrets(t *testing.T) {
	l := attacked(t, live.Limits{})
	other, _, otherCookie := l.open()
	_, token, _ := strings.Cut(l.cookie, "=")
	for _, path := range []string{"/present/" + l.secret, "/present/" + token, "/present/" + l.room.Code(), "/present/" + strings.Repeat("x", 4000)} {
		if answer, _ := get(t, l.h.URL+path); answer.StatusCode != http.StatusForbidden || len(answer.Cookies()) != 0 {
			t.Errorf("%.40s answers %s with %v", path, answer.Status, answer.Cookies())
		}
		if answer := redeem(t, l.h.URL, strings.TrimPrefix(path, "/present/")); answer.StatusCode != http.StatusForbidden || len(answer.Cookies()) != 0 {
			t.Errorf("exchanging %.40s answers %s with %v", path, answer.Status, answer.Cookies())
		}
	}
	// The link's secret as the cookie; another room's cookie, under its own name and
	// under this room's.
	name := "wb_room_" + l.room.Code() + "="
	_, otherToken, _ := strings.Cut(otherCookie, "=")
	for what, cookie := range map[string]string{
		"nothing": "a=b", "the link's secret": name + l.secret, "another room's": otherCookie, "another room's by this one's name": name + otherToken,
		"an empty one": name, "two in one": name + token + token, "half": name + token[:20], "junk": name + strings.Repeat("%00;=,\t", 2000), "many": strings.Repeat(name+"x; ", 500),
	} {
		for _, as := range []string{"stage", "desk", "preview"} {
			if status := l.upgrade(l.live(l.room, as), "Cookie", cookie, "Origin", l.h.URL); status != http.StatusForbidden {
				t.Errorf("a live connection as %s with %s: status %d", as, what, status)
			}
		}
		for _, path := range []string{"/desk", "/stage/01-first", "/preview/01-first", "/notes/01-first", "/lesson"} {
			if answer, _ := get(t, l.h.URL+"/rooms/"+l.room.Code()+path, "Cookie", cookie); answer.StatusCode != http.StatusForbidden {
				t.Errorf("%s with %s: %s", path, what, answer.Status)
			}
		}
		l.step()
	}
	// This room's cookie with another room's code, and with no room's.
	if status := l.upgrade(l.live(other, "stage"), "Cookie", l.cookie, "Origin", l.h.URL); status != http.StatusForbidden {
		t.Errorf("another room with this room's cookie: status %d", status)
	}
	if status := l.upgrade(strings.Replace(l.live(other, "stage"), other.Code(), "AAAAAA", 1), "Cookie", l.cookie, "Origin", l.h.URL); status != http.StatusNotFound {
		t.Errorf("no room with this room's cookie: status %d", status)
	}
	for _, as := range []string{"", "admin", "stage ", "STAGE", "replay", strings.Repeat("x", 4000)} {
		if status := l.upgrade(l.live(l.room, "")+"&as="+strings.ReplaceAll(as, " ", "%20"), "Origin", l.h.URL); status != http.StatusForbidden {
			t.Errorf("as %.20q: status %d", as, status)
		}
	}
	l.step()
	// When the lesson has ended, its cookie shows and drives nothing more.
	l.stage.say(`{"do":"end","share":false}`, `"seq":`)
	late := l.enter("stage", "Cookie", l.cookie)
	for _, said := range []string{`{"do":"drive","lease":1,"chapter":"02-second"}`, `{"do":"invite"}`, `{"do":"wheel","act":"take"}`} {
		late.say(said, `"code":"ended"`)
	}
	l.logs(`"a presenter's link was refused"`, `"a page came as what it is not"`, `"a page is the presenter's and was refused"`)
}

// No other site's page comes in, whatever cookies its browser has.
func TestOtherSitesPages(t *testing.T) {
	l := attacked(t, live.Limits{})
	for _, header := range [][]string{
		{"Origin", "http://evil.example"}, {"Origin", "null"}, {"Origin", "https://" + strings.TrimPrefix(l.h.URL, "http://") + ".evil.example"},
		{"Origin", strings.Replace(l.h.URL, "127.0.0.1", "localhost", 1)}, {"Origin", "file://"}, {"Origin", "%"},
		{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "websocket"},
	} {
		for _, as := range []string{"stage", "follow"} {
			if status := l.upgrade(l.live(l.room, as), append(header, "Cookie", l.cookie)...); status != http.StatusForbidden {
				t.Errorf("as %s with %v: status %d", as, header, status)
			}
		}
		for _, path := range []string{"/rooms", "/rooms/" + l.room.Code() + "/passes"} {
			if answer, _ := do(t, http.MethodPost, l.h.URL+path, append(header, "Cookie", l.cookie)...); answer.StatusCode != http.StatusForbidden {
				t.Errorf("POST %s with %v: %s", path, header, answer.Status)
			}
		}
		l.step()
	}
	// No other site's page uses a link up, with which it could lead the lesson.
	fresh := l.room.Invite()
	for _, origin := range []string{"http://evil.example", "null"} {
		if answer := redeem(t, l.h.URL, fresh, "Origin", origin); answer.StatusCode != http.StatusForbidden || len(answer.Cookies()) != 0 {
			t.Errorf("a link that is exchanged by a page of %s: %s with %v", origin, answer.Status, answer.Cookies())
		}
	}
	if _, link := l.s.Rooms().Look(fresh); link != live.LinkHolds {
		t.Error("another site's page has used a link up")
	}
	if status := l.upgrade(l.live(l.room, "follow"), "Host", "evil.example", "Origin", "http://evil.example"); status != http.StatusMisdirectedRequest {
		t.Errorf("a name that points here: status %d", status)
	}
	if n := len(l.s.Rooms().All()); n != 1 {
		t.Errorf("%d rooms are open", n)
	}
	l.logs(`"a page of another site was refused"`)
}

// A message that is too long is read away within a bound; its sender is told, and goes on.
func TestLongMessages(t *testing.T) {
	l := attacked(t, live.Limits{})
	f := l.enter("follow")
	for _, kind := range []int{websocket.TextMessage, websocket.BinaryMessage} {
		sent := make(chan error, 1)
		go func() {
			sent <- f.WriteMessage(kind, []byte(`{"v":1,"type":"room","id":"x","room":{"do":"question","text":"`+strings.Repeat("x", 10<<20)+`"}}`))
		}()
		l.step() // meanwhile
		if err := <-sent; err != nil {
			t.Fatal(err)
		}
		for !strings.Contains(f.read(), `"code":"too-large"`) {
		}
	}
	f.say(`{"do":"lost","lost":true}`, `"seq":`)
	// What has an end, and no sense.
	for _, text := range []string{strings.Repeat("[", 100_000), `{"v":1,"type":"room","id":"y","room":` + strings.Repeat(`{"do":`, 9000) + "1" + strings.Repeat("}", 9000) + "}", "\xff\x00", `{"v":1e999}`} {
		if err := f.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
			t.Fatal(err)
		}
		for !strings.Contains(f.read(), `"code":"protocol"`) {
		}
		l.step()
	}
	f.say(`{"do":"lost","lost":false}`, `"seq":`)
}

// Ten thousand come at once: so many get in as there are seats, the rest is told that
// the room is full, and those who are in notice nothing.
func TestTenThousandJoins(t *testing.T) {
	const seats, all = 60, 10_000
	l := attacked(t, live.Limits{Followers: seats})
	before, size := len(l.log.String()), heap()
	statuses := map[int]int{}
	var mu sync.Mutex
	var open []interface{ Close() error }
	var group sync.WaitGroup
	client := &http.Transport{MaxIdleConnsPerHost: 8}
	defer client.CloseIdleConnections()
	next := make(chan int)
	for range 8 {
		group.Go(func() {
			for i := range next {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, l.live(l.room, "follow"), nil)
				if err != nil {
					t.Error(err)
					continue
				}
				for name, value := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Origin": l.h.URL, "Cookie": fmt.Sprintf("wb_seat=%s-%d", strings.Repeat("s", 900), i)} {
					r.Header.Set(name, value)
				}
				answer, err := client.RoundTrip(r)
				if err != nil {
					t.Error(err)
					continue
				}
				mu.Lock()
				statuses[answer.StatusCode]++
				if answer.StatusCode == http.StatusSwitchingProtocols {
					open = append(open, answer.Body)
				} else {
					_ = answer.Body.Close()
				}
				mu.Unlock()
			}
		})
	}
	for i := range all {
		next <- i
		if i%500 == 0 {
			l.step()
		}
	}
	close(next)
	group.Wait()
	// The witness has a seat already.
	if statuses[http.StatusSwitchingProtocols] != seats-1 || statuses[http.StatusServiceUnavailable] != all-seats+1 {
		t.Errorf("the statuses are %v", statuses)
	}
	l.step()
	if grown := heap() - size; grown > 32<<20 {
		t.Errorf("the server has grown by %d MiB", grown>>20)
	}
	if grown := len(l.log.String()) - before; grown > 8<<10 {
		t.Errorf("the log has grown by %d bytes", grown)
	}
	for _, c := range open {
		c.Close()
	}
	l.stage.say(`{"do":"unlost"}`, `"seq":`)
	for text := ""; !strings.Contains(text, `"following":1,`); text = l.stage.read() {
	}
	l.enter("follow")
	l.logs(`"a page found the room full"`, "more of this kind are not logged")
}

// heap is what lives on the heap, in bytes.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Codes are not found by trying, and who tries keeps nobody from the class.
func TestManyWrongCodes(t *testing.T) {
	l := attacked(t, live.Limits{})
	before, last := len(l.log.String()), 0
	for i := range 500 {
		code := fmt.Sprintf("A%c%c%c%c2", 'A'+i%8, 'A'+i/8%8, 'A'+i/64%8, 'M'+i%4)
		for _, path := range []string{"/join/" + code, "/rooms/" + code + "/live?as=follow", "/rooms/" + code + "/chapters/01-first"} {
			answer, _ := get(t, l.h.URL+path)
			if last = answer.StatusCode; last != http.StatusNotFound && last != http.StatusTooManyRequests {
				t.Fatalf("%s: status %d", path, last)
			}
		}
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("after 1500 wrong codes the status is %d", last)
	}
	l.step()
	if answer, _ := get(t, l.h.URL+"/join/"+strings.ToLower(l.room.Code())); answer.StatusCode != http.StatusSeeOther {
		t.Errorf("the right code: %s", answer.Status)
	}
	l.enter("follow")
	if log := l.log.String(); len(log)-before > 8<<10 || !strings.Contains(log, "wrong codes") {
		t.Errorf("the log has grown to\n%s", log)
	}
}

// What is kept in the folder of rooms is not reached from outside, whatever the code.
func TestCodesAreNoPaths(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/SECRET", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := fixture()
	o.Rooms = &RoomOptions{Dir: dir + "/rooms"}
	_, h := start(t, o)
	for _, code := range []string{"..", "%2e%2e", "..%2fSECRET", "%00", "ABC234%2f..", "%5c..", strings.Repeat("A", 5000)} {
		for _, path := range []string{"/join/" + code, "/rooms/" + code + "/lesson", "/rooms/" + code + "/chapters/01-first"} {
			answer, _ := get(t, h.URL+path)
			if s := answer.StatusCode; s != http.StatusNotFound && s != http.StatusMovedPermanently && s != http.StatusTemporaryRedirect && s != http.StatusTooManyRequests {
				t.Errorf("%.60s: %s", path, answer.Status)
			}
		}
	}
}
