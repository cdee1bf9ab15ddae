package web

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"workbench/web/blob"
	"workbench/web/exercise"
	"workbench/web/page"
	"workbench/web/watch"
)

// lookEvery is the time between two looks at the learner's folder where the
// system gives no notice of changes: pages are to show them within a second.
const lookEvery = 700 * time.Millisecond

// book returns what the learner's folder holds now, or nil if there are no
// exercises.
func (s *Server) book() *exercise.Book {
	if s.desk == nil {
		return nil
	}
	return s.desk.Book()
}

// current returns the edition that shows what the learner's folder holds now. A
// page that is loaded is never older than the folder, whatever notices do.
func (s *Server) current() *edition {
	book := s.book()
	e := s.edition.Load()
	if book == e.book {
		return e
	}
	s.printing.Lock()
	defer s.printing.Unlock()
	// The one who waited here may have made it, or a newer one.
	book, e = s.book(), s.edition.Load()
	if book == e.book {
		return e
	}
	now := newEdition(s.site, e.library, book, e)
	s.edition.Store(now)
	s.hub.Exercises(book.Versions())
	return now
}

// shown returns the current edition as whoever asks may see it.
func (s *Server) shown(r *http.Request) *edition {
	if s.presents(r) {
		return s.current()
	}
	return s.current().others()
}

// followExercises tells pages of what changes in the learner's folder, until ctx
// is done. The folder may come later.
func (s *Server) followExercises(ctx context.Context) {
	look := func() { s.current() }
	watch.Folder(ctx, s.desk.Folder(), watch.Options{Poll: lookEvery, Ready: look, Logger: s.log}, look)
}

// exercises serves the page of all exercises, or of those that its address
// chooses.
func (s *Server) exercises(w http.ResponseWriter, r *http.Request) error {
	e := s.current()
	if e.book == nil {
		return notFound("This workbench serves no exercises. These are the chapters:")
	}
	filter := exercise.ReadFilter(r.URL.Query())
	if filter.All() {
		e.exercises.Serve(w, r, http.StatusOK)
		return nil
	}
	body := page.Exercises(s.site, e.library, e.book, filter)
	blob.New(htmlType, func() []byte { return body }).Serve(w, r, http.StatusOK)
	return nil
}

// toExercises leads from an exercise's own address to its place on the page.
func (s *Server) toExercises(w http.ResponseWriter, r *http.Request) error {
	target := url.URL{Path: "/exercises"}
	if id := r.PathValue("id"); id != "" {
		target.Fragment = "exercise-" + id
	}
	http.Redirect(w, r, target.String(), http.StatusFound)
	return nil
}
