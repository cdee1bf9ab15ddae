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
	g := &local{turn: make(chan struct{}, 1)}
	opened := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var err error
		g.session, err = session.Open(l, spec.Ordinal)
		opened <- err
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

// local is a GPU of this process. Whoever has the turn binds the session to its
// own thread and calls: waking a goroutine that is locked to another thread costs
// 15 µs there and back where its processor is awake, and ten times that where it
// sleeps (measured), which is more than the smallest product takes.
type local struct {
	session *session.Session
	turn    chan struct{} // holds a token while a request runs

	left, right, out []byte // owned by what has the turn

	once sync.Once
	err  error // of closing the session
}

// shortWork is how many multiplications, or bytes, a request may have that is
// over before anybody could end it: a tenth of a millisecond on a GPU, and a few
// milliseconds on the one that tests play.
const shortWork = 1 << 16

// do prepares a request, runs it on the session, and takes what it gave. A long
// one returns early when ctx is done: it then still runs to its end, with the
// turn.
func (g *local) do(ctx context.Context, long bool, prepare func() error, call func() error, take func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case g.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := prepare(); err != nil {
		<-g.turn
		return err
	}
	if !long || ctx.Done() == nil {
		defer func() { <-g.turn }()
		if err := g.bound(call); err != nil {
			return err
		}
		take()
		return nil
	}
	ended := make(chan error, 1)
	go func() { ended <- g.bound(call) }()
	select {
	case err := <-ended:
		if err == nil {
			take()
		}
		<-g.turn
		return err
	case <-ctx.Done():
		go func() {
			<-ended
			<-g.turn
		}()
		return ctx.Err()
	}
}

// bound calls with the session bound to the thread.
func (g *local) bound(call func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := g.session.Bind(); err != nil {
		return err
	}
	return call()
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
	long := max(left, right, out) > shortWork || p.B*p.M*p.N > shortWork/p.K
	err = g.do(ctx, long, func() error {
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
	return launch.One(g.Sequence(ctx, []*launch.Launch{l}))
}

func (g *local) Sequence(ctx context.Context, launches []*launch.Launch) ([]*launch.Result, error) {
	var ran, results []*launch.Result
	var failed error
	err := g.do(ctx, true, func() error { return nil }, func() error {
		ran, failed = g.session.Sequence(launches)
		return nil
	}, func() { results = ran })
	if err == nil {
		err = failed
	}
	return results, err
}

// Close waits for the request in flight and gives the GPU back.
func (g *local) Close() error {
	g.once.Do(func() {
		g.turn <- struct{}{} // and never given back
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		_ = g.session.Bind() // of a session that is spoilt; closing it says so
		g.err = g.session.Close()
	})
	return g.err
}
