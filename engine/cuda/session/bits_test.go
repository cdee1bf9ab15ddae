package session_test

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"workbench/engine/cpu"
	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/session"
	"workbench/engine/device"
	"workbench/engine/dtype"
	"workbench/engine/tensor"
)

// element reads a value of a packed result.
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

// values are numbers that no format holds exactly, and whose sums round.
func values(seed uint32, shape ...int) tensor.View {
	out := tensor.Must(tensor.New(shape...))
	x := seed
	for i := range out.Data() {
		x = x*1664525 + 1013904223
		out.Data()[i] = (float64(x>>8) - 1<<23) / (1 << 21) / 3
	}
	return out.View()
}

// TestSameBitsAsCPU holds products, sums and means to the bits of the reference,
// in every precision and under both contracts. What cuBLAS promises is held by
// the conformance cases of the device above.
func TestSameBitsAsCPU(t *testing.T) {
	shapes := [][4]int{ // B, M, K, N
		{1, 1, 1, 1}, {1, 2, 3, 2}, {1, 17, 33, 9}, {1, 5, 129, 31}, {3, 7, 11, 13}, {2, 1, 37, 1}, {1, 40, 3, 1}, {1, 1, 3, 40}, {2, 300, 2, 1}, {5, 16, 16, 16},
	}
	s, _ := open(t, fake.Config{})
	for _, contract := range []device.Contract{device.Separate, device.Fused} {
		reference, err := cpu.New(device.Spec{Kind: device.CPU, Contract: contract})
		if err != nil {
			t.Fatal(err)
		}
		for _, precision := range device.Precisions {
			for _, shape := range shapes {
				b, m, k, n := shape[0], shape[1], shape[2], shape[3]
				left, right := values(1, b, m, k), values(2, b, k, n)
				product, _, err := reference.Multiply(context.Background(), device.Product{Left: left, Right: right, Precision: precision})
				if err != nil {
					t.Fatal(err)
				}
				same(t, s, session.Product{B: b, M: m, K: k, N: n, Precision: precision, Contract: contract}, left, right, product)

				ones := tensor.Must(tensor.New(1, k, 1))
				for i := range ones.Data() {
					ones.Data()[i] = 1
				}
				for _, op := range []device.ReduceOp{device.Sum, device.Mean} {
					want, _, err := reference.Reduce(context.Background(), device.Reduction{Input: left, Axis: 2, Op: op, Precision: precision})
					if err != nil {
						t.Fatal(err)
					}
					same(t, s, session.Product{B: 1, M: b * m, K: k, N: 1, Precision: precision, Contract: contract, Mean: op == device.Mean}, left, ones.View(), want)
				}
			}
		}
	}
}

// same runs a product of contiguous operands and holds its bits to want.
func same(t *testing.T, s *session.Session, p session.Product, left, right tensor.View, want *tensor.Tensor) {
	t.Helper()
	_, _, size, err := p.Sizes()
	if err != nil {
		t.Fatal(err)
	}
	out := make([]byte, size)
	if _, err := s.Multiply(p, p.Precision.AppendBytes(nil, left.Storage()), p.Precision.AppendBytes(nil, right.Storage()), out); err != nil {
		t.Fatalf("%+v: %v", p, err)
	}
	for i, w := range want.Data() {
		if x := element(p.Precision, out, i); math.Float64bits(x) != math.Float64bits(w) {
			t.Fatalf("%+v: cell %d is %v, want %v", p, i, x, w)
		}
	}
}

// More matrices than a grid has blocks in z are multiplied all the same.
func TestMoreMatricesThanBlocks(t *testing.T) {
	const matrices = 1<<16 + 3
	s, _ := open(t, fake.Config{})
	r := filled(t, session.Product{B: matrices, M: 1, K: 1, N: 1, Precision: device.Float32})
	if _, err := r.run(s); err != nil {
		t.Fatal(err)
	}
	for i := range matrices {
		x := float64(i%100 + 1)
		if got := element(device.Float32, r.out, i); got != float64(x*x) {
			t.Fatalf("cell %d is %v, want %v", i, got, float64(x*x))
		}
	}
}
