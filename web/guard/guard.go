// Package guard keeps other sites out of the workbench.
//
// The workbench listens on the learner's own machine, where any page in their
// browser can send requests. Three checks keep those from doing anything:
//
//   - Host: the name a request was sent to is one of ours. A page that points
//     its own name at 127.0.0.1 (DNS rebinding) fails here.
//   - Origin: a WebSocket, and every request that is not a plain read, comes
//     from a page of this server.
//   - Site: a read that starts work is not sent by another site's page.
//
// And every answer forbids the browser to run or load anything that is not
// this server's, or to show it inside another page.
package guard

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// policy is what both Content-Security-Policies begin with.
const policy = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors "

// Content-Security-Policies: of every answer, and of one that a page of this server
// may show inside itself.
const (
	unframed = policy + "'none'"
	Framed   = policy + "'self'"
)

// Guard checks requests.
type Guard struct {
	// Hosts are names that the server is reached by, besides localhost and
	// addresses written as numbers, which no other site can claim.
	Hosts []string
	// Origins are those of pages of this server that come through a proxy, which may
	// send a request on under another name: https://lab.example.org.
	Origins []string
}

// Wrap returns next behind the checks, with the security headers on every
// answer. Refuse answers a request that fails one.
func (g Guard) Wrap(next http.Handler, refuse func(w http.ResponseWriter, r *http.Request, status int, reason string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", unframed)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
		switch {
		case !g.Host(r.Host):
			refuse(w, r, http.StatusMisdirectedRequest, "This server does not go by that name: use the address that it printed when it started. Whoever starts it lets a name in by the flag --host.")
		case r.Method != http.MethodGet && r.Method != http.MethodHead && !g.SameOrigin(r):
			refuse(w, r, http.StatusForbidden, OtherSite)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// Host reports whether a request's Host header is a name of this server.
func (g Guard) Host(hostport string) bool {
	host := Name(hostport)
	if net.ParseIP(host) != nil || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	for _, name := range g.Hosts {
		if host == strings.ToLower(name) {
			return true
		}
	}
	return false
}

// OtherSite is what is said of a request that is not of the same origin.
const OtherSite = "This request comes from another site's page. If it is this server's, through a proxy: whoever starts the server gives the proxy's address by the flag --host."

// Name returns the name in a Host header, without the port.
func Name(hostport string) string {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	return strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
}

// SameOrigin reports whether a request comes from a page of the server that it
// is sent to. A request without an Origin comes from no page: browsers send
// one with every WebSocket and every request that is not a plain read.
func (g Guard) SameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return r.Header.Get("Sec-Fetch-Site") != "cross-site"
	}
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return strings.EqualFold(u.Host, r.Host) || slices.Contains(g.Origins, strings.ToLower(u.Scheme+"://"+u.Host))
}

// SameSite reports whether a read that starts work may do so: another site's
// page can ask a browser to send it, as the source of a picture, and such a
// request says where it comes from.
func SameSite(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "" || site == "same-origin" || site == "none"
}
