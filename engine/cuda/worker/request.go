package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"workbench/engine/device"
)

// request is one question to a worker and what is done with its answer.
type request struct {
	limit time.Duration
	make  func(p *process, number uint64, flags uint8) error // writes the frame into p.frame
	read  func(p *process, f frame) error

	failed func(f failure) // if it is there: is shown what came instead of an answer
}

// request runs r when its turn has come. An error that says that r was not begun,
// since the device was not in order, leads to a second try with a new worker.
func (c *Client) request(ctx context.Context, r request) error {
	if err := c.enter(ctx); err != nil {
		return err
	}
	handed := false // to a goroutine that gives the turn back
	defer func() {
		if !handed {
			c.leave()
		}
	}()
	for again := false; ; again = true {
		p, h, err := c.ready(ctx)
		if err != nil {
			handed = h
			return err
		}
		handed, err = c.exchange(ctx, p, r)
		var unhealthy *unhealthyError
		if errors.As(err, &unhealthy) {
			if !again {
				continue
			}
			err = unhealthy.cause
		}
		return err
	}
}

// An unhealthyError is a request that was not begun: the worker was gone, or saw
// first that its device is not in order.
type unhealthyError struct{ cause error }

func (e *unhealthyError) Error() string { return e.cause.Error() }

// ready returns a worker that serves, and starts one if there is none. A start
// outlives the request that wanted it: it then has the turn until it is over.
func (c *Client) ready(ctx context.Context) (p *process, handed bool, err error) {
	if p := c.process; p != nil {
		select {
		case <-p.done: // while nobody asked anything of it: no request is lost
			c.retire(p)
		default:
			return p, false, nil
		}
	}
	if err := c.backoff.refusal(time.Now()); err != nil {
		return nil, false, err
	}
	started := make(chan error, 1)
	go func() { started <- c.start() }()
	select {
	case err := <-started:
		return c.process, false, err
	case <-ctx.Done():
		go func() {
			<-started
			c.leave()
		}()
		return nil, true, ctx.Err()
	}
}

// mostLeaving is how long a process that was killed may take until it is gone
// and its device memory is free.
const mostLeaving = 5 * time.Second

// hungDriver is what to do where a driver does not come back.
const hungDriver = "look whether `nvidia-smi` answers; where the driver hangs, restart the machine"

// start starts a worker and reads what it says of its GPU. It has the turn.
func (c *Client) start() error {
	c.awaitLeaving()
	err := c.startNow()
	if err != nil {
		c.backoff.failed(err, time.Now())
		return err
	}
	c.backoff = backoff{}
	return nil
}

func (c *Client) startNow() error {
	p, err := start(c.options.Command)
	if err != nil {
		return c.unavailable("its worker process could not be started: "+err.Error(), afterRefusal(err))
	}
	c.mu.Lock()
	c.current = p
	c.mu.Unlock()
	p.limit(c.options.StartLimit)
	if err := c.refusal(context.Background()); err != nil {
		c.retire(p)
		return err
	}
	hello, err := c.greeting(p)
	if err != nil {
		c.retire(p)
		return err
	}
	c.mu.Lock()
	c.hello = hello
	c.mu.Unlock()
	c.process, c.suspect, p.used = p, false, time.Now()
	return nil
}

// afterRefusal says what to do when the system refused what a worker needs.
func afterRefusal(err error) string {
	is := func(codes ...syscall.Errno) bool {
		return slices.ContainsFunc(codes, func(code syscall.Errno) bool { return errors.Is(err, code) })
	}
	switch {
	case is(syscall.EMFILE, syscall.ENFILE):
		return "raise the limit of open files (ulimit -n), or end other programs"
	case is(syscall.EFBIG):
		return "raise the limit of a file's size (ulimit -f), which shared memory has too"
	case is(syscall.EAGAIN, syscall.ENOMEM, syscall.ENOSPC):
		return "end other programs, since the machine has no room left, and try again"
	case is(syscall.EPERM, syscall.EACCES, syscall.ENOSYS):
		return "run the workbench where a program may start itself again and share memory with it: something forbids it here, as a sandbox does"
	}
	return "try again; if it happens again, report this as a fault of the workbench"
}

// unshared is a request that was not begun, for want of shared memory.
func (c *Client) unshared(err error) error {
	return c.unavailable("there is no memory to share with its worker process: "+err.Error(), afterRefusal(err))
}

func (c *Client) unavailable(reason, next string) error {
	return &device.UnavailableError{Spec: c.options.Spec, Reason: reason, Next: next}
}

// greeting reads what a worker says first.
func (c *Client) greeting(p *process) (Hello, error) {
	f, err := p.reader.next()
	if closed := c.refusal(context.Background()); closed != nil {
		return Hello{}, closed
	}
	var broken *frameError
	replaced := func() (Hello, error) {
		return Hello{}, c.unavailable("the program was replaced while it ran, and its worker process is of another build", "start it again")
	}
	switch {
	case errors.Is(err, errOtherProtocol):
		return replaced()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return Hello{}, c.unavailable(fmt.Sprintf("its worker process did not open it within %v", c.options.StartLimit), hungDriver)
	case errors.As(err, &broken):
		return Hello{}, c.unavailable("its worker process did not say what a worker says: "+err.Error(), "look what program is started as its worker")
	case err != nil:
		p.kill()
		select {
		case <-p.done:
		case <-time.After(mostLeaving):
			return Hello{}, c.unavailable("its worker process closed its pipes before it had opened the GPU, and does not end", hungDriver)
		}
		return Hello{}, c.unavailable(ended(p.how(), p.stderr)+" before it had opened the GPU", "try again; if it happens again, report this as a fault of the workbench")
	case f.kind == kindFailure:
		failed, err := readFailure(f.meta)
		if err != nil {
			return Hello{}, c.unavailable(err.Error(), "start the program again")
		}
		return Hello{}, failed.err(c.options.Spec)
	case f.kind != kindHello:
		return replaced()
	}
	hello, err := readHello(f.meta)
	if err != nil {
		return replaced()
	}
	build, err := Build()
	if err != nil {
		return Hello{}, c.unavailable("the program cannot read its own file: "+err.Error(), "start it again")
	}
	if hello.Build != build {
		return replaced()
	}
	return hello, nil
}

// retire ends a worker for good. Until it is gone no other one is started.
func (c *Client) retire(p *process) {
	p.kill()
	c.dismiss(p)
}

// dismiss lets a worker that ends by itself do so, and retires it if it takes
// longer than the grace. It sees that its pipes are closed; what it was started
// under, a tool that watches it for example, can still say what it saw.
func (c *Client) dismiss(p *process) {
	c.mu.Lock()
	c.current = nil
	c.mu.Unlock()
	c.process, c.leaving = nil, p.done
	p.release()
	go func() {
		select {
		case <-p.done:
		case <-time.After(c.options.Grace):
			p.kill()
		}
	}()
}

// awaitLeaving waits until the worker before is gone, and reports whether it is.
func (c *Client) awaitLeaving() bool {
	if c.leaving == nil {
		return true
	}
	select {
	case <-c.leaving:
		return true
	case <-time.After(c.options.Grace + mostLeaving):
		return false
	}
}

// exchange sends one request and reads its reply. The turn is handed to a
// goroutine where the caller leaves before the reply came.
func (c *Client) exchange(ctx context.Context, p *process, r request) (handed bool, err error) {
	c.number++
	number := c.number
	var flags uint8
	if c.suspect || time.Since(p.used) >= c.options.Idle {
		flags = flagCheck
	}
	if err := r.make(p, number, flags); err != nil {
		return false, err // nothing was sent
	}
	bytes, err := p.frame.finish()
	if err != nil {
		return false, err
	}
	p.limit(r.limit)
	// From here on Close interrupts; before, it is seen now.
	if err := c.refusal(ctx); err != nil {
		return false, err
	}
	uninterrupt := p.interruptWith(ctx)
	begun, err := p.requests.Write(bytes)
	sent := err == nil
	var f frame
	if sent {
		f, err = p.reader.next()
	}
	uninterrupt()
	switch {
	case err == nil:
		return false, c.reply(p, number, f, r)
	case !sent && errors.Is(err, syscall.EPIPE):
		// It ended between two requests, and this one did not reach it.
		return false, &unhealthyError{c.died(p, err)}
	case !errors.Is(err, os.ErrDeadlineExceeded):
		return false, c.died(p, err)
	}
	if closed := c.refusal(context.Background()); closed != nil {
		c.retire(p)
		return false, closed
	}
	if done := ctx.Err(); done != nil {
		if !sent {
			if begun > 0 { // half a frame: no other one can follow it
				c.retire(p)
			}
			return false, done
		}
		go c.drain(p, number)
		return true, done
	}
	c.retire(p)
	return false, &device.FaultError{
		Spec: c.options.Spec, Fault: device.TimeLimit,
		Detail: fmt.Sprintf("the request took longer than %v, and the worker process was ended with it", r.limit),
		Next:   "look for a loop that does not end, or ask for less at once; the next request starts a new worker",
	}
}

// reply makes of a frame what the caller gets.
func (c *Client) reply(p *process, number uint64, f frame, r request) error {
	broken := func(err error) error {
		c.retire(p)
		return &device.FaultError{
			Spec: c.options.Spec, Fault: device.WorkerEnded,
			Detail: "the worker process said what it was not asked and was ended: " + err.Error(),
			Next:   "run it again; if it happens again, report this as a fault of the workbench",
		}
	}
	if f.number != number {
		return broken(malformed("it answers request %d, and %d was asked", f.number, number))
	}
	p.used = time.Now()
	if f.kind == kindFailure {
		failed, err := readFailure(f.meta)
		if err != nil {
			return broken(err)
		}
		c.suspect = true
		if failed.Unhealthy {
			c.retire(p)
			return &unhealthyError{failed.err(c.options.Spec)}
		}
		if failed.Sticky {
			c.dismiss(p)
		}
		if r.failed != nil {
			r.failed(failed)
		}
		return failed.err(c.options.Spec)
	}
	if err := r.read(p, f); err != nil {
		return broken(err)
	}
	c.suspect = false
	c.trimLater(p)
	return nil
}

// drain waits for the reply that nobody wants any more, and gives the turn back.
func (c *Client) drain(p *process, number uint64) {
	defer c.leave()
	p.limit(c.options.Grace)
	if c.refusal(context.Background()) != nil {
		c.retire(p)
		return
	}
	f, err := p.reader.next()
	if err != nil || f.number != number {
		c.retire(p)
		return
	}
	p.used = time.Now()
	if f.kind == kindFailure {
		c.suspect = true
		if failed, err := readFailure(f.meta); err != nil || failed.Sticky || failed.Unhealthy {
			c.retire(p)
		}
	}
}

// died says how a worker ended that did not answer.
func (c *Client) died(p *process, err error) error {
	var broken *frameError
	if errors.As(err, &broken) {
		p.kill()
	}
	select {
	case <-p.done:
	case <-time.After(time.Second): // it only closed its pipes, or takes long to end
		p.kill()
		select {
		case <-p.done:
		case <-time.After(mostLeaving):
		}
	}
	detail := "the worker process does not answer (" + err.Error() + ") and does not end"
	next := "run it again: the next request starts a new worker; if it happens again, report this as a fault of the workbench"
	select {
	case <-p.done:
		detail = ended(p.how(), p.stderr)
		if p.killed() {
			next = "run it again: the next request starts a new worker; a process that nobody killed was ended by the system for want of memory"
		}
	default:
	}
	if broken != nil {
		detail = err.Error() + "; " + detail
	}
	closed := c.refusal(context.Background())
	c.retire(p)
	if closed != nil {
		return closed
	}
	return &device.FaultError{Spec: c.options.Spec, Fault: device.WorkerEnded, Detail: detail, Next: next}
}

const (
	mostKept  = 64 << 20        // bytes of shared memory that stay between requests
	trimAfter = 5 * time.Second // until what is more is given back
)

// trimLater gives the pages of a large shared memory back when no request came
// for a while.
func (c *Client) trimLater(p *process) {
	if len(p.memory.bytes) <= mostKept {
		return
	}
	if c.trim != nil {
		c.trim.Reset(trimAfter)
		return
	}
	c.trim = time.AfterFunc(trimAfter, c.trimNow)
}

func (c *Client) trimNow() {
	select {
	case c.turn <- struct{}{}:
		if p := c.process; p != nil {
			_ = p.memory.empty()
		}
		c.leave()
	default: // a request runs, and sets the timer again
	}
}

// limit lets the next exchange take so long.
func (p *process) limit(d time.Duration) {
	at := time.Now().Add(d)
	_ = p.requests.SetWriteDeadline(at)
	_ = p.replies.SetReadDeadline(at)
}

// interrupt ends an exchange that is under way, and every one until limit is
// called.
func (p *process) interrupt() {
	past := time.Unix(1, 0)
	_ = p.requests.SetWriteDeadline(past)
	_ = p.replies.SetReadDeadline(past)
}

// interruptWith interrupts when ctx is done, until the function that it returns
// was called.
func (p *process) interruptWith(ctx context.Context) (stop func()) {
	if ctx.Done() == nil {
		return func() {}
	}
	over := make(chan struct{})
	disarm := context.AfterFunc(ctx, func() {
		p.interrupt()
		close(over)
	})
	return func() {
		if !disarm() {
			<-over
		}
	}
}
