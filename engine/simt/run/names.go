package run

import (
	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

// Names is an Observer that wants Variables: what the source's variables hold.
type Names interface {
	Observer

	// Note: what n.Instr says of a variable holds from here on, for w.Active.
	Note(w *Warp, n *Noted)

	// Enter: w.Active enters the function Names.Frames[frame] of the program,
	// called from pos. Leave: w.Active has returned from the one entered last.
	Enter(w *Warp, pos code.Pos, frame int)
	Leave(w *Warp)

	// Exchanged: lanes of w have exchanged values.
	Exchanged(w *Warp, x *Exchanged)
}

// Noted is a Note with the values of the lanes: One for all of them, or one in
// V32 or V64, as wide as the type is in a register; a pred is in One, a bit for
// each lane.
type Noted struct {
	Instr *code.Note
	One   uint64
	V32   *[32]uint32
	V64   *[32]uint64
}

// names reports whether an instruction is there for code.Names alone: it counts for
// nothing, so that a program with them has the turns and limits of one without.
func names(in code.Instr) bool {
	switch in.(type) {
	case *code.Note, *code.Enter, *code.Leave:
		return true
	}
	return false
}

// variable emits that a variable of the source has a value.
func (e *emitter) variable(i *code.Note) {
	if e.events&Variables == 0 {
		return
	}
	tell := func(w *Warp, n Noted) {
		w.noted = n
		w.names.Note(w, &w.noted)
	}
	if i.Unset {
		e.emit(func(w *Warp) { tell(w, Noted{Instr: i}) })
		return
	}
	if i.Type == types.Pred {
		x := e.pred(i.X)
		e.emit(func(w *Warp) { tell(w, Noted{Instr: i, One: uint64(w.p[x])}) })
		return
	}
	x := e.arg(i.X, i.Type)
	switch {
	case x.uniform:
		e.emit(func(w *Warp) { tell(w, Noted{Instr: i, One: w.s[x.i]}) })
	case widthOf(i.Type) == 64:
		e.emit(func(w *Warp) { tell(w, Noted{Instr: i, V64: (*[32]uint64)(&w.x[x.i])}) })
	default:
		e.emit(func(w *Warp) { tell(w, Noted{Instr: i, V32: (*[32]uint32)(&w.v[x.i])}) })
	}
}

// ---- what there is -------------------------------------------------------------

// Memories returns what the block's lanes can point to but for local memory: the
// launch's global and constant memory, the block's shared arrays, and parameters.
func (b *Block) Memories() []*Memory {
	var out []*Memory
	for _, list := range [][]region{b.Grid.machine.global, b.Grid.machine.constant, b.shared, b.Grid.params} {
		for i := range list {
			if m := list[i].memory; m != nil {
				out = append(out, m)
			}
		}
	}
	return out
}

// Printed returns what the block has printed so far.
func (b *Block) Printed() []byte { return b.printed }

// Read returns the bits of an element of size bytes at p, as a lane finds it
// there now: zero-extended; false if there is no such place.
func (w *Warp) Read(p Pointer, lane, size int) (uint64, bool) {
	o := p.Offset()
	if p.Space() == code.Local {
		n := p.Number() - 1
		if n < 0 || n >= len(w.locals) || o < 0 || uint64(o)+uint64(size) > w.locals[n].size {
			return 0, false
		}
		return getLocal(w.words[w.locals[n].base:], uint64(o), lane, unsigned(size)), true
	}
	data := w.find(p.key()).data
	if o < 0 || uint64(o)+uint64(size) > uint64(len(data)) {
		return 0, false
	}
	return getBytes(data, uint64(o), unsigned(size)), true
}

// Bytes returns the memory that p points into, from p on; nil for local memory
// and for none.
func (w *Warp) Bytes(p Pointer) []byte {
	data := w.find(p.key()).data
	if o := p.Offset(); o >= 0 && o < int64(len(data)) {
		return data[o:]
	}
	return nil
}

func unsigned(size int) types.Scalar {
	switch size {
	case 1:
		return types.U8
	case 2:
		return types.U16
	case 4:
		return types.U32
	}
	return types.U64
}
