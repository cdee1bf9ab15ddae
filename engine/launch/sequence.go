package launch

import (
	"context"
	"fmt"
)

// A Launcher runs launches.
//
// Sequence runs several, one after the other, in one memory and with one module:
// each finds in a buffer, and in the source's variables, what the one before left
// there. Variables have their first values when a sequence begins, and so have
// buffers, whatever ran before. All launches are kernels of one source under one
// contract.
//
// A source that does not compile is a *CompileError, and a launch that cannot be
// is an *ArgumentError, both before the first launch begins. A kernel that fails is
// a *device.FaultError. A context that is done ends a sequence with the context's
// error. In a sequence of several, the error of one of them is a *SequenceError.
//
// There is a Result for each launch that came to its end. One that a launcher ended
// because of what it reports has its Result too, with Ended set; it is the last, and
// the launches behind it are not run. That is no error. Beside an error are the
// Results of the launches before, without Buffers where a device lost its memory.
//
// Launch is a sequence of one.
type Launcher interface {
	Launch(ctx context.Context, l *Launch) (*Result, error)
	Sequence(ctx context.Context, launches []*Launch) ([]*Result, error)
}

// One returns the Result of a sequence of one launch. Beside an error there is
// none.
func One(results []*Result, err error) (*Result, error) {
	if err != nil {
		return nil, err
	}
	return results[0], nil
}

// A SequenceError is the error of one launch of several.
type SequenceError struct {
	Index int // of the launch, from 0
	Err   error
}

func (e *SequenceError) Error() string { return fmt.Sprintf("launches[%d]: %v", e.Index, e.Err) }

// Unwrap returns the error as it is of a launch alone.
func (e *SequenceError) Unwrap() error { return e.Err }

// At says which launch of a sequence err is of, where there are several.
func At(launches []*Launch, index int, err error) error {
	if err == nil || len(launches) < 2 {
		return err
	}
	return &SequenceError{Index: index, Err: err}
}

// MaxSequence is the most launches of a sequence.
const MaxSequence = 4096

// CheckSequence holds against each other what launches of a sequence have in
// common. Its error is an *ArgumentError.
func CheckSequence(launches []*Launch) error {
	refuse := func(i int, field, format string, args ...any) error {
		return At(launches, i, &ArgumentError{Symbol: launches[i].Kernel.Symbol, Field: field, Reason: fmt.Sprintf(format, args...)})
	}
	if len(launches) > MaxSequence {
		return refuse(MaxSequence, "launches", "there are %d, and a sequence has at most %d", len(launches), MaxSequence)
	}
	for i, l := range launches {
		switch first := launches[0].Kernel; {
		case l.Kernel.Source != first.Source, l.Kernel.File != first.File:
			return refuse(i, "source", "it is of %s and not the same as that of the launch before: the launches of a sequence are kernels of one source", l.Kernel.File)
		case l.Kernel.Contract != first.Contract:
			return refuse(i, "contract", "it is %s and that of the launch before %s: the launches of a sequence have one", l.Kernel.Contract, first.Contract)
		}
		for j, a := range l.Args {
			field := fmt.Sprintf("args[%d]", j)
			switch {
			case a.Buffer == nil && len(a.Value) == 0:
				return refuse(i, field, "%q has neither a buffer nor a value: give it one", a.Name)
			case a.Buffer != nil && a.Value != nil:
				return refuse(i, field, "%q has a buffer and a value: give it one", a.Name)
			}
			if b := a.Buffer; b != nil {
				if reason := b.broken(); reason != "" {
					return refuse(i, field, "%q %s", a.Name, reason)
				}
			}
			if reason := a.misplaced(); reason != "" {
				return refuse(i, field, "%q %s", a.Name, reason)
			}
			for _, p := range a.Pointers {
				switch {
				case p.Buffer == nil:
					return refuse(i, field, "%q has a pointer at byte %d without a buffer: give it one", a.Name, p.Offset)
				case p.Offset < 0 || p.Offset > len(a.Value)-pointerBytes || p.Offset%pointerBytes != 0:
					return refuse(i, field, "%q has a pointer at byte %d, and its value has %d bytes: a pointer takes %d, at a multiple of them", a.Name, p.Offset, len(a.Value), pointerBytes)
				}
				if reason := p.Buffer.broken(); reason != "" {
					return refuse(i, field, "%q points at byte %d to a buffer that %s", a.Name, p.Offset, reason)
				}
			}
		}
	}
	return nil
}

// pointerBytes is the size of a pointer.
const pointerBytes = 8

// broken says why b's data is no whole number of its elements, "" if it is.
func (b *Buffer) broken() string {
	if size := ElementSize(b.Type); len(b.Data)%size != 0 {
		return fmt.Sprintf("has %d bytes, which are no whole number of %s (%d bytes each)", len(b.Data), b.Type, size)
	}
	return ""
}

// misplaced says why a points to no element of its buffer, "" if it does, or to the
// end.
func (a *Arg) misplaced() string {
	switch {
	case a.Offset == 0:
		return ""
	case a.Buffer == nil:
		return fmt.Sprintf("has the offset %d and no buffer", a.Offset)
	case a.Offset < 0 || a.Offset > len(a.Buffer.Data):
		return fmt.Sprintf("has the offset %d, and its buffer %d bytes", a.Offset, len(a.Buffer.Data))
	}
	if size := ElementSize(a.Buffer.Type); a.Offset%size != 0 {
		return fmt.Sprintf("has the offset %d, which is no whole number of %s (%d bytes each)", a.Offset, a.Buffer.Type, size)
	}
	return ""
}

// Memories returns the buffers of a sequence, each once, in the order of their
// first use.
func Memories(launches []*Launch) []*Buffer {
	var out []*Buffer
	seen := map[*Buffer]bool{}
	for _, l := range launches {
		for _, b := range l.Buffers() {
			if b != nil && !seen[b] {
				seen[b] = true
				out = append(out, b)
			}
		}
	}
	return out
}

// Collect gives each Result of a sequence the buffers that came back.
func Collect(launches []*Launch, results []*Result, contents map[*Buffer][]byte) {
	for i, r := range results {
		buffers := launches[i].Buffers()
		r.Buffers = make([][]byte, len(buffers))
		for j, b := range buffers {
			if b != nil && b.Out {
				r.Buffers[j] = contents[b]
			}
		}
	}
}
