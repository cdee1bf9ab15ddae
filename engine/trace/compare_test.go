package trace_test

import (
	"errors"
	"math"
	"testing"

	"workbench/engine/trace"
)

const tenths = `{"left": [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], "right": [[0.7, 0.8], [0.9, 1.0], [1.1, 1.2]]}`

func decoded(t *testing.T, example, input string) trace.Input {
	t.Helper()
	in, err := trace.DecodeInput(example, []byte(input))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// Two contracts differ in two of the four cells of a product of tenths, by one
// step each, and by less than the criterion of float64.
func TestCompareProduct(t *testing.T) {
	report, err := trace.Compare(t.Context(), open(t, "cpu"), open(t, "cpu,fused"), decoded(t, trace.ExampleProduct, tenths), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !report.Passed || report.Count != 4 || report.Differing != 2 || report.Tolerance.Bits || report.Tolerance.Absolute != 1e-10 {
		t.Errorf("passed %t, %d values, %d differ, tolerance %+v", report.Passed, report.Count, report.Differing, report.Tolerance)
	}
	for i, want := range []string{"1", "0", "1", "0"} {
		if e := report.Entries[i]; e.Group != "C" || e.ULP != want || (e.ReferenceBits == e.CandidateBits) != (want == "0") {
			t.Errorf("value %d is %+v, want %s steps apart", i, e, want)
		}
	}
}

// Devices that share a chain are held to every bit, and one flipped bit fails.
func TestCompareProductExactly(t *testing.T) {
	report, err := trace.Compare(t.Context(), open(t, "cpu"), &faulty{Device: open(t, "cpu"), flip: 1, element: 2}, decoded(t, trace.ExampleProduct, tenths), nil)
	if err != nil {
		t.Fatal(err)
	}
	if report.Passed || !report.Tolerance.Bits || report.Failures != 1 || report.Entries[2].Pass || report.Entries[2].ULP != "1" {
		t.Errorf("passed %t, tolerance %+v, entry %+v", report.Passed, report.Tolerance, report.Entries[2])
	}
}

// Below float64 each value has its own bound, and a value beyond it fails.
func TestCompareBounded(t *testing.T) {
	for example, input := range map[string]string{
		trace.ExampleProduct:   `{"left": [[0.1, 0.2, 0.3]], "right": [[0.7], [0.9], [1.1]], "precision": "float32"}`,
		trace.ExampleReduction: `{"input": [[0.1, 0.2, 0.3]], "axis": 1, "op": "mean", "precision": "float16"}`,
	} {
		in := decoded(t, example, input)
		report, err := trace.Compare(t.Context(), open(t, "cpu"), open(t, "cpu,fused"), in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !report.Passed || !report.Groups[0].Bounded || report.Entries[0].Allowed == 0 {
			t.Errorf("%s: %+v, allowed %v", example, report.Groups[0], report.Entries[0].Allowed)
		}
		report, err = trace.Compare(t.Context(), open(t, "cpu"), &faulty{Device: open(t, "cpu,fused"), flip: 1, bit: 48}, in, nil)
		if err != nil || report.Passed {
			t.Errorf("%s: a wrong value passes: %+v, %v", example, report.Entries, err)
		}
	}
}

// Sums have equal bits under both contracts, and a NaN on either side fails.
func TestCompareReductions(t *testing.T) {
	in := decoded(t, trace.ExampleReduction, `{"input": [[1, 2, 4], [0.1, 0.2, 0.3]], "axis": 1}`)
	report, err := trace.Compare(t.Context(), open(t, "cpu"), open(t, "cpu,fused"), in, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !report.Passed || report.Count != 4 || report.Differing != 0 || report.Groups[0].Name != "sums" || report.Groups[1].Name != "means" {
		t.Errorf("%+v", report)
	}
	nan := math.NaN()
	report, err = trace.Compare(t.Context(), open(t, "cpu"), &faulty{Device: open(t, "cpu,fused"), flip: 2, element: 1, spoil: &nan}, in, nil)
	if err != nil || report.Passed || report.Failures != 1 || report.Entries[3].Pass {
		t.Errorf("a NaN passes: %+v, %v", report, err)
	}
}

func TestCompareRefuses(t *testing.T) {
	cpu := open(t, "cpu")
	var field *trace.FieldError
	if r, err := trace.Compare(t.Context(), cpu, cpu, decoded(t, trace.ExampleView, `{"input": [1]}`), nil); r != nil || !errors.As(err, &field) || field.Field != "example" {
		t.Errorf("a view was compared: %v, %v", r, err)
	}
	if r, err := trace.Compare(t.Context(), cpu, cpu, &trace.ProductInput{}, nil); r != nil || !errors.As(err, &field) || field.Field != "left" {
		t.Errorf("nothing was multiplied: %v, %v", r, err)
	}
	if r, err := trace.Compare(t.Context(), cpu, cpu, &trace.ReductionInput{}, nil); r != nil || !errors.As(err, &field) || field.Field != "input" {
		t.Errorf("nothing was added: %v, %v", r, err)
	}
	for _, in := range []trace.Input{decoded(t, trace.ExampleProduct, tenths), decoded(t, trace.ExampleReduction, `{"input": [1, 2]}`)} {
		if r, err := trace.Compare(t.Context(), cpu, &faulty{Device: cpu, fail: 1}, in, nil); r != nil || !errors.Is(err, errBroken) {
			t.Errorf("a device that failed was compared: %v, %v", r, err)
		}
	}
	report, err := trace.Compare(t.Context(), cpu, cpu, decoded(t, trace.ExampleDecoder, `{}`), nil)
	if err != nil || !report.Passed || report.Count != 2155 {
		t.Errorf("the decoder: %v, %v", report, err)
	}
}
