package run

import (
	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

// Control is jumps over the list of ops, and masks that remember who waits
// where. What holds between two ops:
//
//   - Active is never empty, but on the way to a place where lanes wait. An op
//     that may empty it goes to the label dead in that case: the next place
//     outwards where others may be waiting;
//   - the lanes that left a construct by a Break are in its exits, those that
//     wait for the others at a Loop's Step in its again.

func (e *emitter) block(b code.Block) {
	var by *code.Index // what the access behind it does, too
	for k, in := range b {
		if !names(in) {
			e.entered++
			e.unit.instructions++
		}
		if e.written != nil {
			e.check(in)
			switch i := in.(type) {
			case *code.Index:
				delete(e.rows, i.Dst)
				e.bound(i)
			case *code.Load, *code.Store, *code.Atomic:
				e.within(i)
			}
		}
		if i, ok := in.(*code.Index); ok && k+1 < len(b) && e.addressed(i, b[k+1]) {
			by = i
			continue
		}
		if by != nil {
			switch i := in.(type) {
			case *code.Load:
				e.load(i, by)
			case *code.Store:
				e.store(i, by)
			}
			by = nil
			continue
		}
		switch i := in.(type) {
		case *code.If:
			e.branch(i)
		case *code.Loop:
			e.loop(i)
		case *code.Region:
			e.region(i)
		case *code.Break:
			e.enter(in)
			e.cut()
			e.jump(e.targets[len(e.targets)-1-i.Depth].exits)
			return // nobody gets behind it
		case *code.Continue:
			e.enter(in)
			e.cut()
			e.jump(e.targets[len(e.targets)-1-i.Depth].again)
			return
		case *code.Return:
			e.enter(in)
			e.cut()
			e.returns(i)
			return
		case *code.Call:
			e.enter(in)
			e.cut()
			e.call(i)
		default:
			e.enter(in)
			e.instr(in)
		}
		if e.written != nil {
			e.note(in)
		}
	}
}

// enter counts an instruction to the segment, and begins one if there is none.
func (e *emitter) enter(in code.Instr) {
	if e.events&Segments == 0 {
		return
	}
	if e.segment == nil {
		s := &Segment{Number: e.form.segments}
		e.form.segments++
		e.segment = s
		e.emit(func(w *Warp) { w.observer.Segment(w, s) })
	}
	e.segment.Instrs = append(e.segment.Instrs, in)
}

// cut ends a segment: what follows may be executed by other lanes.
func (e *emitter) cut() { e.segment = nil }

// jump sends all active lanes to wait in p[where].
func (e *emitter) jump(where int) {
	dead := e.dead
	e.emit(func(w *Warp) {
		w.p[where] |= w.Active
		w.Active = 0
		w.pc = dead.pc
	})
}

// tell shows a branch to the observer.
func (e *emitter) tell(pos code.Pos, cond int) {
	if e.events&Branches != 0 {
		e.emit(func(w *Warp) { w.observer.Branch(w, pos, w.Active&w.p[cond], w.Active&^w.p[cond]) })
	}
}

func (e *emitter) branch(i *code.If) {
	e.enter(i)
	e.cut()
	cond := e.pred(i.Cond)
	e.tell(i.Pos, cond)
	if e.evenly(i.Cond) {
		e.evenBranch(i, cond)
		return
	}
	dead := e.dead
	if e.jumps(i, cond, dead) {
		return
	}
	end, join := &label{}, &label{}
	waiting := e.mask()
	if len(i.Else) == 0 {
		e.emit(func(w *Warp) {
			then := w.Active & w.p[cond]
			if then == 0 {
				w.pc = end.pc
				return
			}
			w.p[waiting] = w.Active &^ then
			w.Active = then
		})
		e.dead = join
		e.block(i.Then)
		e.cut()
	} else {
		orElse, others, second := &label{}, e.mask(), &label{}
		e.emit(func(w *Warp) {
			then := w.Active & w.p[cond]
			rest := w.Active &^ then
			if then == 0 {
				w.p[waiting] = 0
				w.pc = second.pc
				return
			}
			w.p[others] = rest
			w.Active = then
		})
		e.dead = orElse
		e.block(i.Then)
		e.cut()
		e.place(orElse)
		e.emit(func(w *Warp) {
			w.p[waiting] = w.Active
			w.Active = w.p[others]
			if w.Active == 0 {
				w.pc = join.pc
			}
		})
		e.place(second)
		e.dead = join
		e.block(i.Else)
		e.cut()
	}
	e.place(join)
	e.emit(func(w *Warp) {
		w.Active |= w.p[waiting]
		if w.Active == 0 {
			w.pc = dead.pc
		}
	})
	e.place(end)
	e.dead = dead
}

// evenBranch is a branch that all lanes take together.
func (e *emitter) evenBranch(i *code.If, cond int) {
	orElse, end := &label{}, &label{}
	e.emit(func(w *Warp) {
		if w.p[cond] == 0 {
			w.pc = orElse.pc
		}
	})
	e.block(i.Then)
	e.cut()
	if len(i.Else) > 0 {
		e.emit(func(w *Warp) { w.pc = end.pc })
		e.place(orElse)
		e.block(i.Else)
		e.cut()
		e.place(end)
		return
	}
	e.place(orElse)
}

// jumps emits an If that has nothing but a Break or Continue, or in a kernel a
// Return, as one op, and reports whether it is one.
func (e *emitter) jumps(i *code.If, cond int, dead *label) bool {
	if e.events&(Statements|Segments) != 0 || len(i.Else) > 0 {
		return false
	}
	var last code.Instr
	for k, in := range i.Then {
		if _, mark := in.(*code.Stmt); !mark {
			if k != len(i.Then)-1 {
				return false
			}
			last = in
		}
	}
	where := 0
	switch in := last.(type) {
	case *code.Break:
		where = e.targets[len(e.targets)-1-in.Depth].exits
	case *code.Continue:
		where = e.targets[len(e.targets)-1-in.Depth].again
	case *code.Return:
		if !e.unit.f.Kernel {
			return false
		}
		e.emit(func(w *Warp) {
			w.end(w.Active & w.p[cond])
			if w.Active == 0 {
				w.pc = dead.pc
			}
		})
		return true
	default:
		return false
	}
	e.emit(func(w *Warp) {
		gone := w.Active & w.p[cond]
		w.p[where] |= gone
		w.Active &^= gone
		if w.Active == 0 {
			w.pc = dead.pc
		}
	})
	return true
}

// leaves reports whether lanes may leave b otherwise than at its end.
func leaves(b code.Block) bool {
	for _, in := range b {
		switch in.(type) {
		case *code.Break, *code.Continue, *code.Return:
			return true
		}
		for _, inner := range code.Blocks(in) {
			if leaves(inner) {
				return true
			}
		}
	}
	return false
}

func (e *emitter) loop(i *code.Loop) {
	e.cut()
	dead := e.dead
	t := jump{exits: e.mask(), again: e.mask(), end: &label{}, step: &label{}}
	around := e.entered
	e.entered = 0
	e.targets = append(e.targets, t)

	e.emit(func(w *Warp) { w.p[t.exits], w.p[t.again] = 0, 0 })
	head := &label{}
	e.place(head)
	e.dead = t.end
	e.block(i.Cond)
	if e.written != nil {
		e.checkValue(i.Pos, i.Test)
	}
	e.entered++
	e.enter(i)
	e.cut()
	if i.Test != code.True {
		cond := e.pred(i.Test)
		e.tell(i.Pos, cond)
		if e.evenly(i.Test) {
			e.emit(func(w *Warp) {
				if w.p[cond] == 0 {
					w.p[t.exits] |= w.Active
					w.pc = t.end.pc
				}
			})
		} else {
			e.emit(func(w *Warp) {
				w.p[t.exits] |= w.Active &^ w.p[cond]
				w.Active &= w.p[cond]
				if w.Active == 0 {
					w.pc = t.end.pc
				}
			})
		}
	}
	e.dead = t.step
	e.block(i.Body)
	e.cut()
	e.place(t.step)
	if leaves(i.Body) {
		e.emit(func(w *Warp) {
			w.Active |= w.p[t.again]
			w.p[t.again] = 0
			if w.Active == 0 {
				w.pc = t.end.pc
			}
		})
	}
	e.dead = t.end
	e.block(i.Step)
	e.cut()
	n, pos := e.entered, i.Pos
	polls := polls(i.Cond) || polls(i.Body) || polls(i.Step)
	awaits := polls || e.looksOnly(i)
	e.emit(func(w *Warp) {
		w.spent += n
		w.fuel -= int(n)
		if polls && w.polls && !w.moved {
			w.fuel -= spinning
		}
		if w.fuel > 0 {
			w.pc = head.pc
			return
		}
		w.rest(head.pc, pos, awaits)
	})
	e.place(t.end)
	e.emit(func(w *Warp) {
		w.Active = w.p[t.exits]
		if w.Active == 0 {
			w.pc = dead.pc
		}
	})
	e.targets = e.targets[:len(e.targets)-1]
	e.dead = dead
	e.entered += around
}

// polls reports whether b looks at memory in a way that is for waiting.
func polls(b code.Block) bool {
	for _, in := range b {
		switch i := in.(type) {
		case *code.Load:
			if i.Volatile {
				return true
			}
		case *code.Atomic:
			if i.Dst != 0 {
				return true
			}
		case *code.Intrinsic:
			if i.Name == "nanosleep" {
				return true
			}
		}
		for _, inner := range code.Blocks(in) {
			if polls(inner) {
				return true
			}
		}
	}
	return false
}

// looksOnly reports whether a loop does nothing but look at memory: it sets no
// variable and writes nothing.
func (e *emitter) looksOnly(i *code.Loop) bool {
	loads, more := false, false
	var see func(b code.Block)
	see = func(b code.Block) {
		for _, in := range b {
			switch in := in.(type) {
			case *code.Load:
				loads = loads || in.Space != code.Local && in.Space != code.Parameter
			case *code.Store, *code.Call:
				more = true
			}
			_, dst := code.Operands(in)
			for _, r := range dst {
				more = more || e.a.f.Regs[r].Name != ""
			}
			for _, inner := range code.Blocks(in) {
				see(inner)
			}
		}
	}
	see(code.Block{i})
	return loads && !more
}

func (e *emitter) region(i *code.Region) {
	e.cut()
	dead := e.dead
	t := jump{exits: e.mask(), end: &label{}}
	e.targets = append(e.targets, t)
	e.emit(func(w *Warp) { w.p[t.exits] = 0 })
	e.dead = t.end
	e.block(i.Body)
	e.cut()
	e.place(t.end)
	e.emit(func(w *Warp) {
		w.Active |= w.p[t.exits]
		if w.Active == 0 {
			w.pc = dead.pc
		}
	})
	e.targets = e.targets[:len(e.targets)-1]
	e.dead = dead
}

// ---- functions -----------------------------------------------------------------

// end ends lanes of a kernel.
func (w *Warp) end(lanes uint32) {
	w.Live &^= lanes
	w.all &^= lanes
	w.Active &^= lanes
	w.Block.Exits++
}

// finish is the end of a kernel.
func (w *Warp) finish() {
	w.end(w.Live)
	w.pc = -1
	w.status = ended
}

// rest lets other warps go on; this one does at pc later. pos is the loop it is
// in; awaits says that the loop is one of those that wait for something.
func (w *Warp) rest(pc int, pos code.Pos, awaits bool) {
	w.resume = pc
	w.pc = -1
	w.spins, w.awaits = pos, awaits
}

func (e *emitter) returns(i *code.Return) {
	dead := e.dead
	if e.unit.f.Kernel {
		e.emit(func(w *Warp) {
			w.end(w.Active)
			w.pc = dead.pc
		})
		return
	}
	for k, x := range i.Values {
		e.hand(e.unit.results[k], x, e.unit.f.Results[k])
	}
	e.emit(func(w *Warp) {
		w.Active = 0
		w.pc = dead.pc
	})
}

// hand emits a move to a result: of the active lanes alone, since the others
// may have returned theirs already.
func (e *emitter) hand(to slot, x code.Value, t types.Scalar) {
	if to.bits == 1 {
		from := e.pred(x)
		e.emit(func(w *Warp) { w.p[to.i] = w.p[to.i]&^w.Active | w.p[from]&w.Active })
		return
	}
	a := e.arg(x, t)
	if to.bits == 64 {
		e.emit(func(w *Warp) { blend64(&w.x[to.i], w.x64(a, 0), w.Active) })
		return
	}
	e.emit(func(w *Warp) { blend32(&w.v[to.i], w.v32(a, 0), w.Active) })
}

// Bounds of how deep functions may call themselves: calls, and bytes of a warp's
// registers and local memory. A GPU has a stack of 1 KiB for each thread unless it
// is told otherwise.
const (
	maxFrames = 512
	maxStack  = 16 << 20
)

// site is one call.
type site struct {
	unit   *unit
	pos    code.Pos
	dst    []slot
	kept   []bool // by dst: whether it is wanted
	masked bool
}

func (e *emitter) call(i *code.Call) {
	s := &site{unit: e.form.unit(i.Function), pos: i.Pos, masked: e.a.masked[i]}
	for _, r := range i.Dst {
		s.dst = append(s.dst, e.slots[r])
		s.kept = append(s.kept, r != 0)
	}
	type argument struct {
		bits int
		arg  arg
	}
	var args []argument
	for k, x := range i.Args {
		t := e.program.Functions[i.Function].Params[k].Type
		a := argument{bits: widthOf(t)}
		if a.bits == 1 {
			a.arg.i = e.pred(x)
		} else {
			a.arg = e.arg(x, t)
		}
		args = append(args, a)
	}
	e.emit(func(w *Warp) {
		u := s.unit
		if size := u.bytes(); len(w.frames) == maxFrames || w.stack+size > maxStack {
			f := w.fault(CallDepth, s.pos, w.Active)
			f.Detail = "a function has called itself as often as the stack has room for"
			w.halt(f)
			return
		}
		v, x, p := make([]v32, u.nv), make([]v64, u.nx), make([]uint32, u.np)
		for k, a := range args {
			to := u.params[k]
			switch a.bits {
			case 1:
				p[to.i] = w.p[a.arg.i]
			case 64:
				x[to.i] = *w.x64(a.arg, 0)
			default:
				v[to.i] = *w.v32(a.arg, 0)
			}
		}
		w.frames = append(w.frames, frame{site: s, pc: w.pc, active: w.Active, all: w.all, v: w.v, x: w.x, p: w.p, s: w.s, words: len(w.words), locals: len(w.locals), stack: w.stack})
		w.stack += u.bytes()
		w.push(u, v, x, p, make([]uint64, u.ns+len(u.consts)))
		w.all = w.Active
		w.pc = u.entry
		w.spent += u.instructions
		w.fuel -= int(u.instructions)
		if w.fuel <= 0 {
			w.rest(u.entry, s.pos, false)
		}
	})
}

// push makes these registers the current ones, and adds a unit's local memory.
func (w *Warp) push(u *unit, v []v32, x []v64, p []uint32, s []uint64) {
	w.v, w.x, w.p, w.s = v, x, p, s
	p[1] = every
	copy(s[u.ns:], u.consts)
	base := len(w.words)
	for range u.words {
		w.words = append(w.words, unwritten)
	}
	for _, l := range u.locals {
		l.base += base
		w.locals = append(w.locals, l)
	}
}

// unwritten is what local and shared memory hold at first: numbers that are
// none, and integers that are −1, so that what depends on them shows.
var unwritten = func() (v v32) {
	splat32(&v, every)
	return v
}()

// leave is the end of a function that was called.
func (w *Warp) leave() {
	f := w.frames[len(w.frames)-1]
	w.frames = w.frames[:len(w.frames)-1]
	v, x, p := w.v, w.x, w.p
	w.v, w.x, w.p, w.s = f.v, f.x, f.p, f.s
	w.words, w.locals = w.words[:f.words], w.locals[:f.locals]
	w.Active, w.all, w.pc, w.stack = f.active, f.all, f.pc, f.stack
	mask := uint32(every)
	if f.site.masked {
		mask = w.Active
	}
	for k, to := range f.site.dst {
		from := f.site.unit.results[k]
		switch {
		case !f.site.kept[k]:
		case to.bits == 1:
			w.p[to.i] = w.p[to.i]&^mask | p[from.i]&mask
		case to.bits == 64:
			blend64(&w.x[to.i], &x[from.i], mask)
		default:
			blend32(&w.v[to.i], &v[from.i], mask)
		}
	}
}

// run executes ops until the warp waits, has had its turn, or ends.
func (w *Warp) run(ops []op) {
	for pc := w.pc; pc >= 0; pc = w.pc {
		w.pc = pc + 1
		ops[pc](w)
	}
	w.pc = w.resume
}
