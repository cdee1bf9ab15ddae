package run

import (
	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

// Exchanged is an exchange between the lanes of a warp that has taken place: a
// *code.Shuffle, *code.Vote, *code.Match or *code.Reduce.
type Exchanged struct {
	Instr code.Instr
	Mask  uint32       // the lanes that took part
	Gives types.Scalar // what each lane gave: Given
	Gets  types.Scalar // and got: Got

	warp *Warp
	from *exchanging

	// What the result may have taken the place of: the operands.
	x, lane, width given
}

// exchanging is what is the same each time an instruction is executed.
type exchanging struct {
	shuffle     *code.Shuffle // nil if it is none
	x, dst      slotted
	lane, width slotted
}

// slotted is where an operand is.
type slotted struct {
	arg
	bits int
}

// given is an operand as it was.
type given struct {
	one uint64 // for all lanes; of 1 bit a bit for each
	v32 v32
	v64 v64
}

func (e *emitter) slotted(x code.Value, t types.Scalar) slotted {
	if t == types.Pred {
		return slotted{arg{false, e.pred(x)}, 1}
	}
	return slotted{e.arg(x, t), widthOf(t)}
}

// take takes an operand down.
func (g *given) take(w *Warp, s slotted) {
	switch {
	case s.uniform:
		g.one = w.s[s.i]
	case s.bits == 1:
		g.one = uint64(w.p[s.i])
	case s.bits == 64:
		g.v64 = w.x[s.i]
	default:
		g.v32 = w.v[s.i]
	}
}

func (g *given) of(s slotted, lane int) uint64 {
	switch {
	case s.uniform:
		return g.one
	case s.bits == 1:
		return g.one >> lane & 1
	case s.bits == 64:
		return g.v64[lane]
	}
	return uint64(g.v32[lane])
}

// Given returns the bits of what a lane gave.
func (x *Exchanged) Given(lane int) uint64 { return x.x.of(x.from.x, lane) }

// Got returns the bits of what it got.
func (x *Exchanged) Got(lane int) uint64 {
	if s := x.from.dst; s.bits == 1 {
		return uint64(x.warp.p[s.i] >> lane & 1)
	}
	return x.warp.one(x.from.dst.arg, x.from.dst.bits, lane)
}

// From returns the lane whose value a lane of a shuffle got, which is its own where
// the other is outside of its group; of another exchange its own.
func (x *Exchanged) From(lane int) int {
	f := x.from
	if f.shuffle == nil {
		return lane
	}
	from, _ := source(f.shuffle.Kind, lane, int32(x.lane.of(f.lane, lane)), groupOf(uint32(x.width.of(f.width, lane))))
	return from
}

// Kind names the exchange: "shuffle down", "ballot", "reduce add".
func (x *Exchanged) Kind() string {
	switch i := x.Instr.(type) {
	case *code.Shuffle:
		if i.Kind == code.ShuffleIndex {
			return "shuffle"
		}
		return "shuffle " + i.Kind.String()
	case *code.Vote:
		if i.Kind == code.VoteBallot {
			return "ballot"
		}
		return "vote " + i.Kind.String()
	case *code.Match:
		if i.All {
			return "match all"
		}
		return "match any"
	case *code.Reduce:
		return "reduce " + i.Op.String()
	}
	return "exchange"
}

// exchanged emits what a Names observer is told of an exchange of x: at once what
// takes the operands down, and when the function that it returns is called what tells
// the observer.
func (e *emitter) exchanged(in code.Instr, x code.Value, gives types.Scalar, dst code.Reg, gets types.Scalar) func() {
	if e.events&Variables == 0 {
		return func() {}
	}
	f := &exchanging{x: e.slotted(x, gives)}
	if i, ok := in.(*code.Shuffle); ok {
		f.shuffle, f.lane, f.width = i, e.slotted(i.Lane, types.I32), e.slotted(i.Width, types.I32)
	}
	e.emit(func(w *Warp) {
		if w.exchanged == nil {
			w.exchanged = &Exchanged{warp: w}
		}
		o := w.exchanged
		o.Instr, o.Mask, o.Gives, o.Gets, o.from = in, w.Active, gives, gets, f
		o.x.take(w, f.x)
		if f.shuffle != nil {
			o.lane.take(w, f.lane)
			o.width.take(w, f.width)
		}
	})
	return func() {
		f.dst = e.slotted(code.R(dst), gets)
		e.emit(func(w *Warp) { w.names.Exchanged(w, w.exchanged) })
	}
}
