package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"workbench/engine/cuda/library"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/session"
	"workbench/engine/cuda/worker"
	"workbench/engine/device"
	"workbench/engine/launch"
)

// faultEntries provoke each fault that the course can meet, for real, and hold
// the error to what it must say. The names are those of the faults in the tests
// without a GPU.
func faultEntries() []Entry {
	entries := []Entry{
		{Name: "no driver", Quick: true, run: noDriver},
		{Name: "driver too old for the PTX", Quick: true, run: oldForPTX},
		{Name: "driver too old for the library", Quick: true, run: oldForLibrary},
		{Name: "library missing", Quick: true, run: libraryMissing},
		{Name: "no such ordinal", Quick: true, run: noSuchOrdinal},
		{Name: "out of memory", Quick: true, run: outOfMemory},
		{Name: "kernel does not compile", Quick: true, run: doesNotCompile},
		{Name: "illegal address", Quick: true, run: func(ctx context.Context, m *Machine, f *Findings) error {
			return breaks(ctx, m, f, one("check_read_outside", 1, -1, 1), device.IllegalAddress)
		}},
		{Name: "launch failure", Quick: true, run: func(ctx context.Context, m *Machine, f *Findings) error {
			return breaks(ctx, m, f, one("check_trap", 1, -1, 1), device.LaunchFailure)
		}},
		{Name: "time limit", Quick: true, run: timeLimit},
		{Name: "out of bounds write", run: func(ctx context.Context, m *Machine, f *Findings) error {
			return costsOne(ctx, m, f, one("check_write_outside", 1, -1, 1), device.IllegalAddress)
		}},
		{Name: "endless kernel", run: func(ctx context.Context, m *Machine, f *Findings) error {
			return costsOne(ctx, m, f, one("check_endless", 1, -1, 0), device.TimeLimit)
		}},
		{Name: "worker killed", Quick: true, limit: 5 * time.Minute, run: workerKilled},
	}
	for i := range entries {
		entries[i].Group = "faults"
	}
	return entries
}

// says holds a text for people to the words that must be in it.
func says(text string, words ...string) error {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return fmt.Errorf("the error does not say %q: %s", w, text)
		}
	}
	return nil
}

// unavailable holds an error to being that of a device that cannot be opened,
// with what is missing and what to do.
func unavailable(f *Findings, err error, words ...string) (*device.UnavailableError, error) {
	var missing *device.UnavailableError
	if !errors.As(err, &missing) {
		return nil, fmt.Errorf("expected a *device.UnavailableError, got %T: %w", err, or(err, "no error"))
	}
	if missing.Reason == "" || missing.Next == "" {
		return nil, fmt.Errorf("the error does not say what is missing and what to do: %+v", *missing)
	}
	f.saw("%s; %s", missing.Reason, missing.Next)
	return missing, says(missing.Error(), words...)
}

// or stands in for an error that should have been there.
func or(err error, instead string) error {
	if err == nil {
		return errors.New(instead)
	}
	return err
}

// faulty holds an error to a request that failed on its device.
func faulty(f *Findings, err error, fault device.Fault) error {
	var failed *device.FaultError
	if !errors.As(err, &failed) || failed.Fault != fault {
		return fmt.Errorf("expected a *device.FaultError with %q, got %T: %w", fault, err, or(err, "no error"))
	}
	if failed.Detail == "" || failed.Next == "" {
		return fmt.Errorf("the error does not say what was seen and what to do: %+v", *failed)
	}
	f.saw("%s; %s", failed.Detail, failed.Next)
	return nil
}

// tinyProduct is the product of the first chapter as a worker takes it.
var tinyProduct = session.Product{B: 1, M: 2, K: 3, N: 2}

// sound makes a product that a worker in order gets right.
func sound(ctx context.Context, c *worker.Client) error {
	var got []byte
	_, err := c.Multiply(ctx, tinyProduct, func(left, right []byte) error {
		copy(left, device.Float64.AppendBytes(nil, []float64{1, 2, 3, 4, 5, 6}))
		copy(right, device.Float64.AppendBytes(nil, []float64{7, 8, 9, 10, 11, 12}))
		return nil
	}, func(out []byte) { got = bytes.Clone(out) })
	if err != nil {
		return fmt.Errorf("after it, a sound product failed: %w", err)
	}
	if want := device.Float64.AppendBytes(nil, []float64{58, 64, 139, 154}); !bytes.Equal(got, want) {
		return fmt.Errorf("after it, %w: a sound product is % x, expected % x", errWrong, got, want)
	}
	return nil
}

func noDriver(ctx context.Context, m *Machine, f *Findings) error {
	file := filepath.Join(os.TempDir(), "there-is-no-driver-here", "libcuda.so.1")
	c, err := m.start(ctx, func(o *worker.Options) {
		o.Command.Env = append(o.Command.Env, library.DriverVariable+"="+file)
	})
	if err == nil {
		c.Close()
	}
	_, err = unavailable(f, err, "driver", file)
	return err
}

// otherDriver is a driver that answers some calls differently.
type otherDriver struct {
	nvidia.Driver
	version int                       // 0 is the driver's own
	image   func(image []byte) []byte // changes what is loaded; nil leaves it
}

func (d otherDriver) Version() (int, error) {
	if d.version != 0 {
		return d.version, nil
	}
	return d.Driver.Version()
}

func (d otherDriver) Open(ordinal int) (nvidia.Context, error) {
	c, err := d.Driver.Open(ordinal)
	if err != nil || d.image == nil {
		return c, err
	}
	return otherContext{c, d.image}, nil
}

type otherContext struct {
	nvidia.Context
	image func([]byte) []byte
}

func (c otherContext) Load(image []byte) (nvidia.Module, error) {
	return c.Context.Load(c.image(image))
}

// onThread runs do with a session of a GPU that is opened through l, on a thread
// of its own.
func onThread(l session.Libraries, ordinal int, do func(s *session.Session) error) error {
	return pinned(func() error {
		s, err := session.Open(l, ordinal)
		if err != nil {
			return err
		}
		return errors.Join(do(s), s.Close())
	})
}

// multiplyTiny makes the first chapter's product of a session.
func multiplyTiny(s *session.Session, p session.Product) error {
	left, right, n, err := p.Sizes()
	if err != nil {
		return err
	}
	_, err = s.Multiply(p, make([]byte, left), make([]byte, right), make([]byte, n))
	return err
}

// oldForPTX gives the driver the kernels' own PTX with a version that no driver
// knows: it refuses that as an old driver refuses the PTX as it is.
func oldForPTX(_ context.Context, m *Machine, f *Findings) error {
	loaded := 0
	l := m.Libraries
	l.Driver = otherDriver{Driver: l.Driver, image: func(image []byte) []byte {
		at := bytes.Index(image, []byte(".version "))
		if at < 0 {
			return image
		}
		loaded++
		end := at + bytes.IndexByte(image[at:], '\n')
		return append(append(bytes.Clone(image[:at]), ".version 99.9"...), image[end:]...)
	}}
	err := onThread(l, m.Ordinal, func(s *session.Session) error { return multiplyTiny(s, tinyProduct) })
	if loaded == 0 {
		return fmt.Errorf("no PTX was loaded: %w", or(err, "and the product succeeded"))
	}
	f.saw("the driver was given the embedded PTX with version 99.9")
	_, err = unavailable(f, err, "PTX", "driver")
	return err
}

// oldForLibrary tells the session of a driver from before cuBLAS's time. The
// machine's own driver is new enough for the library that is installed, or
// nothing could be measured here: so the version is all that is not real.
func oldForLibrary(ctx context.Context, m *Machine, f *Findings) error {
	if err := m.blas(ctx); err != nil {
		return err
	}
	const older = 11080 // enough for the embedded PTX
	l := m.Libraries
	l.Driver = otherDriver{Driver: l.Driver, version: older}
	p := tinyProduct
	p.Library, p.Contract = true, device.Fused
	err := onThread(l, m.Ordinal, func(s *session.Session) error { return multiplyTiny(s, p) })
	f.saw("the machine's driver is new enough, so its version was given as %d.%d", older/1000, older%1000/10)
	_, err = unavailable(f, err, "cuBLAS", "driver", "11.8")
	return err
}

func libraryMissing(ctx context.Context, m *Machine, f *Findings) error {
	empty, err := os.MkdirTemp("", "no-library-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(empty)
	c, err := m.start(ctx, func(o *worker.Options) {
		o.Command.Env = append(o.Command.Env, library.DirVariable+"="+empty, library.OnlyVariable+"=1")
	})
	if err != nil {
		return fmt.Errorf("a worker without libraries must start, since the kernels need none: %w", err)
	}
	defer c.Close()
	p := tinyProduct
	p.Library, p.Contract = true, device.Fused
	_, err = c.Multiply(ctx, p, func(_, _ []byte) error { return nil }, func([]byte) {})
	missing, err := unavailable(f, err, "cuBLAS", empty)
	if err != nil {
		return err
	}
	if len(missing.Tried) == 0 {
		return fmt.Errorf("the error does not say what was tried: %v", missing)
	}
	_, err = c.Launch(ctx, one("check_add", 3, 3, 1, 2, 3))
	if missing, err = unavailable(f, err, "NVRTC", empty); err != nil {
		return err
	}
	if len(missing.Tried) == 0 {
		return fmt.Errorf("the error does not say what was tried: %v", missing)
	}
	return sound(ctx, c)
}

func noSuchOrdinal(ctx context.Context, m *Machine, f *Findings) error {
	spec := m.spec(device.Separate)
	spec.Ordinal = 1023
	d, err := m.Worker(ctx, spec)
	if err == nil {
		d.Close()
	}
	_, err = unavailable(f, err, "1023", m.GPU, fmt.Sprintf("cuda:%d", m.Ordinal))
	return err
}

// outOfMemory takes most of the GPU's memory, and asks a worker for a product
// that does not leave the reserve free.
func outOfMemory(ctx context.Context, m *Machine, f *Findings) error {
	c, err := m.start(ctx, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	p := session.Product{B: 1, M: 4096, K: 1024, N: 4096} // 32 MiB twice, and 128
	left, right, out, err := p.Sizes()
	if err != nil {
		return err
	}
	release, err := hog(m, session.Reserve+uint64(left+right+out)/2)
	if err != nil {
		return err
	}
	defer release()
	_, err = c.Multiply(ctx, p, func(_, _ []byte) error { return nil }, func([]byte) {})
	var refused *device.MemoryError
	if !errors.As(err, &refused) {
		return fmt.Errorf("expected a *device.MemoryError, got %T: %w", err, or(err, "no error"))
	}
	f.saw("%v", refused)
	if err := accounted(refused, uint64(left+right+out)); err != nil {
		return err
	}
	if err := release(); err != nil {
		return err
	}
	return sound(ctx, c)
}

// accounted holds the figures of a memory error to a request of so many bytes.
func accounted(e *device.MemoryError, bytes uint64) error {
	switch {
	case e.Asked < bytes:
		return fmt.Errorf("the error says that %d bytes were asked for, and the product has %d", e.Asked, bytes)
	case e.Reserve != session.Reserve:
		return fmt.Errorf("the error says that %d bytes stay free, expected %d", e.Reserve, uint64(session.Reserve))
	case e.Free >= e.Asked+e.Reserve:
		return fmt.Errorf("the error says that %d bytes were free, which is enough for %d", e.Free, e.Asked)
	}
	return nil
}

// hog takes device memory in this process until no more than leave is free, and
// holds it until release is called.
func hog(m *Machine, leave uint64) (release func() error, err error) {
	full, released, closed := make(chan error, 1), make(chan struct{}), make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		c, err := m.Libraries.Driver.Open(m.Ordinal)
		if err != nil {
			full <- err
			return
		}
		held, err := take(c, leave)
		full <- err
		if err == nil {
			<-released
		}
		for _, p := range held {
			err = errors.Join(err, c.Free(p))
		}
		closed <- errors.Join(err, c.Close())
	}()
	if err := <-full; err != nil {
		return nil, err
	}
	return sync.OnceValue(func() error {
		close(released)
		return <-closed
	}), nil
}

// take allocates until no more than leave is free.
func take(c nvidia.Context, leave uint64) (held []nvidia.Pointer, err error) {
	for block := uint64(16 << 30); block >= 16<<20; {
		free, _, err := c.Memory()
		if err != nil {
			return held, err
		}
		if free < leave+block {
			block /= 2
			continue
		}
		p, err := c.Alloc(block)
		if err != nil {
			var refused *nvidia.Error
			if !errors.As(err, &refused) || refused.Code != nvidia.OutOfMemory {
				return held, err
			}
			block /= 2 // what is free is in pieces
			continue
		}
		held = append(held, p)
	}
	return held, nil
}

// doesNot is a source with a mistake in its third line.
const (
	mistake = "syntax error here;"
	doesNot = "extern \"C\" __global__ void check_add(float* x, int n) {\n\tx[0] += 1;\n\t" + mistake + "\n}\n"
)

// refusedAt holds an error to that of a compiler which found the mistake.
func refusedAt(err error) error {
	var refused *launch.CompileError
	if !errors.As(err, &refused) {
		return fmt.Errorf("expected a *launch.CompileError, got %T: %w", err, or(err, "no error"))
	}
	if len(refused.Diagnostics) == 0 || refused.Log == "" {
		return fmt.Errorf("the error has no log or no diagnostics: %+v", *refused)
	}
	if d := refused.Diagnostics[0]; d.Line != 3 || strings.TrimSpace(d.Source) != mistake {
		return fmt.Errorf("the mistake is in line 3, %q, and the first diagnostic in line %d, %q", mistake, d.Line, d.Source)
	}
	return nil
}

func doesNotCompile(ctx context.Context, m *Machine, f *Findings) error {
	if err := m.compiler(); err != nil {
		return err
	}
	c, err := m.start(ctx, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	before := c.Process()
	l := one("check_add", 1, 1, 1)
	l.Kernel.Source = doesNot
	_, err = c.Launch(ctx, l)
	if err := refusedAt(err); err != nil {
		return err
	}
	f.saw("%v", err)
	if err := sound(ctx, c); err != nil {
		return err
	}
	if c.Process() != before {
		return errors.New("a source that does not compile cost the worker its process")
	}
	return nil
}

// breaks launches a kernel after which the worker's process is of no use.
func breaks(ctx context.Context, m *Machine, f *Findings, l *launch.Launch, fault device.Fault) error {
	if err := m.compiler(); err != nil {
		return err
	}
	c, err := m.start(ctx, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	before := c.Process()
	_, err = c.Launch(ctx, l)
	if err := faulty(f, err, fault); err != nil {
		return err
	}
	if err := sound(ctx, c); err != nil {
		return err
	}
	if c.Process() == before {
		return errors.New("the next request ran in the process whose device had failed")
	}
	return nil
}

// shortLimit is the time limit of kernels that never end.
const shortLimit = time.Second

func timeLimit(ctx context.Context, m *Machine, f *Findings) error {
	if err := m.compiler(); err != nil {
		return err
	}
	c, err := m.start(ctx, func(o *worker.Options) { o.LaunchLimit = shortLimit })
	if err != nil {
		return err
	}
	defer c.Close()
	start := time.Now()
	_, err = c.Launch(ctx, one("check_endless", 1, -1, 0))
	took := time.Since(start)
	if err := faulty(f, err, device.TimeLimit); err != nil {
		return err
	}
	if took < shortLimit || took > shortLimit+10*time.Second {
		return fmt.Errorf("the error came after %s, with a limit of %s", took, shortLimit)
	}
	f.saw("it came after %s", took.Round(time.Millisecond))
	return sound(ctx, c)
}

// costsOne launches a kernel that fails while four clients multiply through the
// same worker: it is the only request that may fail.
func costsOne(ctx context.Context, m *Machine, f *Findings, l *launch.Launch, fault device.Fault) error {
	if err := m.compiler(); err != nil {
		return err
	}
	c, err := m.start(ctx, func(o *worker.Options) { o.LaunchLimit = shortLimit })
	if err != nil {
		return err
	}
	defer c.Close()
	const clients = 4
	var (
		group    sync.WaitGroup
		products atomic.Int64
		failed   atomic.Bool
		failures [clients]error // of each client, once it has ended
	)
	stop := make(chan struct{})
	for n := range clients {
		group.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if failures[n] = sound(ctx, c); failures[n] != nil {
					failed.Store(true)
					return
				}
				products.Add(1)
			}
		})
	}
	_, err = c.Launch(ctx, l)
	before := products.Load()
	for ctx.Err() == nil && products.Load() < before+2*clients && !failed.Load() {
		time.Sleep(time.Millisecond)
	}
	close(stop)
	group.Wait()
	if err := faulty(f, err, fault); err != nil {
		return err
	}
	if err := errors.Join(failures[:]...); err != nil {
		return fmt.Errorf("it took other requests with it: %w", err)
	}
	if after := products.Load() - before; after < 2*clients {
		return fmt.Errorf("after it only %d products were made", after)
	}
	f.saw("%d products of %d clients before and after it are right", products.Load(), clients)
	return nil
}
