package run

import (
	"workbench/engine/launch"
	"workbench/engine/simt/code"
)

// Grid is one launch, as its blocks and observers see it.
type Grid struct {
	Program     *code.Program
	Kernel      string
	Grid        launch.Dim3 // blocks
	Block       launch.Dim3 // threads
	SharedBytes int         // of dynamic shared memory for each block
	Warps       int         // of a block

	bytes   int64 // what a block takes of the real machine's memory
	variant variant
	form    *form // of that variant: blocks may run another one of its kernel
	machine *Machine
	run     *running
	tid     [][3]v32 // threadIdx of each warp's lanes
	live    []uint32 // the lanes that each warp has
	params  []region // parameter memory, by number
	writes  []bool   // what it may write of global memory, by number; nil if nobody has asked
}

// Block is one block of threads while it runs.
type Block struct {
	Grid   *Grid
	Number int         // x + gridDim.x·(y + gridDim.y·z)
	Index  launch.Dim3 // blockIdx
	Warps  []*Warp

	observer Observer // nil if nobody observes it
	stock    *stock

	Exits int // how often lanes of a warp have ended, in this block and those before it in its place

	// Whether it ran by itself from its beginning on: no other block of its worker
	// began before it and has not ended, or had a turn since.
	Alone bool

	shared  []region // by number
	order   []int    // in which the warps have their turns
	printed []byte
	stalled bool // every warp that could go on looked at memory that other blocks write
	count   int  // threads that say yes, of those …
	arrived int  // … that were at the barrier it was released from last
}

// Warp is 32 lanes of a block, which execute one instruction at a time together.
type Warp struct {
	Block  *Block
	Index  int      // within the block: its first thread is 32·Index
	Active uint32   // the lanes that execute the current instruction
	Live   uint32   // the lanes that exist and have not ended
	Scope  int      // what is in scope at the statement that it began last, if that is observed: of the program's Names
	At     code.Pos // where it waits, of a warp at a barrier; unknown if it does not

	status status
	pc     int
	resume int      // where it goes on after the turn of others
	spins  code.Pos // the loop or call where its turn ended
	beyond map[*row]*[32]int64
	awaits bool   // that loop waits for what others write
	fuel   int    // instructions until the others have their turn
	spent  int64  // instructions so far
	all    uint32 // the lanes that have registers in this frame

	// Registers of the current frame, and its frames below.
	v      []v32
	x      []v64
	p      []uint32 // a bit for each lane; first come no lane and every lane
	s      []uint64 // one value for all lanes; last come the constants
	frames []frame
	stack  int64 // bytes of the frames below

	words  []v32 // local memory of all frames, interleaved: a lane's words are at its index
	locals []local

	// What an instruction reads or writes that is in no register: operands made of
	// a value that all lanes share, addresses, results before they are blended.
	t32 [8]v32
	t64 [8]v64
	e32 [16]v32 // the elements of an access
	e64 [2]v64

	observer Observer // nil if nobody observes
	names    Names    // the same, of one that wants Variables
	noted    Noted

	exchanged *Exchanged // of the exchange that takes place, where names is told
	scratch   Access
	patterns  patterns
	vote      uint32 // what the lanes that wait at a barrier say
	polls     bool   // in its turn it looked at memory that other blocks write …
	moved     bool   // … and wrote some itself
}

// v32 and v64 are one register of a warp: a value per lane.
type (
	v32 [32]uint32
	v64 [32]uint64
)

const every = ^uint32(0) // lanes

type status uint8

const (
	ready status = iota
	waiting
	ended
)

// frame is what a call keeps of its caller.
type frame struct {
	site        *site
	pc          int
	active, all uint32
	v           []v32
	x           []v64
	p           []uint32
	s           []uint64
	words       int
	locals      int
	stack       int64
}

// local is an array in local memory.
type local struct {
	base   int // its first of Warp.words
	size   uint64
	memory *Memory
}

// region is memory that is not local.
type region struct {
	data   []byte
	memory *Memory
}

// Thread returns the threadIdx of a lane.
func (w *Warp) Thread(lane int) launch.Dim3 {
	t := &w.Block.Grid.tid[w.Index]
	return launch.Dim3{X: int(t[0][lane]), Y: int(t[1][lane]), Z: int(t[2][lane])}
}

// Memory returns what p points into, seen from this warp, or nil.
func (w *Warp) Memory(p Pointer) *Memory {
	if p.Space() == code.Local {
		if n := p.Number(); n > 0 && n <= len(w.locals) {
			return w.locals[n-1].memory
		}
		return nil
	}
	return w.find(p.key()).memory
}

// nowhere is what a pointer to nothing points into.
var nowhere region

// find returns the region of a pointer's key; of local memory nowhere.
func (w *Warp) find(key uint64) *region {
	var list []region
	switch code.Space(key >> numberBits) {
	case code.Global:
		list = w.Block.Grid.machine.global
	case code.Shared:
		list = w.Block.shared
	case code.Constant:
		list = w.Block.Grid.machine.constant
	case code.Parameter:
		list = w.Block.Grid.params
	}
	if n := int(key & numberMask); n < len(list) {
		return &list[n]
	}
	return &nowhere
}

// halt ends the launch with a fault.
func (w *Warp) halt(f *Fault) {
	w.pc = -1
	w.status = ended
	w.Block.Grid.run.fail(f)
}
