package code

import (
	"fmt"

	"workbench/engine/simt/types"
)

// Program is what one source file becomes: every function that a kernel can
// reach, after templates are instantiated, and the variables they name.
type Program struct {
	Positions []Position  // a Pos is an index; Positions[0] is the unknown one
	Functions []*Function // a Call names one by its index
	Globals   []*Variable // __device__ variables
	Constants []*Variable // __constant__ variables and string literals
	Shared    []*Variable // __shared__ arrays, one list for all kernels
	Names     *Names      // nil unless it was asked for
}

// Position is a place in the source as its author sees it.
type Position struct {
	File   string
	Line   int    // from 1
	Column int    // from 1, in bytes
	Macro  string // the macro whose expansion this came from, "" for none
}

// String writes file:line:column.
func (p Position) String() string {
	if p.Line == 0 {
		return "(unknown position)"
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Pos is an index of Program.Positions. Pos 0 is unknown.
type Pos int32

// Position returns the place of pos.
func (p *Program) Position(pos Pos) Position {
	if pos > 0 && int(pos) < len(p.Positions) {
		return p.Positions[pos]
	}
	return Position{}
}

// Add returns the Pos of a position, which is entered if it is new to the end
// of the list.
func (p *Program) Add(at Position) Pos {
	if len(p.Positions) == 0 {
		p.Positions = append(p.Positions, Position{})
	}
	last := len(p.Positions) - 1
	if last > 0 && p.Positions[last] == at {
		return Pos(last)
	}
	p.Positions = append(p.Positions, at)
	return Pos(last + 1)
}

// Function returns the index of the function of that name, or -1.
func (p *Program) Function(name string) int {
	for i, f := range p.Functions {
		if f.Name == name {
			return i
		}
	}
	return -1
}

// Variable is memory that the program itself names.
type Variable struct {
	Name  string
	Size  int64 // bytes; for a dynamic shared array those that are declared, usually 0
	Align int   // bytes, a power of two

	// How the author sees it, for messages that say name[2][3].
	Elem     string // C's name of the innermost element: "float"
	ElemSize int    // bytes
	Dims     []int  // extents, outermost first; none for a single value

	Init    []byte // of Globals and Constants: the first bytes; the others are zero
	Dynamic bool   // of Shared: extern, all of these begin at the same address
	Pos     Pos    // of its declaration
}

// Function is a kernel or a function that kernels call.
type Function struct {
	Name   string // as a launch or a message names it: "reduce<256>"
	Kernel bool

	// A kernel's parameters lie in parameter memory as a C struct of them would,
	// where an Addr of space Param finds them; those with a register are in it
	// when the kernel starts. A function's parameters are in registers only.
	Params []Param

	Results []types.Scalar // what Return gives and Call takes; a kernel has none
	Regs    []Register     // Regs[0] stands for no register
	Locals  []*Variable    // of each lane
	Body    Block
	Pos     Pos

	MaxThreads int // __launch_bounds__: the most threads of a block, 0 if not said
	Frame      int // of Names.Frames, where the program has them
}

// Param is a parameter.
type Param struct {
	Name  string
	Type  types.Scalar // Void for a struct, which lies in parameter memory alone
	Size  int          // bytes; of a kernel's
	Align int          // bytes; of a kernel's
	Reg   Reg          // 0 if none
	CType string       // as declared: "const float *"
}

// Offset returns where parameter i lies in a kernel's parameter memory, and
// with i = len(Params) how many bytes that has.
func (f *Function) Offset(i int) int {
	at := 0
	for k := 0; k <= i; k++ {
		if k == len(f.Params) {
			break
		}
		if a := f.Params[k].Align; a > 1 {
			at = (at + a - 1) / a * a
		}
		if k < i {
			at += f.Params[k].Size
		}
	}
	return at
}

// Register is one value per lane.
type Register struct {
	Type types.Scalar
	Name string // of the source's variable, "" for a temporary
}

// Reg is an index of Function.Regs. Reg 0 is none.
type Reg int32

// Value is an operand: a register, or a constant when Reg is 0. Its type is
// what the instruction says.
type Value struct {
	Reg  Reg
	Bits uint64 // of a constant: the type's bits, sign- or zero-extended from its width
}

// R returns the operand that is a register.
func R(r Reg) Value { return Value{Reg: r} }

// Block is a sequence of instructions.
type Block []Instr
