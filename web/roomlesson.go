package web

import (
	"net/http"
	"time"
)

// mostDownloads bounds the lessons that are packed at once: a class that may have the
// lesson asks for it all together.
const mostDownloads = 4

// roomLesson is the lesson so far, as the file that can be replayed: for presenters,
// and once the lesson was shared for everybody in the room.
func (s *Server) roomLesson(w http.ResponseWriter, r *http.Request) error {
	room, err := s.room(r)
	if err != nil {
		return err
	}
	if !room.Shared() && presenter(r, room) == "" {
		return &failure{status: http.StatusForbidden, heading: "This is the presenter's", sentence: "Who presents the lesson saves it, and may share it with the class when it ends."}
	}
	select {
	case s.downloads <- struct{}{}:
		defer func() { <-s.downloads }()
	case <-r.Context().Done():
		return r.Context().Err()
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(lessonTime)) // a long one, to a slow class
	sent := &counted{ResponseWriter: w}
	h := w.Header()
	h.Set("Content-Type", "application/gzip")
	h.Set("Content-Disposition", `attachment; filename="`+room.LessonName()+`"`)
	h.Set("Cache-Control", "no-store")
	err = room.Lesson(sent)
	if err == nil || sent.n > 0 {
		if err != nil {
			s.log.Info("a lesson was not sent whole", "room", room.Code(), "error", err)
			panic(http.ErrAbortHandler) // a download that is cut off must not look whole
		}
		return nil
	}
	h.Del("Content-Disposition")
	return err
}

// counted counts what an answer has of its body.
type counted struct {
	http.ResponseWriter
	n int
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.n += n
	return n, err
}
