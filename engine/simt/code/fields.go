package code

import "workbench/engine/simt/types"

// codec writes an instruction's fields as words, or reads them.
type codec interface {
	word(*string)
	text(*string)
	scalar(*types.Scalar)
	enum(*uint8, []string)
	reg(*Reg)
	regs(*[]Reg)
	value(*Value, types.Scalar)
	values(*[]Value, func(i int) types.Scalar)
	printed(*[]Printed)
	number(*int64)
	optional(*int64) // the last of a line, 0 if it is not there
	flag(*bool, string)
	variable(*int, Space)
	function(*int)
	typeOf(Reg) types.Scalar
	more(n int) bool // whether the line goes on: the writer has n left
	around() (*Program, *Function)
}

// keyword puts an instruction's name where the writer wants it; the reader has
// taken it already.
func keyword(c codec, name string) {
	if e, ok := c.(*encoder); ok {
		e.put(name)
	}
}

// fields is the order of an instruction's fields in the text, for both
// directions: one list cannot disagree with itself.
func fields(in Instr, c codec) {
	all := func(t types.Scalar) func(int) types.Scalar { return func(int) types.Scalar { return t } }
	switch i := in.(type) {
	case *Stmt:
		keyword(c, "stmt")
		scope := int64(i.Scope)
		c.optional(&scope)
		i.Scope = int(scope)
	case *Note:
		keyword(c, "note")
		for _, n := range []*int{&i.Up, &i.Var, &i.Leaf} {
			x := int64(*n)
			c.number(&x)
			*n = int(x)
		}
		c.scalar(&i.Type)
		c.flag(&i.Unset, "unset")
		c.flag(&i.Memory, "memory")
		if !i.Unset {
			c.value(&i.X, i.Type)
		}
	case *Enter:
		keyword(c, "enter")
		frame := int64(i.Frame)
		c.number(&frame)
		i.Frame = int(frame)
	case *Leave:
		keyword(c, "leave")
	case *Trap:
		keyword(c, "trap")
	case *If:
		keyword(c, "if")
	case *Loop:
		keyword(c, "loop")
	case *Region:
		keyword(c, "region")
	case *Undef:
		keyword(c, "undef")
		c.reg(&i.Dst)
	case *Begin:
		keyword(c, "begin")
		c.variable(&i.Local, Local)
	case *Move:
		keyword(c, "move")
		c.reg(&i.Dst)
		c.value(&i.X, c.typeOf(i.Dst))
	case *Unary:
		keyword(c, i.Op.String())
		c.scalar(&i.Type)
		c.reg(&i.Dst)
		c.value(&i.X, i.Type)
	case *Binary:
		keyword(c, i.Op.String())
		c.scalar(&i.Type)
		c.reg(&i.Dst)
		c.value(&i.X, i.Type)
		if i.Op == Shl || i.Op == Shr {
			c.value(&i.Y, types.U32)
		} else {
			c.value(&i.Y, i.Type)
		}
	case *MulAdd:
		keyword(c, mulAddName(i.NegProduct, i.NegAddend))
		c.scalar(&i.Type)
		c.reg(&i.Dst)
		c.value(&i.X, i.Type)
		c.value(&i.Y, i.Type)
		c.value(&i.Z, i.Type)
	case *FMA:
		keyword(c, "fma")
		c.scalar(&i.Type)
		c.reg(&i.Dst)
		c.value(&i.X, i.Type)
		c.value(&i.Y, i.Type)
		c.value(&i.Z, i.Type)
	case *Convert:
		if i.Round == Default {
			keyword(c, "convert")
		} else {
			keyword(c, "convert."+i.Round.String())
		}
		c.scalar(&i.To)
		c.scalar(&i.From)
		c.reg(&i.Dst)
		c.value(&i.X, i.From)
	case *Bits:
		keyword(c, "bits")
		c.scalar(&i.To)
		c.scalar(&i.From)
		c.reg(&i.Dst)
		c.value(&i.X, i.From)
	case *Compare:
		keyword(c, i.Op.String())
		c.scalar(&i.Type)
		c.reg(&i.Dst)
		c.value(&i.X, i.Type)
		c.value(&i.Y, i.Type)
	case *Select:
		keyword(c, "select")
		c.scalar(&i.Type)
		c.reg(&i.Dst)
		c.value(&i.Cond, types.Pred)
		c.value(&i.X, i.Type)
		c.value(&i.Y, i.Type)
	case *Intrinsic:
		keyword(c, "math")
		c.word(&i.Name)
		c.scalar(&i.Type)
		c.regs(&i.Dst)
		s := Intrinsics[i.Name]
		args := of(s.Args, i.Type)
		c.values(&i.Args, func(k int) types.Scalar {
			if k < len(args) {
				return args[k]
			}
			return types.U64
		})
	case *Special:
		keyword(c, "special")
		c.enum((*uint8)(&i.Which), specialNames[:])
		c.reg(&i.Dst)
	case *Addr:
		keyword(c, "addr")
		c.enum((*uint8)(&i.Space), spaceNames[:])
		c.reg(&i.Dst)
		c.variable(&i.Index, i.Space)
	case *Index:
		keyword(c, "index")
		c.scalar(&i.IndexType)
		c.reg(&i.Dst)
		c.value(&i.Base, types.Ptr)
		c.value(&i.Index, i.IndexType)
		c.number(&i.Scale)
		part := i.Len != 0
		c.flag(&part, "of")
		if part {
			c.number(&i.Len)
		}
		c.optional(&i.Offset)
	case *Load:
		keyword(c, "load")
		c.scalar(&i.Type)
		c.enum((*uint8)(&i.Space), spaceNames[:])
		c.regs(&i.Dst)
		c.value(&i.Addr, types.Ptr)
		c.flag(&i.Volatile, "volatile")
		c.optional(&i.Offset)
	case *Store:
		keyword(c, "store")
		c.scalar(&i.Type)
		c.enum((*uint8)(&i.Space), spaceNames[:])
		c.value(&i.Addr, types.Ptr)
		c.values(&i.Src, all(i.Type))
		c.flag(&i.Volatile, "volatile")
		c.optional(&i.Offset)
	case *Atomic:
		keyword(c, "atomic")
		c.enum((*uint8)(&i.Op), atomicNames[:])
		c.scalar(&i.Type)
		c.enum((*uint8)(&i.Space), spaceNames[:])
		c.enum((*uint8)(&i.Scope), scopeNames[:])
		c.reg(&i.Dst)
		c.value(&i.Addr, types.Ptr)
		c.value(&i.X, i.Type)
		if i.Op == AtomicCAS {
			c.value(&i.Compare, i.Type)
		}
		c.optional(&i.Offset)
	case *Fence:
		keyword(c, "fence")
		c.enum((*uint8)(&i.Scope), scopeNames[:])
	case *Barrier:
		keyword(c, "barrier")
		c.enum((*uint8)(&i.Kind), barrierNames[:])
		if i.Kind != BarrierSync {
			c.reg(&i.Dst)
			c.value(&i.X, types.Pred)
		}
	case *SyncWarp:
		keyword(c, "syncwarp")
		c.value(&i.Mask, types.U32)
	case *Shuffle:
		keyword(c, "shuffle")
		c.enum((*uint8)(&i.Kind), shuffleNames[:])
		c.scalar(&i.Type)
		c.reg(&i.Dst)
		c.reg(&i.Valid)
		c.value(&i.X, i.Type)
		c.value(&i.Lane, types.I32)
		c.value(&i.Width, types.I32)
		c.value(&i.Mask, types.U32)
	case *Vote:
		keyword(c, "vote")
		c.enum((*uint8)(&i.Kind), voteNames[:])
		c.reg(&i.Dst)
		c.value(&i.X, types.Pred)
		c.value(&i.Mask, types.U32)
	case *ActiveMask:
		keyword(c, "activemask")
		c.reg(&i.Dst)
	case *Match:
		if i.All {
			keyword(c, "match.all")
		} else {
			keyword(c, "match.any")
		}
		c.scalar(&i.Type)
		c.reg(&i.Dst)
		if i.All {
			c.reg(&i.Same)
		}
		c.value(&i.X, i.Type)
		c.value(&i.Mask, types.U32)
	case *Reduce:
		keyword(c, "reduce")
		c.enum((*uint8)(&i.Op), binaryNames[:])
		c.scalar(&i.Type)
		c.reg(&i.Dst)
		c.value(&i.X, i.Type)
		c.value(&i.Mask, types.U32)
	case *Break:
		keyword(c, "break")
		depth := int64(i.Depth)
		c.optional(&depth)
		i.Depth = int(depth)
	case *Continue:
		keyword(c, "continue")
		depth := int64(i.Depth)
		c.optional(&depth)
		i.Depth = int(depth)
	case *Call:
		keyword(c, "call")
		c.function(&i.Function)
		c.regs(&i.Dst)
		program, _ := c.around()
		c.values(&i.Args, argTypes(program, i.Function))
	case *Return:
		keyword(c, "return")
		_, f := c.around()
		if c.more(len(i.Values)) {
			c.values(&i.Values, resultTypes(f))
		}
	case *Printf:
		keyword(c, "printf")
		c.reg(&i.Dst)
		c.text(&i.Format)
		c.printed(&i.Args)
	case *Assert:
		keyword(c, "assert")
		c.value(&i.Cond, types.Pred)
		c.text(&i.Text)
		c.text(&i.Function)
	}
}

func mulAddName(negProduct, negAddend bool) string {
	switch {
	case negProduct && negAddend:
		return "negmulsub"
	case negProduct:
		return "negmuladd"
	case negAddend:
		return "mulsub"
	}
	return "muladd"
}

// argTypes returns the types of the parameters of function n.
func argTypes(p *Program, n int) func(int) types.Scalar {
	return func(k int) types.Scalar {
		if n >= 0 && n < len(p.Functions) && k < len(p.Functions[n].Params) {
			return p.Functions[n].Params[k].Type
		}
		return types.U64
	}
}

// resultTypes returns the types that f returns.
func resultTypes(f *Function) func(int) types.Scalar {
	return func(k int) types.Scalar {
		if k < len(f.Results) {
			return f.Results[k]
		}
		return types.U64
	}
}

// blank returns a new instruction of that name, with what the name says.
func blank(name string) Instr {
	for op := range unaryNames {
		if unaryNames[op] == name {
			return &Unary{Op: UnaryOp(op)}
		}
	}
	for op := range binaryNames {
		if binaryNames[op] == name {
			return &Binary{Op: BinaryOp(op)}
		}
	}
	for op := range compareNames {
		if compareNames[op] == name {
			return &Compare{Op: CompareOp(op)}
		}
	}
	switch name {
	case "stmt":
		return &Stmt{}
	case "note":
		return &Note{}
	case "enter":
		return &Enter{}
	case "leave":
		return &Leave{}
	case "trap":
		return &Trap{}
	case "undef":
		return &Undef{}
	case "begin":
		return &Begin{}
	case "move":
		return &Move{}
	case "muladd":
		return &MulAdd{}
	case "mulsub":
		return &MulAdd{NegAddend: true}
	case "negmuladd":
		return &MulAdd{NegProduct: true}
	case "negmulsub":
		return &MulAdd{NegProduct: true, NegAddend: true}
	case "fma":
		return &FMA{}
	case "convert":
		return &Convert{}
	case "convert.rn":
		return &Convert{Round: ToNearest}
	case "convert.rz":
		return &Convert{Round: ToZero}
	case "convert.rd":
		return &Convert{Round: Down}
	case "convert.ru":
		return &Convert{Round: Up}
	case "bits":
		return &Bits{}
	case "select":
		return &Select{}
	case "math":
		return &Intrinsic{}
	case "special":
		return &Special{}
	case "addr":
		return &Addr{}
	case "index":
		return &Index{}
	case "load":
		return &Load{}
	case "store":
		return &Store{}
	case "atomic":
		return &Atomic{}
	case "fence":
		return &Fence{}
	case "barrier":
		return &Barrier{}
	case "syncwarp":
		return &SyncWarp{}
	case "shuffle":
		return &Shuffle{}
	case "vote":
		return &Vote{}
	case "activemask":
		return &ActiveMask{}
	case "match.any":
		return &Match{}
	case "match.all":
		return &Match{All: true}
	case "reduce":
		return &Reduce{}
	case "break":
		return &Break{}
	case "continue":
		return &Continue{}
	case "call":
		return &Call{}
	case "return":
		return &Return{}
	case "printf":
		return &Printf{}
	case "assert":
		return &Assert{}
	}
	return nil
}
