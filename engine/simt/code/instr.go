package code

import "workbench/engine/simt/types"

// Instr is an instruction. Position says where in the source it comes from: for
// an access the expression that reads or writes, for a call its name.
type Instr interface {
	Position() Pos
}

// At is the position that every instruction has.
type At struct{ Pos Pos }

// Position returns the position.
func (a At) Position() Pos { return a.Pos }

// ---- values ------------------------------------------------------------------

// Stmt marks where a statement of the source begins. It computes nothing.
type Stmt struct {
	At
	Scope int // of Names.Scopes, where the program has them
}

// Undef says that a register is a variable just declared without a value: what
// it holds until it is written is not to be used.
type Undef struct {
	At
	Dst Reg
}

// Begin says that here the life of Function.Locals[Local] begins, as its
// declaration does: what it held before is not to be used.
type Begin struct {
	At
	Local int
}

// Move copies X; Dst's type is its type.
type Move struct {
	At
	Dst Reg
	X   Value
}

// Unary is Dst = Op X.
type Unary struct {
	At
	Op   UnaryOp
	Type types.Scalar
	Dst  Reg
	X    Value
}

// Binary is Dst = X Op Y. Type is that of Dst and X; Y's too but for shifts.
// Integers of 8 and 16 bits are converted first, as C promotes them.
type Binary struct {
	At
	Op   BinaryOp
	Type types.Scalar
	Dst  Reg
	X, Y Value
}

// MulAdd is Dst = ±X·Y ± Z of a float type, as the source writes it with a
// product and a sum: under the fused contract it rounds once, under the
// separate contract twice.
type MulAdd struct {
	At
	Type                  types.Scalar
	Dst                   Reg
	X, Y, Z               Value
	NegProduct, NegAddend bool
}

// FMA is Dst = X·Y + Z of a float type, rounded once under both contracts.
type FMA struct {
	At
	Type    types.Scalar
	Dst     Reg
	X, Y, Z Value
}

// Convert is Dst = X of type From in the type of Dst, To. Integers wrap; a float
// that becomes an integer saturates, and a NaN becomes 0; if that integer has 8
// or 16 bits, it is i32 or, without a sign, u32 first and then wraps, as nvcc
// compiles it. To pred, it is whether X is not 0, and from pred, 0 or 1. A pointer
// converts from and to i64, u64 and itself.
type Convert struct {
	At
	To, From types.Scalar
	Round    Rounding // ToZero, Down, Up between floats and integers, and to a narrower float
	Dst      Reg
	X        Value
}

// Bits is Dst = the bits of X, of a type as wide.
type Bits struct {
	At
	To, From types.Scalar
	Dst      Reg
	X        Value
}

// Compare is Dst = X Op Y, a pred; Type is an integer of 32 or 64 bits, a
// float, a pointer (unsigned), or pred (EQ and NE only).
type Compare struct {
	At
	Op   CompareOp
	Type types.Scalar
	Dst  Reg
	X, Y Value
}

// Select is Dst = Cond ? X : Y, of any type; both are values already.
type Select struct {
	At
	Type types.Scalar
	Dst  Reg
	Cond Value // pred
	X, Y Value
}

// Intrinsic is a function of the tables in intrinsic.go: mathematics and bits.
type Intrinsic struct {
	At
	Name string
	Type types.Scalar // of the overload
	Dst  []Reg
	Args []Value
}

// Special is Dst = a value that the launch or the machine gives.
type Special struct {
	At
	Which SpecialReg
	Dst   Reg
}

// ---- memory ------------------------------------------------------------------

// Addr is Dst = the address of a variable or parameter, a ptr. Index is one of
// Program.Globals, Program.Shared, Program.Constants, Function.Locals or
// Function.Params, as Space says.
type Addr struct {
	At
	Dst   Reg
	Space Space
	Index int
}

// Index is Dst = Base + Index·Scale + Offset, pointers and bytes: what a[i],
// p + i and s.m are. IndexType is i32, u32, i64 or u64; the index is widened
// first, then everything wraps in 64 bits. Len, if not 0, says that the index is
// of an array that is a part of something larger, a row or a member, and has so
// many elements: C allows no access beyond it.
type Index struct {
	At
	Dst       Reg
	Base      Value // ptr
	Index     Value
	IndexType types.Scalar
	Scale     int64
	Len       int64
	Offset    int64
}

// Load reads len(Dst) elements of Type, a power of two and 16 bytes at most, that
// lie one behind the other from Addr + Offset, which is a multiple of the size of
// them all. Dst of 0 is not kept.
type Load struct {
	At
	Type     types.Scalar
	Space    Space
	Dst      []Reg
	Addr     Value
	Offset   int64
	Volatile bool
}

// Store writes elements as Load reads them.
type Store struct {
	At
	Type     types.Scalar
	Space    Space
	Addr     Value
	Offset   int64
	Src      []Value
	Volatile bool
}

// Atomic reads Type at Addr + Offset, and writes what Op makes of that and X,
// as one step; Dst, if not 0, is what it read. Types are i32 u32 i64 u64 for
// all operations, f16 bf16 f32 f64 for AtomicAdd, f32 f64 and u16 too for
// AtomicExchange and AtomicCAS.
type Atomic struct {
	At
	Op      AtomicOp
	Type    types.Scalar
	Space   Space // Generic, Global or Shared
	Scope   Scope
	Dst     Reg
	Addr    Value
	Offset  int64
	X       Value
	Compare Value // of AtomicCAS
}

// Fence orders this lane's accesses before it before those after it, for
// everyone of its scope.
type Fence struct {
	At
	Scope Scope
}

// ---- a block and its warps -----------------------------------------------------

// Barrier waits for the block. Of the kinds that return something Dst is i32
// and X a pred.
type Barrier struct {
	At
	Kind BarrierKind
	Dst  Reg
	X    Value
}

// SyncWarp waits for the lanes of Mask (u32).
type SyncWarp struct {
	At
	Mask Value
}

// Shuffle is Dst = X of another lane. Width (i32) is 1, 2, 4, 8, 16 or 32: a
// lane reads within its own group of so many, and itself where the other would
// be outside. Lane is i32: a lane, a distance or a mask. Valid, if not 0, is a
// pred: whether the other lane was inside.
type Shuffle struct {
	At
	Kind  ShuffleKind
	Type  types.Scalar // i32 u32 i64 u64 f16 bf16 f32 f64
	Dst   Reg
	Valid Reg
	X     Value
	Lane  Value
	Width Value
	Mask  Value // u32
}

// Vote is Dst = what the lanes of Mask say to X.
type Vote struct {
	At
	Kind VoteKind
	Dst  Reg
	X    Value // pred
	Mask Value // u32
}

// ActiveMask is Dst = the lanes (u32) that execute this.
type ActiveMask struct {
	At
	Dst Reg
}

// Match is Dst = the lanes (u32) of Mask whose X has the same bits; with All,
// either all of Mask or 0, and Same, if not 0, says which (pred).
type Match struct {
	At
	All  bool
	Type types.Scalar // i32 u32 i64 u64 f32 f64
	Dst  Reg
	Same Reg
	X    Value
	Mask Value // u32
}

// Reduce is Dst = X of all lanes of Mask, combined by Add, Min, Max (i32, u32),
// And, Or or Xor (u32).
type Reduce struct {
	At
	Op   BinaryOp
	Type types.Scalar
	Dst  Reg
	X    Value
	Mask Value // u32
}

// ---- control -------------------------------------------------------------------

// If runs Then for the lanes where Cond holds, then Else for the others.
type If struct {
	At
	Cond       Value // pred
	Then, Else Block
}

// Loop runs
//
//	again: Cond
//	       if not Test: leave
//	       Body             Continue goes to Step
//	       Step
//	       go to again
//
// Break leaves it from anywhere within. A do loop has a Test that is always
// true, no Cond, and at the end of Step an If with a Break.
type Loop struct {
	At
	Cond Block
	Test Value // pred
	Body Block
	Step Block
}

// Region runs Body once. Break leaves it: that is what a switch is made of, and
// the return of a function that was inlined.
type Region struct {
	At
	Body Block
}

// Break leaves a Loop or Region around it, counted from the innermost, 0.
type Break struct {
	At
	Depth int
}

// Continue goes to the Step of a Loop around it; Depth counts as Break's does,
// Regions included, and must name a Loop. It is not in a Loop's Cond or Step.
type Continue struct {
	At
	Depth int
}

// Call calls Program.Functions[Function], which is no kernel. Dst of 0 is not
// kept.
type Call struct {
	At
	Function int
	Dst      []Reg
	Args     []Value
}

// Return leaves the function, or ends the lane in a kernel.
type Return struct {
	At
	Values []Value
}

// Blocks returns the blocks within an instruction, in the order of the source:
// none but for If, Loop and Region.
func Blocks(in Instr) []Block {
	switch i := in.(type) {
	case *If:
		return []Block{i.Then, i.Else}
	case *Loop:
		return []Block{i.Cond, i.Body, i.Step}
	case *Region:
		return []Block{i.Body}
	}
	return nil
}

// Rewrite replaces the blocks within an instruction by what f makes of each.
func Rewrite(in Instr, f func(Block) Block) {
	switch i := in.(type) {
	case *If:
		i.Then, i.Else = f(i.Then), f(i.Else)
	case *Loop:
		i.Cond, i.Body, i.Step = f(i.Cond), f(i.Body), f(i.Step)
	case *Region:
		i.Body = f(i.Body)
	}
}

// Writes enters the registers that a block writes, and those within it.
func Writes(b Block, into map[Reg]bool) {
	for _, in := range b {
		_, dst := Operands(in)
		for _, r := range dst {
			into[r] = true
		}
		for _, inner := range Blocks(in) {
			Writes(inner, into)
		}
	}
}

// ---- messages ------------------------------------------------------------------

// Printf prints as CUDA's printf does. Format has C's conversions; Dst, if not
// 0, is i32, what printf returns.
type Printf struct {
	At
	Format string
	Args   []Printed
	Dst    Reg
}

// Printed is an argument of Printf, as C promotes it: i32 u32 i64 u64 f64, or a
// ptr for %p, and for %s to characters in constant memory.
type Printed struct {
	Type types.Scalar
	X    Value
}

// Assert ends the launch where Cond does not hold.
type Assert struct {
	At
	Cond     Value  // pred
	Text     string // as written: "i < n"
	Function string // around it
}

// Trap ends the launch.
type Trap struct {
	At
}
