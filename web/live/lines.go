package live

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
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
