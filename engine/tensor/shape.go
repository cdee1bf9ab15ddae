package tensor

import (
	"fmt"
	"math/bits"
	"strings"
)

// MaxElements bounds a tensor: 2^28 float64 values are 2 GiB.
const MaxElements = 1 << 28

// MaxRank bounds the number of axes.
const MaxRank = 16

// A ShapeError is a shape, or a pair of shapes, that an operation cannot take.
type ShapeError struct {
	Op     string // the operation: "matmul", "reshape", …
	Left   []int  // the operand's shape
	Right  []int  // the other shape; nil where there is one alone
	Reason string // what does not fit, and what would
}

func (e *ShapeError) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.Left != nil {
		fmt.Fprintf(&b, " %s", FormatShape(e.Left))
	}
	if e.Right != nil {
		fmt.Fprintf(&b, " and %s", FormatShape(e.Right))
	}
	b.WriteString(": ")
	b.WriteString(e.Reason)
	return b.String()
}

// FormatShape writes a shape as people do: [2, 3]. A scalar's is [].
func FormatShape(shape []int) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, d := range shape {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, d)
	}
	b.WriteByte(']')
	return b.String()
}

// plural writes a number of things: 1 column, 2 columns.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Elements returns the number of elements of a shape: 1 for a scalar, 0 where
// any dimension is 0. A negative dimension, more than MaxRank axes or more than
// MaxElements elements is a ShapeError.
func Elements(shape []int) (int, error) {
	return elements("shape", shape)
}

func elements(op string, shape []int) (int, error) {
	if len(shape) > MaxRank {
		// The shape itself may be absurdly long: it is not repeated.
		return 0, &ShapeError{Op: op, Reason: fmt.Sprintf("has %d axes, more than %d", len(shape), MaxRank)}
	}
	n, empty := uint64(1), false
	for axis, d := range shape {
		if d < 0 {
			return 0, &ShapeError{Op: op, Left: clone(shape), Reason: fmt.Sprintf("axis %d is negative", axis)}
		}
		if d == 0 {
			empty = true
			continue
		}
		// An empty tensor's other dimensions are bounded too, so that
		// products of a part of them cannot overflow either.
		hi, lo := bits.Mul64(n, uint64(d))
		if hi != 0 || lo > MaxElements {
			return 0, &ShapeError{Op: op, Left: clone(shape), Reason: fmt.Sprintf("has more than %d elements, the most a tensor may have", MaxElements)}
		}
		n = lo
	}
	if empty {
		return 0, nil
	}
	return int(n), nil
}

// rowMajor returns the strides of a contiguous row-major tensor, in elements.
func rowMajor(shape []int) []int {
	strides := make([]int, len(shape))
	stride := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = stride
		stride *= max(shape[i], 1)
	}
	return strides
}

// BroadcastShapes returns the shape that both shapes broadcast to: aligned at
// the last axis, each pair of dimensions is equal or one of them is 1. Op is the
// operation that a ShapeError names.
func BroadcastShapes(op string, left, right []int) ([]int, error) {
	rank := max(len(left), len(right))
	out := make([]int, rank)
	for i := range rank {
		l, r := dimFromRight(left, rank-1-i), dimFromRight(right, rank-1-i)
		switch {
		case l == r || r == 1:
			out[i] = l
		case l == 1:
			out[i] = r
		default:
			return nil, &ShapeError{Op: op, Left: clone(left), Right: clone(right),
				Reason: fmt.Sprintf("cannot broadcast %d with %d: dimensions must be equal or 1, counted from the last axis", l, r)}
		}
	}
	if _, err := elements(op, out); err != nil {
		return nil, err
	}
	return out, nil
}

func dimFromRight(shape []int, fromRight int) int {
	if i := len(shape) - 1 - fromRight; i >= 0 {
		return shape[i]
	}
	return 1
}

func clone(shape []int) []int { return append([]int{}, shape...) }
