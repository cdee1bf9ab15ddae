package main

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"workbench/cmd/internal/machine"
	"workbench/engine/device"
	"workbench/lessons/runner"
)

// checkFlags are the flags of `workbench check`.
type checkFlags struct {
	devices []string
	kind    string
	workers int
	asJSON  bool
}

func (p *program) checkCommand(name string) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check [EXERCISE ...]",
		Short: "For authors: hold every exercise to what an exercise has to be",
		Long: "For authors: hold every exercise, or the named ones, to what an exercise has to be.\n\n" +
			"The starter must fail. The solution must pass, a kernel's under both contracts of\n" +
			"the emulator and on every device that --device adds. Each known-wrong variant must\n" +
			"be caught, with the kind of message that its first line names. Statement, marks,\n" +
			"hints and rows of the list are there, and no file that does not belong.\n\n" +
			"The exit status is 0 if all is well, 1 if not, and 2 if the command was called\n" +
			"wrongly.",
		Example: example(name, "check", "check guard flat-index", "check --kind cuda --device cuda:0", "check --json"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.check(cmd.Context(), args, f)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.devices, "device", nil, "a further device on which the solutions have to pass: cuda:0 (may be given again)")
	flags.StringVar(&f.kind, "kind", "", "only exercises of this kind: go, cuda or question")
	flags.IntVar(&f.workers, "workers", 0, "exercises that are checked at once; 0 is one for each processor")
	flags.BoolVar(&f.asJSON, "json", false, "print everything that was found as JSON")
	libraryFlag(flags)
	return cmd
}

func (p *program) check(ctx context.Context, names []string, f checkFlags) error {
	for _, d := range f.devices {
		if _, err := device.ParseSpec(d); err != nil {
			return usagef("--device: %w", err)
		}
	}
	if f.workers < 0 {
		return usagef("--workers: %d exercises at once cannot be: write 0 or more", f.workers)
	}
	kind, err := readKind(f.kind)
	if err != nil {
		return err
	}
	// What is checked are the course's own files: no learner's folder is touched.
	c, err := p.course("")
	if err != nil {
		return err
	}
	o := runner.InspectOptions{Devices: f.devices, Workers: f.workers, Disk: p.lessonsOnDisk()}
	for _, n := range names {
		l, err := c.Find(n)
		if err != nil {
			return usagef("%w", err)
		}
		o.Only = append(o.Only, l.ID)
	}
	if kind != "" {
		chosen := o.Only
		o.Only = nil
		for i := range c.Lessons {
			if l := &c.Lessons[i]; l.Kind() == kind && (len(chosen) == 0 || slices.Contains(chosen, l.ID)) {
				o.Only = append(o.Only, l.ID)
			}
		}
		if len(o.Only) == 0 {
			return usagef("--kind: there is no such exercise of kind %s", f.kind)
		}
	}
	waiting := p.startProgress("checking the exercises")
	o.Finished = func(in runner.Inspection) { waiting.Note("checked " + in.Lesson) }
	begin := time.Now()
	inspections, err := c.Inspect(ctx, o)
	waiting.Done()
	if err != nil {
		return err
	}
	problems := 0
	for _, in := range inspections {
		problems += len(in.Problems)
	}
	if f.asJSON {
		if err := p.writeJSON(inspections); err != nil {
			return err
		}
	} else {
		p.writeInspections(inspections, time.Since(begin))
	}
	if problems > 0 {
		return errReported
	}
	return nil
}

// lessonsOnDisk is the exercises' folder in the repository, or nil if there is
// none: a program that was copied elsewhere has what was built into it.
func (p *program) lessonsOnDisk() fs.FS {
	here, err := os.Getwd()
	if err != nil {
		return nil
	}
	root, ok := machine.Root(p.getenv("COURSE_ROOT"), here)
	if !ok {
		return nil
	}
	dir := filepath.Join(root, "lessons")
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil
	}
	return os.DirFS(dir)
}

// writeInspections writes a line for each exercise and one for each problem.
func (p *program) writeInspections(inspections []runner.Inspection, took time.Duration) {
	problems, variants, left := 0, 0, map[string]bool{}
	for _, in := range inspections {
		word := "ok  "
		if len(in.Problems) > 0 {
			word = "FAIL"
		}
		ran, mutants := 0, 0
		for _, v := range in.Variants {
			if v.Left != "" {
				left[v.Device+": "+v.Left] = true
				continue
			}
			ran++
			if strings.HasPrefix(v.Name, "mutant ") {
				mutants++
			}
		}
		variants += ran
		fmt.Fprintf(p.stdout, "%s  %-32s  %2d runs, %d of them known to be wrong\n", word, in.Lesson, ran, mutants)
		for _, problem := range in.Problems {
			problems++
			fmt.Fprintf(p.stdout, "      %s\n", problem)
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(left)) {
		fmt.Fprintf(p.stdout, "\nNot checked on %s\n", reason)
	}
	fmt.Fprintf(p.stdout, "\n%d exercises, %d runs, %d problems, %.1f s\n", len(inspections), variants, problems, took.Seconds())
}
