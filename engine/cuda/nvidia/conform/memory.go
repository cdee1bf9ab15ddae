package conform

import (
	"bytes"
	"errors"
	"fmt"

	"workbench/engine/cuda/nvidia"
)

func memoryCases() []Case {
	return []Case{
		{Name: "memory/free and total", Run: inContext(freeAndTotal)},
		{Name: "memory/copies", Run: inContext(copies)},
		{Name: "memory/copies of nothing", Run: inContext(copiesOfNothing)},
		{Name: "memory/fill", Run: inContext(fill)},
		{Name: "memory/large copy", Run: inContext(largeCopy)},
		{Name: "memory/allocations are apart", Run: inContext(apart)},
		{Name: "memory/nothing asked for", Run: inContext(nothingAskedFor)},
		{Name: "memory/more than there is", Run: inContext(moreThanThereIs)},
		{Name: "memory/free what is not allocated", Run: inContext(freeWhatIsNot)},
	}
}

// inContext makes a case of what needs an open device.
func inContext(f func(c nvidia.Context) error) func(nvidia.Driver, int) error {
	return func(d nvidia.Driver, ordinal int) error { return within(d, ordinal, f) }
}

// allocated calls f with device memory, and frees it after.
func allocated(c nvidia.Context, size uint64, f func(p nvidia.Pointer) error) (err error) {
	p, err := c.Alloc(size)
	if err != nil {
		return fmt.Errorf("alloc of %d bytes: %w", size, err)
	}
	if p == 0 {
		return fmt.Errorf("alloc of %d bytes: the address is 0", size)
	}
	defer func() { err = errors.Join(err, c.Free(p)) }()
	return f(p)
}

// pattern returns n bytes without a period, others for each seed, so that a piece
// that was moved is seen.
func pattern(n int, seed int) []byte {
	b := make([]byte, n)
	x := uint32(seed) * 40503
	for i := range b {
		x = x*1664525 + 1013904223 // Numerical Recipes' generator: its upper bits are good
		b[i] = byte(x >> 24)
	}
	return b
}

// same names the first byte that differs.
func same(got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	if len(got) != len(want) {
		return fmt.Errorf("got %d bytes, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("byte %d of %d is %#02x, want %#02x", i, len(want), got[i], want[i])
		}
	}
	return nil
}

func freeAndTotal(c nvidia.Context) error {
	const size = 64 << 20
	var free, total, after uint64
	// Other processes allocate and free too, so the best of three tries counts.
	for range 3 {
		var err error
		if free, total, err = c.Memory(); err != nil {
			return err
		}
		if total == 0 || free > total {
			return fmt.Errorf("%d bytes of %d are free", free, total)
		}
		err = allocated(c, size, func(nvidia.Pointer) error {
			after, _, err = c.Memory()
			return err
		})
		if err != nil {
			return err
		}
		if after+size/2 <= free {
			return nil
		}
	}
	return fmt.Errorf("%d bytes are free, and after %d more were allocated %d", free, size, after)
}

// copies moves odd sizes to and from odd addresses, and looks at the bytes
// around them.
func copies(c nvidia.Context) error {
	const size = 5000
	return allocated(c, size, func(p nvidia.Pointer) error {
		all := pattern(size, 0)
		for i, x := range []struct{ at, n int }{{0, 1}, {1, 1}, {3, 2}, {7, 13}, {0, 4}, {4, 4096}, {4097, 903}, {1, 4998}, {0, 5000}} {
			if err := c.CopyIn(p, all); err != nil {
				return err
			}
			part := pattern(x.n, i+1)
			unchanged := bytes.Clone(part)
			if err := c.CopyIn(p+nvidia.Pointer(x.at), part); err != nil {
				return err
			}
			if err := same(part, unchanged); err != nil {
				return fmt.Errorf("%d bytes to offset %d: the source was changed: %w", x.n, x.at, err)
			}
			want := bytes.Clone(all)
			copy(want[x.at:], part)
			got := make([]byte, size)
			if err := c.CopyOut(got, p); err != nil {
				return err
			}
			if err := same(got, want); err != nil {
				return fmt.Errorf("%d bytes to offset %d: %w", x.n, x.at, err)
			}
			// Out again, into the middle of something larger.
			framed := pattern(x.n+20, 99)
			frame := bytes.Clone(framed)
			if err := c.CopyOut(framed[10:10+x.n], p+nvidia.Pointer(x.at)); err != nil {
				return err
			}
			copy(frame[10:], part)
			if err := same(framed, frame); err != nil {
				return fmt.Errorf("%d bytes from offset %d: %w", x.n, x.at, err)
			}
		}
		return nil
	})
}

// copiesOfNothing are no calls: the address does not matter.
func copiesOfNothing(c nvidia.Context) error {
	for _, p := range []nvidia.Pointer{0, 1} {
		if err := c.CopyIn(p, nil); err != nil {
			return fmt.Errorf("copy in: %w", err)
		}
		if err := c.CopyOut([]byte{}, p); err != nil {
			return fmt.Errorf("copy out: %w", err)
		}
		if err := c.Fill(p, 1, 0); err != nil {
			return fmt.Errorf("fill: %w", err)
		}
	}
	return nil
}

func fill(c nvidia.Context) error {
	const size = 1000
	return allocated(c, size, func(p nvidia.Pointer) error {
		want := pattern(size, 0)
		if err := c.CopyIn(p, want); err != nil {
			return err
		}
		for _, x := range []struct {
			at, n int
			value byte
		}{{0, 1, 0}, {999, 1, 255}, {1, 333, 1}, {335, 512, 0xA5}} {
			if err := c.Fill(p+nvidia.Pointer(x.at), x.value, uint64(x.n)); err != nil {
				return err
			}
			copy(want[x.at:], bytes.Repeat([]byte{x.value}, x.n))
			got := make([]byte, size)
			if err := c.CopyOut(got, p); err != nil {
				return err
			}
			if err := same(got, want); err != nil {
				return fmt.Errorf("%d bytes of %d at offset %d: %w", x.n, x.value, x.at, err)
			}
		}
		return nil
	})
}

// largeCopy is larger than the driver's own staging buffers.
func largeCopy(c nvidia.Context) error {
	const size = 24<<20 + 1
	return allocated(c, size, func(p nvidia.Pointer) error {
		want := pattern(size, 3)
		if err := c.CopyIn(p, want); err != nil {
			return err
		}
		got := make([]byte, size)
		if err := c.CopyOut(got, p); err != nil {
			return err
		}
		return same(got, want)
	})
}

func apart(c nvidia.Context) error {
	const size, count = 257, 9
	var all []nvidia.Pointer
	err := func() error {
		for i := range count {
			p, err := c.Alloc(size)
			if err != nil {
				return err
			}
			all = append(all, p)
			if p%256 != 0 {
				return fmt.Errorf("the address %#x is no multiple of 256", uint64(p))
			}
			if err := c.Fill(p, byte(i+1), size); err != nil {
				return err
			}
		}
		for i, p := range all {
			got := make([]byte, size)
			if err := c.CopyOut(got, p); err != nil {
				return err
			}
			if err := same(got, bytes.Repeat([]byte{byte(i + 1)}, size)); err != nil {
				return fmt.Errorf("allocation %d: %w", i, err)
			}
		}
		return nil
	}()
	for _, p := range all {
		err = errors.Join(err, c.Free(p))
	}
	return err
}

func nothingAskedFor(c nvidia.Context) error {
	p, err := c.Alloc(0)
	if err == nil {
		err = c.Free(p)
		return errors.Join(errors.New("0 bytes were allocated"), err)
	}
	return refused(err, nvidia.InvalidValue)
}

func moreThanThereIs(c nvidia.Context) error {
	_, total, err := c.Memory()
	if err != nil {
		return err
	}
	// The second size does not fit into 32 bits, nor its half.
	for _, size := range []uint64{total + total/2, max(total*2, 1<<40)} {
		p, err := c.Alloc(size)
		if err == nil {
			return errors.Join(fmt.Errorf("%d bytes of %d were allocated", size, total), c.Free(p))
		}
		if err := refused(err, nvidia.OutOfMemory); err != nil {
			return fmt.Errorf("%d bytes of %d: %w", size, total, err)
		}
	}
	return usable(c)
}

func freeWhatIsNot(c nvidia.Context) error {
	if err := refused(c.Free(0xDEAD0000), nvidia.InvalidValue); err != nil {
		return fmt.Errorf("an address that was never allocated: %w", err)
	}
	p, err := c.Alloc(100)
	if err != nil {
		return err
	}
	if err := c.Free(p); err != nil {
		return err
	}
	if err := refused(c.Free(p), nvidia.InvalidValue); err != nil {
		return fmt.Errorf("the second time: %w", err)
	}
	return usable(c)
}
