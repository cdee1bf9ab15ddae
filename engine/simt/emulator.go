package simt

import (
	"context"
	"errors"
	"fmt"
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
//
// What is not asked for costs nothing: where nothing is checked, measured or
// observed, blocks run on all processors, and what goes wrong in a kernel is a
// *device.FaultError. What is checked does not depend on what else is.
type Emulator struct {
	Unchecked  []launch.ReportKind // what is not reported
	Unmeasured bool                // results have no Measurement

	// What a launch may execute, in instructions of all its warps together. 0 bounds
	// those between the ends of two of its blocks: see run.DefaultProgress.
	Instructions int64

	Memory int64 // of a sequence, in bytes; 0 is MaxMemory

	// What a sequence may take; 0 is no limit. Beyond it the launch that runs is
	// ended with a report of where it was. So is one whose context has a deadline that
	// passes, but with the context's error beside the results.
	Time time.Duration

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
	return e.sequence(ctx, launches, false)
}

// sequence is Sequence; inTurn says that blocks run one after another also where
// nobody checks or measures.
func (e *Emulator) sequence(ctx context.Context, launches []*launch.Launch, inTurn bool) ([]*launch.Result, error) {
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
	limited := ctx
	if e.Time > 0 {
		var end context.CancelFunc
		limited, end = context.WithTimeout(ctx, e.Time)
		defer end()
	}
	s := e.begin(launches, image, e.Observer != nil)
	s.inTurn = inTurn
	results, err := s.run(limited, ctx)
	if s.checks != nil && s.checks.Undecided() {
		// Nobody looked for races, and one would explain what was read. Everything
		// comes out the same again, but for that.
		s = e.begin(launches, image, true)
		s.inTurn = inTurn
		results, err = s.run(limited, ctx)
	}
	return results, err
}

func (e *Emulator) begin(launches []*launch.Launch, image *run.Image, decide bool) *sequence {
	s := &sequence{emulator: e, launches: launches, image: image}
	if kinds := e.kinds(); len(kinds) > 0 {
		s.checks = watch.NewChecks(watch.Options{Source: lines(launches[0].Kernel), Kinds: kinds, Decide: decide && slices.Contains(kinds, launch.Uninitialised)})
	}
	return s
}

// kinds are the reports that are asked for.
func (e *Emulator) kinds() []launch.ReportKind {
	return slices.DeleteFunc(slices.Clone(launch.ReportKinds), func(k launch.ReportKind) bool { return slices.Contains(e.Unchecked, k) })
}

// A sequence is launches on their way.
type sequence struct {
	emulator *Emulator
	launches []*launch.Launch
	image    *run.Image
	checks   *watch.Checks // nil if nothing is checked
	inTurn   bool          // blocks run one after another

	machine *run.Machine
	memory  map[*launch.Buffer]*run.Memory
}

// run runs them until limited is done; outer is the context without the limit of
// the emulator's own.
func (s *sequence) run(limited, outer context.Context) ([]*launch.Result, error) {
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
		r, err := s.one(limited, l, ready[i])
		if r != nil {
			results = append(results, r)
			if r.Ended && outer.Err() != nil {
				err = outer.Err()
			}
		}
		if err != nil {
			failed = launch.At(s.launches, i, err)
		}
		if r == nil || r.Ended {
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
	var measures *watch.Measures
	var observers []run.Observer
	if s.checks != nil {
		observers = append(observers, s.checks)
	}
	if !s.emulator.Unmeasured {
		measures = watch.NewMeasures()
		observers = append(observers, measures)
	}
	if s.emulator.Observer != nil {
		observers = append(observers, s.emulator.Observer)
	}
	ready.Observer = watch.Join(observers...)
	if s.inTurn {
		ready.Workers = 1
	}
	out := &launch.Result{Device: Name}
	clock := time.Now()
	got, err := s.machine.Launch(ctx, ready)
	out.Cost.KernelNS = time.Since(clock).Nanoseconds()
	if err != nil && (s.checks == nil || !s.checks.Ended(err) && !s.checks.Refused(s.image.Program, err)) {
		return nil, failure(err)
	}
	out.Ended = err != nil
	if s.checks != nil {
		out.Reports = s.checks.Reports()
		if s.checks.Incomplete() {
			out.Log = "the kernel accesses more memory than races were looked for in: some may have been missed"
		}
	}
	if out.Ended && !reported(out.Reports, s.checks.Kind(err)) {
		return nil, failure(err) // what ended it is not among the checks
	}
	if measures != nil {
		out.Measurement = measures.Measurement()
	}
	if got != nil {
		out.Output = output(got)
	}
	return out, nil
}

// output is what a launch has printed, and that it was cut.
func output(r *run.Result) string {
	if r.Cut {
		return r.Printed + fmt.Sprintf("\n(cut: a launch prints at most %d bytes)\n", run.DefaultOutput)
	}
	return r.Printed
}

func reported(reports []launch.Report, kind launch.ReportKind) bool {
	return slices.ContainsFunc(reports, func(r launch.Report) bool { return r.Kind == kind })
}

// tooMuchShared reports whether err is a refusal that is reported and not an error.
func (s *sequence) tooMuchShared(err error) bool {
	var refused *launch.ArgumentError
	return s.checks != nil && errors.As(err, &refused) && refused.Field == run.SharedMemory
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
