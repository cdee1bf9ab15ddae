package live

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// A diary is a file in which a lesson is: written at its end, and read anywhere.
type diary interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// scratch is a file that nobody finds any more once it is closed.
type scratch struct{ *os.File }

func newScratch() (diary, error) {
	f, err := os.CreateTemp("", "workbench-lesson-*") // 0600
	if err != nil {
		return nil, err
	}
	// Where the system lets an open file go, nothing is left of it even if the
	// server is killed.
	_ = os.Remove(f.Name())
	return scratch{f}, nil
}

func (s scratch) Close() error {
	err := s.File.Close()
	if gone := os.Remove(s.Name()); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}
