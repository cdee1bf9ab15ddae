package simt

import (
	"errors"
	"fmt"
	"strings"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/simt/front"
	"workbench/engine/simt/run"
	"workbench/engine/simt/source"
)

// spec is the device that errors are of.
var spec = device.Spec{Kind: device.Emulator}

// noRoom makes the error of an allocation a device's.
func noRoom(err error) error {
	var full *run.MemoryError
	if !errors.As(err, &full) {
		return err
	}
	return &told{&device.MemoryError{Spec: spec, Asked: uint64(full.Asked), Free: uint64(full.Limit - full.Used)}, err}
}

// told is an error in the words of every device, with the emulator's own behind
// it.
type told struct {
	shown error
	cause error
}

func (t *told) Error() string   { return t.shown.Error() }
func (t *told) Unwrap() []error { return []error{t.shown, t.cause} }

// failure is the error of a launch that did not come to its end, where that is
// not reported.
func failure(err error) error {
	var f *run.Fault
	if !errors.As(err, &f) {
		return err
	}
	e := &device.FaultError{Spec: spec, Fault: device.LaunchFailure, Detail: "the kernel " + f.Kernel + " failed: " + f.Error(), Next: "mend the kernel; with all checks on, the report says what it most likely comes from"}
	switch f.Kind {
	case run.Cancelled:
		return err
	case run.OutOfBounds, run.NullPointer, run.ReadOnly, run.Misaligned:
		e.Fault = device.IllegalAddress
	case run.TimeOut:
		e.Fault = device.TimeLimit
		e.Next = "look for a loop that does not end, or raise the limit of time"
	case run.InstructionsOut:
		e.Fault = device.TimeLimit
		e.Next = "look for a loop that does not end, or raise the limit of instructions"
	}
	return &told{e, err}
}

// uncompiled makes the error of a source what every Launcher gives.
func uncompiled(k launch.Kernel, unit *front.Unit, err error) error {
	var at *source.Error
	if !errors.As(err, &at) {
		return err
	}
	if unit != nil && at.Pos.File != nil && at.Pos.File.Text == k.Symbol {
		return &launch.ArgumentError{Symbol: k.Symbol, Field: "symbol", Reason: noSuchKernel(k, unit, at)}
	}
	return &told{&launch.CompileError{File: k.File, Diagnostics: diagnostics(k, at), Log: at.Error()}, err}
}

// noSuchKernel says what is wrong with the name of a kernel.
func noSuchKernel(k launch.Kernel, unit *front.Unit, at *source.Error) string {
	reason := at.Message
	if at.Instead != "" {
		reason += ": " + at.Instead
	}
	if names := unit.Kernels(); len(names) > 0 {
		reason += fmt.Sprintf("; the kernels of %s are %s", k.File, strings.Join(names, ", "))
	}
	return reason
}

// diagnostics are an error and the places that belong to it.
func diagnostics(k launch.Kernel, at *source.Error) []launch.Diagnostic {
	one := func(pos source.Pos, severity, message string) launch.Diagnostic {
		d := launch.Diagnostic{Severity: severity, Message: message}
		if pos.File == nil {
			return d
		}
		if pos.File.Name != k.File {
			d.File = pos.File.Name
		}
		d.Line, d.Column = pos.Place()
		d.Source = pos.File.Line(d.Line)
		return d
	}
	first := one(at.Pos, "error", at.Message)
	first.Construct, first.Instead = at.Construct, at.Instead
	out := []launch.Diagnostic{first}
	shown := 0
	for x := at.Pos.Macro; x != nil && shown < mostNotes; x = x.Token.Macro {
		if x.Token.File == nil || !x.Token.File.BuiltIn {
			out = append(out, one(x.Token, "note", "in the expansion of macro "+x.Name))
			shown++
		}
	}
	for _, n := range at.Notes[:min(len(at.Notes), mostNotes)] {
		out = append(out, one(n.Pos, "note", n.Message))
	}
	return out
}

// mostNotes bounds the places of each kind that belong to an error.
const mostNotes = 5
