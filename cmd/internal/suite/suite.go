// Package suite runs the project's checks in order: each phase is one command
// of a tool that is already there (gofmt, go vet, go test, node --test …), run
// in the repository, and a phase whose tool is missing is left out with the
// reason, never passed.
package suite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Phase is one check.
type Phase struct {
	Name    string   // one word, for the table
	Command []string // program and arguments
	Env     []string // "NAME=value", added to the program's own
	Missing string   // why it cannot run here; "" if it can
	Next    string   // what to do about Missing

	// Quiet marks a command that fails by printing something, as gofmt -l does.
	Quiet bool
	// Gate marks a phase without which the later ones only repeat its errors:
	// if it fails they are not run.
	Gate bool
	// Optional marks a step of the set-up: if it fails it counts as left out.
	Optional bool
	// Limit, if not zero, is how long it may take.
	Limit time.Duration
}

// Status of a phase that was looked at.
type Status string

const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	LeftOut Status = "left out" // its tool is missing
	NotRun  Status = "not run"  // a gate failed, or the run was interrupted
)

// Result is what became of a phase.
type Result struct {
	Phase
	Status  Status
	Elapsed time.Duration
	Reason  string // of a failure, one sentence; "" if the output says it
}

// Runner runs phases.
type Runner struct {
	Dir     string    // the repository
	Env     []string  // the environment of every command
	Verbose bool      // copy every command's output as it comes
	Output  io.Writer // headings and output

	// Begin and End, if not nil, are told of each phase that runs.
	Begin func(p Phase)
	End   func(r Result)
}

// Run runs the phases in order and returns a result for each. Cancelling ctx
// kills the command that runs, with all it has started.
func (r *Runner) Run(ctx context.Context, phases []Phase) []Result {
	results := make([]Result, len(phases))
	stopped := false
	for i, p := range phases {
		switch {
		case stopped || ctx.Err() != nil:
			results[i] = Result{Phase: p, Status: NotRun}
		case p.Missing != "":
			results[i] = Result{Phase: p, Status: LeftOut}
		default:
			results[i] = r.phase(ctx, p)
			stopped = p.Gate && results[i].Status == Failed
		}
	}
	return results
}

// phase runs one command and tells what became of it.
func (r *Runner) phase(ctx context.Context, p Phase) Result {
	if r.Begin != nil {
		r.Begin(p)
	}
	var captured bytes.Buffer
	var out io.Writer = &captured
	if r.Verbose {
		fmt.Fprintf(r.Output, "== %s: %s\n", p.Name, commandLine(p))
		out = io.MultiWriter(&captured, r.Output)
	}
	start := time.Now()
	limited := ctx
	if p.Limit > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, p.Limit)
		defer cancel()
	}
	err := r.command(limited, p, out)
	result := Result{Phase: p, Status: Passed, Elapsed: time.Since(start)}
	switch {
	case ctx.Err() != nil:
		result.Status, result.Reason = Failed, "interrupted"
	case limited.Err() != nil:
		result.Status, result.Reason = Failed, "not done after "+p.Limit.String()
	case err != nil:
		result.Status = Failed
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			result.Reason = err.Error()
		}
	case p.Quiet && strings.TrimSpace(captured.String()) != "":
		result.Status = Failed
	}
	failed := result.Status == Failed
	if failed && p.Optional && ctx.Err() == nil {
		result.Status, result.Missing, result.Next = LeftOut, "failed", "its output says why"
	}
	if r.End != nil {
		r.End(result)
	}
	if failed && !r.Verbose {
		fmt.Fprintf(r.Output, "== %s: %s\n%s", p.Name, commandLine(p), captured.Bytes())
		if n := captured.Len(); n > 0 && captured.Bytes()[n-1] != '\n' {
			fmt.Fprintln(r.Output)
		}
	}
	if result.Reason != "" {
		fmt.Fprintf(r.Output, "%s: %s\n", p.Name, result.Reason)
	}
	return result
}

func (r *Runner) command(ctx context.Context, p Phase, out io.Writer) error {
	cmd := exec.CommandContext(ctx, p.Command[0], p.Command[1:]...)
	cmd.Dir = r.Dir
	env := r.Env
	if env == nil {
		env = os.Environ()
	}
	cmd.Env = append(append([]string{}, env...), p.Env...)
	shared := &lockedWriter{w: out}
	cmd.Stdout, cmd.Stderr = shared, shared
	killTree(cmd)
	// A grandchild that holds the pipe open must not hold up the run.
	cmd.WaitDelay = 5 * time.Second
	return cmd.Run()
}

// lockedWriter lets standard output and standard error share one writer.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

// commandLine shows a phase's command as a person would type it.
func commandLine(p Phase) string {
	words := append(append([]string{}, p.Env...), p.Command...)
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \t'\"$*?[]()|&;<>\\") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
