package trace_test

import (
	"strings"
	"testing"

	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/engine/trace"
)

// A comparison says how each side computes, with the GPU's name, and why their
// bits may differ; devices that share contract and order are held to every bit,
// and a library to the tolerance of its precision.
func TestCompareSaysHowBothCompute(t *testing.T) {
	separate, fused := open(t, "cpu"), open(t, "cpu,fused")
	cuda := openGPU(t)
	asGPU := func(spec device.Spec) device.Device {
		spec.Kind = device.CUDA
		inner := fused
		if spec.Contract == device.Separate {
			inner = separate
		}
		return &faulty{Device: inner, spec: &spec}
	}
	fusedGPU := asGPU(device.Spec{Contract: device.Fused})
	library := asGPU(device.Spec{Contract: device.Fused, Library: true})
	other := asGPU(device.Spec{Ordinal: 1, Contract: device.Fused, Library: true})
	const (
		separately = "rounds each product before it adds it (separate)"
		once       = "rounds once, after the addition (fused)"
		cublas     = "behind cuda:0,library cuBLAS adds the products of a cell in an order of its own, and multiplies a sum by 1/K for a mean where the others divide it by K"
	)
	for _, c := range []struct {
		reference, candidate device.Device
		exact                bool
		bits                 string
	}{
		{separate, cuda, true, "no bit may differ: each side adds the products of a cell in ascending order and " + separately},
		{fused, fusedGPU, true, "no bit may differ: each side adds the products of a cell in ascending order and " + once},
		{separate, fusedGPU, false, "last bits may differ: cpu " + separately + ", cuda:0,fused " + once},
		{fused, library, false, "last bits may differ: " + cublas},
		{library, fused, false, "last bits may differ: " + cublas},
		{separate, library, false, "last bits may differ: cpu " + separately + ", cuda:0,library " + once + "; " + cublas},
		{library, cuda, false, "last bits may differ: cuda:0,library " + once + ", cuda:0 " + separately + "; " + cublas},
		{library, other, false, "last bits may differ: both leave the order of a cell's additions to cuBLAS, which may choose another on another GPU"},
	} {
		for _, precision := range []string{"float64", "float32"} {
			report, err := trace.CompareDevices(t.Context(), c.reference, c.candidate, trace.DecoderInput{Precision: precision}, nil)
			if err != nil {
				t.Fatal(err)
			}
			a, b := c.reference.Spec(), c.candidate.Spec()
			want := compare.Made{
				Precision: precision, Bits: c.bits,
				Reference: compare.Maker{Name: device.NameOf(c.reference), Contract: a.Contract.String(), Library: a.Library},
				Candidate: compare.Maker{Name: device.NameOf(c.candidate), Contract: b.Contract.String(), Library: b.Library},
			}
			if report.Made == nil || *report.Made != want || report.Tolerance.Bits != c.exact || !report.Passed {
				t.Errorf("%s against %s: passed %t, every bit %t, made by\n%+v, want\n%+v", b, a, report.Passed, report.Tolerance.Bits, report.Made, want)
			}
			if c.exact && (report.Differing != 0 || report.Tolerance.Absolute != 0 || report.Tolerance.Relative != 0) {
				t.Errorf("%s against %s: %d other bits within %+v", b, a, report.Differing, report.Tolerance)
			}
		}
	}
	for example, input := range map[string]string{trace.ExampleProduct: `{"left": [[1]], "right": [[2]]}`, trace.ExampleReduction: `{"input": [1, 2]}`} {
		in, err := trace.DecodeInput(example, []byte(input))
		if err != nil {
			t.Fatal(err)
		}
		report, err := trace.Compare(t.Context(), separate, cuda, in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if m := report.Made; m == nil || m.Candidate.Name != "NVIDIA H200" || m.Precision != "float64" || !strings.HasPrefix(m.Bits, "no bit may differ") {
			t.Errorf("%s: made by %+v", example, m)
		}
	}
	report, err := trace.CompareDevices(t.Context(), separate, cuda, trace.DecoderInput{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := report.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"reference  c of cpu (separate)\n", "candidate  u of cuda:0, NVIDIA H200 (separate)\n", "precision  float64\n", "bits       no bit may differ: "} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, text.String())
		}
	}
}

// One flipped bit of a GPU is named, in each of the three tiny operations and in
// the model, though its numbers are as close as can be.
func TestFlippedBitOfAGPU(t *testing.T) {
	for request, group := range map[int]string{1: "matrix", 2: "sums", 3: "means", 3 + 26 + 2: "loss"} {
		flipped := &faulty{Device: openGPU(t), flip: request}
		report, err := trace.CompareDevices(t.Context(), open(t, "cpu"), flipped, trace.DecoderInput{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if bad := failing(report); report.Passed || len(bad) == 0 || bad[0].Group != group {
			t.Errorf("a bit of request %d: passed %t, failing %+v, want %s", request, report.Passed, bad, group)
		}
	}
}

// Where a library's value has other bits than the chain that is written out, the
// cell says why; a device that promises the chain has no such excuse.
func TestCellSaysWhyALibraryDiffers(t *testing.T) {
	fused := open(t, "cpu,fused")
	for _, library := range []bool{true, false} {
		d := &faulty{Device: fused, spec: &device.Spec{Kind: device.CUDA, Contract: device.Fused, Library: library}, flip: 2}
		out, err := trace.RunReduction(t.Context(), d, fused, trace.ReductionInput{Input: array(t, `[[1, 2, 4], [5, 6, 7]]`), Axis: 1})
		if err != nil {
			t.Fatal(err)
		}
		var cells []*trace.Cell
		for _, s := range out.Steps {
			if s.Cell != nil {
				cells = append(cells, s.Cell)
			}
		}
		if len(cells) != 4 || cells[2].Agrees || !cells[3].Agrees {
			t.Fatalf("cells %+v", cells)
		}
		why := ""
		if library {
			why = "cuBLAS adds the products of a cell in an order of its own, and multiplies a sum by 1/K for a mean where the others divide it by K"
		}
		for i, c := range cells {
			if want := map[bool]string{true: why}[i == 2]; c.Why != want {
				t.Errorf("library %t, cell %d differs: %t, because %q, want %q", library, i, !c.Agrees, c.Why, want)
			}
		}
		note := "The same sums, each divided by the number of values in its group, 3."
		if library {
			note = "The same sums, each multiplied by 1/3: cuBLAS takes a factor with the product, where the other devices divide by 3 afterwards. The last bit may differ."
		}
		if got := text(t, out); !strings.Contains(got, note) || strings.Contains(got, "\n       cuBLAS adds") != library {
			t.Errorf("library %t: the text is\n%s", library, got)
		}
	}
}
