package cuda

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// handoff gives calls to one goroutine, one at a time. Waking a goroutine that is
// locked to its thread takes 15 µs there and back, and several times that where
// the processor sleeps: as long as the smallest product takes on the GPU. So each
// side looks for the other for a moment before it lies down, unless processors
// are few: then looking keeps the other side from running.
type handoff struct {
	next  atomic.Pointer[call]
	idle  atomic.Bool   // the goroutine lies down
	wake  chan struct{} // of one element
	spins bool          // there are processors to spare for looking
}

// call is what is to be done once.
type call struct {
	do      func()
	over    atomic.Bool
	waiting atomic.Bool   // who wants it lies down
	ended   chan struct{} // of one element
}

// moment is how long a side looks: somewhat longer than the calls of the smallest
// product take.
const moment = 60 * time.Microsecond

func newHandoff() *handoff {
	return &handoff{wake: make(chan struct{}, 1), spins: runtime.GOMAXPROCS(0) >= 4}
}

// look waits a moment for seen to become true.
func (h *handoff) look(seen func() bool) bool {
	if !h.spins {
		return seen()
	}
	for begin := time.Now(); ; {
		for range 100 {
			if seen() {
				return true
			}
		}
		if time.Since(begin) > moment {
			return false
		}
	}
}

// give begins a call. The one before it has ended.
func (h *handoff) give(do func()) *call {
	c := &call{do: do, ended: make(chan struct{}, 1)}
	h.next.Store(c)
	if h.idle.CompareAndSwap(true, false) {
		h.wake <- struct{}{}
	}
	return c
}

// serve does calls until one of them is nil.
func (h *handoff) serve() {
	for {
		if !h.look(func() bool { return h.next.Load() != nil }) {
			h.idle.Store(true)
			// A call that came in between is seen here, or has seen idle.
			if h.next.Load() == nil || !h.idle.CompareAndSwap(true, false) {
				<-h.wake
			}
		}
		c := h.next.Swap(nil)
		switch {
		case c == nil: // woken for a call that had been seen already
			continue
		case c.do == nil:
			return
		}
		c.do()
		c.over.Store(true)
		if c.waiting.CompareAndSwap(true, false) {
			c.ended <- struct{}{}
		}
	}
}

// wait waits until the call is over, or ctx is done.
func (h *handoff) wait(ctx context.Context, c *call) error {
	if h.look(c.over.Load) {
		return nil
	}
	c.waiting.Store(true)
	if c.over.Load() && c.waiting.CompareAndSwap(true, false) {
		return nil
	}
	select {
	case <-c.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
