package cpu

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

func randomMatrix(seed uint64, shape ...int) *tensor.Tensor {
	r := rand.New(rand.NewPCG(seed, 7))
	out := tensor.Must(tensor.New(shape...))
	for i := range out.Data() {
		out.Data()[i] = math.Ldexp(r.Float64()*2-1, r.IntN(8)-4)
	}
	return out
}

func multiply(t testing.TB, d *Device, p device.Product) *tensor.Tensor {
	t.Helper()
	out, _, err := d.Multiply(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sampleAgainstReference compares rows and columns of a large product with the
// reference: the whole would take longer than what is measured.
func sampleAgainstReference(t testing.TB, contract device.Contract, p device.Product, got *tensor.Tensor) {
	t.Helper()
	plan, err := p.Plan()
	if err != nil {
		t.Fatal(err)
	}
	explain := &Device{spec: device.Spec{Kind: device.CPU, Contract: contract}, tier: plain}
	for q := 0; q < got.Len(); q += 1 + 97*got.Len()/100000 {
		left, right, err := plan.Operands(q/(plan.M*plan.N), q/plan.N%plan.M, q%plan.N)
		if err != nil {
			t.Fatal(err)
		}
		chain, err := explain.Explain(p.Precision, left, right)
		if err != nil {
			t.Fatal(err)
		}
		if math.Float64bits(chain.Result) != math.Float64bits(got.Data()[q]) {
			t.Fatalf("cell %d is %v, want %v", q, got.Data()[q], chain.Result)
		}
	}
}
