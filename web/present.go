package web

import (
	"net/http"

	"workbench/web/blob"
	"workbench/web/live"
	"workbench/web/page"
)

// A presenter's link is exchanged for a cookie in two steps:
//
//	GET /present/SECRET   a page with a form, which its script sends at once
//	POST /present         uses the link up, sets the cookie, and leads to the desk
//
// Links are handed on in chats and mails. What shows there where a link leads only
// reads it, and must not use it up. And who clicks on one comes from another site's
// page: a browser would not send the cookie, which is strict, with what such a click
// leads to, whereas the form is sent by a page of this server.

// present shows the way from a presenter's link to the desk.
func (s *Server) present(w http.ResponseWriter, r *http.Request) error {
	secret := r.PathValue("secret")
	room, link := s.rooms.Look(secret)
	if link != live.LinkHolds {
		s.refusals.Log("a presenter's link was refused") // as Redeem does
		return s.noLink(w, r, room, link)
	}
	s.linkPage(w, r, http.StatusOK, page.Presenting{Code: room.Code(), Secret: secret})
	return nil
}

// redeem makes whoever has the secret a presenter, and leads to an address without it.
func (s *Server) redeem(w http.ResponseWriter, r *http.Request) error {
	secret := r.PostFormValue("secret")
	room, token, err := s.rooms.Redeem(secret) // which logs a refusal
	if err != nil {
		room, link := s.rooms.Look(secret)
		return s.noLink(w, r, room, link)
	}
	s.toDesk(w, r, room, token)
	return nil
}

// toDesk makes a browser a presenter's.
func (s *Server) toDesk(w http.ResponseWriter, r *http.Request, room *live.Room, token string) {
	w.Header().Set("Cache-Control", "no-store")
	http.SetCookie(w, &http.Cookie{
		Name: cookieOf(room), Value: token, Path: "/rooms/" + room.Code(), HttpOnly: true, SameSite: http.SameSiteStrictMode,
		MaxAge: 24 * 60 * 60,
	})
	s.settle(w, r)
	http.Redirect(w, r, "/rooms/"+room.Code()+"/desk", http.StatusSeeOther)
}

// noLink says why a link makes nobody a presenter. Of one that was a room's it says
// of which, which everybody may know who had it.
func (s *Server) noLink(w http.ResponseWriter, r *http.Request, room *live.Room, link live.Link) error {
	p := page.Presenting{Used: link == live.LinkUsed, Over: link == live.LinkOver}
	if room != nil {
		p.Code = room.Code()
	} else if limited := asFailure(s.wrongCode(r, "")); limited.status != http.StatusNotFound {
		return limited
	}
	s.linkPage(w, r, http.StatusForbidden, p)
	return nil
}

func (s *Server) linkPage(w http.ResponseWriter, r *http.Request, status int, p page.Presenting) {
	body := page.Present(s.site, p)
	// With no referrer at all, the form's origin would be none.
	w.Header().Set("Referrer-Policy", "strict-origin")
	blob.New(htmlType, func() []byte { return body }).ServeOnce(w, r, status)
}

// noSecret is the address without one, as in a page that was left and is asked for again.
func (s *Server) noSecret(w http.ResponseWriter, r *http.Request) error {
	s.linkPage(w, r, http.StatusForbidden, page.Presenting{})
	return nil
}
