package conform

import (
	"errors"
	"fmt"

	"workbench/engine/cuda/nvidia"
)

func stickyCases() []Case {
	return []Case{
		{Name: "sticky/illegal address", Run: sticky("conform_store", []int{nvidia.IllegalAddress}, func(nvidia.Pointer) [][]byte {
			return [][]byte{pointer(0x10)}
		})},
		{Name: "sticky/misaligned address", Run: sticky("conform_store", []int{nvidia.MisalignedAddress}, func(p nvidia.Pointer) [][]byte {
			return [][]byte{pointer(p + 1)}
		})},
		// Which of the two it is depends on the driver.
		{Name: "sticky/trap", Run: sticky("conform_trap", []int{nvidia.LaunchFailed, nvidia.IllegalInstruction}, func(nvidia.Pointer) [][]byte {
			return nil
		})},
	}
}

// sticky launches a kernel that fails, and holds the driver to saying so from
// then on. Nothing is closed: no call works any more.
func sticky(symbol string, codes []int, arguments func(p nvidia.Pointer) [][]byte) func(nvidia.Driver, int) error {
	return func(d nvidia.Driver, ordinal int) error {
		c, err := d.Open(ordinal)
		if err != nil {
			return err
		}
		m, err := c.Load(PTX())
		if err != nil {
			return err
		}
		f, err := c.Function(m, symbol)
		if err != nil {
			return err
		}
		p, err := c.Alloc(64)
		if err != nil {
			return err
		}
		if err := c.Launch(f, one, one, 0, arguments(p)); err != nil {
			return fmt.Errorf("the launch: %w", err)
		}
		first := c.Synchronize()
		if err := stuck(first, codes); err != nil {
			return fmt.Errorf("synchronize: %w", err)
		}
		for _, later := range []struct {
			name string
			err  error
		}{
			{"synchronize again", c.Synchronize()},
			{"copy out", c.CopyOut(make([]byte, 4), p)},
			{"copy in", c.CopyIn(p, make([]byte, 4))},
			{"launch", c.Launch(f, one, one, 0, arguments(p))},
		} {
			if err := stuck(later.err, codes); err != nil {
				return fmt.Errorf("%s: %w", later.name, err)
			}
		}
		return nil
	}
}

func stuck(err error, codes []int) error {
	if err := refused(err, codes...); err != nil {
		return err
	}
	var e *nvidia.Error
	if errors.As(err, &e); !e.Sticky() {
		return fmt.Errorf("the error does not say that the process must end: %w", err)
	}
	return nil
}

// Print has a kernel print a number through the driver: "conform_print 42" is on
// the process's standard output when it returns. The caller, who captures that,
// looks.
func Print(d nvidia.Driver, ordinal int, n uint32) error {
	return withKernel("conform_print", func(c nvidia.Context, f nvidia.Function) error {
		if err := c.Launch(f, one, one, 0, [][]byte{u32(n)}); err != nil {
			return err
		}
		return c.Synchronize()
	})(d, ordinal)
}
