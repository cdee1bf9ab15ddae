package web

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"workbench/web/blob"
	"workbench/web/live"
	"workbench/web/page"
)

// room returns the room that an address names. Who tries many codes is told to wait:
// a code opens what the class sees and nothing more, and a script that tries them all
// would keep the server from the class.
func (s *Server) room(r *http.Request) (*live.Room, error) {
	if room := s.rooms.Room(r.PathValue("code")); room != nil {
		return room, nil
	}
	return nil, s.wrongCode(r, "There is no room of that code: it was typed wrong, or the lesson is over.")
}

// wrongCode counts a wrong code, and returns what is said of it.
func (s *Server) wrongCode(r *http.Request, sentence string) error {
	if n := s.tallies.wrong.add(r); n > mostWrong {
		if n == mostWrong+1 {
			s.refusals.Log("many wrong codes come from one address: it is told to wait", "from", whoOf(r).Addr())
		}
		return &failure{status: http.StatusTooManyRequests, heading: "Too many wrong codes", sentence: "Many wrong codes came from your network in this minute. Wait a minute, and look at the code that the presenter shows."}
	}
	return notFound(sentence)
}

// joinForm is where a class types its code.
func (s *Server) joinForm(w http.ResponseWriter, r *http.Request) error {
	if typed := r.URL.Query().Get("code"); typed != "" {
		return s.joinWith(w, r, typed)
	}
	s.joinPage(w, r, http.StatusOK, page.Joining{})
	return nil
}

// join leads from a code to where the lesson is.
func (s *Server) join(w http.ResponseWriter, r *http.Request) error {
	return s.joinWith(w, r, r.PathValue("code"))
}

func (s *Server) joinWith(w http.ResponseWriter, r *http.Request, typed string) error {
	room := s.rooms.Room(typed)
	if room == nil {
		typed = clipCode(typed)
		if err := asFailure(s.wrongCode(r, noRoom(typed))); err.status != http.StatusNotFound {
			return err
		}
		s.joinPage(w, r, http.StatusNotFound, page.Joining{Typed: typed, Wrong: noRoom(typed)})
		return nil
	}
	seated(w, r)
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, base(room, live.AsFollow)+room.Chapter(), http.StatusSeeOther)
	return nil
}

func (s *Server) joinPage(w http.ResponseWriter, r *http.Request, status int, j page.Joining) {
	body := page.Join(s.site, j)
	blob.New(htmlType, func() []byte { return body }).Serve(w, r, status)
}

// clipCode shortens what was typed for a code to what a field for one holds.
func clipCode(typed string) string {
	typed = strings.ToUpper(strings.TrimSpace(strings.ToValidUTF8(typed, "")))
	const most = 12
	if utf8.RuneCountInString(typed) > most {
		typed = string([]rune(typed)[:most])
	}
	return typed
}

// noRoom says what is wrong with a code.
func noRoom(typed string) string {
	if code := live.ParseCode(typed); code != "" {
		return fmt.Sprintf("There is no room %s: a letter is another one, or the lesson is over.", code)
	}
	if at := strings.IndexAny(typed, "01OIL"); at >= 0 {
		return fmt.Sprintf("There is no %s in a code: look again, it may be another letter or digit.", typed[at:at+1])
	}
	return "A code has 6 letters and digits, such as K7QM2X."
}

// cookieOf names a room's cookie.
func cookieOf(room *live.Room) string { return "wb_room_" + room.Code() }

// presenter returns whose browser sends a request, or "".
func presenter(r *http.Request, room *live.Room) string {
	// A browser may have more than one of the name: an older one, or another path's.
	for _, c := range r.CookiesNamed(cookieOf(room)) {
		if id, ok := room.Presenter(c.Value); ok {
			return id
		}
	}
	return ""
}

// presented returns the room that an address names, to its presenters alone.
func (s *Server) presented(r *http.Request) (*live.Room, error) {
	room, err := s.room(r)
	if err != nil {
		return nil, err
	}
	if presenter(r, room) == "" {
		s.refusals.Log("a page is the presenter's and was refused", "path", loggable(r), "from", whoOf(r).Addr())
		return nil, &failure{
			status: http.StatusForbidden, sentence: "Open the presenter's link in this browser first. To follow the lesson, go to /join/" + room.Code() + ".",
			page: page.Present(s.site, page.Presenting{Code: room.Code(), Desk: true}),
		}
	}
	return room, nil
}

// seatCookie holds a name that says nothing: it tells one browser's answers in a
// poll from another's until it is closed.
const seatCookie = "wb_seat"

// seated returns the browser's name, and gives it one if it has none.
func seated(w http.ResponseWriter, r *http.Request) string {
	if c, err := r.Cookie(seatCookie); err == nil && len(c.Value) > 16 && len(c.Value) < 100 {
		return c.Value
	}
	name := live.NewSecret()
	http.SetCookie(w, &http.Cookie{Name: seatCookie, Value: name, Path: "/rooms/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	return name
}
