package record

import (
	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
)

// Pass makes a launch one that runs before what is recorded.
func Pass(l *run.Launch) { l.Observer, l.Workers = bystander{}, 1 }

// bystander observes what is not recorded: where a kernel does what must not be, the
// launch is to go on as it does where that is checked.
type bystander struct{}

func (bystander) Fault(_ *run.Warp, f *run.Fault) bool { return goesOn(f) }

// goesOn reports whether a launch goes on behind a fault, as with the checks of
// package watch.
func goesOn(f *run.Fault) bool { return f.Kind != run.Cancelled }

func (bystander) Wants() run.Events                                     { return 0 }
func (bystander) Begin(*run.Block)                                      {}
func (bystander) End(*run.Block)                                        {}
func (bystander) Statement(*run.Warp, code.Pos)                         {}
func (bystander) Segment(*run.Warp, *run.Segment)                       {}
func (bystander) Branch(*run.Warp, code.Pos, uint32, uint32)            {}
func (bystander) Declare(*run.Warp, code.Pos, run.Pointer)              {}
func (bystander) Access(*run.Access)                                    {}
func (bystander) Barrier(*run.Warp, code.Pos)                           {}
func (bystander) Release(*run.Block)                                    {}
func (bystander) SyncWarp(*run.Warp, code.Pos, *[32]uint32)             {}
func (bystander) Exchange(*run.Warp, code.Pos, code.Instr, *[32]uint32) {}
func (bystander) Fence(*run.Warp, code.Pos, code.Scope)                 {}
