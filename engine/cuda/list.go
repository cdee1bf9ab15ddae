package cuda

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"workbench/engine/device"
)

// List returns an entry for each GPU, "cuda:0" by the name "NVIDIA H200", or one
// entry for cuda:0 with the reason why there is none. Each call has a process look
// at the machine, so that a GPU that has come is seen; calls that come during a
// look wait for that one. A page does not wait: it is told later.
func List(ctx context.Context) []device.Info { return menu.list(ctx) }

// menu is the list of the process.
var menu = &list{ask: func(ctx context.Context) (Report, error) { return ask(ctx, askGPUs, gpusLimit) }}

// list is who looks.
type list struct {
	ask func(ctx context.Context) (Report, error)

	mu  sync.Mutex
	now *sight // guarded by mu; the look that is under way, nil if none is
}

// sight is one look. Infos are written before done is closed.
type sight struct {
	done  chan struct{}
	infos []device.Info
}

func (l *list) list(ctx context.Context) []device.Info {
	l.mu.Lock()
	s := l.now
	if s == nil {
		s = &sight{done: make(chan struct{})}
		l.now = s
		go l.look(s)
	}
	l.mu.Unlock()
	select {
	case <-s.done:
		return s.infos
	case <-ctx.Done():
		return []device.Info{{Spec: "cuda:0", Name: nameOf(0), Reason: "nobody waited until it was looked for", Next: "look again"}}
	}
}

// look looks, for all who ask now.
func (l *list) look(s *sight) {
	s.infos = infosOf(l.ask(context.Background()))
	l.mu.Lock()
	l.now = nil
	l.mu.Unlock()
	close(s.done)
}

func nameOf(ordinal int) string { return fmt.Sprintf("CUDA GPU %d", ordinal) }

// infosOf makes a menu's entries of a report.
func infosOf(r Report, err error) []device.Info {
	missing := r.Missing
	if missing == nil && err != nil && !errors.As(err, &missing) {
		missing = &device.UnavailableError{Reason: err.Error(), Next: "try again"}
	}
	if len(r.GPUs) == 0 {
		info := device.Info{Spec: "cuda:0", Name: nameOf(0)}
		if missing == nil {
			missing = &device.UnavailableError{Reason: "the driver shows no GPU at all", Next: "check that nvidia-smi lists one"}
		}
		info.Reason, info.Next, info.Tried = missing.Reason, missing.Next, missing.Tried
		return []device.Info{info}
	}
	infos := make([]device.Info, len(r.GPUs))
	for i, g := range r.GPUs {
		infos[i] = device.Info{Spec: fmt.Sprintf("cuda:%d", g.Ordinal), Name: g.Name, Available: g.Problem == nil}
		if p := g.Problem; p != nil {
			infos[i].Reason, infos[i].Next, infos[i].Tried = p.Reason, p.Next, p.Tried
		}
	}
	return infos
}
