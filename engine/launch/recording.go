package launch

import "context"

// Recorder is a Launcher that can also record blocks of one launch of a sequence,
// so that they are stepped afterwards. The results are what Sequence says; a block
// that is not in the grid is an *ArgumentError. There is no recording where the
// sequence ended before the launch. The launches and what is in their buffers must
// not be changed as long as the recordings are used.
type Recorder interface {
	Launcher
	Record(ctx context.Context, launches []*Launch, index int, blocks []Index) ([]*Result, []Recording, error)
}

// Recording is what one block of a launch did, statement by statement. Steps are
// numbered from 0 in the order in which they happened: one for each statement that
// a warp begins, one where a barrier lets all go on, and a last one, the end. What
// is shown at a step is what holds when it begins, so step back and forth is the
// same as going there at once. Its methods may be called by any number of
// goroutines; a context that is done ends them with its error.
type Recording interface {
	// Tape says what was recorded, and what that takes.
	Tape() Tape

	// At returns the block at a step. Outside of 0 … Steps−1 it is an error.
	At(ctx context.Context, step int, v View) (*Moment, error)

	// Seek returns the nearest step behind from, or before it, that the goal
	// names; found is false if there is none.
	Seek(ctx context.Context, from int, g Goal) (step int, found bool, err error)

	// Touched returns which elements of which arrays the threads of the block
	// loaded and stored in the steps from … to−1.
	Touched(ctx context.Context, from, to int) (*Touched, error)
}

// Tape is what a recording is about.
type Tape struct {
	Kernel   string `json:"kernel"`
	Block    Index  `json:"block"`     // blockIdx
	Grid     Index  `json:"grid"`      // blocks of the launch
	BlockDim Index  `json:"block_dim"` // threads of a block
	Warps    int    `json:"warps"`

	Steps    int         `json:"steps"`
	Phases   int         `json:"phases"` // what barriers divide the block's life into
	Complete bool        `json:"complete"`
	Reason   string      `json:"reason,omitempty"` // why it is not complete
	Other    string      `json:"other,omitempty"`  // how it differs from what the launch's Result is of: nothing, unless the order of threads decides what comes out
	Lines    []int       `json:"lines"`            // of the source, at which there is a step
	Arrays   []TapeArray `json:"arrays"`

	Exchanges bool `json:"exchanges,omitempty"` // there are steps in which lanes exchange values

	// Memory that the recording takes. Parts of it are made when they are first
	// asked for, by running the launch again, and forgotten where they do not fit into
	// Bound.
	Bytes int64 `json:"bytes"` // now
	Most  int64 `json:"most"`  // when all of it was asked for, at most about
	Bound int64 `json:"bound"`
	Held  int   `json:"held"` // steps that are in memory
}

// TapeArray is an array that the block can access: a buffer, a variable of the
// source, or a shared array. Others name it by its place in Tape.Arrays.
type TapeArray struct {
	Name     string `json:"name"`
	Space    string `json:"space"` // global, shared, constant, parameter
	Element  string `json:"element"`
	Elements int64  `json:"elements"`
	Size     int    `json:"size"` // bytes of an element
	Shape    []int  `json:"shape,omitempty"`
}

// View is what of a block is asked for.
type View struct {
	Warps  []int `json:"warps,omitempty"`  // whose variables are wanted; none is the step's own warp
	Shared bool  `json:"shared,omitempty"` // whether the shared arrays are
}

// StepKind is what a step is.
type StepKind string

const (
	StepStatement StepKind = "statement" // a warp begins a statement
	StepRelease   StepKind = "release"   // the block's barrier lets all warps go on
	StepEnd       StepKind = "end"       // the block has ended, or the recording
)

// Moment is a block at a step.
type Moment struct {
	Step  int      `json:"step"`
	Kind  StepKind `json:"kind"`
	Warp  int      `json:"warp"` // whose step it is, of a statement
	Place Mark     `json:"place"`
	Phase int      `json:"phase"` // barriers passed so far

	Warps    []WarpMoment   `json:"warps"`
	Shared   []SharedMoment `json:"shared,omitempty"`
	Accesses []StepAccess   `json:"accesses"` // what this step's statement accesses, in order
	Printed  string         `json:"printed,omitempty"`

	Exchanges []StepExchange `json:"exchanges,omitempty"` // what its lanes exchange, in order
}

// Mark is a place in the source.
type Mark struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// WarpMoment is a warp at a step. A mask has a bit for each lane.
type WarpMoment struct {
	Warp    int    `json:"warp"`
	Place   Mark   `json:"place"`   // the statement it is in
	Active  uint32 `json:"active"`  // the lanes that execute it
	Live    uint32 `json:"live"`    // the lanes that exist and have not ended
	Waiting uint32 `json:"waiting"` // the lanes that wait at the block's barrier
	Lines   []int  `json:"lines"`   // by lane: the line of the statement that it began last, 0 for none

	Frames []FrameMoment `json:"frames,omitempty"` // of a warp that was asked for: the kernel first, then what it called
}

// FrameMoment is a function that a warp is in.
type FrameMoment struct {
	Function string     `json:"function"`
	Place    Mark       `json:"place"` // the statement that it is in
	Lanes    uint32     `json:"lanes"` // that called it
	Vars     []Variable `json:"vars"`
	Omitted  bool       `json:"omitted,omitempty"` // the recording had no room for its variables
}

// Variable is a variable of the source that is in scope, or a part of one, in
// every lane of a warp.
type Variable struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Set  uint32 `json:"set"` // the lanes in which it holds a value

	// The value in each lane, as C would write it, "" where it holds none; one if
	// all lanes in Set hold the same. None of a variable with parts.
	Values []string   `json:"values,omitempty"`
	Parts  []Variable `json:"parts,omitempty"` // members and elements
	More   int64      `json:"more,omitempty"`  // parts beyond those

	Omitted bool `json:"omitted,omitempty"` // the recording had no room for what it holds
}

// SharedMoment is a shared array at a step. Owners says for each element which
// thread, counted through the block, stored it last, −1 if none has, and Steps
// in which step.
type SharedMoment struct {
	Array  int      `json:"array"`
	Values []string `json:"values"` // "" for an element that nobody has stored
	Owners []int    `json:"owners"`
	Steps  []int    `json:"steps"`
	More   int64    `json:"more,omitempty"` // elements beyond those
}

// StepAccess is one access of a warp to memory. Lanes has the lanes that take
// part; Elements, Values and After have one entry for each of them, ascending.
type StepAccess struct {
	Place    Mark     `json:"place"`
	Kind     string   `json:"kind"`  // load, store, atomic
	Array    int      `json:"array"` // −1 for a lane's own memory
	Name     string   `json:"name"`  // of the array
	Lanes    uint32   `json:"lanes"`
	Elements []int64  `json:"elements"`        // the first element of each lane
	Width    int      `json:"width"`           // bytes that each lane accesses
	Values   []string `json:"values"`          // what it loads or stores; of an atomic, its operand
	After    []string `json:"after,omitempty"` // of an atomic: what is there when all lanes are done

	// Of shared memory, as Banked counts: in how many turns the banks serve it, how
	// many of them are conflicts, and by lane the bank of the first word, counted
	// from where the array begins.
	Turns     int   `json:"turns,omitempty"`
	Conflicts int   `json:"conflicts,omitempty"`
	Banks     []int `json:"banks,omitempty"`
}

// StepExchange is one exchange between lanes of a warp: a shuffle, vote, match or
// reduction. Lanes has the lanes that take part; the lists have one entry for each
// of them, ascending. A lane of a shuffle that names one which is not in Lanes gets
// what CUDA does not define, and here what that lane's register holds.
type StepExchange struct {
	Place Mark     `json:"place"`
	Kind  string   `json:"kind"` // shuffle, shuffle up, down and xor; vote any, all and uni; ballot; match any and all; reduce add, min, max, and, or and xor
	Lanes uint32   `json:"lanes"`
	Gives []string `json:"gives"`          // the value that each lane has for the others
	From  []int    `json:"from,omitempty"` // of a shuffle: the lane whose value each gets, its own where the other is outside of its group
	Gets  []string `json:"gets"`
}

// GoalKind is what Seek looks for.
type GoalKind string

const (
	GoalStep    GoalKind = "step"    // any step
	GoalWarp    GoalKind = "warp"    // a step of Warp
	GoalBarrier GoalKind = "barrier" // a step at which a barrier lets all go on, or the end
	GoalLine    GoalKind = "line"    // a step at Line
	GoalElement GoalKind = "element" // a step that accesses Element of Array

	GoalExchange GoalKind = "exchange" // a step in which lanes exchange values
)

// Goal is where Seek goes.
type Goal struct {
	Kind    GoalKind `json:"kind"`
	Back    bool     `json:"back,omitempty"`
	Warp    int      `json:"warp,omitempty"`
	Line    int      `json:"line,omitempty"`
	Array   int      `json:"array,omitempty"`
	Element int64    `json:"element,omitempty"`
}

// Touched is what a block did to its arrays.
type Touched struct {
	From   int            `json:"from"`
	To     int            `json:"to"`
	Phases []PhaseTouched `json:"phases"` // in which there were accesses
	Ends   []PhaseEnd     `json:"ends"`   // of the phases that ended in these steps
	Uses   []ArrayUses    `json:"uses"`
	Cut    bool           `json:"cut,omitempty"` // there was more than is listed
}

// PhaseTouched is what happened between two barriers.
type PhaseTouched struct {
	Phase    int              `json:"phase"`
	Arrays   []ArrayTouched   `json:"arrays"`
	Requests []SharedRequests `json:"requests"` // to shared memory
}

// PhaseEnd is where a phase ends: the step at which the barrier lets all go on, or
// the end.
type PhaseEnd struct {
	Phase int `json:"phase"`
	Step  int `json:"step"`
}

// SharedRequests are the requests of one place of the source to a shared array,
// within a phase.
type SharedRequests struct {
	Place     Mark   `json:"place"`
	Kind      string `json:"kind"` // load, store, atomic
	Array     int    `json:"array"`
	Requests  int    `json:"requests"`
	Turns     int    `json:"turns"`
	Conflicts int    `json:"conflicts"`

	// The first of those that took most turns: in which step, and how many.
	Step int `json:"step"`
	Most int `json:"most"`
}

// ArrayTouched lists which threads, counted through the block, accessed which
// elements of an array: entry i of each list is one thread and element, and how
// often. By thread, then element.
type ArrayTouched struct {
	Array         int     `json:"array"`
	LoadThreads   []int   `json:"load_threads"`
	LoadElements  []int64 `json:"load_elements"`
	LoadCounts    []int   `json:"load_counts"`
	StoreThreads  []int   `json:"store_threads"` // atomics too
	StoreElements []int64 `json:"store_elements"`
	StoreCounts   []int   `json:"store_counts"`
}

// ArrayUses says how often each element of an array was used, by element.
type ArrayUses struct {
	Array    int     `json:"array"`
	Elements []int64 `json:"elements"`
	Loads    []int   `json:"loads"`   // by lanes
	Fetches  []int   `json:"fetches"` // by requests: lanes of a warp that want it in the same instruction fetch it once
	Stores   []int   `json:"stores"`  // by lanes, atomics too
}
