package run

import "workbench/engine/simt/code"

// A Pointer is the value of a ptr register:
//
//	bits 63…60  the space: 1 global, 2 shared, 3 local, 4 constant, 5 parameters
//	bits 59…40  which allocation of that space
//	bits 39…0   the offset in bytes, signed
//
// so that a pointer which leaves its allocation, at either end, is still known
// to be one into that allocation as long as it stays within half a tebibyte, and
// arithmetic on it is the arithmetic of 64-bit integers. The null pointer is 0.
type Pointer uint64

const (
	offsetBits = 40
	offsetBias = 1 << (offsetBits - 1)
	numberBits = 20
	numberMask = 1<<numberBits - 1
)

// NewPointer returns the address of the first byte of an allocation.
func NewPointer(s code.Space, number int) Pointer {
	return Pointer(uint64(s)<<(offsetBits+numberBits) | uint64(number)<<offsetBits)
}

// key returns space and number.
func (p Pointer) key() uint64 { return (uint64(p) + offsetBias) >> offsetBits }

// Space returns the memory that p points into, Generic for none.
func (p Pointer) Space() code.Space {
	if s := code.Space(p.key() >> numberBits); s <= code.Parameter {
		return s
	}
	return code.Generic
}

// Number returns which allocation of its space p points into.
func (p Pointer) Number() int { return int(p.key() & numberMask) }

// Offset returns the bytes from the beginning of the allocation.
func (p Pointer) Offset() int64 {
	return int64(uint64(p) - p.key()<<offsetBits)
}
