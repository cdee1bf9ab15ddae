// Package lower turns checked CUDA C into register code.
//
// # Variables
//
// A variable whose address nobody takes is registers: one for a number, one for
// each member of a struct, one for each element of an array that is only indexed
// by constants. All others are local memory. Loops that go round a small constant
// number of times are written out, which makes constants of their variables: so
// the accumulators of a register-blocked product are registers, as on a GPU.
//
// # Functions
//
// A function is written out where it is called, and its references are what the
// caller handed over, places and not pointers. Functions that call themselves,
// that are __noinline__, or that would make the code too large stay functions.
//
// # Contraction
//
// With nvcc's --fmad=true, a product and a sum become one operation that rounds
// once. Which ones is decided when the code is finished, by the rules that
// contract.go states; they become MulAdd, and the contract of a launch says what
// that rounds.
package lower
