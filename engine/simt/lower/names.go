package lower

import (
	"workbench/engine/simt/check"
	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

// What is said of the source's variables, if it is asked for: Notes beside the
// instructions that compute their values. They change none of those, nor which
// loops and calls are written out, so that what runs is what runs without them.

// An owner is a part of a variable that a register holds.
type owner struct {
	frame *frame
	slot  int // of the frame's variables
	leaf  int
	t     types.Scalar
}

// frameOf returns the number of a function's frame.
func (l *lowerer) frameOf(fn *check.Func) int {
	n, ok := l.frames[fn]
	if !ok {
		n = len(l.program.Names.Frames)
		l.frames[fn] = n
		l.program.Names.Frames = append(l.program.Names.Frames, code.Frame{Name: fn.Name, Pos: l.pos(fn.Pos)})
	}
	return n
}

// slot returns the number of a variable in its function's frame.
func (w *writer) slot(v *check.Var, t *types.Type) int {
	frame := &w.l.program.Names.Frames[w.frame.number]
	n, ok := w.l.slots[v]
	if !ok {
		n = len(frame.Vars)
		w.l.slots[v] = n
		x := code.Var{Name: v.Name, Type: t, Pos: w.l.pos(v.Pos)}
		for _, leaf := range w.l.shapeOf(t).leaves {
			x.Leaves = append(x.Leaves, code.Leaf{Type: leaf.t, Offset: leaf.offset})
		}
		frame.Vars = append(frame.Vars, x)
	}
	return n
}

// up returns how many frames above the current one f is, as Enter and Leave count.
func (w *writer) up(f *frame) (n int, ok bool) {
	for x := w.frame; x != nil; x = x.parent {
		if x == f {
			return n, true
		}
		if x.entered {
			n++
		}
	}
	return 0, false
}

// hidden reports whether nothing is said of variables here: it was not asked
// for, or this is a built-in header.
func (w *writer) hidden() bool { return w.l.program.Names == nil || w.at.IsValid() }

// enter says that a function begins, in the frame that is the current one.
func (w *writer) enters(fn *check.Func) {
	if w.hidden() {
		return
	}
	w.frame.number, w.frame.entered = w.l.frameOf(fn), true
	w.b.Emit(&code.Enter{At: w.b.At(), Frame: w.frame.number})
}

// leaves says that the current frame's function has returned.
func (w *writer) leaves() {
	if w.frame.entered {
		w.b.Emit(&code.Leave{At: w.b.At()})
	}
	for r, list := range w.owners {
		kept := list[:0]
		for _, o := range list {
			if o.frame != w.frame {
				kept = append(kept, o)
			}
		}
		w.owners[r] = kept
	}
}

// declared says that a variable is in scope from here on, and where it is; what
// it holds too, unless it holds nothing yet.
func (w *writer) declared(v *check.Var, p *place, set bool) {
	if w.hidden() || v.Name == "" || p == nil || !w.frame.entered && !w.frame.top {
		return
	}
	n := w.slot(v, v.Type.Referred())
	names := w.l.program.Names
	names.Scopes = append(names.Scopes, code.InScope{Parent: w.frame.scope, Var: n})
	w.frame.scope = len(names.Scopes) - 1
	if p.memory {
		names.Frames[w.frame.number].Vars[n].Memory = true
		w.note(&code.Note{Var: n, Memory: true, Type: types.Ptr, X: w.placed(p)})
		return
	}
	for i, leaf := range names.Frames[w.frame.number].Vars[n].Leaves {
		t := leaf.Type.Scalar()
		x := &code.Note{Var: n, Leaf: i, Type: t, Unset: !set}
		switch {
		case i < len(p.regs):
			r := p.regs[i]
			w.owners[r] = append(w.owners[r], owner{w.frame, n, i, t})
			x.X = code.R(r)
		case i < len(p.vals):
			x.X = p.vals[i]
		default:
			x.Unset = true
		}
		if x.Unset {
			x.X = code.Value{}
		}
		w.note(x)
	}
}

// placed is the address of what is in memory.
func (w *writer) placed(p *place) code.Value {
	if p.offset == 0 {
		return p.addr
	}
	if p.addr.Reg == 0 {
		return code.Value{Bits: p.addr.Bits + uint64(p.offset)}
	}
	dst := w.temp(types.Ptr)
	w.b.Emit(&code.Index{At: w.b.At(), Dst: dst, Base: p.addr, IndexType: types.I32, Scale: 1, Offset: p.offset})
	return code.R(dst)
}

func (w *writer) note(n *code.Note) {
	n.At = w.b.At()
	if n.X.Reg != 0 && w.f.Regs[n.X.Reg].Type != n.Type {
		return // a part of something else that has its bits
	}
	w.b.Emit(n)
}

// wrote says what the variables hold that an instruction has written.
func (w *writer) wrote(in code.Instr) {
	if w.l.program.Names == nil || len(w.owners) == 0 {
		return
	}
	_, dst := code.Operands(in)
	_, undef := in.(*code.Undef)
	for _, r := range dst {
		for _, o := range w.owners[r] {
			up, ok := w.up(o.frame)
			if !ok {
				continue
			}
			n := &code.Note{Up: up, Var: o.slot, Leaf: o.leaf, Type: o.t, Unset: undef}
			if !undef {
				n.X = code.R(r)
			}
			w.note(n)
		}
	}
}

// scoped writes what has a scope of its own.
func (w *writer) scoped(write func()) {
	f, scope := w.frame, w.frame.scope
	write()
	f.scope = scope
}
