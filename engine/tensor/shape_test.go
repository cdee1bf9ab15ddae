package tensor

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// shapeFault checks that an error is a ShapeError of an operation that says
// something.
func shapeFault(t testing.TB, err error, op, reason string) {
	t.Helper()
	var fault *ShapeError
	if !errors.As(err, &fault) {
		t.Fatalf("error %v, want a ShapeError with %q", err, reason)
	}
	if fault.Op != op || !strings.Contains(fault.Error(), reason) {
		t.Errorf("error of %q: %v; want one of %q with %q", fault.Op, fault, op, reason)
	}
	if !strings.HasPrefix(fault.Error(), op) {
		t.Errorf("the error does not begin with the operation: %v", fault)
	}
}

func TestElements(t *testing.T) {
	long := make([]int, MaxRank+1)
	for i := range long {
		long[i] = 1
	}
	for _, c := range []struct {
		shape  []int
		want   int
		reason string
	}{
		{nil, 1, ""},
		{[]int{}, 1, ""},
		{[]int{0}, 0, ""},
		{[]int{7}, 7, ""},
		{[]int{2, 3, 5}, 30, ""},
		{[]int{2, 0, 5}, 0, ""},
		{[]int{MaxElements}, MaxElements, ""},
		{[]int{1 << 14, 1 << 14}, MaxElements, ""},
		{long[1:], 1, ""},
		{long, 0, "has 17 axes, more than 16"},
		{[]int{2, -1}, 0, "axis 1 is negative"},
		{[]int{0, -1}, 0, "axis 1 is negative"},
		{[]int{MaxElements + 1}, 0, "has more than 268435456 elements"},
		{[]int{1_000_000, 1_000_000}, 0, "has more than"},
		{[]int{1 << 32, 1 << 32}, 0, "has more than"}, // 2^64 is 0 in 64 bits
		{[]int{1 << 31, 1 << 31, 4}, 0, "has more than"},
		{[]int{math.MaxInt, math.MaxInt}, 0, "has more than"},
		{[]int{0, math.MaxInt, 2}, 0, "has more than"}, // an empty tensor's other dimensions count too
	} {
		got, err := Elements(c.shape)
		if c.reason != "" {
			shapeFault(t, err, "shape", c.reason)
		} else if err != nil || got != c.want {
			t.Errorf("Elements(%v) = %d, %v, want %d", c.shape, got, err, c.want)
		}
	}
}

func TestBroadcastShapes(t *testing.T) {
	for _, c := range []struct {
		left, right, want []int
	}{
		{[]int{}, []int{}, []int{}},
		{[]int{}, []int{2, 3}, []int{2, 3}},
		{[]int{3}, []int{2, 1}, []int{2, 3}},
		{[]int{5, 1, 3}, []int{2, 1}, []int{5, 2, 3}},
		{[]int{2, 3}, []int{2, 3}, []int{2, 3}},
		{[]int{1}, []int{0}, []int{0}},
		{[]int{0}, []int{0}, []int{0}},
		{[]int{0}, []int{2}, nil},
		{[]int{2, 3}, []int{3, 2}, nil},
		{[]int{2}, []int{2, 3}, nil},
		{[]int{1 << 20, 1}, []int{1 << 20}, nil}, // 2^40 elements
	} {
		for swap, pair := range [][2][]int{{c.left, c.right}, {c.right, c.left}} {
			got, err := BroadcastShapes("add", pair[0], pair[1])
			if c.want == nil {
				if err == nil {
					t.Errorf("BroadcastShapes(%v, %v) = %v, want an error", pair[0], pair[1], got)
				}
				var fault *ShapeError
				if !errors.As(err, &fault) || fault.Op != "add" {
					t.Errorf("BroadcastShapes(%v, %v): %v is no ShapeError of the operation", pair[0], pair[1], err)
				}
				continue
			}
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("BroadcastShapes, order %d, of %v and %v = %v, %v, want %v", swap, pair[0], pair[1], got, err, c.want)
			}
		}
	}
}

func TestShapeErrorText(t *testing.T) {
	for _, c := range []struct {
		err  ShapeError
		want string
	}{
		{ShapeError{Op: "matmul", Left: []int{2, 3}, Right: []int{4, 5}, Reason: "do not fit"}, "matmul [2, 3] and [4, 5]: do not fit"},
		{ShapeError{Op: "new", Left: []int{}, Reason: "is a scalar"}, "new []: is a scalar"},
		{ShapeError{Op: "new", Reason: "has too many axes"}, "new: has too many axes"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%+v reads %q, want %q", c.err, got, c.want)
		}
	}
}

func TestCoordinate(t *testing.T) {
	for _, shape := range [][]int{{}, {1}, {7}, {2, 3}, {3, 1, 5}, {2, 3, 4, 5}} {
		n, err := Elements(shape)
		if err != nil {
			t.Fatal(err)
		}
		for flat := range n {
			at := Coordinate(shape, flat)
			back := 0
			for axis, d := range shape {
				if at[axis] < 0 || at[axis] >= d {
					t.Fatalf("Coordinate(%v, %d) = %v lies outside", shape, flat, at)
				}
				back = back*d + at[axis]
			}
			if back != flat {
				t.Fatalf("Coordinate(%v, %d) = %v, which is the flat index %d", shape, flat, at, back)
			}
		}
	}
	if got := Coordinate([]int{2, 0}, 0); !slices.Equal(got, []int{0, 0}) {
		t.Errorf("Coordinate of an empty shape = %v", got)
	}
}
