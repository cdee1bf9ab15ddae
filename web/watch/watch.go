// Package watch tells when files have changed: those in a folder, for an author
// who saves a chapter and looks at the page, or one, for a learner who saves an
// exercise.
//
// Two sources are used together. The system's notices come at once, and on
// some file systems (network shares, folders of a virtual machine's host) never
// come at all. A look at every file's time and size, some seconds apart, finds
// what the notices missed.
package watch

import (
	"context"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Options of a watch. A zero field takes the default.
type Options struct {
	// Quiet is how long nothing may change before it is told: an editor
	// writes a file in several steps. 60 ms.
	Quiet time.Duration
	// Poll is the time between two looks at every file. 2 s.
	Poll time.Duration
	// NoNotices does without the system's notices, for tests.
	NoNotices bool
	// By, if any, is told by what changes are noticed, first before Ready, and again
	// whenever that turns out to be otherwise.
	By func(Means)
	// Ready, if any, is called once the folder is watched: a change from before
	// is not told.
	Ready  func()
	Logger *slog.Logger
}

// Means is by what changes are noticed.
type Means string

const (
	Notices Means = "notices" // the system tells of them
	Looking Means = "looking" // it does not, or not here: only looking finds them
)

// most is how long changes may go on before they are told anyway, as a
// multiple of Quiet.
const most = 10

// Folder calls changed after files anywhere in dir have changed, until ctx is
// done. Changes that happen while changed runs are told after it: none is lost.
func Folder(ctx context.Context, dir string, o Options, changed func()) {
	if o.Quiet <= 0 {
		o.Quiet = 60 * time.Millisecond
	}
	if o.Poll <= 0 {
		o.Poll = 2 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	var notices *fsnotify.Watcher
	if !o.NoNotices {
		var err error
		if notices, err = fsnotify.NewWatcher(); err != nil {
			o.Logger.Info("saving is noticed by looking at the files every so often", "every", o.Poll, "reason", err)
		} else {
			defer notices.Close()
		}
	}
	by := Means("")
	noticedBy := func(m Means) {
		if m != by && o.By != nil {
			o.By(m)
		}
		by = m
	}
	before := look(dir)
	if follow(notices, dir, o) {
		noticedBy(Notices)
	} else {
		noticedBy(Looking)
	}
	if o.Ready != nil {
		o.Ready()
	}

	poll := time.NewTicker(o.Poll)
	defer poll.Stop()
	for {
		noticed := false
		select {
		case <-ctx.Done():
			return
		case <-poll.C:
			if maps.Equal(before, look(dir)) {
				continue
			}
		case <-events(notices):
			noticed = true
		case <-losses(notices):
			noticed = true // notices were lost, so anything may have changed
		}
		// A notice of what was found by looking may be on its way.
		told, done := settle(ctx, notices, o)
		if done {
			return
		}
		if noticed || told {
			noticedBy(Notices)
		} else {
			noticedBy(Looking)
		}
		// Folders that came since are followed before they are looked at, so
		// that nothing can change between the two unseen.
		follow(notices, dir, o)
		now := look(dir)
		if noticed || !maps.Equal(before, now) {
			before = now
			changed()
		}
	}
}

// settle waits until there have been no notices for a while, and says whether
// there was any, and whether the watch is over.
func settle(ctx context.Context, notices *fsnotify.Watcher, o Options) (told, done bool) {
	quiet := time.NewTimer(o.Quiet)
	defer quiet.Stop()
	last := time.After(most * o.Quiet)
	for {
		select {
		case <-ctx.Done():
			return told, true
		case <-quiet.C:
			return told, false
		case <-last:
			return told, false
		case <-events(notices):
			told = true
			quiet.Reset(o.Quiet)
		case <-losses(notices):
			told = true
		}
	}
}

func events(w *fsnotify.Watcher) <-chan fsnotify.Event {
	if w == nil {
		return nil
	}
	return w.Events
}

func losses(w *fsnotify.Watcher) <-chan error {
	if w == nil {
		return nil
	}
	return w.Errors
}

// follow asks for notices of every folder under dir, and says whether dir itself
// has them. What is followed already stays so.
func follow(w *fsnotify.Watcher, dir string, o Options) (followed bool) {
	if w == nil {
		return false
	}
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return nil // looked at again next time
		}
		if err := w.Add(path); err != nil {
			o.Logger.Info("changes in this folder are noticed later", "folder", path, "reason", err)
		} else if path == dir {
			followed = true
		}
		return nil
	})
	return followed
}

// state is what a look at a file sees of it.
type state struct {
	time int64
	size int64
}

// look returns the state of every file under dir.
func look(dir string) map[string]state {
	files := map[string]state{}
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // a file that has gone is not in the map
		}
		if info, err := os.Stat(path); err == nil {
			files[path] = state{info.ModTime().UnixNano(), info.Size()}
			if entry.IsDir() {
				files[path] = state{} // its time changes with editors' temporary files
			}
		}
		return nil
	})
	return files
}
