package web

import (
	"encoding/json"
	"errors"
	"net/http"

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
	s.addresses, s.openToAll = o.Addresses, o.All
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

// Rooms returns the server's rooms, or nil if it was not started for presenting.
func (s *Server) Rooms() *live.Rooms { return s.rooms }

// roomRoutes adds the addresses of rooms.
func (s *Server) roomRoutes(mux *http.ServeMux) {
	get := func(pattern string, h handler) { mux.Handle("GET "+pattern, s.adapt(h)) }
	get("/join", s.joinForm)
	get("/join/{$}", s.joinForm)
	get("/join/{code}", s.join)
	get("/present", s.noSecret)
	get("/present/{$}", s.noSecret)
	get("/present/{secret}", s.present)
	mux.Handle("POST /present", s.adapt(s.redeem))
	get("/rooms/{code}/chapters/{slug}", s.roomChapter(live.AsFollow))
	get("/rooms/{code}/stage/{slug}", s.roomChapter(live.AsStage))
	get("/rooms/{code}/preview/{slug}", s.roomChapter(live.AsPreview))
	for _, path := range []string{"", "/{$}", "/chapters", "/chapters/{$}"} {
		get("/rooms/{code}"+path, s.toWhereItIs(live.AsFollow))
	}
	for _, path := range []string{"/stage", "/stage/{$}"} {
		get("/rooms/{code}"+path, s.toWhereItIs(live.AsStage))
	}
	get("/rooms/{code}/desk", s.roomDesk)
	get("/rooms/{code}/notes/{slug}", s.roomNotes)
	get("/rooms/{code}/lesson", s.roomLesson)
	get("/rooms/{code}/{folder}/{slug}/{picture}", s.roomPicture)
	mux.Handle("POST /rooms/{code}/passes", s.adapt(s.roomPasses))
	get("/rooms/{code}/live", s.roomLive)
	mux.Handle("POST /rooms", s.adapt(s.openRoom))
}

// presents reports whether whoever asks may open rooms.
func (s *Server) presents(r *http.Request) bool { return s.rooms != nil && s.here(r) }

// openRoom opens a room at a chapter, for whoever sits at this machine.
func (s *Server) openRoom(w http.ResponseWriter, r *http.Request) error {
	if !s.presents(r) {
		return &failure{status: http.StatusForbidden, heading: "This is the presenter's", sentence: "Rooms are opened on the machine that presents, in a browser that has opened a presenter's link."}
	}
	slug, _, _ := s.Chapter(r.PostFormValue("chapter"))
	room, secret, err := s.rooms.New(slug)
	if errors.Is(err, live.ErrTooMany) {
		return &failure{status: http.StatusServiceUnavailable, heading: "This cannot be done", sentence: "There are as many rooms as there may be: end one first."}
	}
	if slug == "" {
		return &failure{status: http.StatusBadRequest, heading: "This cannot be done", sentence: "No room was opened: there is no such chapter."}
	}
	if err != nil {
		return &failure{status: http.StatusInternalServerError, heading: "This cannot be done", sentence: "No room could be opened. The terminal that serves has the details.", cause: err}
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
	if !s.guard.SameOrigin(r) {
		s.refusals.Log("a page of another site was refused", "path", loggable(r), "origin", clipped(r.Header.Get("Origin")))
		return &failure{status: http.StatusForbidden, sentence: guard.OtherSite}
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

// chapterOf returns the chapter that an address names.
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
