package check

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"workbench/engine/cuda"
	"workbench/engine/cuda/worker"
	"workbench/engine/device"
	"workbench/engine/launch"
)

// sanitizerEntries run the course's kernels under each tool of compute-sanitizer,
// in a process of their own and in a worker, and beside each run one with a
// planted fault, which proves that the tool sees what happens there.
//
// It is the tool that starts the worker, which inherits its pipes through it. A
// tool that watches the program alone does not get to its worker, and
// --target-processes all does not change that: it follows what is started through
// the C library, and Go starts processes by system calls.
func sanitizerEntries() []Entry {
	var out []Entry
	for _, p := range plants {
		for _, place := range []struct {
			suffix, words     string
			planted, workload func(ctx context.Context, m *Machine, p plant) (*watched, error)
		}{
			{"", "in a process that it started", plantedHere, workloadHere},
			{" in a worker", "of a worker that it started", plantedInWorker, workloadInWorker},
		} {
			out = append(out,
				Entry{Group: "sanitizer", Name: "sanitizer/" + p.tool + " finds a planted fault" + place.suffix, limit: 90 * time.Second, run: func(ctx context.Context, m *Machine, f *Findings) error {
					if err := m.compiler(); err != nil {
						return err
					}
					r, err := place.planted(ctx, m, p)
					if err != nil {
						return err
					}
					return r.found(f, p)
				}},
				Entry{Group: "sanitizer", Name: "sanitizer/" + p.tool + place.suffix, limit: 2 * time.Minute, run: func(ctx context.Context, m *Machine, f *Findings) error {
					r, err := place.workload(ctx, m, p)
					if err != nil {
						return err
					}
					done, err := r.clean()
					if err != nil {
						return err
					}
					f.saw("%s found 0 errors in %s %s", p.tool, done, place.words)
					return nil
				}})
		}
	}
	return out
}

func plantedHere(ctx context.Context, m *Machine, p plant) (*watched, error) {
	return m.watchPart(ctx, p.tool, partPlanted+p.tool)
}

func workloadHere(ctx context.Context, m *Machine, p plant) (*watched, error) {
	return m.watchPart(ctx, p.tool, partWorkload)
}

func plantedInWorker(ctx context.Context, m *Machine, p plant) (*watched, error) {
	if p.launch == nil {
		m = m.servedBy(ctx, partUnwritten)
		p.launch = func() *launch.Launch { return one(p.symbol, 1, -1) } // whatever it is
	}
	return m.watch(ctx, p.tool, func(under []string) (said string, err error) {
		c, err := m.under(ctx, under).start(ctx, nil)
		if err != nil {
			return "", err
		}
		_, err = c.Launch(ctx, p.launch())
		return fmt.Sprintf("the launch in the worker ended with: %v", err), c.Close()
	})
}

func workloadInWorker(ctx context.Context, m *Machine, p plant) (*watched, error) {
	return m.watch(ctx, p.tool, func(under []string) (said string, err error) {
		w := m.under(ctx, under)
		// One that stays open, so that both contracts have one worker.
		held, err := w.Worker(ctx, w.spec(device.Separate))
		if err != nil {
			return "", err
		}
		n, err := workload(ctx, w, w.Worker)
		if closed := held.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return "", err
		}
		return workloadLine(n), nil
	})
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

// watch runs what takes the command that starts a program under a tool: run puts
// it before the program's own. A machine without the tool is a *SkippedError.
func (m *Machine) watch(ctx context.Context, tool string, run func(under []string) (said string, err error)) (*watched, error) {
	if m.Sanitizer == "" {
		return nil, &SkippedError{Reason: "compute-sanitizer is neither in PATH nor in /usr/local/cuda/bin: it comes with the CUDA toolkit"}
	}
	if _, err := exec.LookPath(m.Sanitizer); err != nil {
		return nil, &SkippedError{Reason: fmt.Sprintf("compute-sanitizer does not start: %v", err)}
	}
	dir, err := os.MkdirTemp("", "sanitizer-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &watched{tool: tool}
	// What the tool says goes to a file for each process, since a worker's output
	// is its kernels'.
	r.said, r.err = run([]string{m.Sanitizer, "--tool", tool, "--log-file", filepath.Join(dir, "%p.log")})
	files, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		r.logs = append(r.logs, string(text))
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%s: %w:\n%s", tool, context.Cause(ctx), r.last(10))
	}
	return r, nil
}

// watchPart has a process do a part under a tool.
func (m *Machine) watchPart(ctx context.Context, tool, part string) (*watched, error) {
	return m.watch(ctx, tool, func(under []string) (said string, err error) {
		program := m.Part(ctx, part)
		cmd := exec.CommandContext(ctx, under[0], slices.Concat(under[1:], []string{program.Path}, program.Args[1:])...)
		cmd.Env = program.Env
		cmd.WaitDelay = 5 * time.Second
		ownGroup(cmd) // what the tool started ends with it
		out, err := cmd.CombinedOutput()
		return string(out), err
	})
}

// servedBy is the machine with a part as its workers.
func (m *Machine) servedBy(ctx context.Context, part string) *Machine {
	w := *m
	w.Options = func(ordinal int) (worker.Options, error) {
		o, err := m.Options(ordinal)
		program := m.Part(ctx, part)
		o.Command = worker.Command{Path: program.Path, Args: program.Args[1:], Env: program.Env}
		return o, err
	}
	return &w
}

// under is the machine with workers that a tool starts and watches. They may take
// their time, and at their end the tool has a report to write, as long as there is
// time for it.
func (m *Machine) under(ctx context.Context, command []string) *Machine {
	w := *m
	w.Options = func(ordinal int) (worker.Options, error) {
		o, err := m.Options(ordinal)
		if err != nil {
			return o, err
		}
		program := o.Command.Path
		if program == "" {
			// Not /proc/self/exe, which would be the tool.
			if program, err = os.Executable(); err != nil {
				return o, err
			}
		}
		o.Command.Path, o.Command.Args = command[0], slices.Concat(command[1:], []string{program}, o.Command.Args)
		o.StartLimit, o.ProductLimit, o.LaunchLimit = time.Minute, time.Minute, time.Minute
		o.Grace = 15 * time.Second
		if end, ok := ctx.Deadline(); ok {
			o.Grace = min(o.Grace, max(time.Until(end), time.Millisecond))
		}
		return o, nil
	}
	open := cuda.OpenWith(w.Options)
	w.Worker = func(ctx context.Context, spec device.Spec) (device.Device, error) {
		d, err := open(ctx, spec)
		if err != nil {
			return nil, err
		}
		return d, nil
	}
	return &w
}

// watched is what came of a run under a tool.
type watched struct {
	tool string
	logs []string // what the tool wrote, of each process
	said string   // what the run said
	err  error    // how it ended
}

var (
	// A tool's last line: memcheck, initcheck and synccheck count errors, racecheck
	// hazards. Where they are many, a line like it says how many were not printed.
	summary = regexp.MustCompile(`(?m)^=+ (?:ERROR SUMMARY: (\d+) errors?|RACECHECK SUMMARY: (\d+) hazards? displayed.*)\s*$`)

	// The first line of what a tool found, which names the fault; a program that
	// was told of a fault by its own calls is no more than told.
	finding = regexp.MustCompile(`(?m)^=+ (?:(?:Error|Warning): )?((?:Invalid|Uninitialized|Barrier error|Race reported|Potential|Program hit).*)`)
	told    = "Program hit"

	// What a tool says of itself, unless it is a finding.
	failing = regexp.MustCompile(`(?m)^=+ ((?:Internal Sanitizer )?Error: .*)`)

	// An empty line, between what a tool found and the next.
	between = regexp.MustCompile(`(?m)^=+\s*$`)
)

// found holds a run to one in which the tool found a planted fault, in the kernel
// that it was planted in.
func (r *watched) found(f *Findings, p plant) error {
	for _, log := range r.logs {
		for _, part := range between.Split(log, -1) {
			if at := finding.FindStringSubmatch(part); at != nil && !strings.HasPrefix(at[1], told) && strings.Contains(part, p.symbol) {
				n, _, whole := r.count()
				f.saw("%s found %d errors, the first: %s, in %s", r.tool, n, at[1], p.symbol)
				if !whole {
					f.saw("it did not come to the end of its report")
				}
				return nil
			}
		}
	}
	if err := r.trouble(); err != nil {
		return err
	}
	if len(r.logs) == 0 {
		return fmt.Errorf("%s wrote no report (%v):\n%s", r.tool, r.err, r.last(10))
	}
	return fmt.Errorf("%s found nothing in %s, a kernel with a fault that it is for (%v):\n%s", r.tool, p.symbol, r.err, r.last(10))
}

// clean holds a run to a workload that was done and in which the tool found
// nothing, and returns what it was.
func (r *watched) clean() (done string, err error) {
	n, first, whole := r.count()
	if first != "" {
		return "", fmt.Errorf("%s found %d errors, the first: %s", r.tool, n, first)
	}
	if err := r.trouble(); err != nil {
		return "", err
	}
	_, done, ok := strings.Cut(r.said, workloadDone)
	switch {
	case len(r.logs) == 0:
		return "", fmt.Errorf("%s wrote no report (%v):\n%s", r.tool, r.err, r.last(10))
	case r.err != nil || !ok:
		return "", fmt.Errorf("under %s the workload did not end well (%v):\n%s", r.tool, r.err, r.last(10))
	case !whole:
		return "", fmt.Errorf("%s did not come to the end of its report:\n%s", r.tool, r.last(10))
	case n != 0:
		return "", fmt.Errorf("%s found %d errors:\n%s", r.tool, n, r.last(10))
	}
	done, _, _ = strings.Cut(done, "\n")
	return done, nil
}

// count returns how many errors were found, in all processes, and the first. They
// are counted by the tool, and here where it did not come to the end of its
// report, so that it is not whole.
func (r *watched) count() (n int, first string, whole bool) {
	whole = len(r.logs) > 0
	for _, log := range r.logs {
		all := finding.FindAllStringSubmatch(log, -1)
		if first == "" && len(all) > 0 {
			first = all[0][1]
		}
		end := summary.FindStringSubmatch(log)
		if end == nil {
			n, whole = n+len(all), false
			continue
		}
		counted, err := strconv.Atoi(end[1] + end[2]) // one of them is empty
		if err != nil {
			counted = len(all)
		}
		n += counted
	}
	return n, first, whole
}

// trouble is what the tool says of itself. A GPU that it cannot watch is a
// *SkippedError; a program in which it saw no call is an error, since there are
// some: it was started so that the tool does not see it.
func (r *watched) trouble() error {
	texts := append(slices.Clone(r.logs), r.said)
	if r.err != nil {
		texts = append(texts, r.err.Error())
	}
	for _, line := range failing.FindAllStringSubmatch(strings.Join(texts, "\n"), -1) {
		switch {
		case finding.MatchString(line[0]):
		case strings.Contains(line[1], "first instrumented API call"), strings.Contains(line[1], "No attachable process"):
			return fmt.Errorf("%s saw no call of CUDA, as it does also where its own libraries are not beside it: %s", r.tool, line[1])
		default:
			return &SkippedError{Reason: fmt.Sprintf("compute-sanitizer's %s cannot watch this machine's GPU: %s", r.tool, line[1])}
		}
	}
	return nil
}

// last returns the last lines of what the tool wrote, and of what the run said.
func (r *watched) last(n int) string {
	var out []string
	for _, text := range append(slices.Clone(r.logs), r.said) {
		if text = strings.TrimSpace(text); text != "" {
			lines := strings.Split(text, "\n")
			out = append(out, lines[max(0, len(lines)-n):]...)
		}
	}
	return strings.Join(out, "\n")
}
