// Package race finds data races in what the lanes of a launch do, from the order
// that their own synchronisation gives and not from how they happened to take
// turns: a race is found whether or not it did any harm this time.
//
// # What is a race
//
// Two accesses to one place race when at least one is a plain write and neither
// happens before the other. What happens before what:
//
//   - the accesses of one lane, in the order of its program. The lanes of a warp
//     are not ordered by executing an instruction together;
//   - at a block's barrier, everything of the block before it, before everything
//     behind it. A lane that has ended has arrived at all barriers;
//   - at a __syncwarp, shuffle, vote, match or reduce, the same for the lanes of
//     its mask;
//   - a release before an acquire that reads what it wrote. A release is an
//     atomic or a volatile write by a lane that has executed a fence: what
//     happened before the fence is released. An atomic acquires; a volatile read
//     does with a fence behind it. Atomics on one place hand on what was released
//     there before, a volatile write replaces it. A fence of a block, and an
//     atomic of a block, does so for the same block only.
//
// All of it is transitive. A fence counts across barriers and __syncwarp: where
// every thread fences, the block meets, and one thread then signals, it signals
// for all; and where one thread has seen the signal, the block meets, and every
// thread fences, all have.
//
// The atomics on one place have one order: whoever has executed one, or waited
// at a barrier for one of its block who has, may set the place back with a plain
// write, without a fence.
//
// A plain read beside atomics is told of like a race; whether it is one depends
// on what becomes of the value, which is not known here.
//
// Volatile accesses are like atomics that order nothing, with one exception: a
// volatile write that no fence of that lane came before, since the last barrier,
// is like a plain one for the lanes of its warp and, in shared memory, for its
// block. That is the warp-synchronous style that was written for the lockstep of
// GPUs until Pascal. An atomic of a block races with atomics of other blocks.
//
// # How it is found
//
// Every access has a time: the number of synchronisations and turns of warps that
// came before it, so that a time says which warp it was. The whole knowledge of
// what came before is then a few times: one per block (its last barrier), one per
// warp (its last __syncwarp), a row per lane where a part of a warp met, and for
// what is known through releases a map from block to time, which is shared and
// not copied.
//
// Each 4-byte word of memory, or 2 or 1 bytes where something narrower was
// accessed, has a cell of three marks: the last write and two others, chosen so
// that a write that is ordered behind both is ordered behind all that were
// forgotten, but for rare patterns of partial order. Of accesses that nothing
// orders the cell keeps those of the lowest threads, so that what is reported
// depends little on the order in which warps had their turns.
package race
