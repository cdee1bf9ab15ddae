package watch

import (
	"testing"

	"workbench/engine/launch"
	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
)

func accessOf(kind run.AccessKind, space code.Space, mask uint32, size, count int, offset func(lane int) int) *run.Access {
	base := uint64(run.NewPointer(space, 3))
	var addrs [32]uint64
	for i := range addrs {
		addrs[i] = base + uint64(offset(i))
	}
	return &run.Access{Kind: kind, Space: space, Mask: mask, Addrs: &addrs, Size: size, Count: count}
}

const every = ^uint32(0)

// TestTraffic holds sectors and lines against the figures of CUDA's guides.
func TestTraffic(t *testing.T) {
	for _, c := range []struct {
		name           string
		mask           uint32
		size, count    int
		offset         func(int) int
		sectors, lines int64
		distinct       int64
	}{
		{"floats in a row", every, 4, 1, func(l int) int { return 4 * l }, 4, 1, 128},
		{"floats in a row, one further", every, 4, 1, func(l int) int { return 4*l + 4 }, 5, 2, 128},
		{"floats backwards", every, 4, 1, func(l int) int { return 4 * (31 - l) }, 4, 1, 128},
		{"every second float", every, 4, 1, func(l int) int { return 8 * l }, 8, 2, 128},
		{"a column", every, 4, 1, func(l int) int { return 4096 * l }, 32, 32, 128},
		{"one for all", every, 4, 1, func(int) int { return 40 }, 1, 1, 4},
		{"two rows of 16, the same", every, 4, 1, func(l int) int { return 4 * (l % 16) }, 2, 1, 64},
		{"doubles in a row", every, 8, 1, func(l int) int { return 8 * l }, 8, 2, 256},
		{"four floats each", every, 4, 4, func(l int) int { return 16 * l }, 16, 4, 512},
		{"bytes in a row", every, 1, 1, func(l int) int { return l }, 1, 1, 32},
		{"a lane", 1 << 9, 4, 1, func(l int) int { return 4 * l }, 1, 1, 4},
		{"half a warp", 0xffff, 4, 1, func(l int) int { return 4 * l }, 2, 1, 64},
		{"to and fro", every, 4, 1, func(l int) int { return 32 * (l ^ 5) }, 32, 8, 128},
	} {
		var got launch.Traffic
		var k counter
		k.traffic(&got, accessOf(run.Load, code.Global, c.mask, c.size, c.count, c.offset))
		lanes := int64(0)
		for m := c.mask; m != 0; m &= m - 1 {
			lanes++
		}
		want := launch.Traffic{Requests: 1, Lanes: lanes, Bytes: lanes * int64(c.size*c.count), Distinct: c.distinct, Sectors: c.sectors, Transactions: c.lines}
		if got != want {
			t.Errorf("%s: %+v, want %+v", c.name, got, want)
		}
	}
}

func TestBanked(t *testing.T) {
	for _, c := range []struct {
		name        string
		kind        run.AccessKind
		mask        uint32
		size, count int
		offset      func(int) int
		turns, more int64
	}{
		{"words in a row", run.Load, every, 4, 1, func(l int) int { return 4 * l }, 1, 0},
		{"one word for all", run.Load, every, 4, 1, func(int) int { return 4 }, 1, 0},
		{"every second word", run.Load, every, 4, 1, func(l int) int { return 8 * l }, 2, 1},
		{"every third word", run.Load, every, 4, 1, func(l int) int { return 12 * l }, 1, 0},
		{"a column of 32", run.Load, every, 4, 1, func(l int) int { return 128 * l }, 32, 31},
		{"a column of 33", run.Load, every, 4, 1, func(l int) int { return 132 * l }, 1, 0},
		{"two words of one bank, each for many", run.Load, every, 4, 1, func(l int) int { return 128 * (l % 2) }, 2, 1},
		{"bytes of one word", run.Load, every, 1, 1, func(l int) int { return l % 4 }, 1, 0},
		{"halves in a row", run.Load, every, 2, 1, func(l int) int { return 2 * l }, 1, 0},
		{"doubles in a row", run.Load, every, 8, 1, func(l int) int { return 8 * l }, 2, 0},
		{"every second double", run.Load, every, 8, 1, func(l int) int { return 16 * l }, 4, 2},
		{"four floats each", run.Store, every, 4, 4, func(l int) int { return 16 * l }, 4, 0},
		{"two floats each, a quarter of a warp", run.Load, 0xff, 4, 2, func(l int) int { return 8 * l }, 1, 0},
		{"atomics on one word", run.Atomic, every, 4, 1, func(int) int { return 0 }, 32, 31},
		{"atomics on words in a row", run.Atomic, every, 4, 1, func(l int) int { return 4 * l }, 1, 0},
	} {
		var got launch.Banked
		var k counter
		k.banked(&got, accessOf(c.kind, code.Shared, c.mask, c.size, c.count, c.offset))
		if got.Turns != c.turns || got.Conflicts != c.more {
			t.Errorf("%s: %d turns, %d conflicts, want %d and %d", c.name, got.Turns, got.Conflicts, c.turns, c.more)
		}
	}
}
