// Package watch tells when files in a folder have changed, for an author who
// saves a chapter and looks at the page.
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
	// Ready, if any, is called once the folder is watched: a change from before
	// is not told.
	Ready  func()
	Logger *slog.Logger
}

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
	before := look(dir)
	follow(notices, dir, o)
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
		case <-events(notices):
			noticed = true
		case <-errors(notices):
			noticed = true // notices were lost, so anything may have changed
		}
		if noticed && !settle(ctx, notices, o) {
			return
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

// settle waits until there have been no notices for a while.
func settle(ctx context.Context, notices *fsnotify.Watcher, o Options) bool {
	quiet := time.NewTimer(o.Quiet)
	defer quiet.Stop()
	last := time.After(most * o.Quiet)
	for {
		select {
		case <-ctx.Done():
			return false
		case <-quiet.C:
			return true
		case <-last:
			return true
		case <-events(notices):
			quiet.Reset(o.Quiet)
		case <-errors(notices):
		}
	}
}

func events(w *fsnotify.Watcher) <-chan fsnotify.Event {
	if w == nil {
		return nil
	}
	return w.Events
}

func errors(w *fsnotify.Watcher) <-chan error {
	if w == nil {
		return nil
	}
	return w.Errors
}

// follow asks for notices of every folder under dir. What is followed already
// stays so.
func follow(w *fsnotify.Watcher, dir string, o Options) {
	if w == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return nil // looked at again next time
		}
		if err := w.Add(path); err != nil {
			o.Logger.Info("changes in this folder are noticed later", "folder", path, "reason", err)
		}
		return nil
	})
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
