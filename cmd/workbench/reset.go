package main

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"workbench/cmd/internal/terminal"
)

func (p *program) resetCommand(name string) *cobra.Command {
	var dir string
	var yes bool
	cmd := &cobra.Command{
		Use:   "reset [EXERCISE]",
		Short: "Hand an exercise out again, and keep a copy of what you wrote",
		Long: "Hand an exercise out again: the one you are at, or the one you name. What you wrote\n" +
			"is kept beside the file, and the command says where. An exercise that has passed\n" +
			"stays passed.\n\n" +
			"It asks before it does so; where nobody can answer, --yes is needed.",
		Example: example(name, "reset guard", "reset guard --yes"),
		Args:    oneExercise,
		RunE: func(_ *cobra.Command, args []string) error {
			return p.reset(first(args), dir, yes)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	dirFlag(cmd.Flags(), &dir)
	return cmd
}

func (p *program) reset(name, dir string, yes bool) error {
	s, l, err := p.learnerAt(name, dir)
	if err != nil {
		return err
	}
	file := s.Path(l)
	if !yes {
		if !terminal.IsTerminal(p.stdin) {
			return usagef("nobody can be asked here whether %s is to be handed out again: write --yes", file)
		}
		fmt.Fprintf(p.stderr, "Hand %s out again? What you wrote is kept beside it. [y/N] ", file)
		answer, _ := bufio.NewReader(p.stdin).ReadString('\n') // an end without an answer is a no
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "y", "yes":
		default:
			fmt.Fprintln(p.stdout, "Nothing was changed.")
			return nil
		}
	}
	backup, err := s.Reset(l)
	if err != nil {
		return err
	}
	look := terminal.Of(p.stdout, p.getenv)
	return look.Print(p.stdout, look.Reset(file, backup))
}
