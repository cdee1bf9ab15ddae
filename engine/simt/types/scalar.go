// Package types has the types of CUDA C.
//
// A Scalar is what one register of the register code holds, and what one
// element of memory is. C's names for them differ between hosts; these do not:
//
//	pred   a truth value; in registers only, in memory a bool is a u8
//	i8     signed char           u8   unsigned char, bool
//	i16    short                 u16  unsigned short
//	i32    int                   u32  unsigned int
//	i64    long, long long       u64  unsigned long, unsigned long long, size_t
//	f16    __half                bf16 __nv_bfloat16
//	f32    float                 f64  double
//	ptr    any pointer or reference, 64 bits
package types

import "fmt"

// Scalar is the type of a register and of an element of memory.
type Scalar uint8

const (
	Void Scalar = iota // no value
	Pred
	I8
	U8
	I16
	U16
	I32
	U32
	I64
	U64
	F16
	BF16
	F32
	F64
	Ptr
)

var scalars = [...]struct {
	name     string
	size     int
	unsigned Scalar // of the same width
}{
	Void: {"void", 0, Void},
	Pred: {"pred", 0, Void},
	I8:   {"i8", 1, U8},
	U8:   {"u8", 1, U8},
	I16:  {"i16", 2, U16},
	U16:  {"u16", 2, U16},
	I32:  {"i32", 4, U32},
	U32:  {"u32", 4, U32},
	I64:  {"i64", 8, U64},
	U64:  {"u64", 8, U64},
	F16:  {"f16", 2, U16},
	BF16: {"bf16", 2, U16},
	F32:  {"f32", 4, U32},
	F64:  {"f64", 8, U64},
	Ptr:  {"ptr", 8, U64},
}

// String returns the name in the table above.
func (s Scalar) String() string {
	if int(s) < len(scalars) {
		return scalars[s].name
	}
	return fmt.Sprintf("scalar(%d)", uint8(s))
}

// ParseScalar returns the scalar of that name.
func ParseScalar(name string) (Scalar, bool) {
	for s := range scalars {
		if scalars[s].name == name {
			return Scalar(s), true
		}
	}
	return Void, false
}

// Size returns the bytes that an element takes in memory, which is also its
// alignment; 0 for pred and void, which are never in memory.
func (s Scalar) Size() int { return scalars[s].size }

// Bits returns 8 times Size, and 1 for pred.
func (s Scalar) Bits() int {
	if s == Pred {
		return 1
	}
	return 8 * scalars[s].size
}

// Integer reports whether s is i8 … u64.
func (s Scalar) Integer() bool { return s >= I8 && s <= U64 }

// Signed reports whether s is an integer with a sign.
func (s Scalar) Signed() bool { return s == I8 || s == I16 || s == I32 || s == I64 }

// Float reports whether s is f16, bf16, f32 or f64.
func (s Scalar) Float() bool { return s >= F16 && s <= F64 }

// Unsigned returns the unsigned integer of the same width: what the bits of a
// value are.
func (s Scalar) Unsigned() Scalar { return scalars[s].unsigned }
