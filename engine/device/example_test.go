package device_test

import (
	"context"
	"fmt"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// A device's name says what it is, how it adds and who multiplies. The
// shortest name is the one that is shown.
func ExampleParseSpec() {
	for _, name := range []string{"cpu,separate", "emulator,fused", "cuda:0,fused,library", "cuda:0,library,separate"} {
		spec, err := device.ParseSpec(name)
		if err != nil {
			fmt.Println(err.(*device.SpecError).Reason)
			continue
		}
		fmt.Println(spec, "adds", spec.Contract)
	}
	// Output:
	// cpu adds separate
	// emulator,fused adds fused
	// cuda:0,library adds fused
	// does not go with library: cuBLAS multiplies fused
}

// loop is a device of one loop, with the cost that a real one would have.
type loop struct{}

func (loop) Spec() device.Spec { return device.Spec{Kind: device.Emulator} }
func (loop) Close() error      { return nil }

func (loop) Multiply(_ context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	plan, err := p.Plan()
	if err != nil {
		return nil, device.Stats{}, err
	}
	out, err := tensor.New(plan.OutputShape()...)
	if err != nil || plan.Empty() {
		return out, device.Stats{}, err
	}
	left, right := plan.PackLeft(), plan.PackRight()
	for b := range plan.B {
		for i := range plan.M {
			for j := range plan.N {
				sum := 0.0
				for k := range plan.K {
					sum = float64(left[(b*plan.M+i)*plan.K+k]*right[(b*plan.K+k)*plan.N+j]) + sum
				}
				out.Data()[plan.Flat(b, i, j)] = sum
			}
		}
	}
	const size = 8 // bytes of a float64
	return out, device.Stats{Requests: 1, Launches: 1, BytesIn: int64(size * (len(left) + len(right))), BytesOut: int64(size * out.Len())}, nil
}

func (d loop) Reduce(ctx context.Context, r device.Reduction) (*tensor.Tensor, device.Stats, error) {
	return nil, device.Stats{}, fmt.Errorf("%v does not reduce", d.Spec())
}

// A run adds up what its requests cost; a request that fails costs nothing.
func ExampleRun() {
	ctx := context.Background()
	run := device.NewRun(loop{})
	a := tensor.Must(tensor.FromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)).View()
	w := tensor.Must(tensor.FromSlice([]float64{7, 8, 9, 10, 11, 12}, 3, 2)).View()
	product, err := run.Matmul(ctx, a, w)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(product.Data())
	_, err = run.SumAxis(ctx, a, 1, false)
	fmt.Println(err)
	fmt.Printf("%+v\n", run.Stats())
	// Output:
	// [58 64 139 154]
	// emulator does not reduce
	// {Requests:1 Launches:1 BytesIn:96 BytesOut:32 CopyInNS:0 KernelNS:0 CopyOutNS:0}
}
