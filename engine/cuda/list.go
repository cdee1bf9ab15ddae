package cuda

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"workbench/engine/device"
)

// List returns an entry for each GPU, "cuda:0" by the name "NVIDIA H200", or one
// entry for cuda:0 with the reason why there is none. What it says is what a
// process of its own saw within the last seconds; only the first call waits for
// that.
func List(ctx context.Context) []device.Info { return menu.list(ctx) }

// menu is the list of the process.
var menu = &list{now: time.Now, ask: func(ctx context.Context) (Report, error) { return ask(ctx, askGPUs, gpusLimit) }}

const (
	fresh    = 10 * time.Second       // how long a list counts as what is there
	patience = 300 * time.Millisecond // how long a call waits for a newer one where there is an older
)

// list is what was seen last, and who looks again.
type list struct {
	now func() time.Time
	ask func(ctx context.Context) (Report, error)

	mu      sync.Mutex
	infos   []device.Info // guarded by mu; of the last look
	at      time.Time     // guarded by mu; when that was
	looking chan struct{} // guarded by mu; closed when the look is over that is under way, nil if none is
}

func (l *list) list(ctx context.Context) []device.Info {
	l.mu.Lock()
	old := l.infos
	if old != nil && l.now().Sub(l.at) < fresh {
		l.mu.Unlock()
		return old
	}
	if l.looking == nil {
		l.looking = make(chan struct{})
		go l.look()
	}
	looking := l.looking
	l.mu.Unlock()

	var late <-chan time.Time
	if old != nil {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-looking:
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.infos
	case <-late:
		return old
	case <-ctx.Done():
		if old != nil {
			return old
		}
		return []device.Info{{Spec: "cuda:0", Name: nameOf(0), Reason: "nobody waited until it was looked for", Next: "look again"}}
	}
}

// look looks, for all who ask now.
func (l *list) look() {
	r, err := l.ask(context.Background())
	infos := infosOf(r, err)
	l.mu.Lock()
	l.infos, l.at = infos, l.now()
	close(l.looking)
	l.looking = nil
	l.mu.Unlock()
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
