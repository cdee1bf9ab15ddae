package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"workbench/cmd/internal/study"
	"workbench/cmd/internal/terminal"
	"workbench/lessons/lesson"
)

// checkAllFlags are the flags of `workbench check-all`.
type checkAllFlags struct {
	dir, device string
	workers     int
	asJSON      bool
}

func (p *program) checkAllCommand(name string) *cobra.Command {
	var f checkAllFlags
	cmd := &cobra.Command{
		Use:   "check-all",
		Short: "Check all your exercises at once",
		Long: "Check all your exercises, several at once, and take down which pass. One that\n" +
			"passed before and does not now stays passed; that is said.\n\n" +
			"The exit status is 0 if all pass, 1 if one does not, and 2 if the command was\n" +
			"called wrongly. Ctrl-C ends it; what was found until then is kept.",
		Example: example(name, "check-all", "check-all --device cuda:0", "check-all --json"),
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.checkAll(cmd.Context(), f)
		},
	}
	flags := cmd.Flags()
	kernelsFlag(flags, &f.device)
	flags.IntVar(&f.workers, "workers", 0, "exercises that are checked at once; 0 is one for each processor")
	flags.BoolVar(&f.asJSON, "json", false, "print what came of each exercise as JSON, and nothing else")
	dirFlag(flags, &f.dir)
	return cmd
}

// checkedAll is an exercise as --json prints it.
type checkedAll struct {
	ID      string             `json:"id"`
	State   terminal.CellState `json:"state"`
	Before  bool               `json:"passed_before"`
	Verdict *lesson.Verdict    `json:"verdict,omitempty"`
	Trouble string             `json:"trouble,omitempty"`
}

func (p *program) checkAll(ctx context.Context, f checkAllFlags) error {
	if err := runsKernels(f.device); err != nil {
		return err
	}
	if f.workers < 0 {
		return usagef("--workers: %d exercises at once cannot be: write 0 or more", f.workers)
	}
	s, err := p.learner(f.dir)
	if err != nil {
		return err
	}
	look := terminal.Of(p.stdout, p.getenv)
	o := study.AllOptions{Device: f.device, Workers: f.workers}
	live := look.Live && !f.asJSON
	grid := &liveGrid{p: p, look: look}
	switch {
	case live:
		for i := range s.Lessons {
			grid.cells = append(grid.cells, terminal.Cell{Lesson: &s.Lessons[i], Number: i + 1, State: terminal.Waiting})
		}
		o.Told = grid.set
	case !f.asJSON:
		o.Told = func(c terminal.Cell) {
			if c.State != terminal.Running && c.State != terminal.Waiting {
				look.Print(p.stdout, look.CellLine(c)) // if it fails, so does the summary
			}
		}
	}
	cells, err := s.All(ctx, o)
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	passing := 0
	for _, c := range cells {
		if c.State == terminal.Passing {
			passing++
		}
	}
	if f.asJSON {
		out := make([]checkedAll, len(cells))
		for i, c := range cells {
			out[i] = checkedAll{ID: c.Lesson.ID, State: c.State, Before: c.Before, Verdict: c.Verdict}
			if c.Trouble != nil {
				out[i].Trouble = c.Trouble.Error()
			}
		}
		if err := p.writeJSON(out); err != nil {
			return err
		}
	} else {
		text := ""
		if live {
			grid.draw()
			for _, c := range cells {
				if c.State == terminal.Failing || c.State == terminal.Broken {
					text += look.CellLine(c)
				}
			}
		}
		if err := look.Print(p.stdout, text+"\n"+look.Summary(cells)); err != nil {
			return err
		}
	}
	switch {
	case err != nil:
		return err
	case passing < len(cells):
		return errReported
	}
	return nil
}

// liveGrid is a grid that is drawn over itself.
type liveGrid struct {
	p     *program
	look  terminal.Look
	cells []terminal.Cell
	drawn int // lines
	when  time.Time
}

// redraw is the least time between two drawings.
const redraw = 50 * time.Millisecond

func (g *liveGrid) set(c terminal.Cell) {
	g.cells[c.Number-1] = c
	if time.Since(g.when) >= redraw {
		g.draw()
	}
}

func (g *liveGrid) draw() {
	up := ""
	if g.drawn > 0 {
		up = fmt.Sprintf("\r\x1b[%dA\x1b[J", g.drawn)
	}
	text := g.look.Grid(g.cells)
	g.look.Print(g.p.stdout, up+text) // if it fails, so does the summary
	g.drawn, g.when = strings.Count(text, "\n"), time.Now()
}
