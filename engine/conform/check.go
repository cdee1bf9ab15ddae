package conform

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// A MismatchError is a result with wrong values, or of the wrong shape.
type MismatchError struct {
	Shape, Want []int // the result's shape and the contract's

	// Of the first wrong value, where the shapes are equal:
	Coordinate       []int
	Expected, Actual float64

	Wrong, Count int // values that are wrong, of how many
}

func (e *MismatchError) Error() string {
	if !slices.Equal(e.Shape, e.Want) {
		return fmt.Sprintf("the result has shape %s, expected %s", tensor.FormatShape(e.Shape), tensor.FormatShape(e.Want))
	}
	return fmt.Sprintf("value %s is %v (bits %016x), expected %v (bits %016x); %d of %d values are wrong",
		tensor.FormatShape(e.Coordinate),
		e.Actual, math.Float64bits(e.Actual), e.Expected, math.Float64bits(e.Expected), e.Wrong, e.Count)
}

// multiply runs a product and holds its result to the contract.
func multiply(ctx context.Context, d device.Device, p device.Product) error {
	want := productAnswer(p, d.Spec().Contract)
	before := copyOf(p.Left, p.Right)
	got, stats, err := d.Multiply(ctx, p)
	if err != nil {
		return fmt.Errorf("the device refused a product it must take: %w", err)
	}
	if err := before.same(p.Left, p.Right); err != nil {
		return err
	}
	_, terms := operand{p.Left, p.TransposeLeft}.matrix()
	if err := counted(d, stats, len(want.cells) > 0 && terms > 0); err != nil {
		return err
	}
	return want.hold(got, d.Spec())
}

// reduce runs a reduction and holds its result to the contract.
func reduce(ctx context.Context, d device.Device, r device.Reduction) error {
	want := reductionAnswer(r, d.Spec().Contract)
	before := copyOf(r.Input)
	got, stats, err := d.Reduce(ctx, r)
	if err != nil {
		return fmt.Errorf("the device refused a reduction it must take: %w", err)
	}
	if err := before.same(r.Input); err != nil {
		return err
	}
	if err := counted(d, stats, len(want.cells) > 0 && r.Input.Dim(r.Axis) > 0); err != nil {
		return err
	}
	return want.hold(got, d.Spec())
}

// hold compares a result with the answer.
func (a answer) hold(got *tensor.Tensor, spec device.Spec) error {
	if got == nil {
		return errors.New("the device returned neither a result nor an error")
	}
	wrong := &MismatchError{Shape: got.Shape(), Want: a.shape, Count: len(a.cells)}
	if !slices.Equal(wrong.Shape, wrong.Want) {
		return wrong
	}
	for q, actual := range got.Data() {
		if agrees(a.cells[q], actual, a.bound[q], spec.Library) {
			continue
		}
		if wrong.Wrong == 0 {
			wrong.Coordinate, wrong.Expected, wrong.Actual = coordinate(a.shape, q), a.cells[q], actual
		}
		wrong.Wrong++
	}
	if wrong.Wrong > 0 {
		return wrong
	}
	return nil
}

func agrees(expected, actual, bound float64, tolerant bool) bool {
	if math.IsNaN(expected) {
		return math.IsNaN(actual)
	}
	if tolerant && (math.IsInf(bound, 1) || math.Abs(actual-expected) <= bound) {
		return true
	}
	return math.Float64bits(expected) == math.Float64bits(actual)
}

// counted checks what a request says it cost: nothing on the CPU and where
// there was nothing to compute, one completed request elsewhere.
func counted(d device.Device, s device.Stats, work bool) error {
	switch {
	case d.Spec().Kind == device.CPU || !work:
		if s != (device.Stats{}) {
			return fmt.Errorf("statistics are %+v, expected zeros: the CPU, and a request without arithmetic, cost no device work", s)
		}
	case s.Requests != 1 || s.Launches < 1 || s.BytesIn < 1 || s.BytesOut < 1:
		return fmt.Errorf("statistics are %+v, expected one request with its launches and bytes", s)
	}
	return nil
}

// storage is what views read from, as it was.
type storage [][]float64

func copyOf(views ...tensor.View) storage {
	var s storage
	for _, v := range views {
		s = append(s, slices.Clone(v.Storage()))
	}
	return s
}

// same reports the first element that a request changed, even outside the view.
func (s storage) same(views ...tensor.View) error {
	for o, v := range views {
		for i, x := range v.Storage() {
			if was := s[o][i]; math.Float64bits(x) != math.Float64bits(was) {
				return fmt.Errorf("the request changed its operand %d: element %d of the storage was %v and is %v", o, i, was, x)
			}
		}
	}
	return nil
}
