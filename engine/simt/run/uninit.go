package run

import (
	"fmt"

	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

// Registers that may be read before they are written are watched where an
// observer wants Values: a mask for each says which lanes have written it.
// Moving such a value on is no fault, as copying a struct of which a member is
// not set is none, nor are choosing between two values and handing one to other
// lanes; computing with it is.

// watch finds the registers to be watched: what is live at the beginning of f or
// where it is declared, and what is moved from there.
func (e *emitter) watch(f *code.Function) {
	e.written = map[code.Reg]int{}
	params := map[code.Reg]bool{}
	for _, p := range f.Params {
		params[p.Reg] = true
	}
	enter := func(r code.Reg) {
		if _, have := e.written[r]; have || r < 1 || int(r) >= len(f.Regs) || params[r] {
			return
		}
		m := e.mask()
		e.written[r] = m
		e.unit.clear = append(e.unit.clear, slot{bits: 1, i: m})
	}
	a := analyse(f, true)
	a.entry.each(enter)
	a.unset.each(enter)
	var moved func(b code.Block)
	moved = func(b code.Block) {
		for _, in := range b {
			for _, x := range moves(in) {
				if _, watched := e.written[x.Reg]; watched {
					_, dst := code.Operands(in)
					enter(dst[0])
				}
			}
			for _, inner := range code.Blocks(in) {
				moved(inner)
			}
		}
	}
	for n := -1; n != len(e.written); {
		n = len(e.written)
		moved(f.Body)
	}
}

// moves returns the values that an instruction only moves on.
func moves(in code.Instr) []code.Value {
	switch i := in.(type) {
	case *code.Move:
		return []code.Value{i.X}
	case *code.Select:
		return []code.Value{i.X, i.Y}
	case *code.Shuffle:
		if i.Dst != 0 {
			return []code.Value{i.X}
		}
	}
	return nil
}

// check emits a look at what an instruction reads.
func (e *emitter) check(in code.Instr) {
	values, _ := code.Operands(in)
	e.given = -1
	switch i := in.(type) {
	case *code.Move, *code.Undef, *code.Loop, *code.Return, *code.Call, *code.Note:
		return
	case *code.Select:
		values = []code.Value{i.Cond}
		e.chosen(i)
	case *code.Shuffle:
		values = []code.Value{i.Lane, i.Width, i.Mask}
		e.handed(i)
	}
	for _, x := range values {
		e.checkValue(in.Position(), x)
	}
}

func (e *emitter) checkValue(pos code.Pos, x code.Value) {
	m, watched := e.written[x.Reg]
	if !watched {
		return
	}
	name := e.a.f.Regs[x.Reg].Name
	e.emit(func(w *Warp) {
		bad := w.Active &^ w.p[m]
		if bad == 0 {
			return
		}
		f := w.fault(Uninitialised, pos, bad)
		f.Detail = "a value is used that was never set"
		if name != "" {
			f.Detail = fmt.Sprintf("%s is used and was never set", name)
		}
		w.report(f)
	})
}

// note emits that an instruction has written its registers.
func (e *emitter) note(in code.Instr) {
	if _, undef := in.(*code.Undef); undef {
		return
	}
	_, dst := code.Operands(in)
	for k, r := range dst {
		m, watched := e.written[r]
		if !watched {
			continue
		}
		from, known := 0, false
		switch i := in.(type) {
		case *code.Move:
			from, known = e.written[i.X.Reg]
		case *code.Select, *code.Shuffle:
			from, known = e.given, e.given >= 0 && k == 0
		}
		if known {
			e.emit(func(w *Warp) { w.p[m] = w.p[m]&^w.Active | w.p[from]&w.Active })
			continue
		}
		e.emit(func(w *Warp) { w.p[m] |= w.Active })
	}
}

// chosen emits, before a choice, which lanes it gives something that was set.
func (e *emitter) chosen(i *code.Select) {
	x, one := e.written[i.X.Reg]
	y, two := e.written[i.Y.Reg]
	if !one && !two {
		return
	}
	e.given = e.mask()
	to, cond := e.given, e.pred(i.Cond)
	e.emit(func(w *Warp) {
		a, b := ^uint32(0), ^uint32(0)
		if one {
			a = w.p[x]
		}
		if two {
			b = w.p[y]
		}
		c := w.p[cond]
		w.p[to] = a&c | b&^c
	})
}

// handed does it for a shuffle: a lane that hands on nothing is no fault where
// nobody uses it, as in
//
//	if (lane == 0) base = atomicAdd(n, 32);
//	base = __shfl_sync(0xffffffff, base, 0);
func (e *emitter) handed(i *code.Shuffle) {
	m, watched := e.written[i.X.Reg]
	if !watched || i.Dst == 0 {
		return
	}
	e.given = e.mask()
	to, kind := e.given, i.Kind
	lane, width := e.arg(i.Lane, types.I32), e.arg(i.Width, types.I32)
	e.emit(func(w *Warp) {
		set := w.p[m]
		if set&w.Active == w.Active {
			w.p[to] = set
			return
		}
		l, n := w.v32(lane, 0), w.v32(width, 1)
		w.p[to] = 0
		for a := w.Active; a != 0; a &= a - 1 {
			k := first(a)
			from, _ := source(kind, k, int32(l[k]), groupOf(n[k]))
			// A lane that does not take part is a fault of its own.
			if set>>from&1 != 0 || w.Active>>from&1 == 0 {
				w.p[to] |= 1 << k
			}
		}
	})
}
