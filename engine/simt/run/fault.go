package run

import (
	"fmt"
	"strings"

	"workbench/engine/launch"
	"workbench/engine/simt/code"
)

// FaultKind is what went wrong in a kernel.
type FaultKind string

// Where an observer lets the launch go on, what follows the dash is what the
// lanes do that the fault is about.
const (
	OutOfBounds     FaultKind = "out of bounds"     // a load gives 0, a store and an atomic do nothing
	NullPointer     FaultKind = "null pointer"      // likewise
	ReadOnly        FaultKind = "read only"         // a write to constant memory or parameters: it does nothing
	Misaligned      FaultKind = "misaligned"        // likewise
	DivideByZero    FaultKind = "divide by zero"    // the quotient has all bits set, the remainder is the dividend; reported to observers only
	Uninitialised   FaultKind = "uninitialised"     // a register is read before it was written: the value is whatever is there; reported to observers only
	InactiveLane    FaultKind = "inactive lane"     // a shuffle reads from a lane that does not execute it, or its mask names lanes that do not, or not the lane itself: the value is unspecified; reported to observers only
	Assertion       FaultKind = "assertion failed"  // the lanes go on
	Trap            FaultKind = "trap"              // the lanes go on
	CallDepth       FaultKind = "calls too deep"    // ends the launch
	InstructionsOut FaultKind = "instruction limit" // ends the launch
	OutputOut       FaultKind = "output limit"      // what is printed beyond is lost, and the launch goes on
	TimeOut         FaultKind = "time limit"        // ends the launch: the context's deadline has passed
	Cancelled       FaultKind = "cancelled"         // ends the launch: the context is done
)

// A Fault is one thing that went wrong, with everything that is known of it.
type Fault struct {
	Kind     FaultKind
	Pos      code.Pos
	Position code.Position
	Kernel   string

	Block  launch.Dim3 // blockIdx
	Warp   int         // within the block
	Lanes  uint32      // all lanes of the warp that it happened to, in this instruction
	Lane   int         // the first of them, which the rest is about
	Thread launch.Dim3 // threadIdx

	// Of an access.
	Pointer Pointer
	Access  AccessKind
	Width   int     // bytes
	Memory  *Memory // what Pointer points into, nil if nothing
	Offset  int64   // within that, in bytes

	// InstructionsOut, TimeOut: how far the launch had come.
	Spent  int64 // instructions of all warps
	Ended  int64 // blocks that had come to their end
	Blocks int64 // of the grid

	Waiting uint32 // InstructionsOut, TimeOut: lanes of the warp that are not in the loop and wait for those that are
	Awaits  bool   // InstructionsOut: the loop looks at memory as one does that waits for others
	Row     *Row   // OutOfBounds: of an index that leaves a part of Memory and not all of it; the access happens
	Source  int    // InactiveLane: the lane that was to be read from
	Detail  string // more, as a sentence's part
	Err     error  // TimeOut, Cancelled: the context's error
}

// Row is the part of an array that an index has left.
type Row struct {
	Len   int64 // its elements
	Scale int64 // and their bytes
	Index int64
}

func (f *Fault) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v: %s", f.Position, f.Kind)
	if f.Memory != nil {
		fmt.Fprintf(&b, ": %s of %d bytes at %s, which has %s", f.Access, f.Width, f.Memory.Name(f.Offset), f.Memory.Extent())
	}
	if f.Detail != "" {
		b.WriteString(": " + f.Detail)
	}
	if f.Lanes != 0 {
		fmt.Fprintf(&b, " (block %d,%d,%d thread %d,%d,%d: warp %d lane %d)", f.Block.X, f.Block.Y, f.Block.Z, f.Thread.X, f.Thread.Y, f.Thread.Z, f.Warp, f.Lane)
	}
	return b.String()
}

// Unwrap returns the context's error of a launch that was cancelled.
func (f *Fault) Unwrap() error { return f.Err }

// String returns load, store or atomic.
func (k AccessKind) String() string {
	return [...]string{Load: "load", Store: "store", Atomic: "atomic"}[k]
}
