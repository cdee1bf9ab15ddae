package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/launchfile"
)

// On is what an experiment runs on.
type On struct {
	Spec     device.Spec     // as a person named it; its contract is the launches'
	Launcher launch.Launcher // of Spec
	Host     device.Device   // that computes the reference: the CPU under the same contract
}

// Options say what else is wanted of a run.
type Options struct {
	// Record are blocks of the last launch, at most MaxBlocks. The launcher must be
	// a launch.Recorder.
	Record []launch.Index
}

// Outcome is what came of a run.
type Outcome struct {
	Device       string                `json:"device"`         // its spec: "emulator"
	Name         string                `json:"name,omitempty"` // what ran it: "NVIDIA H200"
	Outputs      []Output              `json:"outputs"`
	Reports      []launch.Report       `json:"reports"`
	Measurements []*launch.Measurement `json:"measurements"` // of each launch; none of a GPU
	Printed      string                `json:"printed,omitempty"`
	Log          string                `json:"log,omitempty"`   // of the compiler
	Ended        bool                  `json:"ended,omitempty"` // before its time, by what the last report is about
	Cost         launch.Cost           `json:"cost"`            // of all launches together
	Comparison   *compare.Report       `json:"comparison,omitempty"`
	Tapes        []launch.Tape         `json:"tapes,omitempty"` // of the recordings

	// Recordings are of the blocks that were to be recorded. They are not sent.
	Recordings []launch.Recording `json:"-"`

	file *launchfile.File // whose buffers hold what came out
}

// Output is a buffer that was read back. Values are its first elements, row by
// row; what JSON has no number for is a string.
type Output struct {
	Name   string          `json:"name"`
	Type   string          `json:"type"`
	Shape  []int           `json:"shape"`
	Count  int             `json:"count"`
	Values json.RawMessage `json:"values"`
}

// How much of an Outcome is in its JSON. The rest is asked for.
const (
	MaxValues  = 4096 // elements of an output
	maxEntries = 64   // entries of the comparison, those that fail first
)

// Run runs the experiment. What is wrong with the kernel is in the outcome's
// reports, and no error; errors are those of launch.Launcher.
func (e *Experiment) Run(ctx context.Context, on On, options Options) (*Outcome, error) {
	var err error
	file := e.fresh.Swap(nil)
	if file == nil {
		if file, err = read(e.input); err != nil {
			return nil, err
		}
	}
	file.SetSource(e.input.Source, on.Spec.Contract)
	var want *expected
	if e.input.Reference != nil {
		if want, err = e.input.Reference.expect(ctx, file, on.Host); err != nil {
			return nil, err
		}
	}

	o := &Outcome{Device: on.Spec.String(), Reports: []launch.Report{}, Measurements: []*launch.Measurement{}, file: file}
	var results []*launch.Result
	if len(options.Record) == 0 {
		results, err = file.Run(ctx, on.Launcher)
	} else {
		results, err = o.record(ctx, on, options.Record)
	}
	if err != nil {
		return nil, err
	}
	var printed, log strings.Builder
	for _, r := range results {
		o.Name = r.Device
		o.Reports = append(o.Reports, r.Reports...)
		if r.Measurement != nil {
			o.Measurements = append(o.Measurements, r.Measurement)
		}
		printed.WriteString(r.Output)
		if r.Log != "" && !strings.Contains(log.String(), r.Log) {
			log.WriteString(r.Log + "\n")
		}
		o.Ended = o.Ended || r.Ended
		o.Cost.CopyInNS += r.Cost.CopyInNS
		o.Cost.KernelNS += r.Cost.KernelNS
		o.Cost.CopyOutNS += r.Cost.CopyOutNS
	}
	o.Printed, o.Log = printed.String(), strings.TrimSpace(log.String())
	for i := range o.file.Buffers {
		if b := &o.file.Buffers[i]; b.Out {
			o.Outputs = append(o.Outputs, output(b, 0, MaxValues))
		}
	}
	if want != nil {
		// What a launch did not reach holds what it held before, and fails.
		o.Comparison = want.hold(o.file, on.Host.Spec().String(), o.Device)
		cut(o.Comparison)
	}
	return o, nil
}

// record runs the launches with blocks of the last one recorded.
func (o *Outcome) record(ctx context.Context, on On, blocks []launch.Index) ([]*launch.Result, error) {
	recorder, ok := on.Launcher.(launch.Recorder)
	if !ok {
		return nil, &InputError{"record", fmt.Sprintf("%s records nothing: choose the emulator, which can be stepped", on.Spec)}
	}
	if len(blocks) > MaxBlocks {
		return nil, &InputError{"record", fmt.Sprintf("%d blocks are too many: %d at most are recorded at once", len(blocks), MaxBlocks)}
	}
	// A recording may run its launches again, from what the buffers held before.
	// Results go into buffers of their own.
	launches, buffers := o.file.Launches, o.file.Buffers
	results, recordings, err := recorder.Record(ctx, launches, len(launches)-1, blocks)
	var args *launch.ArgumentError
	if errors.As(err, &args) && args.Field == "block to record" {
		return nil, &InputError{"record", args.Reason}
	}
	if err != nil {
		return nil, err
	}
	o.Recordings = recordings
	for _, r := range recordings {
		o.Tapes = append(o.Tapes, r.Tape())
	}
	after := make([]launchfile.Buffer, len(buffers))
	copy(after, buffers)
	for i, r := range results {
		for j, b := range launches[i].Buffers() {
			if b == nil || !b.Out || j >= len(r.Buffers) || r.Buffers[j] == nil {
				continue
			}
			for k := range after {
				if buffers[k].Memory == b {
					after[k].Memory = &launch.Buffer{Type: b.Type, Data: r.Buffers[j], Shape: b.Shape, Out: true}
				}
			}
		}
	}
	o.file = &launchfile.File{Source: o.file.Source, Launches: launches, Buffers: after}
	return results, nil
}

// output returns elements of a buffer.
func output(b *launchfile.Buffer, from, most int) Output {
	step := b.Type.Size()
	count := len(b.Memory.Data) / step
	from = min(from, count)
	to := min(count, from+most)
	return Output{
		Name: b.Name, Type: b.Type.String(), Shape: b.Shape, Count: count,
		Values: b.Type.AppendJSON(nil, b.Memory.Data[from*step:to*step]),
	}
}

// Values returns elements of an output from an index on, MaxValues at most.
func (o *Outcome) Values(name string, from int) (Output, error) {
	var b *launchfile.Buffer
	if o.file != nil {
		b = buffer(o.file, name)
	}
	if b == nil || !b.Out {
		return Output{}, &InputError{"output", fmt.Sprintf("the run has no output %q", name)}
	}
	if from < 0 {
		return Output{}, &InputError{"from", "must be 0 or more"}
	}
	return output(b, from, MaxValues), nil
}

// Recording returns what was recorded of the block of that place in the list of
// those that were to be recorded, or nil.
func (o *Outcome) Recording(block int) launch.Recording {
	if block < 0 || block >= len(o.Recordings) {
		return nil
	}
	return o.Recordings[block]
}

// Bytes is what an outcome holds in memory: outputs, and recordings as they are when
// all of them was looked at.
func (o *Outcome) Bytes() int64 {
	n := int64(len(o.Printed) + len(o.Log))
	if o.file != nil {
		for _, b := range o.file.Buffers {
			n += 2 * int64(len(b.Memory.Data)) // before and after
		}
	}
	for _, r := range o.Recordings {
		n += r.Tape().Most
	}
	return n
}

// cut leaves the entries that a page shows: those that fail, then those with other
// bits, then the first.
func cut(r *compare.Report) {
	if len(r.Entries) <= maxEntries {
		return
	}
	var kept []compare.Entry
	for _, wanted := range []func(e *compare.Entry) bool{
		func(e *compare.Entry) bool { return !e.Pass },
		func(e *compare.Entry) bool { return e.Pass && e.ReferenceBits != e.CandidateBits },
		func(e *compare.Entry) bool { return e.Pass && e.ReferenceBits == e.CandidateBits },
	} {
		for i := range r.Entries {
			if len(kept) < maxEntries && wanted(&r.Entries[i]) {
				kept = append(kept, r.Entries[i])
			}
		}
	}
	r.Entries = kept
}
