package conform

import (
	"errors"
	"fmt"

	"workbench/engine/cuda/nvidia"
)

func eventCases() []Case {
	return []Case{
		{Name: "event/elapsed", Run: withKernel("conform_wait", elapsed)},
		{Name: "event/again", Run: withKernel("conform_wait", recordedAgain)},
		{Name: "event/not recorded", Run: inContext(notRecorded)},
		{Name: "synchronize/nothing begun", Run: inContext(func(c nvidia.Context) error { return c.Synchronize() })},
	}
}

// events calls f with n events, and destroys them after.
func events(c nvidia.Context, n int, f func(e []nvidia.Event) error) (err error) {
	var all []nvidia.Event
	defer func() {
		for _, e := range all {
			err = errors.Join(err, c.DestroyEvent(e))
		}
	}()
	for range n {
		e, err := c.NewEvent()
		if err != nil {
			return err
		}
		all = append(all, e)
	}
	return f(all)
}

// slack is what an event may be early by: the clock of the kernel and that of the
// events are not the same, and on some GPUs the kernel's moves in steps of about a
// millisecond (PTX ISA, %globaltimer: its resolution is not promised).
const slack = 1.1 // ms

// waited holds a time around a kernel that waits to what it waited. How much longer
// it took depends on what else the GPU does.
func waited(c nvidia.Context, start, end nvidia.Event, ms float64) error {
	got, err := c.Elapsed(start, end)
	if err != nil {
		return err
	}
	if !(got >= ms-slack && got < ms+60_000) {
		return fmt.Errorf("a kernel that waits for %v ms took %v ms", ms, got)
	}
	return nil
}

func elapsed(c nvidia.Context, f nvidia.Function) error {
	return events(c, 3, func(e []nvidia.Event) error {
		return allocated(c, 4, func(p nvidia.Pointer) error {
			if err := c.Record(e[0]); err != nil {
				return err
			}
			if err := c.Launch(f, one, one, 0, [][]byte{pointer(p), u32(3000)}); err != nil {
				return err
			}
			if err := c.Record(e[1]); err != nil {
				return err
			}
			if err := c.Launch(f, one, one, 0, [][]byte{pointer(p), u32(8000)}); err != nil {
				return err
			}
			if err := c.Record(e[2]); err != nil {
				return err
			}
			if err := c.Synchronize(); err != nil {
				return err
			}
			return errors.Join(waited(c, e[0], e[1], 3), waited(c, e[1], e[2], 8), waited(c, e[0], e[2], 11))
		})
	})
}

// recordedAgain uses a pair of events for several launches.
func recordedAgain(c nvidia.Context, f nvidia.Function) error {
	return events(c, 2, func(e []nvidia.Event) error {
		return allocated(c, 4, func(p nvidia.Pointer) error {
			for _, ms := range []float64{3, 8, 5} {
				if err := c.Record(e[0]); err != nil {
					return err
				}
				if err := c.Launch(f, one, one, 0, [][]byte{pointer(p), u32(uint32(ms * 1000))}); err != nil {
					return err
				}
				if err := c.Record(e[1]); err != nil {
					return err
				}
				// A copy waits as Synchronize does.
				if err := c.CopyOut(make([]byte, 4), p); err != nil {
					return err
				}
				if err := waited(c, e[0], e[1], ms); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func notRecorded(c nvidia.Context) error {
	return events(c, 2, func(e []nvidia.Event) error {
		if e[0] == 0 || e[0] == e[1] {
			return fmt.Errorf("two events have the handles %#x and %#x", uintptr(e[0]), uintptr(e[1]))
		}
		// CUDA Driver API, cuEventElapsedTime: CUDA_ERROR_INVALID_HANDLE (400).
		_, err := c.Elapsed(e[0], e[1])
		return refused(err, 400)
	})
}
