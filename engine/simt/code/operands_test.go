package code

import (
	"reflect"
	"slices"
	"testing"
)

// Operands and Rename know where the operands of every instruction are: each by
// itself, and they must not differ.
func TestOperandsAreWhatRenameSees(t *testing.T) {
	for _, in := range []Instr{
		&Stmt{}, &Begin{}, &Enter{}, &Leave{}, &Fence{}, &Trap{}, &Break{}, &Continue{}, &Region{}, &Note{}, &Note{Unset: true}, &Undef{}, &Move{}, &Unary{},
		&Binary{}, &MulAdd{}, &FMA{}, &Convert{}, &Bits{}, &Compare{}, &Select{}, &Intrinsic{}, &Special{}, &Addr{}, &Index{}, &Load{}, &Store{},
		&Atomic{}, &Atomic{Op: AtomicCAS}, &Barrier{}, &Barrier{Kind: BarrierCount}, &SyncWarp{}, &Shuffle{}, &Vote{}, &ActiveMask{}, &Match{}, &Reduce{},
		&If{}, &Loop{}, &Call{}, &Return{}, &Printf{}, &Assert{},
	} {
		next := Reg(0)
		fill(reflect.ValueOf(in).Elem(), &next)
		var values []Value
		var dst []Reg
		Rename(in, func(x Value) Value { values = append(values, x); return x }, func(r Reg) Reg {
			if r != 0 {
				dst = append(dst, r)
			}
			return r
		})
		gotValues, gotDst := Operands(in)
		if !slices.Equal(gotValues, values) || !slices.Equal(gotDst, dst) {
			t.Errorf("%T: reads %v and writes %v, and Rename sees %v and %v", in, gotValues, gotDst, values, dst)
		}
		if next > 0 && len(values)+len(dst) == 0 && reflect.TypeOf(in) != reflect.TypeOf(&Note{}) && reflect.TypeOf(in) != reflect.TypeOf(&Barrier{}) {
			t.Errorf("%T has operands, and none is seen", in)
		}
	}
}

// fill gives every register of an instruction a number of its own; lists have five,
// the third of which is none.
func fill(v reflect.Value, next *Reg) {
	switch {
	case v.Type() == reflect.TypeFor[Reg]():
		*next++
		v.SetInt(int64(*next))
	case v.Type() == reflect.TypeFor[Block]() || v.Type() == reflect.TypeFor[At]():
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), next)
		}
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 5, 5))
		for i := range 5 {
			if i != 2 {
				fill(v.Index(i), next)
			}
		}
	}
}
