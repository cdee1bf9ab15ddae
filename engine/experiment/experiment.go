package experiment

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"

	"workbench/engine/launch"
	"workbench/engine/launchfile"
)

// Bounds of an experiment, which is less than a launch file may have: somebody
// waits for it, beside others.
const (
	MaxSource = 256 << 10 // bytes of the source
	MaxLaunch = 1 << 20   // bytes of the launch form
	MaxMemory = 64 << 20  // bytes of all buffers together
	MaxBlocks = 4         // blocks that are recorded at once
)

// Input is an experiment as a page sends it.
type Input struct {
	Source    string          `json:"source"`              // CUDA C
	Launch    json.RawMessage `json:"launch"`              // in the form of package launchfile
	Reference *Reference      `json:"reference,omitempty"` // what should come out; nil if nobody says
}

// Reference is the operation that the launches carry out all together, on buffers
// by their names.
type Reference struct {
	Of string `json:"of"` // one of Operations

	Left  string `json:"left,omitempty"`  // of a product: [.., M, K]
	Right string `json:"right,omitempty"` // of a product: [.., K, N]; of a sum of two: the second
	In    string `json:"in,omitempty"`    // of everything else
	Gain  string `json:"gain,omitempty"`  // of rmsnorm: a factor for each column
	Out   string `json:"out"`             // where the result is

	// Of a product: the operand is read with its last two axes exchanged.
	TransposeLeft  bool `json:"transpose_left,omitempty"`
	TransposeRight bool `json:"transpose_right,omitempty"`

	Epsilon float64 `json:"epsilon,omitempty"` // of rmsnorm: added to the mean of the squares
}

// Operations are what a Reference can be of.
//
//	product   out = left · right, the last two axes of each
//	add       out = left + right, element by element
//	sum       Σ out = Σ in: out may be one element, or one for each block
//	squares   Σ out = Σ in²
//	softmax   of every row of in, which is its last axis
//	rmsnorm   likewise: in / √(mean of in² + epsilon) · gain
var Operations = []string{"product", "add", "sum", "squares", "softmax", "rmsnorm"}

// An InputError is an experiment that cannot be read: which part of it, and why.
type InputError struct {
	Field  string // "source", "launch", "launch.args[2].shape", "reference.left"
	Reason string
}

func (e *InputError) Error() string { return e.Field + ": " + e.Reason }

// Experiment is an Input that was read. It may be run by several goroutines at once.
type Experiment struct {
	input Input
	watch launch.Watch

	// fresh is what Read has read, for the first run: a run writes to its buffers, so
	// that every other one reads the launches again.
	fresh atomic.Pointer[launchfile.File]
}

// Read checks an experiment. Its error is an *InputError.
func Read(in Input) (*Experiment, error) {
	fail := func(field, format string, args ...any) (*Experiment, error) {
		return nil, &InputError{field, fmt.Sprintf(format, args...)}
	}
	switch {
	case len(in.Source) > MaxSource:
		return fail("source", "it has %d bytes, and %d is the most here: run it by `workbench emulate`", len(in.Source), MaxSource)
	case len(in.Launch) > MaxLaunch:
		return fail("launch", "it has %d bytes, and %d is the most here: run it by `workbench emulate`", len(in.Launch), MaxLaunch)
	}
	file, err := read(in)
	if err != nil {
		return nil, err
	}
	if in.Reference != nil {
		if _, err := in.Reference.resolve(file); err != nil {
			return nil, err
		}
	}
	e := &Experiment{input: in, watch: launch.Watch{
		Unchecked:  slices.DeleteFunc(slices.Clone(launch.ReportKinds), func(k launch.ReportKind) bool { return slices.Contains(file.Checks, k) }),
		Unmeasured: file.Unmeasured, Instructions: file.Instructions, Seconds: file.Seconds,
	}}
	e.fresh.Store(file)
	return e, nil
}

// read reads the launches, with memory of their own.
func read(in Input) (*launchfile.File, error) {
	file, err := launchfile.ParseWithin(in.Launch, MaxMemory)
	if err != nil {
		field := "launch"
		if bad, ok := err.(*launchfile.Error); ok && bad.Path != "" {
			field, err = "launch."+bad.Path, fmt.Errorf("%s", bad.Reason)
		}
		return nil, &InputError{field, err.Error()}
	}
	return file, nil
}

// Watch is what the form asks of a launcher that watches. One that does not watch is
// not told of its Seconds: who calls Run bounds the context.
func (e *Experiment) Watch() launch.Watch { return e.watch }

// buffer returns the buffer of a name.
func buffer(f *launchfile.File, name string) *launchfile.Buffer {
	i := slices.IndexFunc(f.Buffers, func(b launchfile.Buffer) bool { return b.Name == name })
	if i < 0 {
		return nil
	}
	return &f.Buffers[i]
}
