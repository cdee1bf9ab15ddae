package socket

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"workbench/engine/trace"
)

func text(n int) []byte { return make([]byte, n) }

func TestOutboxKeepsOrderAndBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutbox(2, 100)
		ctx := t.Context()
		for i := range 2 {
			if err := o.put(ctx, letter{text: fmt.Append(nil, i)}); err != nil {
				t.Fatal(err)
			}
		}
		waited := make(chan error)
		go func() { waited <- o.put(ctx, letter{text: []byte("2")}) }()
		synctest.Wait()
		select {
		case err := <-waited:
			t.Fatalf("a third message was taken where two fit: %v", err)
		default:
		}
		for i := range 3 {
			got, ok := o.take()
			if !ok || string(got.text) != fmt.Sprint(i) {
				t.Errorf("message %d is %q, %v", i, got, ok)
			}
			if i == 0 {
				if err := <-waited; err != nil {
					t.Error(err)
				}
			}
		}
	})
}

func TestOutboxIsBoundedInBytes(t *testing.T) {
	o := newOutbox(10, 100)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := o.put(t.Context(), letter{text: text(1000)}); err != nil {
		t.Errorf("a large message alone: %v", err)
	}
	if err := o.put(cancelled, letter{text: text(1)}); !errors.Is(err, context.Canceled) {
		t.Errorf("a message beside a large one: %v, want it to wait", err)
	}
	o.take()
	for range 2 {
		if err := o.put(t.Context(), letter{text: text(50)}); err != nil {
			t.Error(err)
		}
	}
	if err := o.put(cancelled, letter{text: text(1)}); !errors.Is(err, context.Canceled) {
		t.Errorf("one byte too many: %v, want it to wait", err)
	}
}

func TestOutboxCoalesces(t *testing.T) {
	o := newOutbox(3, 100)
	o.offer("progress 1", []byte("old"))
	if err := o.put(t.Context(), letter{text: []byte("answer")}); err != nil {
		t.Fatal(err)
	}
	o.offer("progress 2", []byte("other"))
	o.offer("progress 1", []byte("new"))
	o.offer("progress 3", []byte("there is no room for it"))
	o.tell("exercises", []byte("never mind the room"))
	o.tell("exercises", []byte("newer"))
	for _, want := range []string{"new", "answer", "other", "newer"} {
		if got, _ := o.take(); string(got.text) != want {
			t.Errorf("message is %q, want %q", got, want)
		}
	}
	if o.bytes != 0 || len(o.queue) != 0 {
		t.Errorf("an empty box counts %d bytes in %d messages", o.bytes, len(o.queue))
	}
}

// Closing wakes whoever waits, on either side.
func TestOutboxCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full, empty := newOutbox(1, 10), newOutbox(1, 10)
		if err := full.put(t.Context(), letter{text: text(1)}); err != nil {
			t.Fatal(err)
		}
		var waiting sync.WaitGroup
		waiting.Go(func() {
			if err := full.put(t.Context(), letter{text: text(1)}); !errors.Is(err, errClosed) {
				t.Errorf("put: %v", err)
			}
		})
		waiting.Go(func() {
			if _, ok := empty.take(); ok {
				t.Error("take got a message from nowhere")
			}
		})
		ctx, cancel := context.WithCancel(t.Context())
		waiting.Go(func() {
			if err := full.put(ctx, letter{text: text(1)}); !errors.Is(err, context.Canceled) {
				t.Errorf("put of one that gives up: %v", err)
			}
		})
		synctest.Wait()
		cancel()
		synctest.Wait()
		full.close()
		empty.close()
		waiting.Wait()
		if err := full.put(t.Context(), letter{text: text(1)}); !errors.Is(err, errClosed) {
			t.Errorf("put into a closed box: %v", err)
		}
	})
}

func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(2, 1)
		for i := range 3 {
			if !g.enter() {
				t.Fatalf("request %d of three was refused", i)
			}
		}
		if g.enter() {
			t.Error("a fourth request was admitted")
		}
		ctx, cancel := context.WithCancel(t.Context())
		for range 2 {
			if err := g.begin(ctx); err != nil {
				t.Fatal(err)
			}
		}
		begun := make(chan error, 1)
		go func() { begun <- g.begin(ctx) }()
		synctest.Wait()
		if len(begun) > 0 {
			t.Fatal("a third request began beside two")
		}
		g.end()
		if err := <-begun; err != nil {
			t.Error(err)
		}
		cancel()
		if err := g.begin(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled request began: %v", err)
		}
		g.leave()
		if !g.enter() {
			t.Error("a place that became free was not given away")
		}
	})
}

func TestJobs(t *testing.T) {
	var j jobs
	ctx, cancel := context.WithCancel(t.Context())
	if !j.start("7", cancel) {
		t.Fatal("the first request of an ID was refused")
	}
	if j.start("7", cancel) {
		t.Error("two requests have one ID")
	}
	j.cancel("8") // which nobody knows
	if ctx.Err() != nil {
		t.Error("another request was cancelled")
	}
	j.cancel("7")
	if ctx.Err() == nil {
		t.Error("the request was not cancelled")
	}
	j.finish("7")
	if !j.start("7", func() {}) {
		t.Error("an ID whose request is answered is refused")
	}
}

func TestHistory(t *testing.T) {
	run := func(values int) *trace.Trace {
		return &trace.Trace{Tensors: []trace.Tensor{{Values: make([]float64, values)}}}
	}
	h := history{mostRuns: 3, mostValues: 100}
	var names []string
	for range 5 {
		names = append(names, h.keep(run(1)))
	}
	for i, name := range names {
		if got := h.get(name) != nil; got != (i >= 2) {
			t.Errorf("run %d of 5 is kept: %v", i, got)
		}
	}
	large := run(99)
	large.Tensors[0].Layout = &trace.Layout{Indices: make([]int, 50)}
	name := h.keep(large)
	if h.get(name) != large {
		t.Error("a run larger than the bound is not kept, though it is the newest")
	}
	if h.get(names[4]) != nil {
		t.Error("an old run is kept beside one that takes all the room")
	}
	if h.get("r99") != nil || h.get("") != nil {
		t.Error("a run that never was is kept")
	}
}

func TestDefaultLimits(t *testing.T) {
	l := Limits{Working: 7, RunTime: time.Minute}.WithDefaults()
	if l.Working != 7 || l.RunTime != time.Minute || l.Message != 1<<20 || l.Runs != 8 || l.Silence <= l.Ping {
		t.Errorf("limits are %+v", l)
	}
}
