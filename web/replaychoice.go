package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"workbench/web/blob"
	"workbench/web/live"
	"workbench/web/page"
)

// showReplays writes the page on which a lesson is chosen, with what was wrong with the
// one before.
func (s *Server) showReplays(w http.ResponseWriter, r *http.Request, status int, c page.Choice) {
	e := s.current()
	c.Kept, c.Days = s.keptLessons(), live.KeptDays
	for _, one := range s.replays.list() {
		l := one.lesson
		p := page.Replay{Title: l.Title, Began: l.Began.Local(), Length: live.Spell(l.Duration)}
		if l.Torn != nil {
			p.Torn = l.Torn.Error()
		}
		for _, v := range l.Chapters() {
			chapter := page.ReplayChapter{Title: v.Title}
			if found := e.library.Chapter(v.Slug); found != nil {
				chapter.Title, chapter.Path = found.Title(), one.base()+v.Slug
			}
			p.Chapters = append(p.Chapters, chapter)
		}
		c.Replays = append(c.Replays, p)
	}
	body := page.Replays(s.site, e.library, e.book, c)
	blob.New(htmlType, func() []byte { return body }).Serve(w, r, status)
}

// keptLessons are those that were given on this machine, but for the ones that go on
// here.
func (s *Server) keptLessons() []page.Kept {
	all, err := live.List(s.lessons)
	if err != nil {
		s.log.Error("the lessons that are kept cannot be listed", "error", err)
	}
	var kept []page.Kept
	for _, l := range all {
		if s.rooms != nil {
			if room := s.rooms.Room(l.Code); room != nil && !room.Ended() {
				continue
			}
		}
		k := page.Kept{Code: l.Code, Title: "A lesson", Began: l.Began.Local(), Length: live.Spell(l.Length), Ended: l.Ended}
		if len(l.Chapters) > 0 {
			k.Title, k.Others = l.Chapters[0], l.Chapters[1:]
		}
		kept = append(kept, k)
	}
	return kept
}

// takeKept reads a lesson that is kept, unless that was done, and leads to its replay.
func (s *Server) takeKept(w http.ResponseWriter, r *http.Request) error {
	all, err := live.List(s.lessons)
	at := slices.IndexFunc(all, func(l live.KeptLesson) bool { return l.Code == r.FormValue("code") })
	if err != nil || at < 0 {
		s.showReplays(w, r, http.StatusNotFound, page.Choice{Amiss: "That lesson is not kept any more."})
		return nil
	}
	for _, one := range s.replays.list() {
		if slug := s.firstServed(one.lesson); one.kept == all[at].Code && slug != "" {
			http.Redirect(w, r, one.base()+slug, http.StatusSeeOther)
			return nil
		}
	}
	return s.takeLesson(w, r, func(why string) page.Choice { return page.Choice{Amiss: "That lesson cannot be shown: " + why} }, func() (string, error) {
		l, err := live.OpenLesson(all[at].File)
		if err != nil {
			return "", err
		}
		code := all[at].Code
		if !all[at].Ended {
			code = "" // there may be more of it the next time
		}
		return s.addReplay(l, code)
	})
}

// takeLesson reads a lesson, one at a time, and leads to its replay, or back to the
// choice with why it was not taken.
func (s *Server) takeLesson(w http.ResponseWriter, r *http.Request, amiss func(why string) page.Choice, read func() (path string, err error)) error {
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
	path, err := read()
	if err == nil {
		http.Redirect(w, r, path, http.StatusSeeOther)
		return nil
	}
	status := http.StatusBadRequest
	if errors.Is(err, errLarge) {
		status = http.StatusRequestEntityTooLarge
	}
	s.log.Info("a lesson was not taken", "error", err)
	s.showReplays(w, r, status, amiss(strings.TrimSuffix(err.Error(), ".")+"."))
	return nil
}

// takeReplay reads a lesson's file, and leads to its replay.
func (s *Server) takeReplay(w http.ResponseWriter, r *http.Request) error {
	return s.takeLesson(w, r, func(why string) page.Choice { return page.Choice{Wrong: why} }, func() (string, error) {
		limited := &io.LimitedReader{R: r.Body, N: mostLesson}
		body := r.Body
		r.Body = io.NopCloser(limited)
		l, err := readUpload(r)
		path := ""
		if err == nil {
			path, err = s.AddReplay(l)
		}
		if err != nil {
			// A browser shows no answer before it has sent all.
			_, _ = io.CopyN(io.Discard, body, mostDrained)
			if limited.N <= 0 {
				err = errLarge
			}
		}
		return path, err
	})
}

// errLarge is the error of a file that is too large.
var errLarge = fmt.Errorf("it has more than %d MiB", mostLesson>>20)

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
