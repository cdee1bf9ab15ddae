// Package code is the register code that CUDA C is lowered to, as data: typed
// registers, structured control flow, and for every instruction the place in the
// source that it comes from. The emulator runs it; nothing in it is the
// emulator's alone, and what PTX leaves open is fixed as a GPU does it.
//
//	kernel saxpy(n i32 %n, a f32 %a, x ptr %x, y ptr %y) {
//		reg %bid u32
//		reg %dim u32
//		reg %tid u32
//		...
//		special ctaid.x %bid
//		special ntid.x %dim
//		special tid.x %tid
//		mul u32 %i %bid %dim
//		add u32 %i %i %tid
//		convert i32 u32 %at %i
//		lt i32 %inside %at %n
//		if %inside {
//			index i32 %px %x %at 4
//			index i32 %py %y %at 4
//			load f32 global %vx %px
//			load f32 global %vy %py
//			muladd f32 %vy %a %vx %vy
//			store f32 global %py %vy
//		}
//	}
//
// # Registers
//
// A register holds one value of its type for each lane, and keeps it until it is
// written again: a variable of the source whose address nobody takes is a
// register, a struct of them several. Code is not in SSA form; a variable that
// is assigned in two branches is one register. Temporaries are registers too,
// best written once and used soon after, in the same block or one inside it.
// What has its address taken, or is indexed by something that is not a constant,
// is a Variable in local memory.
//
// An operand is a register or a constant. A constant's Bits are the value as its
// type has it: 0x3f800000 for the f32 1; integers narrower than 64 bits sign- or
// zero-extended as their type is. Types never change by themselves: where they
// differ there is a Convert (which changes the value's form) or a Bits (which
// does not). Arithmetic is in 32 and 64 bits, and in the floats; an i8, u8, i16
// or u16 is converted to i32 first, as C promotes it, and converted back when it
// is assigned. A bool is a pred in a register and a u8, 0 or 1, in memory.
//
// # Arithmetic
//
// Integers wrap. Division by zero is a report of whoever checks; without one the
// quotient has all bits set and the remainder is the dividend. Shift amounts are
// u32, and one that is too large shifts everything out. A float operation rounds
// to its type, to nearest even; subnormals are kept. Min and max ignore a NaN.
//
// a*b + c in the source is one MulAdd: the contract of the launch says whether
// that is one rounding or two. The compiler of a GPU forms it wherever a product
// is an operand of a sum, also across statements; so should the lowering, but
// where the source asks for a rounding in between (__fmul_rn, __fadd_rn).
//
// # Memory
//
// A pointer says by itself which memory it points into; an access names the
// space as well if that is known, for who prints the code. Address arithmetic is
// by Index, or on a pointer converted to u64. Every variable is an allocation of
// its own, and leaving it, at either end, is a fault wherever it lands. A lane's
// accesses have an effect in the order of the code.
//
// A kernel's parameters lie in parameter memory, each at its C offset, and those
// with a register are loaded into it. A struct by value has none: its members
// are loaded from Addr of space Parameter. A function's parameters are registers;
// what is passed by reference is a ptr, and a struct by value either a register
// for each member or a ptr to a copy.
//
// # Control
//
// Lanes part at If, Loop, Region and Return, and meet again where the construct
// ends. Code after a Break, Continue or Return in the same block is never run.
// A Loop's Cond and Step are run by its lanes like the body; Test is looked at
// after Cond. && and || are an And or Or of preds only where the right side has
// no effect and cannot fault; otherwise an If.
//
// A switch over x with fall-through is a Region:
//
//	region {
//		eq i32 %on %x 1
//		if %on { …case 1, falls through… }
//		eq i32 %is %x 2
//		or pred %on %on %is
//		if %on { …case 2… break 0 }
//		…default…
//	}
//
// # Statements
//
// A Stmt stands before what each statement of the source became, with the
// statement's position. An observer counts and shows those.
package code
