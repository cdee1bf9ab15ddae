package simt

import (
	"context"
	"fmt"
	"slices"
	"time"

	"workbench/engine/launch"
	"workbench/engine/simt/record"
	"workbench/engine/simt/run"
	"workbench/engine/simt/watch"
)

// How much more time a launch has that is recorded: when it is found out what there
// is, and whenever that is written down, up to where it ended then.
const (
	recordingTime = 3
	writingTime   = 100
)

var _ launch.Recorder = (*Emulator)(nil)

// Record is Sequence, and then the sequence once more, with blocks of the launch of
// that index recorded. The second time the program says what the source's variables
// hold. Both times blocks run one after another, so that they do the same in the
// same order; where they do not all the same, as the turns of warps that race are
// longer or shorter, what came out differs, and each recording's tape says so. What
// goes wrong in a kernel is in the results' reports, and ends a recording where it
// ends the launch; so does the limit of time, three times over.
func (e *Emulator) Record(ctx context.Context, launches []*launch.Launch, index int, blocks []launch.Index) ([]*launch.Result, []launch.Recording, error) {
	if index < 0 || index >= len(launches) {
		return nil, nil, fmt.Errorf("there is no launch %d to record: there are %d, counted from 0", index, len(launches))
	}
	l := launches[index]
	var numbers []int
	for _, b := range blocks {
		for k, n := range [3]int{l.Grid.X, l.Grid.Y, l.Grid.Z} {
			if b[k] < 0 || b[k] >= n {
				return nil, nil, launch.At(launches, index, &launch.ArgumentError{
					Symbol: l.Kernel.Symbol, Field: "block to record", Reason: fmt.Sprintf("the grid is %v and has no block %v", l.Grid, b),
				})
			}
		}
		numbers = append(numbers, b[0]+l.Grid.X*(b[1]+l.Grid.Y*b[2]))
	}
	results, err := e.sequence(ctx, launches, true)
	if err != nil || len(numbers) == 0 || len(results) <= index {
		return results, nil, err
	}
	image, err := e.images.of(launches, true)
	if err != nil {
		return nil, nil, err
	}
	a := &again{emulator: e, launches: launches, index: index, image: image}
	if len(results) == len(launches) && !slices.ContainsFunc(results, func(r *launch.Result) bool { return r.Ended }) {
		a.results = results
	}
	tapes, err := record.Launch(ctx, numbers, record.Options{Bound: e.RecordingBytes, Whole: a.results != nil}, a.run)
	a.results = nil // a recording may be kept for longer
	if err != nil {
		return nil, nil, err
	}
	recordings := make([]launch.Recording, len(tapes))
	for i, t := range tapes {
		t.Remark(a.other)
		recordings[i] = t
	}
	return results, recordings, nil
}

// again runs a sequence for a recording of one of its launches.
type again struct {
	emulator *Emulator
	launches []*launch.Launch
	index    int
	image    *run.Image
	results  []*launch.Result // what the first run is held against; nil if the launches were ended
	other    string           // how that differs
}

func (a *again) run(ctx context.Context, r *record.Recorder) error {
	e := a.emulator
	if e.Time > 0 {
		times := time.Duration(writingTime)
		if r.First() {
			times = recordingTime
		}
		limited, end := context.WithTimeout(ctx, times*e.Time)
		defer end()
		ctx = limited
	}
	s := &sequence{emulator: e, launches: a.launches, image: a.image, checks: watch.NewChecks(watch.Options{})}
	if err := s.allocate(); err != nil {
		return err
	}
	recorded := s.ready(a.launches[a.index])
	if r.Prepare(s.machine, recorded) {
		_, err := s.machine.Launch(ctx, recorded)
		return err
	}
	var said []string
	for i, l := range a.launches {
		ready := recorded
		if i != a.index {
			ready = s.ready(l)
			record.Pass(ready)
		}
		s.setConstants(l)
		got, err := s.machine.Launch(ctx, ready)
		if err != nil && r.First() && a.results != nil {
			a.other = fmt.Sprintf("Whether this recording ends as the result does is not known: %v.", err)
		}
		if err != nil || i == a.index && (!r.First() || a.results == nil) {
			return err
		}
		said = append(said, output(got))
	}
	a.compare(s, said)
	return nil
}

// compare holds what a run has come to against the results.
func (a *again) compare(s *sequence, said []string) {
	differs := func(what string) {
		a.other = "This recording is another run of the kernel than the one of the result: " + what + " came out as something else in it. " +
			"What the kernel computes depends on the order in which its threads run, or on the time, so that the recording shows one way it can go."
	}
	for i, l := range a.launches {
		for j, b := range l.Buffers() {
			if b == nil || !b.Out {
				continue
			}
			m, was := s.memory[b], a.results[i].Buffers[j]
			for k := range was {
				if was[k] != m.Data[k] {
					differs(m.Name(int64(k) / int64(max(m.ElemSize, 1)) * int64(max(m.ElemSize, 1))))
					return
				}
			}
		}
		if said[i] != a.results[i].Output {
			differs("what it printed")
			return
		}
	}
}
