package record

import (
	"context"
	"errors"

	"workbench/engine/simt/run"
)

// DefaultBound is the memory of a recording that is given no bound: 64 MiB.
const DefaultBound = 64 << 20

// Options are what a recording is made with.
type Options struct {
	Bound int64 // bytes that a block's recording may take; 0 is DefaultBound
	Whole bool  // the first run goes on when the blocks have ended
}

// errOther is a launch that did something else when it ran again.
var errOther = errors.New("the launch did not do the same again: this part of the recording is lost")

// Again runs a launch with a Recorder as its observer, of an image that has
// code.Names and is the same one each time, with memory of its own. It is called
// when a recording is made, and once more whenever a part of one is asked for that
// not there.
//
// Once memory is what it is before the first launch in it, Again calls Prepare, which
// says what is to be run, and Pass for each other launch. Its context is done when nothing is left to be
// recorded, but for Options.Whole.
type Again func(ctx context.Context, r *Recorder) error

// Launch records blocks of a launch. What goes wrong in the kernel ends a
// recording early, and is no error.
func Launch(ctx context.Context, blocks []int, o Options, again Again) ([]*Recording, error) {
	if o.Bound == 0 {
		o.Bound = DefaultBound
	}
	if len(blocks) == 0 {
		return nil, nil
	}
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &Recorder{cancel: cancel, first: true, whole: o.Whole, of: map[int]observer{}}
	surveys := map[int]*survey{}
	var out []*Recording
	for _, n := range blocks {
		if s := surveys[n]; s != nil {
			out = append(out, &Recording{s.t})
			continue
		}
		bound := o.Bound / int64(len(blocks))
		t := &tape{number: n, bound: bound, most: max(bound/8, 64<<10), ahead: firstAhead, again: again}
		surveys[n] = &survey{r: r, t: t}
		r.of[n] = surveys[n]
		r.left++
		out = append(out, &Recording{t})
	}
	err := again(within, r)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var fault *run.Fault
	errors.As(err, &fault)
	for _, x := range out {
		t := x.t
		if t.grid == nil {
			t.reason = "the launch ended before the block began"
			if err != nil {
				t.reason += ": " + err.Error()
			}
		} else {
			surveys[t.number].stop()
		}
		switch {
		case t.complete || t.reason != "":
		case fault != nil && fault.Kind != run.Cancelled:
			t.reason = "the launch ended early: " + fault.Error()
		default:
			t.reason = "the launch ended early"
		}
	}
	return out, nil
}

// A Recorder has the observers of the blocks that are recorded, for one run of
// their launch.
type Recorder struct {
	cancel context.CancelFunc // ends the launch
	first  bool               // the observers are surveys; otherwise one head
	whole  bool               // it goes on to its end
	of     map[int]observer   // by block
	left   int                // observers that are not done
	before *hashes            // of memory before the launches
}

// observer is what is told of a recorded block. All want the same, so that a block
// goes on from a checkpoint of whichever run.
type observer interface {
	run.Names
	run.Rounds
}

const wants = run.Statements | run.Accesses | run.Syncs | run.Variables

// Prepare makes a launch one that r observes. If it returns false, the whole
// launch is to run, and those before it. If it returns true, the launch goes on
// from where the recording needs it: the machine's memory is what it was there and
// is not to be changed, and launches before are not to be run.
func (r *Recorder) Prepare(m *run.Machine, l *run.Launch) bool {
	// Blocks run one after another, so that all is the same each time.
	l.Workers = 1
	l.ObserverOf = func(block int) run.Observer {
		if o := r.of[block]; o != nil {
			return o
		}
		return bystander{}
	}
	if r.first {
		r.before = hashesOf(m)
		return false
	}
	for _, o := range r.of {
		h := o.(*head)
		c := &h.t.checks
		if c.begin == nil {
			return false
		}
		memory := memories(m.Memories())
		c.found.restore(memory)
		for _, x := range c.list[:h.until] {
			x.written.restore(memory)
		}
		l.Resume = c.begin
		if h.point != nil {
			l.Resume = h.point.saved
		}
	}
	return true
}

// First reports whether it is the first run, which finds out what there is. The others
// write logs, which takes longer, and end where that one ended at the latest.
func (r *Recorder) First() bool { return r.first }

// finished counts an observer that is done, and ends the launch behind the last one.
func (r *Recorder) finished() {
	if r.left--; r.left <= 0 && !r.whole {
		r.cancel()
	}
}
