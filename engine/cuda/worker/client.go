package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"workbench/engine/cuda/session"
	"workbench/engine/device"
	"workbench/engine/launch"
)

// Options of a Client. Every zero duration has a default.
type Options struct {
	Spec    device.Spec // names the device in errors: its kind and ordinal
	Command Command

	// How long a request may take from the moment it is sent. A worker that
	// takes longer is ended, and the request fails with device.TimeLimit.
	ProductLimit time.Duration // 60 s: a product of the largest operands takes seconds
	LaunchLimit  time.Duration // 10 s: a kernel that a learner wrote may have no end

	StartLimit time.Duration // 30 s, until a worker has opened its GPU
	Grace      time.Duration // 250 ms, in which an abandoned request, or a worker, may still end by itself
	Idle       time.Duration // 30 s, after which a worker is first asked whether its device is in order
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&o.ProductLimit, 60 * time.Second}, {&o.LaunchLimit, 10 * time.Second}, {&o.StartLimit, 30 * time.Second},
		{&o.Grace, 250 * time.Millisecond}, {&o.Idle, 30 * time.Second},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	return o
}

// Client is the program's side of one GPU: it has a worker, or starts one when a
// request needs it. It may be used by several goroutines; their requests run one
// at a time, first come first served.
type Client struct {
	options Options
	turn    chan struct{} // holds a token while someone has the worker

	// What has the turn owns these.
	process *process        // nil before the first request after one ended
	leaving <-chan struct{} // closed when the process before it is gone
	number  uint64          // of the last request
	suspect bool            // the last request failed: see first whether the device is in order
	backoff backoff
	trim    *time.Timer // gives back shared memory that nobody needed for a while

	closed chan struct{}

	mu      sync.Mutex
	ending  bool     // guarded by mu: Close was called
	current *process // guarded by mu: what Close must end, also while it starts
	hello   Hello    // guarded by mu: of the newest worker
}

// Start starts a worker and waits until it has opened its GPU. What is missing
// is a *device.UnavailableError.
func Start(ctx context.Context, o Options) (*Client, error) {
	c := &Client{options: o.withDefaults(), turn: make(chan struct{}, 1), closed: make(chan struct{})}
	if err := c.enter(ctx); err != nil {
		return nil, err
	}
	_, handed, err := c.ready(ctx)
	if !handed {
		c.leave()
	}
	if err != nil {
		go c.Close() // which ends a start that was abandoned
		return nil, err
	}
	return c, nil
}

// Hello returns what the newest worker said when it had opened its GPU.
func (c *Client) Hello() Hello {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hello
}

// Process returns the number of the worker's process, 0 if there is none now.
func (c *Client) Process() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current == nil {
		return 0
	}
	return c.current.pid()
}

// Multiply runs a product. Fill writes the packed operands, take reads the
// packed result; both are called on the caller's goroutine, take only when all is
// well, and what they are given is theirs until they return. Fill's error ends
// the request before it is sent.
func (c *Client) Multiply(ctx context.Context, p session.Product, fill func(left, right []byte) error, take func(out []byte)) (device.Stats, error) {
	at, err := placeOf(p)
	if err != nil {
		return device.Stats{}, err
	}
	var (
		shared = at.shared()
		out    []byte // of the result in shared memory
		stats  device.Stats
	)
	if shared < 0 {
		return device.Stats{}, fmt.Errorf("a product with operands of %d and %d bytes and a result of %d is more than a worker takes", at.left, at.right, at.out)
	}
	err = c.request(ctx, request{
		limit: c.options.ProductLimit,
		make: func(w *process, number uint64, flags uint8) error {
			var left, right, memory []byte
			given := 0
			if shared > 0 {
				if err := w.memory.grow(shared); err != nil {
					return c.unshared(err)
				}
				memory, given = w.memory.bytes, len(w.memory.bytes)
				left, right, out = at.split(memory)
			}
			w.frame.product(number, flags, p, at, given)
			if !at.operands {
				body := w.frame.body(at.left + at.right)
				left, right = body[:at.left], body[at.left:]
			}
			return fill(left, right)
		},
		read: func(_ *process, f frame) error {
			s, err := readResult(f, at)
			if err != nil {
				return err
			}
			if !at.result {
				out = f.body
			}
			take(out)
			stats = s
			return nil
		},
	})
	if err != nil {
		return device.Stats{}, err
	}
	return stats, nil
}

// Sequence runs kernels one after the other.
func (c *Client) Sequence(ctx context.Context, launches []*launch.Launch) ([]*launch.Result, error) {
	if len(launches) == 0 {
		return nil, nil
	}
	err := launch.CheckSequence(launches)
	if err == nil {
		err = tooLarge(launches)
	}
	if err != nil {
		return nil, err
	}
	w, buffers, lengths := sequenceOf(launches)
	at, total, err := arrange(lengths)
	if err != nil {
		return nil, &launch.ArgumentError{Symbol: launches[0].Kernel.Symbol, Field: "args", Reason: err.Error()}
	}
	var results []*launch.Result
	err = c.request(ctx, request{
		limit: c.options.LaunchLimit,
		make: func(p *process, number uint64, flags uint8) error {
			w.Memory = 0
			if total >= inlineBelow {
				if err := p.memory.grow(total); err != nil {
					return c.unshared(err)
				}
				w.Memory, flags = len(p.memory.bytes), flags|flagShared
			}
			if err := p.frame.sequence(number, flags, w); err != nil {
				return err
			}
			to := p.memory.bytes
			if total < inlineBelow {
				to = p.frame.body(total)
			}
			for i, b := range buffers {
				copy(to[at[i]:], b.Data)
			}
			return nil
		},
		read: func(p *process, f frame) (err error) {
			results, err = readRan(f, launches, p.memory.bytes)
			return err
		},
		failed: func(f failure) { results = resultsOf(f.Ran[:min(len(f.Ran), len(launches))]) },
	})
	var one *launch.SequenceError
	if errors.As(err, &one) && one.Index >= len(launches) {
		err = one.Err // a worker that cannot count
	}
	return results, err
}

// Launch runs a kernel.
func (c *Client) Launch(ctx context.Context, l *launch.Launch) (*launch.Result, error) {
	return launch.One(c.Sequence(ctx, []*launch.Launch{l}))
}

// Close ends the worker, first in good order and soon by force. Requests that
// wait or run end with a *device.ClosedError. It returns when the process is
// gone; a second Close does nothing.
func (c *Client) Close() error {
	c.mu.Lock()
	again := c.ending
	if !again {
		c.ending = true
		close(c.closed)
	}
	// A process that becomes current from here on is one whose start sees closed.
	current := c.current
	c.mu.Unlock()
	if again {
		return nil
	}
	if current != nil {
		current.interrupt()
	}
	c.turn <- struct{}{} // and never given back
	if c.trim != nil {
		c.trim.Stop()
	}
	if p := c.process; p != nil {
		_ = p.requests.Close()
		select {
		case <-p.done:
		case <-time.After(c.options.Grace):
		}
		c.retire(p)
	}
	if !c.awaitLeaving() {
		return &device.FaultError{Spec: c.options.Spec, Fault: device.DriverFailure, Detail: "the worker process was killed and has not ended", Next: "the driver may need a restart of the machine"}
	}
	return nil
}

// enter waits for the turn. The run time queues the senders of a channel in the
// order in which they came, and one that leaves gives up its place.
func (c *Client) enter(ctx context.Context) error {
	if err := c.refusal(ctx); err != nil {
		return err
	}
	entered := false
	select {
	case c.turn <- struct{}{}:
		entered = true
	case <-c.closed:
	case <-ctx.Done():
	}
	// Of several that are ready, select takes any.
	err := c.refusal(ctx)
	if err != nil && entered {
		c.leave()
	}
	return err
}

func (c *Client) leave() { <-c.turn }

// refusal says why a request must not begin.
func (c *Client) refusal(ctx context.Context) error {
	select {
	case <-c.closed:
		return &device.ClosedError{Spec: c.options.Spec}
	default:
		return ctx.Err()
	}
}
