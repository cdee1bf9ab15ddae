package run

import (
	"context"
	"errors"
	"fmt"

	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/engine/trace"
)

// A Code says of what kind a failure is. A page decides by it where to show
// the message.
type Code string

const (
	CodeInput      Code = "input"       // the example's input; Field names the part
	CodeDevice     Code = "device"      // the device is not there, or is no device
	CodeUnknownRun Code = "unknown-run" // no run of that name is kept
	CodeBusy       Code = "busy"        // too much is asked for at once
	CodeCancelled  Code = "cancelled"   // as it was asked to be
	CodeTooLarge   Code = "too-large"   // a message or a run beyond its bounds
	CodeProtocol   Code = "protocol"    // a message that cannot be read
	CodeInternal   Code = "internal"    // the workbench's own mistake; the log has it
)

// A Failure is what went wrong, in words for the person who asked.
type Failure struct {
	Code    Code
	Field   string // of the input; may be empty
	Message string // what happened
	Next    string // what to do; may be empty
}

func (f *Failure) Error() string {
	s := f.Message
	if f.Field != "" {
		s = f.Field + ": " + s
	}
	if f.Next != "" {
		s += "; " + f.Next
	}
	return s
}

// ErrTimeLimit is the cause of a context whose run took too long.
var ErrTimeLimit = errors.New("the time for a run is over")

// Describe says what an error of a Runner means. An error that it does not
// know is CodeInternal and says nothing of its detail, which is for the log.
func Describe(err error) *Failure {
	var (
		failure *Failure
		field   *trace.FieldError
		shape   *tensor.ShapeError
		spec    *device.SpecError
		missing *device.UnavailableError
	)
	switch {
	case errors.As(err, &failure):
		return failure
	case errors.As(err, &field):
		return &Failure{Code: CodeInput, Field: field.Field, Message: field.Reason}
	case errors.As(err, &shape) && (shape.Op == "cell" || shape.Op == "group"):
		return &Failure{Code: CodeInput, Field: "cell", Message: shape.Error()}
	case errors.As(err, &shape):
		return &Failure{Code: CodeInput, Message: shape.Error()}
	case errors.As(err, &spec):
		return &Failure{Code: CodeDevice, Field: "device", Message: spec.Error()}
	case errors.As(err, &missing):
		return &Failure{Code: CodeDevice, Field: "device", Message: fmt.Sprintf("%s is not available: %s", missing.Spec, missing.Reason), Next: missing.Next}
	case errors.Is(err, trace.ErrNothingToExplain):
		return &Failure{Code: CodeInput, Field: "step", Message: err.Error()}
	case errors.Is(err, ErrTimeLimit), errors.Is(err, context.DeadlineExceeded):
		return &Failure{Code: CodeTooLarge, Message: "The run took longer than a run may and was stopped.", Next: "Use smaller shapes or a shorter text."}
	case errors.Is(err, context.Canceled):
		return &Failure{Code: CodeCancelled, Message: "The run was cancelled."}
	}
	return &Failure{Code: CodeInternal, Message: "The workbench made a mistake in this run.", Next: "Run it again; if it happens again, the terminal that serves this page has the details."}
}
