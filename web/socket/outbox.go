package socket

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// errClosed is returned by an outbox whose connection has ended.
var errClosed = errors.New("socket: the connection is closed")

// An outbox is what waits to be written to one page: a queue bounded in
// messages and in bytes. A message larger than the bound by itself may wait
// alone.
type outbox struct {
	mostMessages, mostBytes int

	mu     sync.Mutex
	change *sync.Cond // on mu: the queue has changed, or the box is closed
	queue  []letter
	bytes  int
	closed bool
}

type letter struct {
	key  string // letters of one key replace each other; "" for none
	head []byte // what is written before the text, so that pages can share one
	text []byte
}

func (l letter) size() int { return len(l.head) + len(l.text) }

func newOutbox(messages, bytes int) *outbox {
	o := &outbox{mostMessages: messages, mostBytes: bytes}
	o.change = sync.NewCond(&o.mu)
	return o
}

// fits is called with mu held.
func (o *outbox) fits(l letter) bool {
	return len(o.queue) == 0 || len(o.queue) < o.mostMessages && o.bytes+l.size() <= o.mostBytes
}

// put queues an answer, and waits for room until ctx is done.
func (o *outbox) put(ctx context.Context, l letter) error {
	stop := context.AfterFunc(ctx, o.wake)
	defer stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	for !o.closed && ctx.Err() == nil && !o.fits(l) {
		o.change.Wait()
	}
	switch {
	case o.closed:
		return errClosed
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	o.push(l)
	return nil
}

// offer queues a message that a later one of the same key makes worthless. It
// takes the place of an earlier one that still waits. Where there is no room
// it is dropped, since its sender must not wait.
func (o *outbox) offer(key string, text []byte) { o.replace(letter{key: key, text: text}, false) }

// tell is offer for news that no other message makes up for. It finds room in a
// full box, since of each key only one waits, and these are few and short.
func (o *outbox) tell(key string, text []byte) { o.tellBoth(key, nil, text) }

func (o *outbox) tellBoth(key string, head, text []byte) { o.replace(letter{key, head, text}, true) }

func (o *outbox) replace(l letter, always bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i := slices.IndexFunc(o.queue, func(other letter) bool { return other.key == l.key }); i >= 0 {
		o.bytes += l.size() - o.queue[i].size()
		o.queue[i] = l
		return
	}
	if !o.closed && (always || o.fits(l)) {
		o.push(l)
	}
}

func (o *outbox) push(l letter) {
	o.queue = append(o.queue, l)
	o.bytes += l.size()
	o.change.Broadcast()
}

// take returns the oldest message, and waits for one. It reports false once
// the box is closed.
func (o *outbox) take() (letter, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for !o.closed && len(o.queue) == 0 {
		o.change.Wait()
	}
	if o.closed {
		return letter{}, false
	}
	l := o.queue[0]
	o.queue[0] = letter{} // the queue's array must not keep a sent trace alive
	o.queue = o.queue[1:]
	o.bytes -= l.size()
	o.change.Broadcast()
	return l, true
}

// close ends every wait. What is queued is lost.
func (o *outbox) close() {
	o.mu.Lock()
	o.closed, o.queue, o.bytes = true, nil, 0
	o.mu.Unlock()
	o.wake()
}

func (o *outbox) wake() {
	o.mu.Lock()
	o.change.Broadcast()
	o.mu.Unlock()
}
