package trace_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/engine/trace"
)

func TestResults(t *testing.T) {
	for _, name := range []string{"cpu", "cpu,fused"} {
		d := open(t, name)
		r, err := trace.Results(t.Context(), counted{d}, trace.DecoderInput{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name   string
			got    trace.ShapedValues
			shape  []int
			values []float64
		}{
			{"matrix", r.Matrix, []int{2, 2}, []float64{58, 64, 139, 154}},
			{"sums", r.Sums, []int{2}, []float64{6, 15}},
			{"means", r.Means, []int{2}, []float64{2, 5}},
		} {
			if !slices.Equal(c.got.Shape, c.shape) || !slices.Equal(c.got.Values, c.values) {
				t.Errorf("%s: %s is %v %v, want %v %v", name, c.name, c.got.Shape, c.got.Values, c.shape, c.values)
			}
		}
		if r.Device != name || !slices.Equal(r.Document, []int{0, 99, 100, 1}) || r.LossBits != "4016ac70bf03b620" ||
			r.ParameterTensors != 20 || r.ParameterScalars != 1372 || !r.Tied || !slices.Equal(r.Logits.Shape, []int{1, 3, 258}) {
			t.Errorf("%s: device %s, document %v, loss bits %s, %d tensors, %d scalars, tied %t, logits %v", name,
				r.Device, r.Document, r.LossBits, r.ParameterTensors, r.ParameterScalars, r.Tied, r.Logits.Shape)
		}
		// The tiny three and the decoder's 57 products and 21 reductions.
		if want := (device.Stats{Requests: 81, Launches: 2*58 + 3*23, BytesIn: 16*58 + 32*23, BytesOut: 8*58 + 4*23}); r.Stats != want {
			t.Errorf("%s: statistics %+v, want %+v", name, r.Stats, want)
		}

		// The complete result is what the trace shows, in every bit.
		out := run(t, d, trace.ExampleDecoder, `{}`)
		want := map[string][]float64{}
		for _, i := range out.Result {
			want[out.Tensors[i].Name] = out.Tensors[i].Values
		}
		got := map[string][]float64{"logits": r.Logits.Values, "loss": {float64(r.Loss)}}
		for name, g := range r.Gradients {
			got["∂loss/∂("+name+")"] = g.Values
		}
		if len(got) != len(want) || len(r.Names) != 20 {
			t.Errorf("%s: %d results and %d names, the trace has %d", name, len(got), len(r.Names), len(want))
		}
		for key, w := range want {
			if !slices.EqualFunc(got[key], w, sameBits) {
				t.Errorf("%s: %s differs from the trace's", name, key)
			}
		}
	}
}

// The result as JSON has the names that the course prints.
func TestResultsJSON(t *testing.T) {
	r, err := trace.Results(t.Context(), open(t, "cpu"), trace.DecoderInput{})
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(asJSON(t, r)), &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"device", "precision", "matrix", "sums", "means", "document", "logits", "loss", "loss_bits", "gradients", "parameter_tensors", "parameter_scalars", "tied", "stats"} {
		if _, ok := fields[name]; !ok {
			t.Errorf("there is no %q", name)
		}
		delete(fields, name)
	}
	for name := range fields {
		t.Errorf("there is a %q too", name)
	}
}

func TestResultsErrors(t *testing.T) {
	text := "abcdefgh"
	var field *trace.FieldError
	if r, err := trace.Results(t.Context(), open(t, "cpu"), trace.DecoderInput{Text: &text}); r != nil || !errors.As(err, &field) || field.Field != "text" {
		t.Errorf("a long text: %v", err)
	}
	for n := 1; n <= 81; n++ {
		d := &faulty{Device: open(t, "cpu"), fail: n}
		if r, err := trace.Results(t.Context(), d, trace.DecoderInput{}); r != nil || !errors.Is(err, errBroken) || d.requests != n {
			t.Errorf("request %d failed: %v after %d", n, err, d.requests)
		}
	}
}

func TestCompareDevices(t *testing.T) {
	values := 4 + 2 + 2 + 774 + 1 + 1372
	for _, c := range []struct {
		reference, candidate string
		tolerance            tensor.Number
		differing            bool
	}{
		{"cpu", "cpu", 0, false},
		{"cpu,fused", "cpu,fused", 0, false},
		{"cpu", "cpu,fused", 1e-10, true},
		{"cpu,fused", "cpu", 1e-10, true},
	} {
		var notes []string
		report, err := trace.CompareDevices(t.Context(), open(t, c.reference), open(t, c.candidate), trace.DecoderInput{}, func(note string, done, total int) {
			notes = append(notes, fmt.Sprintf("%s %d/%d", note, done, total))
		})
		if err != nil {
			t.Fatal(err)
		}
		if !report.Passed || report.Count != values || len(report.Entries) != values || len(report.Groups) != 25 || report.Failures != 0 || (report.Differing > 0) != c.differing {
			t.Errorf("%s and %s: passed %t, %d values in %d groups, %d failures, %d differing", c.reference, c.candidate,
				report.Passed, report.Count, len(report.Groups), report.Failures, report.Differing)
		}
		if report.Reference != c.reference || report.Candidate != c.candidate || report.Tolerance.Absolute != c.tolerance || report.Tolerance.Relative != c.tolerance || report.Tolerance.Source == "" {
			t.Errorf("%s and %s: the report is of %s and %s within %+v", c.reference, c.candidate, report.Reference, report.Candidate, report.Tolerance)
		}
		if want := []string{"running on " + c.reference + " 0/3", "running on " + c.candidate + " 1/3", "comparing every value 2/3", "done 3/3"}; !slices.Equal(notes, want) {
			t.Errorf("progress %q, want %q", notes, want)
		}
		if c.differing {
			t.Logf("%s and %s: %d of %d values differ", c.reference, c.candidate, report.Differing, report.Count)
		}
	}
}

// A library adds in an order of its own: no exact comparison is promised, even
// with itself.
func TestCompareTolerance(t *testing.T) {
	cpu := open(t, "cpu,fused")
	named := func(spec device.Spec) device.Device { return &faulty{Device: cpu, spec: &spec} }
	library := device.Spec{Kind: device.CUDA, Contract: device.Fused, Library: true}
	kernel := device.Spec{Kind: device.CUDA, Contract: device.Fused}
	for _, c := range []struct {
		a, b device.Spec
		want compare.Tolerance
	}{
		{kernel, cpu.Spec(), compare.Exact("")},
		{cpu.Spec(), library, compare.Float64()},
		{library, library, compare.Float64()},
		{library, kernel, compare.Float64()},
	} {
		report, err := trace.CompareDevices(t.Context(), named(c.a), named(c.b), trace.DecoderInput{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := report.Tolerance; got.Bits != c.want.Bits || got.Absolute != c.want.Absolute || got.Relative != c.want.Relative {
			t.Errorf("%s and %s are compared within %+v, want %+v", c.a, c.b, got, c.want)
		}
	}
}

// failing lists the entries that fail.
func failing(report *compare.Report) []compare.Entry {
	var out []compare.Entry
	for _, e := range report.Entries {
		if !e.Pass {
			out = append(out, e)
		}
	}
	return out
}

// One flipped bit in one element of one request's result is named at the
// coordinates that it reaches, and nothing else is.
func TestCompareNamesAFlippedBit(t *testing.T) {
	cpu := open(t, "cpu")
	count := &faulty{Device: cpu}
	if _, err := trace.Results(t.Context(), count, trace.DecoderInput{}); err != nil {
		t.Fatal(err)
	}
	last := len(count.shapes)
	for _, c := range []struct {
		name    string
		request int
		shape   string // of its result: it shows that the request is the one meant
		element int
		bit     int
		group   string
		at      []int
	}{
		{"one bit of the product", 1, "[2, 2]", 2, 0, "matrix", []int{1, 0}},
		{"one bit of a sum", 2, "[2]", 1, 0, "sums", []int{1}},
		{"the sign of a mean", 3, "[2]", 0, 63, "means", []int{0}},
		// Nothing is made of the loss: its adjoint is 1 whatever it is. It is the
		// last request forward: the tiny three, the model's 26 and the loss's two.
		{"one bit of the loss", 3 + 26 + 2, "[]", 0, 0, "loss", []int{}},
		// The first sum of the final norm's adjoint is the gain's gradient.
		{"one bit of a gain's gradient", 31 + 3, "[4]", 3, 0, "final_norm.gain", []int{3}},
		// The product before the last norm's two sums: the queries' weights.
		{"one bit of a weight's gradient", last - 2, "[1, 4, 4]", 9, 0, "blocks.0.attention.query.weight", []int{2, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			flipped := &faulty{Device: cpu, flip: c.request, element: c.element, bit: c.bit}
			report, err := trace.CompareDevices(t.Context(), cpu, flipped, trace.DecoderInput{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := flipped.shapes[c.request-1]; got != c.shape {
				t.Fatalf("request %d has a result of shape %s, want %s", c.request, got, c.shape)
			}
			bad := failing(report)
			if report.Passed || report.Failures != 1 || report.Differing != 1 || len(bad) != 1 {
				t.Fatalf("passed %t, %d failures, %d differing: %+v", report.Passed, report.Failures, report.Differing, bad)
			}
			e := bad[0]
			if e.Group != c.group || !slices.Equal(e.Coordinate, c.at) {
				t.Errorf("named %s %v, want %s %v", e.Group, e.Coordinate, c.group, c.at)
			}
			reference, candidate := float64(e.Reference), float64(e.Candidate)
			if math.Float64bits(reference)^math.Float64bits(candidate) != 1<<c.bit || e.ReferenceBits == e.CandidateBits {
				t.Errorf("%s and %s differ in another way than by bit %d", e.ReferenceBits, e.CandidateBits, c.bit)
			}
			for _, g := range report.Groups {
				named := g.First != nil && slices.Equal(g.First.Coordinate, c.at)
				if g.Passed == (g.Name == c.group) || named != (g.Name == c.group) {
					t.Errorf("group %s passed %t and names %+v", g.Name, g.Passed, g.First)
				}
			}
		})
	}

	// The very last request is the adjoint of a position's 1/rms: it reaches the
	// row of the table that the position looked up, and nothing else.
	for position, row := range []int{0, 99, 100} {
		flipped := &faulty{Device: cpu, flip: last, element: position, bit: 40}
		report, err := trace.CompareDevices(t.Context(), cpu, flipped, trace.DecoderInput{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := flipped.shapes[last-1]; got != "[1, 3, 1]" {
			t.Fatalf("the last request has a result of shape %s", got)
		}
		bad := failing(report)
		if report.Passed || len(bad) != 4 {
			t.Errorf("position %d: %d values fail, want the 4 of row %d", position, len(bad), row)
		}
		for column, e := range bad {
			if e.Group != "token_embedding.weight" || !slices.Equal(e.Coordinate, []int{row, column}) {
				t.Errorf("position %d: named %s %v, want row %d of the table", position, e.Group, e.Coordinate, row)
			}
		}
	}

	// A bit of a logit reaches the loss and gradients.
	flipped := &faulty{Device: cpu, flip: 3 + 26, element: 99, bit: 45}
	report, err := trace.CompareDevices(t.Context(), cpu, flipped, trace.DecoderInput{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	bad := failing(report)
	if e := bad[0]; e.Group != "logits" || !slices.Equal(e.Coordinate, []int{0, 0, 99}) || bad[1].Group != "loss" || len(bad) < 100 {
		t.Errorf("a logit's bit: %d values fail, the first is %s %v, then %s", len(bad), e.Group, e.Coordinate, bad[1].Group)
	}
}

// A NaN and an infinity fail, also between contracts.
func TestCompareNaN(t *testing.T) {
	cpu := open(t, "cpu")
	spec := device.Spec{Kind: device.CPU, Contract: device.Fused}
	for name, x := range map[string]float64{"NaN": math.NaN(), "infinity": math.Inf(1), "negative infinity": math.Inf(-1)} {
		spoilt := &faulty{Device: cpu, spec: &spec, flip: 3, spoil: &x}
		report, err := trace.CompareDevices(t.Context(), cpu, spoilt, trace.DecoderInput{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		bad := failing(report)
		if report.Passed || len(bad) != 1 || bad[0].Group != "means" || !slices.Equal(bad[0].Coordinate, []int{0}) || !sameBits(float64(bad[0].Candidate), x) {
			t.Errorf("%s: passed %t, failing %+v", name, report.Passed, bad)
		}
	}
}

// A device that fails is named with its error, on either side.
func TestCompareNamesAFailingDevice(t *testing.T) {
	cpu := open(t, "cpu")
	spec := device.Spec{Kind: device.CUDA, Ordinal: 3}
	for n := 1; n <= 81; n += 20 {
		broken := &faulty{Device: cpu, spec: &spec, fail: n}
		report, err := trace.CompareDevices(t.Context(), cpu, broken, trace.DecoderInput{}, nil)
		if report != nil || !errors.Is(err, errBroken) || !strings.HasPrefix(err.Error(), "cuda:3: ") {
			t.Errorf("the candidate failed in request %d: %v", n, err)
		}
		broken = &faulty{Device: cpu, spec: &spec, fail: n}
		report, err = trace.CompareDevices(t.Context(), broken, cpu, trace.DecoderInput{}, nil)
		if report != nil || !errors.Is(err, errBroken) || !strings.HasPrefix(err.Error(), "cuda:3: ") {
			t.Errorf("the reference failed in request %d: %v", n, err)
		}
	}
	text := strings.Repeat("a", 300)
	var field *trace.FieldError
	if report, err := trace.CompareDevices(t.Context(), cpu, cpu, trace.DecoderInput{Text: &text}, nil); report != nil || !errors.As(err, &field) {
		t.Errorf("a long text: %v", err)
	}
}

// A comparison can be cancelled in its second run.
func TestCompareCancelled(t *testing.T) {
	cause := errors.New("the reader closed the page")
	ctx, cancel := context.WithCancelCause(t.Context())
	cpu := open(t, "cpu")
	second := &faulty{Device: cpu}
	second.before = func() {
		if second.requests == 40 {
			cancel(cause)
		}
	}
	report, err := trace.CompareDevices(ctx, cpu, second, trace.DecoderInput{}, nil)
	if report != nil || !errors.Is(err, cause) || second.requests > 41 {
		t.Errorf("%v after %d requests, want the cause after 40", err, second.requests)
	}
}
