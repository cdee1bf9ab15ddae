package run

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"workbench/engine/launch"
	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

// A worker runs blocks. It has one after another, in the order of their
// numbers; a block that looks as if it waits for another is put aside while the
// next one begins, and has its turn again later.
type worker struct {
	grid    *Grid
	out     *printed
	seed    uint64
	quantum int
	aside   int      // how many blocks may have begun
	begun   []*Block // those that have, and are put aside, in the order of their turns

	observes bool // it runs blocks that are observed, too
	stocks   map[Events]*stock
	resume   *Saved // what the first block goes on with
}

// stock is what a worker has for blocks of one form.
type stock struct {
	form     *form
	events   Events
	patterns patterns // if they are observed
	free     []*Block // blocks that have ended, with their registers
}

// Turns of a warp, in instructions. Where a kernel looks at memory as one does
// who waits, they are short; and each time round a loop in which a warp does
// nothing else, since its turn began, is taken for so many more.
const (
	longTurn  = 1 << 15
	shortTurn = 1 << 11
	spinning  = 1 << 8
)

// Bounds of the blocks of a worker that have begun and not ended: their number,
// and bytes of all of them. A GPU has room for some hundreds of small ones too, and
// a kernel whose blocks wait for more than that hangs there as well.
const (
	maxAside      = 512
	maxAsideBytes = 1 << 30
)

func newWorker(g *Grid, l *Launch, out *printed, observes bool) *worker {
	w := &worker{grid: g, out: out, seed: l.Seed, quantum: l.Quantum, observes: observes, stocks: map[Events]*stock{}}
	if observes && l.Resume != nil && l.Resume.warps != nil {
		w.resume = l.Resume
	}
	if w.quantum <= 0 {
		w.quantum = longTurn
		if g.form.polls {
			w.quantum = shortTurn
		}
	}
	w.aside = int(max(1, min(maxAside, maxAsideBytes/g.bytes)))
	return w
}

// work runs blocks until there are none left.
func (k *worker) work() {
	r := k.grid.run
	for !r.stopped.Load() {
		var b *Block
		// A new one first, as long as there is room: whoever waits, waits for one
		// that has not begun or for one that is aside.
		if len(k.begun) == 0 || len(k.begun) < k.aside && k.begun[0].stalled {
			if c, ok := r.claim(k.observes); ok {
				b = k.begin(c)
			}
		}
		if b == nil {
			if len(k.begun) == 0 {
				return
			}
			b = k.begun[0]
			k.begun = slices.Delete(k.begun, 0, 1)
		}
		if k.over(b, b.Warps[0]) || k.turn(b) {
			k.end(b)
			continue
		}
		b.Alone = false
		k.begun = append(k.begun, b)
	}
	for _, b := range k.begun {
		k.end(b)
	}
}

// begin returns a block with all its warps at the first instruction.
func (k *worker) begin(c claimed) *Block {
	g, n := k.grid, c.number
	b := k.room(k.stock(c.observer))
	b.observer = c.observer
	b.Number = n
	b.Alone = len(k.begun) == 0
	b.Index = launch.Dim3{X: n % g.Grid.X, Y: n / g.Grid.X % g.Grid.Y, Z: n / g.Grid.X / g.Grid.Y}
	b.printed, b.stalled, b.count, b.arrived = nil, false, 0, 0
	for i := range b.shared {
		fill(b.shared[i].data)
	}
	form := b.stock.form
	u := form.kernel
	params := g.params[1].data
	names, _ := b.observer.(Names)
	for i, w := range b.Warps {
		w.observer, w.names = b.observer, names
		w.Live = g.live[i]
		w.Active, w.all = w.Live, w.Live
		w.At, w.status, w.polls = 0, ready, false
		w.pc, w.resume, w.fuel, w.spent = u.entry, u.entry, 0, 0
		w.spins, w.awaits = u.f.Pos, false
		w.frames, w.stack = w.frames[:0], 0
		w.words, w.locals = w.words[:0], w.locals[:0]
		w.push(u, w.v, w.x, w.p, w.s)
		for _, s := range u.clear {
			w.clear(s)
		}
		for i, p := range u.f.Params {
			if p.Reg != 0 {
				w.set(form.params[i], getBytes(params, uint64(u.f.Offset(i)), stored(p.Type)))
			}
		}
	}
	for i := range b.order {
		b.order[i] = i
	}
	if b.observer != nil {
		b.observer.Begin(b)
	}
	if k.resume != nil {
		k.resume.restore(b)
		k.resume = nil
	}
	return b
}

// stored returns the type that a value has in memory.
func stored(t types.Scalar) types.Scalar {
	if t == types.Pred {
		return types.U8
	}
	return t
}

// fill makes memory unwritten.
func fill(data []byte) {
	if len(data) == 0 {
		return
	}
	data[0] = 0xff
	for n := 1; n < len(data); n *= 2 {
		copy(data[n:], data[:n])
	}
}

// stock returns what there is for blocks that o observes.
func (k *worker) stock(o Observer) *stock {
	v := k.grid.variant.observedBy(o)
	s := k.stocks[v.events]
	if s == nil {
		s = &stock{form: k.grid.machine.image.form(v), events: v.events}
		if o != nil {
			s.patterns = make(patterns, s.form.accesses)
		}
		k.stocks[v.events] = s
	}
	return s
}

// room returns a block without contents.
func (k *worker) room(s *stock) *Block {
	if n := len(s.free); n > 0 {
		b := s.free[n-1]
		s.free = s.free[:n-1]
		return b
	}
	g := k.grid
	b := &Block{Grid: g, stock: s, order: make([]int, g.Warps)}
	u := s.form.kernel
	for i := range g.Warps {
		b.Warps = append(b.Warps, &Warp{
			Block: b, Index: i, patterns: s.patterns,
			v: make([]v32, u.nv), x: make([]v64, u.nx), p: make([]uint32, u.np), s: make([]uint64, u.ns+len(u.consts)),
		})
	}
	// By number: number 0 is nothing, the last one is what all dynamic arrays are.
	p := g.Program
	b.shared = make([]region, len(p.Shared)+2)
	for _, n := range s.form.shared {
		x := memoryOf(p.Shared[n], code.Shared)
		if p.Shared[n].Dynamic {
			last := len(p.Shared) + 1
			x.Number, x.Size, x.Data = last, int64(g.SharedBytes), make([]byte, g.SharedBytes)
			x.Dims = nil
			b.shared[last] = region{x.Data, x}
			continue
		}
		x.Number, x.Data = n+1, make([]byte, x.Size)
		b.shared[n+1] = region{x.Data, x}
	}
	return b
}

// clear makes a register 0.
func (w *Warp) clear(s slot) {
	switch {
	case s.bits == 1:
		w.p[s.i] = 0
	case s.uniform:
		w.s[s.i] = 0
	case s.bits == 64:
		w.x[s.i] = v64{}
	default:
		w.v[s.i] = v32{}
	}
}

// forget makes a register of the active lanes 0.
func (w *Warp) forget(s slot) {
	switch {
	case s.bits == 0:
	case s.bits == 1:
		w.p[s.i] &^= w.Active
	case s.uniform:
		w.s[s.i] = 0
	case s.bits == 64:
		blend64(&w.x[s.i], &v64{}, w.Active)
	default:
		blend32(&w.v[s.i], &v32{}, w.Active)
	}
}

// set gives a register one value for all lanes.
func (w *Warp) set(s slot, x uint64) {
	switch {
	case s.bits == 1:
		w.p[s.i] = 0
		if x != 0 {
			w.p[s.i] = every
		}
	case s.uniform:
		w.s[s.i] = x
	case s.bits == 64:
		splat64(&w.x[s.i], x)
	default:
		splat32(&w.v[s.i], uint32(x))
	}
}

// turn gives each warp of a block turns until it has ended, which it reports, or
// should let another block go on.
func (k *worker) turn(b *Block) bool {
	r := k.grid.run
	ops := b.stock.form.ops
	rounds, _ := b.observer.(Rounds)
	for {
		if rounds != nil {
			rounds.Round(b)
		}
		k.shuffle(b)
		running, stalled := false, true
		for _, i := range b.order {
			w := b.Warps[i]
			if w.status != ready {
				continue
			}
			w.fuel = k.quantum
			w.polls, w.moved = false, false
			before := w.spent
			w.run(ops)
			r.spent.Add(max(w.spent-before, 1)) // a turn without a loop or a call is something too: there may be many
			if r.stopped.Load() {
				return true
			}
			if w.status != ready {
				stalled = false // it got somewhere
				continue
			}
			running = true
			stalled = stalled && w.polls && !w.moved
			if k.over(b, w) {
				return true
			}
		}
		if !running && !k.release(b) {
			return true
		}
		b.stalled = running && stalled
		if b.stalled {
			return false
		}
	}
}

// over ends the launch, and says so, if its instructions are spent or its context
// is done. It is asked wherever that might go on for ever: behind a turn of w, when
// all warps of b wait at a barrier, and before another block.
func (k *worker) over(b *Block, w *Warp) bool {
	r := k.grid.run
	if r.exhausted(r.spent.Load()) {
		r.fail(k.endless(b, w, InstructionsOut, "when the launch has used up its instructions"))
		return true
	}
	err := r.ctx.Err()
	if err == nil {
		return false
	}
	var f *Fault
	if errors.Is(err, context.DeadlineExceeded) {
		f = k.endless(b, w, TimeOut, "when the launch has used up its time")
	} else {
		f = w.fault(Cancelled, w.spins, 0)
		f.Detail = err.Error()
	}
	f.Err = err
	r.fail(f)
	return true
}

// release lets the warps go on that wait at the barrier, which every warp has
// reached or will not. It reports whether there are any.
func (k *worker) release(b *Block) bool {
	var waits *Warp
	b.count, b.arrived = 0, 0
	for _, w := range b.Warps {
		if w.status == waiting {
			waits = w
			b.count += bits.OnesCount32(w.vote)
			b.arrived += bits.OnesCount32(w.Active)
		}
	}
	if waits == nil || k.over(b, waits) {
		return false
	}
	if b.stock.events&Syncs != 0 {
		b.observer.Release(b)
		if k.grid.run.stopped.Load() {
			return false
		}
	}
	for _, w := range b.Warps {
		if w.status == waiting {
			w.status, w.At = ready, 0
		}
	}
	return true
}

// endless is the fault of a launch that is ended from outside: of w, a warp of b,
// that was in a loop then, or of another one that waits in a loop while lanes of its
// own wait for it. If there is one, all who wait for those lanes do.
func (k *worker) endless(b *Block, w *Warp, kind FaultKind, when string) *Fault {
	stuck := func(w *Warp) bool {
		return w.status == ready && w.awaits && w.Live&^w.Active != 0
	}
	if !stuck(w) {
		w = k.stuck(b, w, stuck)
	}
	r := k.grid.run
	f := w.fault(kind, w.spins, w.Active)
	f.Spent, f.Ended, f.Blocks = r.spent.Load(), r.ended.Load(), int64(r.blocks)
	if kind == InstructionsOut {
		f.Spent = r.most() // and not how far it is at the end of a turn
	}
	does := "it is in this loop"
	if w.status == waiting {
		f.Pos = w.At
		f.Position = k.grid.Program.Position(f.Pos)
		does = "it waits at this barrier"
	} else {
		f.Waiting, f.Awaits = w.Live&^w.Active, w.awaits
	}
	f.Detail = fmt.Sprintf("%s %s, after %d instructions of all warps and with %d of %d blocks at their end", does, when, f.Spent, f.Ended, f.Blocks)
	if f.Waiting != 0 {
		f.Detail += "; other lanes of its warp are not and wait for it"
	}
	return f
}

// stuck returns the first warp of b and of the blocks aside that is, and else w.
func (k *worker) stuck(b *Block, w *Warp, is func(*Warp) bool) *Warp {
	for _, b := range append([]*Block{b}, k.begun...) {
		for _, x := range b.Warps {
			if is(x) {
				return x
			}
		}
	}
	return w
}

// end ends a block.
func (k *worker) end(b *Block) {
	if r := k.grid.run; !r.stopped.Load() {
		r.ended.Add(1)
		r.before.Store(r.spent.Load())
	}
	if b.observer != nil {
		b.observer.End(b)
	}
	if len(b.printed) > 0 {
		k.out.add(b.Number, b.printed)
	}
	b.stock.free = append(b.stock.free, b)
}

// shuffle makes an order of the warps' turns.
func (k *worker) shuffle(b *Block) {
	if k.seed == 0 {
		return
	}
	for i := len(b.order) - 1; i > 0; i-- {
		k.seed += 0x9e3779b97f4a7c15
		j := int(mix(k.seed^uint64(b.Number)<<32) % uint64(i+1))
		b.order[i], b.order[j] = b.order[j], b.order[i]
	}
}

// mix is the output function of SplitMix64.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// printed collects what blocks print.
type printed struct {
	mu     sync.Mutex
	blocks []output
}

type output struct {
	block int
	text  []byte
}

func (p *printed) add(block int, text []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.blocks = append(p.blocks, output{block, text})
}

// String returns it all in the order of the blocks' numbers.
func (p *printed) String() string {
	slices.SortFunc(p.blocks, func(a, b output) int { return a.block - b.block })
	var s strings.Builder
	for _, o := range p.blocks {
		s.Write(o.text)
	}
	return s.String()
}
