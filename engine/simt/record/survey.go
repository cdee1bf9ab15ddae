package record

import (
	"math/bits"

	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
)

// A survey is told of a block the first time. It takes down how many steps there
// are, what is where in them and how long their log may get, but no values: writing
// those takes several times what the kernel takes, and most are never looked at.
type survey struct {
	bystander

	r    *Recorder
	t    *tape
	open *segment
	size int // bytes that the open segment's log may have
	most int // of them, at which the next segment begins
	done bool

	step    int // the one that began last
	phase   int
	current [32]int // by warp: its last step
	warp    int     // that began a statement last
	printed int
	round   int   // of the block's warps
	blank   int64 // bytes of the block's state at its beginning

	seen [256]seen // accesses of the segment
}

var _ observer = (*survey)(nil)

// seen is an access that is in a segment's filter.
type seen struct {
	pattern *run.Pattern
	at      uint64
	width   int
}

func (s *survey) Wants() run.Events { return wants }

// Begin begins a block.
func (s *survey) Begin(b *run.Block) {
	s.t.start(b)
	s.t.checks.take(b, s.r.before, s.t.bound/8)
	s.blank = s.t.blank(b).size
	s.most = int(min(max(segmentBytes, 4*s.blank), max(segmentBytes, s.t.bound/16)))
	s.step = -1
	for i := range s.current {
		s.current[i] = -1
	}
	s.enter()
}

// enter begins a segment.
func (s *survey) enter() {
	s.open = &segment{first: s.step + 1, places: make([]uint64, len(s.t.grid.Program.Positions)/64+1), late: never}
	s.size = 0
	clear(s.seen[:])
}

// close ends it.
func (s *survey) close() {
	t, g := s.t, s.open
	g.steps = s.step + 1 - g.first
	g.length = s.size
	g.size = s.blank + int64(s.size) + 4*int64(g.steps)
	t.checks.since += int64(s.size)
	t.segments = append(t.segments, g)
	t.steps = s.step + 1
}

// cut is called before a step begins: it may be the first of another segment.
func (s *survey) cut() {
	if s.size < s.most {
		return
	}
	s.close()
	if len(s.t.segments) == maxSegments {
		s.t.reason, s.done = "the block does more than can be recorded", true
		s.t.phases = s.phase + 1
		s.r.finished()
		return
	}
	s.enter()
}

// stop ends the survey of a block that has not come to its end.
func (s *survey) stop() {
	if s.done {
		return
	}
	s.done = true
	s.close()
	s.t.phases = s.phase + 1
}

// Round is between the turns of the warps.
func (s *survey) Round(b *run.Block) {
	if s.done {
		return
	}
	s.settle(b)
	s.round++
	s.checkpoint(b, s.t.bound/4)
}

// End ends the block.
func (s *survey) End(b *run.Block) {
	if s.done {
		return
	}
	s.settle(b)
	if !b.Alone {
		s.t.checks.lost()
	}
	for _, w := range b.Warps {
		if w.Live != 0 {
			return // the launch has ended, and the block has not
		}
	}
	if s.cut(); s.done {
		return
	}
	s.step++
	s.size += header
	s.open.releases = true
	s.stop()
	s.t.complete = true
	s.r.finished()
}

// settle takes down what was printed since the last event.
func (s *survey) settle(b *run.Block) {
	if n := len(b.Printed()); n != s.printed {
		s.goesOn(s.warp)
		s.size += n - s.printed + header*((n-s.printed)/maxText+1)
		s.printed = n
	}
}

// goesOn takes down that a warp does something in its last step, which may be in a
// segment before.
func (s *survey) goesOn(warp int) {
	if step := s.current[warp]; step < s.open.first {
		s.open.late = min(s.open.late, max(step, 0))
	}
}

// Statement begins a step.
func (s *survey) Statement(w *run.Warp, pos code.Pos) {
	if s.done {
		return
	}
	s.settle(w.Block)
	if s.cut(); s.done {
		return
	}
	s.warp = w.Index
	s.step++
	s.current[w.Index] = s.step
	s.size += stepBytes
	g := s.open
	g.warps |= 1 << w.Index
	g.places[pos>>6] |= 1 << (pos & 63)
}

// Release is a step of the block.
func (s *survey) Release(b *run.Block) {
	if s.done {
		return
	}
	s.settle(b)
	if s.cut(); s.done {
		return
	}
	s.step++
	s.phase++
	s.size += header
	s.open.releases = true
}

func (s *survey) Barrier(*run.Warp, code.Pos) { s.size += header + 8 }

func (s *survey) Note(w *run.Warp, n *run.Noted) {
	switch {
	case n.V32 != nil:
		s.size += noteBytes + 4*bits.OnesCount32(w.Active)
	case n.V64 != nil:
		s.size += noteBytes + 8*bits.OnesCount32(w.Active)
	default:
		s.size += noteBytes + 8
	}
}

func (s *survey) Enter(*run.Warp, code.Pos, int) { s.size += header + 12 }
func (s *survey) Leave(*run.Warp)                { s.size += header }

// Exchanged takes down an exchange.
func (s *survey) Exchanged(w *run.Warp, x *run.Exchanged) {
	if s.done {
		return
	}
	s.goesOn(w.Index)
	s.open.exchanges = true
	s.size += exchBytes + bits.OnesCount32(x.Mask)*(1+storedSize(x.Gives)+storedSize(x.Gets))
}

// Declare gives a local array its number.
func (s *survey) Declare(w *run.Warp, _ code.Pos, p run.Pointer) {
	s.size += header + 12
	m := w.Memory(p)
	if m == nil || s.done {
		return
	}
	if s.t.local(m) < 0 {
		s.t.locals = append(s.t.locals, m) // which has no Data
	}
}

// Access takes down an access.
func (s *survey) Access(a *run.Access) {
	if s.done {
		return
	}
	s.goesOn(a.Warp.Index)
	lanes := bits.OnesCount32(a.Mask)
	s.size += accessBytes + lanes*a.Width()
	if p := a.Pattern; p != nil && a.Mask == every && (p.Places == 1 || p.Places == 32 && p.Step != 0) {
		s.size += 16
	} else {
		s.size += 8 * lanes
	}
	if a.Kind == run.Atomic {
		s.size += afterBytes + lanes*(8+a.Size)
	}
	if a.Kind != run.Load && a.Space == code.Global {
		s.t.checks.wrote(a)
	}
	if a.Space != code.Local {
		s.touch(a)
	}
}

// touch enters the elements of an access into a segment's filter.
func (s *survey) touch(a *run.Access) {
	t, g := s.t, s.open
	if p := a.Pattern; p != nil {
		// Loops come to the same places again and again.
		at := a.Addrs[bits.TrailingZeros32(a.Mask)&31]
		way := &s.seen[(at>>2^uint64(p.Slot))%uint64(len(s.seen))]
		if way.pattern == p && way.at == at && way.width == a.Width() {
			return
		}
		way.pattern, way.at, way.width = p, at, a.Width()
	}
	one := func(array int, o int64) {
		size := int64(max(t.arrays[array].ElemSize, 1))
		for e := o / size; e*size < o+int64(a.Width()); e++ {
			g.touch(array, e)
		}
	}
	if p := a.Pattern; p != nil {
		first := run.Pointer(a.Addrs[bits.TrailingZeros32(a.Mask)&31])
		o := first.Offset()
		if array, ok := t.arrayOf[first-run.Pointer(o)]; ok {
			for _, d := range p.Offsets[:p.Places] {
				one(array, o+d)
			}
		}
		return
	}
	lanes(a.Mask, func(lane int) {
		p := run.Pointer(a.Addrs[lane])
		if array, ok := t.arrayOf[p-run.Pointer(p.Offset())]; ok {
			one(array, p.Offset())
		}
	})
}
