package trace

import (
	"context"
	"fmt"

	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/engine/tensor"
)

// Compare runs an example on both devices and holds every value of candidate
// against reference: a product's, a reduction's, or the complete result of a
// decoder, which tells progress how far it is.
func Compare(ctx context.Context, reference, candidate device.Device, in Input, progress func(note string, done, total int)) (*compare.Report, error) {
	switch in := in.(type) {
	case *DecoderInput:
		return CompareDevices(ctx, reference, candidate, *in, progress)
	case *ProductInput:
		return compareProduct(ctx, reference, candidate, in)
	case *ReductionInput:
		return compareReductions(ctx, reference, candidate, in)
	}
	return nil, &FieldError{"example", "has nothing to compare: choose product, reduction or decoder"}
}

func compareProduct(ctx context.Context, reference, candidate device.Device, in *ProductInput) (*compare.Report, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	p := in.product()
	plan, err := p.Plan()
	if err != nil {
		return nil, err
	}
	pair, err := onBoth(reference, candidate, func(run *device.Run) (*tensor.Tensor, error) { return run.Multiply(ctx, p) })
	if err != nil {
		return nil, err
	}
	group := pair.group("C")
	if bounded(reference.Spec(), candidate.Spec(), p.Precision) {
		group.Bound = compare.ProductBounds(plan, p.Precision, 2)
	}
	return pair.report(p.Precision, group), nil
}

func compareReductions(ctx context.Context, reference, candidate device.Device, in *ReductionInput) (*compare.Report, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	var groups []compare.Group
	var pair sides
	precision := device.Float64
	for _, r := range in.reductions() {
		plan, err := r.Plan()
		if err != nil {
			return nil, err
		}
		pair, err = onBoth(reference, candidate, func(run *device.Run) (*tensor.Tensor, error) { return run.Reduce(ctx, r) })
		if err != nil {
			return nil, err
		}
		group := pair.group(r.Op.String() + "s")
		if bounded(reference.Spec(), candidate.Spec(), r.Precision) {
			group.Bound = compare.ReductionBounds(plan, r.Op, r.Precision, 2)
		}
		groups, precision = append(groups, group), r.Precision
	}
	return pair.report(precision, groups...), nil
}

// bounded reports whether values of a precision are held to their a-priori
// bounds: below float64, where the devices do not share a chain.
func bounded(a, b device.Spec, p device.Precision) bool {
	return p != device.Float64 && !sameChain(a, b)
}

// sides is one request on two devices.
type sides struct {
	reference, candidate device.Device
	want, got            *tensor.Tensor
}

func onBoth(reference, candidate device.Device, ask func(run *device.Run) (*tensor.Tensor, error)) (sides, error) {
	s := sides{reference: reference, candidate: candidate}
	for _, side := range []struct {
		device device.Device
		into   **tensor.Tensor
	}{{reference, &s.want}, {candidate, &s.got}} {
		out, err := ask(device.NewRun(side.device))
		if err != nil {
			return sides{}, fmt.Errorf("%s: %w", side.device.Spec(), err)
		}
		*side.into = out
	}
	return s, nil
}

func (s sides) group(name string) compare.Group {
	return compare.Group{Name: name, Shape: s.want.Shape(), CandidateShape: s.got.Shape(), Reference: s.want.Data(), Candidate: s.got.Data()}
}

func (s sides) report(p device.Precision, groups ...compare.Group) *compare.Report {
	a, b := s.reference.Spec(), s.candidate.Spec()
	tolerance := toleranceOf(a, b, p)
	if bounded(a, b, p) {
		tolerance = compare.Tolerance{Source: "each value has a bound of its own, γ(K)·Σ|a||b| for both sides (Higham 2002, §3.1)"}
	}
	report := compare.Compare(a.String(), b.String(), tolerance, groups)
	report.Made = made(s.reference, s.candidate, p)
	return report
}
