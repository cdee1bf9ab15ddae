package race

// A tally is an atomic that a lane has executed: all atomics on the place before
// it came before what the lane writes there from then on, fence or not, since one
// place has one order. That is how the last of those who count sets the counter
// back with a plain write.
type tally struct {
	m      *Memory
	offset int64
	width  int64
	time   uint32
	lane   int
}

// maxTallies bounds how many places a block remembers behind a barrier.
const maxTallies = 256

// tallies are the last places of a warp's lanes, and who has had one since the
// last barrier.
type tallies struct {
	since uint32
	next  [32]uint8
	last  [32][4]tally
}

// tally enters an atomic of a lane.
func (w *Warp) tally(m *Memory, offset int64, width, lane int, time uint32) {
	if w.tallies == nil {
		w.tallies = &tallies{}
		w.block.tallying = true
	}
	t := w.tallies
	t.since |= 1 << lane
	to := -1
	for i := range t.last[lane] {
		if x := &t.last[lane][i]; x.m == m && x.offset == offset {
			to = i
		}
	}
	if to < 0 {
		to = int(t.next[lane])
		t.next[lane] = uint8(to+1) % uint8(len(t.last[lane]))
	}
	t.last[lane][to] = tally{m, offset, int64(width), time, lane}
}

// shareTallies gives the whole block, at a barrier, what its lanes have.
func (b *Block) shareTallies() {
	for i := range b.warps {
		t := b.warps[i].tallies
		if t == nil || t.since == 0 {
			continue
		}
		for lane := range t.last {
			if t.since>>lane&1 == 0 {
				continue
			}
			for _, x := range t.last[lane] {
				if x.m == nil {
					continue
				}
				k := tallyAt{x.m, x.offset}
				if old, ok := b.tallies[k]; ok && (old.time > x.time || old.time == x.time && old.lane > x.lane) {
					continue
				}
				if b.tallies == nil || len(b.tallies) >= maxTallies {
					b.tallies = map[tallyAt]tally{}
				}
				b.tallies[k] = x
			}
		}
		t.since = 0
	}
}

type tallyAt struct {
	m      *Memory
	offset int64
}

// observed reports whether a lane, or its block before a barrier, has executed
// an atomic on a place behind the one that left a mark.
func (w *Warp) observed(m *Memory, offset int64, lane int, one mark, of int) bool {
	behind := func(x *tally) bool {
		return x.m == m && x.offset <= offset && offset < x.offset+x.width && (x.time > one.time() || x.time == one.time() && x.lane > of)
	}
	if w.tallies != nil {
		for i := range w.tallies.last[lane] {
			if behind(&w.tallies.last[lane][i]) {
				return true
			}
		}
	}
	for _, start := range [...]int64{offset, offset &^ 3, offset &^ 7} {
		if x, ok := w.block.tallies[tallyAt{m, start}]; ok && behind(&x) {
			return true
		}
	}
	return false
}
