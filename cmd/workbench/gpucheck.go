package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"workbench/cmd/internal/machine"
	"workbench/engine"
	"workbench/engine/device"
)

// gpuCheckFlags are the flags of `workbench gpu-check`.
type gpuCheckFlags struct {
	device, out, commit, part string
	only, skip                []string
	list, quick, asJSON       bool
	limit                     time.Duration
}

// checkGPU is engine.CheckGPU, or what a test has in its place.
type checkGPU func(ctx context.Context, ordinal int, checks []engine.GPUCheck, part func(ctx context.Context, name string) *exec.Cmd, o engine.GPUCheckOptions) (*engine.GPUReport, error)

func (p *program) gpuCheckCommand(name string) *cobra.Command {
	var f gpuCheckFlags
	cmd := &cobra.Command{
		Use:   "gpu-check",
		Short: "Hold this machine's GPU to the CPU, provoke its faults, and measure it",
		Long: "Hold this machine's GPU to everything the course says of it, and measure it: its\n" +
			"bits against the CPU's, what requests cost beside NVIDIA's calls alone, and every\n" +
			"fault that can be met, provoked. The whole list takes some six minutes on a large\n" +
			"GPU, and --quick one; neither needs Go or the repository.\n\n" +
			"The report is written to assets/measurements in the repository, elsewhere to this\n" +
			"folder, under the GPU's name; the pages show it to learners who have no GPU. It is\n" +
			"written also when checks failed. A part of the list (--only, --skip, --quick) is\n" +
			"printed, and written only where --out says so. The status is 0 if every check\n" +
			"passed; one that the machine lacks a tool for is skipped, and says so.",
		Example: example(name, "gpu-check", "gpu-check --quick", "gpu-check --list", "gpu-check --only bits --only \"worker killed\"", "gpu-check --skip sanitizer --out results/"),
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.gpuCheck(cmd, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.device, "device", "cuda:0", "the `GPU`, without options")
	flags.StringArrayVar(&f.only, "only", nil, "this `group`, or the checks whose names begin so; may come several times")
	flags.StringArrayVar(&f.skip, "skip", nil, "everything but this `group` or these checks; may come several times")
	flags.BoolVar(&f.quick, "quick", false, "the checks that take a minute together, with fewer repeats")
	flags.BoolVar(&f.list, "list", false, "print the checks' names and run none")
	flags.StringVar(&f.out, "out", "", "`path` of the file that the report is written to, or of a folder for it")
	flags.DurationVar(&f.limit, "limit", 20*time.Minute, "the `time` that the whole may take, as in 9m: what is left then fails, and the report is written")
	flags.StringVar(&f.commit, "commit", "", "the `commit` that the report names (default: the one this program was built from)")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON: the report, as it is written")
	flags.StringVar(&f.part, "part", "", "do what a check needs a process of its own for")
	flags.Lookup("part").Hidden = true
	libraryFlag(flags)
	return cmd
}

func (p *program) gpuCheck(cmd *cobra.Command, f gpuCheckFlags) error {
	spec, err := device.ParseSpec(f.device)
	if err != nil {
		return usagef("--device: %w", err)
	}
	if spec != (device.Spec{Kind: device.CUDA, Ordinal: spec.Ordinal}) {
		return usagef("--device %q: write a GPU without options, as in cuda:0: each check chooses its own", f.device)
	}
	if f.limit <= 0 {
		return usagef("--limit %v: write a time above zero, as in 9m", f.limit)
	}
	ctx := cmd.Context()
	if f.part != "" {
		return engine.CheckGPUPart(ctx, spec.Ordinal, f.part, p.stdout)
	}
	checks, err := engine.GPUChecks(p.chapterChecks(spec), f.only, f.skip, f.quick)
	if err != nil {
		return &usageError{err}
	}
	if f.list {
		for _, c := range checks {
			fmt.Fprintf(p.stdout, "%-10s  %s\n", c.Group, c.Name)
		}
		return nil
	}
	if err := p.writable(f); err != nil {
		return err
	}
	part := func(ctx context.Context, name string) *exec.Cmd {
		return exec.CommandContext(ctx, ownPath(), "gpu-check", "--device", spec.String(), "--part", name)
	}
	run := p.checkGPU
	if run == nil {
		run = engine.CheckGPU
	}
	report, err := run(ctx, spec.Ordinal, checks, part, engine.GPUCheckOptions{
		Quick:   f.quick,
		Total:   f.limit,
		Commit:  commitOf(f.commit),
		Command: gpuCheckWords(cmd.Flags()),
		Begin:   checkProgress(p.stderr, len(checks)),
		End:     checkResult(p.stderr),
	})
	if err != nil {
		return err
	}
	if f.asJSON {
		err = report.WriteJSON(p.stdout)
	} else {
		err = report.WriteText(p.stdout)
	}
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return errors.New("interrupted, and nothing was written")
	}
	if path := p.reportPath(f, report.GPU); path != "" {
		if err := report.WriteFile(path); err != nil {
			return err
		}
		fmt.Fprintf(p.stderr, "written to %s\n", path)
	}
	if !report.Passed() {
		return errReported
	}
	return nil
}

// ownPath is this program's file.
func ownPath() string {
	if path, err := os.Executable(); err == nil {
		return path
	}
	return os.Args[0]
}

// writable refuses a folder that a report cannot be written into before minutes
// have gone into one.
func (p *program) writable(f gpuCheckFlags) error {
	path := p.reportPath(f, "gpu")
	if path == "" {
		return nil
	}
	probe, err := os.CreateTemp(filepath.Dir(path), ".gpu-check.*")
	if err != nil {
		return fmt.Errorf("the report cannot be written to %s: %w; name another place with --out", filepath.Dir(path), err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// reportPath is where a report is written, or empty.
func (p *program) reportPath(f gpuCheckFlags, gpu string) string {
	name := engine.GPUFile(gpu)
	if f.out != "" {
		if info, err := os.Stat(f.out); err == nil && info.IsDir() || strings.HasSuffix(f.out, string(filepath.Separator)) {
			return filepath.Join(f.out, name)
		}
		return f.out
	}
	if len(f.only)+len(f.skip) > 0 || f.quick {
		return ""
	}
	dir, err := os.Getwd()
	if err != nil {
		return name
	}
	if root, ok := machine.Root(p.getenv("COURSE_ROOT"), dir); ok {
		return filepath.Join(root, "assets", "measurements", name)
	}
	return filepath.Join(dir, name)
}

// commitOf is the commit that a report names: the one given, the one that was
// linked in, or the one that the go command saw.
func commitOf(given string) string {
	if given != "" {
		return given
	}
	if commit != "unknown" {
		return commit
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return commit
	}
	revision, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+dirty"
		}
	}
	if revision == "" {
		return commit
	}
	return revision + dirty
}

// gpuCheckWords is the command as someone else would write it to get the same:
// where the report goes is their own.
func gpuCheckWords(flags *pflag.FlagSet) string {
	words := []string{"workbench", "gpu-check"}
	flags.Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "out", "commit", "json", "limit":
			return
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			for _, v := range list.GetSlice() {
				words = append(words, "--"+f.Name, shellWord(v))
			}
			return
		}
		words = append(words, "--"+f.Name)
		if f.Value.Type() != "bool" {
			words = append(words, shellWord(f.Value.String()))
		}
	})
	return strings.Join(words, " ")
}

// shellWord writes a word for a shell.
func shellWord(word string) string {
	if strings.ContainsAny(word, " ,;'\"$&|<>()") {
		return strconv.Quote(word)
	}
	return word
}

// checkProgress says which check runs, and checkResult what came of it: a list
// that takes minutes is watched.
func checkProgress(w io.Writer, of int) func(engine.GPUCheck) {
	n := 0
	return func(c engine.GPUCheck) {
		n++
		fmt.Fprintf(w, "%*d/%d %s ... ", len(strconv.Itoa(of)), n, of, c.Name)
	}
}

func checkResult(w io.Writer) func(engine.GPUCheck, engine.GPUOutcome, time.Duration) {
	return func(_ engine.GPUCheck, o engine.GPUOutcome, took time.Duration) {
		switch {
		case o.Passed:
			fmt.Fprintf(w, "passed (%.1f s)\n", took.Seconds())
		case o.Skipped != "":
			fmt.Fprintf(w, "skipped (%.1f s)\n", took.Seconds())
		default:
			fmt.Fprintf(w, "failed (%.1f s)\n    %s\n", took.Seconds(), strings.ReplaceAll(strings.TrimSpace(o.Detail), "\n", "\n    "))
		}
	}
}
