package cpu

import (
	"context"
	"fmt"
	"sync/atomic"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// Device is the CPU under one contract. It is safe for concurrent use, and a
// result does not depend on what runs beside it.
type Device struct {
	spec   device.Spec
	tier   *tier
	closed atomic.Bool
}

var (
	_ device.Device    = (*Device)(nil)
	_ device.Explainer = (*Device)(nil)
)

// New opens the CPU under the spec's contract. A spec of another device is a
// *device.SpecError; a TiersVariable that leaves no tier is a
// *device.UnavailableError.
func New(spec device.Spec) (*Device, error) {
	switch {
	case spec.Kind != device.CPU:
		return nil, &device.SpecError{Spec: spec.String(), Part: string(spec.Kind), Reason: "is not the CPU"}
	case spec.Ordinal != 0:
		return nil, &device.SpecError{Spec: spec.String(), Reason: fmt.Sprintf("the CPU has no ordinal %d", spec.Ordinal)}
	case spec.Library:
		return nil, &device.SpecError{Spec: spec.String(), Part: "library", Reason: "is an option of cuda alone"}
	case spec.Contract != device.Separate && spec.Contract != device.Fused:
		return nil, &device.SpecError{Spec: spec.String(), Reason: spec.Contract.String() + " is not a contract"}
	}
	tier, err := configuredTier(spec)
	if err != nil {
		return nil, err
	}
	return &Device{spec: spec, tier: tier}, nil
}

// Spec returns the name the device was opened with.
func (d *Device) Spec() device.Spec { return d.spec }

// Close makes the device refuse further requests. Those in flight complete.
// Closing it again does nothing.
func (d *Device) Close() error {
	d.closed.Store(true)
	return nil
}

// Multiply returns left · right, of shape plan.OutputShape(). The statistics
// are zeros: the CPU is the host. Shapes that do not fit are a
// *tensor.ShapeError; a context that is done ends a long product early, with
// the context's error and no result.
func (d *Device) Multiply(ctx context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	plan, out, err := prepare(ctx, d, "matmul", p.Precision, p.Plan)
	if err != nil || plan.Empty() {
		return out, device.Stats{}, err
	}
	a := arithmetic{precision: p.Precision, contract: d.spec.Contract}
	if err := d.products(ctx, plan, a, out.Data()); err != nil {
		return nil, device.Stats{}, fmt.Errorf("matmul: %w", err)
	}
	return out, device.Stats{}, nil
}

// Reduce returns the sum or mean of the input along an axis, of shape
// plan.OutputShape(), with statistics of zeros. An axis that is not there and
// the mean of an empty axis are a *tensor.ShapeError.
func (d *Device) Reduce(ctx context.Context, r device.Reduction) (*tensor.Tensor, device.Stats, error) {
	plan, out, err := prepare(ctx, d, r.Op.String(), r.Precision, r.Plan)
	if err != nil || plan.Empty() {
		return out, device.Stats{}, err
	}
	a := arithmetic{precision: r.Precision, contract: d.spec.Contract}
	if r.Op == device.Mean {
		a.divisor = plan.K
	}
	if err := d.groups(ctx, plan, a, out.Data(), gatherBlock); err != nil {
		return nil, device.Stats{}, fmt.Errorf("%s: %w", r.Op, err)
	}
	return out, device.Stats{}, nil
}

// planned is what a request becomes once its shapes are checked.
type planned interface {
	OutputShape() []int
	Empty() bool
}

// prepare admits a request, plans it, and makes its output, which is all zeros
// and the whole answer where the plan is empty.
func prepare[P planned](ctx context.Context, d *Device, op string, precision device.Precision, check func() (P, error)) (plan P, out *tensor.Tensor, err error) {
	if err := d.admit(ctx, precision); err != nil {
		return plan, nil, fmt.Errorf("%s: %w", op, err)
	}
	if plan, err = check(); err != nil {
		return plan, nil, err
	}
	out, err = tensor.New(plan.OutputShape()...)
	return plan, out, err
}

// admit refuses what no request may be: made of a closed device, in an unknown
// precision, or after its context is done.
func (d *Device) admit(ctx context.Context, precision device.Precision) error {
	if d.closed.Load() {
		return &device.ClosedError{Spec: d.spec}
	}
	if precision > device.BFloat16 {
		return fmt.Errorf("%s is not a precision: use one of device.Precisions", precision)
	}
	return ctx.Err()
}
