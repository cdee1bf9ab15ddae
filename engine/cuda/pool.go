package cuda

import (
	"context"
	"sync"

	"workbench/engine/cuda/worker"
	"workbench/engine/device"
)

// pool shares one worker a GPU among the devices that are open on it.
type pool struct {
	options func(ordinal int) (worker.Options, error)

	mu     sync.Mutex
	shared map[int]*shared // guarded by mu; by ordinal
}

// shared is a worker, there or on its way. Client and err are written before
// ready is closed, and read after.
type shared struct {
	users  int // guarded by the pool's mu: devices, and who waits for one
	stop   context.CancelFunc
	ready  chan struct{}
	client *worker.Client
	err    error
}

// open opens a device.
func (p *pool) open(ctx context.Context, spec device.Spec) (*Device, error) {
	if err := refused(ctx, spec); err != nil {
		return nil, err
	}
	o, err := p.options(spec.Ordinal)
	if err != nil {
		return nil, addressed(spec, err)
	}
	s := p.join(spec.Ordinal, o)
	select {
	case <-s.ready:
		err = s.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		_ = p.leave(spec.Ordinal, s)
		return nil, addressed(spec, err)
	}
	d := newDevice(spec, s.client.Hello().Device, s.client, s.client.Process, func() error { return p.leave(spec.Ordinal, s) })
	return d.complete(ctx)
}

// join returns the GPU's worker, and starts one if there is none. All who come
// while it starts wait for one start, which goes on when one of them leaves.
func (p *pool) join(ordinal int, o worker.Options) *shared {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.shared[ordinal]; s != nil {
		s.users++
		return s
	}
	life, stop := context.WithCancel(context.Background())
	s := &shared{users: 1, stop: stop, ready: make(chan struct{})}
	if p.shared == nil {
		p.shared = map[int]*shared{}
	}
	p.shared[ordinal] = s
	go func() {
		s.client, s.err = worker.Start(life, o)
		if s.err != nil {
			p.forget(ordinal, s) // the next one tries again
		}
		close(s.ready)
	}()
	return s
}

// forget makes the next device of the GPU start a worker of its own.
func (p *pool) forget(ordinal int, s *shared) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shared[ordinal] == s {
		delete(p.shared, ordinal)
	}
}

// leave gives up a place. The last one ends the worker, and waits for that: its
// device memory is free then.
func (p *pool) leave(ordinal int, s *shared) error {
	p.mu.Lock()
	s.users--
	last := s.users == 0
	if last && p.shared[ordinal] == s {
		delete(p.shared, ordinal)
	}
	p.mu.Unlock()
	if !last {
		return nil
	}
	s.stop()
	end := func() error {
		<-s.ready
		if s.client == nil {
			return nil
		}
		return s.client.Close()
	}
	select {
	case <-s.ready:
		return end()
	default: // it starts, and who leaves does not wait for that
		go end()
		return nil
	}
}
