package check

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"

	"workbench/engine/cuda/compile"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/session"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels"
	"workbench/kernels/matmul"
)

// bare is a program of NVIDIA's calls and nothing else, on one thread. What the
// workbench costs beyond the calls is measured against it.
type bare struct {
	nvidia.Context
	held       []nvidia.Pointer
	start, end nvidia.Event
}

// openBare opens a context on this thread, which the caller has locked.
func openBare(l session.Libraries, ordinal int) (*bare, error) {
	c, err := l.Driver.Open(ordinal)
	if err != nil {
		return nil, err
	}
	n := &bare{Context: c}
	if n.start, err = c.NewEvent(); err == nil {
		n.end, err = c.NewEvent()
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return n, nil
}

// beside runs do with a bare program and a session of the same GPU, on a thread
// of its own. The session is closed first: it was opened last, and libraries that
// it opened belong to its context.
func beside(m *Machine, do func(b *bare, s *session.Session) error) error {
	return pinned(func() error {
		b, err := openBare(m.Libraries, m.Ordinal)
		if err != nil {
			return err
		}
		s, err := session.Open(m.Libraries, m.Ordinal)
		if err != nil {
			return errors.Join(err, b.close())
		}
		return errors.Join(do(b, s), s.Close(), b.close())
	})
}

// pinnedPair opens a bare program and a session on a thread of their own, and
// returns what runs a function there. The caller must call stop.
func (m *Machine) pinnedPair() (local func(do func(b *bare, s *session.Session) error) error, stop func(), err error) {
	type call struct {
		do   func(b *bare, s *session.Session) error
		done chan error
	}
	calls, opened, ended := make(chan call), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- beside(m, func(b *bare, s *session.Session) error {
			close(opened)
			for c := range calls {
				c.done <- c.do(b, s)
			}
			return nil
		})
	}()
	select {
	case err := <-ended:
		return nil, nil, err
	case <-opened:
	}
	local = func(do func(b *bare, s *session.Session) error) error {
		c := call{do, make(chan error, 1)}
		calls <- c
		return <-c.done
	}
	return local, func() { close(calls); <-ended }, nil
}

// pinned runs do on a thread of its own, which ends with it.
func pinned(do func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		done <- do()
	}()
	return <-done
}

func (n *bare) alloc(bytes int) (nvidia.Pointer, error) {
	p, err := n.Alloc(uint64(bytes))
	if err == nil {
		n.held = append(n.held, p)
	}
	return p, err
}

// close gives back what the program allocated, and its part of the context.
func (n *bare) close() error {
	var err error
	for _, p := range n.held {
		err = errors.Join(err, n.Free(p))
	}
	return errors.Join(err, n.DestroyEvent(n.start), n.DestroyEvent(n.end), n.Close())
}

// compiled loads a kernel that is not embedded.
func (n *bare) compiled(l session.Libraries, ordinal int, k launch.Kernel) (nvidia.Function, error) {
	c, err := l.Compiler()
	if err != nil {
		return 0, err
	}
	devices, err := l.Driver.Devices()
	if err != nil {
		return 0, err
	}
	if ordinal >= len(devices) {
		return 0, fmt.Errorf("there is no device %d of %d", ordinal, len(devices))
	}
	image, _, err := compile.Compile(c, "", k, devices[ordinal])
	if err != nil {
		return 0, err
	}
	module, err := n.Load(image)
	if err != nil {
		return 0, err
	}
	return n.Function(module, k.Symbol)
}

// address lays a device pointer out as C does.
func address(p nvidia.Pointer) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(p)) }

// bareProduct is one product in a bare program, with its memory allocated and
// its kernel loaded.
type bareProduct struct {
	*bare
	left, right, out nvidia.Pointer
	begin            func() error // the kernel, or cuBLAS
}

// allocate takes the memory of a product.
func (n *bare) allocate(p session.Product) (*bareProduct, error) {
	left, right, out, err := p.Sizes()
	if err != nil {
		return nil, err
	}
	np := &bareProduct{bare: n}
	for _, part := range []struct {
		to    *nvidia.Pointer
		bytes int
	}{{&np.left, left}, {&np.right, right}, {&np.out, out}} {
		if *part.to, err = n.alloc(part.bytes); err != nil {
			return nil, err
		}
	}
	return np, nil
}

// kernel is a product by our own kernel.
func (n *bare) kernel(p session.Product) (*bareProduct, error) {
	np, err := n.allocate(p)
	if err != nil {
		return nil, err
	}
	k := matmul.Kernel(p.Contract, p.Precision)
	ptx, ok := kernels.Embedded(k)
	if !ok {
		return nil, fmt.Errorf("%s is not embedded", k.Symbol)
	}
	module, err := n.Load(ptx)
	if err != nil {
		return nil, err
	}
	f, err := n.Function(module, k.Symbol)
	if err != nil {
		return nil, err
	}
	params := matmul.Packed(p.B, p.M, p.K, p.N)
	g, b := params.Geometry()
	grid, block := nvidia.Dim3{X: uint32(g.X), Y: uint32(g.Y), Z: uint32(g.Z)}, nvidia.Dim3{X: uint32(b.X), Y: uint32(b.Y), Z: uint32(b.Z)}
	arguments := [][]byte{address(np.left), address(np.right), address(np.out), params.Bytes()}
	np.begin = func() error { return n.Launch(f, grid, block, 0, arguments) }
	return np, nil
}

// types of the elements of each precision.
var types = map[device.Precision]nvidia.Type{
	device.Float64: nvidia.Float64, device.Float32: nvidia.Float32, device.Float16: nvidia.Float16, device.BFloat16: nvidia.BFloat16,
}

// gemm is a product by cuBLAS: of row-major matrices, which are transposed
// column-major ones, so that the operands change places.
func (n *bare) gemm(blas nvidia.BLAS, p session.Product) (*bareProduct, error) {
	np, err := n.allocate(p)
	if err != nil {
		return nil, err
	}
	g := nvidia.Gemm{
		Type: types[p.Precision], M: p.N, N: p.M, K: p.K, Alpha: 1,
		A: np.right, B: np.left, C: np.out, LDA: p.N, LDB: p.K, LDC: p.N,
		StrideA: int64(p.K) * int64(p.N), StrideB: int64(p.M) * int64(p.K), StrideC: int64(p.M) * int64(p.N), Batch: p.B,
	}
	np.begin = func() error { return blas.Gemm(g) }
	return np, nil
}

// multiply makes the calls of one request, and returns the milliseconds between
// the events around the kernel.
func (np *bareProduct) multiply(left, right, out []byte) (gpu float64, err error) {
	if err := np.CopyIn(np.left, left); err != nil {
		return 0, err
	}
	if err := np.CopyIn(np.right, right); err != nil {
		return 0, err
	}
	if err := np.Record(np.start); err != nil {
		return 0, err
	}
	if err := np.begin(); err != nil {
		return 0, err
	}
	if err := np.Record(np.end); err != nil {
		return 0, err
	}
	if err := np.Synchronize(); err != nil {
		return 0, err
	}
	if gpu, err = np.Elapsed(np.start, np.end); err != nil {
		return 0, err
	}
	return gpu, np.CopyOut(out, np.out)
}
