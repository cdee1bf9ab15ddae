package race

import "math/bits"

// threadBits are those of a mark that say whose it is, within the block.
const threadBits mark = 1<<siteShift - 1 - fencedMark

// Places is Access of plain reads or writes, of elements of 4 bytes or more,
// whose lanes are given by where they are: each place is an offset from base,
// with the lanes that are there. No two places overlap. What the arrays hold must
// not change any more.
func (w *Warp) Places(site int, m *Memory, base int64, places int, offsets *[32]int64, lanes *[32]uint32, width int) {
	d := w.block.d
	if d.last != w.block {
		d.turn(w.block)
	}
	now := at(d.now, site, w.index)
	if d.sites[site].Kind == Write {
		m.touch(d.now)
		r := reading{w, now, base, offsets, lanes, int32(places), int32(width)}
		r.enter(m, true)
		return
	}
	if !m.Shared || d.fenced || m.touched > w.block.base {
		r := reading{w, now, base, offsets, lanes, int32(places), int32(width)}
		r.enter(m, false)
		return
	}
	if len(m.reads) == 0 {
		w.block.putBy = append(w.block.putBy, m)
	}
	if len(m.reads) == maxReads {
		m.settle()
	}
	m.reads = append(m.reads, reading{w, now, base, offsets, lanes, int32(places), int32(width)})
}

// reading is one call of Places. A read of shared memory that nobody has written
// since the last barrier is only put by: if the next barrier comes before a write
// does, as it should, nothing has to be known of it. It is entered before anything
// happens on which it depends what a read leaves: another access than such a read,
// and whatever orders lanes of the block.
type reading struct {
	w       *Warp
	now     mark
	base    int64
	offsets *[32]int64
	lanes   *[32]uint32
	places  int32
	width   int32
}

// maxReads bounds what is put by of one array.
const maxReads = 1 << 12

// touch says that m is accessed otherwise than by a plain read.
func (m *Memory) touch(now uint32) {
	if len(m.reads) > 0 {
		m.settle()
	}
	m.touched = now
}

// settle enters the reads that were put by.
func (m *Memory) settle() {
	for i := range m.reads {
		m.reads[i].enter(m, false)
	}
	m.reads = m.reads[:0]
}

// settle enters those of all arrays of the block.
func (b *Block) settle() {
	for _, m := range b.putBy {
		m.settle()
	}
	b.putBy = b.putBy[:0]
}

// drop forgets them.
func (b *Block) drop() {
	for _, m := range b.putBy {
		m.reads = m.reads[:0]
	}
	b.putBy = b.putBy[:0]
}

// enter enters the marks of all places.
func (r *reading) enter(m *Memory, write bool) {
	w, d := r.w, r.w.block.d
	a := access{w: w, m: m, now: r.now, bound: d.began}
	own := mark(0) // marks below may be another block's
	if m.Shared {
		a.bound = w.block.base
	} else {
		own = mark(d.starts[len(d.starts)-1]) << 32
	}
	until := mark(a.bound+1) << 32 // marks below are up to the bound
	quick := m.Shared && !d.fenced
	unmet := mark(w.base+1) << 32 // marks from here on are behind what ordered the lanes of this warp
	if w.rows != nil || d.fenced {
		unmet = ^mark(0)
	}
	var fullA, fullB mark // of a full cell: others with the same are full as well
	var p *page
	last := int64(-1)
	for k, offset := range r.offsets[:r.places] {
		offset += r.base
		if n := offset >> pageBits; n != last {
			if p, last = m.page(offset), n; p == nil {
				last = -1
				continue
			}
		}
		group := r.lanes[k&31]
		one := bits.TrailingZeros32(group)
		two := one
		if rest := group & (group - 1); rest != 0 {
			two = bits.TrailingZeros32(rest)
		}
		me := r.now | mark(one)<<laneShift | mark(two)<<1
		i := int(offset&(pageBytes-1)) >> p.shift
		for end := i + int(r.width)>>p.shift; i < end; i++ {
			c := &p.cells[i]
			// A lane comes behind what it did itself.
			mine := func(x mark) bool { return one == two && x >= own && (x^me)&threadBits == 0 }
			switch {
			case write:
				if one == two && (c.w < until || mine(c.w)) && (c.a < until || mine(c.a)) && (c.b < until || mine(c.b)) {
					*c = cell{w: me}
					continue
				}
			case c.w >= until && !mine(c.w):
			case (c.a|c.b)&atomicMark != 0 && (c.a >= until || c.b >= until):
			case c.b < until && (c.a < until || mine(c.a)):
				c.a, c.b = me, 0
				continue
			case quick:
				if c.b < until && c.a.warp() < w.index {
					c.b = me
					continue
				}
				if c.a >= until && c.b >= until && c.a.warp() < c.b.warp() && c.b.warp() < w.index {
					continue
				}
				if one != two && c.a >= unmet && c.b >= unmet && ((c.a^me)|(c.b^me))&threadBits == 0 {
					continue // the same lanes have both already, and nothing orders them
				}
			case c.a>>warpShift == fullA && c.b>>warpShift == fullB:
				continue
			case one != two && c.a >= own && c.a >= unmet && c.b >= own && c.b >= unmet && ((c.a^me)|(c.b^me))&threadBits == 0:
				continue
			case a.full(c):
				fullA, fullB = c.a>>warpShift, c.b>>warpShift
				continue
			}
			a.cells, a.offset, a.shift = p.cells[i:i+1], last<<pageBits+int64(i)<<p.shift, p.shift
			for group := group; group != 0; group &= group - 1 {
				a.lane = bits.TrailingZeros32(group)
				a.me = r.now.by(a.lane)
				if write {
					a.write()
				} else {
					a.read()
				}
			}
		}
	}
}
