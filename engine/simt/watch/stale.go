package watch

import (
	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
	"workbench/engine/simt/watch/race"
)

// A plain read beside atomics is a race where what was read becomes a part of
// the result, as where a histogram is copied while others still count. It is none
// where it is only looked at: to wait, to see whether an atomic is worth its while,
// or as what a compare-and-swap expects.

// stale reports whether a race is a plain read and an atomic.
func (e *racing) stale() bool { return stale(e.sites[0], e.sites[1]) }

func stale(a, b where) bool {
	return a.kind == race.Read && b.kind == race.Atomic || a.kind == race.Atomic && b.kind == race.Read
}

// harmless reports whether a race is a read beside atomics whose value is only
// looked at.
func (c *Checks) harmless(e *racing) bool {
	if !e.stale() {
		return false
	}
	pos := e.sites[0].pos
	if e.sites[1].kind == race.Read {
		pos = e.sites[1].pos
	}
	for _, f := range e.grid.Program.Functions {
		if c.used(f, pos, e.memory) {
			return false
		}
	}
	return true
}

// used reports whether what a function loads from m at a position is written to
// memory, printed, or part of an atomic on another array. Calls end the search.
func (c *Checks) used(f *code.Function, pos code.Pos, m *run.Memory) bool {
	from := map[code.Reg]bool{}
	used := false
	tainted := func(values ...code.Value) bool {
		for _, x := range values {
			if x.Reg != 0 && from[x.Reg] {
				return true
			}
		}
		return false
	}
	var see func(b code.Block)
	see = func(b code.Block) {
		for _, in := range b {
			values, dst := code.Operands(in)
			gives := false
			switch i := in.(type) {
			case *code.Load:
				gives = i.Pos == pos
			case *code.Store:
				used = used || i.Space != code.Local && tainted(i.Src...)
			case *code.Atomic:
				used = used || tainted(i.X, i.Compare) && !c.atomicOn(i.Pos, m)
			case *code.Printf:
				used = used || tainted(values...)
			case *code.Call, *code.Index:
			default:
				gives = tainted(values...)
			}
			if gives {
				for _, r := range dst {
					from[r] = true
				}
			}
			for _, inner := range code.Blocks(in) {
				see(inner)
			}
		}
	}
	for n := -1; n != len(from) && !used; { // again, for loops
		n = len(from)
		see(f.Body)
	}
	return used
}

// atomicOn reports whether the atomic at a position was on m when it was seen last.
func (c *Checks) atomicOn(pos code.Pos, m *run.Memory) bool {
	for _, s := range c.sites[pos] {
		if s.Kind == race.Atomic && s.on != nil && s.on.memory.Space == m.Space && s.on.memory.Number == m.Number {
			return true
		}
	}
	return false
}
