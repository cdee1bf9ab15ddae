package run

import (
	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

// Exchanged is an exchange between the lanes of a warp that has taken place: a
// *code.Shuffle, *code.Vote, *code.Match or *code.Reduce. Values are bits, as in a
// register.
type Exchanged struct {
	Instr code.Instr
	Mask  uint32       // the lanes that took part
	Gives types.Scalar // what each lane gave: Given
	Gets  types.Scalar // and got: Got
	Given [32]uint64
	Got   [32]uint64

	// From is the lane whose value each got, of a shuffle: its own where the other is
	// outside of its group. Of another exchange every lane looked at those of its mask.
	From [32]uint8
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
// takes down what the lanes give, since the result may take its place, and when the
// function that it returns is called what tells the observer.
func (e *emitter) exchanged(in code.Instr, x code.Value, gives types.Scalar, dst code.Reg, gets types.Scalar) func() {
	if e.events&Variables == 0 {
		return func() {}
	}
	given := e.bits(x, gives)
	from := func(*Warp, *[32]uint8) {}
	if i, ok := in.(*code.Shuffle); ok {
		kind, lane, width := i.Kind, e.arg(i.Lane, types.I32), e.arg(i.Width, types.I32)
		from = func(w *Warp, to *[32]uint8) {
			l, n := w.v32(lane, 0), w.v32(width, 1)
			for k := range to {
				s, _ := source(kind, k, int32(l[k]), groupOf(n[k]))
				to[k] = uint8(s)
			}
		}
	}
	e.emit(func(w *Warp) {
		if w.exchanged == nil {
			w.exchanged = new(Exchanged)
		}
		o := w.exchanged
		o.Instr, o.Mask, o.Gives, o.Gets = in, w.Active, gives, gets
		given(w, &o.Given)
		from(w, &o.From)
	})
	return func() {
		got := e.bits(code.R(dst), gets)
		e.emit(func(w *Warp) {
			got(w, &w.exchanged.Got)
			w.names.Exchanged(w, w.exchanged)
		})
	}
}

// bits returns what reads an operand in all lanes.
func (e *emitter) bits(x code.Value, t types.Scalar) func(w *Warp, to *[32]uint64) {
	if t == types.Pred {
		i := e.pred(x)
		return func(w *Warp, to *[32]uint64) {
			for k := range to {
				to[k] = uint64(w.p[i] >> k & 1)
			}
		}
	}
	a, bits := e.arg(x, t), widthOf(t)
	return func(w *Warp, to *[32]uint64) {
		for k := range to {
			to[k] = w.one(a, bits, k)
		}
	}
}
