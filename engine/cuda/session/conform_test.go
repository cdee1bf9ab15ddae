package session_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"sync"
	"testing"

	"workbench/engine/conform"
	"workbench/engine/cpu"
	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/session"
	"workbench/engine/device"
	"workbench/engine/dtype"
	"workbench/engine/tensor"
)

// direct is a device over a session in this process, as thin as one can be: a
// goroutine of its own makes every call of the session.
type direct struct {
	spec  device.Spec
	calls chan func(*session.Session)
	done  chan struct{}
	close sync.Once
	over  sync.RWMutex // held for reading by requests
	ended bool         // guarded by over
}

func newDirect(t *testing.T, m *fake.Machine, spec device.Spec) *direct {
	t.Helper()
	d := &direct{spec: spec, calls: make(chan func(*session.Session)), done: make(chan struct{})}
	l := libraries(t, m)
	opened := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer close(d.done)
		s, err := session.Open(l, spec.Ordinal)
		opened <- err
		if err != nil {
			return
		}
		for call := range d.calls {
			call(s)
		}
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	}()
	if err := <-opened; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func (d *direct) Spec() device.Spec { return d.spec }

func (d *direct) Close() error {
	d.close.Do(func() {
		d.over.Lock()
		d.ended = true
		d.over.Unlock()
		close(d.calls)
		<-d.done
	})
	return nil
}

// request runs a product of packed operands.
func (d *direct) request(ctx context.Context, p session.Product, left, right, out []float64) (device.Stats, error) {
	p.Contract, p.Library = d.spec.Contract, d.spec.Library
	_, _, size, err := p.Sizes()
	if err != nil {
		return device.Stats{}, err
	}
	type answer struct {
		stats device.Stats
		bytes []byte
		err   error
	}
	answered := make(chan answer, 1) // nobody may be there to take it
	l, r := p.Precision.AppendBytes(nil, left), p.Precision.AppendBytes(nil, right)
	select {
	case d.calls <- func(s *session.Session) {
		a := answer{bytes: make([]byte, size)}
		a.stats, a.err = s.Multiply(p, l, r, a.bytes)
		answered <- a
	}:
	case <-ctx.Done():
		return device.Stats{}, ctx.Err()
	}
	var a answer
	select {
	case a = <-answered:
	case <-ctx.Done():
		return device.Stats{}, ctx.Err()
	}
	if a.err != nil {
		return device.Stats{}, a.err
	}
	for i := range out {
		out[i] = element(p.Precision, a.bytes, i)
	}
	return a.stats, nil
}

func element(p device.Precision, b []byte, i int) float64 {
	switch p {
	case device.Float64:
		return math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	case device.Float32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	case device.Float16:
		return dtype.Float16FromBits(binary.LittleEndian.Uint16(b[2*i:]))
	}
	return dtype.BFloat16FromBits(binary.LittleEndian.Uint16(b[2*i:]))
}

// admit refuses what no request may be. The caller must call the function it
// returns when the request is over.
func (d *direct) admit(ctx context.Context, p device.Precision) (leave func(), err error) {
	d.over.RLock()
	switch {
	case d.ended:
		err = &device.ClosedError{Spec: d.spec}
	case p > device.BFloat16:
		err = errors.New("no such precision")
	default:
		err = ctx.Err()
	}
	if err != nil {
		d.over.RUnlock()
		return nil, err
	}
	return d.over.RUnlock, nil
}

func (d *direct) Multiply(ctx context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	leave, err := d.admit(ctx, p.Precision)
	if err != nil {
		return nil, device.Stats{}, err
	}
	defer leave()
	plan, err := p.Plan()
	if err != nil {
		return nil, device.Stats{}, err
	}
	out, err := tensor.New(plan.OutputShape()...)
	if err != nil || plan.Empty() {
		return out, device.Stats{}, err
	}
	stats, err := d.request(ctx, session.Product{B: plan.B, M: plan.M, K: plan.K, N: plan.N, Precision: p.Precision}, plan.PackLeft(), plan.PackRight(), out.Data())
	if err != nil {
		return nil, device.Stats{}, err
	}
	return out, stats, nil
}

func (d *direct) Reduce(ctx context.Context, r device.Reduction) (*tensor.Tensor, device.Stats, error) {
	leave, err := d.admit(ctx, r.Precision)
	if err != nil {
		return nil, device.Stats{}, err
	}
	defer leave()
	plan, err := r.Plan()
	if err != nil {
		return nil, device.Stats{}, err
	}
	out, err := tensor.New(plan.OutputShape()...)
	if err != nil || plan.Empty() {
		return out, device.Stats{}, err
	}
	ones := make([]float64, plan.K)
	for i := range ones {
		ones[i] = 1
	}
	stats, err := d.request(ctx, session.Product{B: 1, M: plan.G, K: plan.K, N: 1, Precision: r.Precision, Mean: r.Op == device.Mean}, plan.Pack(), ones, out.Data())
	if err != nil {
		return nil, device.Stats{}, err
	}
	return out, stats, nil
}

// Every case that any device is held to, in all precisions, on both kernels and
// on the library.
func TestConformance(t *testing.T) {
	for _, name := range []string{"cuda:0", "cuda:0,fused", "cuda:0,library"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec, err := device.ParseSpec(name)
			if err != nil {
				t.Fatal(err)
			}
			m := fake.New(fake.Config{})
			tally := conform.Run(context.Background(), newDirect(t, m, spec), func(name string, err error) {
				var skipped *conform.SkippedError
				if err != nil && !errors.As(err, &skipped) {
					t.Errorf("%s: %v", name, err)
				}
			})
			if tally.Passed < 100 {
				t.Errorf("so few cases were passed: %+v", tally)
			}
		})
	}
}

// The bits are the reference's of the same contract.
func TestSameBitsAsCPU(t *testing.T) {
	for _, contract := range []device.Contract{device.Separate, device.Fused} {
		reference, err := cpu.New(device.Spec{Kind: device.CPU, Contract: contract})
		if err != nil {
			t.Fatal(err)
		}
		d := newDirect(t, fake.New(fake.Config{}), device.Spec{Kind: device.CUDA, Contract: contract})
		for _, precision := range device.Precisions {
			for _, shape := range [][4]int{{1, 2, 3, 2}, {1, 17, 33, 9}, {1, 5, 129, 31}, {3, 7, 11, 13}, {2, 1, 37, 1}, {1, 40, 3, 1}, {1, 1, 3, 40}} {
				b, m, k, n := shape[0], shape[1], shape[2], shape[3]
				p := device.Product{Left: values(b, m, k), Right: values(b, k, n), Precision: precision}
				want, _, err := reference.Multiply(context.Background(), p)
				if err != nil {
					t.Fatal(err)
				}
				got, _, err := d.Multiply(context.Background(), p)
				if err != nil {
					t.Fatalf("%s %s %v: %v", contract, precision, shape, err)
				}
				sameBits(t, got, want, "%s %s product %v", contract, precision, shape)
				for _, op := range []device.ReduceOp{device.Sum, device.Mean} {
					r := device.Reduction{Input: p.Left, Axis: 1, Op: op, Precision: precision}
					want, _, err := reference.Reduce(context.Background(), r)
					if err != nil {
						t.Fatal(err)
					}
					got, _, err := d.Reduce(context.Background(), r)
					if err != nil {
						t.Fatal(err)
					}
					sameBits(t, got, want, "%s %s %s %v", contract, precision, op, shape)
				}
			}
		}
	}
}

// values are numbers that no format holds exactly, and whose sums round.
func values(shape ...int) tensor.View {
	out, err := tensor.New(shape...)
	if err != nil {
		panic(err)
	}
	x := uint32(1)
	for i := range out.Data() {
		x = x*1664525 + 1013904223
		out.Data()[i] = (float64(x>>8) - 1<<23) / (1 << 21) / 3
	}
	return out.View()
}

func sameBits(t *testing.T, got, want *tensor.Tensor, format string, args ...any) {
	t.Helper()
	for i, x := range got.Data() {
		if w := want.Data()[i]; math.Float64bits(x) != math.Float64bits(w) {
			t.Errorf(format+": cell %d is %v, want %v", append(args, i, x, w)...)
			return
		}
	}
}
