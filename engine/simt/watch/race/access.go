package race

import "math/bits"

// Access: the lanes of mask access width bytes each, at their offsets in m, which
// are multiples of size, the bytes of an element.
func (w *Warp) Access(site int, m *Memory, mask uint32, offsets *[32]int64, size, width int) {
	d := w.block.d
	if d.last != w.block {
		d.turn(w.block)
	}
	m.touch(d.now)
	s := &d.sites[site]
	a := access{w: w, m: m, now: at(d.now, site, w.index), bound: d.began}
	if m.Shared {
		a.bound = w.block.base
	}
	others := false
	if s.Kind == Atomic && !m.Shared {
		d.local = d.local || s.Local
		others = d.local
	}
	if size == width && size >= 4 && size <= 8 && s.Kind <= Write {
		a.words(m, mask, offsets, s.Kind, width)
		return
	}
	var p *page
	last := int64(-1)
	for rest := mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		offset := offsets[lane]
		if n := offset >> pageBits; n != last {
			p, last = m.page(offset), n
			if p != nil && size < 1<<p.shift {
				d.split(p, size)
			}
		}
		if p != nil {
			i := int(offset&(pageBytes-1)) >> p.shift
			a.cells = p.cells[i : i+width>>p.shift]
			a.me, a.lane, a.offset, a.shift = a.now.by(lane), lane, offset, p.shift
			switch s.Kind {
			case Read:
				a.read()
			case Write:
				a.write()
			case VolatileWrite:
				if w.primed>>lane&1 != 0 {
					a.me |= fencedMark
				}
				a.write()
			case VolatileRead:
				a.strong(false, false)
			default:
				a.me |= atomicMark
				a.strong(true, others)
			}
		}
		if d.fenced && s.Kind >= Atomic {
			w.synchronise(s, m, offset, lane)
		}
		if s.Kind == Atomic && !s.Local {
			w.tally(m, offset, width, lane, d.now)
		}
	}
	if s.Kind == Atomic {
		d.tick() // so that of two atomics the later one has a later time
	}
}

// access is what the lanes of a warp do to memory, one after another.
type access struct {
	w     *Warp
	m     *Memory
	now   mark
	bound uint32 // what is up to here came before, whoever it was

	lane   int
	me     mark
	cells  []cell // of the lane's element or elements
	offset int64  // of cells[0]
	shift  uint8  // a cell is of 1<<shift bytes
}

// words is the common case of reads and writes, where nothing has to be looked
// at closely: what a cell has is from before the bound, or nothing new comes in.
func (a *access) words(m *Memory, mask uint32, offsets *[32]int64, kind Kind, width int) {
	var p *page
	last := int64(-1)
	until := mark(a.bound+1) << 32 // marks below are up to the bound
	quick := m.Shared && !a.w.block.d.fenced
	full := int64(-1)
	for rest := mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		offset := offsets[lane]
		if n := offset >> pageBits; n != last {
			if p, last = m.page(offset), n; p == nil {
				last = -1
				continue
			}
		}
		me := a.now.by(lane)
		i := int(offset&(pageBytes-1)) >> p.shift
		if width>>p.shift == 1 {
			c := &p.cells[i]
			if c.w < until && (kind != Read || (c.a|c.b)&atomicMark == 0 || c.a < until && c.b < until) {
				if c.a < until && c.b < until {
					if kind == Read {
						c.a, c.b = me, 0
					} else {
						*c = cell{w: me}
					}
					continue
				}
				if kind == Read {
					if c.a.same(me) {
						c.a = c.a.with(lane)
						continue
					}
					if c.b.same(me) {
						c.b = c.b.with(lane)
						continue
					}
					if offset == full {
						continue
					}
					if quick && c.a >= until && c.b >= until && c.a.warp() < c.b.warp() && c.b.warp() < a.w.index || !quick && a.full(c) {
						full = offset // for the lanes to come as well
						continue
					}
				}
			}
		}
		a.cells = p.cells[i : i+width>>p.shift]
		a.me, a.lane, a.offset, a.shift = me, lane, offset, p.shift
		if kind == Read {
			a.read()
		} else {
			a.write()
		}
	}
}

func (a *access) read() {
	for k := range a.cells {
		c := &a.cells[k]
		if c.w.time() > a.bound {
			a.check(c.w, k)
		}
		if (c.a|c.b)&atomicMark != 0 {
			for _, one := range [...]mark{c.a, c.b} {
				if one&atomicMark != 0 && one.time() > a.bound {
					a.check(one, k)
				}
			}
		}
		switch {
		case c.a.time() <= a.bound && c.b.time() <= a.bound:
			c.a, c.b = a.me, 0
		case c.a.same(a.me):
			c.a = c.a.with(a.lane)
		case c.b.same(a.me):
			c.b = c.b.with(a.lane)
		default:
			a.keep(c)
		}
	}
}

// strong is an atomic or a volatile read. An atomic is held against plain reads,
// and, of one block only, against the others too.
func (a *access) strong(atomic, others bool) {
	for k := range a.cells {
		c := &a.cells[k]
		if c.w.time() > a.bound {
			a.check(c.w, k)
		}
		if atomic {
			for _, one := range [...]mark{c.a, c.b} {
				if others || one.time() > a.bound && one&atomicMark == 0 && a.w.block.d.sites[one.site()].Kind == Read {
					a.check(one, k)
				}
			}
		}
		a.keep(c)
	}
}

func (a *access) write() {
	for k := range a.cells {
		c := &a.cells[k]
		if c.w.time() <= a.bound && c.a.time() <= a.bound && c.b.time() <= a.bound {
			*c = cell{w: a.me}
			continue
		}
		// What nothing orders stays: it may race with others too. Of two such
		// writes the lower thread's does.
		if !a.check(c.a, k) {
			c.a = 0
		}
		if !a.check(c.b, k) {
			c.b = 0
		}
		if c.a == 0 {
			c.a, c.b = c.b, 0
		}
		if !a.check(c.w, k) || a.before(a.me, c.w) {
			c.w = a.me
		}
	}
}

// check reports an access of cell k and this one if they race, and returns
// whether it found that nothing orders them.
func (a *access) check(one mark, k int) (unordered bool) {
	if one == 0 {
		return false
	}
	w := a.w
	block := w.blockOf(a.m, one, 0)
	of := one.lane()
	if w.after(one, block, of, a.lane) {
		of = one.second()
		if of == one.lane() || w.after(one, block, of, a.lane) {
			return false
		}
	}
	if d := w.block.d; d.sites[a.me.site()].Kind == Write && d.sites[one.site()].Kind == Atomic && w.observed(a.m, a.offset+int64(k)<<a.shift, a.lane, one, of) {
		return false
	}
	if a.races(one, block) {
		r := &w.block.d.race
		*r = Race{
			Memory: a.m, Offset: a.offset + int64(k)<<a.shift,
			First:  Party{Site: one.site(), Block: block, Warp: one.warp(), Lane: of, Now: one.same(a.me) && block == w.block.number},
			Second: Party{Site: a.me.site(), Block: w.block.number, Warp: w.index, Lane: a.lane, Now: true},
		}
		w.block.d.found(r)
	}
	return true
}

// races reports whether this access and one that nothing orders are a race.
func (a *access) races(one mark, block uint32) bool {
	b := a.w.block
	x, y := &b.d.sites[one.site()], &b.d.sites[a.me.site()]
	if x.Kind == Write || y.Kind == Write {
		return true
	}
	if x.Kind == Atomic || y.Kind == Atomic {
		if x.Kind == Read || y.Kind == Read {
			return true
		}
		return x.Kind == y.Kind && (x.Local || y.Local) && block != b.number
	}
	if block != b.number || one.warp() != a.w.index && !a.m.Shared {
		return false
	}
	return x.Kind == VolatileWrite && one&fencedMark == 0 || y.Kind == VolatileWrite && a.me&fencedMark == 0
}

// before reports whether x is by a lower thread than y.
func (a *access) before(x, y mark) bool {
	if bx, by := a.w.blockOf(a.m, x, 0), a.w.blockOf(a.m, y, 1); bx != by {
		return bx < by
	}
	return x.thread() < y.thread()
}

// ordered reports whether all of one came before this access.
func (a *access) ordered(one mark, block uint32) bool {
	return one == 0 || a.w.after(one, block, one.lane(), a.lane) && (one.lane() == one.second() || a.w.after(one, block, one.second(), a.lane))
}

// full reports whether a cell, by a quick look, has what it would have after
// this access: two accesses that nothing orders, of lower threads of two warps.
func (a *access) full(c *cell) bool {
	b := a.w.block
	if b.d.fenced || c.a.time() <= a.bound || c.b.time() <= a.bound {
		return false
	}
	if !a.m.Shared {
		one, two := b.d.blockOf(c.a.time(), 0), b.d.blockOf(c.b.time(), 1)
		if one != two || two != b.number {
			return one < two && two < b.number
		}
		if c.a.time() <= b.base || c.b.time() <= b.base {
			return false
		}
	}
	return c.a.warp() < c.b.warp() && c.b.warp() < a.w.index
}

// keep enters a read or an atomic. Of those that nothing orders, a is that of
// the lowest thread, and b one that is as far from it as there is: of another
// block, or else of another warp.
func (a *access) keep(c *cell) {
	if a.full(c) {
		return
	}
	if c.a.same(a.me) {
		c.a = c.a.with(a.lane)
		return
	}
	if c.b.same(a.me) {
		c.b = c.b.with(a.lane)
		return
	}
	type party struct {
		mark
		block uint32
	}
	me := party{a.me, a.w.block.number}
	one, two := party{mark: c.a}, party{mark: c.b}
	if two.mark != 0 {
		two.block = a.w.blockOf(a.m, two.mark, 1)
		if a.ordered(two.mark, two.block) {
			two.mark = 0
		}
	}
	if one.mark != 0 {
		one.block = a.w.blockOf(a.m, one.mark, 0)
		if a.ordered(one.mark, one.block) {
			one, two.mark = two, 0
		}
	}
	if one.mark == 0 {
		c.a, c.b = me.mark, 0
		return
	}
	before := func(x, y party) bool {
		return x.block < y.block || x.block == y.block && x.thread() < y.thread()
	}
	distance := func(x party) int {
		switch {
		case x.block != one.block:
			return 2
		case x.warp() != one.warp():
			return 1
		}
		return 0
	}
	if before(me, one) {
		one, me = me, one
	}
	if two.mark == 0 {
		two = me
	} else if old, new := distance(two), distance(me); new > old || new == old && before(me, two) {
		two = me
	}
	c.a, c.b = one.mark, two.mark
}
