package check

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// sanitizerEntries run this program under each tool of compute-sanitizer, its
// worker included: first with a planted fault, which proves that the tool sees
// what happens here, then with a workload in which it must find nothing.
func sanitizerEntries() []Entry {
	var out []Entry
	for _, tool := range []string{"memcheck", "racecheck", "initcheck", "synccheck"} {
		out = append(out,
			Entry{Group: "sanitizer", Name: "sanitizer/" + tool + " finds a planted fault", limit: 90 * time.Second, run: func(ctx context.Context, m *Machine, f *Findings) error {
				return m.finds(ctx, f, tool, partPlanted+tool)
			}},
			Entry{Group: "sanitizer", Name: "sanitizer/" + tool, limit: 2 * time.Minute, run: func(ctx context.Context, m *Machine, f *Findings) error {
				log, err := m.sanitize(ctx, tool, partWorkload)
				if err != nil {
					return err
				}
				found, first, err := log.errors()
				if err != nil {
					return err
				}
				if found != 0 {
					return fmt.Errorf("%s found %d errors, the first: %s", tool, found, first)
				}
				at := strings.Index(log.text, workloadDone)
				if at < 0 || log.status != nil {
					return fmt.Errorf("under %s the workload did not end well (%v):\n%s", tool, log.status, log.last(10))
				}
				done, _, _ := strings.Cut(log.text[at:], "\n")
				f.saw("%s found 0 errors in %s, here and in the worker", tool, strings.TrimPrefix(done, workloadDone))
				return nil
			}})
	}
	return append(out, Entry{Group: "sanitizer", Name: "sanitizer/memcheck finds a planted fault in a worker", limit: 90 * time.Second, run: func(ctx context.Context, m *Machine, f *Findings) error {
		return m.finds(ctx, f, "memcheck", partWorker)
	}})
}

// finds runs a part with a planted fault, which the tool must find.
func (m *Machine) finds(ctx context.Context, f *Findings, tool, part string) error {
	if err := m.compiler(); err != nil {
		return err
	}
	log, err := m.sanitize(ctx, tool, part)
	if err != nil {
		return err
	}
	found, first, err := log.errors()
	if err != nil {
		return err
	}
	if found == 0 {
		return fmt.Errorf("%s found nothing in a kernel with a fault that it is for:\n%s", tool, log.last(10))
	}
	f.saw("%s found %d errors, the first: %s", tool, found, first)
	return nil
}

// sanitizer returns where compute-sanitizer is, or nothing.
func sanitizer() string {
	for _, name := range []string{"compute-sanitizer", "/usr/local/cuda/bin/compute-sanitizer"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// sanitized is what a run under compute-sanitizer printed.
type sanitized struct {
	text   string
	status error // of the program, through the tool
}

// summary is the line that each tool ends with: memcheck, initcheck and
// synccheck count errors, racecheck hazards.
var summary = regexp.MustCompile(`(?m)^=+\s*(?:ERROR SUMMARY: (\d+) errors?|RACECHECK SUMMARY: (\d+) hazards? displayed)`)

// finding is the first line of what a tool found: it names the fault, and the
// lines below it are set in.
var finding = regexp.MustCompile(`(?m)^=+ (?:Error: )?((?:Invalid|Uninitialized|Barrier error|Race reported|Potential|Program hit)[^\n]*)`)

// sanitize runs a part under a tool. A tool that is not there, or that cannot
// watch this GPU, is a *SkippedError.
func (m *Machine) sanitize(ctx context.Context, tool, part string) (*sanitized, error) {
	if m.Sanitizer == "" {
		return nil, &SkippedError{Reason: "compute-sanitizer is neither in PATH nor in /usr/local/cuda/bin: it comes with the CUDA toolkit"}
	}
	program := m.Part(ctx, part)
	cmd := exec.CommandContext(ctx, m.Sanitizer, append([]string{"--tool", tool, "--target-processes", "all"}, program.Args...)...)
	cmd.Args[5] = program.Path
	cmd.Env = program.Env
	cmd.WaitDelay = 5 * time.Second
	ownGroup(cmd) // what the tool started ends with it
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%s: %w:\n%s", tool, context.Cause(ctx), (&sanitized{text: string(out)}).last(10))
	}
	log := &sanitized{text: string(out), status: err}
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		return nil, &SkippedError{Reason: fmt.Sprintf("compute-sanitizer does not start: %v", err)}
	case !summary.MatchString(log.text):
		return nil, &SkippedError{Reason: fmt.Sprintf("compute-sanitizer's %s did not run to its end on this machine: %s", tool, log.last(5))}
	}
	return log, nil
}

// errors returns how many errors were found, in all processes, and the first.
func (l *sanitized) errors() (n int, first string, err error) {
	for _, found := range summary.FindAllStringSubmatch(l.text, -1) {
		count, err := strconv.Atoi(found[1] + found[2]) // one of them is empty
		if err != nil {
			return 0, "", err
		}
		n += count
	}
	if found := finding.FindStringSubmatch(l.text); found != nil {
		first = found[1]
	}
	return n, first, nil
}

// last returns the last lines of what was printed.
func (l *sanitized) last(n int) string {
	lines := strings.Split(strings.TrimSpace(l.text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
