package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"workbench/cmd/internal/terminal"
)

func (p *program) hintCommand(name string) *cobra.Command {
	var dir string
	var all bool
	cmd := &cobra.Command{
		Use:   "hint [EXERCISE]",
		Short: "Print the next stronger hint for an exercise",
		Long: "Print the next hint for an exercise: the one you are at, or the one you name. Each\n" +
			"call gives a stronger one; behind the last, the last is printed again.\n\n" +
			"With --all, once the exercise has passed, all of them are printed.",
		Example: example(name, "hint", "hint guard", "hint guard --all"),
		Args:    oneExercise,
		RunE: func(_ *cobra.Command, args []string) error {
			return p.hint(first(args), dir, all)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "print all hints of an exercise that has passed")
	dirFlag(cmd.Flags(), &dir)
	return cmd
}

func (p *program) hint(name, dir string, all bool) error {
	s, l, err := p.learnerAt(name, dir)
	if err != nil {
		return err
	}
	look := terminal.Of(p.stdout, p.getenv)
	switch {
	case len(l.Hints) == 0:
		return fmt.Errorf("%s has no hints", l.ID)
	case all && !s.Passed(l):
		return fmt.Errorf("%s has not passed yet, and all hints at once come after that: leave --all out for the next one", l.ID)
	case all:
		text := ""
		for i := range l.Hints {
			text += look.Hint(l, i+1)
		}
		return look.Print(p.stdout, text)
	}
	_, number, err := s.NextHint(l)
	if err != nil {
		return err
	}
	return look.Print(p.stdout, look.Hint(l, number))
}
