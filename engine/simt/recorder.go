package simt

import (
	"context"
	"fmt"
	"time"

	"workbench/engine/launch"
	"workbench/engine/simt/record"
	"workbench/engine/simt/watch"
)

// How much more time a launch has that is recorded: when it is found out what there
// is, and whenever that is written down, up to where it ended then.
const (
	recordingTime = 3
	writingTime   = 100
)

var _ launch.Recorder = (*Emulator)(nil)

// Record is Sequence, and then the sequence once more up to the launch of that
// index, with blocks of it recorded. The second time the program says what the
// source's variables hold; it computes the same, and stops when the blocks have
// ended. What goes wrong in a kernel is in the results' reports, and ends a
// recording where it ends the launch; so does the limit of time, three times over.
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
	results, err := e.Sequence(ctx, launches)
	if err != nil || len(numbers) == 0 || len(results) <= index {
		return results, nil, err
	}
	image, err := e.images.of(launches, true)
	if err != nil {
		return nil, nil, err
	}
	again := func(ctx context.Context, r *record.Recorder) error {
		if e.Time > 0 {
			times := time.Duration(writingTime)
			if r.First() {
				times = recordingTime
			}
			limited, end := context.WithTimeout(ctx, times*e.Time)
			defer end()
			ctx = limited
		}
		s := &sequence{emulator: e, launches: launches[:index+1], image: image, checks: watch.NewChecks(watch.Options{})}
		if err := s.allocate(); err != nil {
			return err
		}
		last := s.ready(l)
		resumed := r.Prepare(s.machine, last)
		for _, l := range s.launches[:index] {
			if resumed {
				break
			}
			s.setConstants(l)
			ready := s.ready(l)
			record.Pass(ready)
			if _, err := s.machine.Launch(ctx, ready); err != nil {
				return err
			}
		}
		if !resumed {
			s.setConstants(l)
		}
		_, err := s.machine.Launch(ctx, last)
		return err
	}
	tapes, err := record.Launch(ctx, numbers, record.Options{Bound: e.RecordingBytes}, again)
	if err != nil {
		return nil, nil, err
	}
	recordings := make([]launch.Recording, len(tapes))
	for i, t := range tapes {
		recordings[i] = t
	}
	return results, recordings, nil
}
