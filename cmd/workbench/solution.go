package main

import (
	"fmt"
	"path/filepath"

	udiff "github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"workbench/cmd/internal/terminal"
	"workbench/lessons/runner"
)

// solutionFlags are the flags of `workbench solution`.
type solutionFlags struct {
	dir        string
	peek, diff bool
}

func (p *program) solutionCommand(name string) *cobra.Command {
	var f solutionFlags
	cmd := &cobra.Command{
		Use:   "solution [EXERCISE]",
		Short: "Print how the course solves an exercise that you have passed",
		Long: "Print how the course solves an exercise: the one that you name, or the one that you\n" +
			"chose last. It is there once you have passed, or with --peek.\n\n" +
			"With --diff what is printed are the differences from your file.",
		Example: example(name, "solution guard", "solution guard --diff", "solution guard --peek"),
		Args:    oneExercise,
		RunE: func(_ *cobra.Command, args []string) error {
			return p.solution(first(args), f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.peek, "peek", false, "print it though the exercise has not passed")
	flags.BoolVar(&f.diff, "diff", false, "print what is different in your file")
	dirFlag(flags, &f.dir)
	return cmd
}

func (p *program) solution(name string, f solutionFlags) error {
	s, err := p.learner(f.dir)
	if err != nil {
		return err
	}
	if name == "" {
		name = s.Far.At // which may have passed just now
	}
	l, err := one(s, name)
	if err != nil {
		return err
	}
	if !s.Passed(l) && !f.peek {
		return fmt.Errorf("%s has not passed yet: `hint %s` helps, and --peek shows the solution all the same", l.ID, l.ID)
	}
	solution, err := s.Solution(l)
	if err != nil {
		return err
	}
	look := terminal.Of(p.stdout, p.getenv)
	if !f.diff {
		return look.Print(p.stdout, look.Source(string(solution)))
	}
	file := s.Path(l)
	own, err := readFileAtMost(file, runner.MaxSource)
	if err != nil {
		return err
	}
	diff := udiff.Unified(file, filepath.ToSlash(filepath.Join("solution", l.File())), string(own), string(solution))
	if diff == "" {
		fmt.Fprintf(p.stderr, "%s is the course's own solution, letter by letter.\n", file)
		return nil
	}
	return look.Print(p.stdout, look.Diff(diff))
}
