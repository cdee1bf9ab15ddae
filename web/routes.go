package web

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"workbench/web/chapter"
	"workbench/web/guard"
	"workbench/web/socket"
)

// mostBody bounds the body of a request, in bytes, except of a lesson.
const mostBody = 64 << 10

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	get := func(pattern string, h handler) { mux.Handle("GET "+pattern, s.adapt(h)) }
	get("/{$}", s.contents)
	get("/chapters", s.toContents)
	get("/chapters/{$}", s.toContents)
	get("/chapters/{slug}", s.chapter)
	get("/chapters/{slug}/{$}", s.toChapter)
	get("/chapters/{slug}/{picture}", s.picture)
	get("/exercises", s.exercises)
	get("/exercises/{$}", s.toExercises)
	get("/exercises/{id}", s.toExercises)
	get("/assets/{name...}", s.asset)
	get("/live", s.live)
	get("/healthz", s.health)
	get("/api/compare.csv", s.compareCSV)
	get("/api/compare.json", s.compareJSON)
	s.replayRoutes(mux)
	if s.rooms != nil {
		s.roomRoutes(mux)
	}
	mux.Handle("/", s.adapt(s.nowhere))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/replays" { // which bounds a lesson's file itself
			r.Body = http.MaxBytesReader(w, r.Body, mostBody)
		}
		mux.ServeHTTP(w, r)
	})
}

func (s *Server) contents(w http.ResponseWriter, r *http.Request) error {
	s.shown(r).contents.Serve(w, r, http.StatusOK)
	return nil
}

// toContents leads from the folder of the chapters' addresses to their list.
func (s *Server) toContents(w http.ResponseWriter, r *http.Request) error {
	http.Redirect(w, r, "/", http.StatusFound)
	return nil
}

// toChapter takes away a slash too many.
func (s *Server) toChapter(w http.ResponseWriter, r *http.Request) error {
	target := *r.URL
	target.Path, target.RawPath = "/chapters/"+r.PathValue("slug"), ""
	http.Redirect(w, r, target.RequestURI(), http.StatusFound)
	return nil
}

func (s *Server) chapter(w http.ResponseWriter, r *http.Request) error {
	e, slug := s.shown(r), r.PathValue("slug")
	if b := e.pages[slug]; b != nil {
		b.Serve(w, r, http.StatusOK)
		return nil
	}
	// The name alone, without its number, leads to the chapter too: numbers
	// change when chapters move.
	for _, c := range e.library.Chapters {
		if _, name, ok := strings.Cut(c.Slug, "-"); ok && name == slug && c.Number > 0 {
			target := *r.URL
			target.Path = "/chapters/" + c.Slug
			http.Redirect(w, r, target.RequestURI(), http.StatusFound)
			return nil
		}
	}
	return notFound(fmt.Sprintf("There is no chapter %q. These are the chapters:", slug))
}

// picture serves what stands beside a chapter's text.
func (s *Server) picture(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("picture")
	kind := chapter.Pictures[strings.ToLower(path.Ext(name))]
	c := s.edition.Load().library.Chapter(r.PathValue("slug"))
	if c == nil || kind == "" || !fs.ValidPath(name) {
		return notFound("There is no such picture. These are the chapters:")
	}
	body, err := fs.ReadFile(s.shelf.FS, path.Join(c.Folder, name))
	if err != nil {
		return notFound("There is no such picture. These are the chapters:")
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "no-cache")
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the client may have gone
	}
	return nil
}

func (s *Server) asset(w http.ResponseWriter, r *http.Request) error {
	if !s.assets.Serve(w, r, r.PathValue("name")) {
		return notFound("There is no such file among the assets.")
	}
	return nil
}

func (s *Server) live(w http.ResponseWriter, r *http.Request) error {
	if !s.guard.SameOrigin(r) {
		return &failure{status: http.StatusForbidden, sentence: guard.OtherSite}
	}
	return s.socketError(s.hub.ServeHTTP(w, r))
}

func (s *Server) socketError(err error) error {
	if errors.Is(err, socket.ErrNotSocket) {
		return &failure{status: http.StatusUpgradeRequired, sentence: socket.ErrNotSocket.Message}
	}
	return err
}

func (s *Server) health(w http.ResponseWriter, r *http.Request) error {
	return writeJSON(w, struct {
		Status   string `json:"status"`
		Build    string `json:"build"`
		Chapters int    `json:"chapters"`
	}{"ok", s.site.Build, len(s.edition.Load().library.Chapters)})
}

// nowhere is every other address, and every request that is not a read.
func (s *Server) nowhere(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		return &failure{status: http.StatusMethodNotAllowed, heading: "This cannot be done", sentence: "Pages here can be read and nothing else."}
	}
	if strings.HasPrefix(r.URL.Path, "/api/") {
		return notFound("Nothing has this address. There are /api/compare.csv and /api/compare.json, as in /api/compare.csv?a=cpu&b=cpu,fused&text=ab")
	}
	return notFound("No page has this address. These are the chapters:")
}
