package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"workbench/engine/cuda/compile"
	"workbench/engine/cuda/worker"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/tensor"
	"workbench/kernels/matmul"
)

// kernelEntries compile and launch kernels that are not embedded, as a learner's
// own are.
func kernelEntries() []Entry {
	return []Entry{
		{Group: "kernels", Name: "kernels/an edited kernel runs", Quick: true, run: editedKernel},
		{Group: "kernels", Name: "kernels/an edited product has the CPU's bits", Quick: true, run: editedProduct},
		{Group: "kernels", Name: "kernels/printf is captured", Quick: true, run: capturedPrint},
		{Group: "kernels", Name: "kernels/compiled once", Quick: true, run: compiledOnce},
	}
}

// cacheVariable names the folder of compiled kernels for a worker.
const cacheVariable = compile.DirVariable

// launcher starts a worker with an empty folder of compiled kernels.
func (m *Machine) launcher(ctx context.Context) (c *worker.Client, close func(), err error) {
	if err := m.compiler(); err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "kernels-*")
	if err != nil {
		return nil, nil, err
	}
	c, err = m.start(ctx, func(o *worker.Options) { o.Command.Env = append(o.Command.Env, cacheVariable+"="+dir) })
	if err != nil {
		os.RemoveAll(dir)
		return nil, nil, err
	}
	return c, func() { c.Close(); os.RemoveAll(dir) }, nil
}

func editedKernel(ctx context.Context, m *Machine, f *Findings) error {
	c, close, err := m.launcher(ctx)
	if err != nil {
		return err
	}
	defer close()
	r, err := c.Launch(ctx, one("check_add", 8, 3, 1, 2.5, -4, 8))
	if err != nil {
		return err
	}
	if err := added(r, 3, 1, 2.5, -4, 8); err != nil {
		return err
	}
	if r.Device != m.GPU {
		return fmt.Errorf("the launch ran on %q, expected %q", r.Device, m.GPU)
	}
	f.saw("1, 2.5 and −4 became 2, 3.5 and −3, and the fourth stayed")
	return nil
}

// editedProduct compiles the product kernels on this machine, from a source that
// differs in a comment, and holds their cells to the CPU's.
func editedProduct(ctx context.Context, m *Machine, f *Findings) error {
	c, close, err := m.launcher(ctx)
	if err != nil {
		return err
	}
	defer close()
	values := 0
	for _, contract := range contracts {
		cpu, err := m.CPU(contract)
		if err != nil {
			return err
		}
		defer cpu.Close()
		for _, p := range device.Precisions {
			const rows, terms, columns = 17, 33, 9
			s := newSource("edited")
			left, right := s.matrix(rows, terms), s.matrix(terms, columns)
			want, _, err := cpu.Multiply(ctx, device.Product{Left: left, Right: right, Precision: p})
			if err != nil {
				return err
			}
			got, err := asLaunch(ctx, c, contract, p, left, right, "\n// edited\n")
			if err != nil {
				return err
			}
			if !bytes.Equal(got, p.AppendBytes(nil, want.Data())) {
				return fmt.Errorf("compiled here under %s, the product 17×33×9 in %s has other bytes than the CPU's", contract, p)
			}
			values += want.Len()
		}
	}
	f.saw("%d values in four precisions under both contracts equal in every bit", values)
	return nil
}

// asLaunch multiplies two matrices as a launch on buffers that are exactly as
// long as they must be, and returns the bytes of the product. An edit is added to
// the source.
func asLaunch(ctx context.Context, on launch.Launcher, c device.Contract, p device.Precision, left, right tensor.View, edit string) ([]byte, error) {
	buffer := func(v tensor.View) launch.Buffer {
		return launch.Buffer{Type: matmul.Element(p), Data: p.AppendBytes(nil, v.Pack().Data())}
	}
	rows, terms, columns := left.Dim(0), left.Dim(1), right.Dim(1)
	l, err := matmul.Prepare(c, p, matmul.Packed(1, rows, terms, columns), buffer(left), buffer(right),
		launch.Buffer{Type: matmul.Element(p), Data: make([]byte, rows*columns*p.Size())})
	if err != nil {
		return nil, err
	}
	l.Kernel.Source += edit
	r, err := on.Launch(ctx, l)
	if err != nil {
		return nil, err
	}
	if len(r.Buffers) < 3 {
		return nil, fmt.Errorf("the launch returned %d buffers of 4", len(r.Buffers))
	}
	return r.Buffers[2], nil
}

func capturedPrint(ctx context.Context, m *Machine, f *Findings) error {
	c, close, err := m.launcher(ctx)
	if err != nil {
		return err
	}
	defer close()
	r, err := c.Launch(ctx, one("check_print", 4, 4))
	if err != nil {
		return err
	}
	for i := range 4 {
		if line := fmt.Sprintf("thread %d of 4\n", i); strings.Count(r.Output, line) != 1 {
			return fmt.Errorf("the output lacks %q: %q", line, r.Output)
		}
	}
	if again, err := c.Launch(ctx, one("check_print", 1, 1)); err != nil {
		return err
	} else if again.Output != "thread 0 of 1\n" {
		return fmt.Errorf("the next launch's output is %q", again.Output)
	}
	f.saw("%s", strings.TrimSpace(strings.ReplaceAll(r.Output, "\n", ", ")))
	return nil
}

// compiledOnce measures NVRTC and the folder of compiled kernels, and has two
// workers, one after the other, share an entry.
func compiledOnce(ctx context.Context, m *Machine, f *Findings) error {
	if err := m.compiler(); err != nil {
		return err
	}
	c, err := m.Libraries.Compiler()
	if err != nil {
		return err
	}
	major, minor, err := c.Version()
	if err != nil {
		return err
	}
	devices, err := m.Libraries.Driver.Devices()
	if err != nil {
		return err
	}
	if m.Ordinal >= len(devices) {
		return fmt.Errorf("there is no device %d of %d", m.Ordinal, len(devices))
	}
	dir, err := os.MkdirTemp("", "kernels-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	k := matmul.Kernel(device.Separate, device.Float64)
	n := 0
	var images [2][]byte
	compiled := func(i int) error {
		var err error
		images[i], _, err = compile.Compile(c, dir, k, devices[m.Ordinal])
		return err
	}
	edited := func() error {
		n++
		k.Source = fmt.Sprintf("%s\n// edit %d\n", matmul.Source, n)
		return compiled(0)
	}
	miss, err := repeat(10, edited)
	if err != nil {
		return err
	}
	hit, err := repeat(50, func() error { return compiled(1) })
	if err != nil {
		return err
	}
	if len(images[0]) == 0 || !bytes.Equal(images[0], images[1]) {
		return errors.New("the kernel that was kept is not the one that was compiled")
	}
	if !(hit.median() < miss.median()) {
		return fmt.Errorf("a kernel that was kept takes %.0f µs, and compiling it %.0f", hit.median(), miss.median())
	}
	f.saw("NVRTC %d.%d", major, minor)
	ms := func(x float64) float64 { return x / 1e3 }
	f.figure("compile/NVRTC", "ms", miss.each(ms), "")
	f.figure("compile/kept on disk", "ms", hit.each(ms), "compile/NVRTC")

	var took [2]time.Duration
	for i := range took {
		c, err := m.start(ctx, func(o *worker.Options) { o.Command.Env = append(o.Command.Env, cacheVariable+"="+dir) })
		if err != nil {
			return err
		}
		start := time.Now()
		r, err := c.Launch(ctx, one("check_add", 1, 1, 1))
		took[i] = time.Since(start)
		c.Close()
		if err != nil {
			return err
		}
		if err := added(r, 1, 1); err != nil {
			return err
		}
	}
	f.saw("a new worker's first launch took %s with the compiler, and the next worker's %s without", device.Duration(took[0].Nanoseconds()), device.Duration(took[1].Nanoseconds()))
	return nil
}
