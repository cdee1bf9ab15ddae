package live

import (
	"container/list"
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"sync"
	"time"

	"workbench/web/run"
	"workbench/web/socket"
)

// answers are what a room's pages were answered, by what they asked. They are
// bounded in bytes; who was used last stays.
type answers struct {
	mu sync.Mutex
	// Looks have a shelf of their own: a class that looks at many things, or one
	// page that does so to do harm, must not push out what the presenter ran.
	runs, looks shelf
	calls       map[string]*call // that are under way
	begun       int              // calls, ever
	news        chan struct{}    // closed, and made anew, when a run begins or is kept

	// What followers have computed, and what is run again for them, wait here for
	// their turn, so that they leave the machine to the presenter.
	looking, remaking chan struct{}
}

// A shelf keeps answers.
type shelf struct {
	most, bytes int
	kept        map[string]*list.Element // of *answered, by key
	named       map[string]*answered     // runs, by their names
	order       *list.List               // the latest first
}

// answered is an answer that is kept.
type answered struct {
	key    string
	answer socket.Answer
	call   int // the number of the one that it came from: the latest counts
	// ask is what a run was asked for with, so that it can be made again: its
	// recordings are large, and gone with the server.
	ask *socket.Request
}

func (a *answered) size() int {
	n := a.answer.Size()
	if a.ask != nil {
		n += len(a.ask.Input)
		if k := a.ask.Kernel; k != nil {
			n += len(k.Source) + len(k.Launch)
		}
	}
	return n
}

// call is a computation that others wait for.
type call struct {
	number int
	done   chan struct{}
	answer socket.Answer
	kept   bool // the answer is, for who asks again
	gone   bool // it came to nothing, since whoever asked is gone or asks no more
}

func (a *answers) init(most int) {
	a.runs, a.looks = newShelf(most/2), newShelf(most/2)
	a.calls = map[string]*call{}
	a.news = make(chan struct{})
	a.looking, a.remaking = make(chan struct{}, max(2, runtime.GOMAXPROCS(0))), make(chan struct{}, 1)
}

func newShelf(most int) shelf {
	return shelf{most: most, kept: map[string]*list.Element{}, named: map[string]*answered{}, order: list.New()}
}

// shelf returns where the answers to requests of a kind are.
func (a *answers) shelf(kind string) *shelf {
	if runs(kind) {
		return &a.runs
	}
	return &a.looks
}

// find returns a kept answer. It is called with mu held.
func (a *answers) find(kind, key string) (socket.Answer, bool) {
	s := a.shelf(kind)
	e := s.kept[key]
	if e == nil {
		return socket.Answer{}, false
	}
	s.order.MoveToFront(e)
	return e.Value.(*answered).answer, true
}

// put keeps the answer to a request, which came from the call of that number. What
// a later call answered stays.
func (a *answers) put(key string, q socket.Request, answer socket.Answer, number int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	made := &answered{key: key, answer: answer, call: number}
	if runs(q.Type) && answer.Run != "" {
		q.ID, q.Fresh = "", false
		made.ask = &q
	}
	a.shelf(q.Type).put(made)
	if runs(q.Type) {
		a.wake()
	}
}

// recall keeps an answer of a server before this one, unless it is of what came with a
// page: the chapter may have been saved since.
func (a *answers) recall(kept Answered) {
	if withPage(kept.Message.Run) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	kind, _, _ := strings.Cut(kept.Key, ":")
	a.shelf(kind).put(&answered{key: kept.Key, answer: kept.Message, ask: kept.Ask})
}

func (s *shelf) put(made *answered) {
	if e := s.kept[made.key]; e != nil {
		if e.Value.(*answered).call > made.call {
			return
		}
		s.drop(e)
	}
	s.kept[made.key] = s.order.PushFront(made)
	s.bytes += made.size()
	if made.ask != nil {
		s.named[made.answer.Run] = made
	}
	for s.bytes > s.most && s.order.Len() > 1 {
		s.drop(s.order.Back())
	}
}

func (s *shelf) drop(e *list.Element) {
	old := s.order.Remove(e).(*answered)
	delete(s.kept, old.key)
	if s.named[old.answer.Run] == old {
		delete(s.named, old.answer.Run)
	}
	s.bytes -= old.size()
}

// ask returns what a run was asked for with, or nil.
func (a *answers) ask(name string) *socket.Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	if made := a.runs.named[name]; made != nil {
		return made.ask
	}
	return nil
}

// wake is called with mu held.
func (a *answers) wake() {
	close(a.news)
	a.news = make(chan struct{})
}

// begin returns the answer to a request if it is kept, or else the call that is
// under way for it, or makes one, which the caller has to finish.
func (a *answers) begin(key string, q socket.Request) (kept socket.Answer, c *call, mine bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !q.Fresh {
		if kept, ok := a.find(q.Type, key); ok {
			return kept, nil, false
		}
		if c := a.calls[key]; c != nil {
			return kept, c, false
		}
	}
	a.begun++
	c = &call{number: a.begun, done: make(chan struct{})}
	a.calls[key] = c
	if runs(q.Type) {
		a.wake()
	}
	return kept, c, true
}

func (a *answers) finish(key string, c *call) {
	a.mu.Lock()
	if a.calls[key] == c { // and not of a fresh one
		delete(a.calls, key)
	}
	a.mu.Unlock()
	close(c.done)
}

// keptBy is what an answer is kept by. A look at what came with a page is one at that
// version of the chapter: an author may save it in mid-lesson. The lesson has such looks
// in their order, and knows when they were.
func (r *Room) keptBy(q socket.Request) string {
	key := keyOf(q)
	if version := r.rooms.options.Version; version != nil && withPage(q.Run) {
		key += "@" + version(q.Chapter)
	}
	return key
}

// withPage reports whether a run's name is that of a result which came with a page.
func withPage(name string) bool { return strings.HasPrefix(name, "page:") }

// answer answers what a widget of a page asks for.
func (r *Room) answer(ctx context.Context, m *member, q socket.Request, compute socket.Compute) (socket.Answer, error) {
	key := r.keptBy(q)
	if !m.leads() && q.Fresh {
		r.refused("a page asked for a fresh run", "as", m.you.As, "type", q.Type)
		return socket.Answer{}, &run.Failure{Code: CodeForbidden, Message: "In a lesson the presenter runs it."}
	}
	if !m.leads() && runs(q.Type) {
		return r.await(ctx, key, q.Type)
	}
	a, err := r.once(ctx, m, key, q, compute)
	if err == nil && m.leads() && q.Goal != nil {
		r.arrive(ctx, m, q, a, compute)
	}
	return a, err
}

// once answers what is kept, or what a call answers that is under way or made for it.
func (r *Room) once(ctx context.Context, m *member, key string, q socket.Request, compute socket.Compute) (socket.Answer, error) {
	for {
		kept, c, mine := r.answers.begin(key, q)
		switch {
		case c == nil:
			r.record(m, q, kept)
			return kept, nil
		case mine:
			return r.carry(ctx, m, key, c, q, compute), nil
		}
		select {
		case <-c.done:
			if c.kept {
				r.record(m, q, c.answer) // it may have been a follower's call
			}
			if !c.gone {
				return c.answer, nil
			}
		case <-ctx.Done():
			return socket.Answer{}, context.Cause(ctx)
		}
	}
}

// carry computes the answer of a call, for all who wait for it.
func (r *Room) carry(ctx context.Context, m *member, key string, c *call, q socket.Request, compute socket.Compute) socket.Answer {
	c.gone = true
	defer r.answers.finish(key, c) // whatever happens, nobody waits for ever
	if looks(q.Type) {
		ctx = r.life // others wait for it too, and who asked first may go
		if m.presenter == nil {
			select {
			case r.answers.looking <- struct{}{}:
				defer func() { <-r.answers.looking }()
			case <-ctx.Done():
			}
		}
	}
	a, f := r.compute(ctx, q, compute)
	if f == nil || runs(q.Type) && lasting(f.Code) {
		r.answers.put(key, q, a, c.number)
		r.record(m, q, a)
		c.kept = true
	}
	c.answer, c.gone = a, f != nil && f.Code == run.CodeCancelled
	return a
}

// arrive asks for the moment to which a goal led a presenter. Their page has it by now,
// and others ask for it by its step: the class at once, and who replays the lesson, in
// which only what a presenter asked for is.
func (r *Room) arrive(ctx context.Context, m *member, q socket.Request, a socket.Answer, compute socket.Compute) {
	var led struct {
		Step  *int `json:"step"`
		Found bool `json:"found"`
	}
	if json.Unmarshal(a.Text(), &led) != nil || !led.Found || led.Step == nil {
		return
	}
	q.Step, q.Goal, q.Fresh = led.Step, nil, false
	_, _ = r.answer(ctx, m, q, compute) // asked for in vain, it is asked for again
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
func (r *Room) await(ctx context.Context, key, kind string) (socket.Answer, error) {
	patience := time.NewTimer(r.limits.Wait)
	defer patience.Stop()
	for {
		r.answers.mu.Lock()
		a, ok := r.answers.find(kind, key)
		c, news := r.answers.calls[key], r.answers.news
		r.answers.mu.Unlock()
		if ok {
			return a, nil
		}
		if c != nil {
			// It takes what it takes.
			select {
			case <-c.done:
				if !c.gone {
					return c.answer, nil
				}
				patience.Reset(r.limits.Wait) // it may be run once more
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
	a, f := compute(ctx, q)
	if !looks(q.Type) || f == nil || f.Code != run.CodeUnknownRun {
		return a, f
	}
	made := r.answers.ask(q.Run)
	if made == nil || strings.HasPrefix(made.Device, "cuda") {
		return a, f // and nobody but a presenter starts work on a GPU
	}
	// One at a time: the room keeps few recordings, and pages that look at many
	// would have it run all the time.
	select {
	case r.answers.remaking <- struct{}{}:
		defer func() { <-r.answers.remaking }()
	case <-ctx.Done():
		return a, f
	}
	if !r.table.Knows(q.Run) {
		again, failed := compute(ctx, *made)
		if failed != nil {
			return a, f
		}
		r.table.Rename(again.Run, q.Run)
		r.log.Info("a run was made again", "run", q.Run)
	}
	return compute(ctx, q)
}

// record writes down an answer that a presenter saw: on a stage, or in the preview of
// one, which is all that there is where a lesson is led from a desk alone.
func (r *Room) record(m *member, q socket.Request, a socket.Answer) {
	if m.presenter == nil {
		return
	}
	r.journal.answer(keyOf(q), q, a)
}
