package record

import (
	"math/bits"
	"slices"

	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
	"workbench/engine/simt/types"
)

// A head writes the log of some segments of a tape: it is told of the block from a
// checkpoint before them, or from its beginning.
type head struct {
	bystander // of what no recording shows

	r    *Recorder
	t    *tape
	s    *state
	log  []byte
	open *segment // the one that is being executed
	next int      // its number
	from int      // the segments that are kept
	to   int
	done bool

	point *checkpoint // where it goes on; nil is the block's beginning
	until int         // the checkpoints up to it
	round int         // of the block's warps
	ahead int         // the next checkpoint

	pending []pending // atomics that have begun
	warp    int       // that began a statement last
	exits   int       // of the block, at the last step
	printed int
}

var _ observer = (*head)(nil)

// pending is an atomic whose result is in memory when its warp goes on.
type pending struct {
	warp  *run.Warp
	space code.Space
	a     access
}

func (h *head) Wants() run.Events { return wants }

// Begin begins a block.
func (h *head) Begin(b *run.Block) {
	h.exits = b.Exits
	if x := h.point; x != nil {
		// It goes on in the middle of a segment that is not kept.
		h.s, h.next, h.printed, h.warp, h.round, h.ahead = x.s.clone(), x.segment, x.printed, x.warp, x.round-1, h.until
		h.open = &segment{first: h.t.segments[h.next].first}
		return
	}
	h.s = h.t.blank(b)
	h.enter()
}

// Round is between the turns of the warps.
func (h *head) Round(b *run.Block) {
	if h.done {
		return
	}
	h.settle(b)
	h.round++
	list := h.t.checks.list
	for h.ahead < len(list) && list[h.ahead].round < h.round {
		h.ahead++
	}
	if h.ahead < len(list) && list[h.ahead].round == h.round {
		h.t.know(list[h.ahead], h.s)
	}
}

// End ends it.
func (h *head) End(b *run.Block) {
	if h.done {
		return
	}
	h.settle(b)
	for i, w := range b.Warps {
		if w.Live != 0 {
			return // the launch has ended, and the block has not
		}
		h.live(i, 0)
	}
	h.cut()
	if !h.done {
		h.mark(recEnd, 0)
		h.stop()
	}
	h.r.finished()
}

// stop ends the writing.
func (h *head) stop() {
	if !h.done && h.open != nil {
		h.close(int(h.s.step) + 1)
	}
	h.done = true
}

// keeps reports whether what is written now is kept.
func (h *head) keeps() bool { return h.next >= h.from && h.next < h.to }

// cut is called before a step begins: it may be the first of another segment.
func (h *head) cut() {
	t, step := h.t, int(h.s.step)+1
	last := h.next+1 == len(t.segments)
	switch {
	case !last && step == t.segments[h.next+1].first:
		h.close(step)
		if h.next++; h.next == h.to {
			h.done = true
			return
		}
		h.enter()
	case last && step == t.steps:
		h.close(step) // of a launch that was ended from outside
		h.done = true
	}
}

// enter begins a segment.
func (h *head) enter() {
	h.open = &segment{first: int(h.s.step) + 1}
	h.log = nil
	if h.keeps() {
		g := h.t.segments[h.next]
		h.open.key = h.s.clone()
		h.open.at = make([]uint32, 0, g.steps)
		h.log = make([]byte, 0, g.length)
	}
}

// close ends the segment: its steps are those before step.
func (h *head) close(step int) {
	t, g := h.t, h.open
	if !h.keeps() {
		h.log = nil
		return
	}
	g.steps, g.log = step-g.first, h.log
	if len(g.log) < cap(g.log)/2 {
		g.log = slices.Clone(g.log)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clock++
	if old := t.segments[h.next]; old.key == nil && old.steps == g.steps {
		old.key, old.log, old.at, old.used = g.key, g.log, g.at, t.clock
		old.size = old.bytes()
		t.held += old.size
	}
}

// write finishes the record that begins at start, and does what it says.
func (h *head) write(start int) {
	finish(h.log, start)
	h.t.apply(h.s, h.log[start:])
	if !h.keeps() {
		h.log = h.log[:start]
	}
}

// mark writes a step that no warp begins.
func (h *head) mark(kind byte, warp int) {
	if h.keeps() {
		h.open.at = append(h.open.at, uint32(len(h.log)))
	}
	start := len(h.log)
	log := begin(h.log, kind, warp)
	h.log = log
	h.write(start)
}

// live takes down which lanes of a warp have not ended.
func (h *head) live(warp int, live uint32) {
	if h.s.warps[warp].live == live {
		return
	}
	start := len(h.log)
	log := begin(h.log, recLive, warp)
	log = le.AppendUint32(log, live)
	h.log = log
	h.write(start)
}

// settle takes down what has happened since the last event: what atomics have
// left in memory, and what was printed.
func (h *head) settle(b *run.Block) {
	for i := range h.pending {
		h.after(&h.pending[i])
	}
	h.pending = h.pending[:0]
	if text := b.Printed(); len(text) != h.printed {
		rest := text[h.printed:]
		h.printed = len(text)
		for len(rest) > 0 {
			n := min(len(rest), maxText)
			start := len(h.log)
			log := append(begin(h.log, recText, h.warp), rest[:n]...)
			rest = rest[n:]
			h.log = log
			h.write(start)
		}
	}
}

// Statement begins a step.
func (h *head) Statement(w *run.Warp, pos code.Pos) {
	if h.done {
		return
	}
	b := w.Block
	h.settle(b)
	h.warp = w.Index
	if b.Exits != h.exits {
		h.exits = b.Exits
		for i, other := range b.Warps {
			if other != w {
				h.live(i, other.Live)
			}
		}
	}
	h.cut()
	if h.done {
		h.r.finished()
		return
	}
	start := len(h.log)
	if h.keeps() {
		h.open.at = append(h.open.at, uint32(start))
	}
	log := slices.Grow(h.log, stepBytes)[:start+stepBytes]
	rec := log[start:]
	rec[0], rec[1] = recStep, byte(w.Index)
	le.PutUint32(rec[4:], uint32(pos))
	le.PutUint32(rec[8:], uint32(w.Scope))
	le.PutUint32(rec[12:], w.Active)
	le.PutUint32(rec[16:], w.Live)
	h.log = log
	h.write(start)
}

// Release is a step of the block.
func (h *head) Release(b *run.Block) {
	if h.done {
		return
	}
	h.settle(b)
	for i, w := range b.Warps {
		h.live(i, w.Live)
	}
	h.cut()
	if h.done {
		h.r.finished()
		return
	}
	h.mark(recRelease, 0)
}

// Barrier takes down that lanes wait.
func (h *head) Barrier(w *run.Warp, pos code.Pos) {
	if h.done {
		return
	}
	h.settle(w.Block)
	start := len(h.log)
	log := begin(h.log, recBarrier, w.Index)
	log = le.AppendUint32(log, uint32(pos))
	log = le.AppendUint32(log, w.Active)
	h.log = log
	h.write(start)
}

// Note takes down what a variable holds.
func (h *head) Note(w *run.Warp, n *run.Noted) {
	if h.done {
		return
	}
	h.settle(w.Block)
	in := n.Instr
	start := len(h.log)
	log := begin(h.log, recNote, w.Index)
	log = append(log, byte(in.Up), 0)
	log = le.AppendUint16(log, uint16(in.Var))
	log = le.AppendUint16(log, uint16(in.Leaf))
	log = le.AppendUint32(log, w.Active)
	form := byte(formUnset)
	switch {
	case in.Unset || w.Active == 0:
	case in.Type == types.Pred:
		log, form = le.AppendUint32(log, uint32(n.One)), formPred
	case n.V32 != nil:
		log, form = narrowForm(log, n.V32, w.Active)
	case n.V64 != nil:
		log, form = wideForm(log, n.V64, w.Active)
	default:
		log, form = le.AppendUint64(log, n.One), formOne
	}
	if in.Memory {
		form |= formMemory
	}
	log[start+5] = form
	h.log = log
	h.write(start)
}

// Enter takes down a call.
func (h *head) Enter(w *run.Warp, pos code.Pos, frame int) {
	if h.done {
		return
	}
	h.settle(w.Block)
	start := len(h.log)
	log := begin(h.log, recEnter, w.Index)
	log = le.AppendUint32(log, uint32(pos))
	log = le.AppendUint32(log, uint32(frame))
	log = le.AppendUint32(log, w.Active)
	h.log = log
	h.write(start)
}

// Leave takes down a return.
func (h *head) Leave(w *run.Warp) {
	if h.done {
		return
	}
	h.settle(w.Block)
	start := len(h.log)
	log := begin(h.log, recLeave, w.Index)
	h.log = log
	h.write(start)
}

// Declare takes down that a local array begins its life.
func (h *head) Declare(w *run.Warp, _ code.Pos, p run.Pointer) {
	if h.done {
		return
	}
	m := w.Memory(p)
	if m == nil {
		return
	}
	number := h.t.local(m)
	if number < 0 {
		return
	}
	h.settle(w.Block)
	start := len(h.log)
	log := begin(h.log, recDeclare, w.Index)
	log = le.AppendUint32(log, uint32(p.Number()))
	log = le.AppendUint32(log, uint32(number))
	log = le.AppendUint32(log, w.Active)
	h.log = log
	h.write(start)
}

// Access takes down an access and what it moves.
func (h *head) Access(a *run.Access) {
	w := a.Warp
	if h.done {
		return
	}
	h.settle(w.Block)
	start := len(h.log)
	log := begin(h.log, recAccess, w.Index)
	log = le.AppendUint32(log, uint32(a.Pos))
	log = append(log, byte(a.Kind), byte(a.Space), byte(a.Type), byte(a.Count), 0)
	log = le.AppendUint32(log, a.Mask)
	log, form := wideForm(log, a.Addrs, a.Mask)
	log[start+12] = form
	log = values(log, a)
	if a.Kind == run.Atomic {
		p := pending{warp: w, space: a.Space, a: access{t: a.Type, mask: a.Mask, count: 1}}
		for i, x := range a.Addrs {
			p.a.addrs[i] = run.Pointer(x)
		}
		h.pending = append(h.pending, p)
	}
	h.log = log
	h.write(start)
}

// values appends what an access moves.
func values(log []byte, a *run.Access) []byte {
	n := bits.OnesCount32(a.Mask) * a.Width()
	at := len(log)
	log = slices.Grow(log, n)[:at+n]
	out := log[at:]
	if a.Kind == run.Load && a.Pattern != nil && a.Space != code.Local {
		// All lanes read one allocation.
		p := run.Pointer(a.Addrs[bits.TrailingZeros32(a.Mask)&31])
		base := uint64(p) - uint64(p.Offset())
		data := a.Warp.Bytes(run.Pointer(base))
		width := a.Width()
		for m := a.Mask; m != 0; m &= m - 1 {
			o := a.Addrs[bits.TrailingZeros32(m)&31] - base
			if width == 4 {
				le.PutUint32(out, le.Uint32(data[o:]))
			} else {
				copy(out[:width], data[o:])
			}
			out = out[width:]
		}
		return log
	}
	if x, _ := a.Values(0); x != nil && a.Count == 1 && a.Size == 4 {
		if a.Mask == every {
			for i, v := range x {
				le.PutUint32(out[4*i:], v)
			}
			return log
		}
		for m := a.Mask; m != 0; m &= m - 1 {
			le.PutUint32(out, x[bits.TrailingZeros32(m)&31])
			out = out[4:]
		}
		return log
	}
	lanes(a.Mask, func(lane int) {
		for k := range a.Count {
			x := uint64(0)
			if a.Kind == run.Load {
				x, _ = a.Warp.Read(run.Pointer(a.Addrs[lane])+run.Pointer(k*a.Size), lane, a.Size)
			} else {
				x = a.Value(lane, k)
			}
			putBits(out, a.Size, x)
			out = out[a.Size:]
		}
	})
	return log
}

// after takes down what an atomic has left in memory.
func (h *head) after(p *pending) {
	var addrs [32]uint64
	for i, x := range p.a.addrs {
		addrs[i] = uint64(x)
	}
	start := len(h.log)
	log := begin(h.log, recAfter, p.warp.Index)
	log = append(log, byte(p.a.t), 0)
	log = le.AppendUint32(log, p.a.mask)
	log, form := wideForm(log, &addrs, p.a.mask)
	log[start+5] = form
	lanes(p.a.mask, func(lane int) {
		x, _ := p.warp.Read(p.a.addrs[lane], lane, p.a.t.Size())
		var b [8]byte
		putBits(b[:], p.a.t.Size(), x)
		log = append(log, b[:p.a.t.Size()]...)
	})
	h.log = log
	h.write(start)
}
