package watch

import (
	"math/bits"

	"workbench/engine/launch"
	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
	"workbench/engine/simt/watch/race"
)

// array is an allocation in global or shared memory, with what is known of its
// contents.
type array struct {
	memory *run.Memory
	race   *race.Memory
	fixed  bool // the launch does not write it, so that nothing races with reading it

	written []uint64 // a bit for each byte; nil if all were from the beginning
	missing int64    // bytes that are not

	// Words that were read unwritten, by offset: the lowest thread's. A race at
	// the word takes it out, since then it was written, only not in time.
	early map[int64]*early
}

// early is a read of what was not written.
type early struct {
	pos    code.Pos
	thread thread
	offset int64
	width  int
}

// maxEarly bounds what is remembered of one array.
const maxEarly = 1 << 12

// array returns the record of what p points into.
func (c *Checks) array(a *run.Access, b *block, p run.Pointer) *array {
	n := p.Number()
	list := &c.global
	if a.Space == code.Shared {
		list = &b.shared
	}
	if n < len(*list) && (*list)[n] != nil {
		return (*list)[n]
	}
	for len(*list) <= n {
		*list = append(*list, nil)
	}
	m := a.Warp.Memory(p)
	to := &array{memory: m, fixed: a.Space == code.Global && !c.grid.Writes(m)}
	if c.detector != nil {
		to.race = c.detector.Memory(m.Size, a.Space == code.Shared, to)
	}
	if c.unwrittenToo && (a.Space == code.Shared || c.unwritten[m]) {
		to.written = make([]uint64, (m.Size+63)/64)
		to.missing = m.Size
	}
	(*list)[n] = to
	return to
}

// quiet reports whether an access can be no part of a race, whatever else the launch
// does.
func (a *array) quiet(access *run.Access) bool {
	if access.Kind != run.Load {
		a.fixed = false // an address from far away
	}
	return a.fixed && !access.Volatile
}

// forget makes the array unwritten, for another block.
func (a *array) forget() {
	if a.written != nil {
		clear(a.written)
		a.missing = a.memory.Size
	}
	a.early = nil
}

// wrote says that width bytes are written, at an offset.
func (a *array) wrote(o int64, width int) {
	word := &a.written[o>>6]
	if add := uint64(1<<width-1) << (o & 63) &^ *word; add != 0 {
		*word |= add
		a.missing -= int64(bits.OnesCount64(add))
	}
}

// unwritten returns which of width bytes at an offset are not written.
func (a *array) unwritten(o int64, width int) uint64 {
	return uint64(1<<width-1) &^ (a.written[o>>6] >> (o & 63))
}

// write says that lanes write width bytes each, at their offsets.
func (a *array) write(offsets *[32]int64, mask uint32, width int) {
	for m := mask; m != 0; m &= m - 1 {
		a.wrote(offsets[bits.TrailingZeros32(m)&31], width)
	}
}

// read looks for lanes that read what was not written.
func (c *Checks) read(a *run.Access, to *array, mask uint32) {
	width := a.Width()
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		o := c.offsets[lane]
		if bad := to.unwritten(o, width); bad != 0 {
			to.note(o+int64(bits.TrailingZeros64(bad)), &early{a.Pos, threadOf(a.Warp, lane), o, width})
		}
	}
}

// again notes atomics on what an atomic read unwritten before: which of them came
// first is up to the order of the warps, and that it is read is not.
func (c *Checks) again(a *run.Access, to *array, mask uint32) {
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		o := c.offsets[lane]
		if e := to.early[o&^3]; e != nil && e.pos == a.Pos && threadOf(a.Warp, lane).before(e.thread) {
			to.early[o&^3] = &early{a.Pos, threadOf(a.Warp, lane), o, a.Width()}
		}
	}
}

func (a *array) note(at int64, e *early) {
	at &^= 3
	old := a.early[at]
	switch {
	case old == nil && len(a.early) < maxEarly:
		if a.early == nil {
			a.early = map[int64]*early{}
		}
	case old == nil || !e.thread.before(old.thread):
		return
	}
	a.early[at] = e
}

// unread reports what was read unwritten and stayed so.
func (c *Checks) unread(list []*array) {
	for _, a := range list {
		if a == nil {
			continue
		}
		c.undecided = c.undecided || c.detector == nil && len(a.early) > 0
		for _, e := range a.early {
			f := c.finding(launch.Uninitialised, e.pos, a.memory, "", e.thread, e.offset)
			f.width = e.width
		}
		a.early = nil
	}
}

// locals is a local array of a warp: which lanes have written each of its bytes.
type locals struct {
	memory  *run.Memory
	written []uint32
	missing int // lanes and bytes that are not
}

// Declare begins the life of a local variable.
func (c *Checks) Declare(w *run.Warp, _ code.Pos, p run.Pointer) {
	s := &c.of(w.Block).warps[w.Index]
	m := w.Memory(p)
	if m == nil {
		return
	}
	n := p.Number()
	for len(s.locals) <= n {
		s.locals = append(s.locals, nil)
	}
	l := s.locals[n]
	if l == nil || l.memory != m {
		l = &locals{memory: m, written: make([]uint32, m.Size)}
		s.locals[n] = l
		l.missing = 32 * len(l.written)
		return
	}
	for i, lanes := range l.written {
		l.missing += bits.OnesCount32(lanes & w.Active)
		l.written[i] = lanes &^ w.Active
	}
}

// local looks at an access to local memory.
func (c *Checks) local(a *run.Access) {
	s := &c.of(a.Warp.Block).warps[a.Warp.Index]
	width := a.Width()
	for m := a.Mask; m != 0; {
		lane := bits.TrailingZeros32(m)
		p := run.Pointer(a.Addrs[lane])
		lanes := uint32(1) << lane
		for rest := m & (m - 1); rest != 0; rest &= rest - 1 {
			if i := bits.TrailingZeros32(rest) & 31; a.Addrs[i] == uint64(p) {
				lanes |= 1 << i
			}
		}
		m &^= lanes
		n := p.Number()
		if n >= len(s.locals) || s.locals[n] == nil || s.locals[n].missing == 0 {
			continue
		}
		l := s.locals[n]
		o := p.Offset()
		bytes := l.written[o : o+int64(width)]
		if a.Kind == run.Store {
			for i := range bytes {
				l.missing -= bits.OnesCount32(lanes &^ bytes[i])
				bytes[i] |= lanes
			}
			continue
		}
		bad := uint32(0)
		for i := range bytes {
			bad |= lanes &^ bytes[i]
		}
		if bad != 0 {
			f := c.finding(launch.Uninitialised, a.Pos, l.memory, "", threadOf(a.Warp, bits.TrailingZeros32(bad)), o)
			f.width = width
			f.count += int64(bits.OnesCount32(bad)) - 1
		}
	}
}
