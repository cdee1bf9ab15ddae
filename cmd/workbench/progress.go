package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// patience is how long a command may stay silent.
const patience = time.Second

// progress tells a waiting person what goes on: nothing for the first second,
// then the latest note and every later one. On a terminal the notes share one
// line, which Done removes.
type progress struct {
	w        io.Writer
	terminal bool
	timer    *time.Timer

	mu    sync.Mutex
	note  string // the latest; guarded by mu, as are the rest
	late  bool   // patience is over
	shown bool   // there is a line to remove
	done  bool
}

// startProgress begins to wait. The caller must call Done.
func (p *program) startProgress(note string) *progress {
	g := &progress{w: p.stderr, terminal: isTerminal(p.stderr) && p.getenv("TERM") != "dumb", note: note}
	g.timer = time.AfterFunc(patience, g.overdue)
	return g
}

// Note says what goes on now.
func (g *progress) Note(note string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.note = note
	if g.late {
		g.show()
	}
}

// Done ends the waiting.
func (g *progress) Done() {
	g.timer.Stop()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done = true
	if g.shown && g.terminal {
		fmt.Fprint(g.w, "\r\x1b[K")
	}
}

func (g *progress) overdue() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.late = true
	g.show()
}

// show prints the latest note. The caller holds mu.
func (g *progress) show() {
	if g.done || g.note == "" {
		return
	}
	g.shown = true
	if g.terminal {
		fmt.Fprintf(g.w, "\r\x1b[K%s ...", g.note)
		return
	}
	fmt.Fprintf(g.w, "%s ...\n", g.note)
}

// isTerminal reports whether a person sees what is written to w at once.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
