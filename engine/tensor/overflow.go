package tensor

import "math/bits"

// The engine needs a processor of 64 bits: a tensor may have 2 GiB, and what
// bounds the numbers of elements and terms below counts on an int that holds
// MaxElements². Where int has 32 bits this is the line that does not compile.
const _ int = MaxElements * MaxElements

// mulInt returns a·b, and whether that is at most 2^62 either way.
func mulInt(a, b int) (int, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if hi != 0 || lo > 1<<62 {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int(lo), true
	}
	return int(lo), true
}

// addInt returns a + b, and whether that did not overflow.
func addInt(a, b int) (int, bool) {
	sum := a + b
	return sum, (sum > a) == (b > 0)
}

func magnitude(a int) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}
