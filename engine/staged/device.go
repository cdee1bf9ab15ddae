package staged

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/tensor"
)

// Backend runs requests.
type Backend interface {
	// Multiply runs one product. Fill writes the packed operands and take reads
	// the result, whose lengths are those that Sizes returns; an error of fill
	// ends the request. Take is called if all went well, and before Multiply
	// returns.
	Multiply(ctx context.Context, p Product, fill func(left, right []byte) error, take func(out []byte)) (device.Stats, error)

	launch.Launcher
}

// Options are what a Device is made with. All may be left out.
type Options struct {
	// Address returns an error of the backend as that of the device: with its
	// name as it was opened. Without it, Addressed does.
	Address func(err error) error

	// Release gives back what the device holds. It is called once, by the first
	// Close.
	Release func() error

	// Raw returns the memory of values, where they lie in host memory as they do
	// in the device's. Packing float64 then copies it, in half the time that value
	// by value takes. Without it there is no need of unsafe.
	Raw func(values []float64) []byte
}

// Device is a backend under one contract, as everybody else uses it. It is safe for
// concurrent use if its backend is.
type Device struct {
	spec    device.Spec
	backend Backend
	options Options

	mu       sync.Mutex
	closed   bool                               // guarded by mu
	requests map[uint64]context.CancelCauseFunc // guarded by mu: those in flight
	last     uint64                             // guarded by mu
}

var (
	_ device.Device   = (*Device)(nil)
	_ launch.Launcher = (*Device)(nil)
)

// New returns a device that runs its requests on b.
func New(spec device.Spec, b Backend, o Options) *Device {
	return &Device{spec: spec, backend: b, options: o, requests: map[uint64]context.CancelCauseFunc{}}
}

// Spec returns the name the device was opened with.
func (d *Device) Spec() device.Spec { return d.spec }

// Close makes the device refuse further requests, and ends those in flight with a
// *device.ClosedError.
func (d *Device) Close() error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil
	}
	d.closed = true
	for _, cancel := range d.requests {
		cancel(&device.ClosedError{Spec: d.spec})
	}
	d.mu.Unlock()
	if d.options.Release == nil {
		return nil
	}
	return d.options.Release()
}

// begin admits a request. Its context also ends with the device; the request must
// call end.
func (d *Device) begin(ctx context.Context) (inner context.Context, end func(), err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, nil, &device.ClosedError{Spec: d.spec}
	}
	inner, cancel := context.WithCancelCause(ctx)
	d.last++
	number := d.last
	d.requests[number] = cancel
	return inner, func() {
		d.mu.Lock()
		delete(d.requests, number)
		d.mu.Unlock()
		cancel(nil)
	}, nil
}

// Multiply returns left · right, of shape plan.OutputShape(). Shapes that do not
// fit are a *tensor.ShapeError; operands that do not fit into the device's memory a
// *device.MemoryError; what goes wrong in the kernel a *device.FaultError.
func (d *Device) Multiply(ctx context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	return run(ctx, d, request[*tensor.MatmulPlan]{
		op: "multiply", precision: p.Precision, plan: p.Plan,
		product: func(plan *tensor.MatmulPlan) Product {
			return Product{B: plan.B, M: plan.M, K: plan.K, N: plan.N}
		},
		fill: func(ctx context.Context, plan *tensor.MatmulPlan, left, right []byte) error {
			if err := pack(ctx, left, plan.Left, p.Precision, d.options.Raw); err != nil {
				return err
			}
			return pack(ctx, right, plan.Right, p.Precision, d.options.Raw)
		},
	})
}

// Reduce returns the sum or the mean along an axis, of shape plan.OutputShape():
// the product of the groups with a column of ones.
func (d *Device) Reduce(ctx context.Context, r device.Reduction) (*tensor.Tensor, device.Stats, error) {
	return run(ctx, d, request[*tensor.AxisPlan]{
		op: r.Op.String(), precision: r.Precision, plan: r.Plan,
		product: func(plan *tensor.AxisPlan) Product {
			return Product{B: 1, M: plan.G, K: plan.K, N: 1, Mean: r.Op == device.Mean}
		},
		fill: func(ctx context.Context, plan *tensor.AxisPlan, left, right []byte) error {
			ones(right, r.Precision)
			return pack(ctx, left, plan.Groups, r.Precision, d.options.Raw)
		},
	})
}

// planned is what a request becomes once its shapes are checked.
type planned interface {
	OutputShape() []int
	Empty() bool
}

// request is a product or a reduction on its way to the backend.
type request[P planned] struct {
	op        string
	precision device.Precision
	plan      func() (P, error)
	product   func(plan P) Product
	fill      func(ctx context.Context, plan P, left, right []byte) error
}

func run[P planned](ctx context.Context, d *Device, r request[P]) (*tensor.Tensor, device.Stats, error) {
	fail := func(err error) (*tensor.Tensor, device.Stats, error) { return nil, device.Stats{}, err }
	inner, end, err := d.begin(ctx)
	if err != nil {
		return fail(fmt.Errorf("%s: %w", r.op, err))
	}
	defer end()
	if r.precision > device.BFloat16 {
		return fail(fmt.Errorf("%s: %s is not a precision: use one of device.Precisions", r.op, r.precision))
	}
	if err := ctx.Err(); err != nil {
		return fail(fmt.Errorf("%s: %w", r.op, err))
	}
	plan, err := r.plan()
	if err != nil {
		return fail(err)
	}
	out, err := tensor.New(plan.OutputShape()...)
	if err != nil {
		return fail(err)
	}
	if plan.Empty() {
		return out, device.Stats{}, nil // all zeros, and no work of a device
	}
	p := r.product(plan)
	p.Precision, p.Contract, p.Library = r.precision, d.spec.Contract, d.spec.Library
	stats, err := d.backend.Multiply(inner, p,
		func(left, right []byte) error { return r.fill(inner, plan, left, right) },
		func(bytes []byte) { unpack(out.Data(), bytes, r.precision, d.options.Raw) })
	if err != nil {
		return fail(d.failed(inner, r.op, err))
	}
	return out, stats, nil
}

// Launch runs a kernel. Its contract is the launch's own, not the device's.
func (d *Device) Launch(ctx context.Context, l *launch.Launch) (*launch.Result, error) {
	return launch.One(d.Sequence(ctx, []*launch.Launch{l}))
}

// Sequence runs kernels one after the other. Their contract is the launches' own.
func (d *Device) Sequence(ctx context.Context, launches []*launch.Launch) (results []*launch.Result, err error) {
	if len(launches) == 0 {
		return nil, nil
	}
	op := "launch of " + launches[0].Kernel.Symbol
	inner, end, err := d.begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	defer end()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	results, err = d.backend.Sequence(inner, launches)
	var one *launch.SequenceError
	switch {
	case errors.As(err, &one):
		err = launch.At(launches, one.Index, d.failed(inner, "launch of "+launches[one.Index].Kernel.Symbol, one.Err))
	case err != nil:
		err = d.failed(inner, op, err)
	}
	return results, err
}

// failed returns the error of a request as the device's own: a cancellation that
// was the device's end says so, and every error names the device as it was
// opened.
func (d *Device) failed(inner context.Context, op string, err error) error {
	var closed *device.ClosedError
	if done := inner.Err(); done != nil && errors.Is(err, done) && errors.As(context.Cause(inner), &closed) {
		err = closed
	}
	if d.options.Address != nil {
		err = d.options.Address(err)
	} else {
		err = Addressed(d.spec, err)
	}
	// What already names its operation needs no other name before it.
	var shape *tensor.ShapeError
	var argument *launch.ArgumentError
	var compile *launch.CompileError
	if errors.As(err, &shape) || errors.As(err, &argument) || errors.As(err, &compile) {
		return err
	}
	return fmt.Errorf("%s: %w", op, err)
}
