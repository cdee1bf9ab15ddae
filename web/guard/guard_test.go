package guard

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHost(t *testing.T) {
	g := Guard{Hosts: []string{"Classroom"}}
	for host, want := range map[string]bool{
		"localhost": true, "localhost:8080": true, "LOCALHOST:1": true, "a.localhost": true, "localhost.": true,
		"127.0.0.1:8080": true, "192.168.1.7:8080": true, "[::1]:8080": true, "[::1]": true, "classroom:8080": true,
		"evil.example:8080": false, "localhost.evil.example": false, "127.0.0.1.evil.example": false, "": false, "classroom.evil": false,
	} {
		if g.Host(host) != want {
			t.Errorf("Host(%q) = %v, want %v", host, !want, want)
		}
	}
}

func TestSameOrigin(t *testing.T) {
	for _, c := range []struct {
		origin, site string
		want         bool
	}{
		{"", "", true},
		{"http://127.0.0.1:8080", "same-origin", true},
		{"https://127.0.0.1:8080", "", true},
		{"http://127.0.0.1:8081", "same-site", false},
		{"http://evil.example", "cross-site", false},
		{"https://lab.example.org", "same-origin", true}, // a proxy's that puts our address for its name
		{"https://LAB.example.org", "", true},
		{"http://lab.example.org", "", false},
		{"https://lab.example.org:8443", "", false},
		{"null", "", false},
		{"file:///x", "", false},
		{"http://127.0.0.1:8080.evil.example", "", false},
		{"", "cross-site", false},
	} {
		r := httptest.NewRequest("POST", "http://127.0.0.1:8080/", nil)
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if c.site != "" {
			r.Header.Set("Sec-Fetch-Site", c.site)
		}
		if got := (Guard{Origins: []string{"https://lab.example.org"}}).SameOrigin(r); got != c.want {
			t.Errorf("SameOrigin(origin %q, site %q) = %v, want %v", c.origin, c.site, !c.want, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	reached := false
	h := Guard{}.Wrap(
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }),
		func(w http.ResponseWriter, r *http.Request, status int, reason string) { http.Error(w, reason, status) },
	)
	for _, c := range []struct {
		method, host, origin string
		status               int
	}{
		{"GET", "127.0.0.1:8080", "", 200},
		{"GET", "evil.example", "", 421},
		{"POST", "127.0.0.1:8080", "http://127.0.0.1:8080", 200},
		{"POST", "127.0.0.1:8080", "http://evil.example", 403},
		{"DELETE", "127.0.0.1:8080", "null", 403},
	} {
		reached = false
		r := httptest.NewRequest(c.method, "http://"+c.host+"/", nil)
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.status || reached != (c.status == 200) {
			t.Errorf("%s to %s from %q: status %d, handler reached %v; want %d", c.method, c.host, c.origin, w.Code, reached, c.status)
		}
		csp := w.Header().Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'self'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"} {
			if !strings.Contains(csp, part) {
				t.Errorf("%s to %s: policy %q lacks %q", c.method, c.host, csp, part)
			}
		}
		if strings.Contains(csp, "unsafe") {
			t.Errorf("policy %q allows what is unsafe", csp)
		}
		if w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Header().Get("Referrer-Policy") == "" {
			t.Errorf("%s to %s: headers %v", c.method, c.host, w.Header())
		}
	}
}
