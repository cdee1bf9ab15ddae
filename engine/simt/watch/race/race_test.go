package race

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// world drives a detector, and the reference if there is one.
type world struct {
	d      *Detector
	r      *reference
	blocks []*Block
	global *Memory
	shared []*Memory
	sites  map[string]int
	races  []Race
	places bool // plain accesses are told of by places
}

func newWorld(blocks, warps int) *world {
	w := &world{sites: map[string]int{}}
	w.d = New(1<<30, func(r *Race) { w.races = append(w.races, *r) })
	w.d.Launch()
	w.global = w.d.Memory(4096, false, "global")
	for b := range blocks {
		w.blocks = append(w.blocks, w.d.Begin(uint32(b), 32*warps))
		w.shared = append(w.shared, w.d.Memory(4096, true, "shared"))
	}
	return w
}

func (w *world) site(s Site) int {
	key := fmt.Sprint(s)
	n, ok := w.sites[key]
	if !ok {
		n = w.d.Site(s)
		w.sites[key] = n
	}
	return n
}

// do is an access by some lanes of one warp; word gives each lane's word.
func (w *world) do(kind Kind, m *Memory, block, warp int, mask uint32, word func(lane int) int64) {
	w.scoped(Site{Kind: kind}, m, block, warp, mask, word)
}

func (w *world) scoped(s Site, m *Memory, block, warp int, mask uint32, word func(lane int) int64) {
	var offsets [32]int64
	n := w.site(s)
	for lane := range 32 {
		if mask>>lane&1 != 0 {
			offsets[lane] = 4 * word(lane)
		}
	}
	if v := w.blocks[block].Warp(warp); w.places && s.Kind <= Write {
		const base = 8
		at, lanes := make([]int64, 0, 32), make([]uint32, 0, 32)
		for lane := range 32 {
			if mask>>lane&1 == 0 {
				continue
			}
			k := slices.Index(at, offsets[lane]-base)
			if k < 0 {
				k = len(at)
				at, lanes = append(at, offsets[lane]-base), append(lanes, 0)
			}
			lanes[k] |= 1 << lane
		}
		v.Places(n, m, base, len(at), (*[32]int64)(at[:32]), (*[32]uint32)(lanes[:32]), 4)
	} else {
		v.Access(n, m, mask, &offsets, 4, 4)
	}
	if w.r != nil {
		for lane := range 32 {
			if mask>>lane&1 != 0 {
				w.r.access(thread{block, warp, lane}, place{m, offsets[lane]}, n, s)
			}
		}
	}
}

func (w *world) one(kind Kind, m *Memory, block, warp, lane int, word int64) {
	w.do(kind, m, block, warp, 1<<lane, func(int) int64 { return word })
}

func (w *world) barrier(block int) {
	w.blocks[block].Barrier()
	if w.r != nil {
		w.r.barrier(block)
	}
}

func (w *world) sync(block, warp int, active, mask uint32) {
	var masks [32]uint32
	for i := range masks {
		masks[i] = mask
	}
	w.syncMasks(block, warp, active, &masks)
}

func (w *world) syncMasks(block, warp int, active uint32, masks *[32]uint32) {
	w.blocks[block].Warp(warp).Sync(active, ^uint32(0), masks)
	if w.r != nil {
		groups := map[uint32][]thread{}
		for lane := range 32 {
			if active>>lane&1 != 0 && masks[lane]>>lane&1 != 0 {
				groups[masks[lane]] = append(groups[masks[lane]], thread{block, warp, lane})
			}
		}
		for _, g := range groups {
			w.r.meet(g)
		}
	}
}

func (w *world) fence(block, warp int, mask uint32, blockOnly bool) {
	w.blocks[block].Warp(warp).Fence(mask, blockOnly)
	if w.r != nil {
		for lane := range 32 {
			if mask>>lane&1 != 0 {
				w.r.fence(thread{block, warp, lane}, blockOnly)
			}
		}
	}
}

const all = ^uint32(0)

func own(lane int) int64 { return int64(lane) }

func next(lane int) int64 { return int64((lane + 1) % 32) }

// TestIdioms is what must report and what must not, as sequences of events.
// Block, warp and lane are given as numbers; data is word 0 on, the flag 100.
func TestIdioms(t *testing.T) {
	const flag = 100
	poll := func(w *world, kind Kind, m *Memory, block, warp int) { w.one(kind, m, block, warp, 0, flag) }
	for _, c := range []struct {
		name  string
		races bool
		do    func(w *world)
	}{
		{"two lanes write one word", true, func(w *world) {
			w.do(Write, w.global, 0, 0, all, func(int) int64 { return 0 })
		}},
		{"each lane writes its own word", false, func(w *world) {
			w.do(Write, w.global, 0, 0, all, own)
			w.do(Read, w.global, 0, 0, all, own)
			w.do(Write, w.global, 0, 0, all, own)
		}},
		{"lockstep orders nothing", true, func(w *world) {
			w.do(Write, w.shared[0], 0, 0, all, own)
			w.do(Read, w.shared[0], 0, 0, all, next)
		}},
		{"read, then written by another lane of the warp", true, func(w *world) {
			w.do(Read, w.shared[0], 0, 0, all, next)
			w.do(Write, w.shared[0], 0, 0, all, own)
		}},
		{"syncwarp", false, func(w *world) {
			w.do(Write, w.shared[0], 0, 0, all, own)
			w.sync(0, 0, all, all)
			w.do(Read, w.shared[0], 0, 0, all, next)
			w.sync(0, 0, all, all)
			w.do(Write, w.shared[0], 0, 0, all, own)
		}},
		{"syncwarp of half a warp, reads within it", false, func(w *world) {
			w.do(Write, w.shared[0], 0, 0, 0xffff, own)
			w.sync(0, 0, 0xffff, 0xffff)
			w.do(Read, w.shared[0], 0, 0, 0xffff, func(l int) int64 { return int64((l + 1) % 16) })
		}},
		{"syncwarp of half a warp, reads beyond it", true, func(w *world) {
			w.do(Write, w.shared[0], 0, 0, all, own)
			w.sync(0, 0, 0xffff, 0xffff)
			w.do(Read, w.shared[0], 0, 0, 0xffff, next)
		}},
		{"two tiles of 16, each within itself", false, func(w *world) {
			var masks [32]uint32
			for i := range masks {
				masks[i] = 0xffff << (i / 16 * 16)
			}
			w.do(Write, w.shared[0], 0, 0, all, own)
			w.syncMasks(0, 0, all, &masks)
			w.do(Read, w.shared[0], 0, 0, all, func(l int) int64 { return int64(l ^ 15) })
		}},
		{"two tiles of 16, across", true, func(w *world) {
			var masks [32]uint32
			for i := range masks {
				masks[i] = 0xffff << (i / 16 * 16)
			}
			w.do(Write, w.shared[0], 0, 0, all, own)
			w.syncMasks(0, 0, all, &masks)
			w.do(Read, w.shared[0], 0, 0, all, func(l int) int64 { return int64(l ^ 16) })
		}},
		{"syncwarp does not order other warps", true, func(w *world) {
			w.do(Write, w.shared[0], 0, 0, all, own)
			w.sync(0, 0, all, all)
			w.sync(0, 1, all, all)
			w.do(Read, w.shared[0], 0, 1, all, own)
		}},
		{"tile filled, no barrier", true, func(w *world) {
			w.do(Write, w.shared[0], 0, 0, all, own)
			w.do(Read, w.shared[0], 0, 1, all, own)
		}},
		{"tile filled, barrier, used, barrier, filled", false, func(w *world) {
			for range 3 {
				w.do(Write, w.shared[0], 0, 0, all, own)
				w.barrier(0)
				w.do(Read, w.shared[0], 0, 0, all, next)
				w.do(Read, w.shared[0], 0, 1, all, own)
				w.barrier(0)
			}
		}},
		{"no barrier behind the use", true, func(w *world) {
			for range 2 {
				w.do(Write, w.shared[0], 0, 0, all, own)
				w.barrier(0)
				w.do(Read, w.shared[0], 0, 0, all, own)
				w.do(Read, w.shared[0], 0, 1, all, own)
			}
		}},
		{"double-buffered tiles with one barrier", false, func(w *world) {
			for i := range int64(4) {
				tile := func(l int) int64 { return i%2*32 + int64(l) }
				w.do(Write, w.shared[0], 0, 0, all, tile)
				w.barrier(0)
				w.do(Read, w.shared[0], 0, 1, all, tile)
				w.do(Read, w.shared[0], 0, 0, all, tile)
			}
		}},
		{"histogram by atomics, read behind a barrier", false, func(w *world) {
			w.do(Write, w.shared[0], 0, 0, all, own)
			w.barrier(0)
			for warp := range 2 {
				w.do(Atomic, w.shared[0], 0, warp, all, func(l int) int64 { return int64(l / 7) })
			}
			w.barrier(0)
			w.do(Read, w.shared[0], 0, 1, all, own)
		}},
		{"histogram not waited for before it is cleared", true, func(w *world) {
			w.do(Write, w.shared[0], 0, 0, all, own)
			w.do(Atomic, w.shared[0], 0, 1, all, func(l int) int64 { return int64(l / 7) })
		}},
		{"a volatile read beside atomics", false, func(w *world) {
			w.do(Atomic, w.global, 0, 0, 1, own)
			w.do(VolatileRead, w.global, 1, 0, 1, own)
		}},
		{"the last who counts sets the counter back", false, func(w *world) {
			w.one(Atomic, w.global, 0, 0, 0, flag)
			w.one(Atomic, w.global, 1, 0, 0, flag)
			w.one(Write, w.global, 1, 0, 0, flag)
		}},
		{"another thread of the last block sets the counter back", false, func(w *world) {
			w.one(Atomic, w.global, 0, 0, 0, flag)
			w.one(Atomic, w.global, 1, 0, 0, flag)
			w.barrier(1)
			w.one(Write, w.global, 1, 1, 7, flag)
		}},
		{"the first who counts sets the counter back", true, func(w *world) {
			w.one(Atomic, w.global, 0, 0, 0, flag)
			w.one(Atomic, w.global, 1, 0, 0, flag)
			w.one(Write, w.global, 0, 0, 0, flag)
		}},
		{"another counter is set back", true, func(w *world) {
			w.one(Atomic, w.global, 0, 0, 0, flag)
			w.one(Atomic, w.global, 1, 0, 0, flag+1)
			w.one(Write, w.global, 1, 0, 0, flag)
		}},
		{"flag read by one, a barrier, a fence of each", false, func(w *world) {
			w.one(Write, w.global, 0, 0, 0, 0)
			w.fence(0, 0, 1, false)
			w.one(VolatileWrite, w.global, 0, 0, 0, flag)
			poll(w, VolatileRead, w.global, 1, 0)
			w.barrier(1)
			w.fence(1, 1, all, false)
			w.one(Read, w.global, 1, 1, 9, 0)
		}},
		{"a plain read beside atomics", true, func(w *world) {
			w.do(Atomic, w.global, 0, 0, 1, own)
			w.do(Read, w.global, 1, 0, 1, own)
		}},
		{"a plain write beside atomics", true, func(w *world) {
			w.do(Atomic, w.global, 0, 0, 1, own)
			w.do(Write, w.global, 1, 0, 1, own)
		}},
		{"a block's atomics, other block", true, func(w *world) {
			w.scoped(Site{Kind: Atomic, Local: true}, w.global, 0, 0, 1, own)
			w.do(Atomic, w.global, 1, 0, 1, own)
		}},
		{"a block's atomics, same block", false, func(w *world) {
			w.scoped(Site{Kind: Atomic, Local: true}, w.global, 0, 0, 1, own)
			w.do(Atomic, w.global, 0, 1, 1, own)
		}},
		{"flag by an atomic, fences on both sides", false, func(w *world) {
			w.one(Write, w.global, 0, 0, 0, 0)
			w.fence(0, 0, 1, false)
			w.one(Atomic, w.global, 0, 0, 0, flag)
			poll(w, Atomic, w.global, 1, 0)
			w.fence(1, 0, 1, false)
			w.one(Read, w.global, 1, 0, 0, 0)
		}},
		{"flag by an atomic, no fences", true, func(w *world) {
			w.one(Write, w.global, 0, 0, 0, 0)
			w.one(Atomic, w.global, 0, 0, 0, flag)
			poll(w, Atomic, w.global, 1, 0)
			w.one(Read, w.global, 1, 0, 0, 0)
		}},
		{"flag by an atomic, no fence where it is set", true, func(w *world) {
			w.one(Write, w.global, 0, 0, 0, 0)
			w.one(Atomic, w.global, 0, 0, 0, flag)
			poll(w, Atomic, w.global, 1, 0)
			w.fence(1, 0, 1, false)
			w.one(Read, w.global, 1, 0, 0, 0)
		}},
		{"flag, the fence before the data", true, func(w *world) {
			w.fence(0, 0, 1, false)
			w.one(Write, w.global, 0, 0, 0, 0)
			w.one(Atomic, w.global, 0, 0, 0, flag)
			poll(w, Atomic, w.global, 1, 0)
			w.one(Read, w.global, 1, 0, 0, 0)
		}},
		{"flag, a block's fence between blocks", true, func(w *world) {
			w.one(Write, w.global, 0, 0, 0, 0)
			w.fence(0, 0, 1, true)
			w.one(Atomic, w.global, 0, 0, 0, flag)
			poll(w, Atomic, w.global, 1, 0)
			w.fence(1, 0, 1, true)
			w.one(Read, w.global, 1, 0, 0, 0)
		}},
		{"flag, a block's fence within a block", false, func(w *world) {
			w.one(Write, w.shared[0], 0, 0, 0, 0)
			w.fence(0, 0, 1, true)
			w.one(VolatileWrite, w.shared[0], 0, 0, 0, flag)
			poll(w, VolatileRead, w.shared[0], 0, 1)
			w.fence(0, 1, 1, true)
			w.one(Read, w.shared[0], 0, 1, 0, 0)
		}},
		{"volatile flag with fences", false, func(w *world) {
			w.one(Write, w.global, 0, 0, 0, 0)
			w.fence(0, 0, 1, false)
			w.one(VolatileWrite, w.global, 0, 0, 0, flag)
			poll(w, VolatileRead, w.global, 1, 0)
			w.fence(1, 0, 1, false)
			w.one(Read, w.global, 1, 0, 0, 0)
		}},
		{"volatile flag, no fence where it is read", true, func(w *world) {
			w.one(Write, w.global, 0, 0, 0, 0)
			w.fence(0, 0, 1, false)
			w.one(VolatileWrite, w.global, 0, 0, 0, flag)
			poll(w, VolatileRead, w.global, 1, 0)
			w.one(Read, w.global, 1, 0, 0, 0)
		}},
		{"volatile flag, no fence where it is set", true, func(w *world) {
			w.one(Write, w.global, 0, 0, 0, 0)
			w.one(VolatileWrite, w.global, 0, 0, 0, flag)
			poll(w, VolatileRead, w.global, 1, 0)
			w.fence(1, 0, 1, false)
			w.one(Read, w.global, 1, 0, 0, 0)
		}},
		{"plain flag", true, func(w *world) {
			w.one(Write, w.global, 0, 0, 0, flag)
			poll(w, VolatileRead, w.global, 1, 0)
		}},
		{"volatile flag, read before it is set", false, func(w *world) {
			poll(w, VolatileRead, w.global, 1, 0)
			w.one(Write, w.global, 0, 0, 0, 0)
			w.fence(0, 0, 1, false)
			w.one(VolatileWrite, w.global, 0, 0, 0, flag)
			poll(w, VolatileRead, w.global, 1, 0)
			w.fence(1, 0, 1, false)
			w.one(Read, w.global, 1, 0, 0, 0)
		}},
		{"flag read, passed on by a barrier", false, func(w *world) {
			w.one(Write, w.global, 0, 0, 0, 0)
			w.fence(0, 0, 1, false)
			w.one(Atomic, w.global, 0, 0, 0, flag)
			poll(w, Atomic, w.global, 1, 0)
			w.barrier(1)
			w.one(Read, w.global, 1, 1, 5, 0)
		}},
		{"flag read, not passed on", true, func(w *world) {
			w.one(Write, w.global, 0, 0, 0, 0)
			w.fence(0, 0, 1, false)
			w.one(Atomic, w.global, 0, 0, 0, flag)
			poll(w, Atomic, w.global, 1, 0)
			w.one(Read, w.global, 1, 1, 5, 0)
		}},
		{"last block reduces: every thread fences, a barrier, one counts", false, func(w *world) {
			for b := range 2 {
				for warp := range 2 {
					w.do(Write, w.global, b, warp, all, func(l int) int64 { return int64(64*b + 32*warp + l) })
					w.fence(b, warp, all, false)
				}
				w.barrier(b)
				w.one(Atomic, w.global, b, 0, 0, 1000)
				w.barrier(b)
			}
			for warp := range 2 {
				w.do(Read, w.global, 1, warp, all, func(l int) int64 { return int64(32*warp + l) })
				w.do(Read, w.global, 1, warp, all, func(l int) int64 { return int64(64 + l) })
			}
		}},
		{"last block reduces: a barrier, one fences and counts", false, func(w *world) {
			for b := range 2 {
				w.do(Write, w.global, b, 1, all, func(l int) int64 { return int64(64*b + l) })
				w.barrier(b)
				w.fence(b, 0, 1, false)
				w.one(Atomic, w.global, b, 0, 0, 1000)
				w.barrier(b)
			}
			w.do(Read, w.global, 1, 0, all, own)
		}},
		{"last block reduces: nobody fences", true, func(w *world) {
			for b := range 2 {
				w.do(Write, w.global, b, 1, all, func(l int) int64 { return int64(64*b + l) })
				w.barrier(b)
				w.one(Atomic, w.global, b, 0, 0, 1000)
				w.barrier(b)
			}
			w.do(Read, w.global, 1, 0, all, own)
		}},
		{"last block reduces: one fences, no barrier before it", true, func(w *world) {
			for b := range 2 {
				w.do(Write, w.global, b, 1, all, func(l int) int64 { return int64(64*b + l) })
				w.fence(b, 0, 1, false)
				w.one(Atomic, w.global, b, 0, 0, 1000)
				w.barrier(b)
			}
			w.do(Read, w.global, 1, 0, all, own)
		}},
		{"a lock, released with a fence", false, func(w *world) {
			for i := range 4 {
				b, warp := i%2, i/2
				w.one(Atomic, w.global, b, warp, 3, flag)
				w.one(Read, w.global, b, warp, 3, 0)
				w.one(Write, w.global, b, warp, 3, 0)
				w.fence(b, warp, 8, false)
				w.one(Atomic, w.global, b, warp, 3, flag)
			}
		}},
		{"a lock, released without a fence", true, func(w *world) {
			for i := range 4 {
				b, warp := i%2, i/2
				w.one(Atomic, w.global, b, warp, 3, flag)
				w.one(Read, w.global, b, warp, 3, 0)
				w.one(Write, w.global, b, warp, 3, 0)
				w.one(Atomic, w.global, b, warp, 3, flag)
			}
		}},
		{"volatile is not __syncwarp", true, func(w *world) {
			w.do(VolatileWrite, w.shared[0], 0, 0, all, own)
			w.do(VolatileRead, w.shared[0], 0, 0, all, next)
		}},
		{"volatile is not __syncthreads", true, func(w *world) {
			w.do(VolatileWrite, w.shared[0], 0, 0, all, own)
			w.do(VolatileRead, w.shared[0], 0, 1, all, own)
		}},
		{"volatile with __syncwarp", false, func(w *world) {
			w.do(VolatileWrite, w.shared[0], 0, 0, all, own)
			w.sync(0, 0, all, all)
			w.do(VolatileRead, w.shared[0], 0, 0, all, next)
		}},
		{"a look-back on packed volatile words", false, func(w *world) {
			w.one(VolatileWrite, w.global, 0, 0, 0, flag)
			poll(w, VolatileRead, w.global, 1, 0)
			w.one(VolatileWrite, w.global, 1, 0, 0, flag+1)
		}},
		{"blocks write and read what another wrote", true, func(w *world) {
			w.do(Write, w.global, 0, 0, all, own)
			w.barrier(0)
			w.barrier(1)
			w.do(Read, w.global, 1, 0, all, own)
		}},
		{"a reader of another block is not forgotten", true, func(w *world) {
			w.do(Read, w.global, 0, 0, all, own)
			w.do(Read, w.global, 0, 1, all, own)
			w.do(Read, w.global, 1, 0, all, own)
			w.barrier(0)
			w.do(Write, w.global, 0, 0, all, own)
		}},
		{"another launch", false, func(w *world) {
			w.do(Write, w.global, 0, 0, all, own)
			w.d.Launch()
			w.blocks[1] = w.d.Begin(1, 64)
			w.do(Read, w.global, 1, 1, all, own)
			w.do(Write, w.global, 1, 1, all, own)
		}},
		{"another block in the same shared memory", false, func(w *world) {
			w.do(Write, w.shared[0], 0, 0, all, own)
			w.blocks[0].End()
			w.blocks[0] = w.d.Begin(2, 64)
			w.do(Read, w.shared[0], 0, 1, all, own)
		}},
	} {
		w := newWorld(2, 2)
		c.do(w)
		if (len(w.races) > 0) != c.races {
			t.Errorf("%s: %d races: %+v", c.name, len(w.races), w.races)
		}
	}
}

func TestNarrow(t *testing.T) {
	for _, c := range []struct {
		name              string
		size, width, step int64
		races             bool
	}{
		{"neighbouring bytes", 1, 1, 1, false},
		{"neighbouring halves", 2, 2, 2, false},
		{"pairs of floats", 4, 8, 8, false},
		{"four floats over each other", 4, 16, 0, true},
	} {
		w := newWorld(1, 2)
		m := w.shared[0]
		word, narrow := w.site(Site{Kind: Write}), w.site(Site{Kind: Write, Label: "narrow"})
		var offsets [32]int64
		w.blocks[0].Warp(0).Access(word, m, 1, &offsets, 4, 4) // a cell that has been in use
		w.barrier(0)
		for i := range offsets {
			offsets[i] = 48 + int64(i)*c.step
		}
		w.blocks[0].Warp(1).Access(narrow, m, all, &offsets, int(c.size), int(c.width))
		if (len(w.races) > 0) != c.races {
			t.Errorf("%s: races %+v", c.name, w.races)
		}
	}
	// What a word's mark says, its bytes' say when they are told apart.
	w := newWorld(1, 2)
	w.one(Write, w.shared[0], 0, 0, 7, 3)
	var offsets [32]int64
	offsets[9] = 14
	w.blocks[0].Warp(1).Access(w.site(Site{Kind: Read, Label: "byte"}), w.shared[0], 1<<9, &offsets, 1, 1)
	if len(w.races) != 1 || w.races[0].Offset != 14 || w.races[0].First.Lane != 7 || w.races[0].Second.Lane != 9 {
		t.Errorf("races %+v", w.races)
	}
}

// TestParties holds which two are named, whoever came first.
func TestParties(t *testing.T) {
	want := func(w *world, first, second Party) {
		t.Helper()
		first.Site, second.Site = w.races[0].First.Site, w.races[0].Second.Site
		if w.races[0].First != first || w.races[0].Second != second {
			t.Errorf("%+v, want %+v and %+v", w.races[0], first, second)
		}
	}
	w := newWorld(2, 2)
	w.one(Write, w.global, 0, 1, 7, 3)
	w.one(Read, w.global, 1, 0, 9, 3)
	want(w, Party{Block: 0, Warp: 1, Lane: 7}, Party{Block: 1, Warp: 0, Lane: 9, Now: true})

	// Readers in any order: the lowest is named.
	for _, order := range [][]int{{5, 9, 12}, {12, 9, 5}, {9, 12, 5}} {
		w = newWorld(1, 2)
		for _, lane := range order {
			w.one(Read, w.shared[0], 0, 1, lane, 3)
		}
		w.one(Write, w.shared[0], 0, 0, 2, 3)
		want(w, Party{Warp: 1, Lane: 5}, Party{Lane: 2, Now: true})
	}

	// One instruction: both are part of it.
	w = newWorld(1, 1)
	w.do(Write, w.shared[0], 0, 0, 0b1010, func(int) int64 { return 3 })
	want(w, Party{Lane: 1, Now: true}, Party{Lane: 3, Now: true})

	// A reader among readers of its own instruction is not the one that it races with.
	w = newWorld(1, 1)
	w.do(Read, w.shared[0], 0, 0, 0b1110, func(int) int64 { return 3 })
	w.one(Write, w.shared[0], 0, 0, 1, 3)
	want(w, Party{Lane: 2}, Party{Lane: 1, Now: true})
}

// TestReference runs random events through the detector and through the
// definition. What the detector finds must be there; what it misses may only be
// what its marks forget under partial orders, which is rare: of many lanes that
// read one word together, a mark names two.
func TestReference(t *testing.T) {
	const blocks, warps, words = refBlocks, refWarps, 6
	found, missed, clean := 0, map[bool]int{}, 0
	run := func(seed uint64, releases bool) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		w := newWorld(blocks, warps)
		w.r = newReference()
		w.places = seed%2 == 0
		n := 10 + rnd.IntN(60)
		for range n {
			b, warp := rnd.IntN(blocks), rnd.IntN(warps)
			// Few lanes, so that they meet often.
			mask := rnd.Uint32() & rnd.Uint32() & rnd.Uint32() & 0xf000000f
			if rnd.IntN(4) == 0 {
				mask = all
			}
			m := w.global
			if rnd.IntN(2) == 0 {
				m = w.shared[b]
			}
			to := int64(rnd.IntN(words))
			spread := rnd.IntN(3) == 0
			word := func(l int) int64 {
				if spread {
					return words + int64(l)
				}
				return to
			}
			kind := Kind(rnd.IntN(2))
			if releases {
				kind = Kind(rnd.IntN(5))
				// Data and flags are apart, or nearly everything races.
				if kind >= Atomic {
					to = words - 1
				} else {
					to = int64(rnd.IntN(words - 1))
				}
				if rnd.IntN(3) > 0 {
					mask &= -mask
				}
			}
			switch event := rnd.IntN(10); {
			case event < 5 && mask != 0:
				w.scoped(Site{Kind: kind, Local: kind == Atomic && rnd.IntN(4) == 0}, m, b, warp, mask, word)
			case event < 7:
				w.barrier(b)
			case event < 9 && mask != 0 && releases:
				w.fence(b, warp, mask, rnd.IntN(3) == 0)
			case mask != 0:
				w.sync(b, warp, mask|rnd.Uint32()&rnd.Uint32(), mask|rnd.Uint32()&rnd.Uint32())
			}
		}
		got := map[place]bool{}
		for _, r := range w.races {
			p := pair{
				place: place{r.Memory, r.Offset}, aSite: r.First.Site, bSite: r.Second.Site,
				a: thread{int(r.First.Block), r.First.Warp, r.First.Lane}, b: thread{int(r.Second.Block), r.Second.Warp, r.Second.Lane},
			}
			if !w.r.racing[p] {
				t.Fatalf("seed %d, releases %v: no race is %+v", seed, releases, r)
			}
			got[p.place] = true
		}
		places := w.r.places()
		if len(places) == 0 {
			clean++
		}
		for p := range places {
			if got[p] {
				found++
				continue
			}
			missed[releases]++
		}
	}
	seeds := uint64(1000)
	if testing.Short() {
		seeds = 100
	}
	for seed := range seeds {
		run(seed, false)
		run(seed, true)
	}
	t.Logf("%d places with races found, %d missed, of those %d without releases; %d runs without any", found, missed[true]+missed[false], missed[false], clean)
	if missed[true]*100 > found || missed[false]*2000 > found {
		t.Errorf("missed with releases %d and without %d, found %d", missed[true], missed[false], found)
	}
	if clean < int(seeds)/50 {
		t.Errorf("only %d runs had no race: this test hardly sees false reports", clean)
	}
}

// TestPlaces: what is told by places leaves the same marks and finds the same
// races as what is told by lanes.
func TestPlaces(t *testing.T) {
	const blocks, warps, words = 3, 3, 5
	seeds := uint64(2000)
	if testing.Short() {
		seeds = 200
	}
	quiet := 0
	for seed := range seeds {
		rnd := rand.New(rand.NewPCG(seed, 2))
		byLane, byPlace := newWorld(blocks, warps), newWorld(blocks, warps)
		byPlace.places = true
		event := func(do func(w *world)) {
			before := len(byLane.races)
			do(byLane)
			do(byPlace)
			var list [2][]string
			for i, w := range []*world{byLane, byPlace} {
				for _, r := range w.races[before:] {
					list[i] = append(list[i], fmt.Sprintf("%v %+v %+v %v", r.Memory.Shared, r.First, r.Second, r.Offset))
				}
				slices.Sort(list[i])
			}
			if !slices.Equal(list[0], list[1]) {
				t.Fatalf("seed %d: by lanes\n%v\nby places\n%v", seed, list[0], list[1])
			}
		}
		memory := func(w *world, b int) *Memory {
			if b < 0 {
				return w.global
			}
			return w.shared[b]
		}
		fences, dense := rnd.IntN(3) == 0, rnd.IntN(3) == 0
		writes := rnd.IntN(6) // in ten
		for range 20 + rnd.IntN(60) {
			b, warp := rnd.IntN(blocks), rnd.IntN(warps)
			mask := rnd.Uint32() & rnd.Uint32() & rnd.Uint32() & 0xf000000f
			switch rnd.IntN(4) {
			case 0:
				mask = all
			case 1:
				mask = 1 << rnd.IntN(3)
			}
			in := b
			if rnd.IntN(2) == 0 {
				in = -1
			}
			to, group := int64(rnd.IntN(words)), 1<<rnd.IntN(6)
			word := func(l int) int64 { return to + int64(l/group) }
			if dense { // whole warps at few places
				mask, to, group = all, to%2, 32
			}
			kind := Read
			if rnd.IntN(10) < writes {
				kind = Write
			}
			if fences && rnd.IntN(5) == 0 {
				kind = Kind(2 + rnd.IntN(3))
			}
			switch n := rnd.IntN(10); {
			case n < 7 && mask != 0:
				event(func(w *world) { w.do(kind, memory(w, in), b, warp, mask, word) })
			case n < 8:
				event(func(w *world) { w.barrier(b) })
			case n < 9 && mask != 0 && fences:
				event(func(w *world) { w.fence(b, warp, mask, false) })
			case mask != 0:
				event(func(w *world) { w.sync(b, warp, mask, mask) })
			}
		}
		if len(byLane.races) == 0 {
			quiet++
		}
		for b := range blocks + 1 {
			x, y := memory(byLane, b-1), memory(byPlace, b-1)
			if len(x.pages) == 0 {
				continue
			}
			bound := byLane.d.began
			if x.Shared {
				bound = byLane.blocks[b-1].base
			}
			y.settle()
			// What came before the bound is as good as nothing.
			since := func(c cell) cell {
				for _, m := range []*mark{&c.w, &c.a, &c.b} {
					if m.time() <= bound {
						*m = 0
					}
				}
				return c
			}
			for i := range x.pages[0].cells {
				var q cell
				if len(y.pages) > 0 {
					q = since(y.pages[0].cells[i])
				}
				if p := since(x.pages[0].cells[i]); p != q {
					t.Fatalf("seed %d, block %d, word %d: by lanes %x, by places %x", seed, b-1, i, p, q)
				}
			}
		}
	}
	if quiet < int(seeds)/20 || quiet > int(seeds)*19/20 {
		t.Errorf("%d of %d runs had no race", quiet, seeds)
	}
}

// TestForget: when time runs out, races with what was before are lost, and none
// are made up.
func TestForget(t *testing.T) {
	w := newWorld(2, 2)
	w.do(Write, w.global, 0, 0, all, own)
	w.fence(0, 0, all, false)
	w.do(Atomic, w.global, 0, 0, all, func(l int) int64 { return int64(100 + l) })
	w.d.now = 1<<32 - 3
	w.barrier(0)
	if w.d.generation != 1 || w.d.now > 10 {
		t.Fatalf("generation %d, time %d", w.d.generation, w.d.now)
	}
	w.do(Atomic, w.global, 1, 0, all, func(l int) int64 { return int64(100 + l) })
	w.do(Write, w.global, 1, 0, all, own)
	if len(w.races) != 0 {
		t.Errorf("races %+v", w.races)
	}
	w.do(Read, w.global, 1, 1, all, own)
	if len(w.races) != 32 {
		t.Errorf("%d races, of 32", len(w.races))
	}
}

func TestNoRoom(t *testing.T) {
	n := 0
	d := New(cellBytes*4, func(*Race) { n++ })
	d.Launch()
	b := d.Begin(0, 64)
	large, small := d.Memory(1<<20, false, nil), d.Memory(16, false, nil)
	s := d.Site(Site{Kind: Write})
	var offsets [32]int64
	for _, m := range []*Memory{large, small} {
		b.Warp(0).Access(s, m, all, &offsets, 4, 4)
	}
	if !d.Full() || n != 31 {
		t.Errorf("full %v, %d races, want those of the small one", d.Full(), n)
	}
}
