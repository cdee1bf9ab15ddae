package race

import "math/bits"

// Barrier: all lanes of the block that have not ended are at a barrier.
func (b *Block) Barrier() {
	b.drop()
	if b.syncs {
		b.meet()
	}
	if b.tallying {
		b.shareTallies()
	}
	b.base = b.d.now
	for i := range b.warps {
		w := &b.warps[i]
		w.base, w.rows, w.primed = b.d.now, nil, 0
	}
	b.d.tick()
}

// meet puts together what the lanes of the block know and have fenced.
func (b *Block) meet() {
	for i := range b.warps {
		w := &b.warps[i]
		if w.sync == nil {
			continue
		}
		for lane, k := range w.sync.know {
			b.know = union(b.know, k)
			w.sync.know[lane] = nil
		}
		for scope := range w.sync.pending {
			for lane, k := range w.sync.pending[scope] {
				b.reads[scope] = union(b.reads[scope], k)
				w.sync.pending[scope][lane] = nil
			}
		}
		for scope := range w.sync.fenced {
			b.fenced[scope] = union(b.fenced[scope], w.fencedBy(scope, w.every))
			w.sync.fenced[scope] = [32]*release{}
		}
	}
}

// fencedBy returns what the lanes of a mask have fenced together.
func (w *Warp) fencedBy(scope int, mask uint32) *known {
	var k *known
	for mask != 0 {
		r := w.sync.fenced[scope][bits.TrailingZeros32(mask)]
		if r == nil {
			mask &= mask - 1
			continue
		}
		has := uint32(0)
		for rest := mask; rest != 0; rest &= rest - 1 {
			if lane := bits.TrailingZeros32(rest); w.sync.fenced[scope][lane] == r {
				has |= 1 << lane
			}
		}
		k = union(k, r.ofAll(w, has))
		mask &^= has
	}
	return k
}

// Sync: the active lanes are at a __syncwarp or an exchange, each for the lanes
// of its mask; live are those that have not ended.
func (w *Warp) Sync(active, live uint32, masks *[32]uint32) {
	w.block.settle()
	now := w.block.d.now
	first := bits.TrailingZeros32(active)
	if active == live && w.alike(active, masks) && masks[first]&live == live {
		w.base, w.rows = now, nil
		if w.sync != nil {
			w.share(w.every)
		}
		w.block.d.tick()
		return
	}
	for rest := active; rest != 0; {
		lane := bits.TrailingZeros32(rest)
		group := uint32(0)
		for more := rest; more != 0; more &= more - 1 {
			if other := bits.TrailingZeros32(more); masks[other] == masks[lane] && masks[lane]>>other&1 != 0 {
				group |= 1 << other
			}
		}
		w.part(group, now)
		rest &^= group | 1<<lane
	}
	w.block.d.tick()
}

// alike reports whether all lanes have the same mask.
func (w *Warp) alike(active uint32, masks *[32]uint32) bool {
	m := masks[bits.TrailingZeros32(active)]
	for ; active != 0; active &= active - 1 {
		if masks[bits.TrailingZeros32(active)] != m {
			return false
		}
	}
	return true
}

// part says that a part of the warp meets.
func (w *Warp) part(group uint32, now uint32) {
	if group&(group-1) == 0 {
		return
	}
	if w.rows == nil {
		w.rows = &[32][32]uint32{}
	}
	var together [32]uint32
	for rest := group; rest != 0; rest &= rest - 1 {
		row := &w.rows[bits.TrailingZeros32(rest)]
		for i, time := range row {
			together[i] = max(together[i], time)
		}
	}
	for rest := group; rest != 0; rest &= rest - 1 {
		together[bits.TrailingZeros32(rest)] = now
	}
	for rest := group; rest != 0; rest &= rest - 1 {
		w.rows[bits.TrailingZeros32(rest)] = together
	}
	if w.sync != nil {
		w.share(group)
	}
}

// share gives the lanes of a group what each of them knows and has fenced.
func (w *Warp) share(group uint32) {
	s := w.sync
	var k *known
	for rest := group; rest != 0; rest &= rest - 1 {
		k = union(k, s.know[bits.TrailingZeros32(rest)])
	}
	for rest := group; rest != 0; rest &= rest - 1 {
		s.know[bits.TrailingZeros32(rest)] = k
	}
	for scope := range s.pending {
		var k *known
		for rest := group; rest != 0; rest &= rest - 1 {
			k = union(k, s.pending[scope][bits.TrailingZeros32(rest)])
		}
		for rest := group; rest != 0; rest &= rest - 1 {
			s.pending[scope][bits.TrailingZeros32(rest)] = k
		}
	}
	for scope := range s.fenced {
		fenced := w.fencedBy(scope, group)
		if fenced == nil {
			continue
		}
		r := &release{known: fenced, lanes: group}
		for rest := group; rest != 0; rest &= rest - 1 {
			s.fenced[scope][bits.TrailingZeros32(rest)] = r
		}
	}
}

// Fence: the active lanes are at a fence, of the block only or of the device.
func (w *Warp) Fence(active uint32, block bool) {
	b := w.block
	d := b.d
	if !d.fenced {
		for b := range d.live {
			b.settle()
		}
		d.fenced = true
	}
	w.primed |= active
	s := w.lanes()
	var shared *release
	for rest := active; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)

		// What was read before is acquired.
		s.know[lane] = union(s.know[lane], union(s.pending[local][lane], b.reads[local]))
		s.pending[local][lane] = nil
		read := union(s.pending[device][lane], b.reads[device])
		if block {
			s.know[lane] = union(s.know[lane], read.find(b.number))
		} else {
			s.know[lane] = union(s.know[lane], read)
			s.pending[device][lane] = nil
		}

		// What is known now may be released.
		r := shared
		if r == nil || w.rows != nil || s.know[lane] != s.know[bits.TrailingZeros32(r.lanes)] {
			own := &known{key: b.number, all: b.base}
			if w.rows != nil {
				for other, time := range w.rows[lane] {
					if time > max(b.base, w.base) {
						own.some = append(own.some, moment{32*uint32(w.index) + uint32(other), time})
					}
				}
			}
			if w.base > b.base {
				own.some = append(own.some, moment{wholeWarp + uint32(w.index), w.base})
			}
			r = &release{known: union(union(b.know, s.know[lane]), own), time: d.now}
			shared = r
		}
		r.lanes |= 1 << lane
		s.fenced[local][lane] = r
		if !block {
			s.fenced[device][lane] = r
		}
	}
	d.tick()
}

// flag returns what was released at an offset, nil if nothing was.
func (m *Memory) flag(offset int64) *flag {
	if m.launch != m.d.launch || m.generation != m.d.generation {
		m.renew()
	}
	return m.flags[offset]
}

// release enters what is released at an offset.
func (m *Memory) release(offset int64) *flag {
	f := m.flag(offset)
	if f == nil {
		f = &flag{}
		if m.flags == nil {
			m.flags = map[int64]*flag{}
		}
		m.flags[offset] = f
	}
	return f
}

// synchronise is what a lane's atomic or volatile access at a place acquires
// and releases.
func (w *Warp) synchronise(s *Site, m *Memory, offset int64, lane int) {
	b := w.block
	if f := m.flag(offset); f != nil {
		switch s.Kind {
		case Atomic:
			sync := w.lanes()
			known := f.device
			if s.Local {
				known = known.find(b.number)
			}
			sync.know[lane] = union(sync.know[lane], union(known, f.local[b.number]))
		case VolatileRead:
			sync := w.lanes()
			sync.pending[device][lane] = union(sync.pending[device][lane], f.device)
			sync.pending[local][lane] = union(sync.pending[local][lane], f.local[b.number])
		case VolatileWrite:
			*f = flag{} // what is read from now on is this write
		}
	}
	if s.Kind == VolatileRead {
		return
	}
	fenced := b.fenced
	if w.sync != nil {
		for scope := range fenced {
			fenced[scope] = union(fenced[scope], w.sync.fenced[scope][lane].of(w, lane))
		}
	}
	if fenced[device] != nil && !s.Local {
		f := m.release(offset)
		f.device = union(f.device, fenced[device])
	}
	if fenced[local] != nil {
		f := m.release(offset)
		if f.local == nil {
			f.local = map[uint32]*known{}
		}
		f.local[b.number] = union(f.local[b.number], fenced[local])
	}
}
