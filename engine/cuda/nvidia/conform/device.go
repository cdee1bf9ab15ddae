package conform

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"runtime"

	"workbench/engine/cuda/nvidia"
)

func deviceCases() []Case {
	return []Case{
		{Name: "device/version", Run: version},
		{Name: "device/list", Run: list},
		{Name: "device/no such ordinal", Run: noSuchOrdinal},
		{Name: "device/open again", Run: openAgain},
		{Name: "device/open twice", Run: openTwice},
		{Name: "device/another thread", Run: anotherThread},
	}
}

// refused holds err to being a refusal of a library with one of the codes.
func refused(err error, codes ...int) error {
	if err == nil {
		return errors.New("the driver did not refuse it")
	}
	var e *nvidia.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("got the error %w (%T), want a *nvidia.Error", err, err)
	}
	switch {
	case e.Library != "driver":
		return fmt.Errorf("the error is of library %q, want driver: %w", e.Library, err)
	case e.Call == "" || e.Name == "":
		return fmt.Errorf("the error names no call or no result: %w", err)
	}
	for _, code := range codes {
		if e.Code == code {
			return nil
		}
	}
	return fmt.Errorf("got the result %d, want one of %v: %w", e.Code, codes, err)
}

// within opens the GPU, and closes it after f.
func within(d nvidia.Driver, ordinal int, f func(c nvidia.Context) error) (err error) {
	c, err := d.Open(ordinal)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return f(c)
}

// anotherThread uses a context where it was not opened, and then here again.
func anotherThread(d nvidia.Driver, ordinal int) error {
	return within(d, ordinal, func(c nvidia.Context) error {
		p, err := c.Alloc(4)
		if err != nil {
			return err
		}
		elsewhere := make(chan error)
		go func() {
			runtime.LockOSThread() // never unlocked: the thread ends, and leaves nothing bound
			elsewhere <- errors.Join(c.Bind(), c.CopyIn(p, []byte{1, 2, 3, 4}))
		}()
		if err := <-elsewhere; err != nil {
			return fmt.Errorf("on another thread: %w", err)
		}
		got := make([]byte, 4)
		if err := errors.Join(c.Bind(), c.CopyOut(got, p)); err != nil {
			return fmt.Errorf("on the first thread again: %w", err)
		}
		if !bytes.Equal(got, []byte{1, 2, 3, 4}) {
			return fmt.Errorf("got %v, want what the other thread copied in", got)
		}
		return c.Free(p)
	})
}

func version(d nvidia.Driver, _ int) error {
	v, err := d.Version()
	if err != nil {
		return err
	}
	if v < 9000 || v >= 100_000 || v%10 != 0 {
		return fmt.Errorf("got %d, want 1000·major + 10·minor, from 9000 on", v)
	}
	return nil
}

var uuid = regexp.MustCompile(`^(GPU|MIG)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

func list(d nvidia.Driver, ordinal int) error {
	devices, err := d.Devices()
	if err != nil {
		return err
	}
	if ordinal >= len(devices) {
		return fmt.Errorf("got %d devices, and the one that is tested is cuda:%d", len(devices), ordinal)
	}
	for i, x := range devices {
		switch {
		case x.Ordinal != i:
			return fmt.Errorf("device %d has the ordinal %d", i, x.Ordinal)
		case x.Name == "":
			return fmt.Errorf("device %d has no name", i)
		case !uuid.MatchString(x.UUID):
			return fmt.Errorf("device %d has the UUID %q, want GPU- and hexadecimal digits", i, x.UUID)
		}
		for _, field := range []struct {
			name        string
			value       uint64
			least, most uint64
		}{
			// The bounds are those of every GPU from compute capability 5.0 to
			// one that is much larger than today's.
			{"major", uint64(x.Major), 5, 99},
			{"minor", uint64(x.Minor), 0, 9},
			{"memory", x.Memory, 256 << 20, 1 << 44},
			{"multiprocessors", uint64(x.Multiprocessors), 1, 10_000},
			{"max_threads_per_block", uint64(x.MaxThreadsPerBlock), 512, 1 << 16},
			{"max_shared_per_block", uint64(x.MaxSharedPerBlock), 16 << 10, 1 << 24},
			{"max_registers_per_block", uint64(x.MaxRegistersPerBlock), 8 << 10, 1 << 24},
			// These say 0 where a driver does not tell.
			{"clock_khz", uint64(x.ClockKHz), 0, 1 << 24},
			{"memory_clock_khz", uint64(x.MemoryClockKHz), 0, 1 << 28},
			{"memory_bus_width", uint64(x.MemoryBusWidth), 0, 1 << 16},
			{"l2_bytes", uint64(x.L2Bytes), 0, 1 << 36},
		} {
			if field.value < field.least || field.value > field.most {
				return fmt.Errorf("device %d: %s is %d, want %d to %d", i, field.name, field.value, field.least, field.most)
			}
		}
	}
	return nil
}

func noSuchOrdinal(d nvidia.Driver, _ int) error {
	for _, ordinal := range []int{-1, 10_000} {
		c, err := d.Open(ordinal)
		if err == nil {
			return errors.Join(fmt.Errorf("cuda:%d was opened", ordinal), c.Close())
		}
		if err := refused(err, nvidia.InvalidDevice); err != nil {
			return fmt.Errorf("cuda:%d: %w", ordinal, err)
		}
	}
	return nil
}

// usable allocates, fills and reads.
func usable(c nvidia.Context) error {
	p, err := c.Alloc(100)
	if err != nil {
		return err
	}
	if err := c.Fill(p, 0xA5, 100); err != nil {
		return errors.Join(err, c.Free(p))
	}
	got := make([]byte, 100)
	if err := c.CopyOut(got, p); err != nil {
		return errors.Join(err, c.Free(p))
	}
	for i, b := range got {
		if b != 0xA5 {
			return errors.Join(fmt.Errorf("byte %d is %#x, want 0xa5", i, b), c.Free(p))
		}
	}
	return c.Free(p)
}

func openAgain(d nvidia.Driver, ordinal int) error {
	for round := range 3 {
		if err := within(d, ordinal, usable); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	return nil
}

// openTwice has two contexts of one GPU on one thread: they are the same
// primary context, which lives until both are closed.
func openTwice(d nvidia.Driver, ordinal int) error {
	return within(d, ordinal, func(first nvidia.Context) error {
		p, err := first.Alloc(4)
		if err != nil {
			return err
		}
		if err := within(d, ordinal, usable); err != nil {
			return fmt.Errorf("the second context: %w", err)
		}
		if err := usable(first); err != nil {
			return fmt.Errorf("the first context, after the second was closed: %w", err)
		}
		return first.Free(p)
	})
}
