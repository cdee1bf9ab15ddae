package fake

import (
	"math"

	"workbench/engine/cuda/nvidia"
	"workbench/engine/device"
)

// BLAS opens cuBLAS, as cublas.New does: on the context that is current on the
// calling thread, and with its workspace set to zero bytes.
func (m *Machine) BLAS() (nvidia.BLAS, error) {
	if m.config.BLAS.Missing {
		return nil, missing("cuBLAS", "libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so")
	}
	m.mu.Lock()
	c := m.current[thread()]
	m.mu.Unlock()
	m.log(Call{Name: "cublasCreate_v2"})
	if refused, _ := m.strike("cublasCreate_v2"); refused != nil {
		return nil, refused
	}
	if c == nil || c.primary.sticky != 0 {
		return nil, refuse("cublasCreate_v2", statusNotInitialized)
	}
	b := &blas{context: c}
	b.handle = c.keep(b)
	if err := b.SetWorkspace(0, 0); err != nil {
		return nil, err
	}
	return b, nil
}

// blas multiplies in an order of its own, as a library may: with a workspace, the
// contraction is cut in two, and each half is a chain of fused multiply-adds that
// are added in the end; without one there is a single chain. The scale comes
// last.
type blas struct {
	context   *Context
	handle    uintptr
	workspace uint64
}

func (b *blas) call(call Call) error {
	m := b.context.machine
	m.log(call)
	refused, later := m.strike(call.Name)
	if later != 0 && b.context.primary.failed == 0 {
		b.context.primary.failed = later
	}
	if refused != nil {
		return refused
	}
	if b.handle == 0 || b.context.closed || thread() != b.context.thread {
		return refuse(call.Name, statusNotInitialized)
	}
	if b.context.primary.sticky != 0 {
		return refuse(call.Name, 13)
	}
	return nil
}

func (b *blas) Version() (int, error) {
	if err := b.call(Call{Name: "cublasGetVersion_v2"}); err != nil {
		return 0, err
	}
	return b.context.machine.config.BLAS.Version, nil
}

func (b *blas) SetWorkspace(p nvidia.Pointer, bytes uint64) error {
	call := Call{Name: "cublasSetWorkspace_v2", Bytes: bytes}
	if err := b.call(call); err != nil {
		return err
	}
	if a, _ := b.context.primary.memory.find(p, bytes); bytes > 0 && a == nil {
		return refuse(call.Name, statusInvalidValue)
	}
	b.workspace = bytes
	return nil
}

// precisionOf returns the precision with a type's format and sums.
func precisionOf(t nvidia.Type) device.Precision {
	switch t {
	case nvidia.Float64:
		return device.Float64
	case nvidia.Float32:
		return device.Float32
	case nvidia.Float16:
		return device.Float16
	}
	return device.BFloat16
}

// column is a batch of column-major matrices: its elements' distances.
func column(base nvidia.Pointer, leading int, stride int64, p device.Precision) matrix {
	m := matrix{base: base, precision: p}
	m.strides.Batch, m.strides.Row, m.strides.Column = stride, 1, int64(leading)
	return m
}

func (b *blas) Gemm(g nvidia.Gemm) error {
	call := Call{Name: "cublasGemmStridedBatchedEx"}
	if err := b.call(call); err != nil {
		return err
	}
	most := max(g.M, g.N, g.K, g.Batch, g.LDA, g.LDB, g.LDC)
	if min(g.M, g.N, g.K, g.Batch) < 0 || most > math.MaxInt32 || g.LDA < max(1, g.M) || g.LDB < max(1, g.K) || g.LDC < max(1, g.M) || g.Type > nvidia.BFloat16 {
		return refuse(call.Name, statusInvalidValue)
	}
	p := precisionOf(g.Type)
	left, right, out := column(g.A, g.LDA, g.StrideA, p), column(g.B, g.LDB, g.StrideB, p), column(g.C, g.LDC, g.StrideC, p)
	kernel := Kernel{Thread: func(t *Thread) {
		for n := range int64(g.Batch) {
			for j := range int64(g.N) {
				for i := range int64(g.M) {
					chain := func(from, to int64) (s sum) {
						for k := from; k < to; k++ {
							s = s.add(device.Fused, p, left.load(t, n, i, k), right.load(t, n, k, j))
						}
						return s
					}
					total := chain(0, int64(g.K))
					if b.workspace > 0 {
						total = chain(0, int64(g.K)/2).plus(p, chain(int64(g.K)/2, int64(g.K)))
					}
					total = total.scaled(p, g.Alpha)
					if g.Beta != 0 {
						total = total.plus(p, sum(out.load(t, n, i, j)).scaled(p, g.Beta))
					}
					out.store(t, n, i, j, float64(total))
				}
			}
		}
	}}
	b.context.enqueue(kernel, &Thread{primary: b.context.primary})
	return nil
}

// plus adds two sums in the chain's own type.
func (s sum) plus(p device.Precision, t sum) sum {
	if p == device.Float64 {
		return s + t
	}
	return sum(float32(s) + float32(t))
}

// scaled multiplies a sum by a factor of the chain's own type.
func (s sum) scaled(p device.Precision, factor float64) sum {
	if p == device.Float64 {
		return sum(float64(s) * factor)
	}
	return sum(float32(s) * float32(factor))
}

func (b *blas) Close() error {
	if err := b.call(Call{Name: "cublasDestroy_v2"}); err != nil {
		return err
	}
	b.context.drop(b.handle)
	b.handle = 0
	return nil
}
