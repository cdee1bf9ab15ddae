package web

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"workbench/web/chapter"
)

// author tells whoever writes the chapters of a folder what has become of
// them. Calls come one at a time: from New, then from the watch of the folder.
type author struct {
	dir    string // empty for the course's own chapters, of which nothing is told
	notice func(sentence string)
	last   string // sentence: none is told twice in a row
	wrong  bool   // the last one told of a mistake
}

// loaded tells of the mistakes of a library that was read.
func (a *author) loaded(lib *chapter.Library) {
	var problems chapter.Problems
	_ = errors.As(lib.Err(), &problems)
	switch n := len(problems); {
	case len(lib.Chapters) == 0:
		a.tell(fmt.Sprintf("%s has no chapters yet: a chapter is a folder in it, such as 01-first, with a file chapter.md", a.dir), true)
	case n == 0 && a.wrong:
		a.tell(fmt.Sprintf("No mistake is left in %s", a.dir), false)
	case n == 1:
		a.tell(fmt.Sprintf("1 mistake in %s, shown on its page: %s", a.dir, problems[0].Error()), true)
	case n > 1:
		a.tell(fmt.Sprintf("%d mistakes in %s, shown on its pages; the first: %s", n, a.dir, problems[0].Error()), true)
	}
}

// failed tells that the folder could not be read again.
func (a *author) failed(err error) {
	a.tell(fmt.Sprintf("The chapters cannot be read again, and the pages stay as they are: %s", inFolder(a.dir, err)), true)
}

func (a *author) tell(sentence string, wrong bool) {
	a.wrong = wrong
	if a.dir == "" || a.notice == nil || sentence == a.last {
		return
	}
	a.last = sentence
	a.notice(sentence)
}

// inFolder says what is wrong with a file or folder under dir. The errors of
// an fs.FS name it from dir on, and dir itself ".".
func inFolder(dir string, err error) string {
	var at *fs.PathError
	if !errors.As(err, &at) {
		return err.Error()
	}
	name := filepath.Join(dir, filepath.FromSlash(at.Path))
	if errors.Is(err, fs.ErrNotExist) {
		return name + " is gone"
	}
	return fmt.Sprintf("%s: %v", name, at.Err)
}
