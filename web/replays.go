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

	"workbench/web/blob"
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
}

// Bounds of replays.
const (
	mostReplays = 4
	mostLesson  = 128 << 20       // bytes of a file, packed
	mostDrained = 1 << 30         // bytes that are read away of what is not taken
	lessonTime  = 3 * time.Minute // for a file to be sent and read
)

func newReplays() *replays { return &replays{reading: make(chan struct{}, 1)} }

func (r *replays) add(l *live.Lesson) *replay {
	added := &replay{live.NewSecret()[:10], l}
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
func (s *Server) AddReplay(l *live.Lesson) (path string, err error) {
	library := s.edition.Load().library
	for _, v := range l.Chapters() {
		if library.Chapter(v.Slug) != nil {
			r := s.replays.add(l)
			return r.base() + v.Slug, nil
		}
	}
	l.Close()
	return "", fmt.Errorf("the lesson is at %s, and no such chapter is served here", l.First())
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
		s.showReplays(w, r, http.StatusOK, "")
		return nil
	})
	add("POST /replays", s.takeReplay)
	add("GET /replays/{$}", func(w http.ResponseWriter, r *http.Request) error {
		http.Redirect(w, r, "/replays", http.StatusFound)
		return nil
	})
	add("GET /replays/{id}/chapters/{slug}", s.replayChapter)
	add("GET /replays/{id}/chapters/{slug}/{picture}", s.picture)
	add("GET /replays/{id}/events.json", s.replayEvents)
	add("GET /replays/{id}/live", s.replayLive)
}

// showReplays writes the page on which a lesson's file is chosen, with what was wrong
// with the one before.
func (s *Server) showReplays(w http.ResponseWriter, r *http.Request, status int, problem string) {
	e := s.current()
	var shown []page.Replay
	for _, one := range s.replays.list() {
		l := one.lesson
		p := page.Replay{Title: l.Title, Began: l.Began.Local(), Length: length(l.Duration)}
		if l.Torn != nil {
			p.Torn = l.Torn.Error()
		}
		for _, v := range l.Chapters() {
			c := page.ReplayChapter{Title: v.Title}
			if found := e.library.Chapter(v.Slug); found != nil {
				c.Title, c.Path = found.Title(), one.base()+v.Slug
			}
			p.Chapters = append(p.Chapters, c)
		}
		shown = append(shown, p)
	}
	body := page.Replays(s.site, e.library, e.book, shown, problem)
	blob.New(htmlType, func() []byte { return body }).Serve(w, r, status)
}

// length writes how long a lesson is.
func length(d time.Duration) string {
	minutes := int(d.Round(time.Minute) / time.Minute)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Round(time.Second)/time.Second))
	case minutes < 60:
		return fmt.Sprintf("%d min", minutes)
	}
	return fmt.Sprintf("%d h %d min", minutes/60, minutes%60)
}

// takeReplay reads a lesson's file, and leads to its replay.
func (s *Server) takeReplay(w http.ResponseWriter, r *http.Request) error {
	select {
	case s.replays.reading <- struct{}{}:
		defer func() { <-s.replays.reading }()
	case <-r.Context().Done():
		return r.Context().Err()
	}
	// A long lesson takes longer than a page. Where there are no limits, none is moved.
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(lessonTime))
	_ = control.SetWriteDeadline(time.Now().Add(lessonTime))

	limited := &io.LimitedReader{R: r.Body, N: mostLesson}
	body := r.Body
	r.Body = io.NopCloser(limited)
	l, err := readUpload(r)
	path := ""
	if err == nil {
		path, err = s.AddReplay(l)
	}
	if err == nil {
		http.Redirect(w, r, path, http.StatusSeeOther)
		return nil
	}
	// A browser shows no answer before it has sent all.
	_, _ = io.CopyN(io.Discard, body, mostDrained)
	status := http.StatusBadRequest
	if limited.N <= 0 {
		status, err = http.StatusRequestEntityTooLarge, fmt.Errorf("it has more than %d MiB", mostLesson>>20)
	}
	s.log.Info("a lesson was not taken", "error", err)
	s.showReplays(w, r, status, strings.TrimSuffix(err.Error(), ".")+".")
	return nil
}

// errNoFile is the error of a form without a file.
var errNoFile = errors.New("no file was chosen")

// readUpload reads the lesson that a form has.
func readUpload(r *http.Request) (*live.Lesson, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, errNoFile
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil, errNoFile
		}
		if err != nil {
			return nil, errors.New("it did not come whole")
		}
		if part.FormName() != "lesson" {
			continue
		}
		if part.FileName() == "" {
			return nil, errNoFile
		}
		return live.ReadLessonFile(part)
	}
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
