package live

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"workbench/web/socket"
)

// Bounds of a lesson's file.
const (
	mostUnpacked = 512 << 20
	mostEvents   = 2 << 20
	mostVisited  = 1000 // times that the lesson came to a chapter
	mostTitle    = 300  // bytes
	mostHours    = 100
)

// ReadLessonFile reads a lesson that Room.Lesson or a journal wrote, packed or plain.
// A file that was cut off is read up to there, which its Torn says. The error names
// the line that is wrong.
func ReadLessonFile(r io.Reader) (*Lesson, error) {
	l := &Lesson{answers: map[string][]piece{}, pages: map[*socket.Page]bool{}}
	var err error
	if l.file, err = newScratch(); err != nil {
		return nil, fmt.Errorf("there is no place to keep it: %w", err)
	}
	if err := l.read(r); err != nil {
		return nil, errors.Join(err, l.file.Close())
	}
	return l, nil
}

// source is a file as it comes: it unpacks what is packed, and bounds it.
type source struct {
	r    io.Reader
	left int64
	cut  bool // it ended in the middle of what was packed
}

func newSource(r io.Reader) (*source, error) {
	b := bufio.NewReader(r)
	s := &source{b, mostUnpacked, false}
	if head, _ := b.Peek(2); string(head) == "\x1f\x8b" {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, packing(err)
		}
		s.r = z
	}
	return s, nil
}

func (s *source) Read(p []byte) (int, error) {
	if s.left <= 0 {
		return 0, fmt.Errorf("the lesson is longer than %d MiB", mostUnpacked>>20)
	}
	n, err := s.r.Read(p[:min(int64(len(p)), s.left)])
	s.left -= int64(n)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		s.cut, err = true, io.EOF
	}
	return n, packing(err)
}

// packing says in plain words that what is packed is damaged.
func packing(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file was cut off at its beginning")
	}
	var corrupt flate.CorruptInputError
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt) {
		return errors.New("the file is damaged: it cannot be unpacked")
	}
	return err
}

func (l *Lesson) read(r io.Reader) error {
	s, err := newSource(r)
	if err != nil {
		return err
	}
	w := &writer{to: bufio.NewWriterSize(l.file, 256<<10)}
	line, last, events := 0, int64(0), 0
	at := "" // the chapter
	_, err = readEvents(s, func(h Header) error {
		line = 1
		l.Header = h
		if len(h.Title) > mostTitle || len(h.Build) > mostTitle {
			return errors.New("its title is too long")
		}
		return nil
	}, func(e Event) error {
		line++
		if events++; events > mostEvents {
			return fmt.Errorf("the lesson has more than %d events", mostEvents)
		}
		if e.T < last || e.T > mostHours*time.Hour.Milliseconds() {
			return fmt.Errorf("the time %d does not follow %d", e.T, last)
		}
		last = e.T
		switch {
		case e.News != nil && e.Answer == nil && e.Chapter == nil:
			if err := e.News.check(); err != nil {
				return err
			}
			if n := e.News.State; n != nil && n.Chapter != at {
				at = n.Chapter
				// The line before has the chapter's title, unless the lesson has been there.
				if len(l.visits) == 0 || l.visits[len(l.visits)-1].Slug != at {
					v := Visit{Slug: at, Title: at}
					for _, known := range l.visits {
						if known.Slug == at {
							v = known.Visit
						}
					}
					l.visits = append(l.visits, visited{e.T, v})
				}
			}
			text, err := json.Marshal(e)
			if err != nil {
				return err
			}
			l.news = append(l.news, w.put(e.T, text))
		case e.Answer != nil && e.News == nil && e.Chapter == nil:
			if err := e.Answer.check(); err != nil {
				return err
			}
			key := e.Answer.Key
			l.answers[key] = append(l.answers[key], w.put(e.T, e.Answer.Message.Text()))
		case e.Chapter != nil && e.News == nil && e.Answer == nil:
			v := *e.Chapter
			if !isSlug(v.Slug) || len(v.Title) > mostTitle || len(v.Version) > mostTitle {
				return errors.New("the chapter has no name that a chapter has")
			}
			l.visits = append(l.visits, visited{e.T, v})
		default:
			return errors.New("it is neither news nor an answer nor a chapter")
		}
		if len(l.visits) > mostVisited {
			return fmt.Errorf("the lesson comes to more than %d chapters", mostVisited)
		}
		return w.err
	})
	if err == nil && s.cut {
		err = &TornError{line + 1}
	}
	if errors.As(err, &l.Torn) {
		err = nil
	}
	if err == nil {
		err = w.to.Flush()
	}
	if err == nil && len(l.visits) == 0 {
		err = errors.New("the lesson is at no chapter: there is nothing to replay")
	}
	l.Duration = time.Duration(last) * time.Millisecond
	return err
}

// A writer puts pieces into a file.
type writer struct {
	to  *bufio.Writer
	at  int64
	err error
}

func (w *writer) put(t int64, text []byte) piece {
	p := piece{t, w.at, len(text)}
	n, err := w.to.Write(text)
	w.at += int64(n)
	if w.err == nil {
		w.err = err
	}
	return p
}

// isSlug reports whether a text can be a chapter's in an address.
func isSlug(s string) bool { return len(s) <= 100 && slug.MatchString(s) }

var slug = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// check holds news that was read against what a room says. What a widget makes of
// its view, the widget knows.
func (n *News) check() error {
	has := map[string]bool{newsState: n.State != nil, newsWidget: n.Widget != nil, newsPointer: n.Pointer != nil, newsPoll: n.Poll != nil}
	needs, known := has[n.Kind]
	delete(has, n.Kind)
	for _, other := range has {
		if other {
			known = false
		}
	}
	switch {
	case !known || n.You != nil || n.Widgets != nil || n.Class != nil:
		return fmt.Errorf("it has news of the kind %q, which it does not fit", clip(n.Kind))
	case needs:
	case n.Kind == newsState || n.Kind == newsWidget:
		return fmt.Errorf("its news of the kind %q says nothing", n.Kind)
	default:
		return nil // a pointer or a poll is taken away
	}
	switch n.Kind {
	case newsState:
		s := n.State
		if !isSlug(s.Chapter) || len(s.Driver) > maxWord || len(s.Lesson) > maxWord || !s.At.fits() || s.Mode != Follow && s.Mode != Free && s.Mode != Locked {
			return errors.New("its state is none that a room has")
		}
	case newsWidget:
		w := n.Widget
		if !isSlug(w.Chapter) || w.Widget == "" || len(w.Widget) > maxWord || len(w.From) > maxWord {
			return errors.New("its widget is none of a chapter")
		}
		if f := w.View.check(); f != nil {
			return f
		}
	case newsPointer:
		p := n.Pointer
		raw, err := json.Marshal(p)
		if err != nil {
			return err
		}
		if _, _, f := readPointer(raw, p.Chapter, p.From); f != nil {
			return f
		}
		if !isSlug(p.Chapter) || len(p.From) > maxWord {
			return errors.New("its pointer is in no chapter")
		}
	case newsPoll:
		return n.Poll.check()
	}
	return nil
}

func (a At) fits() bool {
	return len(a.Widget) <= maxWord && (a.Block == nil || *a.Block >= 0 && *a.Block <= maxOrdinal)
}

func (p *PollView) check() error {
	short := func(s string, most int) bool { return utf8.RuneCountInString(s) <= most }
	fits := short(p.Question, pollRunes) && short(p.Answer, answerRunes) && len(p.Choices) <= mostChoices && len(p.Counts) <= mostCounts+1 && p.Total >= 0 &&
		(p.Kind == PollNumber || p.Kind == PollText || p.Kind == PollChoice) && (p.State == PollOpen || p.State == PollClosed || p.State == PollRevealed)
	for _, c := range p.Choices {
		fits = fits && short(c, answerRunes)
	}
	for _, c := range p.Counts {
		fits = fits && short(c.Text, answerRunes) && c.Count >= 0
	}
	if a := p.About; a != nil {
		fits = fits && len(a.Chapter)+len(a.Widget)+len(a.Cell) <= 3*answerRunes
	}
	if !fits {
		return errors.New("its poll is none that a room has")
	}
	return nil
}

// answerTypes are what a request is answered with, if it does not fail.
var answerTypes = map[string]string{
	socket.Run: socket.Trace, socket.Compare: socket.Report, socket.Launch: socket.Outcome, socket.Ladder: socket.Ladder,
	socket.Explain: socket.Cell, socket.Moment: socket.Moment, socket.Touched: socket.Touched, socket.Values: socket.Values,
}

// check holds an answer that was read against what its key asks for.
func (a *Answered) check() error {
	kind, hash, _ := strings.Cut(a.Key, ":")
	want, ok := answerTypes[kind]
	if raw, err := hex.DecodeString(hash); !ok || err != nil || len(raw) != keyBytes || hash != strings.ToLower(hash) {
		return fmt.Errorf("its answer has the key %q, which is none", clip(a.Key))
	}
	text := a.Message.Text()
	var parts map[string]json.RawMessage
	if !utf8.Valid(text) || json.Unmarshal(text, &parts) != nil {
		return errors.New("its answer is no message")
	}
	var is string
	if json.Unmarshal(parts["type"], &is) != nil || is != want && is != socket.Error {
		return fmt.Errorf("its answer to %s is of the type %q", kind, clip(is))
	}
	if _, named := parts["id"]; named {
		return errors.New("its answer has an id: that is the asking page's to give")
	}
	return nil
}
