package worker

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"workbench/engine/cuda/session"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/tensor"
)

// failure is an error on its way from the worker to the program: the field that
// is set says its type. What has none of these types is its text.
type failure struct {
	Sticky      bool                     `json:"sticky,omitempty"`    // the worker ends
	Unhealthy   bool                     `json:"unhealthy,omitempty"` // the request was not begun: the device is not in order
	Unavailable *device.UnavailableError `json:"unavailable,omitempty"`
	Memory      *device.MemoryError      `json:"memory,omitempty"`
	Fault       *device.FaultError       `json:"fault,omitempty"`
	Compile     *launch.CompileError     `json:"compile,omitempty"`
	Argument    *launch.ArgumentError    `json:"argument,omitempty"`
	Shape       *tensor.ShapeError       `json:"shape,omitempty"`
	Text        string                   `json:"text,omitempty"`

	Launch int          `json:"launch,omitempty"` // of which launch of several, from 1
	Ran    []wireResult `json:"ran,omitempty"`    // what came of the launches before
}

// failureOf says what err is.
func failureOf(err error) failure {
	f := failure{Sticky: session.Sticky(err)}
	var before *halfway
	if errors.As(err, &before) {
		f.Ran = wireResults(before.results)
	}
	var one *launch.SequenceError
	if errors.As(err, &one) {
		f.Launch, err = one.Index+1, one.Err
	}
	switch {
	case errors.As(err, &f.Unavailable):
	case errors.As(err, &f.Memory):
	case errors.As(err, &f.Fault):
	case errors.As(err, &f.Compile):
	case errors.As(err, &f.Argument):
	case errors.As(err, &f.Shape):
	default:
		f.Text = err.Error()
	}
	return f
}

// err is the error that failureOf was given, as far as its type is known here.
func (f failure) err(spec device.Spec) error {
	if f.Launch > 0 {
		index := f.Launch - 1
		f.Launch = 0
		return &launch.SequenceError{Index: index, Err: f.err(spec)}
	}
	switch {
	case f.Unavailable != nil:
		return f.Unavailable
	case f.Memory != nil:
		return f.Memory
	case f.Fault != nil:
		return f.Fault
	case f.Compile != nil:
		return f.Compile
	case f.Argument != nil:
		return f.Argument
	case f.Shape != nil:
		return f.Shape
	}
	text := f.Text
	if text == "" {
		text = "the worker process gave no reason"
	}
	return &device.FaultError{Spec: spec, Fault: device.DriverFailure, Detail: text, Next: "run it again; if it fails again, report this as a fault of the workbench"}
}

// mostText bounds each text of a failure: a compiler can say more than a person
// reads, and all of it must fit into a frame with its quotes.
const mostText = 128 << 10

// clip shortens s to mostText, and says so.
func clip(s string) string {
	if len(s) <= mostText {
		return s
	}
	cut := mostText
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "\n… (cut)"
}

// failure makes the frame of a failure.
func (b *frameBuilder) failure(number uint64, f failure) {
	f.Text = clip(f.Text)
	if f.Compile != nil {
		short := *f.Compile
		short.Log = clip(short.Log)
		f.Compile = &short
	}
	meta, err := json.Marshal(f)
	if err == nil && len(meta) > mostMeta/2 || err != nil {
		// Many diagnostics, or a text that JSON cannot hold.
		bare := f
		bare.Launch = 0
		reason := clip(bare.err(device.Spec{}).Error())
		f = failure{Sticky: f.Sticky, Unhealthy: f.Unhealthy, Launch: f.Launch, Text: strings.ToValidUTF8(reason, "�")}
		meta, _ = json.Marshal(f)
	}
	b.begin(kindFailure, 0, number)
	b.bytes = append(b.bytes, meta...)
}

func readFailure(meta []byte) (failure, error) {
	var f failure
	if err := json.Unmarshal(meta, &f); err != nil {
		return failure{}, malformed("its failure: %v", err)
	}
	return f, nil
}
