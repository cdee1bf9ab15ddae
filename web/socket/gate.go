package socket

import (
	"context"
	"sync"
)

// A gate admits requests of one page: so many at work, so many waiting for
// their turn, and no more.
type gate struct {
	working  chan struct{} // a token for each request at work
	admitted chan struct{} // and for each that was admitted at all
}

func newGate(working, waiting int) *gate {
	return &gate{working: make(chan struct{}, working), admitted: make(chan struct{}, working+waiting)}
}

// enter admits a request, or reports false at once. Whoever was admitted
// leaves.
func (g *gate) enter() bool {
	select {
	case g.admitted <- struct{}{}:
		return true
	default:
		return false
	}
}

func (g *gate) leave() { <-g.admitted }

// begin waits for a request's turn. Whoever began ends.
func (g *gate) begin(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	default:
	}
	select {
	case g.working <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (g *gate) end() { <-g.working }

// jobs are the requests of one page that are not answered yet, by their IDs.
type jobs struct {
	mu      sync.Mutex
	cancels map[string]context.CancelFunc // guarded by mu
}

// start notes a request, and reports false if its ID is in use.
func (j *jobs) start(id string, cancel context.CancelFunc) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, taken := j.cancels[id]; taken {
		return false
	}
	if j.cancels == nil {
		j.cancels = map[string]context.CancelFunc{}
	}
	j.cancels[id] = cancel
	return true
}

// cancel stops a request. One that is answered already, or never was, is none
// of its business: the answer may be on its way while a page cancels.
func (j *jobs) cancel(id string) {
	j.mu.Lock()
	cancel := j.cancels[id]
	j.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

func (j *jobs) finish(id string) {
	j.mu.Lock()
	delete(j.cancels, id)
	j.mu.Unlock()
}
