package live

import (
	"bytes"
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"workbench/web/run"
	"workbench/web/socket"
)

// answers are what a room's pages were answered, by what they asked. They are
// bounded in bytes; who was used last stays.
type answers struct {
	most int // bytes

	mu    sync.Mutex
	bytes int
	kept  map[string]*list.Element // of *answered, by key
	order *list.List               // the latest first
	calls map[string]*call         // that are under way
	news  chan struct{}            // closed, and made anew, when an answer is kept or a call begins

	// ran is what was asked for to make a run, by the run's name, so that it can be
	// made again: recordings are large, and gone with the server.
	ran map[string]socket.Request
	now map[string]string // what the run is called since it was made again
}

type answered struct {
	key    string
	answer socket.Answer
}

// call is a computation that others wait for.
type call struct {
	done   chan struct{}
	answer socket.Answer
	err    error
}

// mostRan bounds the requests that are remembered.
const mostRan = 64

func (a *answers) init(most int) {
	a.most = most
	a.kept, a.order, a.calls = map[string]*list.Element{}, list.New(), map[string]*call{}
	a.news = make(chan struct{})
	a.ran, a.now = map[string]socket.Request{}, map[string]string{}
}

// keyOf names what a request asks for: equal questions have one key.
func keyOf(q socket.Request) string {
	q.V, q.ID, q.Fresh, q.Room = 0, "", false, nil
	q.Input = compact(q.Input)
	if q.Kernel != nil {
		k := *q.Kernel
		k.Launch = compact(k.Launch)
		q.Kernel = &k
	}
	text, err := json.Marshal(q)
	if err != nil {
		panic("BUG: a request that was read is JSON: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return q.Type + ":" + hex.EncodeToString(sum[:16])
}

func compact(text json.RawMessage) json.RawMessage {
	if text == nil {
		return nil
	}
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return text // whoever reads it says what is wrong
	}
	return b.Bytes()
}

// get returns a kept answer.
func (a *answers) get(key string) (socket.Answer, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.find(key)
}

func (a *answers) find(key string) (socket.Answer, bool) {
	e := a.kept[key]
	if e == nil {
		return socket.Answer{}, false
	}
	a.order.MoveToFront(e)
	return e.Value.(*answered).answer, true
}

// put keeps an answer.
func (a *answers) put(key string, answer socket.Answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if e := a.kept[key]; e != nil {
		old := e.Value.(*answered)
		a.bytes += answer.Size() - old.answer.Size()
		old.answer = answer
		a.order.MoveToFront(e)
	} else {
		a.kept[key] = a.order.PushFront(&answered{key, answer})
		a.bytes += answer.Size()
	}
	for a.bytes > a.most && a.order.Len() > 1 {
		e := a.order.Back()
		old := a.order.Remove(e).(*answered)
		delete(a.kept, old.key)
		a.bytes -= old.answer.Size()
	}
	a.wake()
}

// wake is called with mu held.
func (a *answers) wake() {
	close(a.news)
	a.news = make(chan struct{})
}

// begin returns the call for a key that is under way, or makes one, which the caller
// has to finish.
func (a *answers) begin(key string, fresh bool) (c *call, mine bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.calls[key]; c != nil && !fresh {
		return c, false
	}
	c = &call{done: make(chan struct{})}
	a.calls[key] = c
	a.wake()
	return c, true
}

func (a *answers) finish(key string, c *call, answer socket.Answer, err error) {
	c.answer, c.err = answer, err
	close(c.done)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.calls[key] == c {
		delete(a.calls, key)
	}
}

func (a *answers) remember(name string, q socket.Request) {
	if name == "" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.ran) >= mostRan {
		for other := range a.ran {
			if other != name {
				delete(a.ran, other)
				delete(a.now, other)
				break
			}
		}
	}
	q.ID, q.Fresh = "", false
	a.ran[name] = q
}

// answer answers what a widget of a page asks for.
func (r *Room) answer(ctx context.Context, m *member, q socket.Request, compute socket.Compute) (socket.Answer, error) {
	key := keyOf(q)
	if q.Fresh && m.presenter == nil {
		return socket.Answer{}, &run.Failure{Code: CodeForbidden, Message: "In a lesson the presenter runs it."}
	}
	if !q.Fresh {
		if a, ok := r.answers.get(key); ok {
			r.record(m, key, q, a)
			return a, nil
		}
	}
	if runs(q.Type) && m.presenter == nil {
		return r.await(ctx, key)
	}
	c, mine := r.answers.begin(key, q.Fresh)
	if !mine {
		select {
		case <-c.done:
			return c.answer, c.err
		case <-ctx.Done():
			return socket.Answer{}, context.Cause(ctx)
		}
	}
	if looks(q.Type) {
		// Others wait for it too, and who asked first may go.
		ctx = r.life
	}
	a, f := r.compute(ctx, q, compute)
	if f == nil || lasting(f.Code) {
		if f == nil && runs(q.Type) {
			r.answers.remember(a.Run, q)
		}
		if f == nil || runs(q.Type) {
			r.answers.put(key, a)
			r.record(m, key, q, a)
		}
	}
	r.answers.finish(key, c, a, nil)
	return a, nil
}

// lasting reports whether a failure is a result like another: asked again, it
// would come again.
func lasting(c run.Code) bool {
	switch c {
	case run.CodeInput, run.CodeDevice, run.CodeFault, run.CodeTimeout, run.CodeMemory, run.CodeCompile, run.CodeTooLarge:
		return true
	}
	return false
}

// await waits for what a presenter is running.
func (r *Room) await(ctx context.Context, key string) (socket.Answer, error) {
	patience := time.NewTimer(r.limits.Wait)
	defer patience.Stop()
	for {
		r.answers.mu.Lock()
		a, ok := r.answers.find(key)
		c, news := r.answers.calls[key], r.answers.news
		r.answers.mu.Unlock()
		if ok {
			return a, nil
		}
		if c != nil {
			// It takes what it takes.
			select {
			case <-c.done:
				if c.err == nil {
					return c.answer, nil
				}
			case <-ctx.Done():
				return socket.Answer{}, context.Cause(ctx)
			}
			continue
		}
		select {
		case <-news:
		case <-patience.C:
			return socket.Answer{}, &run.Failure{
				Code: CodeFollower, Message: "The presenter has not run this.",
				Next: "Run it on a workbench of your own: `./course serve` starts one.",
			}
		case <-ctx.Done():
			return socket.Answer{}, context.Cause(ctx)
		}
	}
}

// compute computes an answer. A run that is asked about and not kept any more is
// made again first.
func (r *Room) compute(ctx context.Context, q socket.Request, compute socket.Compute) (socket.Answer, *run.Failure) {
	if !looks(q.Type) {
		return compute(ctx, q)
	}
	asked := q.Run
	r.answers.mu.Lock()
	if name, ok := r.answers.now[asked]; ok {
		q.Run = name
	}
	made, known := r.answers.ran[asked]
	r.answers.mu.Unlock()
	a, f := compute(ctx, q)
	if f == nil || f.Code != run.CodeUnknownRun || !known || strings.HasPrefix(made.Device, "cuda") {
		return a, f // and nobody but a presenter starts work on a GPU
	}
	again, mine := r.answers.begin("again:"+asked, false)
	if mine {
		made, failed := compute(ctx, made)
		if failed == nil {
			r.answers.mu.Lock()
			r.answers.now[asked] = made.Run
			r.answers.mu.Unlock()
			r.log.Info("a run was made again", "run", asked)
		}
		r.answers.finish("again:"+asked, again, made, nil)
	}
	<-again.done
	if q.Run = again.answer.Run; q.Run == "" {
		return a, f
	}
	return compute(ctx, q)
}

// record writes down an answer that a presenter saw.
func (r *Room) record(m *member, key string, q socket.Request, a socket.Answer) {
	if m.presenter == nil {
		return
	}
	r.journal.answer(key, q, a)
}
