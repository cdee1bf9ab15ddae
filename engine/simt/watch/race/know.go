package race

import "math/bits"

// A known says of other blocks, and of other warps of the own one, up to which
// time their accesses are known to have happened before: a map from a block's
// number, as a Patricia tree that is never changed, so that what many lanes know
// is there once (Okasaki and Gill, "Fast Mergeable Integer Maps").
type known struct {
	key         uint32 // of a leaf the block; of a branch the bits above bit that all below have
	bit         uint32 // of a branch the highest bit in which its sides differ; 0 of a leaf
	left, right *known

	all  uint32   // everything of the block up to here
	some []moment // and more of some of its threads, by who
}

// moment is a time up to which the accesses of a thread or a warp are known.
type moment struct {
	who  uint32 // 32·warp + lane, or wholeWarp + warp
	time uint32
}

const wholeWarp = 1 << 16

// find returns the leaf of a block, nil if nothing is known of it.
func (k *known) find(block uint32) *known {
	for k != nil && k.bit != 0 {
		if block&k.bit == 0 {
			k = k.left
		} else {
			k = k.right
		}
	}
	if k == nil || k.key != block {
		return nil
	}
	return k
}

// has reports whether the access at a time by a lane is known.
func (k *known) has(block uint32, warp, lane int, time uint32) bool {
	leaf := k.find(block)
	if leaf == nil {
		return false
	}
	if time <= leaf.all {
		return true
	}
	for _, m := range leaf.some {
		if time <= m.time && (m.who == wholeWarp+uint32(warp) || m.who == 32*uint32(warp)+uint32(lane)) {
			return true
		}
	}
	return false
}

func mask(key, bit uint32) uint32 { return key &^ (bit<<1 - 1) }

// branch puts two trees that differ in their keys together.
func branch(a, b *known) *known {
	bit := uint32(1) << (31 - bits.LeadingZeros32(a.key^b.key))
	if a.key&bit != 0 {
		a, b = b, a
	}
	return &known{key: mask(a.key, bit), bit: bit, left: a, right: b}
}

// union returns what is known from either; one of them as it is where it has
// all of the other.
func union(a, b *known) *known {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	case a.bit == 0 && b.bit == 0 && a.key == b.key:
		return join(a, b)
	case a.bit == b.bit && a.key == b.key:
		return a.sides(union(a.left, b.left), union(a.right, b.right), b)
	case a.bit > b.bit && mask(b.key, a.bit) == a.key:
		if b.key&a.bit == 0 {
			return a.sides(union(a.left, b), a.right, nil)
		}
		return a.sides(a.left, union(a.right, b), nil)
	case b.bit > a.bit && mask(a.key, b.bit) == b.key:
		if a.key&b.bit == 0 {
			return b.sides(union(b.left, a), b.right, nil)
		}
		return b.sides(b.left, union(b.right, a), nil)
	}
	return branch(a, b)
}

// sides returns the branch k with other sides: k or or if it has them already.
func (k *known) sides(left, right, or *known) *known {
	if left == k.left && right == k.right {
		return k
	}
	if or != nil && left == or.left && right == or.right {
		return or
	}
	return &known{key: k.key, bit: k.bit, left: left, right: right}
}

// join returns what two leaves of one block know together.
func join(a, b *known) *known {
	all := max(a.all, b.all)
	some := make([]moment, 0, len(a.some)+len(b.some))
	x, y := a.some, b.some
	for len(x) > 0 || len(y) > 0 {
		var m moment
		switch {
		case len(y) == 0 || len(x) > 0 && x[0].who < y[0].who:
			m, x = x[0], x[1:]
		case len(x) == 0 || y[0].who < x[0].who:
			m, y = y[0], y[1:]
		default:
			m, x, y = moment{x[0].who, max(x[0].time, y[0].time)}, x[1:], y[1:]
		}
		if m.time > all {
			some = append(some, m)
		}
	}
	for _, k := range []*known{a, b} {
		if k.all == all && equal(k.some, some) {
			return k
		}
	}
	return &known{key: a.key, all: all, some: some}
}

func equal(a, b []moment) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// A release is what a lane has fenced: known to it when it did, and its own
// accesses up to then. Lanes that fenced in one instruction and knew the same
// have one together.
type release struct {
	known *known
	time  uint32 // of the fence; 0 if known says all
	lanes uint32 // that have it
}

// of returns what the release of one lane says.
func (r *release) of(w *Warp, lane int) *known {
	if r == nil {
		return nil
	}
	if r.time == 0 {
		return r.known
	}
	own := &known{key: w.block.number, some: []moment{{32*uint32(w.index) + uint32(lane), r.time}}}
	return union(r.known, own)
}

// ofAll returns what the releases of all lanes in mask say together.
func (r *release) ofAll(w *Warp, mask uint32) *known {
	if r.time == 0 {
		return r.known
	}
	if mask == r.lanes {
		// Lanes of this warp that are not in it made no access then, have ended,
		// or wait in another branch and will say more by themselves.
		own := &known{key: w.block.number}
		for lane := range 32 {
			if mask>>lane&1 != 0 {
				own.some = append(own.some, moment{32*uint32(w.index) + uint32(lane), r.time})
			}
		}
		if mask == w.every {
			own.some = []moment{{wholeWarp + uint32(w.index), r.time}}
		}
		return union(r.known, own)
	}
	var k *known
	for lane := range 32 {
		if mask>>lane&1 != 0 {
			k = union(k, r.of(w, lane))
		}
	}
	return k
}

// A flag is a place that lanes synchronise through: what was released there.
type flag struct {
	device *known            // for everyone
	local  map[uint32]*known // and for the lanes of one block
}
