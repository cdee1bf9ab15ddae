package trace_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/engine/trace"
)

// eachCell calls visit for every cell that Explain can write out.
func eachCell(out *trace.Trace, visit func(step int, cell [3]int)) {
	for i, s := range out.Steps {
		switch {
		case s.Op == "cell" || s.Op == "group":
			continue // these repeat cells of the step before
		case s.Product != nil:
			for q := range s.Product.B * s.Product.M * s.Product.N {
				visit(i, [3]int{q / s.Product.N / s.Product.M, q / s.Product.N % s.Product.M, q % s.Product.N})
			}
		case s.Reduction != nil:
			for g := range s.Reduction.G {
				visit(i, [3]int{0, g, 0})
			}
		}
	}
}

// explained holds a cell against what the trace says of it, and returns it.
func explained(t *testing.T, out *trace.Trace, step int, at [3]int, explainer device.Explainer) *trace.Cell {
	t.Helper()
	s := out.Steps[step]
	c, err := trace.Explain(t.Context(), out, step, at, explainer)
	if err != nil {
		t.Fatalf("step %d, cell %v: %v", step, at, err)
	}
	if [3]int{c.Batch, c.Row, c.Column} != at {
		t.Errorf("step %d, cell %v calls itself %d, %d, %d", step, at, c.Batch, c.Row, c.Column)
	}
	k := 0
	if s.Product != nil {
		k = s.Product.K
		q := (at[0]*s.Product.M+at[1])*s.Product.N + at[2]
		want := fmt.Sprintf("q = (%d·%d + %d)·%d + %d = %d", at[0], s.Product.M, at[1], s.Product.N, at[2], q)
		if c.Flat != q || c.Formula != want {
			t.Errorf("step %d, cell %v: flat %d by %q, want %q", step, at, c.Flat, c.Formula, want)
		}
	} else {
		k = s.Reduction.K
		if c.Flat != at[1] || len(c.RightIndices) != 0 {
			t.Errorf("step %d, group %v: flat %d, right indices %v", step, at, c.Flat, c.RightIndices)
		}
		if divisor := map[string]int{"sum": 0, "mean": k}[s.Reduction.Op]; c.Divisor != divisor {
			t.Errorf("step %d, group %v: divisor %d, want %d", step, at, c.Divisor, divisor)
		}
	}
	if shown := min(k, trace.MaxCellTerms); c.Length() != k || len(c.Terms) != shown || len(c.LeftIndices) != shown || (c.Omitted != nil) != (k > shown) {
		t.Fatalf("step %d, cell %v: %d terms of %d and %d indices, want %d of %d", step, at, len(c.Terms), c.Length(), len(c.LeftIndices), shown, k)
	}
	// Indices point at the operands. All of these runs are in float64, so that
	// no format changes them.
	for n, term := range c.Terms {
		left, right := out.Tensors[s.Inputs[0]].Values[c.LeftIndices[n]], 1.0
		if s.Product != nil {
			right = out.Tensors[s.Inputs[1]].Values[c.RightIndices[n]]
		}
		if !sameBits(float64(term.Left), left) || !sameBits(float64(term.Right), right) {
			t.Errorf("step %d, cell %v, term %d: %v·%v, the operands are %v and %v", step, at, n, term.Left, term.Right, left, right)
		}
	}
	if value := out.Tensors[s.Outputs[0]].Values[c.Flat]; !sameBits(float64(c.Value), value) || c.ValueBits != tensor.Bits(value) {
		t.Errorf("step %d, cell %v: value %v (%s), the run has %v", step, at, c.Value, c.ValueBits, value)
	}
	return c
}

// Every cell of every product, sum and mean of a decoder run ends in the run's
// value with every bit, when the device that ran it explains it.
func TestExplainAgreesEverywhere(t *testing.T) {
	for _, name := range []string{"cpu", "cpu,fused"} {
		for _, input := range []string{`{}`, `{"text": "abc", "heads": 2, "blocks": 1}`} {
			d := open(t, name)
			out := run(t, d, trace.ExampleDecoder, input)
			cells := 0
			eachCell(out, func(step int, at [3]int) {
				cells++
				c := explained(t, out, step, at, d)
				if !c.Agrees || c.LastBits != c.ValueBits {
					t.Errorf("%s, step %d (%s), cell %v: %v (%s), the run has %v (%s)", name, step, out.Steps[step].Title, at, c.Last, c.LastBits, c.Value, c.ValueBits)
				}
				if c.Device != name || c.Contract != d.Spec().Contract.String() {
					t.Errorf("%s: the explanation is by %q under %q", name, c.Device, c.Contract)
				}
			})
			if cells < 774+1372 {
				t.Errorf("%s: only %d cells were explained", name, cells)
			}
		}
	}
}

// A device of the other contract does not agree everywhere, and says where.
func TestExplainUnderAnotherContract(t *testing.T) {
	separate, fused := open(t, "cpu"), open(t, "cpu,fused")
	out := run(t, separate, trace.ExampleDecoder, `{}`)
	cells, disagree := 0, 0
	eachCell(out, func(step int, at [3]int) {
		cells++
		c := explained(t, out, step, at, fused)
		if c.Agrees != (c.LastBits == c.ValueBits) {
			t.Errorf("step %d, cell %v: agrees %t with the bits %s and %s", step, at, c.Agrees, c.LastBits, c.ValueBits)
		}
		if c.Device != "cpu,fused" || c.Contract != "fused" {
			t.Errorf("the explanation is by %q under %q", c.Device, c.Contract)
		}
		if !c.Agrees {
			disagree++
		}
	})
	t.Logf("%d of %d cells disagree", disagree, cells)
	if disagree == 0 || disagree == cells {
		t.Errorf("%d of %d cells disagree", disagree, cells)
	}

	// Inline cells show it too, in the text as in the value: 0.1·3 rounds, and
	// fused it is added unrounded.
	in := trace.ProductInput{Left: array(t, `[[1, 0.1]]`), Right: array(t, `[[-0.3], [3]]`)}
	out, err := trace.RunProduct(t.Context(), separate, fused, in)
	if err != nil {
		t.Fatal(err)
	}
	c := out.Steps[3].Cell
	if c.Agrees || c.Device != "cpu,fused" || out.Device != "cpu" {
		t.Errorf("the cell agrees: %t, %v by %s with %v by %s", c.Agrees, c.Last, c.Device, c.Value, out.Device)
	}
	if got := text(t, out); !strings.Contains(got, "computed again by cpu,fused (fused): "+trace.FormatNumber(float64(c.Last))+" ("+c.LastBits+"), where the run has "+trace.FormatNumber(float64(c.Value))+" ("+c.ValueBits+")") {
		t.Errorf("the text does not say so:\n%s", got)
	}
	if strings.Contains(text(t, out), "every bit of the run's value") {
		t.Error("the text says that it agrees")
	}
}

// A long cell is written out without its middle: what is there keeps its number,
// its operands and its running sum.
func TestExplainALongCell(t *testing.T) {
	d := open(t, "cpu")
	const k = trace.MaxInputElements
	ones := tensor.Must(tensor.New(k, 1))
	for i := range ones.Data() {
		ones.Data()[i] = 1
	}
	row := tensor.Must(tensor.New(1, k))
	for i := range row.Data() {
		row.Data()[i] = float64(i) // sums stay below 2^53
	}
	product, err := trace.RunProduct(t.Context(), d, d, trace.ProductInput{Left: trace.Array{Tensor: row}, Right: trace.Array{Tensor: ones}})
	if err != nil {
		t.Fatal(err)
	}
	mean, err := trace.RunReduction(t.Context(), d, d, trace.ReductionInput{Input: trace.Array{Tensor: row}, Axis: 1, Op: "mean"})
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range []*trace.Trace{product, mean} {
		step := slices.IndexFunc(out.Steps, func(s trace.Step) bool { return s.Product != nil || s.Reduction != nil })
		c := explained(t, out, step, [3]int{}, d)
		if !c.Agrees || c.Omitted == nil || *c.Omitted != (trace.Gap{First: 960, Count: k - 1024}) {
			t.Fatalf("%s: agrees %t, without %+v", out.Example, c.Agrees, c.Omitted)
		}
		for i, term := range c.Terms {
			n, want := c.Number(i), i
			if i >= 960 {
				want += k - 1024
			}
			if n != want {
				t.Errorf("%s: term %d calls itself %d", out.Example, want, n)
			}
			if float64(term.Left) != float64(n) || c.LeftIndices[i] != n || float64(term.Sum) != float64(n*(n+1)/2) {
				t.Errorf("%s: term %d is %v at index %d, and the sum after it %v", out.Example, n, term.Left, c.LeftIndices[i], term.Sum)
			}
		}
		text, err := json.Marshal(c)
		if err != nil || len(text) > 160<<10 {
			t.Errorf("%s: %d bytes of JSON (%v)", out.Example, len(text), err)
		}
	}

	printed := text(t, run(t, d, trace.ExampleProduct, fmt.Sprintf(`{"left": %s, "right": %s}`, lists(t, 1, 2000), lists(t, 2000, 1))))
	for _, want := range []string{"\n        1999  ", "       (2000 products in all)\n"} {
		if !strings.Contains(printed, want) {
			t.Errorf("%q is missing in\n%s", want, printed)
		}
	}
}

func array(t testing.TB, text string) trace.Array {
	t.Helper()
	var a trace.Array
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

func text(t testing.TB, out *trace.Trace) string {
	t.Helper()
	var b strings.Builder
	if err := out.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Changed values of a trace show: a result, an operand, by one bit.
func TestExplainADoctoredTrace(t *testing.T) {
	d := open(t, "cpu")
	for _, c := range []struct {
		name, example, input string
		step                 int
		at                   [3]int
		flat                 int // of the doctored result
	}{
		{"product", trace.ExampleProduct, `{"left": [[1, 2, 3], [4, 5, 6]], "right": [[7, 8], [9, 10], [11, 12]]}`, 2, [3]int{0, 1, 0}, 2},
		{"sum", trace.ExampleReduction, `{"input": [[1, 2, 3], [4, 5, 6]], "axis": 0}`, 1, [3]int{0, 2, 0}, 2},
		{"mean", trace.ExampleReduction, `{"input": [[1, 2, 3], [4, 5, 6]], "axis": 0, "op": "mean"}`, 1, [3]int{0, 1, 0}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			// As a page has it: read from JSON, then changed.
			data, err := json.Marshal(run(t, d, c.example, c.input))
			if err != nil {
				t.Fatal(err)
			}
			var out trace.Trace
			if err := json.Unmarshal(data, &out); err != nil {
				t.Fatal(err)
			}
			before := explained(t, &out, c.step, c.at, d)
			if !before.Agrees {
				t.Fatalf("the trace disagrees before it is changed: %+v", before)
			}
			value := &out.Tensors[out.Steps[c.step].Outputs[0]].Values[c.flat]
			good := *value
			*value = math.Float64frombits(math.Float64bits(good) ^ 1)
			after := explained(t, &out, c.step, c.at, d)
			if after.Agrees || after.LastBits != tensor.Bits(good) || after.ValueBits != tensor.Bits(*value) || after.LastBits == after.ValueBits {
				t.Errorf("a flipped bit of the result: agrees %t, %s and %s", after.Agrees, after.LastBits, after.ValueBits)
			}
			*value = math.NaN()
			if after := explained(t, &out, c.step, c.at, d); after.Agrees {
				t.Error("a NaN for a result agrees")
			}
			*value = good
			operand := &out.Tensors[out.Steps[c.step].Inputs[0]].Values[before.LeftIndices[1]]
			*operand += 0.5
			if after := explained(t, &out, c.step, c.at, d); after.Agrees || after.ValueBits != before.ValueBits || float64(after.Terms[1].Left) != *operand {
				t.Errorf("a changed operand: %+v", after)
			}
		})
	}
}

// A NaN that both computed is an agreement, whatever its payload.
func TestExplainNaN(t *testing.T) {
	d := open(t, "cpu")
	out := run(t, d, trace.ExampleProduct, `{"left": [["NaN", 1]], "right": [[1], ["Infinity"]]}`)
	c := explained(t, out, 2, [3]int{}, d)
	if !c.Agrees || !math.IsNaN(float64(c.Last)) || !math.IsNaN(float64(c.Value)) {
		t.Errorf("%+v", c)
	}
}

func TestExplainErrors(t *testing.T) {
	d := open(t, "cpu")
	product := run(t, d, trace.ExampleProduct, `{"left": [[1, 2]], "right": [[3], [4]]}`)
	reduction := run(t, d, trace.ExampleReduction, `{"input": [[1, 2]], "axis": 1}`)
	for _, c := range []struct {
		name string
		out  *trace.Trace
		step int
		at   [3]int
		says string
	}{
		{"negative step", product, -1, [3]int{}, "step -1 does not exist: the run has steps 0 to 4"},
		{"step beyond", product, 5, [3]int{}, "step 5 does not exist"},
		{"a given tensor", product, 0, [3]int{}, trace.ErrNothingToExplain.Error()},
		{"the result", reduction, 5, [3]int{}, trace.ErrNothingToExplain.Error()},
		{"row beyond", product, 2, [3]int{0, 1, 0}, "lies outside the product"},
		{"batch beyond", product, 2, [3]int{1, 0, 0}, "lies outside the product"},
		{"negative column", product, 2, [3]int{0, 0, -1}, "lies outside the product"},
		{"group beyond", reduction, 1, [3]int{0, 1, 0}, "lies outside the reduction"},
		{"negative group", reduction, 1, [3]int{0, -1, 0}, "lies outside the reduction"},
		{"a column of a sum", reduction, 1, [3]int{0, 0, 1}, "0, group, 0"},
	} {
		cell, err := trace.Explain(t.Context(), c.out, c.step, c.at, d)
		if cell != nil || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error that says %q", c.name, err, c.says)
		}
	}
	if _, err := trace.Explain(t.Context(), product, 0, [3]int{}, d); !errors.Is(err, trace.ErrNothingToExplain) {
		t.Errorf("%v, want ErrNothingToExplain", err)
	}
	d.Close()
	var closed *device.ClosedError
	if _, err := trace.Explain(t.Context(), product, 2, [3]int{}, d); !errors.As(err, &closed) {
		t.Errorf("a closed explainer: %v", err)
	}
}

// A trace that was damaged on its way is an error, not a crash.
func TestExplainADamagedTrace(t *testing.T) {
	d := open(t, "cpu")
	for name, damage := range map[string]func(out *trace.Trace){
		"an input that is not there":   func(out *trace.Trace) { out.Steps[2].Inputs[0] = 99 },
		"a negative input":             func(out *trace.Trace) { out.Steps[2].Inputs[1] = -1 },
		"one input":                    func(out *trace.Trace) { out.Steps[2].Inputs = out.Steps[2].Inputs[:1] },
		"no output":                    func(out *trace.Trace) { out.Steps[2].Outputs = nil },
		"an output that is not there":  func(out *trace.Trace) { out.Steps[2].Outputs[0] = 3 },
		"too few values":               func(out *trace.Trace) { out.Tensors[0].Values = out.Tensors[0].Values[:5] },
		"too few values in the result": func(out *trace.Trace) { out.Tensors[2].Values = out.Tensors[2].Values[:1] },
		"another shape":                func(out *trace.Trace) { out.Tensors[0].Shape = []int{3, 2} },
		"a huge shape":                 func(out *trace.Trace) { out.Tensors[0].Shape = []int{1 << 40, 1 << 40} },
		"a precision there is not":     func(out *trace.Trace) { out.Steps[2].Product.Precision = 9 },
	} {
		out := run(t, d, trace.ExampleProduct, `{"left": [[1, 2, 3], [4, 5, 6]], "right": [[7, 8], [9, 10], [11, 12]]}`)
		damage(out)
		if cell, err := trace.Explain(t.Context(), out, 2, [3]int{0, 1, 1}, d); cell != nil || err == nil {
			t.Errorf("%s: %+v, %v", name, cell, err)
		}
	}
	out := run(t, d, trace.ExampleReduction, `{"input": [[1, 2, 3], [4, 5, 6]], "axis": 1}`)
	out.Steps[1].Reduction.Axis = 2
	var shape *tensor.ShapeError
	if _, err := trace.Explain(t.Context(), out, 1, [3]int{}, d); !errors.As(err, &shape) {
		t.Errorf("an axis that is not there: %v", err)
	}
}
