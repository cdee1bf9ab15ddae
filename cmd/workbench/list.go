package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"workbench/cmd/internal/study"
	"workbench/cmd/internal/terminal"
	"workbench/lessons/lesson"
)

// listFlags are the flags of `workbench list`.
type listFlags struct {
	dir             string
	passed, pending bool
	chapter         int
	kind            string
	asJSON          bool
	interactive     bool
}

func (p *program) listCommand(name string) *cobra.Command {
	var f listFlags
	cmd := &cobra.Command{
		Use:   "list [WORD ...]",
		Short: "List the exercises, and which have passed",
		Long: "List the exercises in their order, and which have passed. Words pick out those\n" +
			"whose ID, title, chapter or kind has all of them.\n\n" +
			"With --interactive, on a terminal, one goes up and down in the list by keys, which\n" +
			"are shown, and chooses the exercise that run and watch go on with.",
		Example: example(name, "list", "list --interactive", "list --pending", "list tile --kind cuda", "list --chapter 6 --json"),
		RunE: func(cmd *cobra.Command, words []string) error {
			if cmd.Flags().Changed("chapter") && f.chapter < 1 {
				return usagef("--chapter: %d is none: chapters count from 1", f.chapter)
			}
			return p.list(cmd.Context(), words, f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.passed, "passed", false, "only those that have passed")
	flags.BoolVar(&f.pending, "pending", false, "only those that have not")
	flags.IntVar(&f.chapter, "chapter", 0, "only those of one chapter; 0 is all")
	flags.StringVar(&f.kind, "kind", "", "only those of a kind: go, cuda or question")
	flags.BoolVar(&f.asJSON, "json", false, "print them as JSON")
	flags.BoolVarP(&f.interactive, "interactive", "i", false, "go up and down in the list, on a terminal")
	dirFlag(flags, &f.dir)
	return cmd
}

// listed is an exercise as --json prints it.
type listed struct {
	Number  int            `json:"number"`
	ID      string         `json:"id"`
	Title   string         `json:"title"`
	Chapter int            `json:"chapter"`
	Kind    lesson.Kind    `json:"kind"`
	Devices []string       `json:"devices"`
	State   terminal.State `json:"state"`
	File    string         `json:"file"`
	When    *time.Time     `json:"passed_at,omitempty"`
	On      string         `json:"passed_on,omitempty"`
	Hints   int            `json:"hints"`
	Shown   int            `json:"hints_shown"`
}

func (p *program) list(ctx context.Context, words []string, f listFlags) error {
	if f.passed && f.pending {
		return usagef("--passed and --pending leave nothing over: write one of them")
	}
	kind, err := readKind(f.kind)
	if err != nil {
		return err
	}
	look := terminal.Of(p.stdout, p.getenv)
	if f.interactive {
		switch {
		case f.asJSON || f.passed || f.pending || f.kind != "" || f.chapter != 0 || len(words) > 0:
			return usagef("--interactive is written alone: what is shown is chosen by keys")
		case !look.Live || !terminal.IsTerminal(p.stdin):
			return usagef("--interactive needs a terminal: leave it out to have the list printed")
		}
	}
	s, err := p.learner(f.dir)
	if err != nil {
		return err
	}
	if f.interactive {
		l, err := study.Pick(ctx, s, look, p.stdin, p.stdout)
		if err != nil || l == nil {
			return err
		}
		if err := s.Choose(l); err != nil {
			return err
		}
		return look.Print(p.stdout, look.Chosen(l))
	}
	all := s.Entries()
	shown := []terminal.Entry{}
	for _, e := range all {
		passed := e.State == terminal.Passed
		switch {
		case f.passed && !passed, f.pending && passed:
		case f.chapter != 0 && e.Lesson.Chapter != f.chapter:
		case kind != "" && e.Lesson.Kind() != kind:
		case !e.Matches(strings.Join(words, " ")):
		default:
			shown = append(shown, e)
		}
	}
	if f.asJSON {
		out := make([]listed, len(shown))
		for i, e := range shown {
			l := e.Lesson
			out[i] = listed{
				Number: e.Number, ID: l.ID, Title: l.Title, Chapter: l.Chapter, Kind: l.Kind(), State: e.State,
				File: s.Path(l), Hints: len(l.Hints), Shown: s.Far.Hints[l.ID],
			}
			for _, d := range l.Devices {
				out[i].Devices = append(out[i].Devices, string(d))
			}
			if passed, ok := s.Far.Passed[l.ID]; ok {
				out[i].When, out[i].On = &passed.When, passed.On
			}
		}
		return p.writeJSON(out)
	}
	return look.Print(p.stdout, look.List(shown, all))
}
