package main

import (
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// courseRoot is a folder that passes for the course's, with nothing in it.
func courseRoot(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module workbench\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return root
}

// presenters is a browser that keeps cookies and stays where it is.
func presenters(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

var (
	presentLink = regexp.MustCompile(`http://\S+/present/[\w-]{43}`)
	joinLink    = regexp.MustCompile(`http://\S+/join/[A-Z2-9]{6}`)
)

// says waits until a command has printed what a pattern matches, n times.
func (s *serving) says(t *testing.T, pattern *regexp.Regexp, n int) []string {
	t.Helper()
	for deadline := time.Now().Add(tooLong); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if found := pattern.FindAllString(s.stdout.String(), -1); len(found) >= n {
			return found
		}
	}
	t.Fatalf("%v is not printed %d times:\n%s%s", pattern, n, s.stdout, s.stderr)
	return nil
}

// A lesson, as its presenter's terminal and browser have it: opened, interrupted, gone
// on with in the same browser, and ended.
func TestPresent(t *testing.T) {
	root := courseRoot(t)
	env := map[string]string{"COURSE_ROOT": root, "COURSE_COMMAND": "./course"}
	first := startingIn(t, env, "present", "--addr", "127.0.0.1:0", "--chapter", "7")
	link := first.says(t, presentLink, 1)[0]
	join := first.says(t, joinLink, 1)[0]
	first.says(t, regexp.MustCompile("Ctrl-C lets"), 1)
	code := join[len(join)-6:]
	address := strings.TrimSuffix(join, "/join/"+code)
	addr := strings.TrimPrefix(address, "http://")

	b := presenters(t)
	visit := func(b *http.Client, url string, status int, where string) {
		t.Helper()
		r, err := b.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != status || r.Header.Get("Location") != where {
			t.Fatalf("%s answers %d, to %q; want %d, %q", url, r.StatusCode, r.Header.Get("Location"), status, where)
		}
	}
	// As the page of the link does.
	present := func(b *http.Client, link string) {
		t.Helper()
		visit(b, link, http.StatusOK, "")
		r, err := b.PostForm(address+"/present", url.Values{"secret": {link[len(link)-43:]}})
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if to := r.Header.Get("Location"); to != "/rooms/"+code+"/desk" {
			t.Fatalf("%s leads to %q", link, to)
		}
	}
	present(b, link)
	visit(b, address+"/rooms/"+code+"/desk", http.StatusOK, "")
	visit(presenters(t), join, http.StatusSeeOther, "/rooms/"+code+"/chapters/07-product-in-three-versions")
	visit(presenters(t), link, http.StatusForbidden, "")

	// A further room, by the button of a page.
	r, err := b.PostForm(address+"/rooms", url.Values{"chapter": {"02-rows-sums-means"}})
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	first.says(t, regexp.MustCompile("was opened at"), 1)
	further := r.Header.Get("Location")[len("/rooms/"):][:6]

	if status := first.end(t); status != statusOK || strings.Count(first.stderr.String(), "\n") != 1 || !strings.Contains(first.stderr.String(), "a presenter's link was refused") || strings.Contains(first.stderr.String(), link[len(link)-43:]) {
		t.Errorf("status %d: %s", status, first.stderr)
	}
	printed := first.stdout.String()
	second := startingIn(t, env, "present", "--addr", addr)
	second.says(t, presentLink, 2)
	visit(b, address+"/rooms/"+code+"/desk", http.StatusOK, "")
	visit(presenters(t), join, http.StatusSeeOther, "/rooms/"+code+"/chapters/07-product-in-three-versions")
	visit(presenters(t), link, http.StatusForbidden, "")
	present(presenters(t), presentLink.FindString(second.stdout.String()))

	for _, code := range []string{code, further} {
		u, err := url.Parse(address + "/rooms/" + code + "/")
		if err != nil {
			t.Fatal(err)
		}
		conn, _, err := websocket.DefaultDialer.DialContext(t.Context(), "ws://"+addr+"/rooms/"+code+"/live?as=desk", http.Header{"Cookie": {b.Jar.Cookies(u)[0].String()}})
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.WriteMessage(websocket.TextMessage, []byte(`{"v":1,"type":"room","id":"1","room":{"do":"end"}}`)); err != nil {
			t.Fatal(err)
		}
		second.says(t, regexp.MustCompile("in room "+code+" has ended"), 1)
		conn.Close()
	}
	if status := second.end(t); status != statusOK {
		t.Errorf("status %d: %s", status, second.stderr)
	}
	printed += "---\n" + second.stdout.String()

	third := startingIn(t, env, "present", "--addr", addr)
	third.says(t, presentLink, 1)
	if again := third.says(t, joinLink, 1)[0]; again == join {
		t.Error("a lesson that has ended goes on")
	}
	third.end(t)
	printed += "---\n" + strings.SplitAfter(third.stdout.String(), "\n\n")[0]

	for was, is := range map[string]string{code: "K7QM2X", further: "ABCDEF", addr: "127.0.0.1:8080"} {
		printed = strings.ReplaceAll(printed, was, is)
	}
	printed = regexp.MustCompile(`/present/[\w-]{43}`).ReplaceAllString(printed, "/present/…")
	printed = regexp.MustCompile(`\d\d:\d\d:\d\d`).ReplaceAllString(printed, "10:00:00")
	printed = regexp.MustCompile(`Room [A-Z2-9]{6} is open`).ReplaceAllString(printed, "Room K7QM2X is open")
	// The folder's name is another's on every machine, and breaks lines elsewhere.
	printed = regexp.MustCompile(`\s+`).ReplaceAllString(strings.ReplaceAll(printed, "\n\n", "\n¶\n"), " ")
	printed = strings.ReplaceAll(printed, filepath.ToSlash(root), "/course")
	printed = strings.ReplaceAll(printed, root, "/course")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if from, err := filepath.Rel(here, root); err == nil {
		printed = strings.ReplaceAll(printed, from, "/course")
	}
	golden(t, "present.txt", strings.ReplaceAll(printed, "¶ ", "\n\n")+"\n")

	info, err := os.Stat(filepath.Join(root, ".course", "rooms"))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("others can read the rooms: %v, %v", info.Mode(), err)
	}
}

// With --listen other machines reach the rooms, by an address of this one, and are
// warned of.
func TestPresentListens(t *testing.T) {
	env := map[string]string{"COURSE_ROOT": courseRoot(t)}
	s := startingIn(t, env, "present", "--listen", "--addr", "127.0.0.1:0", "--host", "Lab.example.org", "--host", "https://class.example.org/")
	link := s.says(t, presentLink, 1)[0]
	if !strings.HasPrefix(link, "http://localhost:") {
		t.Errorf("the presenter's link is %s", link)
	}
	joins := s.says(t, regexp.MustCompile(`https?://\S+/join/[A-Z2-9]{6}`), 3)
	u, err := url.Parse(joins[2])
	if err != nil {
		t.Fatal(err)
	}
	code := joins[0][len(joins[0])-6:]
	if joins[0] != "http://lab.example.org:"+u.Port()+"/join/"+code || joins[1] != "https://class.example.org/join/"+code {
		t.Errorf("the class joins at %v, and not by the names first", joins)
	}
	if own := machineAddresses(); len(own) > 0 && u.Hostname() != own[0].String() {
		t.Errorf("the class joins at %s; this machine's addresses are %v", joins[2], own)
	}
	if !strings.Contains(s.stderr.String(), "Warning: other machines can reach the rooms, and nothing is encrypted") {
		t.Errorf("it warns: %q", s.stderr)
	}
	own, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]string{
		strings.ToUpper(own) + ":" + u.Port(): "Join a lesson", "lab.example.org": "Join a lesson", "class.example.org": "Join a lesson",
		"example.org": "lets a name in by the flag --host",
	} {
		r, err := http.NewRequest("GET", "http://127.0.0.1:"+u.Port()+"/join", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if !strings.Contains(string(body), want) {
			t.Errorf("by the name %s it answers %d, without %q: %.400s", host, response.StatusCode, want, body)
		}
	}
	if status := s.end(t); status != statusOK {
		t.Errorf("status %d", status)
	}
}

func TestPresentRefuses(t *testing.T) {
	env := map[string]string{"COURSE_ROOT": courseRoot(t)}
	s := startingIn(t, env, "present", "--addr", "127.0.0.1:0")
	s.says(t, presentLink, 1)
	empty := t.TempDir()
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"--addr", "127.0.0.1:0"}, statusFailed, "another workbench presents the rooms of"},
		{[]string{"--addr", "0.0.0.0:8080"}, statusUsage, "--addr 0.0.0.0:8080: other machines may come in only if you say --listen, as in --listen=0.0.0.0"},
		{[]string{"--addr", "8080"}, statusUsage, `--addr "8080": write an address and a port`},
		{[]string{"--listen", "192.168.1.20"}, statusUsage, "--listen 192.168.1.20: write --listen=192.168.1.20, without a space"},
		{[]string{"--listen="}, statusUsage, `--listen "": write an address of this machine`},
		{[]string{"--listen=192.0.2.1", "--addr", "127.0.0.1:0"}, statusFailed, "192.0.2.1 is not an address of this machine"},
		{[]string{"--listen=here:now"}, statusUsage, `--listen "here:now": "now" is not a port`},
		{[]string{"--rooms", t.TempDir(), "--addr", "127.0.0.1:0", "--chapter", "99"}, statusUsage, "--chapter 99: there is no such chapter: write its number, or its name as in 01-one-product"},
		{[]string{"--rooms", t.TempDir(), "--addr", "127.0.0.1:0", "--chapters", empty}, statusUsage, "has no chapters yet"},
		{[]string{"--host", "lab.example.org/class"}, statusUsage, `--host "lab.example.org/class": write a name, as in lab-pc.local, or an address without a path`},
		{[]string{"--host", "lab.example.org:8443"}, statusUsage, "as in https://lab.example.org"},
		{[]string{"--host", "https://a b"}, statusUsage, "--host"},
		{[]string{"--chapter"}, statusUsage, "--chapter needs a value, as in --chapter 7"},
		{[]string{"7"}, statusUsage, "present takes flags alone"},
	} {
		o := callWith(t.Context(), func(p *program) { p.getenv = func(name string) string { return env[name] } }, "", append([]string{"present"}, c.args...)...)
		if o.status != c.status || o.stdout != "" || !strings.Contains(o.stderr, c.want) {
			t.Errorf("present %v: status %d, prints %q, says %q; want %q", c.args, o.status, o.stdout, o.stderr, c.want)
		}
	}
	s.end(t)
}

func TestLikeliest(t *testing.T) {
	var found []reachedBy
	for _, one := range []struct{ by, address string }{
		{"docker0", "172.17.0.1"}, {"eth0", "203.0.113.9"}, {"eth0", "fe80::1"}, {"wlan0", "192.168.1.20"}, {"eth0", "10.0.0.5"},
		{"eth0", "2001:db8::5"}, {"wlan0", "fd00::20"}, {"eth1", "169.254.7.7"}, {"br-1234", "172.18.0.1"}, {"eth0:1", "10.0.0.5"},
	} {
		found = append(found, reachedBy{netip.MustParseAddr(one.address), one.by})
	}
	for outward, want := range map[string]string{
		"10.0.0.5":     "10.0.0.5 192.168.1.20 203.0.113.9 172.17.0.1",
		"192.168.1.20": "192.168.1.20 10.0.0.5 203.0.113.9 172.17.0.1",
		"203.0.113.9":  "192.168.1.20 10.0.0.5 203.0.113.9 172.17.0.1",
	} {
		var got []string
		for _, a := range likeliest(found, netip.MustParseAddr(outward)) {
			got = append(got, a.String())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("with %s outward: %v, want %s", outward, got, want)
		}
	}
	six := []reachedBy{{netip.MustParseAddr("2001:db8::5"), "eth0"}, {netip.MustParseAddr("fd00::20"), "eth0"}}
	if got := likeliest(six, netip.Addr{}); !slices.Equal(got, []netip.Addr{six[1].address, six[0].address}) {
		t.Errorf("of IPv6 alone: %v", got)
	}
}

func TestJoinAddresses(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	if got := joinAddresses(l, "192.168.1.20"); !slices.Equal(got, []string{"http://192.168.1.20:" + port}) {
		t.Errorf("the class joins at %v", got)
	}
}
