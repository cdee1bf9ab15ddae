package code

import "fmt"

// Operands returns what an instruction reads and which registers it writes,
// those of the blocks within it not included.
func Operands(in Instr) (values []Value, dst []Reg) {
	Rename(in, func(x Value) Value {
		values = append(values, x)
		return x
	}, func(r Reg) Reg {
		if r != 0 {
			dst = append(dst, r)
		}
		return r
	})
	return values, dst
}

// Rename returns a copy of an instruction with other operands. If, Loop and
// Region keep their blocks. A fusion of reading and writing: to rename, see
// every operand, with one list of where they are.
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
