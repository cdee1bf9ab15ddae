package socket

import (
	"context"
	"reflect"
	"sync"
	"time"

	"workbench/engine/device"
)

// lookTime is the longest that finding out about devices may take: a driver
// that does not answer must not keep the next look waiting.
const lookTime = 30 * time.Second

// A roster is which devices are there, as far as is known. A look at the machine
// takes a moment; pages are served meanwhile and told when it is over. All who
// ask during a look wait for that one.
type roster struct {
	look  func(ctx context.Context) []device.Info
	tell  func(devices []device.Info) // of a list that differs from the one before
	life  context.Context             // ends with the hub
	looks sync.WaitGroup

	mu    sync.Mutex
	known []device.Info // guarded by mu
	now   *sight        // guarded by mu: the look that is going on, or nil
}

// sight is one look: devices are written before done is closed.
type sight struct {
	done    chan struct{}
	devices []device.Info
}

// list returns what is known now.
func (r *roster) list() []device.Info {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known
}

// begin begins a look, or joins the one that is going on.
func (r *roster) begin() *sight {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now != nil {
		return r.now
	}
	s := &sight{done: make(chan struct{})}
	r.now = s
	r.looks.Go(func() {
		ctx, cancel := context.WithTimeout(r.life, lookTime)
		defer cancel()
		s.devices = r.look(ctx)
		r.mu.Lock()
		changed := r.life.Err() == nil && !reflect.DeepEqual(r.known, s.devices)
		if changed {
			r.known = s.devices
		}
		r.now = nil
		r.mu.Unlock()
		close(s.done)
		if changed {
			r.tell(s.devices)
		}
	})
	return s
}

// again looks at the machine and returns what is there.
func (r *roster) again(ctx context.Context) ([]device.Info, error) {
	s := r.begin()
	select {
	case <-s.done:
		return s.devices, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
