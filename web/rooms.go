package web

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"workbench/web/chapter"
	"workbench/web/guard"
	"workbench/web/live"
)

// RoomOptions are those of a server that was started for presenting.
type RoomOptions struct {
	// Dir keeps the rooms, so that they outlive the server; with none they do not.
	Dir string
	// Addresses are those by which a class reaches the server, such as
	// http://192.168.1.20:8080, the best first. With none, only this machine does.
	Addresses []string
	// All shows other machines all of the workbench, as a server that is not for
	// presenting does, and not its rooms alone.
	All    bool
	Limits live.Limits
	// Notice, if any, is told of rooms that are opened and that end; see live.Options.
	Notice func(live.Notice)
}

// syllabus is what rooms know of the course.
type syllabus struct{ s *Server }

func (c syllabus) Chapter(slug string) (title string, ok bool) {
	if found := c.s.edition.Load().library.Chapter(slug); found != nil {
		return found.Title(), true
	}
	return "", false
}

func (c syllabus) Widget(slug, id string) bool {
	found := c.s.edition.Load().library.Chapter(slug)
	return found != nil && found.Has(id)
}

func (c syllabus) Exercise(id string) (title string, ok bool) {
	book := c.s.edition.Load().book
	if book == nil {
		return "", false
	}
	for _, g := range book.Groups {
		for _, e := range g.Entries {
			if e.ID == id {
				return e.Title, true
			}
		}
	}
	return "", false
}

// chapterVersion names a chapter's text as it is now, or is "" of none.
func (s *Server) chapterVersion(slug string) string {
	if c := s.edition.Load().library.Chapter(slug); c != nil {
		return c.Version()
	}
	return ""
}

// openRooms opens the rooms, if the server is for presenting.
func (s *Server) openRooms(o *RoomOptions, build string) error {
	if o == nil {
		return nil
	}
	var err error
	s.rooms, err = live.Open(live.Options{Hub: s.hub, Course: syllabus{s}, Version: s.chapterVersion, Dir: o.Dir, Build: build, Logger: s.log, Limits: o.Limits, Notice: o.Notice})
	if s.rooms == nil {
		return err
	}
	if err != nil {
		s.log.Error("some rooms could not be opened again", "error", err)
	}
	return nil
}

// reached returns the handler as other machines reach it.
func (s *Server) reached(o *RoomOptions, next http.Handler) http.Handler {
	if o == nil || o.All {
		return next
	}
	return s.roomsOnly(next)
}

// Rooms returns the server's rooms, or nil if it was not started for presenting.
func (s *Server) Rooms() *live.Rooms { return s.rooms }

// roomRoutes adds the addresses of rooms.
func (s *Server) roomRoutes(mux *http.ServeMux) {
	get := func(pattern string, h handler) { mux.Handle("GET "+pattern, s.adapt(h)) }
	get("/join/{code}", s.join)
	get("/present/{secret}", s.present)
	get("/rooms/{code}/chapters/{slug}", s.roomChapter(live.AsFollow))
	get("/rooms/{code}/stage/{slug}", s.roomChapter(live.AsStage))
	get("/rooms/{code}/preview/{slug}", s.roomChapter(live.AsPreview))
	get("/rooms/{code}/live", s.roomLive)
	mux.Handle("POST /rooms", s.adapt(s.openRoom))
}

// local reports whether a request comes from this machine.
func local(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

// roomsOnly keeps other machines to the rooms.
func (s *Server) roomsOnly(next http.Handler) http.Handler {
	open := []string{"/join", "/join/", "/rooms/", "/present/", "/assets/", "/healthz"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !local(r) {
			allowed := false
			for _, path := range open {
				allowed = allowed || r.URL.Path == path || strings.HasSuffix(path, "/") && strings.HasPrefix(r.URL.Path, path)
			}
			if !allowed {
				s.log.Warn("a request from another machine was refused", "path", r.URL.Path, "from", r.RemoteAddr)
				s.fail(w, r, &failure{status: http.StatusForbidden, heading: "This is the presenter's", sentence: "This workbench shows other machines its lessons and nothing else: open the address that the presenter shows, or go to /join and type the code."})
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// room returns the room that an address names.
func (s *Server) room(r *http.Request) (*live.Room, error) {
	if room := s.rooms.Room(r.PathValue("code")); room != nil {
		return room, nil
	}
	return nil, notFound("There is no room of that code: it was typed wrong, or the lesson is over.")
}

// cookieOf names a room's cookie.
func cookieOf(room *live.Room) string { return "wb_room_" + room.Code() }

// presenter returns whose browser sends a request, or "".
func presenter(r *http.Request, room *live.Room) string {
	c, err := r.Cookie(cookieOf(room))
	if err != nil {
		return ""
	}
	id, _ := room.Presenter(c.Value)
	return id
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

// join leads from a code to where the lesson is.
func (s *Server) join(w http.ResponseWriter, r *http.Request) error {
	room, err := s.room(r)
	if err != nil {
		return err
	}
	seated(w, r)
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, "/rooms/"+room.Code()+"/chapters/"+room.Chapter(), http.StatusSeeOther)
	return nil
}

// present makes whoever has the secret a presenter, and leads to an address
// without it.
func (s *Server) present(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Cache-Control", "no-store")
	room, token, err := s.rooms.Redeem(r.PathValue("secret"))
	if err != nil {
		return err
	}
	s.toDesk(w, r, room, token)
	return nil
}

func (s *Server) toDesk(w http.ResponseWriter, r *http.Request, room *live.Room, token string) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieOf(room), Value: token, Path: "/rooms/" + room.Code(), HttpOnly: true, SameSite: http.SameSiteStrictMode,
		MaxAge: 24 * 60 * 60,
	})
	http.Redirect(w, r, "/rooms/"+room.Code()+"/desk", http.StatusSeeOther)
}

// openRoom opens a room at a chapter, for whoever sits at this machine.
func (s *Server) openRoom(w http.ResponseWriter, r *http.Request) error {
	if !local(r) {
		return &failure{status: http.StatusForbidden, heading: "This is the presenter's", sentence: "Rooms are opened on the machine that presents."}
	}
	room, secret, err := s.rooms.New(r.PostFormValue("chapter"))
	if errors.Is(err, live.ErrTooMany) {
		return &failure{status: http.StatusServiceUnavailable, heading: "This cannot be done", sentence: "There are as many rooms as there may be: end one first."}
	}
	if err != nil {
		return &failure{status: http.StatusBadRequest, heading: "This cannot be done", sentence: "No room could be opened: " + err.Error() + "."}
	}
	_, token, err := s.rooms.Redeem(secret)
	if err != nil {
		return err
	}
	s.toDesk(w, r, room, token)
	return nil
}

// roomLive is the live connection of a page in a room.
func (s *Server) roomLive(w http.ResponseWriter, r *http.Request) error {
	if !guard.SameOrigin(r) {
		s.log.Warn("a page of another site was refused", "path", r.URL.Path, "origin", r.Header.Get("Origin"))
		return &failure{status: http.StatusForbidden, sentence: "Another site's page may not connect to the workbench."}
	}
	room, err := s.room(r)
	if err != nil {
		return err
	}
	name := ""
	if c, err := r.Cookie(seatCookie); err == nil {
		name = c.Value
	}
	if name == "" {
		name = live.NewSecret() // counts by itself
	}
	seat, err := room.Seat(live.Role(r.URL.Query().Get("as")), presenter(r, room), name)
	if err != nil {
		return err
	}
	return s.socketError(s.hub.ServeSeat(w, r, seat))
}

func init() {
	statuses[live.CodeForbidden] = http.StatusForbidden
	statuses[live.CodeEnded] = http.StatusGone
	statuses[live.CodeLease] = http.StatusConflict
	statuses[live.CodeFollower] = http.StatusNotFound
}

// notes are a chapter's, for its presenter.
func (s *Server) chapterOf(r *http.Request) (*chapter.Chapter, error) {
	if c := s.edition.Load().library.Chapter(r.PathValue("slug")); c != nil {
		return c, nil
	}
	return nil, notFound("There is no such chapter in the lesson.")
}

func writeJSON(w http.ResponseWriter, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(append(body, '\n')) // the client may have gone
	return nil
}
