package run

import (
	"math/bits"

	"workbench/engine/simt/code"
	"workbench/engine/simt/types"
)

// Events is a set of what an observer wants to be told of. What it does not want
// costs nothing: the code is compiled without the calls.
type Events uint32

const (
	Statements Events = 1 << iota // Statement, for every Stmt
	Segments                      // Segment, for every run of instructions without a jump
	Branches                      // Branch, for every If and test of a Loop
	Accesses                      // Access, for every load, store and atomic of global, shared, local and constant memory
	Syncs                         // Barrier, Release, SyncWarp, Exchange, Fence
	Values                        // faults of kind Uninitialised, for registers
	Variables                     // Exchanged of a Names observer; Note, Enter and Leave where the program has Names
)

// An Observer is told what a launch does, as it does it. All calls come from
// one goroutine: the blocks that are observed run there one after another, and
// where they wait for each other in turn. What an observer is handed is valid
// until it returns, and is not its own to write to.
type Observer interface {
	Wants() Events

	// Begin and End enclose the life of a block.
	Begin(b *Block)
	End(b *Block)

	// Statement: w.Active begins the statement at pos.
	Statement(w *Warp, pos code.Pos)

	// Segment: w.Active executes s from its first instruction to its last.
	Segment(w *Warp, s *Segment)

	// Branch: of the lanes that came to the If or Loop at pos, taken go into Then
	// or Body, and others into Else or past the loop.
	Branch(w *Warp, pos code.Pos, taken, others uint32)

	// Declare: a local variable's life begins for w.Active.
	Declare(w *Warp, pos code.Pos, local Pointer)

	// Access: before it happens. Lanes whose address is none have been taken out
	// and handed to Fault.
	Access(a *Access)

	// Barrier: w.Active arrives at the block's barrier. Release: every warp has
	// arrived or ended, and all go on; where each waited is in its At.
	Barrier(w *Warp, pos code.Pos)
	Release(b *Block)

	// SyncWarp: w.Active is at a __syncwarp, each lane for the lanes of masks.
	SyncWarp(w *Warp, pos code.Pos, masks *[32]uint32)

	// Exchange: w.Active is at a shuffle, vote, match or reduce, likewise.
	Exchange(w *Warp, pos code.Pos, in code.Instr, masks *[32]uint32)

	// Fence: w.Active is at a fence.
	Fence(w *Warp, pos code.Pos, scope code.Scope)

	// Fault: something that must not be. If it returns true the launch goes on as
	// the Fault's kind says, otherwise f is the launch's error.
	Fault(w *Warp, f *Fault) bool
}

// AccessKind is what an access does.
type AccessKind uint8

const (
	Load AccessKind = iota
	Store
	Atomic
)

// An Access is one instruction's access to memory, by all its lanes at once. The
// addresses are in one space; an instruction whose lanes address several makes
// one Access for each.
type Access struct {
	Warp     *Warp
	Pos      code.Pos
	Kind     AccessKind
	Volatile bool
	Op       code.AtomicOp // of an Atomic
	Scope    code.Scope    // of an Atomic
	Space    code.Space
	Mask     uint32      // the lanes
	Addrs    *[32]uint64 // Pointers, of the lanes in Mask
	Type     types.Scalar
	Size     int      // bytes of an element: 1, 2, 4, 8
	Count    int      // elements of a lane, one behind the other
	Pattern  *Pattern // of a Load or Store whose lanes all address one allocation; otherwise it may be nil

	values elements
}

// Width returns the bytes that each lane accesses.
func (a *Access) Width() int { return a.Size * a.Count }

// Value returns the bits of an element that a lane is about to store, or of the
// operand of an atomic; of a load it is 0.
func (a *Access) Value(lane, element int) uint64 {
	if a.values == nil {
		return 0
	}
	return a.values.value(a.Warp, element, lane)
}

// Values returns Value of all lanes, in one of two forms: elements of 8 bytes have
// 64 bits, others 32. Of a load there are none.
func (a *Access) Values(element int) (v32 *[32]uint32, v64 *[32]uint64) {
	if a.values == nil {
		return nil, nil
	}
	x32, x64 := a.values(a.Warp, element)
	return (*[32]uint32)(x32), (*[32]uint64)(x64)
}

// Lanes calls see with every lane of a mask, ascending.
func Lanes(mask uint32, see func(lane int)) {
	for ; mask != 0; mask &= mask - 1 {
		see(bits.TrailingZeros32(mask))
	}
}

// A Segment is a run of instructions that are executed one after another by the
// same lanes. It is the same one each time, so that what is known of it can be
// kept by its Number, which does not depend on what else is observed.
type Segment struct {
	Number int          // of the kernel's segments, from 0
	Instrs []code.Instr // what is executed, the If, Loop or jump that may end it and marks such as Stmt included
}
