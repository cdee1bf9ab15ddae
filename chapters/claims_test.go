package chapters_test

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"testing"

	"workbench/chapters"
	"workbench/engine"
	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/engine/trace"
)

// source returns the text of a chapter with every run of white space as one
// space, so that a claim is found wherever its line breaks.
func source(t *testing.T, slug string) string {
	t.Helper()
	text, err := fs.ReadFile(chapters.FS, slug+"/chapter.md")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

func open(t *testing.T, spec string) device.Device {
	t.Helper()
	d, err := engine.Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// dot is the product of one row and one column.
func dot(t *testing.T, spec string, p device.Precision, left, right []float64) float64 {
	t.Helper()
	l := tensor.Must(tensor.FromSlice(left, 1, len(left)))
	r := tensor.Must(tensor.FromSlice(right, len(right), 1))
	out, _, err := open(t, spec).Multiply(context.Background(), device.Product{Left: l.View(), Right: r.View(), Precision: p})
	if err != nil {
		t.Fatal(err)
	}
	return out.Data()[0]
}

func reduce(t *testing.T, op device.ReduceOp, p device.Precision, values ...float64) float64 {
	t.Helper()
	v := tensor.Must(tensor.FromSlice(values, len(values)))
	out, _, err := open(t, "cpu").Reduce(context.Background(), device.Reduction{Input: v.View(), Op: op, Precision: p})
	if err != nil {
		t.Fatal(err)
	}
	return out.Data()[0]
}

func ones(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

// decimal writes a number as the widgets show it.
func decimal(x float64) string { return trace.FormatNumber(x) }

// valueAndBits writes a number as the chapters do when its bits matter.
func valueAndBits(x float64) string {
	return fmt.Sprintf("%s, bits `%016x`", decimal(x), math.Float64bits(x))
}

// TestClaims computes the numbers that the prose states and the widgets do
// not: a sentence that stopped being true fails here.
func TestClaims(t *testing.T) {
	const one, two, three, four = "01-one-product", "02-rows-sums-means", "03-views-and-packing", "04-tiny-decoder"
	third := 1.0 / 3
	sum := func(values ...float64) float64 { return dot(t, "cpu", device.Float64, values, ones(len(values))) }
	cell := func(spec string) float64 {
		return dot(t, spec, device.Float64, []float64{1, 0.1}, []float64{-1, 10})
	}
	half := func(p device.Precision, values ...float64) string {
		return decimal(dot(t, "cpu", p, values, ones(len(values))))
	}
	differing, smallest := 0, 0
	for s := 1.0; s <= 40; s++ {
		if math.Float64bits(s/3) != math.Float64bits(s*third) {
			if differing++; smallest == 0 {
				smallest = int(s)
			}
		}
	}
	scaled := func(k float64) float64 { return k * (1 / k) }
	in := 2*6*8 + 2*(6+3)*8
	out := 4*8 + 2*2*8

	for _, c := range []struct{ slug, says string }{
		{one, "The first row gives " + valueAndBits(sum(0.1, 0.2, 0.3))},
		{one, "the second " + valueAndBits(sum(0.3, 0.2, 0.1))},
		{one, "Separate gives " + valueAndBits(cell("cpu"))},
		{one, "Fused gives " + valueAndBits(cell("cpu,fused"))},
		{one, "arrives at " + half(device.Float16, 2048, 1, 1)},
		{one, "2049 is rounded to " + half(device.Float16, 2049)},
		{one, fmt.Sprintf("you get %s, %s and %s.", half(device.BFloat16, 2048, 1, 1), half(device.BFloat16, 2049), half(device.BFloat16, 65504, 16))},

		{two, "the result is " + decimal(sum(1e16, 1, 1, 1, 1, 1, 1, 1)) + ": all seven"},
		{two, "can take: " + decimal(sum(1e16, 2, 2, 2))},
		{two, "at the end gives " + decimal(sum(1, 1, 1, 1, 1, 1, 1, 1e16))},
		{two, "The first gives " + valueAndBits(reduce(t, device.Mean, device.Float64, 1, 2, 2))},
		{two, "the second " + valueAndBits(dot(t, "cpu", device.Float64, []float64{5}, []float64{third}))},
		{two, fmt.Sprintf("%s differ when the mean is over three values; %d is the smallest", map[int]string{13: "thirteen"}[differing], smallest)},
		{two, fmt.Sprintf("Their mean is %s, which it can", decimal(reduce(t, device.Mean, device.Float16, 60000, 60000)))},
		{two, "the answer is " + decimal(sum(1e308, -1e308, 1e308))},

		{three, fmt.Sprintf("| together | | %d | | %d |", in, out)},
		{four, fmt.Sprintf(`$\ln 258 \approx %.3f$`, math.Log(258))},
	} {
		if !strings.Contains(source(t, c.slug), c.says) {
			t.Errorf("%s does not say %q", c.slug, c.says)
		}
	}

	if x := dot(t, "cpu", device.Float16, []float64{65504, 16}, ones(2)); !math.IsInf(x, 1) {
		t.Errorf("65504 + 16 in float16 is %v, and chapter 1 says infinity", x)
	}
	for _, p := range device.Precisions {
		for _, c := range []struct{ left, right []float64 }{{[]float64{1, 2, 3}, []float64{7, 9, 11}}, {[]float64{4, 5, 6}, []float64{8, 10, 12}}} {
			if got, want := dot(t, "cpu", p, c.left, c.right), dot(t, "cpu", device.Float64, c.left, c.right); got != want {
				t.Errorf("chapter 1 says that its product is exact in %s: %v, want %v", p, got, want)
			}
		}
	}
	for _, spec := range []string{"cpu", "cpu,fused"} {
		if x := dot(t, spec, device.Float64, []float64{0.1, 1}, []float64{10, -1}); x != 0 {
			t.Errorf("chapter 1 says that 0.1·10 − 1 is 0 on %s in this order, not %v", spec, x)
		}
	}
	if scaled(49) == 1 || scaled(64) != 1 {
		t.Errorf("chapter 2 says that 49·(1/49) is not 1 and that a power of two is exact: %v, %v", scaled(49), scaled(64))
	}
	if x := reduce(t, device.Sum, device.Float16, 60000, 60000); !math.IsInf(x, 1) {
		t.Errorf("60000 + 60000 in float16 is %v, and chapter 2 says that it overflows", x)
	}
	if math.Float64bits(cell("cpu,fused")) != math.Float64bits(math.Ldexp(1, -54)) {
		t.Error("chapter 1 says that the fused cell is 2^-54 exactly")
	}
}

// TestDecoderClaims holds the figures of chapter 4 against one run.
func TestDecoderClaims(t *testing.T) {
	text := source(t, "04-tiny-decoder")
	run, err := trace.RunDecoder(context.Background(), open(t, "cpu"), trace.DecoderInput{})
	if err != nil {
		t.Fatal(err)
	}
	last := func(name string, phase string) tensor.Values {
		for i := len(run.Steps) - 1; i >= 0; i-- {
			step := run.Steps[i]
			if step.Phase == phase && len(step.Outputs) > 0 && run.Tensors[step.Outputs[0]].Name == name {
				return run.Tensors[step.Outputs[0]].Values
			}
		}
		t.Fatalf("no step of phase %s makes %q", phase, name)
		return nil
	}
	says := func(format string, args ...any) {
		t.Helper()
		if want := fmt.Sprintf(format, args...); !strings.Contains(text, want) {
			t.Errorf("the chapter does not say %q", want)
		}
	}

	says("it is %s, and its bits are `%s`", decimal(float64(run.Document.Loss)), run.Document.Bits)
	for i, nll := range last("nll", trace.PhaseLoss) {
		target := []string{"`a`", "`b`", "end"}[i]
		says("| %d | %s | %.6f | %.4f |", i, target, math.Exp(-nll), nll)
	}
	says("| mean | | | %.4f |", float64(run.Document.Loss))

	for i := range run.Steps {
		if step := run.Steps[i]; step.Section == "blocks.0.attention" && step.Phase == trace.PhaseForward && len(step.Outputs) > 0 {
			if x := run.Tensors[step.Outputs[0]]; x.Name == "weights" {
				w := x.Values
				says("row 1 divides its attention %.3f to %.3f between positions 0 and 1; row 2 has the weights %.3f, %.3f and %.3f", w[3], w[4], w[6], w[7], w[8])
			}
		}
	}

	products := map[string]int{}
	steps := map[string]int{}
	for _, step := range run.Steps {
		steps[step.Phase]++
		if step.Op == "matmul" {
			products[step.Phase]++
		}
	}
	says("That is %d products forward", products[trace.PhaseForward])
	says("the %d products forward cause %d products backward", products[trace.PhaseForward], products[trace.PhaseBackward])
	if steps[trace.PhaseBackward] <= steps[trace.PhaseForward]+steps[trace.PhaseLoss] {
		t.Errorf("the chapter says that backward has more steps than forward: %v", steps)
	}
}

// TestTiedTable holds what chapter 4 says of the table's two shares.
func TestTiedTable(t *testing.T) {
	text := source(t, "04-tiny-decoder")
	run, err := trace.RunDecoder(context.Background(), open(t, "cpu"), trace.DecoderInput{})
	if err != nil {
		t.Fatal(err)
	}
	const width = 4
	var shares []tensor.Values // every [258, 4] tensor of the table's gradient, in order
	for _, step := range run.Steps {
		if step.Phase != trace.PhaseBackward || len(step.Outputs) == 0 {
			continue
		}
		if x := run.Tensors[step.Outputs[0]]; strings.HasSuffix(x.Name, "∂loss/∂(token_embedding.weight)") && len(x.Shape) == 2 {
			shares = append(shares, x.Values)
		}
	}
	if len(shares) != 3 {
		t.Fatalf("the table's gradient has %d steps, and the chapter shows three: head, look-up, sum", len(shares))
	}
	head, lookup, both := shares[0], shares[1], shares[2]
	want := fmt.Sprintf("it gets %.4f in its last column from the head, as an input −%.4f from the look-up, and", head[99*width+3], -lookup[99*width+3])
	if !strings.Contains(text, want) || !strings.Contains(text, fmt.Sprintf("is %.4f. Row 1", both[99*width+3])) {
		t.Errorf("row 99 has %v + %v = %v: the chapter does not say %q", head[99*width+3], lookup[99*width+3], both[99*width+3], want)
	}
	for row := range 258 {
		fromHead, fromLookup := 0.0, 0.0
		for column := range width {
			fromHead = max(fromHead, math.Abs(head[row*width+column]))
			fromLookup = max(fromLookup, math.Abs(lookup[row*width+column]))
		}
		read := row == 0 || row == 99 || row == 100
		if fromHead == 0 || (fromLookup != 0) != read {
			t.Errorf("row %d: the head sends up to %v, the look-up up to %v", row, fromHead, fromLookup)
		}
		if row == 101 && !strings.Contains(text, fmt.Sprintf("Row 101 gets no more than %.4f", fromHead)) {
			t.Errorf("row 101 gets up to %v", fromHead)
		}
	}
}

// TestComparison holds what chapter 4 says of its comparison against one.
func TestComparison(t *testing.T) {
	text := source(t, "04-tiny-decoder")
	report, err := trace.CompareDevices(context.Background(), open(t, "cpu"), open(t, "cpu,fused"), trace.DecoderInput{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		fmt.Sprintf("The report has %d values", report.Count),
		fmt.Sprintf("Of all these, %d have other bits", report.Differing),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the chapter does not say %q", want)
		}
	}
	if !report.Passed || report.Tolerance.Absolute != 1e-10 || report.Tolerance.Relative != 1e-10 {
		t.Errorf("the chapter says that the comparison passes 1e-10 + 1e-10·|c|: %d failures of %+v", report.Failures, report.Tolerance)
	}
	exact := map[string]bool{"matrix": true, "sums": true, "means": true, "loss": true}
	for _, group := range report.Groups {
		if exact[group.Name] {
			if group.Differing != 0 {
				t.Errorf("%d values of %s differ, and the chapter says that none does", group.Differing, group.Name)
			}
			delete(exact, group.Name)
		}
	}
	if len(exact) > 0 {
		t.Errorf("the report lacks %v", exact)
	}
}
