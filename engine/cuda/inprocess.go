package cuda

import (
	"context"
	"runtime"
	"sync"

	"workbench/engine/cuda/session"
	"workbench/engine/device"
	"workbench/engine/launch"
)

// OpenInProcess opens a GPU in this process, with libraries that Libraries
// returned. A request that its context ends returns at once; the GPU goes on
// with it, and the next request waits. An endless kernel cannot be ended, and
// after a fault that poisons the GPU's context every request fails: this is for
// benchmarks and for checks.
func OpenInProcess(ctx context.Context, spec device.Spec, l session.Libraries) (*Device, error) {
	if err := refused(ctx, spec); err != nil {
		return nil, err
	}
	g := &local{calls: newHandoff(), turn: make(chan struct{}, 1), gone: make(chan struct{})}
	opened := make(chan error, 1)
	go func() {
		// The thread that opened a context is its owner for good: it is never
		// unlocked, and ends with the goroutine.
		runtime.LockOSThread()
		var err error
		g.session, err = session.Open(l, spec.Ordinal)
		opened <- err
		if err != nil {
			return
		}
		g.calls.serve()
		g.err = g.session.Close()
		close(g.gone)
	}()
	select {
	case err := <-opened:
		if err != nil {
			return nil, addressed(spec, err)
		}
	case <-ctx.Done():
		go func() {
			if <-opened == nil {
				g.Close()
			}
		}()
		return nil, ctx.Err()
	}
	d := newDevice(spec, g.session.Device(), g, func() int { return 0 }, g.Close)
	return d.complete(ctx)
}

// local is a GPU of this process: a goroutine that is locked to its thread.
type local struct {
	session *session.Session // of the goroutine's thread
	calls   *handoff
	turn    chan struct{} // holds a token while a request runs

	left, right, out []byte // owned by what has the turn

	once sync.Once
	gone chan struct{} // closed when the session is
	err  error         // of closing it; read after gone
}

// do runs call on the GPU's thread, between prepare and take on the caller's. It
// returns early when ctx is done: call then still runs to its end, with the turn.
func (g *local) do(ctx context.Context, prepare func() error, call func() error, take func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case g.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	left := false
	defer func() {
		if !left {
			<-g.turn
		}
	}()
	if err := prepare(); err != nil {
		return err
	}
	var failed error
	c := g.calls.give(func() { failed = call() })
	if err := g.calls.wait(ctx, c); err != nil {
		left = true
		go func() {
			_ = g.calls.wait(context.Background(), c)
			<-g.turn
		}()
		return err
	}
	if failed != nil {
		return failed
	}
	take()
	return nil
}

// sized returns a slice of n bytes, b where it is long enough.
func sized(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

func (g *local) Multiply(ctx context.Context, p session.Product, fill func(left, right []byte) error, take func(out []byte)) (device.Stats, error) {
	left, right, out, err := p.Sizes()
	if err != nil {
		return device.Stats{}, err
	}
	var ran, stats device.Stats
	err = g.do(ctx, func() error {
		g.left, g.right, g.out = sized(g.left, left), sized(g.right, right), sized(g.out, out)
		return fill(g.left, g.right)
	}, func() (err error) {
		ran, err = g.session.Multiply(p, g.left, g.right, g.out)
		return err
	}, func() {
		take(g.out)
		stats = ran
	})
	return stats, err
}

func (g *local) Launch(ctx context.Context, l *launch.Launch) (*launch.Result, error) {
	var ran, result *launch.Result
	err := g.do(ctx, func() error { return nil }, func() (err error) {
		ran, err = g.session.Launch(l)
		return err
	}, func() { result = ran })
	return result, err
}

// Close waits for the request in flight and gives the GPU back.
func (g *local) Close() error {
	g.once.Do(func() {
		g.turn <- struct{}{} // and never given back
		g.calls.give(nil)
	})
	<-g.gone
	return g.err
}
