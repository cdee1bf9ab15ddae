package run

import (
	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

// What lanes of a warp and warps of a block do together.

func (e *emitter) fence(i *code.Fence) {
	pos, scope, observed := i.Pos, i.Scope, e.events&Syncs != 0
	e.emit(func(w *Warp) {
		if observed {
			w.observer.Fence(w, pos, scope)
		}
		if scope != code.BlockScope {
			// An atomic operation of Go's orders everything around it.
			w.Block.Grid.machine.fences.Add(1)
		}
	})
}

// ---- the block -----------------------------------------------------------------

func (e *emitter) barrier(i *code.Barrier) {
	pos, observed := i.Pos, e.events&Syncs != 0
	says := 0
	if i.Kind != code.BarrierSync {
		says = e.pred(i.X)
	}
	e.emit(func(w *Warp) {
		if observed {
			w.observer.Barrier(w, pos)
		}
		w.vote = w.p[says] & w.Active
		w.At = pos
		w.status = waiting
		w.resume = w.pc
		w.pc = -1
	})
	if i.Kind == code.BarrierSync || i.Dst == 0 {
		return
	}
	kind := i.Kind
	e.giveOne(i, i.Dst, func(w *Warp) uint64 {
		b := w.Block
		yes := false
		switch kind {
		case code.BarrierCount:
			return uint64(b.count)
		case code.BarrierAnd:
			yes = b.count == b.arrived
		case code.BarrierOr:
			yes = b.count > 0
		}
		if yes {
			return 1
		}
		return 0
	})
}

// ---- lanes -----------------------------------------------------------------------

func (e *emitter) syncWarp(i *code.SyncWarp) {
	if e.events&Syncs == 0 {
		return
	}
	pos, mask := i.Pos, e.arg(i.Mask, types.U32)
	e.emit(func(w *Warp) { w.observer.SyncWarp(w, pos, (*[32]uint32)(w.v32(mask, 0))) })
}

// exchange emits what observers are told of an exchange between lanes, and the
// fault of a mask that does not name who is there.
func (e *emitter) exchange(in code.Instr, mask arg) {
	if e.events&Syncs == 0 {
		return
	}
	pos := in.Position()
	e.emit(func(w *Warp) {
		m := w.v32(mask, 0)
		w.observer.Exchange(w, pos, in, (*[32]uint32)(m))
		wrong := uint32(0)
		for a := w.Active; a != 0; a &= a - 1 {
			lane := first(a)
			if m[lane]>>lane&1 == 0 || m[lane]&w.Live&^w.Active != 0 {
				wrong |= 1 << lane
			}
		}
		if wrong == 0 {
			return
		}
		f := w.fault(InactiveLane, pos, wrong)
		f.Source = f.Lane
		f.Detail = "its mask does not name the lane itself"
		if absent := m[f.Lane] & w.Live &^ w.Active; absent != 0 && m[f.Lane]>>f.Lane&1 != 0 {
			f.Source = first(absent)
			f.Detail = "its mask names a lane that does not take part"
		}
		w.report(f)
	})
}

// source returns the lane that a shuffle reads, and whether that is inside the
// lane's group of width lanes. PTX forms a clamp of the width, and looks at the
// result of the addition as it is.
func source(kind code.ShuffleKind, lane int, b, width int32) (int, bool) {
	group := lane &^ (int(width) - 1)
	last := group + int(width) - 1
	from := 0
	switch kind {
	case code.ShuffleUp:
		from = lane - int(b&31)
		if from < group {
			return lane, false
		}
		return from, true
	case code.ShuffleDown:
		from = lane + int(b&31)
	case code.ShuffleXor:
		from = lane ^ int(b&31)
	default:
		from = group | int(b)&(int(width)-1)
	}
	if from > last {
		return lane, false
	}
	return from, true
}

// groupOf returns the lanes of a group: the width, if there are such groups.
func groupOf(width uint32) int32 {
	if g := int32(width); g >= 1 && g <= 32 && g&(g-1) == 0 {
		return g
	}
	return 32
}

func (e *emitter) shuffle(i *code.Shuffle) {
	e.exchange(i, e.arg(i.Mask, types.U32))
	defer e.exchanged(i, i.X, i.Type, i.Dst, i.Type)()
	x := e.arg(i.X, i.Type)
	lane, width := e.arg(i.Lane, types.I32), e.arg(i.Width, types.I32)
	kind, pos, observed := i.Kind, i.Pos, e.events&Syncs != 0
	if dst := e.slots[i.Dst]; dst.uniform {
		// One lane for all. None that does not take part is asked.
		e.emit(func(w *Warp) {
			from := int(w.s[lane.i] & 31)
			if observed && w.Active>>from&1 == 0 {
				w.absent(pos, w.Active, from)
			}
			w.s[dst.i] = w.one(x, widthOf(i.Type), from)
		})
		return
	}
	// Which lane each reads, in t32[4].
	find := func(w *Warp) *v32 {
		from := &w.t32[4]
		l, n := w.v32(lane, 0), w.v32(width, 1)
		inside := uint32(0)
		missing, of := uint32(0), 0
		for k := range from {
			s, ok := source(kind, k, int32(l[k]), groupOf(n[k]))
			from[k] = uint32(s)
			if ok {
				inside |= 1 << k
			}
			if observed && w.Active>>k&1 != 0 && w.Active>>s&1 == 0 {
				if missing == 0 {
					of = s
				}
				missing |= 1 << k
			}
		}
		w.t32[5][0] = inside
		if missing != 0 {
			w.absent(pos, missing, of)
		}
		return from
	}
	if widthOf(i.Type) == 64 {
		e.give64(i, i.Dst, func(w *Warp, d *v64) {
			from := find(w)
			a := *w.x64(x, 0) // d may be x
			for k := range d {
				d[k] = a[from[k]&31]
			}
		})
	} else {
		e.give32(i, i.Dst, func(w *Warp, d *v32) {
			from := find(w)
			a := *w.v32(x, 0)
			for k := range d {
				d[k] = a[from[k]&31]
			}
		})
	}
	if i.Valid != 0 {
		e.givePred(i, i.Valid, func(w *Warp) uint32 { return w.t32[5][0] })
	}
}

// absent reports lanes that read from one which does not take part.
func (w *Warp) absent(pos code.Pos, readers uint32, from int) {
	f := w.fault(InactiveLane, pos, readers)
	f.Source = from
	f.Detail = "it reads from a lane that does not take part"
	w.report(f)
}

func (e *emitter) vote(i *code.Vote) {
	mask := e.arg(i.Mask, types.U32)
	e.exchange(i, mask)
	gets := types.Pred
	if i.Kind == code.VoteBallot {
		gets = types.U32
	}
	defer e.exchanged(i, i.X, types.Pred, i.Dst, gets)()
	x := e.pred(i.X)
	if !mask.uniform {
		e.voteApart(i, mask, x)
		return
	}
	count := func(w *Warp) (yes, all uint32) {
		all = w.Active & uint32(w.s[mask.i])
		return w.p[x] & all, all
	}
	says := voteOf(i.Kind)
	if i.Kind == code.VoteBallot {
		e.giveOne(i, i.Dst, func(w *Warp) uint64 {
			yes, _ := count(w)
			return uint64(yes)
		})
		return
	}
	e.givePred(i, i.Dst, func(w *Warp) uint32 {
		if says(count(w)) {
			return every
		}
		return 0
	})
}

func voteOf(k code.VoteKind) func(yes, all uint32) bool {
	switch k {
	case code.VoteAny:
		return func(yes, _ uint32) bool { return yes != 0 }
	case code.VoteAll:
		return func(yes, all uint32) bool { return yes == all }
	}
	return func(yes, all uint32) bool { return yes == 0 || yes == all }
}

// voteApart is a vote of lanes that name different masks.
func (e *emitter) voteApart(i *code.Vote, mask arg, x int) {
	if i.Kind == code.VoteBallot {
		e.give32(i, i.Dst, func(w *Warp, d *v32) {
			for k, m := range w.v32(mask, 0) {
				d[k] = w.p[x] & w.Active & m
			}
		})
		return
	}
	says := voteOf(i.Kind)
	e.givePred(i, i.Dst, func(w *Warp) uint32 {
		out := uint32(0)
		for k, m := range w.v32(mask, 0) {
			if says(w.p[x]&w.Active&m, w.Active&m) {
				out |= 1 << k
			}
		}
		return out
	})
}

func (e *emitter) match(i *code.Match) {
	mask := e.arg(i.Mask, types.U32)
	e.exchange(i, mask)
	defer e.exchanged(i, i.X, i.Type, i.Dst, types.U32)()
	x, width, all := e.arg(i.X, i.Type), widthOf(i.Type), i.All
	find := func(w *Warp, d *v32) {
		m := *w.v32(mask, 0)
		for k := range d {
			same := uint32(0)
			if w.Active>>k&1 != 0 {
				own := w.one(x, width, k)
				for a := w.Active & m[k]; a != 0; a &= a - 1 {
					if l := first(a); w.one(x, width, l) == own {
						same |= 1 << l
					}
				}
				if all && same != w.Active&m[k] {
					same = 0
				}
			}
			d[k] = same
		}
	}
	if i.Same != 0 {
		// Found before it is written: Dst may be what is compared.
		e.givePred(i, i.Same, func(w *Warp) uint32 {
			find(w, &w.t32[4])
			out := uint32(0)
			for k, m := range w.t32[4] {
				if m != 0 {
					out |= 1 << k
				}
			}
			return out
		})
	} else {
		e.emit(func(w *Warp) { find(w, &w.t32[4]) })
	}
	e.give32(i, i.Dst, func(w *Warp, d *v32) { *d = w.t32[4] })
}

func (e *emitter) reduce(i *code.Reduce) {
	mask := e.arg(i.Mask, types.U32)
	e.exchange(i, mask)
	defer e.exchanged(i, i.X, i.Type, i.Dst, i.Type)()
	x := e.arg(i.X, i.Type)
	f := binaryOf(i.Op, i.Type)
	fold := func(w *Warp, lanes uint32) uint64 {
		if lanes == 0 {
			return 0
		}
		out := w.one(x, 32, first(lanes))
		for m := lanes & (lanes - 1); m != 0; m &= m - 1 {
			out = f(out, w.one(x, 32, first(m)))
		}
		return out
	}
	if mask.uniform {
		e.giveOne(i, i.Dst, func(w *Warp) uint64 { return fold(w, w.Active&uint32(w.s[mask.i])) })
		return
	}
	e.give32(i, i.Dst, func(w *Warp, d *v32) {
		m := *w.v32(mask, 0)
		var out v32
		for k := range d {
			out[k] = uint32(fold(w, w.Active&m[k]))
		}
		*d = out
	})
}
