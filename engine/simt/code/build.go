package code

import (
	"math"

	"workbench/engine/simt/types"
)

// A Builder writes the body of one function. Its methods that return a Value
// put the result into a new register.
type Builder struct {
	Function *Function
	Pos      Pos // of what is emitted next

	blocks []*Block // the one being written is the last
}

// NewBuilder returns a builder that writes at the end of f's body.
func NewBuilder(f *Function) *Builder {
	if len(f.Regs) == 0 {
		f.Regs = append(f.Regs, Register{})
	}
	return &Builder{Function: f, blocks: []*Block{&f.Body}}
}

// Reg returns a new register; name is that of the source's variable, "" for a
// temporary.
func (b *Builder) Reg(t types.Scalar, name string) Reg {
	b.Function.Regs = append(b.Function.Regs, Register{Type: t, Name: name})
	return Reg(len(b.Function.Regs) - 1)
}

// At returns the position for an instruction's literal.
func (b *Builder) At() At { return At{b.Pos} }

// Emit appends an instruction.
func (b *Builder) Emit(i Instr) {
	to := b.blocks[len(b.blocks)-1]
	*to = append(*to, i)
}

// Block returns what write emits, without appending it.
func (b *Builder) Block(write func()) Block {
	var block Block
	b.blocks = append(b.blocks, &block)
	write()
	b.blocks = b.blocks[:len(b.blocks)-1]
	return block
}

// Move emits dst = x.
func (b *Builder) Move(dst Reg, x Value) { b.Emit(&Move{At: b.At(), Dst: dst, X: x}) }

// Unary emits op x.
func (b *Builder) Unary(op UnaryOp, t types.Scalar, x Value) Value {
	dst := b.Reg(t, "")
	b.Emit(&Unary{At: b.At(), Op: op, Type: t, Dst: dst, X: x})
	return R(dst)
}

// Binary emits x op y.
func (b *Builder) Binary(op BinaryOp, t types.Scalar, x, y Value) Value {
	dst := b.Reg(t, "")
	b.Emit(&Binary{At: b.At(), Op: op, Type: t, Dst: dst, X: x, Y: y})
	return R(dst)
}

// Compare emits x op y.
func (b *Builder) Compare(op CompareOp, t types.Scalar, x, y Value) Value {
	dst := b.Reg(types.Pred, "")
	b.Emit(&Compare{At: b.At(), Op: op, Type: t, Dst: dst, X: x, Y: y})
	return R(dst)
}

// Convert emits the conversion of x from one type to another; where they are
// the same it is x.
func (b *Builder) Convert(to, from types.Scalar, x Value) Value {
	if to == from {
		return x
	}
	dst := b.Reg(to, "")
	b.Emit(&Convert{At: b.At(), To: to, From: from, Dst: dst, X: x})
	return R(dst)
}

// Select emits cond ? x : y.
func (b *Builder) Select(t types.Scalar, cond, x, y Value) Value {
	dst := b.Reg(t, "")
	b.Emit(&Select{At: b.At(), Type: t, Dst: dst, Cond: cond, X: x, Y: y})
	return R(dst)
}

// Special emits the reading of a special register.
func (b *Builder) Special(which SpecialReg) Value {
	dst := b.Reg(which.Type(), "")
	b.Emit(&Special{At: b.At(), Which: which, Dst: dst})
	return R(dst)
}

// Addr emits the address of a variable.
func (b *Builder) Addr(space Space, index int) Value {
	dst := b.Reg(types.Ptr, "")
	b.Emit(&Addr{At: b.At(), Dst: dst, Space: space, Index: index})
	return R(dst)
}

// Index emits base + index·scale + offset.
func (b *Builder) Index(base Value, t types.Scalar, index Value, scale, offset int64) Value {
	dst := b.Reg(types.Ptr, "")
	b.Emit(&Index{At: b.At(), Dst: dst, Base: base, Index: index, IndexType: t, Scale: scale, Offset: offset})
	return R(dst)
}

// Load emits the reading of one element.
func (b *Builder) Load(t types.Scalar, space Space, addr Value, offset int64) Value {
	dst := b.Reg(t, "")
	b.Emit(&Load{At: b.At(), Type: t, Space: space, Dst: []Reg{dst}, Addr: addr, Offset: offset})
	return R(dst)
}

// Store emits the writing of one element.
func (b *Builder) Store(t types.Scalar, space Space, addr Value, offset int64, x Value) {
	b.Emit(&Store{At: b.At(), Type: t, Space: space, Addr: addr, Offset: offset, Src: []Value{x}})
}

// If emits an If; orElse may be nil.
func (b *Builder) If(cond Value, then, orElse func()) {
	i := &If{At: b.At(), Cond: cond, Then: b.Block(then)}
	if orElse != nil {
		i.Else = b.Block(orElse)
	}
	b.Emit(i)
}

// Loop emits a Loop; test emits Cond and returns Test; nil is always true, and
// step may be nil.
func (b *Builder) Loop(test func() Value, body, step func()) {
	l := &Loop{At: b.At(), Test: True}
	if test != nil {
		l.Cond = b.Block(func() { l.Test = test() })
	}
	l.Body = b.Block(body)
	if step != nil {
		l.Step = b.Block(step)
	}
	b.Emit(l)
}

// True is the pred that holds.
var True = Value{Bits: 1}

// Int returns a constant of an integer type, or of a pointer or pred.
func Int(t types.Scalar, x int64) Value {
	bits := uint64(x)
	switch t {
	case types.Pred:
		if x != 0 {
			bits = 1
		}
	case types.I8:
		bits = uint64(int8(x))
	case types.U8:
		bits = uint64(uint8(x))
	case types.I16:
		bits = uint64(int16(x))
	case types.U16:
		bits = uint64(uint16(x))
	case types.I32:
		bits = uint64(int32(x))
	case types.U32:
		bits = uint64(uint32(x))
	}
	return Value{Bits: bits}
}

// Float32 returns a constant of type f32.
func Float32(x float32) Value { return Value{Bits: uint64(math.Float32bits(x))} }

// Float64 returns a constant of type f64.
func Float64(x float64) Value { return Value{Bits: math.Float64bits(x)} }

// Type returns the type of a special register.
func (s SpecialReg) Type() types.Scalar {
	switch s {
	case Clock:
		return types.I32
	case Clock64:
		return types.I64
	case GlobalTimer:
		return types.U64
	}
	return types.U32
}
