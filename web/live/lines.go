package live

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// lines reads lines that may be long, within a bound.
type lines struct {
	r    *bufio.Reader
	most int
	text []byte
}

func newLines(r io.Reader, most int) *lines {
	return &lines{r: bufio.NewReaderSize(r, 64<<10), most: most}
}

var errLong = errors.New("it is longer")

// next returns a line without its end, and whether it had one. The bytes are
// others after the next call.
func (l *lines) next() (text []byte, whole bool, err error) {
	l.text = l.text[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		l.text = append(l.text, part...)
		switch {
		case len(l.text) > l.most:
			return nil, false, fmt.Errorf("%w than %d MiB", errLong, l.most>>20)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(l.text) > 0:
			return l.text, false, nil
		case err != nil:
			return nil, false, err
		}
		return bytes.TrimSuffix(l.text, []byte("\n")), true, nil
	}
}

// Bounds of a lesson's first line, and of any other, in bytes.
const (
	maxHeader = 64 << 10
	maxLine   = 64 << 20
)

var errNoLesson = errors.New("it is no lesson of a workbench: the first line does not say so")

// A TornError is a lesson whose last line is not whole.
type TornError struct{ Line int }

func (e *TornError) Error() string {
	return fmt.Sprintf("line %d is not whole: the lesson was cut off there", e.Line)
}

// readEvents reads a lesson, and returns how many bytes of it are whole lines. Its
// error names the line.
func readEvents(f io.Reader, header func(Header) error, event func(Event) error) (int64, error) {
	lines := newLines(f, maxHeader)
	var size int64
	for n := 1; ; n++ {
		text, whole, err := lines.next()
		if errors.Is(err, io.EOF) && n == 1 {
			return 0, errors.New("it is empty: a lesson has a line that says so first")
		}
		if errors.Is(err, io.EOF) {
			return size, nil
		}
		if n == 1 && errors.Is(err, errLong) {
			return 0, errNoLesson
		}
		if err != nil {
			return size, fmt.Errorf("line %d: %w", n, err)
		}
		if !whole {
			return size, &TornError{n}
		}
		if n == 1 {
			var h Header
			if err := strict(text, &h); err != nil || h.Format != Format {
				return size, errNoLesson
			}
			if h.Version != FormatVersion {
				return size, fmt.Errorf("it is a lesson of version %d, and this workbench reads version %d", h.Version, FormatVersion)
			}
			err = header(h)
			lines.most = maxLine
		} else {
			var e Event
			if err = strict(text, &e); err == nil {
				err = event(e)
			}
		}
		if err != nil {
			return size, fmt.Errorf("line %d: %w", n, err)
		}
		size += int64(len(text)) + 1
	}
}

// strict reads one JSON value that has no field that is unknown here.
func strict(text []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(v)
	if err == nil {
		if _, more := decoder.Token(); !errors.Is(more, io.EOF) {
			return errors.New("it has more after its end")
		}
		return nil
	}
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return fmt.Errorf("its %s cannot be a %s", kind.Field, kind.Value)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends too early")
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}
