package web

import (
	"encoding/json"
	"io"
	"net/http"
	"path"
	"strings"
	"time"

	"workbench/web/blob"
	"workbench/web/chapter"
	"workbench/web/live"
	"workbench/web/page"
)

// toWhereItIs leads to the chapter at which the lesson is.
func (s *Server) toWhereItIs(as live.Role) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		room, err := s.room(r)
		if err != nil {
			return err
		}
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, base(room, as)+room.Chapter(), http.StatusSeeOther)
		return nil
	}
}

// roomDesk is the page from which a presenter leads a room. It is made for each who
// asks: it says how long the room has been open.
func (s *Server) roomDesk(w http.ResponseWriter, r *http.Request) error {
	room, err := s.presented(r)
	if err != nil {
		return err
	}
	s.settle(w, r) // the server may be another one than gave the link
	lesson := page.Lesson{Join: s.joinURLs(room), Opened: room.Began(), Now: time.Now()}
	if len(lesson.Join) == 0 {
		lesson.Join, lesson.Alone = []string{joinAt("http://"+r.Host, room)}, true
	}
	site := s.site
	site.Room = roomOf(room, live.AsDesk, room.Chapter())
	site.Room.Base = base(room, live.AsStage) // where its links to chapters lead
	body := page.Desk(site, s.edition.Load().library, lesson)
	blob.New(htmlType, func() []byte { return body }).Serve(w, r, http.StatusOK)
	return nil
}

// joinURLs are where the class joins a room, the best first. There are none where only
// this machine reaches the server.
func (s *Server) joinURLs(room *live.Room) []string {
	var urls []string
	for _, address := range s.addresses {
		urls = append(urls, joinAt(address, room))
	}
	return urls
}

// joinURL is the first of them.
func (s *Server) joinURL(room *live.Room) string {
	at := ""
	if len(s.addresses) > 0 {
		at = s.addresses[0]
	}
	return joinAt(at, room)
}

// joinAt is where the class joins a room, of a server at an address.
func joinAt(address string, room *live.Room) string {
	return strings.TrimSuffix(address, "/") + "/join/" + room.Code()
}

// roomNotes are a chapter's, for its presenters.
func (s *Server) roomNotes(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.presented(r); err != nil {
		return err
	}
	c, err := s.chapterOf(r)
	if err != nil {
		return err
	}
	notes := c.Notes
	if notes == nil {
		notes = []chapter.Note{}
	}
	return writeJSON(w, notes)
}

// roomPicture serves a chapter's picture to those in a room.
func (s *Server) roomPicture(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.room(r); err != nil {
		return err
	}
	switch live.Role(r.PathValue("folder")) {
	case "chapters", live.AsStage, live.AsPreview:
		return s.picture(w, r)
	}
	return s.nowhere(w, r)
}

// mostReport bounds a report of an exercise, in bytes.
const mostReport = 1 << 10

// roomPasses takes reports of exercises that passed.
func (s *Server) roomPasses(w http.ResponseWriter, r *http.Request) error {
	room, err := s.room(r)
	if err != nil {
		return err
	}
	if s.tallies.passes.add(r) > mostPasses {
		return &failure{status: http.StatusTooManyRequests, sentence: "Many reports came from your network in this minute: try again in a minute."}
	}
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); kind != "application/json" {
		return &failure{status: http.StatusUnsupportedMediaType, sentence: "A report is JSON."}
	}
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, mostReport))
	decoder.DisallowUnknownFields()
	var report live.Report
	if err := decoder.Decode(&report); err != nil {
		return &failure{status: http.StatusBadRequest, sentence: `A report is {"exercise":"guard","reporter":"a random word"} and nothing else.`}
	}
	if _, err := decoder.Token(); err != io.EOF {
		return &failure{status: http.StatusBadRequest, sentence: "A report is one JSON object and nothing else."}
	}
	if n := len(report.Reporter); n < 16 || n > 100 {
		return &failure{status: http.StatusBadRequest, sentence: "reporter: has to be a random word of 16 to 100 characters"}
	}
	if err := room.Pass(report.Reporter, report.Exercise); err != nil {
		return err
	}
	return writeJSON(w, struct {
		OK bool `json:"ok"`
	}{true})
}

// forScripts reports whether an address is asked for by a script, a program or a
// download, which are told what went wrong in a line.
func forScripts(address string) bool {
	for _, prefix := range []string{"/api/", "/assets/", "/live", "/healthz"} {
		if strings.HasPrefix(address, prefix) {
			return true
		}
	}
	if !strings.HasPrefix(address, "/rooms/") {
		return false
	}
	if base := path.Base(address); base == "live" || base == "passes" || base == "lesson" {
		return true
	}
	return path.Base(path.Dir(address)) == "notes"
}
