package record

import (
	"context"
	"errors"
	"math/bits"
	"slices"

	"workbench/engine/launch"
	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
	"workbench/engine/simt/types"
)

// DefaultBound is the memory of a recording that is given no bound: 64 MiB.
const DefaultBound = 64 << 20

// Options are what a recording is made with.
type Options struct {
	Bound int64 // bytes that a block's recording may take; 0 is DefaultBound
}

// errOther is a launch that did something else when it ran again.
var errOther = errors.New("the launch did not do the same again: this part of the recording is lost")

// Again runs a launch with a Recorder as its observer, of an image that has
// code.Names and is the same one each time, with memory of its own. It is called
// when a recording is made, and once more whenever a part of one is asked for that
// was dropped.
//
// Once memory is what it is before the first launch in it, Again calls Prepare, which
// says what is to be run, and Pass for each launch that runs before. Its context is done when nothing is left to be recorded.
type Again func(ctx context.Context, r *Recorder) error

// Launch records blocks of a launch. What goes wrong in the kernel ends a
// recording early, and is no error.
func Launch(ctx context.Context, blocks []int, o Options, again Again) ([]*Recording, error) {
	if o.Bound == 0 {
		o.Bound = DefaultBound
	}
	if len(blocks) == 0 {
		return nil, nil
	}
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &Recorder{cancel: cancel, heads: map[int]*head{}}
	var out []*Recording
	for _, n := range blocks {
		if h := r.heads[n]; h != nil {
			out = append(out, &Recording{h.t})
			continue
		}
		bound := o.Bound / int64(len(blocks))
		t := &tape{number: n, bound: bound, most: max(bound/8, 64<<10), again: again}
		r.heads[n] = &head{t: t, all: true}
		r.left++
		out = append(out, &Recording{t})
	}
	err := again(within, r)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var fault *run.Fault
	errors.As(err, &fault)
	for _, x := range out {
		t := x.t
		if t.grid == nil {
			t.reason = "the launch ended before the block began"
			if err != nil {
				t.reason += ": " + err.Error()
			}
		} else if h := r.heads[t.number]; !h.done {
			h.stop()
		}
		switch {
		case t.complete || t.reason != "":
		case fault != nil && fault.Kind != run.Cancelled:
			t.reason = "the launch ended early: " + fault.Error()
		default:
			t.reason = "the launch ended early"
		}
	}
	return out, nil
}

// A Recorder is the observer that records blocks.
type Recorder struct {
	cancel context.CancelFunc // ends the launch
	heads  map[int]*head      // by block
	left   int                // heads that are not done
	before *hashes            // of memory before the launches

	block *run.Block // the one of the last event, and its head
	last  *head
	n     int
}

var _ run.Names = (*Recorder)(nil)

// Prepare makes a launch one that r observes. If it returns false, the whole
// launch is to run, and those before it. If it returns true, the launch goes on
// from where the recording needs it: the machine's memory is what it was there and
// is not to be changed, and launches before are not to be run.
func (r *Recorder) Prepare(m *run.Machine, l *run.Launch) bool {
	// Blocks run one after another, so that all is the same each time.
	l.Workers = 1
	l.ObserverOf = func(block int) run.Observer {
		if r.heads[block] != nil {
			return r
		}
		return bystander{}
	}
	for _, h := range r.heads {
		if h.all {
			r.before = hashesOf(m)
			return false
		}
		c := &h.t.checks
		if c.begin == nil {
			return false
		}
		memory := memories(m.Memories())
		c.found.restore(memory)
		for _, x := range c.list[:h.until] {
			x.written.restore(memory)
		}
		l.Resume = c.begin
		if h.point != nil {
			l.Resume = h.point.saved
		}
	}
	return true
}

// Wants says what a Recorder must be told.
func (r *Recorder) Wants() run.Events {
	return run.Statements | run.Accesses | run.Syncs | run.Variables
}

// of returns the head of a block, or nil.
func (r *Recorder) of(b *run.Block) *head {
	if b != r.block || b.Number != r.n {
		r.block, r.n = b, b.Number
		r.last = r.heads[b.Number]
	}
	if h := r.last; h != nil && !h.done {
		return h
	}
	return nil
}

// Begin begins a block.
func (r *Recorder) Begin(b *run.Block) {
	h := r.of(b)
	if h == nil {
		return
	}
	if h.all {
		h.t.start(b)
		h.t.checks.take(b, r.before, h.t.bound/8)
	}
	if x := h.point; x != nil {
		// It goes on in the middle of a segment that is not kept.
		h.s, h.next, h.printed = x.s.clone(), x.segment, x.printed
		h.open = &segment{first: h.t.segments[h.next].first, places: make([]uint64, len(h.t.grid.Program.Positions)/64+1), late: never}
		return
	}
	h.s = h.t.blank(b)
	h.cut()
}

// Round is between the turns of the warps.
func (r *Recorder) Round(b *run.Block) {
	h := r.of(b)
	if h == nil {
		return
	}
	h.settle(b)
	if h.all {
		h.checkpoint(b, h.t.bound/4)
	}
}

// End ends it.
func (r *Recorder) End(b *run.Block) {
	h := r.of(b)
	if h == nil {
		return
	}
	h.settle(b)
	if h.all && !b.Alone {
		h.t.checks.lost()
	}
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
		h.t.complete = h.t.complete || h.all
	}
	r.finished(h)
}

// finished counts a head that is done, and ends the launch behind the last one.
func (r *Recorder) finished(h *head) {
	if !h.done {
		return
	}
	if r.left--; r.left <= 0 {
		r.cancel()
	}
}

// stop ends the recording.
func (h *head) stop() {
	if h.open != nil && h.s != nil {
		h.close(int(h.s.step) + 1)
	}
	h.done = true
	if h.all && h.s != nil {
		h.t.phases = int(h.s.phase) + 1
	}
}

// mark writes a step that no warp begins.
func (h *head) mark(kind byte, warp int) {
	if h.keeps() {
		h.open.at = append(h.open.at, uint32(len(h.log)))
	}
	h.open.releases = true
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
		warp := 0
		if h.warp != nil {
			warp = h.warp.Index
		}
		for len(rest) > 0 {
			n := min(len(rest), 32<<10)
			start := len(h.log)
			log := append(begin(h.log, recText, warp), rest[:n]...)
			rest = rest[n:]
			h.log = log
			h.write(start)
		}
	}
}

// Statement begins a step.
func (r *Recorder) Statement(w *run.Warp, pos code.Pos) {
	h := r.of(w.Block)
	if h == nil {
		return
	}
	h.settle(w.Block)
	h.warp = w
	for i, other := range w.Block.Warps {
		if other != w {
			h.live(i, other.Live)
		}
	}
	h.cut()
	if h.done {
		r.finished(h)
		return
	}
	g := h.open
	start := len(h.log)
	if h.keeps() {
		g.at = append(g.at, uint32(start))
	}
	g.warps |= 1 << w.Index
	g.places[pos>>6] |= 1 << (pos & 63)
	log := begin(h.log, recStep, w.Index)
	log = le.AppendUint32(log, uint32(pos))
	log = le.AppendUint32(log, uint32(w.Scope))
	log = le.AppendUint32(log, w.Active)
	log = le.AppendUint32(log, w.Live)
	h.log = log
	h.write(start)
}

// Release is a step of the block.
func (r *Recorder) Release(b *run.Block) {
	h := r.of(b)
	if h == nil {
		return
	}
	h.settle(b)
	for i, w := range b.Warps {
		h.live(i, w.Live)
	}
	h.cut()
	if h.done {
		r.finished(h)
		return
	}
	h.mark(recRelease, 0)
}

// Barrier takes down that lanes wait.
func (r *Recorder) Barrier(w *run.Warp, pos code.Pos) {
	h := r.of(w.Block)
	if h == nil {
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
func (r *Recorder) Note(w *run.Warp, n *run.Noted) {
	h := r.of(w.Block)
	if h == nil {
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
func (r *Recorder) Enter(w *run.Warp, pos code.Pos, frame int) {
	h := r.of(w.Block)
	if h == nil {
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
func (r *Recorder) Leave(w *run.Warp) {
	h := r.of(w.Block)
	if h == nil {
		return
	}
	h.settle(w.Block)
	start := len(h.log)
	log := begin(h.log, recLeave, w.Index)
	h.log = log
	h.write(start)
}

// Declare takes down that a local array begins its life.
func (r *Recorder) Declare(w *run.Warp, _ code.Pos, p run.Pointer) {
	h := r.of(w.Block)
	if h == nil {
		return
	}
	m := w.Memory(p)
	if m == nil {
		return
	}
	h.settle(w.Block)
	start := len(h.log)
	log := begin(h.log, recDeclare, w.Index)
	log = le.AppendUint32(log, uint32(p.Number()))
	log = le.AppendUint32(log, uint32(h.t.local(m, h.all)))
	log = le.AppendUint32(log, w.Active)
	h.log = log
	h.write(start)
}

// local returns the number of a local array. When a launch runs again its arrays
// are others that look the same, and come in the same order.
func (t *tape) local(m *run.Memory, first bool) int32 {
	if n, ok := t.localOf[m]; ok {
		return n
	}
	if !first {
		for n, old := range t.locals {
			if old.Label == m.Label && old.Pos == m.Pos && old.Size == m.Size {
				return int32(n)
			}
		}
	}
	for n, old := range t.locals {
		if old.Label == m.Label && old.Pos == m.Pos && old.Size == m.Size {
			t.localOf[m] = int32(n)
			return int32(n)
		}
	}
	n := int32(len(t.locals))
	t.locals = append(t.locals, m)
	t.localOf[m] = n
	return n
}

// Access takes down an access and what it moves.
func (r *Recorder) Access(a *run.Access) {
	w := a.Warp
	h := r.of(w.Block)
	if h == nil {
		return
	}
	h.settle(w.Block)
	t := h.t
	start := len(h.log)
	log := begin(h.log, recAccess, w.Index)
	log = le.AppendUint32(log, uint32(a.Pos))
	log = append(log, byte(a.Kind), byte(a.Space), byte(a.Type), byte(a.Count), 0)
	log = le.AppendUint32(log, a.Mask)
	log, form := wideForm(log, a.Addrs, a.Mask)
	log[start+12] = form
	log = values(log, a)
	if a.Kind != run.Load && a.Space == code.Global && h.all {
		t.checks.wrote(a)
	}
	if a.Kind == run.Atomic {
		p := pending{warp: w, space: a.Space, a: access{t: a.Type, mask: a.Mask, count: 1}}
		for i, x := range a.Addrs {
			p.a.addrs[i] = run.Pointer(x)
		}
		h.pending = append(h.pending, p)
	}
	if a.Space != code.Local && h.all {
		h.touch(a)
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

// touch enters the elements of an access into a segment's filter.
func (h *head) touch(a *run.Access) {
	t, g := h.t, h.open
	if p := a.Pattern; p != nil {
		// Loops come to the same places again and again.
		at := a.Addrs[bits.TrailingZeros32(a.Mask)&31]
		way := &h.seen[(at>>2^uint64(p.Slot))%uint64(len(h.seen))]
		if way.pattern == p && way.at == at && way.width == a.Width() {
			return
		}
		way.pattern, way.at, way.width = p, at, a.Width()
	}
	one := func(array int, o int64) {
		size := int64(max(t.arrays[array].ElemSize, 1))
		for e := o / size; e*size < o+int64(a.Width()); e++ {
			g.touch(array, e)
		}
	}
	if p := a.Pattern; p != nil {
		first := run.Pointer(a.Addrs[bits.TrailingZeros32(a.Mask)&31])
		o := first.Offset()
		if array, ok := t.arrayOf[first-run.Pointer(o)]; ok {
			for _, d := range p.Offsets[:p.Places] {
				one(array, o+d)
			}
		}
		return
	}
	lanes(a.Mask, func(lane int) {
		p := run.Pointer(a.Addrs[lane])
		if array, ok := t.arrayOf[p-run.Pointer(p.Offset())]; ok {
			one(array, p.Offset())
		}
	})
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

// What a recording does not show.
func (r *Recorder) Segment(*run.Warp, *run.Segment)                       {}
func (r *Recorder) Branch(*run.Warp, code.Pos, uint32, uint32)            {}
func (r *Recorder) SyncWarp(*run.Warp, code.Pos, *[32]uint32)             {}
func (r *Recorder) Exchange(*run.Warp, code.Pos, code.Instr, *[32]uint32) {}
func (r *Recorder) Fence(*run.Warp, code.Pos, code.Scope)                 {}

// Fault lets the launch go on where the checks of package watch do.
func (r *Recorder) Fault(_ *run.Warp, f *run.Fault) bool { return goesOn(f) }

// Recording is a launch.Recording.
type Recording struct{ t *tape }

var _ launch.Recording = (*Recording)(nil)

// Tape says what was recorded.
func (x *Recording) Tape() launch.Tape {
	t := x.t
	t.mu.Lock()
	defer t.mu.Unlock()
	out := launch.Tape{
		Steps: t.steps, Phases: t.phases, Complete: t.complete, Reason: t.reason, Lines: []int{}, Arrays: []launch.TapeArray{},
		Bytes: t.bytes(), Bound: t.bound,
	}
	if t.grid == nil {
		return out
	}
	g := t.grid
	out.Kernel, out.Block, out.Warps = g.Kernel, t.index, g.Warps
	out.Grid = launch.Index{g.Grid.X, g.Grid.Y, g.Grid.Z}
	out.BlockDim = launch.Index{g.Block.X, g.Block.Y, g.Block.Z}
	seen := map[int]bool{}
	for _, s := range t.segments {
		if s.key != nil {
			out.Held += s.steps
		}
		s.positions(func(pos code.Pos) {
			if line := g.Program.Position(pos).Line; line > 0 && !seen[line] {
				seen[line] = true
				out.Lines = append(out.Lines, line)
			}
		})
	}
	slices.Sort(out.Lines)
	for _, m := range t.arrays {
		size := max(m.ElemSize, 1)
		out.Arrays = append(out.Arrays, launch.TapeArray{
			Name: m.Label, Space: m.Space.String(), Element: m.Elem, Elements: m.Size / int64(size), Size: size, Shape: m.Dims,
		})
	}
	return out
}
