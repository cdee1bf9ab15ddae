package record

import (
	"context"
	"fmt"

	"workbench/engine/launch"
	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
)

// Seek returns the nearest step that a goal names.
func (x *Recording) Seek(ctx context.Context, from int, g launch.Goal) (int, bool, error) {
	t := x.t
	t.mu.Lock()
	defer t.mu.Unlock()
	if from < 0 || from >= t.steps {
		return 0, false, &StepError{from, t.steps}
	}
	switch g.Kind {
	case launch.GoalStep:
		to := from + 1
		if g.Back {
			to = from - 1
		}
		return to, to >= 0 && to < t.steps, nil
	case launch.GoalWarp, launch.GoalBarrier, launch.GoalLine, launch.GoalElement, launch.GoalExchange:
	default:
		return 0, false, fmt.Errorf("there is no way to look for %q in a recording", g.Kind)
	}
	if g.Kind == launch.GoalElement && (g.Array < 0 || g.Array >= len(t.arrays)) {
		return 0, false, fmt.Errorf("there is no array %d: the block can access %d, counted from 0", g.Array, len(t.arrays))
	}
	best, found := 0, false
	look := func(n int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !t.worth(t.segments[n], g) {
			return nil
		}
		s, err := t.fetch(ctx, n)
		if err != nil {
			return err
		}
		if step, ok := t.scan(s, from, g); ok && (!found || (step > best) == g.Back) {
			best, found = step, true
		}
		return nil
	}
	within := within(g)
	n := t.find(from)
	if !g.Back {
		for ; n < len(t.segments); n++ {
			if found && (!within || t.segments[n].late >= best) {
				continue
			}
			if err := look(n); err != nil {
				return 0, false, err
			}
		}
		return best, found, nil
	}
	for m := n + 1; within && m < len(t.segments); m++ {
		if t.segments[m].late < from {
			if err := look(m); err != nil {
				return 0, false, err
			}
		}
	}
	for ; n >= 0 && (!found || best < t.segments[n].first); n-- {
		if err := look(n); err != nil {
			return 0, false, err
		}
	}
	return best, found, nil
}

// worth reports whether a goal may be in a segment.
func (t *tape) worth(s *segment, g launch.Goal) bool {
	switch g.Kind {
	case launch.GoalWarp:
		return g.Warp >= 0 && g.Warp < 32 && s.warps>>g.Warp&1 != 0
	case launch.GoalBarrier:
		return s.releases
	case launch.GoalLine:
		found := false
		s.positions(func(pos code.Pos) { found = found || t.grid.Program.Position(pos).Line == g.Line })
		return found
	}
	if g.Kind == launch.GoalExchange {
		return s.exchanges
	}
	return s.may(g.Array, g.Element)
}

// within reports whether a goal is in what a step does, which may be in a later
// segment than the step, and behind what steps of other warps do.
func within(g launch.Goal) bool { return g.Kind == launch.GoalElement || g.Kind == launch.GoalExchange }

// scan returns the nearest step of a goal in a segment that is in memory.
func (t *tape) scan(s *segment, from int, g launch.Goal) (best int, found bool) {
	current := [32]int{}
	for i := range s.key.warps {
		current[i] = int(s.key.warps[i].step)
	}
	see := func(step int) bool {
		switch {
		case g.Back && step < from:
			best, found = max(best, step), true
		case !g.Back && step > from && (!found || step < best):
			best, found = step, true
		}
		return found && !g.Back && !within(g)
	}
	step := s.first - 1
	for at := 0; at < len(s.log); {
		rec := s.log[at:]
		at += length(rec)
		hit := false
		switch rec[0] {
		case recStep:
			step++
			current[rec[1]] = step
			hit = g.Kind == launch.GoalWarp && int(rec[1]) == g.Warp ||
				g.Kind == launch.GoalLine && t.line(rec) == g.Line
		case recRelease, recEnd:
			step++
			hit = g.Kind == launch.GoalBarrier
		case recAccess:
			if c := current[rec[1]]; g.Kind == launch.GoalElement && c >= 0 && t.accesses(rec, g) {
				see(c)
			}
		case recExchange:
			if c := current[rec[1]]; g.Kind == launch.GoalExchange && c >= 0 {
				see(c)
			}
		}
		if hit && see(step) {
			return best, found
		}
	}
	return best, found
}

func (t *tape) line(step []byte) int {
	return t.grid.Program.Position(posOf(step)).Line
}

// accesses reports whether an access is of the element that is sought.
func (t *tape) accesses(rec []byte, g launch.Goal) bool {
	m := t.arrays[g.Array]
	if byte(m.Space) != rec[9] {
		return false
	}
	var a access
	readAccess(rec, &a)
	size := int64(max(m.ElemSize, 1))
	base := m.Pointer()
	hit := false
	lanes(a.mask, func(lane int) {
		p := a.addrs[lane]
		if p-run.Pointer(p.Offset()) != base {
			return
		}
		o := p.Offset()
		hit = hit || o < (g.Element+1)*size && o+int64(a.width()) > g.Element*size
	})
	return hit
}
