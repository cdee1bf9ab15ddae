package main

import (
	"context"

	"github.com/spf13/cobra"

	"workbench/cmd/internal/study"
	"workbench/cmd/internal/terminal"
	"workbench/engine/device"
)

// watchFlags are the flags of `workbench watch`.
type watchFlags struct {
	dir, device, room string
	noNotices         bool
}

func (p *program) watchCommand(name string) *cobra.Command {
	var f watchFlags
	cmd := &cobra.Command{
		Use:   "watch [EXERCISE]",
		Short: "Check an exercise whenever you save it",
		Long: "Check an exercise whenever you save it: the next one, or the one you name. Keys,\n" +
			"which are shown, give hints, go on to the next exercise, list all, hand one out\n" +
			"again and quit. Nothing goes on by itself.\n\n" +
			"A save while a check runs is never lost: that check ends, and the newest text is\n" +
			"checked. Saves are noticed by the system's notices, and by looking at the file 5\n" +
			"times a second, which finds what a container or a network folder does not tell;\n" +
			"the screen says which of them is in force.\n\n" +
			"With --room a room in which a lesson is given is told that somebody passed, as\n" +
			"`run --help` says.\n\n" +
			"Without a terminal everything is printed in lines, and what would be keys are\n" +
			"lines of the standard input: n, h, l, then a number of the list, q.",
		Example: example(name, "watch", "watch guard", "watch guard --device cuda:0"),
		Args:    oneExercise,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.watch(cmd.Context(), first(args), f)
		},
	}
	flags := cmd.Flags()
	kernelsFlag(flags, &f.device)
	flags.BoolVar(&f.noNotices, "no-notices", false, "do without the system's notices, and only look at the file")
	p.roomFlag(flags, &f.room)
	dirFlag(flags, &f.dir)
	return cmd
}

func (p *program) watch(ctx context.Context, name string, f watchFlags) error {
	if err := runsKernels(f.device); err != nil {
		return err
	}
	room, err := p.room(f.room)
	if err != nil {
		return err
	}
	s, err := p.learner(f.dir)
	if err != nil {
		return err
	}
	l, err := s.Named(name)
	if err != nil {
		return callError(err)
	}
	look := terminal.Of(p.stdout, p.getenv)
	if l == nil {
		return look.Print(p.stdout, look.AllPassed(s.Entries()))
	}
	session := &study.Session{Learner: s, Look: look, Device: f.device, Room: room, NoNotices: f.noNotices}
	if !look.Live || !terminal.IsTerminal(p.stdin) {
		return study.Lines(ctx, session, l, p.stdin, p.stdout)
	}
	if err := study.Screen(ctx, session, l, p.stdin, p.stdout); err != nil {
		return err
	}
	return look.Print(p.stdout, look.Parting(s.Standing(session.Lesson())))
}

// runsKernels refuses a --device for exercises of every kind, of which only kernels
// run on one or another.
func runsKernels(name string) error {
	if name == "" {
		return nil
	}
	spec, err := device.ParseSpec(name)
	if err != nil {
		return usagef("--device: %w", err)
	}
	if spec.Kind == device.CPU {
		return usagef("--device: %s runs no kernels: write emulator or cuda:0", spec)
	}
	return nil
}
