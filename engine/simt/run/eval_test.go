package run_test

import (
	"encoding/binary"
	"fmt"
	"math"

	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

// A thread evaluates register code for one thread alone, in the plainest way:
// no masks, no warps, no analysis. What the interpreter computes is held against
// it.
type thread struct {
	program *code.Program
	tid     uint32
	ctaid   uint32
	ntid    uint32
	params  []uint64
	out     []byte // global memory that pointers of the first parameter index, as offsets
	fused   bool
	steps   int
}

type flow struct {
	kind  int // 0 on, 1 break, 2 continue, 3 return
	depth int
}

type activation struct {
	*thread
	f       *code.Function
	regs    []uint64
	locals  [][]byte
	results []uint64
}

func (t *thread) kernel(f *code.Function) {
	a := t.enter(f)
	for i, p := range f.Params {
		if p.Reg != 0 {
			a.regs[p.Reg] = t.params[i]
		}
	}
	a.block(f.Body)
}

func (t *thread) enter(f *code.Function) *activation {
	a := &activation{thread: t, f: f, regs: make([]uint64, len(f.Regs))}
	for _, x := range f.Locals {
		b := make([]byte, x.Size)
		for i := range b {
			b[i] = 0xff
		}
		a.locals = append(a.locals, b)
	}
	return a
}

// localBase tells pointers into local variables from offsets of out.
const localBase = 1 << 50

func (a *activation) memory(p uint64) []byte {
	if p >= localBase {
		return a.locals[p>>32&0xff][uint32(p):]
	}
	return a.out[p:]
}

func (a *activation) val(x code.Value) uint64 {
	if x.Reg != 0 {
		return a.regs[x.Reg]
	}
	return x.Bits
}

// set keeps a value as its type has it: in as many bits, extended by its sign.
func (a *activation) set(r code.Reg, x uint64) {
	if r != 0 {
		a.regs[r] = norm(a.f.Regs[r].Type, x)
	}
}

func norm(t types.Scalar, x uint64) uint64 {
	switch t {
	case types.Pred:
		return x & 1
	case types.I8:
		return uint64(int8(x))
	case types.I16:
		return uint64(int16(x))
	case types.I32:
		return uint64(int32(x))
	}
	if n := t.Bits(); n < 64 {
		return x & (1<<n - 1)
	}
	return x
}

func (a *activation) block(b code.Block) flow {
	for _, in := range b {
		if f := a.instr(in); f.kind != 0 {
			return f
		}
	}
	return flow{}
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (a *activation) instr(in code.Instr) flow {
	a.steps++
	switch i := in.(type) {
	case *code.Stmt, *code.Undef, *code.Begin, *code.Note, *code.Enter, *code.Leave:
	case *code.Move:
		a.set(i.Dst, a.val(i.X))
	case *code.Unary:
		x := a.val(i.X)
		switch i.Op {
		case code.Neg:
			if i.Type.Float() {
				x ^= 1 << (i.Type.Bits() - 1)
			} else {
				x = -x
			}
		case code.Not:
			x = ^x
		case code.Abs:
			if i.Type.Float() {
				x &^= 1 << (i.Type.Bits() - 1)
			} else if int64(x) < 0 {
				x = -x
			}
		}
		a.set(i.Dst, x)
	case *code.Binary:
		a.set(i.Dst, evalBinary(i.Op, i.Type, a.val(i.X), a.val(i.Y)))
	case *code.MulAdd:
		x, y, z := a.val(i.X), a.val(i.Y), a.val(i.Z)
		if i.NegProduct {
			x ^= 1 << (i.Type.Bits() - 1)
		}
		if i.NegAddend {
			z ^= 1 << (i.Type.Bits() - 1)
		}
		if a.fused {
			a.set(i.Dst, evalFMA(i.Type, x, y, z))
		} else {
			a.set(i.Dst, evalBinary(code.Add, i.Type, evalBinary(code.Mul, i.Type, x, y), z))
		}
	case *code.FMA:
		a.set(i.Dst, evalFMA(i.Type, a.val(i.X), a.val(i.Y), a.val(i.Z)))
	case *code.Convert:
		a.set(i.Dst, evalConvert(i.To, i.From, a.val(i.X)))
	case *code.Bits:
		a.set(i.Dst, a.val(i.X))
	case *code.Compare:
		a.set(i.Dst, flag(evalCompare(i.Op, i.Type, a.val(i.X), a.val(i.Y))))
	case *code.Select:
		if a.val(i.Cond) != 0 {
			a.set(i.Dst, a.val(i.X))
		} else {
			a.set(i.Dst, a.val(i.Y))
		}
	case *code.Special:
		switch i.Which {
		case code.ThreadX:
			a.set(i.Dst, uint64(a.tid))
		case code.BlockX:
			a.set(i.Dst, uint64(a.ctaid))
		case code.BlockDimX:
			a.set(i.Dst, uint64(a.ntid))
		case code.LaneID:
			a.set(i.Dst, uint64(a.tid%32))
		default:
			panic("special")
		}
	case *code.Addr:
		a.set(i.Dst, localBase+uint64(i.Index)<<32)
	case *code.Index:
		n := a.val(i.Index)
		a.set(i.Dst, a.val(i.Base)+n*uint64(i.Scale)+uint64(i.Offset))
	case *code.Load:
		m := a.memory(a.val(i.Addr) + uint64(i.Offset))
		size := i.Type.Size()
		var got []uint64
		for k := range i.Dst {
			var b [8]byte
			copy(b[:size], m[k*size:])
			got = append(got, binary.LittleEndian.Uint64(b[:]))
		}
		for k, r := range i.Dst {
			a.set(r, got[k])
		}
	case *code.Store:
		m := a.memory(a.val(i.Addr) + uint64(i.Offset))
		size := i.Type.Size()
		for k, x := range i.Src {
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], a.val(x))
			copy(m[k*size:], b[:size])
		}
	case *code.If:
		if a.val(i.Cond) != 0 {
			return a.block(i.Then)
		}
		return a.block(i.Else)
	case *code.Loop:
		for {
			if f := a.block(i.Cond); f.kind != 0 {
				return f.leave()
			}
			if a.val(i.Test) == 0 {
				return flow{}
			}
			if f := a.block(i.Body); f.kind != 0 && !(f.kind == 2 && f.depth == 0) {
				return f.leave()
			}
			if f := a.block(i.Step); f.kind != 0 {
				return f.leave()
			}
		}
	case *code.Region:
		if f := a.block(i.Body); f.kind != 0 {
			return f.leave()
		}
	case *code.Break:
		return flow{1, i.Depth}
	case *code.Continue:
		return flow{2, i.Depth}
	case *code.Return:
		for _, x := range i.Values {
			a.results = append(a.results, a.val(x))
		}
		return flow{kind: 3}
	case *code.Call:
		f := a.program.Functions[i.Function]
		c := a.enter(f)
		for k, x := range i.Args {
			c.set(f.Params[k].Reg, a.val(x))
		}
		c.block(f.Body)
		a.steps = c.steps
		for k, r := range i.Dst {
			a.set(r, c.results[k])
		}
	default:
		panic(fmt.Sprintf("%T", in))
	}
	return flow{}
}

// leave is what a construct makes of what left its body.
func (f flow) leave() flow {
	switch {
	case f.kind == 1 && f.depth == 0:
		return flow{}
	case f.kind == 1 || f.kind == 2:
		f.depth--
	}
	return f
}

func pattern32(x float32) uint64 {
	if x != x {
		return 0x7fffffff
	}
	return uint64(math.Float32bits(x))
}

func pattern64(x float64) uint64 {
	if x != x {
		return 0xfff8000000000000
	}
	return math.Float64bits(x)
}

func evalBinary(op code.BinaryOp, t types.Scalar, x, y uint64) uint64 {
	switch t {
	case types.Pred:
		switch op {
		case code.And:
			return x & y
		case code.Or:
			return x | y
		}
		return x ^ y
	case types.F32:
		a, b := math.Float32frombits(uint32(x)), math.Float32frombits(uint32(y))
		switch op {
		case code.Add:
			return pattern32(a + b)
		case code.Sub:
			return pattern32(a - b)
		case code.Mul:
			return pattern32(float32(a * b))
		case code.Div:
			return pattern32(a / b)
		case code.Min:
			return pattern32(float32(fmin(float64(a), float64(b))))
		case code.Max:
			return pattern32(float32(-fmin(-float64(a), -float64(b))))
		}
	case types.F64:
		a, b := math.Float64frombits(x), math.Float64frombits(y)
		switch op {
		case code.Add:
			return pattern64(a + b)
		case code.Sub:
			return pattern64(a - b)
		case code.Mul:
			return pattern64(float64(a * b))
		case code.Div:
			return pattern64(a / b)
		case code.Min:
			return pattern64(fmin(a, b))
		case code.Max:
			return pattern64(-fmin(-a, -b))
		}
	}
	bits := uint64(t.Bits())
	signed := t.Signed()
	switch op {
	case code.Add:
		return x + y
	case code.Sub:
		return x - y
	case code.Mul:
		return x * y
	case code.Div:
		switch {
		case norm(t, y) == 0:
			return math.MaxUint64
		case signed:
			return uint64(int64(x) / int64(y))
		}
		return x / y
	case code.Rem:
		switch {
		case norm(t, y) == 0:
			return x
		case signed:
			return uint64(int64(x) % int64(y))
		}
		return x % y
	case code.Min:
		if signed && int64(x) < int64(y) || !signed && x < y {
			return x
		}
		return y
	case code.Max:
		if signed && int64(x) > int64(y) || !signed && x > y {
			return x
		}
		return y
	case code.And:
		return x & y
	case code.Or:
		return x | y
	case code.Xor:
		return x ^ y
	case code.Shl:
		if y >= bits {
			return 0
		}
		return x << y
	case code.Shr:
		if signed {
			return uint64(int64(x) >> min(y, 63))
		}
		if y >= bits {
			return 0
		}
		return x >> y
	}
	panic(fmt.Sprint(op, t))
}

// fmin by its definition: a NaN loses, −0 is below 0.
func fmin(a, b float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	case a < b || a == b && math.Signbit(a):
		return a
	}
	return b
}

func evalFMA(t types.Scalar, x, y, z uint64) uint64 {
	if t == types.F64 {
		return pattern64(math.FMA(math.Float64frombits(x), math.Float64frombits(y), math.Float64frombits(z)))
	}
	a, b, c := math.Float32frombits(uint32(x)), math.Float32frombits(uint32(y)), math.Float32frombits(uint32(z))
	return pattern32(fma32(a, b, c))
}

func evalCompare(op code.CompareOp, t types.Scalar, x, y uint64) bool {
	var less, equal, unordered bool
	switch {
	case t == types.F32:
		a, b := math.Float32frombits(uint32(x)), math.Float32frombits(uint32(y))
		less, equal, unordered = a < b, a == b, a != a || b != b
	case t == types.F64:
		a, b := math.Float64frombits(x), math.Float64frombits(y)
		less, equal, unordered = a < b, a == b, a != a || b != b
	case t.Signed():
		less, equal = int64(x) < int64(y), x == y
	default:
		less, equal = x < y, x == y
	}
	switch op {
	case code.EQ:
		return equal
	case code.NE:
		return !equal
	case code.LT:
		return less
	case code.LE:
		return less || equal
	case code.GT:
		return !less && !equal && !unordered
	}
	return !less && !unordered
}

func evalConvert(to, from types.Scalar, x uint64) uint64 {
	switch {
	case to == types.Pred:
		switch from {
		case types.F32:
			return flag(math.Float32frombits(uint32(x)) != 0)
		case types.F64:
			return flag(math.Float64frombits(x) != 0)
		}
		return flag(x != 0)
	case from == types.F32 || from == types.F64:
		v := math.Float64frombits(x)
		if from == types.F32 {
			v = float64(math.Float32frombits(uint32(x)))
		}
		switch to {
		case types.F32:
			return pattern32(float32(v))
		case types.F64:
			return pattern64(v)
		}
		if v != v {
			return 0
		}
		v = math.Trunc(v)
		low, high := 0.0, math.Ldexp(1, to.Bits())
		if to.Signed() {
			low, high = -math.Ldexp(1, to.Bits()-1), math.Ldexp(1, to.Bits()-1)
		}
		switch {
		case v < low:
			v = low
		case v >= high && to.Bits() == 64:
			if to.Signed() {
				return math.MaxInt64
			}
			return math.MaxUint64
		case v >= high:
			v = high - 1
		}
		if v < 0 {
			return uint64(int64(v))
		}
		return uint64(v)
	case to == types.F32 && from.Signed():
		return pattern32(float32(int64(x)))
	case to == types.F32:
		return pattern32(float32(x))
	case to == types.F64 && from.Signed():
		return pattern64(float64(int64(x)))
	case to == types.F64:
		return pattern64(float64(x))
	}
	return x
}
