package decoder_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"workbench/engine/autograd"
	"workbench/engine/cpu"
	"workbench/engine/decoder"
	"workbench/engine/device"
	"workbench/engine/tensor"
)

// spy passes requests on to a device and writes each down as a line:
//
//	product B·M·K·N  with ᵀ on the transposed side, and the precision
//	sum or mean      of a shape along an axis
type spy struct {
	device.Device
	lines []string
	fail  int    // number of the request that fails, counted from 1; 0 for none
	after func() // called after each request that succeeded
}

var errBroken = errors.New("the device broke down")

func (s *spy) admit(line string) error {
	s.lines = append(s.lines, line)
	if len(s.lines) == s.fail {
		return errBroken
	}
	return nil
}

func (s *spy) done() {
	if s.after != nil {
		s.after()
	}
}

func (s *spy) Multiply(ctx context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	plan, err := p.Plan()
	if err != nil {
		return nil, device.Stats{}, err
	}
	if err := s.admit(productLine(plan.B, plan.M, plan.K, plan.N, p.TransposeLeft, p.TransposeRight, p.Precision)); err != nil {
		return nil, device.Stats{}, err
	}
	defer s.done()
	return s.Device.Multiply(ctx, p)
}

func (s *spy) Reduce(ctx context.Context, r device.Reduction) (*tensor.Tensor, device.Stats, error) {
	if err := s.admit(reductionLine(r.Op, r.Axis, r.Precision, r.Input.Shape()...)); err != nil {
		return nil, device.Stats{}, err
	}
	defer s.done()
	return s.Device.Reduce(ctx, r)
}

func productLine(b, m, k, n int, transposeLeft, transposeRight bool, p device.Precision) string {
	line := fmt.Sprintf("product %d×[%d,%d]·[%d,%d] %s", b, m, k, k, n, p)
	if transposeLeft {
		line += ", left transposed"
	}
	if transposeRight {
		line += ", right transposed"
	}
	return line
}

func reductionLine(op device.ReduceOp, axis int, p device.Precision, shape ...int) string {
	return fmt.Sprintf("%s of %s along axis %d %s", op, tensor.FormatShape(shape), axis, p)
}

// open opens the CPU under a contract.
func open(t testing.TB, contract device.Contract) device.Device {
	t.Helper()
	d, err := cpu.New(device.Spec{Kind: device.CPU, Contract: contract})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func newModel(t testing.TB, config decoder.Config) *decoder.Model {
	t.Helper()
	m, err := decoder.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ab is the document of the fixture: begin, a, b, end.
var ab = []int{0, 99, 100, 1}

// forward computes logits and loss of a document.
func forward(t testing.TB, c autograd.Context, m *decoder.Model, document []int) (logits, loss *autograd.Node) {
	t.Helper()
	logits = m.Forward(c, document[:len(document)-1])
	loss = m.Loss(c, logits, document[1:])
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	return logits, loss
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
