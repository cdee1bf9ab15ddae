package trace_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/engine/trace"
)

// A precision reaches every product, sum and mean of a run, forward and
// backward; each cell is explained in it and ends in the run's value.
func TestDecoderPrecision(t *testing.T) {
	bits := map[string]string{}
	for _, p := range device.Precisions {
		d := open(t, "cpu,fused")
		out := run(t, d, trace.ExampleDecoder, fmt.Sprintf(`{"blocks": 1, "precision": %q}`, p))
		if out.Precision != p {
			t.Errorf("%s: the run calls itself %s", p, out.Precision)
		}
		requests := 0
		for i, s := range out.Steps {
			if s.Product != nil {
				requests++
				if s.Product.Precision != p {
					t.Errorf("%s: step %d (%s) is a product in %s", p, i, s.Title, s.Product.Precision)
				}
			}
			if s.Reduction != nil {
				requests++
				if s.Reduction.Precision != p {
					t.Errorf("%s: step %d (%s) is a reduction in %s", p, i, s.Title, s.Reduction.Precision)
				}
			}
		}
		if requests < 40 {
			t.Errorf("%s: only %d requests", p, requests)
		}
		eachCell(out, func(step int, at [3]int) {
			c, err := trace.Explain(t.Context(), out, step, at, d)
			if err != nil || !c.Agrees {
				t.Errorf("%s, step %d (%s), cell %v: %+v, %v", p, step, out.Steps[step].Title, at, c, err)
			}
		})

		in, err := trace.DecodeInput(trace.ExampleDecoder, fmt.Appendf(nil, `{"blocks": 1, "precision": %q}`, p))
		if err != nil {
			t.Fatal(err)
		}
		r, err := trace.Results(t.Context(), d, *in.(*trace.DecoderInput))
		if err != nil {
			t.Fatal(err)
		}
		if r.Precision != p || r.LossBits != out.Document.Bits {
			t.Errorf("%s: the result in %s has the loss %s, the trace %s", p, r.Precision, r.LossBits, out.Document.Bits)
		}
		if other, same := bits[r.LossBits]; same {
			t.Errorf("%s and %s have the same loss %s", p, other, r.LossBits)
		}
		bits[r.LossBits] = p.String()
	}
}

// Between contracts the tiny operations are held to their own bounds and what the
// model computes to a tolerance of the precision; between devices that share
// contract and order every bit is asked for.
func TestComparePrecision(t *testing.T) {
	separate, fused := open(t, "cpu"), open(t, "cpu,fused")
	library := &faulty{Device: fused, spec: &device.Spec{Kind: device.CUDA, Contract: device.Fused, Library: true}}
	for _, c := range []struct {
		precision string
		allowed   float64
	}{{"float64", 1e-10}, {"float32", 0x1p-12}, {"float16", 0x1p-7}, {"bfloat16", 0x1p-4}} {
		in := trace.DecoderInput{Precision: c.precision}
		for _, other := range []device.Device{fused, library} {
			report, err := trace.CompareDevices(t.Context(), separate, other, in, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := report.Tolerance; !report.Passed || float64(got.Absolute) != c.allowed || got.Absolute != got.Relative || got.Bits || got.Source == "" {
				t.Errorf("%s and %s: passed %t within %+v", c.precision, other.Spec(), report.Passed, got)
			}
			for _, g := range report.Groups {
				tiny := slices.Contains([]string{"matrix", "sums", "means"}, g.Name)
				if g.Bounded != (tiny && c.precision != "float64") {
					t.Errorf("%s: group %s has bounds of its own: %t", c.precision, g.Name, g.Bounded)
				}
			}
			if c.precision == "float32" && report.Differing == 0 {
				t.Error("float32: nothing differs between the contracts")
			}
		}
		report, err := trace.CompareDevices(t.Context(), fused, fused, in, nil)
		if err != nil || !report.Passed || !report.Tolerance.Bits {
			t.Errorf("%s against itself: %v, within %+v", c.precision, err, report.Tolerance)
		}
		for _, g := range report.Groups {
			if g.Bounded {
				t.Errorf("%s against itself: group %s is allowed a difference", c.precision, g.Name)
			}
		}
	}
}

// A fault larger than a bound is named, in the tiny product as in a gradient; one
// bit is enough where every bit is asked for.
func TestComparePrecisionNamesAFault(t *testing.T) {
	separate, fused := open(t, "cpu"), open(t, "cpu,fused")
	in := trace.DecoderInput{Precision: "float32"}
	for _, c := range []struct {
		name      string
		reference device.Device
		request   int
		bit       int
		group     string
	}{
		{"a thousandth of the product", separate, 1, 43, "matrix"},
		{"a thousandth of a sum", separate, 2, 43, "sums"},
		{"a thousandth of a mean", separate, 3, 43, "means"},
		{"a thousandth of the loss", separate, 3 + 26 + 2, 43, "loss"},
		{"the last bit of the product", fused, 1, 0, "matrix"},
		{"the last bit of the loss", fused, 3 + 26 + 2, 0, "loss"},
	} {
		flipped := &faulty{Device: fused, flip: c.request, bit: c.bit}
		report, err := trace.CompareDevices(t.Context(), c.reference, flipped, in, nil)
		if err != nil {
			t.Fatal(err)
		}
		bad := failing(report)
		if report.Passed || len(bad) != 1 || bad[0].Group != c.group {
			t.Errorf("%s: passed %t, failing %+v", c.name, report.Passed, bad)
		}
	}

	// The printed criterion says both, and where they come from.
	report, err := trace.CompareDevices(t.Context(), separate, fused, in, nil)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := report.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"0.000244140625 + 0.000244140625·|c|", "the value's own bound in matrix, sums, means", "4096 units of roundoff of float32, measured"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing in\n%s", want, text.String())
		}
	}
}

// The bounds of the tiny operations are those that package compare derives, and
// larger than zero where something is rounded.
func TestTinyBounds(t *testing.T) {
	report, err := trace.CompareDevices(t.Context(), open(t, "cpu"), open(t, "cpu,fused"), trace.DecoderInput{Precision: "float32"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Row 0 of the matrix is 1·7 + 2·9 + 3·11 = 58: both sides err by γ(3)·58.
	want := 2 * compare.Gamma(3, 0x1p-24) * 58
	if got := float64(report.Entries[0].Allowed); math.Abs(got-want) > 1e-9*want {
		t.Errorf("cell [0, 0] may differ by %v, want %v", got, want)
	}
}
