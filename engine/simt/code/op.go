package code

import "fmt"

// UnaryOp is an operation on one value.
type UnaryOp uint8

const (
	Neg UnaryOp = iota // i32 u32 i64 u64: 0 − x, wrapping; floats: the sign flipped
	Not                // integers: every bit; pred: the other one
	Abs                // i32 i64: of the smallest number, itself; floats: the sign cleared
)

var unaryNames = [...]string{Neg: "neg", Not: "not", Abs: "abs"}

func (op UnaryOp) String() string { return name(unaryNames[:], op) }

// BinaryOp is an operation on two values of one type.
type BinaryOp uint8

const (
	Add BinaryOp = iota
	Sub
	Mul
	Div // integers: towards zero, by zero is a report; floats: correctly rounded
	Rem // integers only, with the sign of the dividend
	Min // floats: the other operand where one is NaN, −0 below +0
	Max
	And // integers and pred
	Or
	Xor
	Shl   // the second operand is u32 always; from the width on the result is 0 …
	Shr   // … or, of a signed type, its sign
	MulHi // the upper half of the product; integers only
)

var binaryNames = [...]string{
	Add: "add", Sub: "sub", Mul: "mul", Div: "div", Rem: "rem", Min: "min", Max: "max",
	And: "and", Or: "or", Xor: "xor", Shl: "shl", Shr: "shr", MulHi: "mulhi",
}

func (op BinaryOp) String() string { return name(binaryNames[:], op) }

// CompareOp is a comparison. With a NaN all are false but NE, which is true.
type CompareOp uint8

const (
	EQ CompareOp = iota
	NE
	LT
	LE
	GT
	GE
)

var compareNames = [...]string{EQ: "eq", NE: "ne", LT: "lt", LE: "le", GT: "gt", GE: "ge"}

func (op CompareOp) String() string { return name(compareNames[:], op) }

// Rounding is how a conversion rounds.
type Rounding uint8

const (
	Default   Rounding = iota // towards zero into an integer, to nearest even into a float
	ToNearest                 // ties to even
	ToZero
	Down // towards −∞
	Up   // towards +∞
)

var roundingNames = [...]string{Default: "", ToNearest: "rn", ToZero: "rz", Down: "rd", Up: "ru"}

func (r Rounding) String() string { return name(roundingNames[:], r) }

// Space is a kind of memory.
type Space uint8

const (
	Generic   Space = iota // not known: the pointer says it
	Global                 // one for the grid
	Shared                 // one for a block
	Local                  // one for a lane
	Constant               // one for the grid, read only
	Parameter              // a kernel's parameters, read only
)

var spaceNames = [...]string{Generic: "generic", Global: "global", Shared: "shared", Local: "local", Constant: "constant", Parameter: "param"}

func (s Space) String() string { return name(spaceNames[:], s) }

// AtomicOp is what an atomic does to memory.
type AtomicOp uint8

const (
	AtomicAdd AtomicOp = iota
	AtomicSub
	AtomicExchange
	AtomicMin
	AtomicMax
	AtomicInc // u32: old >= x ? 0 : old + 1
	AtomicDec // u32: old == 0 || old > x ? x : old − 1
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicCAS // old == Compare ? x : old
)

var atomicNames = [...]string{
	AtomicAdd: "add", AtomicSub: "sub", AtomicExchange: "exch", AtomicMin: "min", AtomicMax: "max",
	AtomicInc: "inc", AtomicDec: "dec", AtomicAnd: "and", AtomicOr: "or", AtomicXor: "xor", AtomicCAS: "cas",
}

func (op AtomicOp) String() string { return name(atomicNames[:], op) }

// Scope is who sees the effect of a fence or an atomic.
type Scope uint8

const (
	DeviceScope Scope = iota
	BlockScope
	SystemScope
)

var scopeNames = [...]string{DeviceScope: "device", BlockScope: "block", SystemScope: "system"}

func (s Scope) String() string { return name(scopeNames[:], s) }

// BarrierKind is what a block's barrier returns.
type BarrierKind uint8

const (
	BarrierSync  BarrierKind = iota // nothing
	BarrierCount                    // i32: how many threads' X is true
	BarrierAnd                      // i32: 1 if all are
	BarrierOr                       // i32: 1 if any is
)

var barrierNames = [...]string{BarrierSync: "sync", BarrierCount: "count", BarrierAnd: "and", BarrierOr: "or"}

func (k BarrierKind) String() string { return name(barrierNames[:], k) }

// ShuffleKind is which lane a shuffle reads from.
type ShuffleKind uint8

const (
	ShuffleIndex ShuffleKind = iota // Lane, modulo the width
	ShuffleUp                       // Lane lanes below
	ShuffleDown                     // Lane lanes above
	ShuffleXor                      // the lane whose number is the own one xor Lane
)

var shuffleNames = [...]string{ShuffleIndex: "idx", ShuffleUp: "up", ShuffleDown: "down", ShuffleXor: "xor"}

func (k ShuffleKind) String() string { return name(shuffleNames[:], k) }

// VoteKind is what a vote returns.
type VoteKind uint8

const (
	VoteAny    VoteKind = iota // pred
	VoteAll                    // pred
	VoteUni                    // pred: whether all agree
	VoteBallot                 // u32: a bit for each lane
)

var voteNames = [...]string{VoteAny: "any", VoteAll: "all", VoteUni: "uni", VoteBallot: "ballot"}

func (k VoteKind) String() string { return name(voteNames[:], k) }

// SpecialReg is a value that the launch or the machine gives. All are u32 but
// the 64-bit clocks.
type SpecialReg uint8

const (
	ThreadX SpecialReg = iota // threadIdx
	ThreadY
	ThreadZ
	BlockX // blockIdx
	BlockY
	BlockZ
	BlockDimX
	BlockDimY
	BlockDimZ
	GridDimX
	GridDimY
	GridDimZ
	LaneID
	WarpID // within the block
	WarpSize
	LaneMaskEQ // the bit of this lane; of those below, up to, above, from it
	LaneMaskLT
	LaneMaskLE
	LaneMaskGT
	LaneMaskGE
	DynamicSharedBytes
	Clock       // i32, instructions of this warp so far
	Clock64     // i64
	GlobalTimer // u64, nanoseconds
)

var specialNames = [...]string{
	ThreadX: "tid.x", ThreadY: "tid.y", ThreadZ: "tid.z",
	BlockX: "ctaid.x", BlockY: "ctaid.y", BlockZ: "ctaid.z",
	BlockDimX: "ntid.x", BlockDimY: "ntid.y", BlockDimZ: "ntid.z",
	GridDimX: "nctaid.x", GridDimY: "nctaid.y", GridDimZ: "nctaid.z",
	LaneID: "laneid", WarpID: "warpid", WarpSize: "warpsize",
	LaneMaskEQ: "lanemask_eq", LaneMaskLT: "lanemask_lt", LaneMaskLE: "lanemask_le", LaneMaskGT: "lanemask_gt", LaneMaskGE: "lanemask_ge",
	DynamicSharedBytes: "dynamic_smem_size", Clock: "clock", Clock64: "clock64", GlobalTimer: "globaltimer",
}

func (s SpecialReg) String() string { return name(specialNames[:], s) }

func name[T ~uint8](names []string, of T) string {
	if int(of) < len(names) {
		return names[of]
	}
	return fmt.Sprintf("%T(%d)", of, uint8(of))
}
