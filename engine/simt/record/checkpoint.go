package record

import (
	"hash/maphash"
	"math/bits"
	"slices"

	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
)

// So that a part of a block can be made again without what comes before, a tape
// keeps what the block found in global memory where it differs from what the
// launches began with, and, every so often, the block itself with what it has
// written since the time before. A block that has waited for others cannot go on
// without them: of that the whole launch runs again.

const pageBytes = 4 << 10

// pages are pieces of global and constant memory.
type pages map[pageKey][]byte

type pageKey struct {
	memory run.Pointer // to its beginning
	page   int64
}

// memories are a machine's, by the pointers to them.
func memories(list []*run.Memory) map[run.Pointer]*run.Memory {
	out := map[run.Pointer]*run.Memory{}
	for _, m := range list {
		if m.Space == code.Global || m.Space == code.Constant {
			out[m.Pointer()] = m
		}
	}
	return out
}

func (p pages) bytes() int64 {
	n := int64(0)
	for _, data := range p {
		n += int64(len(data)) + 64
	}
	return n
}

// restore writes the pages to a machine's memory.
func (p pages) restore(memory map[run.Pointer]*run.Memory) {
	for k, data := range p {
		if m := memory[k.memory]; m != nil {
			copy(m.Data[k.page*pageBytes:], data)
		}
	}
}

func pageOf(m *run.Memory, page int64) []byte {
	return m.Data[page*pageBytes : min((page+1)*pageBytes, int64(len(m.Data)))]
}

// checkpoint is a block between two rounds of its warps.
type checkpoint struct {
	segment int // that it is in
	round   int
	saved   *run.Saved
	warp    int // that began a statement last
	printed int
	written pages // since the checkpoint before, or the block's beginning

	// What the variables hold, and who has stored what. That is known once the log
	// was written up to here: until then nothing goes on from it. Guarded by
	// tape.mu, and not written to once it is there.
	s    *state
	room int64 // bytes of it: until it is there, of the block's first
}

func (x *checkpoint) bytes() int64 { return x.saved.Bytes() + x.room + x.written.bytes() }

// checkpoints are those of a tape.
type checkpoints struct {
	begin *run.Saved // the block's beginning; nil if the launch must run from its own
	found pages      // what is in memory then, and was not when the launches began
	list  []*checkpoint
	size  int64 // bytes of all of it
	every int64 // bytes of log between two
	since int64 // bytes of log since the last
	dirty map[pageKey]bool
}

// hashes are those of the pages of memory before the launches.
type hashes struct {
	seed maphash.Seed
	of   map[run.Pointer][]uint64
}

func hashesOf(m *run.Machine) *hashes {
	h := &hashes{seed: maphash.MakeSeed(), of: map[run.Pointer][]uint64{}}
	for _, x := range m.Memories() {
		for page := int64(0); page*pageBytes < int64(len(x.Data)); page++ {
			h.of[x.Pointer()] = append(h.of[x.Pointer()], maphash.Bytes(h.seed, pageOf(x, page)))
		}
	}
	return h
}

// take takes down the memory that a block finds.
func (c *checkpoints) take(b *run.Block, h *hashes, most int64) {
	if !b.Alone || h == nil {
		return
	}
	c.found, c.dirty, c.every = pages{}, map[pageKey]bool{}, 4*segmentBytes
	size := int64(0)
	for at, m := range memories(b.Memories()) {
		was := h.of[at]
		for page := range was {
			data := pageOf(m, int64(page))
			if maphash.Bytes(h.seed, data) == was[page] {
				continue
			}
			if size += pageBytes + 64; size > most {
				c.found = nil
				return
			}
			c.found[pageKey{at, int64(page)}] = slices.Clone(data)
		}
	}
	c.begin, c.size = b.Start(), c.found.bytes()
}

// lost forgets it all: the block is not alone.
func (c *checkpoints) lost() { *c = checkpoints{} }

// wrote says that the block writes to global memory.
func (c *checkpoints) wrote(a *run.Access) {
	if c.begin == nil {
		return
	}
	last := pageKey{}
	for m := a.Mask; m != 0; m &= m - 1 {
		p := run.Pointer(a.Addrs[bits.TrailingZeros32(m)&31])
		k := pageKey{p - run.Pointer(p.Offset()), p.Offset() / pageBytes}
		if k != last {
			c.dirty[k] = true
			last = k
		}
	}
}

// checkpoint takes one, if it is due. most is what all may take.
func (s *survey) checkpoint(b *run.Block, most int64) {
	c := &s.t.checks
	if c.begin == nil {
		return
	}
	if !b.Alone {
		c.lost()
		return
	}
	if c.since < c.every {
		return
	}
	c.since = 0
	x := &checkpoint{segment: len(s.t.segments), round: s.round, saved: b.Save(), warp: s.warp, printed: s.printed, written: pages{}, room: s.blank}
	memory := memories(b.Memories())
	for k := range c.dirty {
		x.written[k] = slices.Clone(pageOf(memory[k.memory], k.page))
	}
	clear(c.dirty)
	c.list = append(c.list, x)
	c.size += x.bytes()
	for c.size > most && len(c.list) > 0 {
		c.thin()
	}
}

// thin leaves every second checkpoint out, from now on too.
func (c *checkpoints) thin() {
	c.every *= 2
	var kept []*checkpoint
	for i, x := range c.list {
		switch {
		case i%2 == 1:
			kept = append(kept, x)
		case i+1 < len(c.list):
			next := c.list[i+1]
			for k, data := range x.written {
				if next.written[k] == nil {
					next.written[k] = data
				}
			}
		default:
			// What it has written is of whatever comes next.
			for k := range x.written {
				c.dirty[k] = true
			}
		}
	}
	c.list = kept
	c.size = c.found.bytes()
	for _, x := range kept {
		c.size += x.bytes()
	}
}

// know takes down the state at a checkpoint that a head has come to, if there is
// room for it.
func (t *tape) know(x *checkpoint, s *state) {
	t.mu.Lock()
	defer t.mu.Unlock()
	more := s.size - x.room
	if x.s != nil || t.checks.size+more > t.bound/4 {
		return
	}
	x.s, x.room = s.clone(), s.size
	t.checks.size += more
}

// before returns the last checkpoint before a segment from which a block can go
// on, or nil, and how many checkpoints there are up to it.
func (c *checkpoints) before(segment int) (at *checkpoint, until int) {
	for i, x := range c.list {
		if x.segment < segment && x.s != nil {
			at, until = x, i+1
		}
	}
	return at, until
}
