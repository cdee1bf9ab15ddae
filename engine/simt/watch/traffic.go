package watch

import (
	"math/bits"

	"workbench/engine/launch"
	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
)

const (
	sectorBytes = 32
	lineBytes   = 128
	banks       = 32
	wordBytes   = 4
)

// set is the different ones of up to 32 numbers.
type set struct {
	n    int
	most uint64
	seen [32]uint64
}

func (s *set) clear() { s.n = 0 }

// add adds x, and reports whether it is new.
func (s *set) add(x uint64) bool {
	if s.n > 0 && x <= s.most {
		for i := s.n - 1; i >= 0; i-- {
			if s.seen[i] == x {
				return false
			}
		}
	}
	if s.n == 0 || x > s.most {
		s.most = x
	}
	s.seen[s.n&31] = x
	s.n++
	return true
}

// counter counts accesses. Its sets are there to be used again.
type counter struct {
	wanted, sectors, lines set

	known   []*known // by the pattern's Slot
	scratch facts
}

// traffic counts an access to global memory. Allocations begin at multiples of
// 256 bytes, so that an offset says where a sector or a line ends; no lane's
// access crosses one, since it is aligned and has 16 bytes at most.
func (c *counter) traffic(t *launch.Traffic, a *run.Access) {
	f := c.facts(a)
	if f == nil || f.sectors == 0 {
		c.wanted.clear()
		c.sectors.clear()
		c.lines.clear()
		for m := a.Mask; m != 0; m &= m - 1 {
			p := a.Addrs[bits.TrailingZeros32(m)&31]
			if c.wanted.add(p) && c.sectors.add(p/sectorBytes) {
				c.lines.add(p / lineBytes)
			}
		}
		if f == nil {
			f = &c.scratch
		}
		f.distinct, f.sectors, f.lines = uint8(c.wanted.n), uint8(c.sectors.n), uint8(c.lines.n)
	}
	lanes, width := int64(bits.OnesCount32(a.Mask)), int64(a.Width())
	t.Requests++
	t.Lanes += lanes
	t.Bytes += lanes * width
	t.Distinct += int64(f.distinct) * width
	t.Sectors += int64(f.sectors)
	t.Transactions += int64(f.lines)
}

// banked counts an access to shared memory. What bank a word is in depends on
// where its array lies, and who shares a bank does not.
func (c *counter) banked(b *launch.Banked, a *run.Access) {
	lanes, width := int64(bits.OnesCount32(a.Mask)), a.Width()
	b.Requests++
	b.Lanes += lanes
	b.Bytes += lanes * int64(width)
	f := c.facts(a)
	if f == nil || f.phases == 0 {
		if f == nil {
			f = &c.scratch
		}
		f.phases, f.turns = 0, 0
		words := max(width/wordBytes, 1)
		size := 32 / words // lanes of a phase
		for phase := range words {
			m := a.Mask >> (phase * size) << (phase * size)
			if words > 1 {
				m &= 1<<(phase*size+size) - 1 // all of them in the last phase: the shift leaves 0
			}
			if m != 0 {
				f.phases++
				f.turns += uint8(c.turns(a, m, words))
			}
		}
	}
	b.Turns += int64(f.turns)
	b.Conflicts += int64(f.turns - f.phases)
}

// facts is what an access of a pattern comes to, from one place within a line.
// What is 0 is not known yet.
type facts struct {
	distinct, sectors, lines uint8
	phases, turns            uint8 // 128 in all at most: 32 lanes of 4 words
}

// known is the facts of one pattern, by the word of a line that its first lane is
// at.
type known struct {
	of *run.Pattern
	at [lineBytes / wordBytes]facts
}

// facts returns those of a's pattern, nil if it has none. One instruction has a
// pattern, so that they are always of the same width.
func (c *counter) facts(a *run.Access) *facts {
	p := a.Pattern
	if p == nil {
		return nil
	}
	at := a.Addrs[bits.TrailingZeros32(a.Mask)&31] % lineBytes
	if at%wordBytes != 0 {
		return nil
	}
	for len(c.known) <= p.Slot {
		c.known = append(c.known, nil)
	}
	k := c.known[p.Slot]
	if k == nil {
		k = &known{}
		c.known[p.Slot] = k
	}
	if k.of != p {
		*k = known{of: p}
	}
	return &k.at[at/wordBytes]
}

// turns returns how often the busiest bank is asked in one phase.
func (c *counter) turns(a *run.Access, mask uint32, words int) int64 {
	c.wanted.clear()
	var asked [banks]int64
	most := int64(1)
	for ; mask != 0; mask &= mask - 1 {
		p := a.Addrs[bits.TrailingZeros32(mask)&31]
		for k := range uint64(words) {
			word := p/wordBytes + k
			if a.Kind == run.Atomic || c.wanted.add(word) {
				n := &asked[word%banks]
				*n++
				most = max(most, *n)
			}
		}
	}
	return most
}

// usage is how the values of one array were used.
type usage struct {
	shared   bool
	sum      launch.ArrayCounts
	size     int64 // bytes of an element
	shift    int   // of a size that is a power of two its logarithm, otherwise -1
	requests uint32
	elements []element // nil if there are too many
}

// element is one value of an array.
type element struct {
	loads   uint32
	request uint32 // the last that fetched it
	block   uint32 // the last that loaded it, counted from 1
	stored  bool
}

// maxElements bounds the arrays whose elements are counted one by one.
const maxElements = 1 << 26

// use counts how often the values of arrays are accessed.
func (m *Measures) use(list *[]*usage, a *run.Access) {
	width := int64(a.Width())
	if p := a.Pattern; p != nil {
		first := run.Pointer(a.Addrs[bits.TrailingZeros32(a.Mask)&31])
		u := m.usage(list, a, first)
		u.requests++
		base := int64(uint64(first) & offsetMask)
		block := uint32(a.Warp.Block.Number) + 1
		switch {
		case a.Kind == run.Load && width == u.size && u.elements != nil:
			// No two places are one element.
			u.sum.Loads += int64(bits.OnesCount32(a.Mask))
			u.sum.Fetches += int64(p.Places)
			at := u.index(base)
			if p.Step == u.size && p.Each > 0 {
				list := u.elements[at : at+int64(p.Places)]
				for i := range list {
					e := &list[i]
					e.loads += uint32(p.Each)
					if e.block != block {
						e.block = block
						u.sum.Shares++
					}
				}
				return
			}
			for k, o := range p.Offsets[:p.Places] {
				e := &u.elements[at+u.index(o)]
				e.loads += uint32(bits.OnesCount32(p.Lanes[k]))
				if e.block != block {
					e.block = block
					u.sum.Shares++
				}
			}
		case a.Kind == run.Load:
			for k, o := range p.Offsets[:p.Places] {
				u.load(u.index(base+o), u.index(base+o+width-1), block, uint32(bits.OnesCount32(p.Lanes[k])))
			}
		default:
			for k, o := range p.Offsets[:p.Places] {
				from, to := u.index(base+o), u.index(base+o+width-1)
				u.sum.Stores += (to - from + 1) * int64(bits.OnesCount32(p.Lanes[k]))
				u.store(from, to)
			}
		}
		return
	}
	for mask := a.Mask; mask != 0; {
		first := run.Pointer(a.Addrs[bits.TrailingZeros32(mask)])
		u := m.usage(list, a, first)
		u.requests++
		key := uint64(first) &^ offsetMask
		block := uint32(a.Warp.Block.Number) + 1
		for rest := mask; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros32(rest)
			at := a.Addrs[i&31] - key
			if at > offsetMask {
				continue
			}
			mask &^= 1 << i
			from, to := u.index(int64(at)), u.index(int64(at)+width-1)
			switch a.Kind {
			case run.Load:
				u.load(from, to, block, 1)
			case run.Store:
				u.sum.Stores += to - from + 1
				u.store(from, to)
			default:
				u.sum.Atomics += to - from + 1
			}
		}
	}
}

func (m *Measures) usage(list *[]*usage, a *run.Access, p run.Pointer) *usage {
	n := p.Number()
	for len(*list) <= n {
		*list = append(*list, nil)
	}
	if u := (*list)[n]; u != nil {
		return u
	}
	x := a.Warp.Memory(p)
	u := &usage{shared: a.Space == code.Shared, size: int64(max(x.ElemSize, 1))}
	if x.ElemSize == 0 {
		u.size = int64(a.Size)
	}
	u.shift = -1
	if u.size&(u.size-1) == 0 {
		u.shift = bits.TrailingZeros64(uint64(u.size))
	}
	count := (x.Size + u.size - 1) / u.size
	u.sum = launch.ArrayCounts{Name: x.Label, Element: x.Elem, Elements: count}
	if count <= maxElements {
		u.elements = make([]element, count)
	}
	(*list)[n] = u
	m.order = append(m.order, u)
	return u
}

// index returns the element that a byte is in.
func (u *usage) index(offset int64) int64 {
	if u.shift >= 0 {
		return offset >> u.shift
	}
	return offset / u.size
}

// load counts a load of elements by so many lanes.
func (u *usage) load(from, to int64, block, lanes uint32) {
	u.sum.Loads += (to - from + 1) * int64(lanes)
	if u.elements == nil {
		return
	}
	for i := from; i <= to; i++ {
		e := &u.elements[i]
		e.loads += lanes
		if e.request != u.requests {
			e.request = u.requests
			u.sum.Fetches++
		}
		if e.block != block {
			e.block = block
			u.sum.Shares++
		}
	}
}

func (u *usage) store(from, to int64) {
	if u.elements == nil {
		return
	}
	for i := from; i <= to; i++ {
		u.elements[i].stored = true
	}
}

// settle sums the elements up and begins anew: shared memory is another for the
// next block.
func (u *usage) settle() {
	for i := range u.elements {
		e := &u.elements[i]
		if e.loads > 0 {
			u.sum.Loaded++
			u.sum.Most = max(u.sum.Most, int64(e.loads))
		}
		if e.stored {
			u.sum.Stored++
		}
	}
	clear(u.elements)
	u.requests = 0
}
