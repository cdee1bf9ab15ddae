// Package record records what a block of a launch does, so that it can be stepped
// forwards and backwards by whoever shows it.
//
// Who shows it knows package launch only. The emulator is a launch.Recorder:
//
//	results, recordings, err := emulator.Record(ctx, launches, 0, []launch.Index{{1, 0, 0}})
//	r := recordings[0]
//	tape := r.Tape()                                  // how many steps, which arrays and lines, what memory
//	m, err := r.At(ctx, 0, launch.View{Shared: true}) // variables, masks, shared memory, accesses
//	next, found, err := r.Seek(ctx, m.Step, launch.Goal{Kind: launch.GoalBarrier})
//	t, err := r.Touched(ctx, 0, tape.Steps)           // which thread loads which element, phase by phase
//
// A Moment is what holds when a step begins, with what its statement is about to
// access, and the values that are loaded. All of launch's types are made to be sent
// to a page as JSON.
//
// # How
//
// The program that is recorded has code.Names: Notes that say what the source's
// variables hold. A block is observed twice. When it is recorded, a survey counts
// its steps and divides them into segments: which lines, warps, barriers and elements
// each has, which is what Seek needs to pass it over. Values are written down when
// a segment is looked at, by a head, which is told of the block again and keeps
// a log for the segment, with the whole state of the block before it. A step is
// reached from the state of its segment by the records up to it, so that a step
// back takes what a step forward takes.
//
// To write everything at once takes up to ten times what the launch takes with all
// checks, and most of it is never looked at.
//
// # Memory
//
// A recording keeps to a bound, DefaultBound unless another is given, and Tape
// says what it takes. Beyond it segments are dropped, those first that were used
// least recently, and written again when they are asked for. For that the block runs
// again from the last of its checkpoints before there: a copy of its registers and
// memory, with what it had written. The survey takes them; what the variables hold
// at one is known when a head has come past it, so that the first step far from
// all others takes a run up to there. A block that waited for others has none, and
// the whole launch runs again. One goroutine runs it, and so it does the same each
// time, also where blocks wait for each other and where threads race.
//
// Where variables and local arrays of a block take more than an eighth of the
// bound, what is called last has none to show. A block of more than maxSegments
// segments is recorded up to there.
package record
