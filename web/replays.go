package web

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"workbench/web/guard"
	"workbench/web/live"
	"workbench/web/page"
)

// asReplay is what a page of a replay is.
const asReplay live.Role = "replay"

// replays are the lessons that somebody at this machine looks at again. A few are
// kept, until the server stops.
type replays struct {
	reading chan struct{} // a token for the one file that is read

	mu  sync.Mutex
	all []*replay // the latest first
}

type replay struct {
	id     string
	lesson *live.Lesson
	kept   string // the code of the room that it was given in, if it was here and has ended
}

// Bounds of replays.
const (
	mostReplays = 4
	mostLesson  = 128 << 20       // bytes of a file, packed
	mostDrained = 1 << 30         // bytes that are read away of what is not taken
	lessonTime  = 3 * time.Minute // for a file to be sent and read
)

func newReplays() *replays { return &replays{reading: make(chan struct{}, 1)} }

func (r *replays) add(l *live.Lesson, kept string) *replay {
	added := &replay{live.NewSecret()[:10], l, kept}
	r.mu.Lock()
	r.all = append([]*replay{added}, r.all...)
	var old []*replay
	if len(r.all) > mostReplays {
		old, r.all = r.all[mostReplays:], r.all[:mostReplays:mostReplays]
	}
	r.mu.Unlock()
	for _, o := range old {
		o.lesson.Close()
	}
	return added
}

func (r *replays) find(id string) *replay {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.all {
		if one.id == id {
			return one
		}
	}
	return nil
}

func (r *replays) list() []*replay {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]*replay(nil), r.all...)
}

func (r *replays) close() error {
	r.mu.Lock()
	all := r.all
	r.all = nil
	r.mu.Unlock()
	var problems []error
	for _, one := range all {
		problems = append(problems, one.lesson.Close())
	}
	return errors.Join(problems...)
}

func (r *replay) base() string { return "/replays/" + r.id + "/chapters/" }

// AddReplay keeps a lesson to be replayed, and returns the address of its first page.
// The server closes the lesson.
func (s *Server) AddReplay(l *live.Lesson) (path string, err error) { return s.addReplay(l, "") }

func (s *Server) addReplay(l *live.Lesson, kept string) (path string, err error) {
	if slug := s.firstServed(l); slug != "" {
		return s.replays.add(l, kept).base() + slug, nil
	}
	l.Close()
	return "", fmt.Errorf("the lesson is at %s, and no such chapter is served here", l.First())
}

// firstServed returns the first chapter of a lesson that is served here, or "".
func (s *Server) firstServed(l *live.Lesson) string {
	library := s.edition.Load().library
	for _, v := range l.Chapters() {
		if library.Chapter(v.Slug) != nil {
			return v.Slug
		}
	}
	return ""
}

// replayRoutes adds the addresses of replays, which are for whoever sits at this
// machine.
func (s *Server) replayRoutes(mux *http.ServeMux) {
	add := func(pattern string, h handler) {
		mux.Handle(pattern, s.adapt(func(w http.ResponseWriter, r *http.Request) error {
			if !s.here(r) {
				return &failure{status: http.StatusForbidden, heading: "This cannot be done", sentence: "Lessons are replayed on the machine that has their files: `./course replay` there shows which."}
			}
			return h(w, r)
		}))
	}
	add("GET /replays", func(w http.ResponseWriter, r *http.Request) error {
		s.showReplays(w, r, http.StatusOK, page.Choice{})
		return nil
	})
	add("POST /replays", s.takeReplay)
	add("POST /replays/kept", s.takeKept)
	add("GET /replays/{$}", func(w http.ResponseWriter, r *http.Request) error {
		http.Redirect(w, r, "/replays", http.StatusFound)
		return nil
	})
	add("GET /replays/{id}/chapters/{slug}", s.replayChapter)
	add("GET /replays/{id}/chapters/{slug}/{picture}", s.picture)
	add("GET /replays/{id}/events.json", s.replayEvents)
	add("GET /replays/{id}/live", s.replayLive)
}

func (s *Server) replay(r *http.Request) (*replay, error) {
	if one := s.replays.find(r.PathValue("id")); one != nil {
		return one, nil
	}
	return nil, notFound("This lesson is not loaded any more: choose its file again on the page of replays, /replays.")
}

// replayChapter serves a chapter as the lesson is replayed in it.
func (s *Server) replayChapter(w http.ResponseWriter, r *http.Request) error {
	one, err := s.replay(r)
	if err != nil {
		return err
	}
	c := s.edition.Load().library.Chapter(r.PathValue("slug"))
	if c == nil {
		return notFound("The lesson was at a chapter that is not served here any more. These are the chapters:")
	}
	e := s.edition.Load()
	site := s.site
	site.Room = &page.Room{Code: one.id, As: string(asReplay), Live: "/replays/" + one.id + "/live", Base: one.base(), Events: "/replays/" + one.id + "/events.json"}
	s.roomPages.page(e, roomPage{one.id, c.Slug, asReplay}, func() []byte {
		return page.Chapter(site, e.library, nil, c)
	}).Serve(w, r, http.StatusOK)
	return nil
}

func (s *Server) replayLive(w http.ResponseWriter, r *http.Request) error {
	if !s.guard.SameOrigin(r) {
		return &failure{status: http.StatusForbidden, sentence: guard.OtherSite}
	}
	one, err := s.replay(r)
	if err != nil {
		return err
	}
	return s.socketError(s.hub.ServeSeat(w, r, one.lesson.Seat()))
}

// replayHead is what events.json says before the events.
type replayHead struct {
	Title    string          `json:"title"`
	Began    time.Time       `json:"began"`
	Build    string          `json:"build"`
	Duration int64           `json:"duration"` // milliseconds
	Torn     bool            `json:"torn"`     // the file was cut off
	Chapters []replayChapter `json:"chapters"`
}

type replayChapter struct {
	Slug    string `json:"slug"`
	Title   string `json:"title"`
	Changed bool   `json:"changed"` // its text is another one now
	Gone    bool   `json:"gone"`    // it is not served any more
}

func (s *Server) headOf(l *live.Lesson) replayHead {
	h := replayHead{Title: l.Title, Began: l.Began, Build: l.Build, Duration: l.Duration.Milliseconds(), Torn: l.Torn != nil}
	library := s.edition.Load().library
	for _, v := range l.Chapters() {
		c := replayChapter{Slug: v.Slug, Title: v.Title}
		if now := library.Chapter(v.Slug); now == nil {
			c.Gone = true
		} else {
			c.Title, c.Changed = now.Title(), v.Version != "" && v.Version != now.Version()
		}
		h.Chapters = append(h.Chapters, c)
	}
	return h
}

// replayEvents writes what the room said in the lesson, with its times. What was
// computed is asked for on the live connection, piece by piece.
func (s *Server) replayEvents(w http.ResponseWriter, r *http.Request) error {
	one, err := s.replay(r)
	if err != nil {
		return err
	}
	head, err := json.Marshal(s.headOf(one.lesson))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(append([]byte(one.id), head...))
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-cache") // every page of the replay asks, and has it
	h.Set("Vary", "Accept-Encoding")
	h.Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	var out io.Writer = w
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
		if err != nil {
			return err
		}
		defer z.Close()
		out = z
	}
	if r.Method == http.MethodHead {
		return nil
	}
	// From here on the client may be gone, or the lesson put away: the JSON that was cut
	// off says so.
	fmt.Fprintf(out, "%s,\"events\":", head[:len(head)-1])
	if err := one.lesson.WriteNews(out); err != nil {
		s.log.Info("the events of a lesson were not sent whole", "error", err)
		return nil
	}
	_, _ = io.WriteString(out, "}\n")
	return nil
}
