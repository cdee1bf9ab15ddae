package run

import (
	"fmt"

	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

// instr emits an instruction that lanes execute without parting.
func (e *emitter) instr(in code.Instr) {
	switch i := in.(type) {
	case *code.Stmt:
		if e.events&Statements != 0 {
			pos, scope := i.Pos, i.Scope
			e.emit(func(w *Warp) {
				w.Scope = scope
				w.observer.Statement(w, pos)
			})
		}
	case *code.Note:
		e.variable(i)
	case *code.Enter:
		if pos, frame := i.Pos, i.Frame; e.events&Variables != 0 {
			e.emit(func(w *Warp) { w.names.Enter(w, pos, frame) })
		}
	case *code.Leave:
		if e.events&Variables != 0 {
			e.emit(func(w *Warp) { w.names.Leave(w) })
		}
	case *code.Undef:
		if e.loose.has(i.Dst) {
			// Whatever the slot was used for must not be seen.
			s := e.slots[i.Dst]
			e.emit(func(w *Warp) { w.forget(s) })
		}
		if m, ok := e.written[i.Dst]; ok {
			e.emit(func(w *Warp) { w.p[m] &^= w.Active })
		}
	case *code.Begin:
		if e.events&Accesses != 0 {
			n, pos := i.Local, i.Pos
			e.emit(func(w *Warp) { w.observer.Declare(w, pos, NewPointer(code.Local, w.locals0()+n+1)) })
		}
	case *code.Move:
		e.move(i)
	case *code.Unary:
		e.unary(i)
	case *code.Binary:
		e.binary(i)
	case *code.MulAdd:
		e.ternary(i, i.Type, i.Dst, i.X, i.Y, i.Z, mulAddOf(i.Type, e.fused, i.NegProduct, i.NegAddend),
			func() ternary32 { return muladd32(i.Type, e.fused, i.NegProduct, i.NegAddend) },
			func() ternary64 { return muladd64(i.Type, e.fused, i.NegProduct, i.NegAddend) })
	case *code.FMA:
		e.ternary(i, i.Type, i.Dst, i.X, i.Y, i.Z, fmaOf(i.Type),
			func() ternary32 { return muladd32(i.Type, true, false, false) },
			func() ternary64 { return muladd64(i.Type, true, false, false) })
	case *code.Convert:
		e.convert(i)
	case *code.Bits:
		e.map1(i, i.Dst, i.To, i.X, i.From, bitsOf(i.To, i.From))
	case *code.Compare:
		e.compare(i)
	case *code.Select:
		e.choose(i)
	case *code.Intrinsic:
		e.intrinsic(i)
	case *code.Special:
		e.special(i)
	case *code.Addr:
		e.addr(i)
	case *code.Index:
		e.index(i)
	case *code.Load:
		e.load(i, nil)
	case *code.Store:
		e.store(i, nil)
	case *code.Atomic:
		e.atomic(i)
	case *code.Fence:
		e.fence(i)
	case *code.Barrier:
		e.barrier(i)
	case *code.SyncWarp:
		e.syncWarp(i)
	case *code.Shuffle:
		e.shuffle(i)
	case *code.Vote:
		e.vote(i)
	case *code.ActiveMask:
		e.giveOne(i, i.Dst, func(w *Warp) uint64 { return uint64(w.Active) })
	case *code.Match:
		e.match(i)
	case *code.Reduce:
		e.reduce(i)
	case *code.Printf:
		e.printf(i)
	case *code.Assert:
		e.assert(i)
	case *code.Trap:
		pos := i.Pos
		e.emit(func(w *Warp) { w.report(w.fault(Trap, pos, w.Active)) })
	default:
		panic(fmt.Sprintf("BUG: %T is not known to the interpreter", in))
	}
}

// locals0 returns how many local variables the frames below have.
func (w *Warp) locals0() int {
	if len(w.frames) == 0 {
		return 0
	}
	return w.frames[len(w.frames)-1].locals
}

func (e *emitter) move(i *code.Move) {
	d := e.slots[i.Dst]
	if d.bits == 1 {
		x := e.pred(i.X)
		e.givePred(i, i.Dst, func(w *Warp) uint32 { return w.p[x] })
		return
	}
	a := e.arg(i.X, e.a.f.Regs[i.Dst].Type)
	switch {
	case d.uniform:
		e.emit(func(w *Warp) { w.s[d.i] = w.s[a.i] })
	case a.uniform:
		e.giveOne(i, i.Dst, func(w *Warp) uint64 { return w.s[a.i] })
	case d.bits == 64:
		e.give64(i, i.Dst, func(w *Warp, d *v64) { *d = w.x[a.i] })
	default:
		e.give32(i, i.Dst, func(w *Warp, d *v32) { *d = w.v[a.i] })
	}
}

// map1 emits a function of one value, from one type to another; none is pred.
func (e *emitter) map1(in code.Instr, dst code.Reg, to types.Scalar, x code.Value, from types.Scalar, f unary) {
	a := e.arg(x, from)
	if a.uniform {
		e.giveOne(in, dst, func(w *Warp) uint64 { return f(w.s[a.i]) })
		return
	}
	wide := widthOf(from) == 64
	if widthOf(to) == 64 {
		e.give64(in, dst, func(w *Warp, d *v64) {
			if wide {
				for i, x := range &w.x[a.i] {
					d[i] = f(x)
				}
				return
			}
			for i, x := range &w.v[a.i] {
				d[i] = f(uint64(x))
			}
		})
		return
	}
	e.give32(in, dst, func(w *Warp, d *v32) {
		if wide {
			for i, x := range &w.x[a.i] {
				d[i] = uint32(f(x))
			}
			return
		}
		for i, x := range &w.v[a.i] {
			d[i] = uint32(f(uint64(x)))
		}
	})
}

func bitsOf(to, from types.Scalar) unary {
	switch {
	case to.Size() == 8 || to.Size() == 4:
		return func(x uint64) uint64 { return x }
	case to.Integer():
		return func(x uint64) uint64 { return extend(to, x) }
	}
	mask := uint64(1)<<to.Bits() - 1
	return func(x uint64) uint64 { return x & mask }
}

func (e *emitter) unary(i *code.Unary) {
	if i.Type == types.Pred {
		x := e.pred(i.X)
		e.givePred(i, i.Dst, func(w *Warp) uint32 { return ^w.p[x] })
		return
	}
	e.map1(i, i.Dst, i.Type, i.X, i.Type, unaryOf(i.Op, i.Type))
}

func (e *emitter) binary(i *code.Binary) {
	if i.Type == types.Pred {
		x, y := e.pred(i.X), e.pred(i.Y)
		switch i.Op {
		case code.And:
			e.givePred(i, i.Dst, func(w *Warp) uint32 { return w.p[x] & w.p[y] })
		case code.Or:
			e.givePred(i, i.Dst, func(w *Warp) uint32 { return w.p[x] | w.p[y] })
		default:
			e.givePred(i, i.Dst, func(w *Warp) uint32 { return w.p[x] ^ w.p[y] })
		}
		return
	}
	shift := i.Op == code.Shl || i.Op == code.Shr
	x := e.arg(i.X, i.Type)
	y := e.arg(i.Y, i.Type)
	if shift {
		y = e.arg(i.Y, types.U32)
	}
	if e.events != 0 && (i.Op == code.Div || i.Op == code.Rem) && i.Type.Integer() {
		e.divisor(i, y)
	}
	f := binaryOf(i.Op, i.Type)
	if x.uniform && y.uniform {
		e.giveOne(i, i.Dst, func(w *Warp) uint64 { return f(w.s[x.i], w.s[y.i]) })
		return
	}
	if widthOf(i.Type) == 32 {
		g := lanes32(i.Op, i.Type)
		e.give32(i, i.Dst, func(w *Warp, d *v32) { g(d, w.v32(x, 0), w.v32(y, 1)) })
		return
	}
	if shift {
		e.give64(i, i.Dst, func(w *Warp, d *v64) {
			a, b := w.x64(x, 0), w.v32(y, 1)
			for k := range d {
				d[k] = f(a[k], uint64(b[k]))
			}
		})
		return
	}
	g := lanes64(i.Op, i.Type)
	e.give64(i, i.Dst, func(w *Warp, d *v64) { g(d, w.x64(x, 0), w.x64(y, 1)) })
}

// divisor emits a look at what an integer is divided by.
func (e *emitter) divisor(i *code.Binary, y arg) {
	width, pos := widthOf(i.Type), i.Pos
	e.emit(func(w *Warp) {
		zero := uint32(0)
		Lanes(w.Active, func(lane int) {
			if w.one(y, width, lane) == 0 {
				zero |= 1 << lane
			}
		})
		if zero != 0 {
			w.report(w.fault(DivideByZero, pos, zero))
		}
	})
}

func (e *emitter) ternary(in code.Instr, t types.Scalar, dst code.Reg, vx, vy, vz code.Value, f ternary, f32 func() ternary32, f64 func() ternary64) {
	x, y, z := e.arg(vx, t), e.arg(vy, t), e.arg(vz, t)
	if x.uniform && y.uniform && z.uniform {
		e.giveOne(in, dst, func(w *Warp) uint64 { return f(w.s[x.i], w.s[y.i], w.s[z.i]) })
		return
	}
	if widthOf(t) == 64 {
		g := f64()
		e.give64(in, dst, func(w *Warp, d *v64) { g(d, w.x64(x, 0), w.x64(y, 1), w.x64(z, 2)) })
		return
	}
	g := f32()
	e.give32(in, dst, func(w *Warp, d *v32) { g(d, w.v32(x, 0), w.v32(y, 1), w.v32(z, 2)) })
}

func (e *emitter) convert(i *code.Convert) {
	switch {
	case i.From == types.Pred && i.To == types.Pred:
		x := e.pred(i.X)
		e.givePred(i, i.Dst, func(w *Warp) uint32 { return w.p[x] })
	case i.To == types.Pred:
		a, zero := e.arg(i.X, i.From), uint64(0)
		test := func(x uint64) bool { return x != zero }
		if i.From.Float() {
			// −0 is 0, and NaN is not.
			mask := ^signOf(i.From)
			test = func(x uint64) bool { return x&mask != 0 }
			if i.From.Size() == 2 {
				test = func(x uint64) bool { return x&0x7fff != 0 }
			}
		}
		width := widthOf(i.From)
		e.givePred(i, i.Dst, func(w *Warp) uint32 {
			if a.uniform {
				if test(w.s[a.i]) {
					return every
				}
				return 0
			}
			m := uint32(0)
			for lane := range 32 {
				if test(w.one(a, width, lane)) {
					m |= 1 << lane
				}
			}
			return m
		})
	case i.From == types.Pred:
		x := e.pred(i.X)
		one := uint64(1)
		if i.To.Float() {
			one = convertOf(i.To, types.U32, code.Default)(1)
		}
		if e.evenly(i.X) {
			e.giveOne(i, i.Dst, func(w *Warp) uint64 { return one & -uint64(w.p[x]&1) })
		} else if widthOf(i.To) == 64 {
			e.give64(i, i.Dst, func(w *Warp, d *v64) {
				m := w.p[x]
				for k := range d {
					d[k] = one & -uint64(m>>k&1)
				}
			})
		} else {
			e.give32(i, i.Dst, func(w *Warp, d *v32) {
				m := w.p[x]
				for k := range d {
					d[k] = uint32(one) & -(m >> k & 1)
				}
			})
		}
	default:
		e.widening(i)
	}
}

// widening emits a conversion; those that index arithmetic is full of without a
// call for each lane.
func (e *emitter) widening(i *code.Convert) {
	a := e.arg(i.X, i.From)
	to, from := i.To, i.From
	if to == types.Ptr {
		to = types.U64
	}
	if from == types.Ptr {
		from = types.U64
	}
	narrow, wide := from.Integer() && from.Size() < 8, to.Integer() && to.Size() == 8
	switch {
	case a.uniform:
	case narrow && wide && from.Signed():
		e.give64(i, i.Dst, func(w *Warp, d *v64) {
			for k, x := range &w.v[a.i] {
				d[k] = uint64(int64(int32(x)))
			}
		})
		return
	case narrow && wide:
		e.give64(i, i.Dst, func(w *Warp, d *v64) {
			for k, x := range &w.v[a.i] {
				d[k] = uint64(x)
			}
		})
		return
	case from.Integer() && from.Size() == 8 && wide:
		e.give64(i, i.Dst, func(w *Warp, d *v64) { *d = w.x[a.i] })
		return
	case from.Integer() && from.Size() == 8 && to.Integer() && to.Size() == 4:
		e.give32(i, i.Dst, func(w *Warp, d *v32) {
			for k, x := range &w.x[a.i] {
				d[k] = uint32(x)
			}
		})
		return
	case narrow && to.Integer() && to.Size() == 4:
		e.give32(i, i.Dst, func(w *Warp, d *v32) { *d = w.v[a.i] })
		return
	case from == types.I32 && to == types.F32 && i.Round == code.Default:
		e.give32(i, i.Dst, func(w *Warp, d *v32) {
			for k, x := range &w.v[a.i] {
				d[k] = canonical(float32(int32(x)))
			}
		})
		return
	}
	one := convertOf(i.To, i.From, i.Round)
	switch {
	case a.uniform || to != types.F32: // to which all of the halves are exact
	case from == types.F16:
		e.give32(i, i.Dst, func(w *Warp, d *v32) { widenF16(d, &w.v[a.i], one) })
		return
	case from == types.BF16:
		e.give32(i, i.Dst, func(w *Warp, d *v32) { widenBF16(d, &w.v[a.i], one) })
		return
	}
	e.map1(i, i.Dst, i.To, i.X, i.From, one)
}

func (e *emitter) compare(i *code.Compare) {
	if i.Type == types.Pred {
		x, y, flip := e.pred(i.X), e.pred(i.Y), uint32(0)
		if i.Op == code.EQ {
			flip = every
		}
		e.givePred(i, i.Dst, func(w *Warp) uint32 { return w.p[x] ^ w.p[y] ^ flip })
		return
	}
	x, y := e.arg(i.X, i.Type), e.arg(i.Y, i.Type)
	if x.uniform && y.uniform {
		f := compareOf(i.Op, i.Type)
		e.givePred(i, i.Dst, func(w *Warp) uint32 {
			if f(w.s[x.i], w.s[y.i]) {
				return every
			}
			return 0
		})
		return
	}
	if widthOf(i.Type) == 64 {
		f := compare64(i.Op, i.Type)
		e.givePred(i, i.Dst, func(w *Warp) uint32 { return f(w.x64(x, 0), w.x64(y, 1)) })
		return
	}
	f := compare32(i.Op, i.Type)
	e.givePred(i, i.Dst, func(w *Warp) uint32 { return f(w.v32(x, 0), w.v32(y, 1)) })
}

func (e *emitter) choose(i *code.Select) {
	c := e.pred(i.Cond)
	if i.Type == types.Pred {
		x, y := e.pred(i.X), e.pred(i.Y)
		e.givePred(i, i.Dst, func(w *Warp) uint32 { return w.p[x]&w.p[c] | w.p[y]&^w.p[c] })
		return
	}
	x, y := e.arg(i.X, i.Type), e.arg(i.Y, i.Type)
	switch {
	case e.evenly(i.Cond) && x.uniform && y.uniform:
		e.giveOne(i, i.Dst, func(w *Warp) uint64 {
			if w.p[c] != 0 {
				return w.s[x.i]
			}
			return w.s[y.i]
		})
	case widthOf(i.Type) == 64:
		e.give64(i, i.Dst, func(w *Warp, d *v64) {
			m, a, b := w.p[c], w.x64(x, 0), w.x64(y, 1)
			for k := range d {
				v := b[k]
				if m>>k&1 != 0 {
					v = a[k]
				}
				d[k] = v
			}
		})
	default:
		e.give32(i, i.Dst, func(w *Warp, d *v32) {
			m, a, b := w.p[c], w.v32(x, 0), w.v32(y, 1)
			for k := range d {
				v := b[k]
				if m>>k&1 != 0 {
					v = a[k]
				}
				d[k] = v
			}
		})
	}
}

func (e *emitter) special(i *code.Special) {
	one := func(f func(w *Warp) int) {
		e.giveOne(i, i.Dst, func(w *Warp) uint64 { return uint64(uint32(f(w))) })
	}
	each := func(f func(lane int) uint32) {
		var v v32
		for lane := range v {
			v[lane] = f(lane)
		}
		e.give32(i, i.Dst, func(w *Warp, d *v32) { *d = v })
	}
	axis := 0
	switch i.Which {
	case code.ThreadY:
		axis = 1
	case code.ThreadZ:
		axis = 2
	}
	switch i.Which {
	case code.ThreadX, code.ThreadY, code.ThreadZ:
		e.give32(i, i.Dst, func(w *Warp, d *v32) { *d = w.Block.Grid.tid[w.Index][axis] })
	case code.BlockX:
		one(func(w *Warp) int { return w.Block.Index.X })
	case code.BlockY:
		one(func(w *Warp) int { return w.Block.Index.Y })
	case code.BlockZ:
		one(func(w *Warp) int { return w.Block.Index.Z })
	case code.BlockDimX:
		one(func(w *Warp) int { return w.Block.Grid.Block.X })
	case code.BlockDimY:
		one(func(w *Warp) int { return w.Block.Grid.Block.Y })
	case code.BlockDimZ:
		one(func(w *Warp) int { return w.Block.Grid.Block.Z })
	case code.GridDimX:
		one(func(w *Warp) int { return w.Block.Grid.Grid.X })
	case code.GridDimY:
		one(func(w *Warp) int { return w.Block.Grid.Grid.Y })
	case code.GridDimZ:
		one(func(w *Warp) int { return w.Block.Grid.Grid.Z })
	case code.WarpID:
		one(func(w *Warp) int { return w.Index })
	case code.WarpSize:
		one(func(w *Warp) int { return 32 })
	case code.DynamicSharedBytes:
		one(func(w *Warp) int { return w.Block.Grid.SharedBytes })
	case code.Clock:
		one(func(w *Warp) int { return int(w.clock()) })
	case code.Clock64, code.GlobalTimer:
		e.giveOne(i, i.Dst, func(w *Warp) uint64 { return uint64(w.clock()) })
	case code.LaneID:
		each(func(lane int) uint32 { return uint32(lane) })
	case code.LaneMaskEQ:
		each(func(lane int) uint32 { return 1 << lane })
	case code.LaneMaskLT:
		each(func(lane int) uint32 { return 1<<lane - 1 })
	case code.LaneMaskLE:
		each(func(lane int) uint32 { return 2<<lane - 1 })
	case code.LaneMaskGT:
		each(func(lane int) uint32 { return ^uint32(2<<lane - 1) })
	case code.LaneMaskGE:
		each(func(lane int) uint32 { return ^uint32(1<<lane - 1) })
	}
}

// clock counts what the warp has executed, so that a run can be repeated. It
// moves each time it is read.
func (w *Warp) clock() int64 {
	w.spent++
	return w.spent
}

func (e *emitter) addr(i *code.Addr) {
	switch i.Space {
	case code.Local:
		n := i.Index
		e.giveOne(i, i.Dst, func(w *Warp) uint64 { return uint64(NewPointer(code.Local, w.locals0()+n+1)) })
		return
	case code.Parameter:
		at := Pointer(e.unit.f.Offset(i.Index))
		p := NewPointer(code.Parameter, 1) + at
		e.giveOne(i, i.Dst, func(w *Warp) uint64 { return uint64(p) })
		return
	case code.Shared:
		e.uses(i.Index)
		if e.program.Shared[i.Index].Dynamic {
			// All of these are one array, of the launch's size.
			p := NewPointer(code.Shared, len(e.program.Shared)+1)
			e.giveOne(i, i.Dst, func(w *Warp) uint64 { return uint64(p) })
			return
		}
	}
	p := NewPointer(i.Space, i.Index+1)
	e.giveOne(i, i.Dst, func(w *Warp) uint64 { return uint64(p) })
}

// uses enters a shared variable as one that the kernel needs.
func (e *emitter) uses(n int) {
	for _, have := range e.form.shared {
		if have == n {
			return
		}
	}
	e.form.shared = append(e.form.shared, n)
}

func (e *emitter) index(i *code.Index) {
	base := e.arg(i.Base, types.Ptr)
	n := e.arg(i.Index, i.IndexType)
	scale, offset := uint64(i.Scale), uint64(i.Offset)
	signed, wide := i.IndexType.Signed(), i.IndexType.Size() == 8
	value := func(w *Warp) uint64 { // of a uniform index
		x := w.s[n.i]
		if !wide && signed {
			x = uint64(int64(int32(x)))
		}
		return x*scale + offset
	}
	switch {
	case base.uniform && n.uniform:
		e.giveOne(i, i.Dst, func(w *Warp) uint64 { return w.s[base.i] + value(w) })
	case n.uniform:
		e.give64(i, i.Dst, func(w *Warp, d *v64) { plus64(d, &w.x[base.i], value(w)) })
	case wide:
		e.give64(i, i.Dst, func(w *Warp, d *v64) {
			b, x := w.x64(base, 0), &w.x[n.i]
			for k := range d {
				d[k] = b[k] + x[k]*scale + offset
			}
		})
	case base.uniform:
		e.give64(i, i.Dst, func(w *Warp, d *v64) { scaled64(d, &w.v[n.i], signed, scale, w.s[base.i]+offset) })
	default:
		e.give64(i, i.Dst, func(w *Warp, d *v64) { scaledBase64(d, &w.x[base.i], &w.v[n.i], signed, scale, offset) })
	}
}
