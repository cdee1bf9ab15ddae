package conform_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/nvidia/conform"
)

// driver is a sound one without a GPU, with something changed.
type driver struct {
	nvidia.Driver
	version func(v int, err error) (int, error)
	devices func(d []nvidia.Device) []nvidia.Device
	change  func(c *context)
}

func (d driver) Version() (int, error) {
	v, err := d.Driver.Version()
	if d.version != nil {
		return d.version(v, err)
	}
	return v, err
}

func (d driver) Devices() ([]nvidia.Device, error) {
	found, err := d.Driver.Devices()
	if d.devices != nil && err == nil {
		found = d.devices(found)
	}
	return found, err
}

func (d driver) Open(ordinal int) (nvidia.Context, error) {
	c, err := d.Driver.Open(ordinal)
	if err != nil || d.change == nil {
		return c, err
	}
	changed := &context{Context: c}
	d.change(changed)
	return changed, nil
}

// context calls what was changed in place of the sound methods.
type context struct {
	nvidia.Context
	alloc       func(bytes uint64) (nvidia.Pointer, error)
	free        func(p nvidia.Pointer) error
	copyIn      func(to nvidia.Pointer, from []byte) error
	copyOut     func(to []byte, from nvidia.Pointer) error
	fill        func(p nvidia.Pointer, value byte, bytes uint64) error
	load        func(image []byte) (nvidia.Module, error)
	function    func(m nvidia.Module, symbol string) (nvidia.Function, error)
	launch      func(f nvidia.Function, grid, block nvidia.Dim3, sharedBytes uint32, parameters [][]byte) error
	record      func(e nvidia.Event) error
	elapsed     func(start, end nvidia.Event) (float64, error)
	synchronize func() error
}

func (c *context) Alloc(bytes uint64) (nvidia.Pointer, error) {
	if c.alloc != nil {
		return c.alloc(bytes)
	}
	return c.Context.Alloc(bytes)
}

func (c *context) Free(p nvidia.Pointer) error {
	if c.free != nil {
		return c.free(p)
	}
	return c.Context.Free(p)
}

func (c *context) CopyIn(to nvidia.Pointer, from []byte) error {
	if c.copyIn != nil {
		return c.copyIn(to, from)
	}
	return c.Context.CopyIn(to, from)
}

func (c *context) CopyOut(to []byte, from nvidia.Pointer) error {
	if c.copyOut != nil {
		return c.copyOut(to, from)
	}
	return c.Context.CopyOut(to, from)
}

func (c *context) Fill(p nvidia.Pointer, value byte, bytes uint64) error {
	if c.fill != nil {
		return c.fill(p, value, bytes)
	}
	return c.Context.Fill(p, value, bytes)
}

func (c *context) Load(image []byte) (nvidia.Module, error) {
	if c.load != nil {
		return c.load(image)
	}
	return c.Context.Load(image)
}

func (c *context) Function(m nvidia.Module, symbol string) (nvidia.Function, error) {
	if c.function != nil {
		return c.function(m, symbol)
	}
	return c.Context.Function(m, symbol)
}

func (c *context) Launch(f nvidia.Function, grid, block nvidia.Dim3, sharedBytes uint32, parameters [][]byte) error {
	if c.launch != nil {
		return c.launch(f, grid, block, sharedBytes, parameters)
	}
	return c.Context.Launch(f, grid, block, sharedBytes, parameters)
}

func (c *context) Record(e nvidia.Event) error {
	if c.record != nil {
		return c.record(e)
	}
	return c.Context.Record(e)
}

func (c *context) Elapsed(start, end nvidia.Event) (float64, error) {
	if c.elapsed != nil {
		return c.elapsed(start, end)
	}
	return c.Context.Elapsed(start, end)
}

func (c *context) Synchronize() error {
	if c.synchronize != nil {
		return c.synchronize()
	}
	return c.Context.Synchronize()
}

// sound is a driver that passes every case.
func sound(t *testing.T) nvidia.Driver {
	t.Helper()
	d, err := fake.New(fake.Config{Devices: fake.GPUs(2)}).Driver()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestCatches: each fault of a driver fails the case that is about it.
func TestCatches(t *testing.T) {
	changed := func(change func(c *context)) driver { return driver{change: change} }
	for _, x := range []struct {
		fault  string
		driver driver
		cases  []string // at least these fail
	}{
		{"nothing", driver{}, nil},
		{"a version in another form", driver{version: func(int, error) (int, error) { return 13, nil }}, []string{"device/version"}},
		{"ordinals in another order", driver{devices: func(d []nvidia.Device) []nvidia.Device {
			slices.Reverse(d)
			return d
		}}, []string{"device/list"}},
		{"a memory of 32 bits", driver{devices: func(d []nvidia.Device) []nvidia.Device {
			d[0].Memory = 0
			return d
		}}, []string{"device/list"}},
		{"sizes of 32 bits", changed(func(c *context) {
			c.alloc = func(bytes uint64) (nvidia.Pointer, error) { return c.Context.Alloc(max(1, uint64(uint32(bytes)))) }
		}), []string{"memory/more than there is", "memory/nothing asked for"}},
		{"one address for all", changed(func(c *context) {
			var first nvidia.Pointer
			c.alloc = func(bytes uint64) (p nvidia.Pointer, err error) {
				if first == 0 {
					first, err = c.Context.Alloc(128 << 20)
				}
				return first, err
			}
			c.free = func(nvidia.Pointer) error { return nil }
		}), []string{"memory/allocations are apart", "memory/free what is not allocated"}},
		{"free says nothing", changed(func(c *context) {
			c.free = func(p nvidia.Pointer) error {
				_ = c.Context.Free(p)
				return nil
			}
		}), []string{"memory/free what is not allocated"}},
		{"memory that is never free again", changed(func(c *context) {
			c.free = func(nvidia.Pointer) error { return nil }
		}), []string{"memory/free what is not allocated"}},
		{"a copy in that is one byte short", changed(func(c *context) {
			c.copyIn = func(to nvidia.Pointer, from []byte) error { return c.Context.CopyIn(to, from[:max(1, len(from))-1]) }
		}), []string{"memory/copies", "memory/large copy"}},
		{"a copy out that is one byte short", changed(func(c *context) {
			c.copyOut = func(to []byte, from nvidia.Pointer) error { return c.Context.CopyOut(to[:max(1, len(to))-1], from) }
		}), []string{"memory/copies", "memory/large copy"}},
		{"copies in whole words", changed(func(c *context) {
			c.copyIn = func(to nvidia.Pointer, from []byte) error { return c.Context.CopyIn(to&^3, from) }
		}), []string{"memory/copies"}},
		{"a copy in that empties its source", changed(func(c *context) {
			c.copyIn = func(to nvidia.Pointer, from []byte) error {
				err := c.Context.CopyIn(to, from)
				clear(from)
				return err
			}
		}), []string{"memory/copies"}},
		{"copies of nothing reach the driver", changed(func(c *context) {
			c.copyOut = func(to []byte, from nvidia.Pointer) error {
				if len(to) == 0 {
					return &nvidia.Error{Library: "driver", Call: "cuMemcpyDtoH_v2", Code: nvidia.InvalidValue, Name: "CUDA_ERROR_INVALID_VALUE"}
				}
				return c.Context.CopyOut(to, from)
			}
		}), []string{"memory/copies of nothing"}},
		{"a fill of words", changed(func(c *context) {
			c.fill = func(p nvidia.Pointer, value byte, bytes uint64) error { return c.Context.Fill(p, value, bytes&^3) }
		}), []string{"memory/fill"}},
		{"a log that is lost", changed(func(c *context) {
			c.load = func(image []byte) (nvidia.Module, error) {
				m, err := c.Context.Load(image)
				var e *nvidia.Error
				if errors.As(err, &e) {
					e.Log = ""
				}
				return m, err
			}
		}), []string{"module/broken PTX"}},
		{"every image loads", changed(func(c *context) {
			c.load = func([]byte) (nvidia.Module, error) { return c.Context.Load(conform.PTX()) }
		}), []string{"module/broken PTX", "module/PTX of a later version", "module/no image"}},
		{"symbols by their beginning", changed(func(c *context) {
			c.function = func(m nvidia.Module, symbol string) (nvidia.Function, error) {
				f, err := c.Context.Function(m, symbol)
				if err != nil && symbol == "conform_inde" {
					return c.Context.Function(m, "conform_index")
				}
				return f, err
			}
		}), []string{"module/no such kernel"}},
		{"errors without their type", changed(func(c *context) {
			c.function = func(m nvidia.Module, symbol string) (nvidia.Function, error) {
				f, err := c.Context.Function(m, symbol)
				if err != nil {
					err = errors.New(err.Error())
				}
				return f, err
			}
		}), []string{"module/no such kernel"}},
		{"y and z of the grid swapped", changed(func(c *context) {
			c.launch = func(f nvidia.Function, grid, block nvidia.Dim3, s uint32, p [][]byte) error {
				grid.Y, grid.Z = grid.Z, grid.Y
				return c.Context.Launch(f, grid, block, s, p)
			}
		}), []string{"launch/grid and block"}},
		{"x and y of the block swapped", changed(func(c *context) {
			c.launch = func(f nvidia.Function, grid, block nvidia.Dim3, s uint32, p [][]byte) error {
				block.X, block.Y = block.Y, block.X
				return c.Context.Launch(f, grid, block, s, p)
			}
		}), []string{"launch/grid and block"}},
		{"arguments of eight bytes", changed(func(c *context) {
			c.launch = func(f nvidia.Function, grid, block nvidia.Dim3, s uint32, p [][]byte) error {
				cut := make([][]byte, len(p))
				for i := range p {
					cut[i] = make([]byte, len(p[i]))
					copy(cut[i][:min(8, len(p[i]))], p[i])
				}
				return c.Context.Launch(f, grid, block, s, cut)
			}
		}), []string{"launch/parameters"}},
		{"arguments read after the launch", changed(func(c *context) {
			var later func() error
			c.launch = func(f nvidia.Function, grid, block nvidia.Dim3, s uint32, p [][]byte) error {
				later = func() error { return c.Context.Launch(f, grid, block, s, p) }
				return nil
			}
			c.copyOut = func(to []byte, from nvidia.Pointer) error {
				if later != nil {
					if err := later(); err != nil {
						return err
					}
					later = nil
				}
				return c.Context.CopyOut(to, from)
			}
		}), []string{"launch/parameters"}},
		{"shared memory forgotten", changed(func(c *context) {
			c.launch = func(f nvidia.Function, grid, block nvidia.Dim3, s uint32, p [][]byte) error {
				return c.Context.Launch(f, grid, block, 0, p)
			}
		}), []string{"launch/shared memory", "launch/refused"}},
		{"one launch in a thousand lost", changed(func(c *context) {
			n := 0
			c.launch = func(f nvidia.Function, grid, block nvidia.Dim3, s uint32, p [][]byte) error {
				if n++; n%1000 == 0 {
					return nil
				}
				return c.Context.Launch(f, grid, block, s, p)
			}
		}), []string{"launch/many"}},
		{"launches that are never refused", changed(func(c *context) {
			c.launch = func(f nvidia.Function, grid, block nvidia.Dim3, s uint32, p [][]byte) error {
				_ = c.Context.Launch(f, grid, block, s, p)
				return nil
			}
		}), []string{"launch/refused"}},
		{"times in seconds", changed(func(c *context) {
			c.elapsed = func(start, end nvidia.Event) (float64, error) {
				s, err := c.Context.Elapsed(start, end)
				return s / 1000, err
			}
		}), []string{"event/elapsed", "event/again"}},
		{"events recorded once", changed(func(c *context) {
			recorded := map[nvidia.Event]bool{}
			c.record = func(e nvidia.Event) error {
				if recorded[e] {
					return nil
				}
				recorded[e] = true
				return c.Context.Record(e)
			}
		}), []string{"event/again"}},
		{"a time of what was not recorded", changed(func(c *context) {
			c.elapsed = func(start, end nvidia.Event) (float64, error) {
				ms, _ := c.Context.Elapsed(start, end)
				return ms, nil
			}
		}), []string{"event/not recorded"}},
		{"a panic", changed(func(c *context) {
			c.synchronize = func() error { panic("nothing is there") }
		}), []string{"synchronize/nothing begun"}},
	} {
		t.Run(x.fault, func(t *testing.T) {
			x.driver.Driver = sound(t)
			var failed []string
			tally := conform.Run(x.driver, 0, func(name string, err error) {
				if err != nil {
					failed = append(failed, name)
				}
			})
			if tally.Failed != len(failed) {
				t.Errorf("%d cases are counted and %d were reported as failed", tally.Failed, len(failed))
			}
			for _, want := range x.cases {
				if !slices.Contains(failed, want) {
					t.Errorf("%s passed; failed are %q", want, failed)
				}
			}
			if x.cases == nil && len(failed) > 0 {
				t.Errorf("a sound driver failed %q", failed)
			}
		})
	}
}

// TestCatchesForgetting: a driver that works again after an illegal address.
func TestCatchesForgetting(t *testing.T) {
	for _, c := range conform.Sticky() {
		t.Run(c.Name, func(t *testing.T) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			if err := conform.Attempt(c, sound(t), 0); err != nil {
				t.Errorf("a sound driver: %v", err)
			}
			forgetful := driver{Driver: sound(t), change: func(c *context) {
				c.copyIn = func(nvidia.Pointer, []byte) error { return nil }
			}}
			if err := conform.Attempt(c, forgetful, 0); err == nil || !strings.Contains(err.Error(), "copy in: ") {
				t.Errorf("a copy that works again: %v", err)
			}
			silent := driver{Driver: sound(t), change: func(c *context) {
				c.synchronize = func() error { return nil }
			}}
			if err := conform.Attempt(c, silent, 0); err == nil || !strings.Contains(err.Error(), "synchronize: ") {
				t.Errorf("a fault that is not reported: %v", err)
			}
		})
	}
}
