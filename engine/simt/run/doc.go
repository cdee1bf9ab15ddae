// Package run executes register code as a GPU would: a warp of 32 lanes at a
// time, in grids of blocks.
//
//	image, err := run.Compile(program)             // *code.Program; once
//	m, err := run.New(image, 0)                    // its memory: __device__ and __constant__ variables
//	x, err := m.Allocate("x", 4*n, "float", 4)     // and what is allocated, x.Data
//	r, err := m.Launch(ctx, &run.Launch{Kernel: "scale", Grid: …, Block: …, Args: …})
//
// # Execution
//
// A kernel is made into a list of ops, Go functions that each do one instruction
// for all lanes of a warp. What is the same in all lanes, as most indices and
// loop conditions are, is found beforehand and computed once. Where lanes part,
// a mask says which of them are active; they meet again where the construct
// ends, and no lane overtakes the others of its warp. So a lane that waits for
// another lane of its own warp, which waits for it at the end of a loop, waits
// for ever, as it does on GPUs before compute capability 7.0; the launch ends
// with its instructions, and the fault says who waits for whom.
//
// The warps of a block take turns, at barriers and after a number of
// instructions, so that warps which wait for each other proceed; a block that
// seems to wait for another is put aside while others run. Blocks that nobody
// observes run on several processors. What a launch computes does not depend on
// any of this unless the kernel does; Seed and Quantum are there to find out.
// With one worker everything is repeatable, the order of atomics too.
//
// A barrier is passed when every warp that has not ended has arrived with
// those of its lanes that get there, as on the same older GPUs; whether all lanes
// did, an observer can say.
//
// # Memory
//
// Every buffer, variable, shared array and local array is an allocation of its
// own, and a Pointer says which, so that what lies outside is found wherever it
// would have landed. Shared and local memory hold 0xff bytes at first: a NaN, or
// −1. Global memory is as the launch finds it. An access that is out of bounds,
// misaligned, through a null pointer or a write to constant memory is a Fault
// and ends the launch, unless an observer lets it go on.
//
// # Arithmetic
//
// Is that of package code, to the bit. A NaN that is computed has a GPU's
// pattern. Elementary functions are correct to about one unit in the last place
// and have the same bits everywhere, which are not those of any GPU: CUDA's
// expf, sinf, powf and so on err by one or two units in ways that differ between
// architectures, and __expf, __sinf and their like by more. Exact and so equal
// are sqrt, ceil, floor, trunc, round, rint, fmod, remainder, ldexp, frexp, modf,
// copysign, fdim, nextafter, and everything on integers.
package run
