package autograd_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"workbench/engine/autograd"
	"workbench/engine/cpu"
	"workbench/engine/device"
	"workbench/engine/tensor"
)

// spy passes requests on to the CPU and writes each down as a line: what is
// multiplied or reduced, and in which precision.
type spy struct {
	device.Device
	lines []string
	fail  int // number of the request that fails, counted from 1; 0 for none
}

var errBroken = errors.New("the device broke down")

func (s *spy) admit(line string) error {
	s.lines = append(s.lines, line)
	if len(s.lines) == s.fail {
		return errBroken
	}
	return nil
}

func (s *spy) Multiply(ctx context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	side := func(v tensor.View, transposed bool) string {
		if transposed {
			return tensor.FormatShape(v.Shape()) + "ᵀ"
		}
		return tensor.FormatShape(v.Shape())
	}
	line := fmt.Sprintf("%s·%s %s", side(p.Left, p.TransposeLeft), side(p.Right, p.TransposeRight), p.Precision)
	if err := s.admit(line); err != nil {
		return nil, device.Stats{}, err
	}
	return s.Device.Multiply(ctx, p)
}

func (s *spy) Reduce(ctx context.Context, r device.Reduction) (*tensor.Tensor, device.Stats, error) {
	line := fmt.Sprintf("%s %s axis %d %s", r.Op, tensor.FormatShape(r.Input.Shape()), r.Axis, r.Precision)
	if err := s.admit(line); err != nil {
		return nil, device.Stats{}, err
	}
	return s.Device.Reduce(ctx, r)
}

func openSpy(t testing.TB) *spy {
	t.Helper()
	d, err := cpu.New(device.Spec{Kind: device.CPU})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return &spy{Device: d}
}

func recording(t testing.TB) autograd.Context {
	t.Helper()
	return autograd.Recording(context.Background(), device.NewRun(openSpy(t)))
}

// values is a tensor of the given elements.
func values(shape []int, elements ...float64) *tensor.Tensor {
	return tensor.Must(tensor.FromSlice(elements, shape...))
}
