package run

import (
	"fmt"

	"workbench/engine/simt/code"
)

// operands returns what an instruction reads and which registers it writes,
// those of the blocks within it not included.
func operands(in code.Instr) (values []code.Value, dst []code.Reg) {
	rename(in, func(x code.Value) code.Value {
		values = append(values, x)
		return x
	}, func(r code.Reg) code.Reg {
		if r != 0 {
			dst = append(dst, r)
		}
		return r
	})
	return values, dst
}

// rename returns a copy of an instruction with other operands. If, Loop and
// Region keep their blocks. A fusion of reading and writing: to rename, see
// every operand, with one list of where they are.
func rename(in code.Instr, value func(code.Value) code.Value, reg func(code.Reg) code.Reg) code.Instr {
	values := func(list []code.Value) []code.Value {
		if list == nil {
			return nil
		}
		out := make([]code.Value, len(list))
		for k := range list {
			out[k] = value(list[k])
		}
		return out
	}
	regs := func(list []code.Reg) []code.Reg {
		if list == nil {
			return nil
		}
		out := make([]code.Reg, len(list))
		for k := range list {
			out[k] = reg(list[k])
		}
		return out
	}
	switch i := in.(type) {
	case *code.Stmt, *code.Begin, *code.Fence, *code.Trap, *code.Break, *code.Continue, *code.Region:
		return in
	case *code.Undef:
		c := *i
		c.Dst = reg(c.Dst)
		return &c
	case *code.Move:
		c := *i
		c.X, c.Dst = value(c.X), reg(c.Dst)
		return &c
	case *code.Unary:
		c := *i
		c.X, c.Dst = value(c.X), reg(c.Dst)
		return &c
	case *code.Binary:
		c := *i
		c.X, c.Y, c.Dst = value(c.X), value(c.Y), reg(c.Dst)
		return &c
	case *code.MulAdd:
		c := *i
		c.X, c.Y, c.Z, c.Dst = value(c.X), value(c.Y), value(c.Z), reg(c.Dst)
		return &c
	case *code.FMA:
		c := *i
		c.X, c.Y, c.Z, c.Dst = value(c.X), value(c.Y), value(c.Z), reg(c.Dst)
		return &c
	case *code.Convert:
		c := *i
		c.X, c.Dst = value(c.X), reg(c.Dst)
		return &c
	case *code.Bits:
		c := *i
		c.X, c.Dst = value(c.X), reg(c.Dst)
		return &c
	case *code.Compare:
		c := *i
		c.X, c.Y, c.Dst = value(c.X), value(c.Y), reg(c.Dst)
		return &c
	case *code.Select:
		c := *i
		c.Cond, c.X, c.Y, c.Dst = value(c.Cond), value(c.X), value(c.Y), reg(c.Dst)
		return &c
	case *code.Intrinsic:
		c := *i
		c.Args, c.Dst = values(c.Args), regs(c.Dst)
		return &c
	case *code.Special:
		c := *i
		c.Dst = reg(c.Dst)
		return &c
	case *code.Addr:
		c := *i
		c.Dst = reg(c.Dst)
		return &c
	case *code.Index:
		c := *i
		c.Base, c.Index, c.Dst = value(c.Base), value(c.Index), reg(c.Dst)
		return &c
	case *code.Load:
		c := *i
		c.Addr, c.Dst = value(c.Addr), regs(c.Dst)
		return &c
	case *code.Store:
		c := *i
		c.Addr, c.Src = value(c.Addr), values(c.Src)
		return &c
	case *code.Atomic:
		c := *i
		c.Addr, c.X = value(c.Addr), value(c.X)
		if c.Op == code.AtomicCAS {
			c.Compare = value(c.Compare)
		}
		c.Dst = reg(c.Dst)
		return &c
	case *code.Barrier:
		c := *i
		if c.Kind != code.BarrierSync {
			c.X, c.Dst = value(c.X), reg(c.Dst)
		}
		return &c
	case *code.SyncWarp:
		c := *i
		c.Mask = value(c.Mask)
		return &c
	case *code.Shuffle:
		c := *i
		c.X, c.Lane, c.Width, c.Mask = value(c.X), value(c.Lane), value(c.Width), value(c.Mask)
		c.Dst, c.Valid = reg(c.Dst), reg(c.Valid)
		return &c
	case *code.Vote:
		c := *i
		c.X, c.Mask, c.Dst = value(c.X), value(c.Mask), reg(c.Dst)
		return &c
	case *code.ActiveMask:
		c := *i
		c.Dst = reg(c.Dst)
		return &c
	case *code.Match:
		c := *i
		c.X, c.Mask = value(c.X), value(c.Mask)
		c.Dst, c.Same = reg(c.Dst), reg(c.Same)
		return &c
	case *code.Reduce:
		c := *i
		c.X, c.Mask, c.Dst = value(c.X), value(c.Mask), reg(c.Dst)
		return &c
	case *code.If:
		c := *i
		c.Cond = value(c.Cond)
		return &c
	case *code.Loop:
		c := *i
		c.Test = value(c.Test)
		return &c
	case *code.Call:
		c := *i
		c.Args, c.Dst = values(c.Args), regs(c.Dst)
		return &c
	case *code.Return:
		c := *i
		c.Values = values(c.Values)
		return &c
	case *code.Printf:
		c := *i
		c.Args = make([]code.Printed, len(i.Args))
		for k, a := range i.Args {
			c.Args[k] = code.Printed{Type: a.Type, X: value(a.X)}
		}
		c.Dst = reg(c.Dst)
		return &c
	case *code.Assert:
		c := *i
		c.Cond = value(c.Cond)
		return &c
	}
	panic(fmt.Sprintf("BUG: %T is not known to the interpreter", in))
}
