package cuda

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/session"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/tensor"
)

// gpu is who runs requests: a worker's client, or the same in this process.
type gpu interface {
	Multiply(ctx context.Context, p session.Product, fill func(left, right []byte) error, take func(out []byte)) (device.Stats, error)
	Launch(ctx context.Context, l *launch.Launch) (*launch.Result, error)
}

// Device is a GPU under one contract. It is safe for concurrent use: requests run
// one after the other, in the order in which they came.
type Device struct {
	spec    device.Spec
	about   nvidia.Device
	gpu     gpu
	process func() int
	release func() error // gives the gpu back

	mu       sync.Mutex
	closed   bool                               // guarded by mu
	requests map[uint64]context.CancelCauseFunc // guarded by mu: those in flight
	last     uint64                             // guarded by mu
}

var (
	_ device.Device   = (*Device)(nil)
	_ device.Named    = (*Device)(nil)
	_ launch.Launcher = (*Device)(nil)
)

func newDevice(spec device.Spec, about nvidia.Device, g gpu, process func() int, release func() error) *Device {
	return &Device{spec: spec, about: about, gpu: g, process: process, release: release, requests: map[uint64]context.CancelCauseFunc{}}
}

// Spec returns the name the device was opened with.
func (d *Device) Spec() device.Spec { return d.spec }

// Name returns what the driver calls the GPU: "NVIDIA H200".
func (d *Device) Name() string { return d.about.Name }

// About returns what the driver says of the GPU.
func (d *Device) About() nvidia.Device { return d.about }

// Process returns the number of the worker process that has the GPU now, 0 if
// there is none.
func (d *Device) Process() int { return d.process() }

// Close makes the device refuse further requests, and ends those in flight with a
// *device.ClosedError. The last device of a GPU takes its worker with it.
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
	return d.release()
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
// fit are a *tensor.ShapeError; operands that do not fit into the GPU's memory a
// *device.MemoryError; what goes wrong on the GPU a *device.FaultError.
func (d *Device) Multiply(ctx context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	return run(ctx, d, request[*tensor.MatmulPlan]{
		op: "multiply", precision: p.Precision, plan: p.Plan,
		product: func(plan *tensor.MatmulPlan) session.Product {
			return session.Product{B: plan.B, M: plan.M, K: plan.K, N: plan.N}
		},
		fill: func(ctx context.Context, plan *tensor.MatmulPlan, left, right []byte) error {
			if err := pack(ctx, left, plan.Left, p.Precision); err != nil {
				return err
			}
			return pack(ctx, right, plan.Right, p.Precision)
		},
	})
}

// Reduce returns the sum or the mean along an axis, of shape plan.OutputShape():
// the product of the groups with a column of ones.
func (d *Device) Reduce(ctx context.Context, r device.Reduction) (*tensor.Tensor, device.Stats, error) {
	return run(ctx, d, request[*tensor.AxisPlan]{
		op: r.Op.String(), precision: r.Precision, plan: r.Plan,
		product: func(plan *tensor.AxisPlan) session.Product {
			return session.Product{B: 1, M: plan.G, K: plan.K, N: 1, Mean: r.Op == device.Mean}
		},
		fill: func(ctx context.Context, plan *tensor.AxisPlan, left, right []byte) error {
			ones(right, r.Precision)
			return pack(ctx, left, plan.Groups, r.Precision)
		},
	})
}

// planned is what a request becomes once its shapes are checked.
type planned interface {
	OutputShape() []int
	Empty() bool
}

// request is a product or a reduction on its way to the GPU.
type request[P planned] struct {
	op        string
	precision device.Precision
	plan      func() (P, error)
	product   func(plan P) session.Product
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
		return out, device.Stats{}, nil // all zeros, and no work of a GPU
	}
	p := r.product(plan)
	p.Precision, p.Contract, p.Library = r.precision, d.spec.Contract, d.spec.Library
	stats, err := d.gpu.Multiply(inner, p,
		func(left, right []byte) error { return r.fill(inner, plan, left, right) },
		func(bytes []byte) { unpack(out.Data(), bytes, r.precision) })
	if err != nil {
		return fail(d.failed(inner, r.op, err))
	}
	return out, stats, nil
}

// Launch runs a kernel. Its contract is the launch's own, not the device's.
func (d *Device) Launch(ctx context.Context, l *launch.Launch) (*launch.Result, error) {
	inner, end, err := d.begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("launch of %s: %w", l.Kernel.Symbol, err)
	}
	defer end()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("launch of %s: %w", l.Kernel.Symbol, err)
	}
	r, err := d.gpu.Launch(inner, l)
	if err != nil {
		return nil, d.failed(inner, "launch of "+l.Kernel.Symbol, err)
	}
	return r, nil
}

// failed returns the error of a request as the device's own: a cancellation that
// was the device's end says so, and every error names the device as it was
// opened.
func (d *Device) failed(inner context.Context, op string, err error) error {
	var closed *device.ClosedError
	if done := inner.Err(); done != nil && errors.Is(err, done) && errors.As(context.Cause(inner), &closed) {
		err = closed
	}
	err = addressed(d.spec, err)
	// What already names its operation needs no other name before it.
	var shape *tensor.ShapeError
	var argument *launch.ArgumentError
	var compile *launch.CompileError
	if errors.As(err, &shape) || errors.As(err, &argument) || errors.As(err, &compile) {
		return err
	}
	return fmt.Errorf("%s: %w", op, err)
}
