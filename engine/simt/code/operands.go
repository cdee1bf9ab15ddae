package code

import "fmt"

// Operands returns what an instruction reads and which registers it writes,
// those of the blocks within it not included.
func Operands(in Instr) (values []Value, dst []Reg) {
	var r room // on the stack of who asks: this is inlined
	return r.operands(in)
}

// room is what the operands of most instructions have room in.
type room struct {
	values [4]Value
	dst    [2]Reg
}

// operands sees what Rename renames, in its order.
func (r *room) operands(in Instr) ([]Value, []Reg) {
	values, dst, to := r.values[:0], r.dst[:0], Reg(0)
	switch i := in.(type) {
	case *Stmt, *Begin, *Enter, *Leave, *Fence, *Trap, *Break, *Continue, *Region:
	case *Note:
		if !i.Unset {
			values = append(values, i.X)
		}
	case *Undef:
		to = i.Dst
	case *Move:
		values, to = append(values, i.X), i.Dst
	case *Unary:
		values, to = append(values, i.X), i.Dst
	case *Binary:
		values, to = append(values, i.X, i.Y), i.Dst
	case *MulAdd:
		values, to = append(values, i.X, i.Y, i.Z), i.Dst
	case *FMA:
		values, to = append(values, i.X, i.Y, i.Z), i.Dst
	case *Convert:
		values, to = append(values, i.X), i.Dst
	case *Bits:
		values, to = append(values, i.X), i.Dst
	case *Compare:
		values, to = append(values, i.X, i.Y), i.Dst
	case *Select:
		values, to = append(values, i.Cond, i.X, i.Y), i.Dst
	case *Intrinsic:
		values, dst = append(values, i.Args...), appendRegs(dst, i.Dst)
	case *Special:
		to = i.Dst
	case *Addr:
		to = i.Dst
	case *Index:
		values, to = append(values, i.Base, i.Index), i.Dst
	case *Load:
		values, dst = append(values, i.Addr), appendRegs(dst, i.Dst)
	case *Store:
		values = append(append(values, i.Addr), i.Src...)
	case *Atomic:
		values, to = append(values, i.Addr, i.X), i.Dst
		if i.Op == AtomicCAS {
			values = append(values, i.Compare)
		}
	case *Barrier:
		if i.Kind != BarrierSync {
			values, to = append(values, i.X), i.Dst
		}
	case *SyncWarp:
		values = append(values, i.Mask)
	case *Shuffle:
		values = append(values, i.X, i.Lane, i.Width, i.Mask)
		if i.Dst != 0 {
			dst = append(dst, i.Dst)
		}
		to = i.Valid
	case *Vote:
		values, to = append(values, i.X, i.Mask), i.Dst
	case *ActiveMask:
		to = i.Dst
	case *Match:
		values = append(values, i.X, i.Mask)
		if i.Dst != 0 {
			dst = append(dst, i.Dst)
		}
		to = i.Same
	case *Reduce:
		values, to = append(values, i.X, i.Mask), i.Dst
	case *If:
		values = append(values, i.Cond)
	case *Loop:
		values = append(values, i.Test)
	case *Call:
		values, dst = append(values, i.Args...), appendRegs(dst, i.Dst)
	case *Return:
		values = append(values, i.Values...)
	case *Printf:
		for _, a := range i.Args {
			values = append(values, a.X)
		}
		to = i.Dst
	case *Assert:
		values = append(values, i.Cond)
	default:
		panic(fmt.Sprintf("BUG: %T is no instruction", in))
	}
	if to != 0 {
		dst = append(dst, to)
	}
	return values, dst
}

func appendRegs(dst, regs []Reg) []Reg {
	for _, r := range regs {
		if r != 0 {
			dst = append(dst, r)
		}
	}
	return dst
}

// Rename returns a copy of an instruction with other operands. If, Loop and
// Region keep their blocks.
func Rename(in Instr, value func(Value) Value, reg func(Reg) Reg) Instr {
	values := func(list []Value) []Value {
		if list == nil {
			return nil
		}
		out := make([]Value, len(list))
		for k := range list {
			out[k] = value(list[k])
		}
		return out
	}
	regs := func(list []Reg) []Reg {
		if list == nil {
			return nil
		}
		out := make([]Reg, len(list))
		for k := range list {
			out[k] = reg(list[k])
		}
		return out
	}
	switch i := in.(type) {
	case *Stmt, *Begin, *Enter, *Leave, *Fence, *Trap, *Break, *Continue, *Region:
		return in
	case *Note:
		c := *i
		if !c.Unset {
			c.X = value(c.X)
		}
		return &c
	case *Undef:
		c := *i
		c.Dst = reg(c.Dst)
		return &c
	case *Move:
		c := *i
		c.X, c.Dst = value(c.X), reg(c.Dst)
		return &c
	case *Unary:
		c := *i
		c.X, c.Dst = value(c.X), reg(c.Dst)
		return &c
	case *Binary:
		c := *i
		c.X, c.Y, c.Dst = value(c.X), value(c.Y), reg(c.Dst)
		return &c
	case *MulAdd:
		c := *i
		c.X, c.Y, c.Z, c.Dst = value(c.X), value(c.Y), value(c.Z), reg(c.Dst)
		return &c
	case *FMA:
		c := *i
		c.X, c.Y, c.Z, c.Dst = value(c.X), value(c.Y), value(c.Z), reg(c.Dst)
		return &c
	case *Convert:
		c := *i
		c.X, c.Dst = value(c.X), reg(c.Dst)
		return &c
	case *Bits:
		c := *i
		c.X, c.Dst = value(c.X), reg(c.Dst)
		return &c
	case *Compare:
		c := *i
		c.X, c.Y, c.Dst = value(c.X), value(c.Y), reg(c.Dst)
		return &c
	case *Select:
		c := *i
		c.Cond, c.X, c.Y, c.Dst = value(c.Cond), value(c.X), value(c.Y), reg(c.Dst)
		return &c
	case *Intrinsic:
		c := *i
		c.Args, c.Dst = values(c.Args), regs(c.Dst)
		return &c
	case *Special:
		c := *i
		c.Dst = reg(c.Dst)
		return &c
	case *Addr:
		c := *i
		c.Dst = reg(c.Dst)
		return &c
	case *Index:
		c := *i
		c.Base, c.Index, c.Dst = value(c.Base), value(c.Index), reg(c.Dst)
		return &c
	case *Load:
		c := *i
		c.Addr, c.Dst = value(c.Addr), regs(c.Dst)
		return &c
	case *Store:
		c := *i
		c.Addr, c.Src = value(c.Addr), values(c.Src)
		return &c
	case *Atomic:
		c := *i
		c.Addr, c.X = value(c.Addr), value(c.X)
		if c.Op == AtomicCAS {
			c.Compare = value(c.Compare)
		}
		c.Dst = reg(c.Dst)
		return &c
	case *Barrier:
		c := *i
		if c.Kind != BarrierSync {
			c.X, c.Dst = value(c.X), reg(c.Dst)
		}
		return &c
	case *SyncWarp:
		c := *i
		c.Mask = value(c.Mask)
		return &c
	case *Shuffle:
		c := *i
		c.X, c.Lane, c.Width, c.Mask = value(c.X), value(c.Lane), value(c.Width), value(c.Mask)
		c.Dst, c.Valid = reg(c.Dst), reg(c.Valid)
		return &c
	case *Vote:
		c := *i
		c.X, c.Mask, c.Dst = value(c.X), value(c.Mask), reg(c.Dst)
		return &c
	case *ActiveMask:
		c := *i
		c.Dst = reg(c.Dst)
		return &c
	case *Match:
		c := *i
		c.X, c.Mask = value(c.X), value(c.Mask)
		c.Dst, c.Same = reg(c.Dst), reg(c.Same)
		return &c
	case *Reduce:
		c := *i
		c.X, c.Mask, c.Dst = value(c.X), value(c.Mask), reg(c.Dst)
		return &c
	case *If:
		c := *i
		c.Cond = value(c.Cond)
		return &c
	case *Loop:
		c := *i
		c.Test = value(c.Test)
		return &c
	case *Call:
		c := *i
		c.Args, c.Dst = values(c.Args), regs(c.Dst)
		return &c
	case *Return:
		c := *i
		c.Values = values(c.Values)
		return &c
	case *Printf:
		c := *i
		c.Args = make([]Printed, len(i.Args))
		for k, a := range i.Args {
			c.Args[k] = Printed{Type: a.Type, X: value(a.X)}
		}
		c.Dst = reg(c.Dst)
		return &c
	case *Assert:
		c := *i
		c.Cond = value(c.Cond)
		return &c
	}
	panic(fmt.Sprintf("BUG: %T is no instruction", in))
}
