package run

import "math/bits"

// A Pattern is how the lanes of an access lie to each other: which are at the
// same place, and how far its places are from one another. An instruction has
// few of them, one for most: what an observer finds out of a pattern it can keep,
// by its Slot. It does not change.
type Pattern struct {
	Slot int // a small number, which another pattern may have later

	// The places, in the order of the first lane that is at each: how far it is from
	// the place of the first lane of all, in bytes, and the lanes that are there.
	Places  int
	Offsets [32]int64
	Lanes   [32]uint32

	// What all places have in common, 0 where they do not: how far each is from the
	// one before it, and how many lanes are there.
	Step int64
	Each int

	mask      uint32
	apart     v64 // how far each lane is from the first
	low, high int64
	bits      uint64 // the bits that any of apart has
}

// patternWays is how many patterns of an instruction are remembered.
const patternWays = 4

// patterns are those of all instructions, by the number of the access. A worker
// has its own.
type patterns []accessed

// accessed is what a worker keeps of an instruction's accesses.
type accessed struct {
	list []*Pattern
	told Access // what observers were told last
}

// pattern returns the pattern of the active lanes.
func (w *Warp) pattern(a *v64, ac *access) *Pattern {
	list := w.patterns[ac.number].list
	base := a[first(w.Active)]
	for k, p := range list {
		if p.mask == w.Active && lanesApart(a, &p.apart, base)&p.mask == p.mask {
			list[0], list[k] = p, list[0]
			return p
		}
	}
	last := len(list)
	if last < patternWays {
		list = append(list, nil)
		w.patterns[ac.number].list = list
	} else {
		last-- // the one that was needed first: found ones go to the front, others behind
	}
	slot := ac.number*patternWays + last
	if old := list[last]; old != nil {
		slot = old.Slot
	}
	copy(list[1:], list[:last])
	list[0] = newPattern(a, w.Active, slot)
	return list[0]
}

// newPattern returns the pattern of the lanes of mask.
func newPattern(a *v64, mask uint32, slot int) *Pattern {
	p := &Pattern{Slot: slot, mask: mask}
	base := a[first(mask)]
	// Places by a hash of their distance, each as its index + 1.
	var seen [64]uint8
	for m := mask; m != 0; m &= m - 1 {
		i := first(m)
		d := a[i] - base
		p.apart[i] = d
		p.bits |= d
		p.low, p.high = min(p.low, int64(d)), max(p.high, int64(d))
		for h := d * 0x9e3779b97f4a7c15 >> 58; ; h = (h + 1) % 64 {
			n := seen[h]
			if n == 0 {
				p.Offsets[p.Places], p.Lanes[p.Places] = int64(d), 1<<i
				p.Places++
				seen[h] = uint8(p.Places)
				break
			}
			if p.Offsets[n-1] == int64(d) {
				p.Lanes[n-1] |= 1 << i
				break
			}
		}
	}
	p.Step, p.Each = p.Offsets[1], bits.OnesCount32(p.Lanes[0])
	for k := range p.Places {
		if p.Offsets[k] != int64(k)*p.Step {
			p.Step = 0
		}
		if bits.OnesCount32(p.Lanes[k]) != p.Each {
			p.Each = 0
		}
	}
	return p
}

// laid is span of an access that is observed: with the pattern of its lanes,
// where ok.
func (w *Warp) laid(a *v64, ac *access, s *span) (p *Pattern, ok bool) {
	at := a[first(w.Active)]
	limit, ok := w.region(at, ac, s)
	if !ok {
		return nil, false
	}
	o := at - s.base
	if o > limit {
		return nil, false
	}
	p = w.pattern(a, ac)
	return p, (o|p.bits)&(ac.width-1) == 0 && p.low >= -int64(o) && p.high <= int64(limit-o)
}
