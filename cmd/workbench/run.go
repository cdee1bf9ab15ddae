package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"workbench/cmd/internal/study"
	"workbench/cmd/internal/terminal"
	"workbench/engine/device"
	"workbench/lessons/lesson"
	"workbench/lessons/runner"
)

// runFlags are the flags of `workbench run`.
type runFlags struct {
	dir, device, room string
	statement, asJSON bool
}

func (p *program) runCommand(name string) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [EXERCISE]",
		Short: "Check an exercise: the next, or the one you name",
		Long: "Check an exercise: the next one, or the one you name by its ID, the beginning of\n" +
			"its ID, or its number in the list.\n\n" +
			"The first call makes the files that you work on, in the folder exercises/. What an\n" +
			"exercise asks for is printed when you meet it first, or with --statement. A kernel\n" +
			"runs on the emulator, which needs no GPU; with --device cuda:0 it runs on one.\n\n" +
			"With --room a room in which a lesson is given is told that somebody passed the\n" +
			"exercise. It is sent the exercise's ID and a random word that your folder keeps for\n" +
			"that room, so that nobody counts twice, and nothing else.\n\n" +
			"The exit status is 0 if the exercise passed, 1 if it did not, and 2 if the command\n" +
			"was called wrongly.",
		Example: example(name, "run", "run guard", "run guard --device cuda:0", "run --json", "run guard --room http://192.168.1.20:8080/join/K7QM2X"),
		Args:    oneExercise,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.runExercise(cmd.Context(), first(args), f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.device, "device", "", "where a kernel runs: emulator or cuda:0; left out, where the exercise usually runs")
	flags.BoolVar(&f.statement, "statement", false, "print what the exercise asks for, again")
	flags.BoolVar(&f.asJSON, "json", false, "print what came of it as JSON, and nothing else")
	p.roomFlag(flags, &f.room)
	dirFlag(flags, &f.dir)
	libraryFlag(flags)
	return cmd
}

func (p *program) runExercise(ctx context.Context, name string, f runFlags) error {
	room, err := p.room(f.room)
	if err != nil {
		return err
	}
	s, err := p.learner(f.dir)
	if err != nil {
		return err
	}
	look := terminal.Of(p.stdout, p.getenv)
	l, err := s.Named(name)
	if err != nil {
		return callError(err)
	}
	if l == nil && f.asJSON {
		return p.writeJSON(nil)
	}
	if l == nil {
		return look.Print(p.stdout, look.AllPassed(s.Entries()))
	}
	head, err := head(s, look, l, f.statement)
	if err != nil {
		return err
	}
	if err := s.Choose(l); err != nil {
		return err
	}
	v, standing, err := p.checkExercise(ctx, s, l, f.device)
	var usage *usageError
	if err != nil && ctx.Err() == nil && !errors.As(err, &usage) && l.Kind() == lesson.KindCUDA && f.device != "" {
		err = fmt.Errorf("%w\nwithout --device it runs on the emulator, which needs no GPU", err)
	}
	if f.asJSON {
		if err == nil {
			err = p.writeJSON(v)
		}
	} else if !errors.As(err, &usage) { // the file is named whatever came of it
		if err == nil {
			head += look.Verdict(v, standing)
		}
		err = errors.Join(err, look.Print(p.stdout, head))
	}
	if err == nil && !v.Passed {
		return errReported
	}
	if err == nil && room != nil {
		p.tellRoom(ctx, look, room, s, l, f.asJSON)
	}
	return err
}

// tellRoom tells a room that an exercise passed. What comes of that is said, and
// changes nothing.
func (p *program) tellRoom(ctx context.Context, look terminal.Look, room *study.Room, s *study.Learner, l *lesson.Lesson, quiet bool) {
	err := room.Report(ctx, s.Dir, l.ID)
	out := p.stdout
	if err != nil || quiet {
		out = p.stderr
	}
	if ctx.Err() == nil && (err != nil || !quiet) {
		_ = look.Print(out, "\n"+look.Sentence(room.Told(l.ID, err))) // the verdict has been printed
	}
}

// head draws what stands above a verdict: what the exercise asks for, if it is
// met for the first time or that is wanted, and the file.
func head(s *study.Learner, look terminal.Look, l *lesson.Lesson, statement bool) (string, error) {
	text := ""
	if s.Made {
		text = look.Made(s.Dir, len(s.Lessons))
	}
	last, unread := s.Last(l) // one that cannot be read is written anew: it keeps nobody from a check
	asks := ""
	if statement || last == nil && unread == nil && !s.Passed(l) {
		var err error
		if asks, err = s.Statement(l); err != nil {
			return "", err
		}
	}
	return text + look.Head(s.Standing(l), asks, s.Path(l)), nil
}

// checkExercise checks an exercise, tells a waiting person how far it is, and
// takes down what came of it.
func (p *program) checkExercise(ctx context.Context, s *study.Learner, l *lesson.Lesson, on string) (*lesson.Verdict, terminal.Standing, error) {
	waiting := p.startProgress("checking " + l.ID)
	v, err := s.Check(ctx, l, runner.Options{Device: on, Progress: func(phase runner.Phase) { waiting.Note("checking " + l.ID + ": " + terminal.Phase(phase)) }})
	waiting.Done()
	if err != nil {
		return nil, terminal.Standing{}, callError(err)
	}
	standing, err := s.Keep(v, l)
	return v, standing, err
}

// callError says that the call was wrong, if an error is of that kind.
func callError(err error) error {
	var (
		unknown    *runner.NotFoundError
		elsewhere  *runner.DeviceError
		unreadable *device.SpecError
	)
	switch {
	case errors.As(err, &unknown):
		return usagef("%w; `list` shows all of them", err)
	case errors.As(err, &elsewhere), errors.As(err, &unreadable):
		return usagef("--device: %w", err)
	}
	return err
}

// learner opens the learner's folder.
func (p *program) learner(dir string) (*study.Learner, error) {
	c, err := p.course(dir)
	if err != nil {
		return nil, err
	}
	return study.Open(c)
}

// one returns the exercise of a name, or the current one where there is none.
func one(s *study.Learner, name string) (*lesson.Lesson, error) {
	l, err := s.Named(name)
	if l == nil && err == nil {
		return nil, usagef("all exercises have passed: write which one you mean")
	}
	return l, callError(err)
}

// learnerAt returns whose exercises are in a folder, and the exercise of a name, or
// the current one where there is none.
func (p *program) learnerAt(name, dir string) (*study.Learner, *lesson.Lesson, error) {
	s, err := p.learner(dir)
	if err != nil {
		return nil, nil, err
	}
	l, err := one(s, name)
	return s, l, err
}

// oneExercise refuses more than the name of one exercise.
func oneExercise(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usagef("%q is one argument too many: %s takes one exercise", args[1], cmd.Name())
	}
	if len(args) == 1 && args[0] == "" {
		return usagef("\"\" is no exercise: write its ID, or leave it out for the next one")
	}
	return nil
}

// first returns the argument, if there is one.
func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
