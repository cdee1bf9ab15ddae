package run

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"workbench/engine/device"
	"workbench/engine/experiment"
	"workbench/engine/ladder"
	"workbench/engine/launch"
	"workbench/engine/tensor"
	"workbench/engine/trace"
)

// A Code says of what kind a failure is. A page decides by it where to show
// the message.
type Code string

const (
	CodeInput      Code = "input"       // the example's input; Field names the part
	CodeDevice     Code = "device"      // the device is not there, or is no device
	CodeFault      Code = "fault"       // the device is there and failed in this request; the next starts anew
	CodeTimeout    Code = "timeout"     // the device took longer than a request may
	CodeMemory     Code = "memory"      // the request does not fit into the device's memory
	CodeCompile    Code = "compile"     // the kernel's source does not compile
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
	Detail  *Detail
}

// Detail is what only some readers want to see: a page keeps it folded.
type Detail struct {
	Title string   `json:"title"`
	Lines []string `json:"lines"`
}

// Clip shortens what somebody sent to so many bytes, before it is sent back or logged.
func Clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

func (f *Failure) Error() string {
	s := f.Message
	if f.Field != "" {
		s = f.Field + ": " + s
	}
	switch {
	case f.Next == "":
	case strings.HasSuffix(s, "."):
		s += " " + f.Next
	default:
		s += "; " + f.Next
	}
	return s
}

// ErrTimeLimit is the cause of a context whose run took too long.
var ErrTimeLimit = errors.New("the time for a run is over")

// Ended returns the error of work whose context is done: why it is, unless the work
// says by itself what that means.
func Ended(ctx context.Context, err error) error {
	var known *Failure
	if ctx.Err() == nil || errors.As(err, &known) {
		return err
	}
	return context.Cause(ctx)
}

// Describe says what an error of a Runner means. An error that it does not
// know is CodeInternal and says nothing of its detail, which is for the log.
func Describe(err error) *Failure {
	var (
		failure *Failure
		field   *trace.FieldError
		shape   *tensor.ShapeError
		spec    *device.SpecError
		missing *device.UnavailableError
		closed  *device.ClosedError
		memory  *device.MemoryError
		fault   *device.FaultError
		compile *launch.CompileError
		args    *launch.ArgumentError
		part    *experiment.InputError
		wrong   *ladder.WrongError
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
		return &Failure{Code: CodeDevice, Field: "device", Message: fmt.Sprintf("%s is not available: %s", missing.Spec, missing.Reason), Next: missing.Next, Detail: tried(missing.Tried)}
	case errors.As(err, &closed):
		return &Failure{Code: CodeDevice, Field: "device", Message: fmt.Sprintf("%s was closed while it was asked", closed.Spec), Next: "run it again"}
	case errors.As(err, &memory):
		return &Failure{Code: CodeMemory, Message: memory.Cause(), Next: memory.Next()}
	case errors.As(err, &fault):
		f := &Failure{Code: CodeFault, Message: fmt.Sprintf("%s failed in this request: %s: %s", fault.Spec, fault.Fault, fault.Detail), Next: fault.Next}
		if fault.Fault == device.TimeLimit {
			f.Code = CodeTimeout
		}
		return f
	case errors.As(err, &compile):
		return &Failure{Code: CodeCompile, Message: firstDiagnostic(compile), Next: "mend the source and run it again", Detail: compilerLog(compile)}
	case errors.As(err, &part):
		return &Failure{Code: CodeInput, Field: part.Field, Message: part.Reason}
	case errors.As(err, &args):
		return &Failure{Code: CodeInput, Field: args.Field, Message: fmt.Sprintf("the launch of %s does not fit: %s", args.Symbol, args.Reason)}
	case errors.As(err, &wrong):
		return &Failure{Code: CodeFault, Message: wrong.Error(), Next: "run `workbench gpu-check` to see what else is wrong with it"}
	case errors.Is(err, trace.ErrNothingToExplain):
		return &Failure{Code: CodeInput, Field: "step", Message: err.Error()}
	case errors.Is(err, ErrTimeLimit), errors.Is(err, context.DeadlineExceeded):
		return &Failure{Code: CodeTooLarge, Message: "The run took longer than a run may and was stopped.", Next: "Use smaller shapes or a shorter text."}
	case errors.Is(err, context.Canceled):
		return &Failure{Code: CodeCancelled, Message: "The run was cancelled."}
	}
	return &Failure{Code: CodeInternal, Message: "The workbench made a mistake in this run.", Next: "Run it again; if it happens again, the terminal that serves this page has the details."}
}

// tried lists where a library was looked for, or is nil.
func tried(places []string) *Detail {
	if len(places) == 0 {
		return nil
	}
	return &Detail{Title: "Where it was looked for", Lines: places}
}

// firstDiagnostic says what is wrong with a source first, and where.
func firstDiagnostic(e *launch.CompileError) string {
	for _, d := range e.Diagnostics {
		if d.Severity != "error" {
			continue
		}
		if d.Line == 0 {
			return fmt.Sprintf("%s does not compile: %s", e.File, d.Message)
		}
		return fmt.Sprintf("%s does not compile: line %d: %s", e.File, d.Line, d.Message)
	}
	return e.File + " does not compile"
}

// compilerLog is what the compiler wrote, line by line.
func compilerLog(e *launch.CompileError) *Detail {
	_, log, _ := strings.Cut(e.Error(), "\n")
	if len(e.Diagnostics) == 0 {
		log = e.Log
	}
	log = strings.TrimSpace(log)
	if log == "" {
		return nil
	}
	return &Detail{Title: "What the compiler wrote", Lines: strings.Split(log, "\n")}
}
