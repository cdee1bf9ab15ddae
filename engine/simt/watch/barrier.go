package watch

import (
	"math/bits"

	"workbench/engine/launch"
	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
)

// divergence is a barrier that not all threads of a block reached.
type divergence struct {
	why     string // ended, apart or other
	arrived int
	missing thread // the lowest of those that did not
	other   code.Pos
}

// Why a thread is not at a barrier.
const (
	ended = "ended" // it has ended without it
	apart = "apart" // it takes another branch
	other = "other" // it waits at another barrier
)

// Barrier: a warp arrives.
func (c *Checks) Barrier(w *run.Warp, _ code.Pos) {
	c.of(w.Block).warps[w.Index].arrived = w.Active
}

// Release: the block goes on.
func (c *Checks) Release(b *run.Block) {
	s := c.of(b)
	threads := b.Grid.Block.Count()
	arrived := 0
	pos := code.Pos(0)
	same := true
	for i, w := range b.Warps {
		if w.At == 0 {
			continue
		}
		arrived += bits.OnesCount32(s.warps[i].arrived)
		same = same && (pos == 0 || pos == w.At)
		pos = w.At
	}
	if arrived < threads || !same {
		c.diverged(s, b, arrived)
	}
	if s.race != nil {
		s.race.Barrier()
	}
}

// diverged reports a barrier that was reached by a part of the block, or two
// that were reached by a part each.
func (c *Checks) diverged(s *block, b *run.Block, arrived int) {
	threads := b.Grid.Block.Count()
	d := divergence{arrived: arrived}
	var at, elsewhere code.Pos
	var first thread
	missing := map[string]thread{}
	for i, w := range b.Warps {
		all := ^uint32(0)
		if rest := threads - 32*i; rest < 32 {
			all = 1<<rest - 1
		}
		here := uint32(0)
		if w.At != 0 {
			here = s.warps[i].arrived
			t := threadOf(w, bits.TrailingZeros32(here))
			switch {
			case at == 0:
				at, first = w.At, t
			case w.At != at && c.precedes(b.Grid, w.At, at):
				elsewhere, at, first = at, w.At, t
			case w.At != at:
				elsewhere = w.At
			}
		}
		for why, lanes := range map[string]uint32{ended: all &^ w.Live, apart: w.Live &^ here} {
			if _, have := missing[why]; !have && lanes != 0 {
				missing[why] = threadOf(w, bits.TrailingZeros32(lanes))
			}
		}
	}
	switch {
	case elsewhere != 0:
		d.why, d.other = other, elsewhere
		for i, w := range b.Warps {
			if w.At == elsewhere {
				d.missing = threadOf(w, bits.TrailingZeros32(s.warps[i].arrived))
				break
			}
		}
	default:
		d.why = ended
		if _, have := missing[apart]; have {
			d.why = apart
		}
		d.missing = missing[d.why]
	}
	f := c.finding(launch.DivergentBarrier, at, nil, d.why, first, 0)
	if f.waits == nil || f.thread == first {
		f.waits = &d
	}
}

// precedes reports whether a stands before b in the source.
func (c *Checks) precedes(g *run.Grid, a, b code.Pos) bool {
	x, y := g.Program.Position(a), g.Program.Position(b)
	return comparePositions(x, y) < 0
}
