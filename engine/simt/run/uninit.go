package run

import (
	"fmt"

	"workbench/engine/simt/code"
)

// Registers that may be read before they are written are watched where an
// observer wants Values: a mask for each says which lanes have written it.
// Moving such a value on is no fault, as copying a struct of which a member is
// not set is none; computing with it is.

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
			if i, ok := in.(*code.Move); ok {
				if _, watched := e.written[i.X.Reg]; watched {
					enter(i.Dst)
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

// check emits a look at what an instruction reads.
func (e *emitter) check(in code.Instr) {
	switch in.(type) {
	case *code.Move, *code.Undef, *code.Loop, *code.Return, *code.Call:
		return
	}
	values, _ := operands(in)
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
	_, dst := operands(in)
	for _, r := range dst {
		m, watched := e.written[r]
		if !watched {
			continue
		}
		if move, ok := in.(*code.Move); ok {
			if from, ok := e.written[move.X.Reg]; ok {
				e.emit(func(w *Warp) { w.p[m] = w.p[m]&^w.Active | w.p[from]&w.Active })
				continue
			}
		}
		e.emit(func(w *Warp) { w.p[m] |= w.Active })
	}
}
