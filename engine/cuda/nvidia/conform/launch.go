package conform

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"workbench/engine/cuda/nvidia"
)

func launchCases() []Case {
	return []Case{
		{Name: "launch/grid and block", Run: withKernel("conform_index", gridAndBlock)},
		{Name: "launch/in order", Run: withKernel("conform_add", inOrder)},
		{Name: "launch/parameters", Run: withKernel("conform_parameters", parameters)},
		{Name: "launch/shared memory", Run: withKernel("conform_reverse", sharedMemory)},
		{Name: "launch/copies wait", Run: withKernel("conform_wait", copiesWait)},
		{Name: "launch/many", Run: withKernel("conform_add", many)},
		{Name: "launch/refused", Run: withKernel("conform_add", refusedLaunch)},
	}
}

// withKernel makes a case of what needs one kernel.
func withKernel(symbol string, run func(c nvidia.Context, f nvidia.Function) error) func(nvidia.Driver, int) error {
	return inContext(func(c nvidia.Context) error {
		return loaded(c, func(m nvidia.Module) error {
			f, err := c.Function(m, symbol)
			if err != nil {
				return err
			}
			return run(c, f)
		})
	})
}

func u32(x uint32) []byte { return binary.LittleEndian.AppendUint32(nil, x) }

func u64(x uint64) []byte { return binary.LittleEndian.AppendUint64(nil, x) }

func pointer(p nvidia.Pointer) []byte { return u64(uint64(p)) }

var one = nvidia.Dim3{X: 1, Y: 1, Z: 1}

func words32(b []byte) []uint32 {
	out := make([]uint32, len(b)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return out
}

func words64(b []byte) []uint64 {
	out := make([]uint64, len(b)/8)
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return out
}

// geometries are launches whose extents differ in every direction; in some the
// first n threads alone write.
var geometries = []struct {
	grid, block nvidia.Dim3
	n           int
}{
	{one, one, 1},
	{nvidia.Dim3{X: 2, Y: 3, Z: 5}, nvidia.Dim3{X: 7, Y: 11, Z: 13}, 30 * 1001},
	{nvidia.Dim3{X: 5, Y: 3, Z: 2}, nvidia.Dim3{X: 13, Y: 7, Z: 2}, 5000},
	{nvidia.Dim3{X: 1000, Y: 1, Z: 1}, nvidia.Dim3{X: 32, Y: 1, Z: 1}, 31_999},
	{nvidia.Dim3{X: 1, Y: 1, Z: 900}, nvidia.Dim3{X: 1, Y: 1, Z: 64}, 900 * 64},
	{nvidia.Dim3{X: 1, Y: 900, Z: 1}, nvidia.Dim3{X: 1, Y: 512, Z: 1}, 900 * 512},
}

// gridAndBlock has every thread say where it is.
func gridAndBlock(c nvidia.Context, f nvidia.Function) error {
	for _, x := range geometries {
		size := uint64(8 * (x.n + 1))
		err := allocated(c, size, func(p nvidia.Pointer) error {
			if err := c.Fill(p, 0xFF, size); err != nil {
				return err
			}
			if err := c.Launch(f, x.grid, x.block, 0, [][]byte{pointer(p), u32(uint32(x.n))}); err != nil {
				return err
			}
			if err := c.Synchronize(); err != nil {
				return err
			}
			bytes := make([]byte, size)
			if err := c.CopyOut(bytes, p); err != nil {
				return err
			}
			got := words64(bytes)
			if got[x.n] != math.MaxUint64 {
				return fmt.Errorf("cell %d, which is none of the launch's, is %#x", x.n, got[x.n])
			}
			for i, w := range got[:x.n] {
				if want := place(uint32(i), x.grid, x.block); w != want {
					return fmt.Errorf("thread %d says %#x, want %#x", i, w, want)
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("a grid of %v of blocks of %v: %w", x.grid, x.block, err)
		}
	}
	return nil
}

// place is what conform_index writes for thread i.
func place(i uint32, grid, block nvidia.Dim3) uint64 {
	next := func(extent uint32) uint64 {
		at := i % extent
		i /= extent
		return uint64(at)
	}
	tx, ty, tz := next(block.X), next(block.Y), next(block.Z)
	bx, by, bz := next(grid.X), next(grid.Y), next(grid.Z)
	return bx + by<<10 + bz<<20 + tx<<30 + ty<<40 + tz<<50
}

// inOrder has each launch use the result of the one before, with nothing
// between them that waits.
func inOrder(c nvidia.Context, f nvidia.Function) error {
	const n, rounds = 1003, 50
	return allocated(c, 4*n, func(p nvidia.Pointer) error {
		if err := c.Fill(p, 0, 4*n); err != nil {
			return err
		}
		for k := range uint32(rounds) {
			if err := c.Launch(f, nvidia.Dim3{X: 4, Y: 1, Z: 1}, nvidia.Dim3{X: 256, Y: 1, Z: 1}, 0, [][]byte{pointer(p), u32(n - k), u32(k + 1)}); err != nil {
				return err
			}
		}
		bytes := make([]byte, 4*n)
		if err := c.CopyOut(bytes, p); err != nil {
			return err
		}
		for i, got := range words32(bytes) {
			var want uint32
			for k := range uint32(rounds) {
				if uint32(i) < n-k {
					want += k + 1
				}
			}
			if got != want {
				return fmt.Errorf("cell %d is %d, want %d", i, got, want)
			}
		}
		return nil
	})
}

// parameters of every size C has, in an order that leaves gaps between them.
func parameters(c nvidia.Context, f nvidia.Function) error {
	const cells = 20
	return allocated(c, 8*cells, func(p nvidia.Pointer) error {
		structure := pattern(112, 17)
		arguments := [][]byte{
			{0xFE},
			u64(math.Float64bits(-math.Pi)),
			{0xCD, 0xAB},
			u32(0x80000001),
			u32(math.Float32bits(1.5)),
			pointer(p),
			structure,
			{0x7F},
		}
		want := []uint64{0xFE, math.Float64bits(-math.Pi), 0xABCD, 0x80000001, uint64(math.Float32bits(1.5))}
		want = append(append(want, words64(structure)...), 0x7F)
		if err := c.Launch(f, one, one, 0, arguments); err != nil {
			return err
		}
		// A launch has read its arguments when it returns.
		for _, a := range arguments {
			clear(a)
		}
		bytes := make([]byte, 8*cells)
		if err := c.CopyOut(bytes, p); err != nil {
			return err
		}
		for i, got := range words64(bytes) {
			if got != want[i] {
				return fmt.Errorf("cell %d is %#x, want %#x", i, got, want[i])
			}
		}
		return nil
	})
}

func sharedMemory(c nvidia.Context, f nvidia.Function) error {
	for _, n := range []int{1, 33, 512} {
		size := 4 * n
		err := allocated(c, uint64(2*size), func(p nvidia.Pointer) error {
			in := pattern(size, n)
			if err := c.CopyIn(p, in); err != nil {
				return err
			}
			out := p + nvidia.Pointer(size)
			if err := c.Launch(f, one, nvidia.Dim3{X: uint32(n), Y: 1, Z: 1}, uint32(size), [][]byte{pointer(out), pointer(p)}); err != nil {
				return err
			}
			bytes := make([]byte, size)
			if err := c.CopyOut(bytes, out); err != nil {
				return err
			}
			want := words32(in)
			for i, got := range words32(bytes) {
				if got != want[n-1-i] {
					return fmt.Errorf("cell %d is %#x, want %#x", i, got, want[n-1-i])
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("%d threads: %w", n, err)
		}
	}
	return nil
}

// copiesWait reads what a kernel writes after a while.
func copiesWait(c nvidia.Context, f nvidia.Function) error {
	return allocated(c, 4, func(p nvidia.Pointer) error {
		if err := c.Fill(p, 0, 4); err != nil {
			return err
		}
		for round := range uint32(3) {
			if err := c.Launch(f, one, one, 0, [][]byte{pointer(p), u32(5000)}); err != nil {
				return err
			}
			bytes := make([]byte, 4)
			if err := c.CopyOut(bytes, p); err != nil {
				return err
			}
			if got := words32(bytes)[0]; got != round+1 {
				return fmt.Errorf("after launch %d the cell is %d", round+1, got)
			}
		}
		return nil
	})
}

// many is more launches than the driver's queue has room for.
func many(c nvidia.Context, f nvidia.Function) error {
	const launches = 5000
	return allocated(c, 4, func(p nvidia.Pointer) error {
		if err := c.Fill(p, 0, 4); err != nil {
			return err
		}
		arguments := [][]byte{pointer(p), u32(1), u32(1)}
		for range launches {
			if err := c.Launch(f, one, one, 0, arguments); err != nil {
				return err
			}
		}
		bytes := make([]byte, 4)
		if err := c.CopyOut(bytes, p); err != nil {
			return err
		}
		if got := words32(bytes)[0]; got != launches {
			return fmt.Errorf("after %d launches the cell is %d", launches, got)
		}
		return nil
	})
}

// refusedLaunch asks for what no GPU has; nothing runs, and the next launch does.
func refusedLaunch(c nvidia.Context, f nvidia.Function) error {
	return allocated(c, 4, func(p nvidia.Pointer) error {
		if err := c.Fill(p, 0, 4); err != nil {
			return err
		}
		arguments := [][]byte{pointer(p), u32(1), u32(1)}
		for _, x := range []struct {
			name        string
			grid, block nvidia.Dim3
			shared      uint32
		}{
			{"no threads", one, nvidia.Dim3{X: 0, Y: 1, Z: 1}, 0},
			{"no blocks", nvidia.Dim3{X: 1, Y: 0, Z: 1}, one, 0},
			{"a block of 65536 threads", one, nvidia.Dim3{X: 1 << 16, Y: 1, Z: 1}, 0},
			{"a grid of 65536 blocks in z", nvidia.Dim3{X: 1, Y: 1, Z: 1 << 16}, one, 0},
			{"a GiB of shared memory", one, one, 1 << 30},
		} {
			err := c.Launch(f, x.grid, x.block, x.shared, arguments)
			if err == nil {
				return errors.Join(fmt.Errorf("%s: it was launched", x.name), c.Synchronize())
			}
			if err := refused(err, nvidia.InvalidValue, nvidia.LaunchOutOfResources); err != nil {
				return fmt.Errorf("%s: %w", x.name, err)
			}
		}
		if err := c.Launch(f, one, one, 0, arguments); err != nil {
			return err
		}
		bytes := make([]byte, 4)
		if err := c.CopyOut(bytes, p); err != nil {
			return err
		}
		if got := words32(bytes)[0]; got != 1 {
			return fmt.Errorf("after one launch the cell is %d", got)
		}
		return nil
	})
}
