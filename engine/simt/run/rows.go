package run

import (
	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

// A part of an array has an end of its own: a[1][16] of an int a[4][16] is no
// place of C, though there is memory. It is looked for where an observer wants
// Values, and a fault where such an address is accessed; taking one, as for the
// end of a loop, is none.

// row is an index that may be beyond the part of an array that it is of.
type row struct {
	beyond int // the lanes whose is, in p
	of     *code.Index
	before *row // the rows that this is in
}

// bound emits, before an Index, which lanes leave their row.
func (e *emitter) bound(i *code.Index) {
	before := e.rows[i.Base.Reg]
	if i.Dst < 1 || e.a.f.Regs[i.Dst].Name != "" {
		return // a pointer that the source has a name for may go where it wants
	}
	if i.Len == 0 || i.Len >= 1<<31 {
		if before != nil && i.Index.Reg == 0 {
			e.rows[i.Dst] = before
		}
		return
	}
	n, m := e.arg(i.Index, i.IndexType), e.mask()
	r := &row{beyond: m, of: i, before: before}
	wide := i.IndexType.Size() == 8
	length := uint64(i.Len)
	switch {
	case n.uniform:
		e.emit(func(w *Warp) {
			x := w.s[n.i]
			if !wide {
				x = uint64(uint32(x))
			}
			w.p[m] = 0
			if x >= length {
				w.p[m] = w.Active
				w.left(r, n)
			}
		})
	case wide:
		e.emit(func(w *Warp) {
			w.p[m] = 0
			for k, x := range &w.x[n.i] {
				if x >= length {
					w.p[m] |= 1 << k
				}
			}
			if w.p[m]&w.Active != 0 {
				w.left(r, n)
			}
		})
	default:
		var most v32
		splat32(&most, uint32(length))
		e.emit(func(w *Warp) {
			w.p[m] = ^less32(&w.v[n.i], &most, 0)
			if w.p[m]&w.Active != 0 {
				w.left(r, n)
			}
		})
	}
	if e.rows == nil {
		e.rows = map[code.Reg]*row{}
	}
	e.rows[i.Dst] = r
}

// left keeps the indices of lanes that have left a row: when the access comes,
// other values may be in their register.
func (w *Warp) left(r *row, n arg) {
	x := [32]int64{}
	for k := range x {
		switch t := r.of.IndexType; {
		case t.Size() == 8:
			x[k] = int64(w.one(n, 64, k))
		case t.Signed():
			x[k] = int64(int32(w.one(n, 32, k)))
		default:
			x[k] = int64(uint32(w.one(n, 32, k)))
		}
	}
	if w.beyond == nil {
		w.beyond = map[*row]*[32]int64{}
	}
	w.beyond[r] = &x
}

// within emits, before an access, the fault of lanes that have left their row and
// are in memory all the same; those that are not are a fault of the access.
func (e *emitter) within(in code.Instr) {
	var addr code.Value
	f := Fault{Kind: OutOfBounds, Pos: in.Position()}
	offset, width := int64(0), 0
	switch i := in.(type) {
	case *code.Load:
		addr, offset, width = i.Addr, i.Offset, i.Type.Size()*len(i.Dst)
	case *code.Store:
		addr, offset, width = i.Addr, i.Offset, i.Type.Size()*len(i.Src)
		f.Access = Store
	case *code.Atomic:
		addr, offset, width = i.Addr, i.Offset, i.Type.Size()
		f.Access = Atomic
	}
	a := e.arg(addr, types.Ptr)
	for r := e.rows[addr.Reg]; r != nil; r = r.before {
		e.emit(func(w *Warp) {
			for bad := w.p[r.beyond] & w.Active; bad != 0; bad &= bad - 1 {
				lane := first(bad)
				p := Pointer(w.one(a, 64, lane) + uint64(offset))
				m := w.Memory(p)
				if m == nil || p.Offset() < 0 || p.Offset()+int64(width) > m.Size {
					continue
				}
				x := w.fault(f.Kind, f.Pos, 1<<lane)
				x.Access, x.Width, x.Pointer, x.Memory, x.Offset = f.Access, width, p, m, p.Offset()
				x.Row = &Row{Len: r.of.Len, Scale: r.of.Scale}
				if at := w.beyond[r]; at != nil {
					x.Row.Index = at[lane]
				}
				x.Detail = "the index is beyond the row or the member"
				w.report(x)
			}
		})
	}
}
