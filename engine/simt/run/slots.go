package run

import (
	"cmp"
	"slices"

	"workbench/engine/simt/code"
)

// slot is where a register is kept: in v (32 bits), x (64 bits), p (a pred), or,
// if it is uniform, in s; uniform preds are in p, as no lane or every lane.
type slot struct {
	bits    int
	uniform bool
	i       int
}

// interval of a register is the instructions, counted through the function, from
// the first to the last that touch it or between which it is live.
type interval struct {
	reg         code.Reg
	first, last int
}

// assign gives registers their slots. Those whose intervals do not overlap
// share one: a kernel has a few variables and many temporaries, and what a warp
// works on should fit into the processor's nearest cache.
//
// Lanes that wait while others run need their values, too. Those that wait for
// another branch, or for a Step further on, are covered by the order of the code:
// what they will read is read behind what runs meanwhile. Those that have left a
// loop are not, since the others go back to its beginning: what the loop writes
// and is read behind it keeps its slot through the whole loop, as what lives from
// one iteration to the next does.
func (e *emitter) assign(f *code.Function, u *unit) {
	a := e.a
	spans := make([]interval, len(f.Regs))
	for r := range spans {
		spans[r] = interval{reg: code.Reg(r), first: -1}
	}
	touch := func(r code.Reg, at int) {
		if r < 1 {
			return
		}
		s := &spans[r]
		if s.first < 0 || at < s.first {
			s.first = at
		}
		s.last = max(s.last, at)
	}
	a.entry.each(func(r code.Reg) {
		if int(r) < len(f.Regs) {
			touch(r, 0)
		}
	})
	for _, p := range f.Params {
		touch(p.Reg, 0)
	}
	at := 0
	var visit func(b code.Block)
	visit = func(b code.Block) {
		for _, in := range b {
			at++
			start := at
			values, dst := code.Operands(in)
			for _, x := range values {
				touch(x.Reg, at)
			}
			// What is written is kept apart from what is read: an op may write
			// its result while it reads.
			for _, r := range dst {
				touch(r, at)
			}
			for _, inner := range code.Blocks(in) {
				visit(inner)
			}
			loop, ok := in.(*code.Loop)
			if !ok {
				continue
			}
			at++
			touch(loop.Test.Reg, start)
			through := func(r code.Reg) {
				if int(r) < len(f.Regs) {
					touch(r, start)
					touch(r, at)
				}
			}
			a.liveHead[in].each(through)
			written := map[code.Reg]bool{}
			for _, inner := range code.Blocks(in) {
				code.Writes(inner, written)
			}
			a.liveAfter[in].each(func(r code.Reg) {
				if written[r] {
					through(r)
				}
			})
		}
	}
	visit(f.Body)

	e.slots = make([]slot, len(f.Regs))
	spans = slices.DeleteFunc(spans[1:], func(s interval) bool { return s.first < 0 })
	slices.SortFunc(spans, func(a, b interval) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.reg, b.reg))
	})
	banks := map[slot]*bank{}
	for _, s := range spans {
		to := slot{bits: widthOf(f.Regs[s.reg].Type), uniform: !a.varying[s.reg]}
		key, size := to, &u.nv
		switch {
		case to.bits == 1:
			key.uniform, size = false, &u.np
		case to.uniform:
			key.bits, size = 0, &u.ns
		case to.bits == 64:
			size = &u.nx
		}
		b := banks[key]
		if b == nil {
			b = &bank{}
			banks[key] = b
		}
		to.i = b.take(s, size)
		e.slots[s.reg] = to
	}
}

// bank is the slots of one kind that are in use, or were.
type bank struct {
	busy []lease // by when they end
	free []int
}

type lease struct {
	last int
	i    int
}

// take returns a slot for a register; size is how many there are.
func (b *bank) take(s interval, size *int) int {
	for len(b.busy) > 0 && b.busy[0].last < s.first {
		b.free = append(b.free, b.busy[0].i)
		b.busy = b.busy[1:]
	}
	i := *size
	if n := len(b.free); n > 0 {
		i, b.free = b.free[n-1], b.free[:n-1]
	} else {
		*size++
	}
	at, _ := slices.BinarySearchFunc(b.busy, s.last, func(l lease, last int) int { return cmp.Compare(l.last, last) })
	b.busy = slices.Insert(b.busy, at, lease{s.last, i})
	return i
}
