package cpu_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"workbench/engine/cpu"
	"workbench/engine/device"
	"workbench/engine/tensor"
)

func open(t testing.TB, contract device.Contract) *cpu.Device {
	t.Helper()
	d, err := cpu.New(device.Spec{Kind: device.CPU, Contract: contract})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func TestNewTakesTheCPUAlone(t *testing.T) {
	for _, spec := range []device.Spec{
		{},
		{Kind: device.Emulator},
		{Kind: device.CUDA},
		{Kind: device.CPU, Ordinal: 1},
		{Kind: device.CPU, Library: true},
		{Kind: device.CPU, Contract: 2},
	} {
		d, err := cpu.New(spec)
		var typed *device.SpecError
		if d != nil || !errors.As(err, &typed) {
			t.Errorf("New(%+v) = %v, %v, want a *device.SpecError", spec, d, err)
		}
	}
}

// The second product, (1+ε)·(1−ε) = 1−ε², is 1 once rounded, so the sum after
// the first product, −1, shows whether it was.
func TestContractsDiffer(t *testing.T) {
	const e = 0x1p-27
	left := tensor.Must(tensor.FromRows([][]float64{{-1, 1 + e}}))
	right := tensor.Must(tensor.FromRows([][]float64{{1}, {1 - e}}))
	for contract, want := range map[device.Contract]float64{device.Separate: 0, device.Fused: -0x1p-54} {
		out, stats, err := open(t, contract).Multiply(context.Background(), device.Product{Left: left.View(), Right: right.View()})
		if err != nil {
			t.Fatal(err)
		}
		if got := out.Data()[0]; got != want {
			t.Errorf("%s: got %v, want %v", contract, got, want)
		}
		if stats != (device.Stats{}) {
			t.Errorf("%s: statistics %+v, want zeros", contract, stats)
		}
	}
}

func TestFirstExample(t *testing.T) {
	left := tensor.Must(tensor.FromRows([][]float64{{1, 2, 3}, {4, 5, 6}}))
	right := tensor.Must(tensor.FromRows([][]float64{{7, 8}, {9, 10}, {11, 12}}))
	d := open(t, device.Separate)
	out, _, err := d.Multiply(context.Background(), device.Product{Left: left.View(), Right: right.View()})
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{58, 64, 139, 154}; !slices.Equal(out.Data(), want) || !slices.Equal(out.Shape(), []int{2, 2}) {
		t.Errorf("got %v %v, want %v", out.Shape(), out.Data(), want)
	}
	mean, _, err := d.Reduce(context.Background(), device.Reduction{Input: out.View(), Axis: 1, Op: device.Mean})
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{61, 146.5}; !slices.Equal(mean.Data(), want) {
		t.Errorf("means of the rows are %v, want %v", mean.Data(), want)
	}
}

// A sum that overflows float16 has a mean that does not: the division comes
// before the rounding to the format.
func TestMeanRoundsOnce(t *testing.T) {
	in := tensor.Must(tensor.FromRows([][]float64{{60000, 60000, 60000}}))
	for op, want := range map[device.ReduceOp]float64{device.Sum: math.Inf(1), device.Mean: 60000} {
		out, _, err := open(t, device.Separate).Reduce(context.Background(),
			device.Reduction{Input: in.View(), Axis: 1, Op: op, Precision: device.Float16})
		if err != nil {
			t.Fatal(err)
		}
		if got := out.Data()[0]; got != want {
			t.Errorf("%s: got %v, want %v", op, got, want)
		}
	}
}
