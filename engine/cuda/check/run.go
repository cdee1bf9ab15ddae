package check

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"workbench/engine/device"
)

// Options say which part of the list runs, and who hears of it.
type Options struct {
	Quick bool          // fewer repeats, and only the entries that say so
	Total time.Duration // after which what has not ended fails; 0 is 20 minutes

	Commit, Command string // for the report

	// Begin and End, if not nil, are told of each check, one after the other.
	Begin func(e Entry)
	End   func(e Entry, o Outcome, took time.Duration)

	// Now is the clock of the report; nil is the machine's.
	Now func() time.Time

	// grace is how long a check may take to return after its limit; 0 is five
	// seconds.
	grace time.Duration
}

// Run runs the entries on m, one after the other, and returns what they found.
// It always returns a report of all of them: what did not run, since ctx was
// done or the time was over, failed with that reason.
func Run(ctx context.Context, m *Machine, entries []Entry, o Options) *Report {
	now := time.Now
	if o.Now != nil {
		now = o.Now
	}
	total, grace := o.Total, o.grace
	if total == 0 {
		total = 20 * time.Minute
	}
	if grace == 0 {
		grace = 5 * time.Second
	}
	r := &Report{
		GPU: m.GPU, Driver: m.DriverRelease, CUDA: m.CUDA, Date: now().UTC().Truncate(time.Second),
		Commit: o.Commit, Command: o.Command, Checks: []Outcome{}, Figures: []Figure{},
	}
	// One device stays open, so that its worker is not started for each check. One
	// that cannot be opened is the checks' to say.
	if held, err := m.Worker(ctx, m.spec(device.Separate)); err == nil {
		defer held.Close()
	}
	ctx, cancel := context.WithTimeoutCause(ctx, total, fmt.Errorf("the whole list may take %s", total))
	defer cancel()
	for _, e := range entries {
		if o.Begin != nil {
			o.Begin(e)
		}
		start := time.Now()
		f := &Findings{quick: o.Quick}
		err := context.Cause(ctx)
		if err != nil {
			err = fmt.Errorf("it was not run: %w", err)
		} else {
			f, err = attempt(ctx, m, e, f, grace)
		}
		for _, figure := range f.figures {
			if wrong := r.add(figure); wrong != nil {
				err = errors.Join(err, wrong)
			}
		}
		outcome := outcomeOf(e, f, err)
		r.Checks = append(r.Checks, outcome)
		if o.End != nil {
			o.End(e, outcome, time.Since(start))
		}
	}
	return r
}

// attempt runs one entry within its limit. One that does not come back is left
// behind with its findings, and says so.
func attempt(ctx context.Context, m *Machine, e Entry, f *Findings, grace time.Duration) (*Findings, error) {
	limit := e.limit
	if limit == 0 {
		limit = defaultLimit
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it may take %s", limit))
	defer cancel()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("it panicked: %v\n%s", p, debug.Stack())
			}
		}()
		done <- e.run(ctx, m, f)
	}()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		late := time.NewTimer(grace)
		defer late.Stop()
		select {
		case err = <-done:
		case <-late.C:
			return &Findings{}, fmt.Errorf("it did not end: %w", context.Cause(ctx))
		}
	}
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return f, err
}

func outcomeOf(e Entry, f *Findings, err error) Outcome {
	o := Outcome{Name: e.Name, Passed: err == nil, Detail: strings.Join(f.details, "; ")}
	var skipped *SkippedError
	switch {
	case errors.As(err, &skipped):
		o.Skipped = skipped.Reason
	case err != nil:
		// What went wrong comes first, whatever was fine before it.
		o.Detail = err.Error()
		if len(f.details) > 0 {
			o.Detail += "\nbefore that: " + strings.Join(f.details, "; ")
		}
	}
	return o
}
