package code

import (
	"fmt"
	"slices"

	"workbench/engine/simt/types"
)

// A VerifyError is a program that breaks a rule of this package: a mistake of
// what made it, never of the source's author.
type VerifyError struct {
	Function string
	At       Position
	Instr    string // as text
	Reason   string
}

func (e *VerifyError) Error() string {
	where := e.Function
	if e.At.Line > 0 {
		where += " at " + e.At.String()
	}
	if e.Instr != "" {
		return fmt.Sprintf("register code of %s: %s: %s", where, e.Instr, e.Reason)
	}
	return fmt.Sprintf("register code of %s: %s", where, e.Reason)
}

// Verify returns the first rule of this package that p breaks, as a
// *VerifyError: types that do not fit, operands that do not exist, control that
// leads nowhere.
func Verify(p *Program) error {
	v := verifier{program: p}
	for _, list := range [][]*Variable{p.Globals, p.Constants, p.Shared} {
		for _, x := range list {
			v.variable(x)
		}
	}
	for _, f := range p.Functions {
		v.function(f)
	}
	if v.err != nil {
		return v.err
	}
	return nil
}

// maxNesting bounds how deep blocks lie in one another.
const maxNesting = 1000

type verifier struct {
	program *Program
	f       *Function
	in      Instr
	loops   []bool // the constructs that Break counts, innermost last: whether Continue may name it
	nesting int
	err     *VerifyError
}

func (v *verifier) fail(format string, args ...any) {
	if v.err != nil {
		return
	}
	e := &VerifyError{Function: "the program", Reason: fmt.Sprintf(format, args...)}
	if v.f != nil {
		e.Function = v.f.Name
		e.At = v.program.Position(v.f.Pos)
	}
	if v.in != nil {
		e.At = v.program.Position(v.in.Position())
		e.Instr = instrText(v.program, v.f, v.in)
	}
	v.err = e
}

func (v *verifier) variable(x *Variable) {
	switch {
	case x == nil:
		v.fail("a variable is nil")
	case x.Size < 0 || x.Size > 1<<38:
		v.fail("variable %s has %d bytes", x.Name, x.Size)
	case x.Align < 1 || x.Align&(x.Align-1) != 0:
		v.fail("variable %s is aligned to %d, which is no power of two", x.Name, x.Align)
	case int64(len(x.Init)) > x.Size:
		v.fail("variable %s has %d initial bytes and room for %d", x.Name, len(x.Init), x.Size)
	}
}

func (v *verifier) function(f *Function) {
	v.f, v.in = f, nil
	defer func() { v.f, v.in = nil, nil }()
	if len(f.Regs) == 0 {
		if len(f.Body) > 0 || len(f.Params) > 0 {
			v.fail("there is no Regs[0], which stands for no register")
		}
		return
	}
	for i, r := range f.Regs {
		if i > 0 && (r.Type == types.Void || r.Type > types.Ptr) {
			v.fail("register %d has type %v", i, r.Type)
		}
	}
	for _, x := range f.Locals {
		v.variable(x)
	}
	if f.Kernel && len(f.Results) > 0 {
		v.fail("a kernel returns nothing")
	}
	for i, p := range f.Params {
		if p.Reg != 0 || !f.Kernel {
			v.reg(p.Reg, p.Type)
		}
		if f.Kernel && (p.Size < 0 || p.Align < 1 || p.Align&(p.Align-1) != 0) {
			v.fail("parameter %d has %d bytes, aligned to %d", i, p.Size, p.Align)
		}
		if f.Kernel && p.Reg != 0 && p.Size != p.Type.Size() && p.Type != types.Pred {
			v.fail("parameter %d has %d bytes and a register of type %v", i, p.Size, p.Type)
		}
	}
	v.block(f.Body)
	v.in = nil
	if len(f.Results) > 0 && !ends(f.Body) {
		v.fail("its end is reached without a Return")
	}
}

// ends reports whether control cannot leave b at its end.
func ends(b Block) bool {
	if len(b) == 0 {
		return false
	}
	switch i := b[len(b)-1].(type) {
	case *Return, *Break, *Continue, *Trap:
		return true
	case *If:
		return i.Else != nil && ends(i.Then) && ends(i.Else)
	case *Loop:
		return i.Test == True && !breaks(i.Body, 0) && !breaks(i.Step, 0)
	case *Region:
		return ends(i.Body) && !breaks(i.Body, 0)
	}
	return false
}

// breaks reports whether b has a Break of that depth.
func breaks(b Block, depth int) bool {
	for _, in := range b {
		found := false
		switch i := in.(type) {
		case *Break:
			found = i.Depth == depth
		case *If:
			found = breaks(i.Then, depth) || breaks(i.Else, depth)
		case *Loop:
			found = breaks(i.Cond, depth+1) || breaks(i.Body, depth+1) || breaks(i.Step, depth+1)
		case *Region:
			found = breaks(i.Body, depth+1)
		}
		if found {
			return true
		}
	}
	return false
}

// reg holds a register that is written against its type.
func (v *verifier) reg(r Reg, t types.Scalar) {
	switch {
	case r < 1 || int(r) >= len(v.f.Regs):
		v.fail("register %d does not exist", r)
	case v.f.Regs[r].Type != t:
		v.fail("%s is %v where %v is needed", regName(v.f, r), v.f.Regs[r].Type, t)
	}
}

// optional is reg for one that may be 0.
func (v *verifier) optional(r Reg, t types.Scalar) {
	if r != 0 {
		v.reg(r, t)
	}
}

// value holds an operand against its type.
func (v *verifier) value(x Value, t types.Scalar) {
	if x.Reg != 0 {
		v.reg(x.Reg, t)
		return
	}
	bits := x.Bits
	if t == types.Pred {
		if bits > 1 {
			v.fail("constant %d is no pred", bits)
		}
		return
	}
	if t.Integer() || t == types.Ptr {
		if Int(t, int64(bits)).Bits != bits {
			v.fail("constant %#x is not as wide as %v", bits, t)
		}
		return
	}
	if t.Size() < 8 && bits>>(8*t.Size()) != 0 {
		v.fail("constant %#x is not as wide as %v", bits, t)
	}
}

func (v *verifier) oneOf(t types.Scalar, allowed ...types.Scalar) {
	if !slices.Contains(allowed, t) {
		v.fail("it has no form for %v", t)
	}
}

func wide(t types.Scalar) bool {
	return t == types.I32 || t == types.U32 || t == types.I64 || t == types.U64
}

func (v *verifier) block(b Block) {
	v.nesting++
	defer func() { v.nesting-- }()
	if v.nesting > maxNesting {
		v.fail("blocks are more than %d deep", maxNesting)
		return
	}
	for _, in := range b {
		if v.err != nil {
			return
		}
		v.in = in
		v.instr(in)
	}
}

func (v *verifier) instr(in Instr) {
	switch i := in.(type) {
	case *Stmt, *Trap, *Enter, *Leave:
	case *Note:
		if i.Type == types.Void || i.Type > types.Ptr || i.Memory && i.Type != types.Ptr || i.Up < 0 || i.Var < 0 || i.Leaf < 0 {
			v.fail("it says nothing")
		}
		if !i.Unset {
			v.value(i.X, i.Type)
		}
	case *Undef:
		if i.Dst < 1 || int(i.Dst) >= len(v.f.Regs) {
			v.fail("register %d does not exist", i.Dst)
		}
	case *Begin:
		if i.Local < 0 || i.Local >= len(v.f.Locals) {
			v.fail("there is no local variable %d", i.Local)
		}
	case *Move:
		if i.Dst < 1 || int(i.Dst) >= len(v.f.Regs) {
			v.fail("register %d does not exist", i.Dst)
			return
		}
		v.value(i.X, v.f.Regs[i.Dst].Type)
	case *Unary:
		ok := false
		switch i.Op {
		case Neg:
			ok = wide(i.Type) || i.Type.Float()
		case Not:
			ok = wide(i.Type) || i.Type == types.Pred
		case Abs:
			ok = i.Type == types.I32 || i.Type == types.I64 || i.Type.Float()
		}
		if !ok {
			v.fail("it has no form for %v", i.Type)
		}
		v.reg(i.Dst, i.Type)
		v.value(i.X, i.Type)
	case *Binary:
		ok := false
		switch i.Op {
		case Add, Sub, Mul, Div, Min, Max:
			ok = wide(i.Type) || i.Type.Float()
		case Rem, Shl, Shr, MulHi:
			ok = wide(i.Type)
		case And, Or, Xor:
			ok = wide(i.Type) || i.Type == types.Pred
		}
		if !ok {
			v.fail("it has no form for %v", i.Type)
		}
		v.reg(i.Dst, i.Type)
		v.value(i.X, i.Type)
		if i.Op == Shl || i.Op == Shr {
			v.value(i.Y, types.U32)
		} else {
			v.value(i.Y, i.Type)
		}
	case *MulAdd:
		if !i.Type.Float() {
			v.fail("it has no form for %v", i.Type)
		}
		v.reg(i.Dst, i.Type)
		v.value(i.X, i.Type)
		v.value(i.Y, i.Type)
		v.value(i.Z, i.Type)
	case *FMA:
		if !i.Type.Float() {
			v.fail("it has no form for %v", i.Type)
		}
		v.reg(i.Dst, i.Type)
		v.value(i.X, i.Type)
		v.value(i.Y, i.Type)
		v.value(i.Z, i.Type)
	case *Convert:
		v.convert(i)
	case *Bits:
		if i.To.Size() != i.From.Size() || i.To.Size() == 0 {
			v.fail("%v and %v are not as wide", i.To, i.From)
		}
		v.reg(i.Dst, i.To)
		v.value(i.X, i.From)
	case *Compare:
		if i.Type == types.Pred && i.Op != EQ && i.Op != NE || i.Type != types.Pred && !wide(i.Type) && !i.Type.Float() && i.Type != types.Ptr {
			v.fail("it has no form for %v", i.Type)
		}
		v.reg(i.Dst, types.Pred)
		v.value(i.X, i.Type)
		v.value(i.Y, i.Type)
	case *Select:
		v.reg(i.Dst, i.Type)
		v.value(i.Cond, types.Pred)
		v.value(i.X, i.Type)
		v.value(i.Y, i.Type)
	case *Intrinsic:
		v.intrinsic(i)
	case *Special:
		if int(i.Which) >= len(specialNames) {
			v.fail("there is no such special register")
		}
		v.reg(i.Dst, i.Which.Type())
	case *Addr:
		v.addr(i)
	case *Index:
		if i.Len < 0 {
			v.fail("an array has no %d elements", i.Len)
		}
		if !wide(i.IndexType) {
			v.fail("an index is no %v", i.IndexType)
		}
		v.reg(i.Dst, types.Ptr)
		v.value(i.Base, types.Ptr)
		v.value(i.Index, i.IndexType)
	case *Load:
		v.access(i.Type, i.Space, len(i.Dst), i.Addr)
		for _, r := range i.Dst {
			v.optional(r, i.Type)
		}
	case *Store:
		v.access(i.Type, i.Space, len(i.Src), i.Addr)
		if i.Space == Constant || i.Space == Parameter {
			v.fail("%v memory is read only", i.Space)
		}
		for _, x := range i.Src {
			v.value(x, i.Type)
		}
	case *Atomic:
		v.atomic(i)
	case *Fence:
	case *Barrier:
		if i.Kind == BarrierSync {
			if i.Dst != 0 {
				v.fail("a plain barrier returns nothing")
			}
			return
		}
		v.value(i.X, types.Pred)
		v.optional(i.Dst, types.I32)
	case *SyncWarp:
		v.value(i.Mask, types.U32)
	case *Shuffle:
		v.oneOf(i.Type, types.I32, types.U32, types.I64, types.U64, types.F16, types.BF16, types.F32, types.F64)
		v.reg(i.Dst, i.Type)
		v.optional(i.Valid, types.Pred)
		v.value(i.X, i.Type)
		v.value(i.Lane, types.I32)
		v.value(i.Width, types.I32)
		v.value(i.Mask, types.U32)
	case *Vote:
		v.value(i.X, types.Pred)
		v.value(i.Mask, types.U32)
		if i.Kind == VoteBallot {
			v.reg(i.Dst, types.U32)
		} else {
			v.reg(i.Dst, types.Pred)
		}
	case *ActiveMask:
		v.reg(i.Dst, types.U32)
	case *Match:
		v.oneOf(i.Type, types.I32, types.U32, types.I64, types.U64, types.F32, types.F64)
		v.reg(i.Dst, types.U32)
		v.optional(i.Same, types.Pred)
		if i.Same != 0 && !i.All {
			v.fail("only a match of all says whether it is one")
		}
		v.value(i.X, i.Type)
		v.value(i.Mask, types.U32)
	case *Reduce:
		switch i.Op {
		case Add, Min, Max:
			v.oneOf(i.Type, types.I32, types.U32)
		case And, Or, Xor:
			v.oneOf(i.Type, types.U32)
		default:
			v.fail("a warp does not reduce by %v", i.Op)
		}
		v.reg(i.Dst, i.Type)
		v.value(i.X, i.Type)
		v.value(i.Mask, types.U32)
	case *If:
		v.value(i.Cond, types.Pred)
		v.block(i.Then)
		v.block(i.Else)
	case *Loop:
		v.value(i.Test, types.Pred)
		v.loops = append(v.loops, false)
		v.block(i.Cond)
		v.loops[len(v.loops)-1] = true
		v.block(i.Body)
		v.loops[len(v.loops)-1] = false
		v.block(i.Step)
		v.loops = v.loops[:len(v.loops)-1]
	case *Region:
		v.loops = append(v.loops, false)
		v.block(i.Body)
		v.loops = v.loops[:len(v.loops)-1]
	case *Break:
		if i.Depth < 0 || i.Depth >= len(v.loops) {
			v.fail("there is nothing to leave")
		}
	case *Continue:
		if i.Depth < 0 || i.Depth >= len(v.loops) || !v.loops[len(v.loops)-1-i.Depth] {
			v.fail("there is no loop's body to continue")
		}
	case *Call:
		v.call(i)
	case *Return:
		if len(i.Values) != len(v.f.Results) {
			v.fail("%d values are returned where there are %d", len(i.Values), len(v.f.Results))
			return
		}
		for k, x := range i.Values {
			v.value(x, v.f.Results[k])
		}
	case *Printf:
		for _, a := range i.Args {
			v.oneOf(a.Type, types.I32, types.U32, types.I64, types.U64, types.F64, types.Ptr)
			v.value(a.X, a.Type)
		}
		v.optional(i.Dst, types.I32)
	case *Assert:
		v.value(i.Cond, types.Pred)
	default:
		v.fail("%T is no instruction", in)
	}
}

func (v *verifier) convert(i *Convert) {
	v.reg(i.Dst, i.To)
	v.value(i.X, i.From)
	if i.To == types.Ptr && i.From != types.Ptr && i.From != types.I64 && i.From != types.U64 ||
		i.From == types.Ptr && i.To != types.Ptr && i.To != types.I64 && i.To != types.U64 && i.To != types.Pred {
		v.fail("a pointer is not converted between %v and %v", i.From, i.To)
	}
	// Directions make sense where something is lost.
	rounds := i.From.Float() && (i.To.Integer() || i.To.Float()) || i.From.Integer() && i.To.Float()
	if i.Round != Default && !rounds || int(i.Round) >= len(roundingNames) {
		v.fail("there is nothing to round")
	}
}

func (v *verifier) intrinsic(i *Intrinsic) {
	s, ok := Intrinsics[i.Name]
	if !ok {
		v.fail("there is no such function")
		return
	}
	v.oneOf(i.Type, s.Types...)
	args, results := of(s.Args, i.Type), of(s.Results, i.Type)
	if len(i.Args) != len(args) || len(i.Dst) != len(results) {
		v.fail("it takes %d values and gives %d", len(args), len(results))
		return
	}
	for k, x := range i.Args {
		v.value(x, args[k])
	}
	for k, r := range i.Dst {
		v.optional(r, results[k])
	}
}

func (v *verifier) addr(i *Addr) {
	v.reg(i.Dst, types.Ptr)
	n := 0
	switch i.Space {
	case Global:
		n = len(v.program.Globals)
	case Constant:
		n = len(v.program.Constants)
	case Shared:
		n = len(v.program.Shared)
	case Local:
		n = len(v.f.Locals)
	case Parameter:
		if v.f.Kernel {
			n = len(v.f.Params)
		}
	}
	if i.Index < 0 || i.Index >= n {
		v.fail("there is no variable %d in %v memory", i.Index, i.Space)
	}
}

func (v *verifier) access(t types.Scalar, s Space, count int, addr Value) {
	if t.Size() == 0 {
		v.fail("there is no %v in memory", t)
		return
	}
	if int(s) >= len(spaceNames) {
		v.fail("there is no such space")
	}
	switch count {
	case 1, 2, 4, 8, 16:
	default:
		v.fail("an access is of a power of two of elements, not of %d", count)
	}
	if t.Size()*count > 16 {
		v.fail("%d elements of %v are wider than an access can be", count, t)
	}
	v.value(addr, types.Ptr)
}

func (v *verifier) atomic(i *Atomic) {
	ok := wide(i.Type)
	switch i.Op {
	case AtomicAdd:
		ok = ok || i.Type.Float()
	case AtomicExchange, AtomicCAS:
		ok = ok || i.Type == types.F32 || i.Type == types.F64 || i.Type == types.U16
	case AtomicInc, AtomicDec:
		ok = i.Type == types.U32
	}
	if !ok || int(i.Op) >= len(atomicNames) {
		v.fail("it has no form for %v", i.Type)
	}
	if i.Space != Generic && i.Space != Global && i.Space != Shared {
		v.fail("there are no atomics in %v memory", i.Space)
	}
	v.optional(i.Dst, i.Type)
	v.value(i.Addr, types.Ptr)
	v.value(i.X, i.Type)
	if i.Op == AtomicCAS {
		v.value(i.Compare, i.Type)
	}
}

func (v *verifier) call(i *Call) {
	if i.Function < 0 || i.Function >= len(v.program.Functions) {
		v.fail("there is no function %d", i.Function)
		return
	}
	f := v.program.Functions[i.Function]
	if f.Kernel {
		v.fail("a kernel is launched, not called")
	}
	if len(i.Args) != len(f.Params) || len(i.Dst) != len(f.Results) {
		v.fail("%s takes %d values and gives %d", f.Name, len(f.Params), len(f.Results))
		return
	}
	for k, x := range i.Args {
		v.value(x, f.Params[k].Type)
	}
	for k, r := range i.Dst {
		v.optional(r, f.Results[k])
	}
}
