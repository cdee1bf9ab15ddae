package web

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"workbench/web/guard"
	"workbench/web/page"
	"workbench/web/run"
)

// Who reaches which pages of a server for presenting:
//
//	this machine     everything
//	other machines   the rooms' pages and what those load; with RoomOptions.All
//	                 everything but the opening of rooms
//
// A request is this machine's if it came over the loopback, or from the very address
// that it was sent to, and was not passed on: a proxy or a tunnel on this machine
// speaks for others. Proxies mostly say so in a header. A tunnel says nothing, but leaves
// the name by which it was reached. So this machine's own are taken by loopback names and
// by the connection's own address alone.
//
// That can be forged, and comes about by itself: a proxy may put localhost in the place
// of the name and say nothing. So where others are meant to reach the server, a request
// needs a cookie beside, which the presenter's link gives to a browser on this machine,
// or to a co-presenter's who comes by such a proxy: presenters are trusted with it.
// A server that is reached by the name of a proxy and not for presenting has no such
// link, and takes nobody for its own.

// passedOn are the headers by which proxies say that they are one, besides all that
// begin like X-Forwarded-For.
var passedOn = []string{"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Original-Host", "Cf-Connecting-Ip", "True-Client-Ip"}

// here reports whether a request is from whoever sits at this machine.
func (s *Server) here(r *http.Request) bool {
	return local(r) && (!s.shared || s.claims(r))
}

// claims reports whether a request has the cookie of whoever sits at this machine.
func (s *Server) claims(r *http.Request) bool {
	for _, c := range r.CookiesNamed(hereCookie(r)) {
		if subtle.ConstantTimeCompare([]byte(c.Value), []byte(s.claim)) == 1 {
			return true
		}
	}
	return false
}

// settle gives a presenter's browser the cookie, if it is on this machine.
func (s *Server) settle(w http.ResponseWriter, r *http.Request) {
	if s.shared && local(r) && !s.claims(r) {
		// Lax, so that a link in a terminal or in a text leads to where it says.
		http.SetCookie(w, &http.Cookie{Name: hereCookie(r), Value: s.claim, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	}
}

// hereCookie names the cookie. Servers on one machine share those of their browsers,
// whatever their ports.
func hereCookie(r *http.Request) string {
	port := ""
	if a, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		_, port, _ = net.SplitHostPort(a.String())
	}
	return "wb_here_" + port
}

// local reports whether a request looks like one of this machine.
func local(r *http.Request) bool {
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Forwarded") || slices.Contains(passedOn, name) {
			return false
		}
	}
	from, ok := addressOf(r.RemoteAddr)
	if !ok {
		return false
	}
	var at netip.Addr
	if a, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		at, _ = addressOf(a.String())
	}
	if !from.IsLoopback() && from != at {
		return false
	}
	name := guard.Name(r.Host)
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	a, err := netip.ParseAddr(name)
	return err == nil && (a.Unmap().IsLoopback() || a.Unmap() == at)
}

// addressOf returns the address of an address and a port. One of IPv4 that is written
// as one of IPv6 is the same.
func addressOf(hostport string) (netip.Addr, bool) {
	a, err := netip.ParseAddrPort(hostport)
	return a.Addr().Unmap().WithZone(""), err == nil
}

// reached returns the handler as other machines reach it.
func (s *Server) reached(o *RoomOptions, next http.Handler) http.Handler {
	if o == nil || o.All {
		return next
	}
	return s.roomsOnly(next)
}

// forAll are the addresses that other machines may ask for, and with a slash those
// below them.
var forAll = []string{"/join", "/join/", "/rooms/", "/present", "/present/", "/assets/", "/healthz"}

// roomsOnly keeps other machines to the rooms.
func (s *Server) roomsOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case s.here(r) || within(r.URL.Path, forAll):
			next.ServeHTTP(w, r)
		case r.URL.Path == "/" && r.Method == http.MethodGet:
			// Who types the address without the code is nearly there.
			http.Redirect(w, r, "/join", http.StatusSeeOther)
		default:
			s.refusals.Log("a request from another machine was refused", "path", loggable(r), "from", r.RemoteAddr)
			sentence := "This workbench shows other machines its lessons and nothing else: open the address that the presenter shows, or type the code."
			if local(r) {
				sentence = "Others reach this workbench, and see its lessons and nothing else. If you present, open the presenter's link from the terminal in this browser first."
			}
			s.fail(w, r, &failure{status: http.StatusForbidden, heading: "This is the presenter's", sentence: sentence})
		}
	})
}

// loggable returns the path of a request without a secret, as far as a log has place.
func loggable(r *http.Request) string {
	if strings.HasPrefix(r.URL.Path, "/present/") {
		return "/present/…"
	}
	return clipped(r.URL.Path)
}

// clipped is what somebody sent, as far as a log has place.
func clipped(text string) string { return run.Clip(text, 200) }

func within(path string, below []string) bool {
	for _, p := range below {
		if path == p || strings.HasSuffix(p, "/") && strings.HasPrefix(path, p) {
			return true
		}
	}
	return false
}

// outside reports whether what goes wrong with a request is told on a page that leads
// to rooms and nowhere else.
func (s *Server) outside(r *http.Request) bool {
	return s.rooms != nil && (within(r.URL.Path, []string{"/join", "/join/", "/rooms", "/rooms/", "/present", "/present/"}) || !s.openToAll && !s.here(r))
}

// toJoin leads to where a code is typed.
var toJoin = page.Way{Href: "/join", Text: "Type a lesson’s code"}
