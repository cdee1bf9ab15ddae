package live

import (
	"log/slog"
	"sync"
	"time"
)

// Refusals logs what was refused: of each kind some lines a minute, and then how many
// there were, so that whoever is refused ten thousand times fills no log. Its methods
// may be called by several goroutines.
type Refusals struct {
	log *slog.Logger

	mu    sync.Mutex
	kinds map[string]*refusal
}

// refusal is one kind's.
type refusal struct {
	began        time.Time // of the minute
	lines, quiet int       // that were written in it, and that were not
}

// mostRefusals are the lines of one kind in a minute.
const mostRefusals = 10

// NewRefusals returns one that writes to a log.
func NewRefusals(log *slog.Logger) *Refusals {
	return &Refusals{log: log, kinds: map[string]*refusal{}}
}

// Log notes that something was refused. What is a kind: one of few, and never of
// somebody else's making. Nothing secret belongs into args.
func (r *Refusals) Log(what string, args ...any) {
	r.mu.Lock()
	k := r.kinds[what]
	if k == nil {
		k = &refusal{}
		r.kinds[what] = k
	}
	if at := time.Now(); at.Sub(k.began) >= time.Minute {
		if k.quiet > 0 {
			args = append(args, "more_before", k.quiet)
		}
		*k = refusal{began: at}
	}
	write := k.lines < mostRefusals
	if write {
		k.lines++
	} else {
		k.quiet++
	}
	last := k.lines == mostRefusals
	r.mu.Unlock()
	if write && last {
		args = append(args, "note", "more of this kind are not logged for a minute")
	}
	if write {
		r.log.Warn(what, args...)
	}
}
