package simt

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"workbench/engine/launch"
	"workbench/engine/simt/run"
	"workbench/engine/simt/watch"
)

// Name is what a result says ran it.
const Name = "CUDA emulator"

// Emulator is a launch.Launcher. The zero value checks everything and measures;
// it may be used by any number of goroutines. It keeps the kernels it read last, and
// must not be copied once it is used.
type Emulator struct {
	Unchecked    []launch.ReportKind // what is not reported
	Instructions int64               // what a launch may execute; 0 is run.DefaultInstructions

	// Observer, if there is one, is told what launches do beside those who check and
	// measure. Sequences that run at the same time tell it at the same time.
	Observer run.Observer

	RecordingBytes int64 // what the recordings of one Record may take; 0 is record.DefaultBound

	images images
}

var _ launch.Launcher = (*Emulator)(nil)

// Launch runs a kernel. What is wrong with it is in the result's reports, and no
// error.
func (e *Emulator) Launch(ctx context.Context, l *launch.Launch) (*launch.Result, error) {
	return launch.One(e.Sequence(ctx, []*launch.Launch{l}))
}

// Sequence runs kernels one after the other in one memory. What is wrong with them
// is in the results' reports, and no error.
func (e *Emulator) Sequence(ctx context.Context, launches []*launch.Launch) ([]*launch.Result, error) {
	if len(launches) == 0 {
		return nil, nil
	}
	if err := launch.CheckSequence(launches); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	image, err := e.images.of(launches, false)
	if err != nil {
		return nil, err
	}
	s := &sequence{emulator: e, launches: launches, image: image}
	s.checks = watch.NewChecks(watch.Options{Source: lines(launches[0].Kernel), Kinds: e.kinds()})
	return s.run(ctx)
}

// kinds are the reports that are asked for.
func (e *Emulator) kinds() []launch.ReportKind {
	if len(e.Unchecked) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(launch.ReportKinds), func(k launch.ReportKind) bool { return slices.Contains(e.Unchecked, k) })
}

// A sequence is launches on their way.
type sequence struct {
	emulator *Emulator
	launches []*launch.Launch
	image    *run.Image
	checks   *watch.Checks

	machine *run.Machine
	memory  map[*launch.Buffer]*run.Memory
}

func (s *sequence) run(ctx context.Context) ([]*launch.Result, error) {
	clock := time.Now()
	if err := s.allocate(); err != nil {
		return nil, err
	}
	// All are held against their kernels before the first one begins.
	ready := make([]*run.Launch, len(s.launches))
	for i, l := range s.launches {
		ready[i] = s.ready(l)
		err := s.checkConstants(l)
		if err == nil {
			err = s.machine.Check(ready[i])
		}
		if err != nil && !s.tooMuchShared(err) {
			return nil, launch.At(s.launches, i, err)
		}
	}
	copied := time.Since(clock)

	var results []*launch.Result
	var failed error
	for i, l := range s.launches {
		r, err := s.one(ctx, l, ready[i])
		if err != nil {
			failed = launch.At(s.launches, i, err)
			break
		}
		results = append(results, r)
		if r.Ended {
			break
		}
	}
	if len(results) == 0 {
		return nil, failed
	}

	clock = time.Now()
	contents := map[*launch.Buffer][]byte{}
	for b, m := range s.memory {
		if b.Out {
			contents[b] = m.Data // nobody else has it any more
		}
	}
	launch.Collect(s.launches, results, contents)
	results[0].Cost.CopyInNS = copied.Nanoseconds()
	results[len(results)-1].Cost.CopyOutNS = time.Since(clock).Nanoseconds()
	return results, failed
}

// one runs the next launch.
func (s *sequence) one(ctx context.Context, l *launch.Launch, ready *run.Launch) (*launch.Result, error) {
	s.setConstants(l)
	measures := watch.NewMeasures()
	observers := []run.Observer{s.checks, measures}
	if o := s.emulator.Observer; o != nil {
		observers = append(observers, o)
	}
	ready.Observer = watch.Join(observers...)
	out := &launch.Result{Device: Name}
	clock := time.Now()
	got, err := s.machine.Launch(ctx, ready)
	out.Cost.KernelNS = time.Since(clock).Nanoseconds()
	if err != nil {
		if !s.checks.Ended(err) && !s.checks.Refused(s.image.Program, err) {
			return nil, failure(err)
		}
		out.Ended = true
	}
	out.Reports, out.Measurement = s.checks.Reports(), measures.Measurement()
	if out.Ended && len(out.Reports) == 0 {
		return nil, failure(err) // what ended it is not among the checks
	}
	if got != nil {
		out.Output = got.Printed
	}
	if s.checks.Incomplete() {
		out.Log = "the kernel accesses more memory than races were looked for in: some may have been missed"
	}
	return out, nil
}

// tooMuchShared reports whether err is a refusal that is reported and not an error.
func (s *sequence) tooMuchShared(err error) bool {
	var refused *launch.ArgumentError
	return errors.As(err, &refused) && refused.Field == run.SharedMemory
}

// lines finds lines of a source for messages.
func lines(k launch.Kernel) func(file string, line int) string {
	list := strings.Split(k.Source, "\n")
	return func(file string, line int) string {
		if file != k.File || line < 1 || line > len(list) {
			return ""
		}
		return list[line-1]
	}
}
