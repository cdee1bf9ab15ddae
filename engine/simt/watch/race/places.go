package race

import "math/bits"

// threadBits are those of a mark that say whose it is, within the block.
const threadBits mark = 1<<siteShift - 1 - fencedMark

// Places is Access of plain reads or writes, of elements of 4 bytes or more,
// whose lanes are given by where they are: each place is an offset from base,
// with the lanes that are there. No two places overlap.
func (w *Warp) Places(site int, m *Memory, base int64, offsets []int64, lanes []uint32, width int) {
	d := w.block.d
	if d.last != w.block {
		d.turn(w.block)
	}
	a := access{w: w, m: m, now: at(d.now, site, w.index), bound: d.began}
	since := d.starts[len(d.starts)-1] // what is from then on is of this block
	if m.Shared {
		a.bound, since = w.block.base, 0
	}
	until, own := mark(a.bound+1)<<32, mark(since)<<32 // marks below are up to the bound, or may be another block's
	write := d.sites[site].Kind == Write
	quick := m.Shared && !d.fenced
	unmet := mark(w.base+1) << 32 // marks from here on are behind what ordered the lanes of this warp
	if w.rows != nil {
		unmet = ^mark(0)
	}
	var p *page
	last := int64(-1)
	for k, offset := range offsets {
		offset += base
		if n := offset >> pageBits; n != last {
			if p, last = m.page(offset), n; p == nil {
				last = -1
				continue
			}
		}
		group := lanes[k]
		one := bits.TrailingZeros32(group)
		two := one
		rest := group & (group - 1)
		if rest != 0 {
			two = bits.TrailingZeros32(rest)
		}
		me := a.now | mark(one)<<laneShift | mark(two)<<1
		i := int(offset&(pageBytes-1)) >> p.shift
		for ; i < int(offset&(pageBytes-1)+int64(width))>>p.shift; i++ {
			c := &p.cells[i]
			// A lane comes behind what it did itself.
			mine := func(x mark) bool { return rest == 0 && x >= own && (x^me)&threadBits == 0 }
			switch {
			case write:
				if rest == 0 && (c.w < until || mine(c.w)) && (c.a < until || mine(c.a)) && (c.b < until || mine(c.b)) {
					*c = cell{w: me}
					continue
				}
			case c.w >= until && !mine(c.w):
			case (c.a|c.b)&atomicMark != 0 && (c.a >= until || c.b >= until):
			case c.b < until && (c.a < until || mine(c.a)):
				c.a, c.b = me, 0
				continue
			case quick && c.b < until && c.a.warp() < w.index:
				c.b = me
				continue
			case quick && c.a >= until && c.b >= until && c.a.warp() < c.b.warp() && c.b.warp() < w.index:
				continue
			case rest != 0 && !d.fenced && c.a >= own && c.a >= unmet && c.b >= own && c.b >= unmet && ((c.a^me)|(c.b^me))&threadBits == 0:
				continue // the same lanes have both already, and nothing orders them
			case !quick && a.full(c):
				continue
			}
			a.cells, a.offset, a.shift = p.cells[i:i+1], last<<pageBits+int64(i)<<p.shift, p.shift
			for group := group; group != 0; group &= group - 1 {
				a.lane = bits.TrailingZeros32(group)
				a.me = a.now.by(a.lane)
				if write {
					a.write()
				} else {
					a.read()
				}
			}
		}
	}
}
