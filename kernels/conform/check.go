package conform

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"workbench/engine/device"
	"workbench/engine/dtype"
	"workbench/engine/launch"
)

// A MismatchError is a buffer that holds something else than it must.
type MismatchError struct {
	Launch  string // what was launched
	Element int    // the first that is wrong

	Expected, Actual float64
	Bound            float64 // of their distance

	Wrong, Count int // elements that are wrong, of how many
}

func (e *MismatchError) Error() string {
	within := ""
	if e.Bound > 0 {
		within = fmt.Sprintf(" within %v", e.Bound)
	}
	return fmt.Sprintf("%s: element %d of the result is %v (%x), expected %v (%x)%s; %d of %d elements are wrong",
		e.Launch, e.Element, e.Actual, e.Actual, e.Expected, e.Expected, within, e.Wrong, e.Count)
}

// run launches l and returns the buffer of its result, which is argument out. All
// other buffers must come back unchanged.
func run(ctx context.Context, on launch.Launcher, name string, l *launch.Launch, out int) ([]byte, error) {
	// The launcher gets a copy: what it writes into is not what it is held to.
	sent := *l
	sent.Args = make([]launch.Arg, len(l.Args))
	for i, a := range l.Args {
		if a.Buffer != nil {
			a.Buffer = &launch.Buffer{Type: a.Buffer.Type, Data: bytes.Clone(a.Buffer.Data), Out: true}
		}
		sent.Args[i] = a
	}
	r, err := on.Launch(ctx, &sent)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(r.Buffers) != len(l.Args) {
		return nil, fmt.Errorf("%s: the launch returned %d buffers of %d", name, len(r.Buffers), len(l.Args))
	}
	for i, a := range l.Args {
		if a.Buffer == nil {
			continue
		}
		if got, want := len(r.Buffers[i]), len(a.Buffer.Data); got != want {
			return nil, fmt.Errorf("%s: the buffer %s has %d bytes after the launch, and had %d", name, a.Name, got, want)
		}
		if i != out && !bytes.Equal(r.Buffers[i], a.Buffer.Data) {
			return nil, fmt.Errorf("%s: the launch changed the buffer %s, which it may only read", name, a.Name)
		}
	}
	return r.Buffers[out], nil
}

// twice runs l two times, and returns the bytes that both runs gave.
func twice(ctx context.Context, on launch.Launcher, name string, l *launch.Launch, out int) ([]byte, error) {
	first, err := run(ctx, on, name, l, out)
	if err != nil {
		return nil, err
	}
	second, err := run(ctx, on, name, l, out)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(first, second) {
		return nil, fmt.Errorf("%s: the same launch gave other bits the second time", name)
	}
	return first, nil
}

// values reads elements of a precision.
func values(p device.Precision, data []byte) []float64 {
	out := make([]float64, len(data)/p.Size())
	for i := range out {
		switch at := data[i*p.Size():]; p {
		case device.Float64:
			out[i] = math.Float64frombits(binary.LittleEndian.Uint64(at))
		case device.Float32:
			out[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(at)))
		case device.Float16:
			out[i] = dtype.Float16FromBits(binary.LittleEndian.Uint16(at))
		case device.BFloat16:
			out[i] = dtype.BFloat16FromBits(binary.LittleEndian.Uint16(at))
		}
	}
	return out
}

// holdBits holds every element to the expected one's bits.
func holdBits(name string, p device.Precision, got []byte, want []float64) error {
	return hold(name, values(p, got), want, nil)
}

// hold holds every element to the expected one within its bound, and to its bits
// where there is none.
func hold(name string, got, want, bound []float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%s: the result has %d elements, expected %d", name, len(got), len(want))
	}
	var first *MismatchError
	for i := range want {
		within := 0.0
		if bound != nil {
			within = bound[i]
		}
		if agree(got[i], want[i], within) {
			continue
		}
		if first == nil {
			first = &MismatchError{Launch: name, Element: i, Expected: want[i], Actual: got[i], Bound: within, Count: len(want)}
		}
		first.Wrong++
	}
	if first != nil {
		return first
	}
	return nil
}

// agree compares two values. Those that are not finite have no distance.
func agree(got, want, bound float64) bool {
	switch {
	case math.IsNaN(want):
		return math.IsNaN(got)
	case bound == 0 || math.IsInf(want, 0):
		return math.Float64bits(got) == math.Float64bits(want)
	}
	return math.Abs(got-want) <= bound
}

// refused expects an error of preparing a launch that names the field.
func refused(l *launch.Launch, err error, field string) error {
	var bad *launch.ArgumentError
	if !errors.As(err, &bad) || bad.Field != field || l != nil {
		return fmt.Errorf("preparing a launch whose %s does not fit gave %v, expected a refusal", field, err)
	}
	return nil
}
