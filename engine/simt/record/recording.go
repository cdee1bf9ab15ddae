package record

import (
	"slices"

	"workbench/engine/launch"
	"workbench/engine/simt/code"
)

// Recording is a launch.Recording.
type Recording struct{ t *tape }

var _ launch.Recording = (*Recording)(nil)

// Remark says how what was recorded is not what the launch's result is of: the Other of
// its tape.
func (x *Recording) Remark(text string) {
	x.t.mu.Lock()
	defer x.t.mu.Unlock()
	x.t.other = text
}

// Tape says what was recorded.
func (x *Recording) Tape() launch.Tape {
	t := x.t
	t.mu.Lock()
	defer t.mu.Unlock()
	out := launch.Tape{
		Steps: t.steps, Phases: t.phases, Complete: t.complete, Reason: t.reason, Other: t.other, Lines: []int{}, Arrays: []launch.TapeArray{},
		Bytes: t.bytes(), Bound: t.bound,
	}
	out.Most = t.bytes() - t.held
	for _, g := range t.segments {
		out.Most += g.size
	}
	out.Most = max(min(out.Most, t.bound), out.Bytes)
	if t.grid == nil {
		return out
	}
	g := t.grid
	out.Kernel, out.Block, out.Warps = g.Kernel, t.index, g.Warps
	out.Grid = launch.Index{g.Grid.X, g.Grid.Y, g.Grid.Z}
	out.BlockDim = launch.Index{g.Block.X, g.Block.Y, g.Block.Z}
	seen := map[int]bool{}
	for _, s := range t.segments {
		if s.key != nil {
			out.Held += s.steps
		}
		out.Exchanges = out.Exchanges || s.exchanges
		s.positions(func(pos code.Pos) {
			if line := g.Program.Position(pos).Line; line > 0 && !seen[line] {
				seen[line] = true
				out.Lines = append(out.Lines, line)
			}
		})
	}
	slices.Sort(out.Lines)
	for _, m := range t.arrays {
		size := max(m.ElemSize, 1)
		out.Arrays = append(out.Arrays, launch.TapeArray{
			Name: m.Label, Space: m.Space.String(), Element: m.Elem, Elements: m.Size / int64(size), Size: size, Shape: m.Dims,
		})
	}
	return out
}
