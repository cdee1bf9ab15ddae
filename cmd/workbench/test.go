package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"regexp/syntax"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"workbench/cmd/internal/machine"
	"workbench/cmd/internal/suite"
)

// testFlags are the flags of `workbench test`.
type testFlags struct {
	setup, short, strict, verbose bool
	run                           string
}

func (p *program) testCommand(name string) *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use:   "test [PHASE ...]",
		Short: "Run everything that is checked before a change is taken",
		Long: "Run everything that is checked before a change is taken: formatting, build,\n" +
			"vet, staticcheck, every Go test as the program ships (CGO_ENABLED=0), the\n" +
			"engine without fused multiply-add and on arm64, the browser modules, the\n" +
			"concurrent packages under the race detector, and the pages in Chromium.\n\n" +
			"A phase whose tool is missing is left out, and the closing table says so.\n" +
			"With names of phases, those alone are run.",
		Example: example(name, "test", "test --setup", "test format vet tests --short", "test race --run TestLive"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.test(cmd, args, f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.setup, "setup", false, "first install what is missing (Debian packages, if root) and make the browser bundle")
	flags.BoolVar(&f.short, "short", false, "leave out the tests that take long")
	flags.BoolVar(&f.strict, "strict", false, "a phase that is left out is a failure")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "print all output, not only that of failures (always so if CI is set)")
	flags.Var((*patternValue)(&f.run), "run", "only the Go tests whose names match this regular expression")
	return cmd
}

func (p *program) test(cmd *cobra.Command, names []string, f testFlags) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	root, ok := machine.Root(p.getenv("COURSE_ROOT"), dir)
	if !ok {
		return errors.New("the tests are in the repository: run ./course test there")
	}
	options := suite.Options{Root: root, LookPath: exec.LookPath, Short: f.short, Run: f.run, Browser: p.getenv("COURSE_CHROMIUM")}
	if _, err := choose(suite.Phases(options), names); err != nil {
		return err
	}

	ctx := cmd.Context()
	runner := &suite.Runner{Dir: root, Output: p.stdout, Verbose: f.verbose || p.getenv("CI") != ""}
	if !runner.Verbose {
		runner.Begin = func(phase suite.Phase) { fmt.Fprintf(p.stderr, "%s ... ", phase.Name) }
		runner.End = func(r suite.Result) {
			fmt.Fprintf(p.stderr, "%s (%s)\n", r.Status, r.Elapsed.Round(100*time.Millisecond))
		}
	}
	var results []suite.Result
	if f.setup {
		results = runner.Run(ctx, suite.Setup(options, os.Geteuid() == 0))
		// Only now: npm may have come with the packages.
		results = append(results, runner.Run(ctx, []suite.Phase{suite.Bundle(options)})...)
	}
	phases, err := choose(suite.Phases(options), names)
	if err != nil {
		return err
	}
	results = append(results, runner.Run(ctx, phases)...)

	fmt.Fprintln(p.stdout)
	if err := suite.WriteTable(p.stdout, results); err != nil {
		return err
	}
	n := suite.Count(results)
	switch {
	case n[suite.Failed] > 0 || n[suite.NotRun] > 0:
		return errReported
	case f.strict && n[suite.LeftOut] > 0:
		return errors.New("--strict: what was left out counts as a failure")
	}
	return nil
}

// patternValue is the value of --run: what `go test -run` takes, regular
// expressions between slashes and bars. A bad one is refused before any phase.
type patternValue string

func (v *patternValue) String() string { return string(*v) }
func (v *patternValue) Type() string   { return "string" }

func (v *patternValue) Set(s string) error {
	for _, part := range splitPattern(s) {
		_, err := regexp.Compile(part)
		var fault *syntax.Error
		if errors.As(err, &fault) {
			return fmt.Errorf("not a regular expression: %s in %q", fault.Code, fault.Expr)
		} else if err != nil {
			return err
		}
	}
	*v = patternValue(s)
	return nil
}

// splitPattern cuts a pattern where go test does: at slashes and bars outside
// brackets and parentheses.
func splitPattern(s string) []string {
	var parts []string
	from, brackets, parentheses := 0, 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[':
			brackets++
		case ']':
			brackets = max(brackets-1, 0)
		case '(':
			if brackets == 0 {
				parentheses++
			}
		case ')':
			if brackets == 0 {
				parentheses--
			}
		case '\\':
			i++
		case '/', '|':
			if brackets == 0 && parentheses == 0 {
				parts = append(parts, s[from:i])
				from = i + 1
			}
		}
	}
	return append(parts, s[from:])
}

// choose returns the phases that names name, all if there are none.
func choose(phases []suite.Phase, names []string) ([]suite.Phase, error) {
	if len(names) == 0 {
		return phases, nil
	}
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[name] = true
	}
	var all []string
	var chosen []suite.Phase
	for _, phase := range phases {
		all = append(all, phase.Name)
		if wanted[phase.Name] {
			chosen = append(chosen, phase)
			delete(wanted, phase.Name)
		}
	}
	for _, name := range names {
		if wanted[name] {
			return nil, usagef("%q is not a phase; the phases are %s", name, strings.Join(all, ", "))
		}
	}
	return chosen, nil
}
