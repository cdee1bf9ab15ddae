package watch

import (
	"cmp"
	"slices"

	"workbench/engine/launch"
	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
)

// thread is one thread of a grid, by numbers.
type thread struct {
	block int
	index int // 32·warp + lane
}

func threadOf(w *run.Warp, lane int) thread {
	return thread{w.Block.Number, 32*w.Index + lane}
}

func (t thread) before(o thread) bool { return t.compare(o) < 0 }

func (t thread) compare(o thread) int {
	return cmp.Or(cmp.Compare(t.block, o.block), cmp.Compare(t.index, o.index))
}

// A finding is what went wrong at one place of the source, however often: what
// is told of it is what the lowest thread saw.
type finding struct {
	kind   launch.ReportKind
	pos    code.Pos
	memory *run.Memory
	detail string // more of what tells it from others
	grid   *run.Grid

	thread thread
	offset int64
	width  int
	count  int64
	fault  *run.Fault  // of the same thread, if it is one
	waits  *divergence // of a barrier
}

type findingKey struct {
	kind   launch.ReportKind
	pos    code.Pos
	space  code.Space
	number int
	detail string
}

// finding counts one more of its kind. What it returns is to be filled in when
// its thread is the one that was given.
func (c *Checks) finding(kind launch.ReportKind, pos code.Pos, m *run.Memory, detail string, t thread, offset int64) *finding {
	k := findingKey{kind: kind, pos: pos, detail: detail}
	if m != nil {
		k.space, k.number = m.Space, m.Number
	}
	f := c.findings[k]
	if f == nil {
		f = &finding{kind: kind, pos: pos, memory: m, detail: detail, grid: c.grid, thread: t, offset: offset}
		c.findings[k] = f
	}
	f.count++
	if d := t.compare(f.thread); d < 0 || d == 0 && offset < f.offset {
		f.thread, f.offset, f.memory = t, offset, m
	}
	return f
}

// place returns where in the source a thread did something.
func (c *Checks) place(g *run.Grid, pos code.Pos, t thread) launch.Place {
	at := g.Program.Position(pos)
	p := launch.Place{
		File: at.File, Line: at.Line, Column: at.Column, Macro: at.Macro,
		Block: blockIndex(g, t.block), Thread: threadIndex(g, t.index), Warp: t.index / 32, Lane: t.index % 32,
	}
	p.Source = c.source(at)
	return p
}

func (c *Checks) source(at code.Position) string {
	if c.options.Source == nil || at.Line == 0 {
		return ""
	}
	return c.options.Source(at.File, at.Line)
}

func blockIndex(g *run.Grid, n int) launch.Index {
	return launch.Index{n % g.Grid.X, n / g.Grid.X % g.Grid.Y, n / g.Grid.X / g.Grid.Y}
}

func threadIndex(g *run.Grid, n int) launch.Index {
	return launch.Index{n % g.Block.X, n / g.Block.X % g.Block.Y, n / g.Block.X / g.Block.Y}
}

// Reports returns what was found since it was called last, in the order of the
// source.
func (c *Checks) Reports() []launch.Report {
	c.unread(c.global)
	var out []launch.Report
	c.oneRow()
	for _, f := range c.findings {
		if c.wanted(f.kind) {
			out = append(out, c.report(f))
		}
	}
	if c.wanted(launch.Race) {
		out = append(out, c.raceReports()...)
	}
	if c.wanted(launch.SharedMemory) {
		out = append(out, c.refused...)
	}
	c.refused = nil
	clear(c.findings)
	clear(c.races)
	c.lastRacing = nil
	slices.SortFunc(out, func(a, b launch.Report) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Address, b.Address), cmp.Compare(a.Message, b.Message),
		)
	})
	return out
}
