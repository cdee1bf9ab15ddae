package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"workbench/lessons/lesson"
)

// checkGo builds the learner's package with the harness, which makes each call,
// and compares what came of them with what should have.
//
// The program is a process of its own, with limits: on its time, its memory and
// what it prints. Nothing else is kept from it: it is the learner's code, on the
// learner's computer, and may do what `go run` may.
func (c *Course) checkGo(ctx context.Context, j *job, check *lesson.Go) error {
	tool, err := c.tool(ctx)
	if err != nil {
		return err
	}
	v := j.verdict
	v.Device = "this computer, " + tool.name()
	v.Limits = fmt.Sprintf("%g s for all cases, 1 GiB of memory, 1 MiB of output", j.lesson.Limit.Seconds())

	g := &goCheck{job: j, check: check, calls: check.Calls(), file: j.lesson.File(), lines: strings.Split(string(j.source), "\n")}
	j.progress(Phase{Doing: "compiling", Of: len(g.calls)})
	begun := time.Now()
	if findings := g.packageClause(); findings != nil {
		v.Findings = findings
		return nil
	}
	r, said, err := c.buildAndRun(ctx, g, tool)
	v.Building = time.Since(begun)
	if err != nil {
		return err
	}
	if r == nil {
		if v.Findings = g.compileFindings(said); len(v.Findings) == 0 {
			return &BuildError{tool.path, strings.TrimSpace(said)}
		}
		return nil
	}
	v.Building -= r.took
	v.Running, v.Output, v.Cut = r.took, r.output, r.cut
	j.progress(Phase{Doing: "comparing", Done: len(g.calls), Of: len(g.calls)})
	g.judge(r)
	return nil
}

// buildAndRun makes the program and runs it. Without a result, said is what the
// compiler said. A program that another check has removed in between, since it
// had not been used for long, is built again.
func (c *Course) buildAndRun(ctx context.Context, g *goCheck, tool goTool) (r *ran, said string, err error) {
	for range 3 {
		var path string
		if path, said, err = c.build(ctx, g, tool); err != nil || path == "" {
			return nil, said, err
		}
		g.progress(Phase{Doing: "running", Of: len(g.calls)})
		if r, err = g.run(ctx, path, g.calls); !errors.Is(err, fs.ErrNotExist) {
			return r, "", err
		}
	}
	return nil, "", err
}

// goCheck is a check of a Go exercise.
type goCheck struct {
	*job
	check *lesson.Go
	calls []lesson.Call
	file  string   // the learner's, without a folder
	lines []string // its text

	// Known mistakes that explain all that was tried, by their texts.
	made map[string]bool
}

// function returns what the exercise says of a function.
func (g *goCheck) function(name string) *lesson.Function {
	for i := range g.check.Functions {
		if g.check.Functions[i].Name == name {
			return &g.check.Functions[i]
		}
	}
	panic("BUG: " + g.lesson.ID + " calls " + name + ", which it does not name")
}

// at puts a place in the learner's file into a finding. The column counts bytes
// from 1, as compilers do; 0 is none.
func (g *goCheck) at(f lesson.Finding, line, column int) lesson.Finding {
	if line < 1 || line > len(g.lines) {
		return f
	}
	f.Line, f.Source = line, strings.TrimRight(g.lines[line-1], "\r")
	if column > 0 && column <= len(f.Source)+1 {
		f.Column = len([]rune(f.Source[:column-1])) + 1
	}
	return f
}
