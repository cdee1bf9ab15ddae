package session

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"workbench/engine/cuda/nvidia"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels/matmul"
)

// products are the kernels that multiply, by contract, each loaded when it is
// asked for.
type products [2]struct {
	module    nvidia.Module
	functions [4]nvidia.Function // by precision
}

// product returns the kernel of a product.
func (s *Session) product(p Product) (nvidia.Function, error) {
	of := &s.products[p.Contract]
	if f := of.functions[p.Precision]; f != 0 {
		return f, nil
	}
	kernel := matmul.Kernel(p.Contract, p.Precision)
	if of.module == 0 {
		m, err := s.context.Load(matmul.PTX(p.Contract))
		if err != nil {
			return 0, s.notLoaded(err, kernel, "")
		}
		of.module = m
	}
	f, err := s.context.Function(of.module, kernel.Symbol)
	if err != nil {
		return 0, s.failed(err, "looking up "+kernel.Symbol)
	}
	of.functions[p.Precision] = f
	return f, nil
}

func (ps *products) unload(c nvidia.Context) error {
	var errs []error
	for i := range ps {
		if ps[i].module != 0 {
			errs = append(errs, c.Unload(ps[i].module))
		}
	}
	*ps = products{}
	return errors.Join(errs...)
}

// Multiply runs one product. Left and right hold the operands' bytes and out
// gets the result's; their lengths are those that Sizes returns. After an error
// out holds nothing of meaning.
func (s *Session) Multiply(p Product, left, right, out []byte) (device.Stats, error) {
	if err := s.usable(); err != nil {
		return device.Stats{}, err
	}
	l, r, o, err := p.Sizes()
	if err != nil {
		return device.Stats{}, err
	}
	if len(left) != l || len(right) != r || len(out) != o {
		return device.Stats{}, fmt.Errorf("the product %s in %s takes %d and %d bytes and gives %d: got buffers of %d, %d and %d",
			p.Shapes(), p.Precision, l, r, o, len(left), len(right), len(out))
	}
	// What a library or a module takes of the memory by itself is to be gone
	// before the room that is left is reckoned.
	var function nvidia.Function
	if p.Library {
		err = s.openBLAS()
	} else {
		function, err = s.product(p)
	}
	if err != nil {
		return device.Stats{}, err
	}
	if err := s.stage([3]uint64{uint64(l), uint64(r), uint64(o)}); err != nil {
		return device.Stats{}, err
	}

	stats := device.Stats{Requests: 1, Launches: 1, BytesIn: int64(l) + int64(r), BytesOut: int64(o)}
	clock := time.Now()
	for i, operand := range [2][]byte{left, right} {
		if err := s.context.CopyIn(s.staging[i].at, operand); err != nil {
			return device.Stats{}, s.failed(err, "copying the operands of "+p.Shapes())
		}
	}
	stats.CopyInNS = time.Since(clock).Nanoseconds()

	if stats.KernelNS, err = s.timed(func() error {
		if p.Library {
			return s.gemm(p)
		}
		return s.launchProduct(function, p)
	}); err != nil {
		return device.Stats{}, s.failed(err, "the product "+p.Shapes())
	}

	clock = time.Now()
	if err := s.context.CopyOut(out, s.staging[2].at); err != nil {
		return device.Stats{}, s.failed(err, "copying the result of "+p.Shapes())
	}
	stats.CopyOutNS = time.Since(clock).Nanoseconds()
	return stats, nil
}

// region:timed

// timed runs what work begins, waits for it, and returns the nanoseconds that it
// took by the device's own events.
func (s *Session) timed(work func() error) (int64, error) {
	if err := s.context.Record(s.start); err != nil {
		return 0, err
	}
	if err := work(); err != nil {
		return 0, err
	}
	if err := s.context.Record(s.end); err != nil {
		return 0, err
	}
	if err := s.context.Synchronize(); err != nil {
		return 0, err
	}
	ms, err := s.context.Elapsed(s.start, s.end)
	if err != nil {
		return 0, err
	}
	return int64(ms * 1e6), nil
}

// endregion:timed

func (s *Session) launchProduct(f nvidia.Function, p Product) error {
	params := matmul.Packed(p.B, p.M, p.K, p.N)
	if p.Mean {
		params.Divisor = float64(p.K)
	}
	for i, b := range s.staging {
		binary.LittleEndian.PutUint64(s.arguments[i], uint64(b.at))
	}
	s.arguments[3] = params.Bytes()
	grid, block := params.Geometry()
	return s.context.Launch(f, dim(grid), dim(block), 0, s.arguments[:])
}

// dim converts extents that were checked to lie within those of a device.
func dim(d launch.Dim3) nvidia.Dim3 {
	return nvidia.Dim3{X: uint32(d.X), Y: uint32(d.Y), Z: uint32(d.Z)}
}

// gemm begins a product by cuBLAS. It reads matrices by columns, and what lies
// in memory row by row is the transposed matrix column by column:
//
//	out = left · right   row-major    is   outᵀ = rightᵀ · leftᵀ   column-major
//
// So the operands change places, M and N with them, and nothing is transposed.
func (s *Session) gemm(p Product) error {
	format, err := formatOf(p.Precision)
	if err != nil {
		return err
	}
	alpha := 1.0
	if p.Mean {
		alpha = 1 / float64(p.K)
	}
	// region:gemm
	err = s.blas.Gemm(nvidia.Gemm{
		Type: format,
		M:    p.N, N: p.M, K: p.K,
		Alpha: alpha,
		A:     s.staging[1].at, LDA: p.N, StrideA: int64(p.K) * int64(p.N),
		B: s.staging[0].at, LDB: p.K, StrideB: int64(p.M) * int64(p.K),
		C: s.staging[2].at, LDC: p.N, StrideC: int64(p.M) * int64(p.N),
		Batch: p.B,
	})
	// endregion:gemm
	if err != nil {
		// cuBLAS says that an execution failed, and the driver how.
		if driver := s.context.Synchronize(); driver != nil {
			return driver
		}
	}
	return err
}

// openBLAS opens cuBLAS, unless it is open.
func (s *Session) openBLAS() error {
	if s.blas != nil {
		return nil
	}
	if s.libraries.BLAS == nil {
		return errors.New("BUG: this session was given no cuBLAS to open")
	}
	b, err := s.libraries.BLAS()
	if err != nil {
		var missing *nvidia.MissingError
		if errors.As(err, &missing) {
			return unavailable(s.spec.Ordinal, s.version, missing)
		}
		return s.notStarted(err)
	}
	v, err := b.Version()
	if err != nil {
		return s.failed(errors.Join(err, b.Close()), "opening cuBLAS")
	}
	// 130100 is 13.1.0.
	if major := v / 10000; major > s.version/1000 {
		return s.tooOldForLibrary(fmt.Sprintf("cuBLAS %d.%d is of CUDA %d", major, v/100%100, major), b.Close())
	}
	s.blas = b
	return nil
}
