package watch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Save is what a file holds after it was saved.
type Save struct {
	Text []byte
	When time.Time // the file's own
	Err  error     // that it cannot be read; then nothing else counts
}

// How long a file may be missing, for editors that remove it before they write
// it anew.
const (
	absence  = 25 * time.Millisecond
	absences = 8
)

// File calls saved with what a file holds, at first and whenever it was saved,
// until ctx is done. Saves that follow each other closely, or come while saved
// runs, may be told once; the last of them always is, with the text that it left.
// A file of more than most bytes cannot be read.
func File(ctx context.Context, path string, most int64, o Options, saved func(Save)) {
	last := Save{Err: errors.New("not looked at yet")}
	tell := func() {
		now := read(ctx, path, most)
		if ctx.Err() != nil || same(now, last) {
			return
		}
		last = now
		saved(now)
	}
	ready := o.Ready
	o.Ready = func() {
		tell()
		if ready != nil {
			ready()
		}
	}
	Folder(ctx, filepath.Dir(path), o, tell)
}

// same says whether a file was not saved between two looks at it.
func same(a, b Save) bool {
	if a.Err != nil || b.Err != nil {
		return a.Err != nil && b.Err != nil && a.Err.Error() == b.Err.Error()
	}
	return a.When.Equal(b.When) && bytes.Equal(a.Text, b.Text)
}

// read reads a file that somebody may be writing.
func read(ctx context.Context, path string, most int64) Save {
	for try := 1; ; try++ {
		s := Read(path, most)
		if !errors.Is(s.Err, fs.ErrNotExist) || try == absences {
			return s
		}
		select {
		case <-ctx.Done():
			return s
		case <-time.After(absence):
		}
	}
}

// Read reads a file as File does, once.
func Read(path string, most int64) Save {
	f, err := os.Open(path)
	if err != nil {
		return Save{Err: err}
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return Save{Err: err}
	}
	if int64(len(text)) > most {
		return Save{Err: fmt.Errorf("%s has more than %d bytes", path, most)}
	}
	// Later than the text: what is written in between has another time, and is
	// told again.
	info, err := f.Stat()
	if err != nil {
		return Save{Err: err}
	}
	return Save{Text: text, When: info.ModTime()}
}
