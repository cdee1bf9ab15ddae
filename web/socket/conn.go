package socket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"workbench/web/run"
)

// Bounds of what is read away of a message that is too long
// before its connection is given up.
const (
	mostSkipped = 256 << 20
	skipTime    = 30 * time.Second
)

// A conn is one page's connection.
type conn struct {
	hub    *Hub
	limits Limits
	ctx    context.Context
	cancel context.CancelCauseFunc

	out   *outbox
	gate  *gate
	jobs  jobs
	seat  Seat  // nil of a page on its own
	page  *Page // as the seat knows it
	table *Table
	work  sync.WaitGroup // requests and the writer
	due   time.Time      // the reader's: when the messages so far would be read, one after another

	mu     sync.Mutex
	socket *websocket.Conn // guarded by mu until serve has set it
}

func newConn(h *Hub, s Seat) *conn {
	l := h.options.Limits
	c := &conn{hub: h, seat: s}
	c.page = &Page{c}
	if s != nil {
		l, c.table = s.Limits().or(l), s.Table()
	} else {
		c.table = h.Table("", 1)
	}
	c.limits, c.out, c.gate = l, newOutbox(l.Letters, l.Outbox), newGate(l.Working, l.Waiting)
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	return c
}

// errGone is the cause of a connection's context once it has ended.
var errGone = errors.New("socket: the page is gone")

// end stops everything that runs for the page.
func (c *conn) end() {
	c.cancel(errGone)
	c.out.close()
	c.work.Wait()
}

// goAway tells the page that the server stops, and ends the connection.
func (c *conn) goAway() { c.leave(websocket.CloseGoingAway, "the workbench was stopped") }

// dismiss tells the page why its seat lets it go, and ends the connection.
func (c *conn) dismiss(reason string) { c.leave(websocket.ClosePolicyViolation, reason) }

func (c *conn) leave(code int, reason string) {
	c.cancel(errGone)
	c.mu.Lock()
	ws := c.socket
	c.mu.Unlock()
	if ws != nil {
		c.farewell(ws, code, reason)
		_ = ws.Close() // ends the reader, and it the rest
	}
}

func (c *conn) farewell(ws *websocket.Conn, code int, reason string) {
	// The page may be gone already, which is what this is about.
	_ = ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason), time.Now().Add(time.Second))
}

// greet queues the first message of a connection.
func (c *conn) greet() {
	o := c.hub.options
	devices := c.hub.roster.list()
	if c.seat != nil {
		devices = inPublic(devices)
	}
	c.send(Message{Type: Hello, Build: o.Build, Devices: devices, Reload: &o.Reload})
}

// serve reads until the connection ends.
func (c *conn) serve(ws *websocket.Conn) {
	defer ws.Close()
	c.mu.Lock()
	c.socket = ws
	c.mu.Unlock()
	if c.ctx.Err() != nil {
		return // the server stopped while the connection was made
	}
	c.work.Go(func() { c.write(ws) })
	alive := func() error { return ws.SetReadDeadline(time.Now().Add(c.limits.Silence)) }
	ws.SetPongHandler(func(string) error { return alive() })
	for {
		if alive() != nil {
			return
		}
		kind, r, err := ws.NextReader()
		if err != nil {
			return
		}
		text, err := io.ReadAll(io.LimitReader(r, c.limits.Message+1))
		if err != nil {
			return
		}
		if int64(len(text)) > c.limits.Message {
			c.send(failure(idIn(text), &run.Failure{
				Code:    run.CodeTooLarge,
				Message: fmt.Sprintf("A message is longer than %d bytes, and was not read.", c.limits.Message),
				Next:    "Use smaller inputs.",
			}))
			if !c.skip(ws, r) {
				c.farewell(ws, websocket.CloseMessageTooBig, "the message does not end")
				return
			}
			continue
		}
		if kind != websocket.TextMessage {
			c.send(failure("", protocolFailure("A message is binary: messages here are JSON text.")))
			continue
		}
		if !c.pace() {
			return
		}
		c.receive(text)
	}
}

// pace waits until the page's next message may be read, if it sends many, and reports
// whether the page is still there. What it sends meanwhile waits in its own network.
func (c *conn) pace() bool {
	if c.limits.Rate == 0 {
		return true
	}
	// Each message takes the time of one; a second's worth of them may come at once.
	each, at := time.Second/time.Duration(c.limits.Rate), time.Now()
	if c.due.Before(at) {
		c.due = at
	}
	c.due = c.due.Add(each)
	wait := c.due.Sub(at) - time.Second
	if wait <= 0 {
		return true
	}
	select {
	case <-time.After(wait):
		return true
	case <-c.ctx.Done():
		return false
	}
}

// skip reads the rest of a message away, and reports whether it ended in time.
// The page keeps its connection and its runs that way.
func (c *conn) skip(ws *websocket.Conn, r io.Reader) bool {
	if ws.SetReadDeadline(time.Now().Add(skipTime)) != nil {
		return false
	}
	n, err := io.CopyN(io.Discard, r, mostSkipped)
	return errors.Is(err, io.EOF) && n < mostSkipped
}

// write sends what is in the outbox, and pings while there is nothing.
func (c *conn) write(ws *websocket.Conn) {
	pings := time.NewTicker(c.limits.Ping)
	defer pings.Stop()
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case <-pings.C:
				// WriteControl may be called beside the writer. An error is
				// the writer's or the reader's to meet.
				_ = ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(c.limits.Write))
			case <-done:
				return
			}
		}
	}()
	for {
		l, ok := c.out.take()
		if !ok {
			return
		}
		if c.put(ws, l) == nil {
			continue
		}
		// The page takes nothing any more. Closing wakes the reader, which
		// ends the connection.
		c.cancel(errGone)
		c.out.close()
		_ = ws.Close()
		return
	}
}

// mostCopied are the bytes of a message in two parts that is written as one.
const mostCopied = 256 << 10

var copies = sync.Pool{New: func() any { return new([]byte) }}

// put writes one message.
func (c *conn) put(ws *websocket.Conn, l letter) error {
	if err := ws.SetWriteDeadline(time.Now().Add(c.limits.Write)); err != nil {
		return err
	}
	if l.head == nil {
		return ws.WriteMessage(websocket.TextMessage, l.text)
	}
	if l.size() <= mostCopied {
		// Copied it is one write, and in two parts it would be two: for a class, a
		// thousand more.
		whole := copies.Get().(*[]byte)
		defer copies.Put(whole)
		*whole = append(append((*whole)[:0], l.head...), l.text...)
		return ws.WriteMessage(websocket.TextMessage, *whole)
	}
	w, err := ws.NextWriter(websocket.TextMessage)
	if err != nil {
		return err
	}
	for _, part := range [][]byte{l.head, l.text} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return w.Close()
}

// send queues a message for the page, and waits while its outbox is full.
func (c *conn) send(m Message) {
	text, err := encode(m)
	if err != nil {
		c.hub.options.Logger.Error("message cannot be written as JSON", "type", m.Type, "error", err)
		text, _ = encode(failure(m.ID, run.Describe(err)))
	}
	_ = c.out.put(c.ctx, letter{text: text}) // fails only when there is nobody left to tell
}

// progress queues the latest news of a request, and never waits.
func (c *conn) progress(id, note string, done, total int) {
	if text, err := encode(Message{Type: Progress, ID: id, Note: note, Done: done, Total: total}); err == nil {
		c.out.offer("progress "+id, text)
	}
}

// receive handles one message.
func (c *conn) receive(text []byte) {
	q, bad := decode(text)
	switch {
	case bad != nil:
		c.send(failure(q.ID, bad))
		return
	case q.Type == Cancel:
		c.jobs.cancel(q.ID)
		return
	case !c.gate.enter():
		c.send(failure(q.ID, &run.Failure{
			Code:    run.CodeBusy,
			Message: fmt.Sprintf("This page has %d requests running or waiting already.", c.limits.Working+c.limits.Waiting),
			Next:    "Wait for one to finish, or cancel one.",
		}))
		return
	}
	ctx, cancel := context.WithCancel(c.ctx)
	if !c.jobs.start(q.ID, cancel) {
		cancel()
		c.gate.leave()
		// The answer carries no ID: the page would take it for the other one's.
		c.send(failure("", protocolFailure("Two requests at once have the id %s.", q.ID)))
		return
	}
	if q.Type == Room && c.seat != nil {
		// What a page says to its room counts in the order in which it says it: of two
		// places that are in front, the later. It takes no time, and waits for no run.
		defer c.gate.leave()
		defer cancel()
		l := c.seated(ctx, q)
		c.jobs.finish(q.ID)
		_ = c.out.put(c.ctx, l) // as below
		return
	}
	c.work.Go(func() {
		defer c.gate.leave()
		defer cancel()
		if err := c.gate.begin(ctx); err != nil {
			c.jobs.finish(q.ID)
			c.send(failure(q.ID, run.Describe(context.Canceled)))
			return
		}
		// Its place is free again once the page takes the answer: a page
		// that does not read starts no more work.
		defer c.gate.end()
		if c.seat != nil {
			l := c.seated(ctx, q)
			c.jobs.finish(q.ID)
			_ = c.out.put(c.ctx, l) // fails only when there is nobody left to tell
			return
		}
		m := c.answer(ctx, q)
		c.jobs.finish(q.ID)
		c.send(m)
	})
}
