package socket

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"workbench/engine/experiment"
	"workbench/engine/launch"
	"workbench/web/run"
)

// Bounds of the outcomes of kernels that are kept, so that pages step through
// them and ask for more of their outputs. Recordings are large, so all pages share
// one bound.
const (
	mostOutcomes     = 4         // of one page
	mostOutcomeBytes = 512 << 20 // of all tables together
)

// A bench has the outcomes of all tables, in the order in which they were used last.
type bench struct {
	mu    sync.Mutex
	count int
	kept  []outcome // guarded by mu
}

type outcome struct {
	table   *Table
	name    string
	outcome *experiment.Outcome
	bytes   int64
}

// keep stores an outcome of a table and returns its name. Older ones make room: of
// the same table beyond its bound, then of whoever used theirs least recently.
func (b *bench) keep(t *Table, o *experiment.Outcome) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count++
	k := outcome{t, fmt.Sprintf("%sk%d", t.prefix, b.count), o, o.Bytes()}
	mine, total := 1, k.bytes
	// From the latest to the earliest: what still fits is kept.
	var kept []outcome
	for _, old := range slices.Backward(b.kept) {
		if old.table == t {
			mine++
		}
		if total+old.bytes > mostOutcomeBytes || old.table == t && mine > t.outcomes {
			continue
		}
		total += old.bytes
		kept = append(kept, old)
	}
	slices.Reverse(kept)
	b.kept = append(kept, k)
	return k.name
}

// get returns an outcome of a table, or nil.
func (b *bench) get(t *Table, name string) *experiment.Outcome {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.kept, func(o outcome) bool { return o.table == t && o.name == name })
	if i < 0 {
		return nil
	}
	found := b.kept[i]
	b.kept = append(slices.Delete(b.kept, i, i+1), found)
	return found.outcome
}

// rename gives an outcome of a table another name.
func (b *bench) rename(t *Table, from, to string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.kept {
		if b.kept[i].table == t && b.kept[i].name == from {
			b.kept[i].name = to
		}
	}
}

// drop forgets everything of a table.
func (b *bench) drop(t *Table) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept = slices.DeleteFunc(b.kept, func(o outcome) bool { return o.table == t })
}

// outcome returns the outcome that a request is about.
func (c *conn) outcome(q Request) (*experiment.Outcome, error) {
	if widget, ok := strings.CutPrefix(q.Run, "page:"); ok {
		if o := c.hub.options.PageOutcome(q.Chapter, widget, q.Which); o != nil {
			return o, nil
		}
		return nil, &run.Failure{
			Code:    run.CodeUnknownRun,
			Message: fmt.Sprintf("There is no chapter %q with a widget %q that shows a kernel.", clip(q.Chapter), clip(widget)),
			Next:    "Reload the page.",
		}
	}
	if o := c.hub.bench.get(c.table, q.Run); o != nil {
		return o, nil
	}
	return nil, &run.Failure{
		Code:    run.CodeUnknownRun,
		Message: fmt.Sprintf("The run %s is not kept any more: recordings are large, and only the latest are.", clip(q.Run)),
		Next:    "Run it again.",
	}
}

// recording returns the recording that a request is about.
func (c *conn) recording(q Request) (launch.Recording, error) {
	o, err := c.outcome(q)
	if err != nil {
		return nil, err
	}
	if r := o.Recording(q.Block); r != nil {
		return r, nil
	}
	return nil, &run.Failure{Code: run.CodeInput, Field: "block", Message: fmt.Sprintf("The run has %d recorded blocks, and none of the number %d.", len(o.Recordings), q.Block)}
}

// moment answers where a block is at a step, or where a goal leads from there.
func (c *conn) moment(ctx context.Context, q Request) (Message, error) {
	r, err := c.recording(q)
	if err != nil {
		return Message{}, err
	}
	step, m := *q.Step, Message{Type: Moment, Run: q.Run}
	last := r.Tape().Steps - 1
	if step > last {
		return Message{}, &run.Failure{Code: run.CodeInput, Field: "step", Message: fmt.Sprintf("step %d does not exist: the recording's run from 0 to %d", step, last)}
	}
	if q.Goal != nil {
		to, found, err := r.Seek(ctx, step, *q.Goal)
		if err != nil {
			return Message{}, err
		}
		if found {
			step = to
		}
		m.Found = &found
	}
	if m.Moment, err = r.At(ctx, step, q.View); err != nil {
		return Message{}, err
	}
	m.Step = &step
	return m, nil
}
