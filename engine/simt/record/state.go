package record

import (
	"math/bits"
	"slices"

	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
)

// state is a block at a time: what records make of it, one after the other.
type state struct {
	step  int32 // the step that began last, −1 before the first
	phase int32
	warps []warp
	slabs []slab // shared arrays, by tape.shared
	size  int64  // bytes, about

	scratch access // of apply
}

type warp struct {
	step    int32 // its last
	pos     code.Pos
	scope   int32
	active  uint32
	live    uint32
	waiting uint32
	lanes   [32]code.Pos // of the statement that each lane began last
	frames  []frame
	locals  []local // by number − 1
}

// frame is a function that a warp is in. What its variables hold lies in data as
// the layout of the function says; nil if there was no room.
type frame struct {
	frame int32
	call  code.Pos
	pos   code.Pos
	scope int32
	lanes uint32
	data  []uint32
}

// local is an array in the lanes' own memory, a word of all lanes after the other.
type local struct {
	memory  int32    // of tape.locals; −1 for none
	words   []uint32 // nil if there was no room
	written []uint32 // by word: the lanes that have stored it
}

// slab is a shared array, with the thread and the step of what was stored last
// in each of its grains.
type slab struct {
	data   []byte
	owners []uint16 // 1 + thread; 0 for none
	steps  []int32
}

func (s *state) clone() *state {
	out := *s
	out.warps = slices.Clone(s.warps)
	for i := range out.warps {
		w := &out.warps[i]
		w.frames = slices.Clone(w.frames)
		for k := range w.frames {
			w.frames[k].data = slices.Clone(w.frames[k].data)
		}
		w.locals = slices.Clone(w.locals)
		for k := range w.locals {
			w.locals[k].words = slices.Clone(w.locals[k].words)
			w.locals[k].written = slices.Clone(w.locals[k].written)
		}
	}
	out.slabs = slices.Clone(s.slabs)
	for i := range out.slabs {
		a := &out.slabs[i]
		a.data, a.owners, a.steps = slices.Clone(a.data), slices.Clone(a.owners), slices.Clone(a.steps)
	}
	return &out
}

// layout says where a frame's data has its variables: first a mask for each leaf
// and address of the lanes that hold it, then the values.
type layout struct {
	vars  []place
	masks int
	words int // masks included
}

type place struct {
	leaves  []cell
	address cell // of what is in memory; wide is false if it never is
}

type cell struct {
	mask, at int
	wide     bool
}

func layoutOf(f *code.Frame) layout {
	var l layout
	cells := func(see func(c *cell)) {
		for i := range l.vars {
			for k := range l.vars[i].leaves {
				see(&l.vars[i].leaves[k])
			}
			if l.vars[i].address.wide {
				see(&l.vars[i].address)
			}
		}
	}
	for _, v := range f.Vars {
		var p place
		for _, leaf := range v.Leaves {
			p.leaves = append(p.leaves, cell{wide: leaf.Type.Size() == 8})
		}
		p.address.wide = v.Memory
		l.vars = append(l.vars, p)
	}
	cells(func(c *cell) {
		c.mask = l.masks
		l.masks++
	})
	l.words = l.masks
	cells(func(c *cell) {
		c.at = l.words
		l.words += 32
		if c.wide {
			l.words += 32
		}
	})
	return l
}

// get returns what a cell holds in a lane.
func (c cell) get(data []uint32, lane int) uint64 {
	x := uint64(data[c.at+lane])
	if c.wide {
		x |= uint64(data[c.at+32+lane]) << 32
	}
	return x
}

func (c cell) set(data []uint32, lane int, x uint64) {
	data[c.at+lane] = uint32(x)
	if c.wide {
		data[c.at+32+lane] = uint32(x >> 32)
	}
}

// push enters a function.
func (t *tape) push(s *state, w *warp, f frame) {
	if n := int64(4 * t.layouts[f.frame].words); s.size+n <= t.most {
		f.data = make([]uint32, t.layouts[f.frame].words)
		s.size += n
	}
	s.size += frameBytes
	w.frames = append(w.frames, f)
}

func (t *tape) pop(s *state, w *warp) {
	n := len(w.frames) - 1
	if n < 1 {
		return // the kernel itself
	}
	s.size -= int64(4*len(w.frames[n].data)) + frameBytes
	w.frames[n] = frame{}
	w.frames = w.frames[:n]
	w.pos, w.scope = w.frames[n-1].pos, w.frames[n-1].scope
}

const frameBytes = 64

// declare begins the life of a local array for some lanes.
func (t *tape) declare(s *state, w *warp, number int, memory int32, lanes uint32) {
	if number < 1 || number > 1<<20 {
		return
	}
	for len(w.locals) < number {
		w.locals = append(w.locals, local{memory: -1})
		s.size += frameBytes
	}
	l := &w.locals[number-1]
	if l.memory != memory {
		s.size -= int64(4 * (len(l.words) + len(l.written)))
		words := int((t.locals[memory].Size + 3) / 4)
		*l = local{memory: memory}
		if n := int64(4 * 33 * words); s.size+n <= t.most {
			l.words, l.written = make([]uint32, 32*words), make([]uint32, words)
			s.size += n
		}
		return
	}
	for i := range l.written {
		l.written[i] &^= lanes
	}
}

// store writes the low size bytes of x where a lane's pointer points, if that is
// shared or local memory.
func (t *tape) store(s *state, w *warp, index, lane int, p run.Pointer, size int, x uint64) {
	o := p.Offset()
	switch p.Space() {
	case code.Shared:
		n := p.Number()
		if n >= len(t.sharedOf) || t.sharedOf[n] < 0 {
			return
		}
		a := &s.slabs[t.sharedOf[n]]
		if o < 0 || o+int64(size) > int64(len(a.data)) {
			return
		}
		for k := range size {
			a.data[o+int64(k)] = byte(x >> (8 * k))
		}
		grain := int64(t.shared[t.sharedOf[n]].grain)
		for g := o / grain; g <= (o+int64(size)-1)/grain; g++ {
			a.owners[g] = uint16(32*index + lane + 1)
			a.steps[g] = w.step
		}
	case code.Local:
		n := p.Number() - 1
		if n < 0 || n >= len(w.locals) || w.locals[n].words == nil {
			return
		}
		l := &w.locals[n]
		for k := range size {
			at := o + int64(k)
			if at < 0 || at/4 >= int64(len(l.written)) {
				return
			}
			word := &l.words[at/4*32+int64(lane)]
			shift := at % 4 * 8
			*word = *word&^(0xff<<shift) | uint32(byte(x>>(8*k)))<<shift
			l.written[at/4] |= 1 << lane
		}
	}
}

// load reads size bytes as a lane sees them; whole is false if not all of them
// have been stored.
func (t *tape) load(s *state, w *warp, lane int, p run.Pointer, size int) (x uint64, whole bool) {
	o := p.Offset()
	switch p.Space() {
	case code.Shared:
		n := p.Number()
		if n >= len(t.sharedOf) || t.sharedOf[n] < 0 {
			return 0, false
		}
		a := &s.slabs[t.sharedOf[n]]
		if o < 0 || o+int64(size) > int64(len(a.data)) {
			return 0, false
		}
		for k := size - 1; k >= 0; k-- {
			x = x<<8 | uint64(a.data[o+int64(k)])
		}
		return x, a.owners[o/int64(t.shared[t.sharedOf[n]].grain)] != 0
	case code.Local:
		n := p.Number() - 1
		if n < 0 || n >= len(w.locals) || w.locals[n].words == nil || o < 0 {
			return 0, false
		}
		l := &w.locals[n]
		whole = true
		for k := size - 1; k >= 0; k-- {
			at := o + int64(k)
			if at/4 >= int64(len(l.written)) {
				return 0, false
			}
			x = x<<8 | uint64(byte(l.words[at/4*32+int64(lane)]>>(at%4*8)))
			whole = whole && l.written[at/4]>>lane&1 != 0
		}
		return x, whole
	case code.Parameter:
		data := t.parameters
		if o < 0 || o+int64(size) > int64(len(data)) {
			return 0, false
		}
		for k := size - 1; k >= 0; k-- {
			x = x<<8 | uint64(data[o+int64(k)])
		}
		return x, true
	}
	return 0, false
}

// lanes are those of a mask, ascending.
func lanes(mask uint32, see func(lane int)) {
	for ; mask != 0; mask &= mask - 1 {
		see(bits.TrailingZeros32(mask))
	}
}
