package run

import (
	"math/bits"

	"workbench/engine/simt/code"
)

// An analysis says of a function
//
//   - which registers are uniform: every lane that reads one finds the value that
//     every other lane would find there at the same time, so that one value is
//     kept for all and computed once; most indices, bounds and pointers are;
//   - which writes may be dense: no lane that does not execute the instruction
//     will read what the register held before, so that all 32 may be computed
//     and written without looking at the mask.
//
// Both rest on one question. Where lanes part, those that wait for the others to
// arrive where they join again may need what they have in their registers. A
// register that is live at the join, and is written by a lane on its way there,
// must keep a value per lane, and the write must spare the others. All other
// writes can do as they please.
//
// Lanes part at an If or a loop whose condition is not uniform, and by a Break or
// Continue that not all of the lanes execute that came into its target. Those
// that a Return ends in a kernel wait for nothing.
type analysis struct {
	f       *code.Function
	kernel  bool
	varying []bool              // by register
	local   []bool              // by register: it may point into local memory
	masked  map[code.Instr]bool // writes that must spare other lanes
	entry   set                 // registers that are live at the beginning: parameters, and what may be read without ever being written
	unset   set                 // registers that may be read after they are declared, and not written since

	liveAfter map[code.Instr]set // an If, Loop or Region: behind it
	liveElse  map[code.Instr]set // an If: where Else begins
	liveStep  map[code.Instr]set // a Loop: where Step begins
	liveHead  map[code.Instr]set // a Loop: where Cond begins

	parts     map[code.Instr]bool // an If, Loop or Region whose lanes join at different times
	continues map[code.Instr]bool // a Loop: lanes wait for others at its Step
	changed   bool
}

// set is a set of registers.
type set []uint64

func (s set) has(r code.Reg) bool { return s[r>>6]>>(r&63)&1 != 0 }
func (s set) add(r code.Reg)      { s[r>>6] |= 1 << (r & 63) }
func (s set) drop(r code.Reg)     { s[r>>6] &^= 1 << (r & 63) }
func (s set) copy() set           { return append(set(nil), s...) }

// union puts t into s and reports whether that changed it.
func (s set) union(t set) bool {
	changed := false
	for i, x := range t {
		if x&^s[i] != 0 {
			s[i] |= x
			changed = true
		}
	}
	return changed
}

func (s set) each(see func(code.Reg)) {
	for i, x := range s {
		for ; x != 0; x &= x - 1 {
			see(code.Reg(i*64 + bits.TrailingZeros64(x)))
		}
	}
}

// analyse returns what is known of f. With undef, a register that is declared
// without a value lives on from before, which finds every register that may be
// read unwritten.
func analyse(f *code.Function, undef bool) *analysis {
	a := &analysis{
		f: f, kernel: f.Kernel, varying: make([]bool, len(f.Regs)), local: make([]bool, len(f.Regs)),
		liveAfter: map[code.Instr]set{}, liveElse: map[code.Instr]set{}, liveStep: map[code.Instr]set{}, liveHead: map[code.Instr]set{},
		parts: map[code.Instr]bool{}, continues: map[code.Instr]bool{},
	}
	a.liveness(undef)
	a.uniformity()
	return a
}

// maxPasses bounds the passes of an analysis: a few settle any program that
// someone wrote. Beyond, the answer is the one that is always right.
const maxPasses = 100

// ---- liveness ----------------------------------------------------------------

type liveness struct {
	*analysis
	undef   bool
	targets []code.Instr
}

func (a *analysis) liveness(undef bool) {
	a.unset = a.set()
	l := &liveness{analysis: a, undef: undef}
	for pass := 0; ; pass++ {
		a.changed = false
		a.entry = l.block(a.f.Body, a.set())
		if !a.changed {
			return
		}
		if pass == maxPasses {
			all := a.set()
			for i := range all {
				all[i] = ^uint64(0)
			}
			for _, m := range []map[code.Instr]set{a.liveAfter, a.liveElse, a.liveStep, a.liveHead} {
				for k := range m {
					m[k] = all
				}
			}
			a.entry, a.unset = all, all
			return
		}
	}
}

func (a *analysis) set() set { return make(set, len(a.f.Regs)/64+1) }

// block returns what is live before b when live is what is live behind it,
// which it may change.
func (l *liveness) block(b code.Block, live set) set {
	for n := len(b) - 1; n >= 0; n-- {
		values, dst := code.Operands(b[n])
		switch i := b[n].(type) {
		case *code.If:
			l.liveAfter[i] = live.copy()
			orElse := l.block(i.Else, live.copy())
			l.liveElse[i] = orElse
			live = l.block(i.Then, live)
			live.union(orElse)
		case *code.Loop:
			l.liveAfter[i] = live.copy()
			l.targets = append(l.targets, i)
			head := l.liveHead[i]
			if head == nil {
				head = l.set()
				l.liveHead[i] = head
			}
			step := l.block(i.Step, head.copy())
			l.liveStep[i] = step
			body := l.block(i.Body, step.copy())
			if i.Test.Reg != 0 || i.Test.Bits == 0 {
				body.union(live)
			}
			if i.Test.Reg != 0 {
				body.add(i.Test.Reg)
			}
			before := l.block(i.Cond, body)
			if head.union(before) {
				l.changed = true
			}
			live = head.copy()
			l.targets = l.targets[:len(l.targets)-1]
			continue // Test is read behind Cond
		case *code.Region:
			l.liveAfter[i] = live.copy()
			l.targets = append(l.targets, i)
			live = l.block(i.Body, live)
			l.targets = l.targets[:len(l.targets)-1]
		case *code.Break:
			live = l.liveAfter[l.targets[len(l.targets)-1-i.Depth]].copy()
		case *code.Continue:
			live = l.liveStep[l.targets[len(l.targets)-1-i.Depth]].copy()
		case *code.Return:
			live = l.set()
		case *code.Undef:
			if l.undef {
				if live.has(i.Dst) {
					l.unset.add(i.Dst)
				}
				continue
			}
		}
		for _, r := range dst {
			live.drop(r)
		}
		for _, x := range values {
			if x.Reg != 0 {
				live.add(x.Reg)
			}
		}
	}
	return live
}

// ---- uniformity --------------------------------------------------------------

// walk goes through a function as its lanes do.
type walk struct {
	*analysis
	targets []target
}

// target is a construct around the current instruction that Break or Continue
// may name. partial says that lanes which came into it, and will go on within
// it, may be missing here.
type target struct {
	in      code.Instr
	partial bool
}

func (a *analysis) uniformity() {
	for _, p := range a.f.Params {
		if p.Reg != 0 && !a.kernel {
			a.varying[p.Reg] = true
			a.local[p.Reg] = true
		}
	}
	for a.changed = true; a.changed; {
		a.changed = false
		a.pointers(a.f.Body)
	}
	for pass := 0; ; pass++ {
		a.changed = false
		a.masked = map[code.Instr]bool{}
		w := &walk{analysis: a}
		w.block(a.f.Body, a.set())
		if !a.changed {
			return
		}
		if pass == maxPasses {
			for r := range a.varying {
				a.varying[r] = true
			}
			a.all(a.f.Body)
			return
		}
	}
}

// all gives up on b: lanes may part anywhere, and every write spares others.
func (a *analysis) all(b code.Block) {
	for _, in := range b {
		a.masked[in] = true
		switch in.(type) {
		case *code.If, *code.Loop, *code.Region:
			a.parts[in], a.continues[in] = true, true
		}
		for _, inner := range code.Blocks(in) {
			a.all(inner)
		}
	}
}

func (a *analysis) mark(m map[code.Instr]bool, in code.Instr) {
	if !m[in] {
		m[in] = true
		a.changed = true
	}
}

func (a *analysis) varies(x code.Value) bool { return x.Reg != 0 && a.varying[x.Reg] }

// part says that lanes are missing from here on, for every construct around,
// and returns what was so before.
func (w *walk) part(now bool) (before []bool) {
	before = make([]bool, len(w.targets))
	for i := range w.targets {
		before[i] = w.targets[i].partial
		if now {
			w.targets[i].partial = true
		}
	}
	return before
}

// block walks through b. kept are the registers whose values lanes that wait
// somewhere will read again.
func (w *walk) block(b code.Block, kept set) {
	for _, in := range b {
		switch i := in.(type) {
		case *code.If:
			w.branch(i, kept)
		case *code.Loop:
			w.loop(i, kept)
		case *code.Region:
			inside := kept
			if w.parts[i] {
				inside = kept.copy()
				inside.union(w.liveAfter[i])
			}
			before := w.part(false)
			w.targets = append(w.targets, target{in: i})
			w.block(i.Body, inside)
			w.targets = w.targets[:len(w.targets)-1]
			w.join(before)
		case *code.Break:
			w.jump(len(w.targets)-1-i.Depth, false)
		case *code.Continue:
			w.jump(len(w.targets)-1-i.Depth, true)
		default:
			w.instr(in, kept)
		}
	}
}

// join ends a construct: lanes that waited at its end are back. Those that left
// for the end of a construct further out, or for its Step, are still missing in
// all that is around that.
func (w *walk) join(before []bool) {
	for i := range before {
		w.targets[i].partial = before[i] || w.targets[i].partial && w.gone(i)
	}
}

// gone reports whether lanes that are in target i may wait for others within it.
func (w *walk) gone(i int) bool {
	for k := i; k < len(w.targets); k++ {
		if in := w.targets[k].in; w.continues[in] || k > i && w.parts[in] {
			return true
		}
	}
	return false
}

func (w *walk) branch(i *code.If, kept set) {
	if !w.varies(i.Cond) {
		w.block(i.Then, kept)
		w.block(i.Else, kept)
		return
	}
	w.mark(w.parts, i)
	orElse := kept.copy()
	orElse.union(w.liveAfter[i])
	then := orElse.copy()
	then.union(w.liveElse[i])
	before := w.part(true)
	w.block(i.Then, then)
	for k := range w.targets {
		w.targets[k].partial = true
	}
	w.block(i.Else, orElse)
	w.join(before)
}

func (w *walk) loop(i *code.Loop, kept set) {
	if w.varies(i.Test) {
		w.mark(w.parts, i)
	}
	inside := kept
	if w.parts[i] {
		inside = kept.copy()
		inside.union(w.liveAfter[i])
	}
	before := w.part(w.parts[i])
	// An iteration before may have sent lanes to somewhere around the loop.
	for k := range w.targets {
		w.targets[k].partial = w.targets[k].partial || w.gone(k)
	}
	w.targets = append(w.targets, target{in: i})
	w.block(i.Cond, inside)
	body := inside
	if w.continues[i] {
		body = inside.copy()
		body.union(w.liveStep[i])
	}
	w.block(i.Body, body)
	w.targets[len(w.targets)-1].partial = false // all are at Step
	w.block(i.Step, inside)
	w.targets = w.targets[:len(w.targets)-1]
	w.join(before)
}

// jump is a Break or Continue to target to. If lanes are missing that are still
// in it, they and those that jump meet again there.
func (w *walk) jump(to int, again bool) {
	if !w.targets[to].partial {
		return
	}
	if again {
		w.mark(w.continues, w.targets[to].in)
	} else {
		w.mark(w.parts, w.targets[to].in)
	}
}

func (w *walk) instr(in code.Instr, kept set) {
	values, dst := code.Operands(in)
	if _, undef := in.(*code.Undef); undef || len(dst) == 0 {
		return
	}
	varies := w.gives(in, values)
	spare := false
	for _, r := range dst {
		if kept.has(r) {
			spare = true
		}
	}
	if spare {
		w.masked[in] = true
	}
	if len(dst) > 1 {
		// What one instruction writes is of one kind.
		for _, r := range dst {
			varies = varies || w.varying[r] || kept.has(r)
		}
	}
	for _, r := range dst {
		if (varies || kept.has(r)) && !w.varying[r] {
			w.varying[r] = true
			w.changed = true
		}
	}
}

// gives reports whether an instruction may give lanes different values.
func (w *walk) gives(in code.Instr, values []code.Value) bool {
	switch i := in.(type) {
	case *code.Special:
		switch i.Which {
		case code.ThreadX, code.ThreadY, code.ThreadZ, code.LaneID, code.LaneMaskEQ, code.LaneMaskLT, code.LaneMaskLE, code.LaneMaskGT, code.LaneMaskGE:
			return true
		}
	case *code.Load:
		// The same address is another place in each lane's local memory.
		if i.Space == code.Local || i.Space == code.Generic && i.Addr.Reg != 0 && w.local[i.Addr.Reg] {
			return true
		}
	case *code.Vote:
		return w.varies(i.Mask)
	case *code.Reduce:
		return w.varies(i.Mask)
	case *code.Barrier, *code.ActiveMask:
		return false
	case *code.Shuffle:
		broadcast := i.Kind == code.ShuffleIndex && i.Width == code.Value{Bits: 32} && i.Valid == 0
		return !broadcast || w.varies(i.Lane)
	case *code.Atomic, *code.Match, *code.Call, *code.Printf:
		return true
	}
	for _, x := range values {
		if w.varies(x) {
			return true
		}
	}
	return false
}

// pointers finds which registers may hold a pointer into local memory: what an
// Addr or memory that a kernel writes gives, and what comes from there. What a
// launch hands over is none.
func (a *analysis) pointers(b code.Block) {
	for _, in := range b {
		values, dst := code.Operands(in)
		may := false
		switch i := in.(type) {
		case *code.Addr:
			may = i.Space == code.Local
		case *code.Load:
			may = i.Space != code.Parameter && i.Space != code.Constant
		case *code.Atomic, *code.Call, *code.Shuffle:
			may = true
		default:
			for _, x := range values {
				may = may || x.Reg != 0 && a.local[x.Reg]
			}
		}
		if may {
			for _, r := range dst {
				if t := a.f.Regs[r].Type; !a.local[r] && t.Size() == 8 {
					a.local[r] = true
					a.changed = true
				}
			}
		}
		for _, inner := range code.Blocks(in) {
			a.pointers(inner)
		}
	}
}
