package run

import (
	"maps"
	"slices"
)

// Rounds is an Observer that is told whenever the warps of a block are about to
// have their turns, one after the other: then all of the block is in its Warps and
// can be Saved.
type Rounds interface {
	Observer
	Round(b *Block)
}

// Saved is a block between two rounds: its registers, its local and shared
// memory, and where its warps are. A launch that resumes it does from there on what
// the one did that it was saved from, if the machine's memory is as it was then, the
// image is the same one and the observer wants the same.
type Saved struct {
	Block   int
	warps   []Warp // with slices of their own, and nothing of a worker
	shared  map[int][]byte
	order   []int
	printed []byte

	// Of the launch: what it has used of its limits.
	spent, before, ended, output int64
	cut                          bool
}

// Start is Save of a block that Begins, and takes next to no memory.
func (b *Block) Start() *Saved {
	r := b.Grid.run
	return &Saved{
		Block: b.Number, spent: r.spent.Load(), before: r.before.Load(), ended: r.ended.Load(), output: r.printed.Load(), cut: r.cut.Load(),
	}
}

// resume makes a launch one that goes on.
func (r *running) resume(s *Saved) {
	r.next = s.Block
	r.spent.Store(s.spent)
	r.before.Store(s.before)
	r.ended.Store(s.ended)
	r.printed.Store(s.output)
	r.cut.Store(s.cut)
}

// Save returns the block as it is in a Round.
func (b *Block) Save() *Saved {
	s := b.Start()
	s.shared, s.order, s.printed = map[int][]byte{}, slices.Clone(b.order), slices.Clone(b.printed)
	for i := range b.shared {
		if m := b.shared[i].memory; m != nil {
			s.shared[i] = slices.Clone(b.shared[i].data)
		}
	}
	s.warps = make([]Warp, len(b.Warps))
	for i, w := range b.Warps {
		s.warps[i].take(w)
	}
	return s
}

// restore makes a block what was saved.
func (s *Saved) restore(b *Block) {
	for i, data := range s.shared {
		copy(b.shared[i].data, data)
	}
	copy(b.order, s.order)
	b.printed = slices.Clone(s.printed)
	for i, w := range b.Warps {
		w.take(&s.warps[i])
	}
}

// take makes w what another warp of the same form is, but for what belongs to its
// block and worker.
func (w *Warp) take(o *Warp) {
	w.Active, w.Live, w.Scope, w.At = o.Active, o.Live, o.Scope, o.At
	w.status, w.pc, w.resume, w.spins, w.awaits, w.fuel, w.spent, w.all = o.status, o.pc, o.resume, o.spins, o.awaits, o.fuel, o.spent, o.all
	w.v, w.x, w.p, w.s = slices.Clone(o.v), slices.Clone(o.x), slices.Clone(o.p), slices.Clone(o.s)
	w.frames = slices.Clone(o.frames)
	for i := range w.frames {
		f := &w.frames[i]
		f.v, f.x, f.p, f.s = slices.Clone(f.v), slices.Clone(f.x), slices.Clone(f.p), slices.Clone(f.s)
	}
	w.stack = o.stack
	w.words, w.locals = slices.Clone(o.words), slices.Clone(o.locals)
	w.vote, w.polls, w.moved = o.vote, o.polls, o.moved
}

// Bytes is about what it takes.
func (s *Saved) Bytes() int64 {
	n := int64(len(s.printed))
	for data := range maps.Values(s.shared) {
		n += int64(len(data))
	}
	for i := range s.warps {
		w := &s.warps[i]
		n += 4<<10 + 128*int64(len(w.v)+len(w.words)) + 256*int64(len(w.x)) + 4*int64(len(w.p)) + 8*int64(len(w.s))
		for _, f := range w.frames {
			n += 256 + 128*int64(len(f.v)) + 256*int64(len(f.x)) + 4*int64(len(f.p)) + 8*int64(len(f.s))
		}
	}
	return n
}
