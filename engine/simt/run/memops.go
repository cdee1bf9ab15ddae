package run

import (
	"math/bits"

	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

// first returns the first lane of a mask that has one.
func first(mask uint32) int { return bits.TrailingZeros32(mask) & 31 }

// addresses gives the addresses of an access, its offset included.
type addresses func(w *Warp) *v64

func (e *emitter) addresses(addr arg, offset uint64, copied bool) addresses {
	switch {
	case addr.uniform:
		return func(w *Warp) *v64 {
			d := &w.t64[6]
			splat64(d, w.s[addr.i]+offset)
			return d
		}
	case offset == 0 && !copied:
		return func(w *Warp) *v64 { return &w.x[addr.i] }
	}
	return func(w *Warp) *v64 {
		d := &w.t64[6]
		plus64(d, &w.x[addr.i], offset)
		return d
	}
}

// fixed is an offset that is always the same.
func fixed(offset uint64) func(w *Warp) uint64 {
	return func(*Warp) uint64 { return offset }
}

// offsetOf is what an Index with a uniform index adds to its base, and offset.
func (e *emitter) offsetOf(i *code.Index, offset uint64) func(w *Warp) uint64 {
	n := e.arg(i.Index, i.IndexType)
	scale := uint64(i.Scale)
	offset += uint64(i.Offset)
	if i.IndexType == types.I32 {
		return func(w *Warp) uint64 { return uint64(int64(int32(w.s[n.i])))*scale + offset }
	}
	return func(w *Warp) uint64 { return w.s[n.i]*scale + offset }
}

// addressed reports whether an access can do what the Index before it does: it
// adds the same to every lane's address, which nobody else reads, and no one
// observes.
func (e *emitter) addressed(i *code.Index, next code.Instr) bool {
	if e.events != 0 || e.evenly(i.Base) || !e.evenly(i.Index) || e.reads[i.Dst] != 1 {
		return false
	}
	switch a := next.(type) {
	case *code.Load:
		return a.Addr.Reg == i.Dst && !a.Volatile && len(a.Dst) == 1 && a.Dst[0] != 0 && a.Dst[0] != i.Dst && (a.Type.Size() >= 4 || short(a.Type))
	case *code.Store:
		return a.Addr.Reg == i.Dst && !a.Volatile && len(a.Src) == 1 && a.Src[0].Reg != i.Dst && a.Type.Size() >= 4
	}
	return false
}

// short reports whether a type has two bytes that a register holds as they are.
func short(t types.Scalar) bool { return t.Size() == 2 && t != types.I16 }

func (e *emitter) load(i *code.Load, by *code.Index) {
	ac := &access{
		kind: Load, pos: i.Pos, t: i.Type, size: uint64(i.Type.Size()), count: len(i.Dst), offset: uint64(i.Offset),
		width: uint64(i.Type.Size() * len(i.Dst)), volatile: i.Volatile, observed: e.events&Accesses != 0, number: e.form.accesses,
	}
	e.form.accesses++
	addr := e.arg(i.Addr, types.Ptr)
	moved := fixed(ac.offset)
	if by != nil {
		addr, moved = e.arg(by.Base, types.Ptr), e.offsetOf(by, ac.offset)
	}
	dst := make([]slot, len(i.Dst))
	even, copied := true, false
	for k, r := range i.Dst {
		if r == 0 {
			continue
		}
		dst[k] = e.slots[r]
		even = even && dst[k].uniform
		// The register of the addresses is not written before they are done with.
		copied = copied || r == i.Addr.Reg
	}
	at := e.addresses(addr, ac.offset, copied)
	if by != nil {
		at = func(w *Warp) *v64 {
			plus64(&w.t64[6], &w.x[addr.i], moved(w))
			return &w.t64[6]
		}
	}

	// A uniform register is given what the first lane has read.
	to := elements(func(w *Warp, k int) (*v32, *v64) {
		s := &dst[k]
		switch {
		case s.bits == 0:
			return nil, nil
		case s.bits == 64 && even:
			return nil, &w.e64[k]
		case s.bits == 64:
			return nil, &w.x[s.i]
		case even:
			return &w.e32[k], nil
		}
		return &w.v[s.i], nil
	})
	whole := func(w *Warp) {
		w.load(at(w), ac, to)
		if !even || w.Active == 0 {
			return
		}
		lane := first(w.Active)
		for k := range dst {
			switch s := &dst[k]; s.bits {
			case 64:
				w.s[s.i] = w.e64[k][lane]
			case 32:
				w.s[s.i] = uint64(w.e32[k][lane])
			}
		}
	}
	switch {
	case i.Volatile && i.Space != code.Local:
		e.form.polls = true
		e.emit(func(w *Warp) {
			held := w.acquire(at(w), true)
			whole(w)
			w.release(held)
			w.polls = true
		})
	case ac.observed:
		e.emit(whole)
	case addr.uniform:
		e.loadEvenly(i, ac, addr, dst, even, whole)
	case ac.size == 4 && len(dst) == 1 && dst[0].bits == 32:
		d := dst[0].i
		e.emit(func(w *Warp) {
			if !w.loadWord(&w.v[d], &w.x[addr.i], moved(w), ac) {
				whole(w)
			}
		})
	case short(i.Type) && len(dst) == 1 && dst[0].bits == 32:
		d := dst[0].i
		e.emit(func(w *Warp) {
			if !w.loadShort(&w.v[d], &w.x[addr.i], moved(w), ac) {
				whole(w)
			}
		})
	case ac.size == 8 && len(dst) == 1 && dst[0].bits == 64:
		d := dst[0].i
		e.emit(func(w *Warp) {
			if !w.loadWide(&w.x[d], &w.x[addr.i], moved(w), ac) {
				whole(w)
			}
		})
	default:
		e.emit(whole)
	}
}

// loadEvenly emits a load from one address. whole is what does it where that
// is not as simple as it should be.
func (e *emitter) loadEvenly(i *code.Load, ac *access, addr arg, dst []slot, even bool, whole op) {
	masked := e.a.masked[i]
	e.emit(func(w *Warp) {
		p := w.s[addr.i] + ac.offset
		key := (p + offsetBias) >> offsetBits
		o := p - key<<offsetBits
		mask := uint32(every)
		if masked {
			mask = w.Active
		}
		if code.Space(key>>numberBits) == code.Local {
			n := int(key&numberMask) - 1
			if n < 0 || n >= len(w.locals) || ac.size < 4 || o&(ac.width-1) != 0 {
				whole(w)
				return
			}
			l := &w.locals[n]
			if l.size < ac.width || o > l.size-ac.width {
				whole(w)
				return
			}
			words := w.words[l.base+int(o>>2):]
			for k := range dst {
				switch s := &dst[k]; {
				case s.bits == 0:
				case s.bits == 64 && mask == every:
					join64(&w.x[s.i], &words[2*k], &words[2*k+1])
				case s.bits == 64:
					join64(&w.t64[0], &words[2*k], &words[2*k+1])
					blend64(&w.x[s.i], &w.t64[0], mask)
				case mask == every:
					w.v[s.i] = words[k]
				default:
					blend32(&w.v[s.i], &words[k], mask)
				}
			}
			return
		}
		data := w.find(key).data
		if size := uint64(len(data)); size < ac.width || o > size-ac.width || o&(ac.width-1) != 0 {
			whole(w)
			return
		}
		for k := range dst {
			s := &dst[k]
			if s.bits == 0 {
				continue
			}
			x := getBytes(data, o+uint64(k)*ac.size, ac.t)
			switch {
			case even:
				w.s[s.i] = x
			case s.bits == 64 && mask == every:
				splat64(&w.x[s.i], x)
			case s.bits == 64:
				splat64(&w.t64[0], x)
				blend64(&w.x[s.i], &w.t64[0], mask)
			case mask == every:
				splat32(&w.v[s.i], uint32(x))
			default:
				splat32(&w.t32[0], uint32(x))
				blend32(&w.v[s.i], &w.t32[0], mask)
			}
		}
	})
}

func (e *emitter) store(i *code.Store, by *code.Index) {
	ac := &access{
		kind: Store, pos: i.Pos, t: i.Type, size: uint64(i.Type.Size()), count: len(i.Src), offset: uint64(i.Offset),
		width: uint64(i.Type.Size() * len(i.Src)), volatile: i.Volatile, observed: e.events&Accesses != 0, number: e.form.accesses,
	}
	e.form.accesses++
	addr := e.arg(i.Addr, types.Ptr)
	at := e.addresses(addr, ac.offset, false)
	moved := fixed(ac.offset)
	if by != nil {
		addr, moved = e.arg(by.Base, types.Ptr), e.offsetOf(by, ac.offset)
		at = func(w *Warp) *v64 {
			plus64(&w.t64[6], &w.x[addr.i], moved(w))
			return &w.t64[6]
		}
	}
	src := make([]arg, len(i.Src))
	for k, x := range i.Src {
		src[k] = e.arg(x, i.Type)
	}
	wide := ac.size == 8
	from := elements(func(w *Warp, k int) (*v32, *v64) {
		a := src[k]
		switch {
		case a.uniform && wide:
			d := &w.e64[k]
			splat64(d, w.s[a.i])
			return nil, d
		case a.uniform:
			d := &w.e32[k]
			splat32(d, uint32(w.s[a.i]))
			return d, nil
		case wide:
			return nil, &w.x[a.i]
		}
		return &w.v[a.i], nil
	})
	if addr.uniform && !ac.observed && ac.size >= 4 && !i.Volatile {
		// One place of each lane's local memory: its words are registers.
		e.emit(func(w *Warp) {
			p := w.s[addr.i] + ac.offset
			key := (p + offsetBias) >> offsetBits
			o := p - key<<offsetBits
			n := int(key&numberMask) - 1
			if code.Space(key>>numberBits) != code.Local || n < 0 || n >= len(w.locals) || o&(ac.width-1) != 0 {
				w.store(at(w), ac, from)
				return
			}
			l := &w.locals[n]
			if l.size < ac.width || o > l.size-ac.width {
				w.store(at(w), ac, from)
				return
			}
			words := w.words[l.base+int(o>>2):]
			for k := range src {
				switch x32, x64 := from(w, k); {
				case wide && w.Active == w.all:
					halve64(&words[2*k], &words[2*k+1], x64)
				case wide:
					halve64(&w.t32[0], &w.t32[1], x64)
					blend32(&words[2*k], &w.t32[0], w.Active)
					blend32(&words[2*k+1], &w.t32[1], w.Active)
				case w.Active == w.all:
					words[k] = *x32
				default:
					blend32(&words[k], x32, w.Active)
				}
			}
		})
		return
	}
	if i.Volatile && i.Space != code.Local {
		e.emit(func(w *Warp) {
			held := w.acquire(at(w), true)
			w.store(at(w), ac, from)
			w.release(held)
			w.moved = true
		})
		return
	}
	local := i.Space == code.Local
	switch {
	case ac.observed || addr.uniform || len(src) > 1 || ac.size < 4:
		e.emit(func(w *Warp) {
			w.store(at(w), ac, from)
			w.moved = w.moved || !local
		})
	case wide:
		e.emit(func(w *Warp) {
			_, x := from(w, 0)
			if !w.storeWide(x, &w.x[addr.i], moved(w), ac) {
				w.store(at(w), ac, from)
			}
			w.moved = w.moved || !local
		})
	default:
		e.emit(func(w *Warp) {
			x, _ := from(w, 0)
			if !w.storeWord(x, &w.x[addr.i], moved(w), ac) {
				w.store(at(w), ac, from)
			}
			w.moved = w.moved || !local
		})
	}
}

// ---- atomics -------------------------------------------------------------------

// atomicOf returns what an atomic writes, of what is there and its operand.
func atomicOf(op code.AtomicOp, t types.Scalar) binary {
	switch op {
	case code.AtomicAdd:
		return binaryOf(code.Add, t)
	case code.AtomicSub:
		return binaryOf(code.Sub, t)
	case code.AtomicMin:
		return binaryOf(code.Min, t)
	case code.AtomicMax:
		return binaryOf(code.Max, t)
	case code.AtomicAnd:
		return binaryOf(code.And, t)
	case code.AtomicOr:
		return binaryOf(code.Or, t)
	case code.AtomicXor:
		return binaryOf(code.Xor, t)
	case code.AtomicInc:
		return func(old, x uint64) uint64 {
			if uint32(old) >= uint32(x) {
				return 0
			}
			return old + 1
		}
	case code.AtomicDec:
		return func(old, x uint64) uint64 {
			if uint32(old) == 0 || uint32(old) > uint32(x) {
				return x
			}
			return old - 1
		}
	}
	return func(_, x uint64) uint64 { return x }
}

func (e *emitter) atomic(i *code.Atomic) {
	ac := &access{
		kind: Atomic, pos: i.Pos, t: i.Type, size: uint64(i.Type.Size()), count: 1, offset: uint64(i.Offset), width: uint64(i.Type.Size()),
		op: i.Op, scope: i.Scope, observed: e.events&Accesses != 0,
	}
	addr := e.arg(i.Addr, types.Ptr)
	at := e.addresses(addr, ac.offset, true)
	x, width := e.arg(i.X, i.Type), widthOf(i.Type)
	swap := i.Op == code.AtomicCAS
	var expected arg
	if swap {
		expected = e.arg(i.Compare, i.Type)
	}
	f := atomicOf(i.Op, i.Type)
	var dst slot
	if i.Dst != 0 {
		dst = e.slots[i.Dst]
		e.form.polls = true
	}
	from := elements(func(w *Warp, _ int) (*v32, *v64) {
		if width == 64 {
			return nil, w.x64(x, 0)
		}
		return w.v32(x, 0), nil
	})
	t := i.Type
	e.emit(func(w *Warp) {
		a := at(w)
		mask := w.Active
		var s span
		together := w.span(a, ac, &s)
		if !together {
			mask = w.admit(a, ac)
			if w.status == ended {
				return
			}
		}
		if ac.observed && mask != 0 {
			w.see(a, ac, mask, from)
		}
		held := w.acquire(a, together)
		for m := w.Active; m != 0; m &= m - 1 {
			lane := first(m)
			old := uint64(0)
			if mask>>lane&1 != 0 {
				old = w.get(a[lane], lane, t)
				if !swap || old == w.one(expected, width, lane) {
					after := f(old, w.one(x, width, lane))
					w.put(a[lane], lane, t, after)
					w.moved = w.moved || after != old
				}
			}
			switch dst.bits {
			case 32:
				w.v[dst.i][lane] = uint32(old)
			case 64:
				w.x[dst.i][lane] = old
			}
		}
		w.release(held)
		w.polls = true
	})
}

// Atomics and volatile accesses of blocks that run at the same time exclude each
// other by a lock for each buffer, which also orders what is around them; an
// atomic whose lanes address several buffers takes them all.
const (
	locks     = 64
	noLock    = -1
	everyLock = -2
)

func (w *Warp) acquire(a *v64, together bool) int {
	g := w.Block.Grid
	if !g.run.parallel {
		return noLock
	}
	p := Pointer(a[first(w.Active)])
	switch {
	case !together:
		for i := range g.machine.locks {
			g.machine.locks[i].Lock()
		}
		return everyLock
	case p.Space() != code.Global:
		return noLock
	}
	n := p.Number() % locks
	g.machine.locks[n].Lock()
	return n
}

func (w *Warp) release(held int) {
	m := w.Block.Grid.machine
	switch held {
	case noLock:
	case everyLock:
		for i := range m.locks {
			m.locks[i].Unlock()
		}
	default:
		m.locks[held].Unlock()
	}
}
