package socket

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"workbench/engine/tensor"
	"workbench/engine/trace"
	"workbench/web/chart"
	"workbench/web/run"
)

// seated has the seat answer a request.
func (c *conn) seated(ctx context.Context, q Request) (l letter) {
	defer func() {
		if p := recover(); p != nil {
			c.hub.options.Logger.Error("a seat panicked", "type", q.Type, "panic", p, "stack", string(debug.Stack()))
			a, _ := FailureAnswer(run.Describe(fmt.Errorf("%v", p)))
			l = a.letter(q.ID)
		}
	}()
	compute := func(ctx context.Context, other Request) (Answer, *run.Failure) {
		other.ID = q.ID // signs of life are told to who asked
		m := c.answer(ctx, other)
		var f *run.Failure
		if m.Type == Error {
			f = &run.Failure{Code: m.Code, Field: m.Field, Message: m.Message, Next: m.Next, Detail: m.Detail}
		}
		a, err := NewAnswer(m)
		if err != nil {
			c.hub.options.Logger.Error("message cannot be written as JSON", "type", m.Type, "error", err)
			f = run.Describe(err)
			a, _ = FailureAnswer(f)
		}
		return a, f
	}
	a, err := c.seat.Answer(ctx, c.page, q, compute)
	if err != nil {
		a, _ = FailureAnswer(run.Describe(run.Ended(ctx, err)))
	}
	return a.letter(q.ID)
}

// answer computes the one answer to a request.
func (c *conn) answer(ctx context.Context, q Request) (m Message) {
	logger := c.hub.options.Logger.With("type", q.Type, "example", q.Example, "device", q.Device)
	defer func() {
		if p := recover(); p != nil {
			logger.Error("a request panicked", "panic", p, "stack", string(debug.Stack()))
			m = failure(q.ID, run.Describe(fmt.Errorf("%v", p)))
		}
	}()
	limit := c.limits.RunTime
	if q.Type == Ladder {
		limit = c.limits.Measuring
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, run.ErrTimeLimit)
	defer cancel()
	started := time.Now()
	m, err := c.compute(ctx, q)
	if err != nil {
		f := run.Describe(run.Ended(ctx, err))
		if f.Code == run.CodeInternal && ctx.Err() == nil {
			logger.Error("a request failed", "error", err)
		}
		return failure(q.ID, f)
	}
	m.ID = q.ID
	if m.Type == Trace || m.Type == Report || m.Type == Outcome || m.Type == Ladder {
		elapsed := float64(time.Since(started).Microseconds()) / 1000
		m.Elapsed = &elapsed
	}
	return m
}

func (c *conn) compute(ctx context.Context, q Request) (Message, error) {
	runner := c.hub.options.Runner
	switch q.Type {
	case Run:
		defer c.signs(q.ID, fmt.Sprintf("%s runs on %s", q.Example, q.Device))()
		t, err := runner.Run(ctx, q.Device, q.Example, q.Input)
		if err != nil {
			return Message{}, err
		}
		if n := size(t); n > c.limits.Values {
			return Message{}, &run.Failure{
				Code:    run.CodeTooLarge,
				Message: fmt.Sprintf("The run has %d values, and a page takes at most %d.", n, c.limits.Values),
				Next:    "Use smaller shapes or a shorter text.",
			}
		}
		return Message{Type: Trace, Run: c.table.runs.keep(t), Trace: t}, nil
	case Explain:
		t, err := c.find(q)
		if err != nil {
			return Message{}, err
		}
		if *q.Step >= len(t.Steps) {
			return Message{}, &run.Failure{Code: run.CodeInput, Field: "step", Message: fmt.Sprintf("step %d does not exist: the run has %d", *q.Step, len(t.Steps))}
		}
		if t.Steps[*q.Step].Reduction != nil && (q.Cell[0] != 0 || q.Cell[2] != 0) {
			return Message{}, &run.Failure{Code: run.CodeInput, Field: "cell", Message: fmt.Sprintf("a reduction's groups are named 0, group, 0, and the cell is %s", tensor.FormatShape(q.Cell))}
		}
		cell, err := runner.Explain(ctx, t, *q.Step, [3]int(q.Cell))
		if err != nil {
			return Message{}, err
		}
		return Message{Type: Cell, Run: q.Run, Step: q.Step, Cell: cell, Chart: chart.Cell(cell)}, nil
	case Compare:
		example := cmp.Or(q.Example, trace.ExampleDecoder)
		r, err := runner.Compare(ctx, q.Devices[0], q.Devices[1], example, q.Input, func(note string, done, total int) {
			c.progress(q.ID, note, done, total)
		})
		if err != nil {
			return Message{}, err
		}
		return Message{Type: Report, Report: r}, nil
	case Launch:
		defer c.signs(q.ID, fmt.Sprintf("the kernel runs on %s", q.Device))()
		o, err := runner.Launch(ctx, q.Device, *q.Kernel, q.Record)
		if err != nil {
			return Message{}, err
		}
		return Message{Type: Outcome, Run: c.hub.bench.keep(c.table, o), Outcome: o, Rooflines: chart.Rooflines(o.Measurements, c.hub.options.Measurements)}, nil
	case Ladder:
		l, err := runner.Ladder(ctx, q.Device, q.Precision, q.Size, func(note string, done, total int) {
			c.progress(q.ID, note, done, total)
		})
		if err != nil {
			return Message{}, err
		}
		return Message{Type: Ladder, Ladder: l}, nil
	case Moment:
		return c.moment(ctx, q)
	case Touched:
		r, err := c.recording(q)
		if err != nil {
			return Message{}, err
		}
		if steps := r.Tape().Steps; q.To < *q.Step || q.To > steps {
			return Message{}, &run.Failure{Code: run.CodeInput, Field: "to", Message: fmt.Sprintf("must be from step %d to %d, the number of steps", *q.Step, steps)}
		}
		t, err := r.Touched(ctx, *q.Step, q.To)
		if err != nil {
			return Message{}, err
		}
		return Message{Type: Touched, Run: q.Run, Touched: t}, nil
	case Values:
		o, err := c.outcome(q)
		if err != nil {
			return Message{}, err
		}
		v, err := o.Values(q.Output, q.From)
		if err != nil {
			return Message{}, err
		}
		return Message{Type: Values, Run: q.Run, Values: &v}, nil
	case Devices:
		devices, err := c.hub.roster.again(ctx)
		if errors.Is(err, run.ErrTimeLimit) {
			return Message{}, &run.Failure{
				Code: run.CodeTimeout, Message: "Which devices there are is not known yet: a driver takes its time to answer.",
				Next: "The list changes by itself when it has; if it stays so, look whether `nvidia-smi` answers.",
			}
		}
		if err != nil {
			return Message{}, err
		}
		return Message{Type: Devices, Devices: devices}, nil
	case Room:
		return Message{}, &run.Failure{Code: run.CodeProtocol, Message: "This page is in no room.", Next: "Open the address that the presenter shows."}
	}
	panic("BUG: a request of the type " + q.Type + " was admitted")
}

// find returns the run that a request to explain names.
func (c *conn) find(q Request) (*trace.Trace, error) {
	var t *trace.Trace
	if widget, ok := strings.CutPrefix(q.Run, "page:"); ok {
		if t = c.hub.options.PageTrace(q.Chapter, widget); t == nil {
			return nil, &run.Failure{
				Code:    run.CodeUnknownRun,
				Message: fmt.Sprintf("There is no chapter %q with a widget %q that shows a run.", clip(q.Chapter), clip(widget)),
				Next:    "Reload the page.",
			}
		}
	} else {
		t = c.table.runs.get(q.Run)
	}
	if t == nil {
		return nil, &run.Failure{
			Code:    run.CodeUnknownRun,
			Message: fmt.Sprintf("The run %s is not kept any more: only the last %d of a page are.", clip(q.Run), c.limits.Runs),
			Next:    "Run it again.",
		}
	}
	return t, nil
}

// signs sends signs of life of a long run until the function that it returns
// is called.
func (c *conn) signs(id, note string) (stop func()) {
	started, done := time.Now(), make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		tick := time.NewTicker(c.limits.Progress)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				c.progress(id, fmt.Sprintf("%s: %.1f s of at most %.0f s", note, time.Since(started).Seconds(), c.limits.RunTime.Seconds()), 0, 0)
			}
		}
	})
	return func() {
		close(done)
		ended.Wait() // no sign of life comes after the answer
	}
}
