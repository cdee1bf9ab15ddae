package trace_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/engine/trace"
)

// ops are the operations of a trace's steps.
func ops(out *trace.Trace) []string {
	var names []string
	for _, s := range out.Steps {
		names = append(names, s.Op)
	}
	return names
}

// lists writes a tensor of small whole numbers as nested lists.
func lists(t testing.TB, shape ...int) string {
	t.Helper()
	a := tensor.Must(tensor.New(shape...))
	for i := range a.Data() {
		a.Data()[i] = float64((i*7+3)%11 - 5)
	}
	data, err := json.Marshal(trace.Array{Tensor: a})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Cells come in row-major order, each with its place, and point at their
// operands: also where a batch repeats and where a side is transposed.
func TestProductCells(t *testing.T) {
	d := open(t, "cpu")
	for _, input := range []string{
		fmt.Sprintf(`{"left": %s, "right": %s}`, lists(t, 2, 3), lists(t, 3, 2)),
		fmt.Sprintf(`{"left": %s, "right": %s}`, lists(t, 2, 2, 3), lists(t, 3, 4)),
		fmt.Sprintf(`{"left": %s, "right": %s}`, lists(t, 1, 3), lists(t, 3, 2, 3, 1)),
		fmt.Sprintf(`{"left": %s, "right": %s, "transpose_left": true}`, lists(t, 2, 1, 3, 2), lists(t, 4, 3, 2)),
		fmt.Sprintf(`{"left": %s, "right": %s, "transpose_right": true}`, lists(t, 1, 1), lists(t, 5, 1)),
	} {
		out := run(t, d, trace.ExampleProduct, input)
		facts := out.Steps[2].Product
		cells := facts.B * facts.M * facts.N
		want := append(slices.Repeat([]string{"cell"}, cells), "result")
		if got := ops(out); !slices.Equal(got, append([]string{"given", "given", "matmul"}, want...)) {
			t.Fatalf("%s: steps %v", input, got)
		}
		for q := range cells {
			s := out.Steps[3+q]
			at := [3]int{q / facts.N / facts.M, q / facts.N % facts.M, q % facts.N}
			again := explained(t, out, 3+q, at, d)
			inline, asked := asJSON(t, s.Cell), asJSON(t, again)
			if inline != asked || !s.Cell.Agrees {
				t.Errorf("%s, cell %d: inline %s, on demand %s", input, q, inline, asked)
			}
			if s.Device != "cpu" {
				t.Errorf("%s, cell %d was computed by %q", input, q, s.Device)
			}
		}
	}
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Beyond 4096 terms cells keep their place and value and are written out on
// demand; beyond 4096 cells there are no steps for them.
func TestLargeProducts(t *testing.T) {
	d := open(t, "cpu")
	for _, c := range []struct {
		m, k, n       int
		steps, inline bool
	}{
		{64, 1, 64, true, true},
		{16, 16, 16, true, true},
		{16, 17, 16, true, false},
		{64, 3, 64, true, false},
		{1, 4096, 1, true, true},
		{1, 4097, 1, true, false},
		{64, 2, 65, false, false},
	} {
		out := run(t, d, trace.ExampleProduct, fmt.Sprintf(`{"left": %s, "right": %s}`, lists(t, c.m, c.k), lists(t, c.k, c.n)))
		name := fmt.Sprintf("%d×%d·%d×%d", c.m, c.k, c.k, c.n)
		if cells := len(out.Steps) - 4; (cells == c.m*c.n) != c.steps || !c.steps && cells != 0 {
			t.Errorf("%s: %d steps for cells", name, cells)
		}
		// The last cell, and where it has a step that one's.
		at := [3]int{0, c.m - 1, c.n - 1}
		written := explained(t, out, 2, at, d)
		if !written.Agrees {
			t.Errorf("%s: %v and %v", name, written.Last, written.Value)
		}
		if !c.steps {
			continue
		}
		index := len(out.Steps) - 2
		s := out.Steps[index]
		switch {
		case s.Cell == nil || s.Cell.Flat != c.m*c.n-1 || s.Cell.Row != at[1] || s.Cell.Column != at[2]:
			t.Errorf("%s: the last cell is %+v", name, s.Cell)
		case s.Cell.Value != written.Value || s.Cell.ValueBits != written.ValueBits:
			t.Errorf("%s: the last cell's value is %v (%s)", name, s.Cell.Value, s.Cell.ValueBits)
		case c.inline && asJSON(t, s.Cell) != asJSON(t, written):
			t.Errorf("%s: the last cell is not written out", name)
		case !c.inline && (len(s.Cell.Terms) != 0 || s.Cell.Device != ""):
			t.Errorf("%s: the last cell has %d terms", name, len(s.Cell.Terms))
		case !c.inline && !strings.Contains(asJSON(t, s.Cell), `"terms":[]`):
			t.Errorf("%s: no terms are %s", name, asJSON(t, s.Cell))
		}
		if again := explained(t, out, index, at, d); asJSON(t, again) != asJSON(t, written) {
			t.Errorf("%s: the cell's step and the product's explain it differently", name)
		}
	}
}

func TestLargeReductions(t *testing.T) {
	d := open(t, "cpu")
	for _, c := range []struct {
		groups, k     int
		steps, inline bool
	}{
		{4096, 1, true, true},
		{100, 40, true, true},
		{100, 41, true, false},
		{4097, 1, false, false},
	} {
		out := run(t, d, trace.ExampleReduction, fmt.Sprintf(`{"input": %s, "axis": 1, "op": "sum"}`, lists(t, c.groups, c.k)))
		name := fmt.Sprintf("%d groups of %d", c.groups, c.k)
		if groups := len(out.Steps) - 3; (groups == c.groups) != c.steps || !c.steps && groups != 0 {
			t.Errorf("%s: %d steps for groups", name, groups)
		}
		at := [3]int{0, c.groups - 1, 0}
		written := explained(t, out, 1, at, d)
		if !written.Agrees {
			t.Errorf("%s: %v and %v", name, written.Last, written.Value)
		}
		if !c.steps {
			continue
		}
		s := out.Steps[len(out.Steps)-2]
		if s.Cell.Row != at[1] || s.Cell.ValueBits != written.ValueBits || (len(s.Cell.Terms) == c.k) != c.inline {
			t.Errorf("%s: the last group is %+v", name, s.Cell)
		}
	}
}

func TestEmptyExamples(t *testing.T) {
	d := open(t, "cpu")
	for _, c := range []struct {
		name, example, input string
		ops                  []string
		shape                []int // of the first result
		says                 string
	}{
		{"no terms", trace.ExampleProduct, `{"left": {"shape": [2, 0], "values": []}, "right": {"shape": [0, 3], "values": []}}`,
			[]string{"given", "given", "matmul", "result"}, []int{2, 3}, "nothing to multiply"},
		{"no rows", trace.ExampleProduct, `{"left": {"shape": [0, 2], "values": []}, "right": [[1, 2], [3, 4]]}`,
			[]string{"given", "given", "matmul", "result"}, []int{0, 2}, "nothing to multiply"},
		{"no matrices", trace.ExampleProduct, `{"left": {"shape": [0, 1, 2], "values": []}, "right": [[1], [3]]}`,
			[]string{"given", "given", "matmul", "result"}, []int{0, 1, 1}, "nothing to multiply"},
		{"sums of nothing", trace.ExampleReduction, `{"input": {"shape": [2, 0], "values": []}, "axis": 1, "op": "sum"}`,
			[]string{"given", "sum", "result"}, []int{2}, "the sum of no values is zero"},
		{"no groups", trace.ExampleReduction, `{"input": [[], []], "axis": 0}`,
			[]string{"given", "sum", "mean", "result"}, []int{0}, "nothing to add"},
		{"view of nothing", trace.ExampleView, `{"input": [[], []], "ops": [{"op": "transpose"}, {"op": "pack"}, {"op": "column-major", "shape": [3, 0]}]}`,
			[]string{"given", "transpose", "pack", "column-major", "result"}, []int{3, 0}, "(no elements)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := run(t, d, c.example, c.input)
			if got := ops(out); !slices.Equal(got, c.ops) {
				t.Errorf("steps %v, want %v", got, c.ops)
			}
			result := out.Tensors[out.Result[0]]
			if !slices.Equal(result.Shape, c.shape) {
				t.Errorf("shape %v, want %v", result.Shape, c.shape)
			}
			for _, x := range result.Values {
				if x != 0 {
					t.Errorf("values %v, want zeros", result.Values)
				}
			}
			if got := text(t, out); !strings.Contains(got, c.says) {
				t.Errorf("the text does not say %q:\n%s", c.says, got)
			}
		})
	}
	// A single number has no axes, and its view is itself.
	out := run(t, d, trace.ExampleView, `{"input": 7}`)
	if got := out.Tensors[out.Result[0]]; len(got.Shape) != 0 || got.Values[0] != 7 {
		t.Errorf("the view of a number is %+v", got)
	}
}

// Statistics are the run's: what the device reports of the executed requests,
// and nothing for explanations.
func TestStats(t *testing.T) {
	cpu := open(t, "cpu")
	out, err := trace.RunProduct(t.Context(), counted{cpu}, cpu, trace.ProductInput{Left: array(t, `[[1]]`), Right: array(t, `[[2]]`)})
	if want := (device.Stats{Requests: 1, Launches: 2, BytesIn: 16, BytesOut: 8}); err != nil || out.Stats != want {
		t.Errorf("product: %+v, %v, want %+v", out.Stats, err, want)
	}
	out, err = trace.RunReduction(t.Context(), counted{cpu}, cpu, trace.ReductionInput{Input: array(t, `[1, 2]`)})
	if want := (device.Stats{Requests: 2, Launches: 6, BytesIn: 64, BytesOut: 8}); err != nil || out.Stats != want {
		t.Errorf("reduction: %+v, %v, want %+v", out.Stats, err, want)
	}
	// 57 products and 21 reductions: the decoder's own tests count them.
	out, err = trace.RunDecoder(t.Context(), counted{cpu}, trace.DecoderInput{})
	if want := (device.Stats{Requests: 57 + 21, Launches: 2*57 + 3*21, BytesIn: 16*57 + 32*21, BytesOut: 8*57 + 4*21}); err != nil || out.Stats != want {
		t.Errorf("decoder: %+v, %v, want %+v", out.Stats, err, want)
	}
	if out := run(t, cpu, trace.ExampleView, `{"input": [1]}`); out.Stats != (device.Stats{}) {
		t.Errorf("view: %+v", out.Stats)
	}
}

// The first error of the device ends a run, whichever request it is.
func TestDeviceErrors(t *testing.T) {
	cpu := open(t, "cpu")
	for _, c := range []struct {
		example, input string
		requests       int
	}{
		{trace.ExampleProduct, `{"left": [[1]], "right": [[2]]}`, 1},
		{trace.ExampleReduction, `{"input": [1, 2], "axis": 0}`, 2},
		{trace.ExampleDecoder, `{}`, 57 + 21},
	} {
		for n := 1; n <= c.requests; n++ {
			d := &faulty{Device: cpu, fail: n}
			out, err := trace.Run(t.Context(), d, cpu, c.example, json.RawMessage(c.input))
			if out != nil || !errors.Is(err, errBroken) || d.requests != n {
				t.Errorf("%s: request %d failed, %d were made, and the error is %v", c.example, n, d.requests, err)
			}
		}
		d := &faulty{Device: cpu}
		if _, err := trace.Run(t.Context(), d, cpu, c.example, json.RawMessage(c.input)); err != nil || d.requests != c.requests {
			t.Errorf("%s: %d requests and the error %v, want %d", c.example, d.requests, err, c.requests)
		}
	}
	// An explainer that fails does not leave half a trace.
	broken := open(t, "cpu")
	broken.Close()
	var closed *device.ClosedError
	if out, err := trace.RunProduct(t.Context(), cpu, broken, trace.ProductInput{Left: array(t, `[[1]]`), Right: array(t, `[[2]]`)}); out != nil || !errors.As(err, &closed) {
		t.Errorf("a closed explainer of a product: %v", err)
	}
	if out, err := trace.RunReduction(t.Context(), cpu, broken, trace.ReductionInput{Input: array(t, `[1]`)}); out != nil || !errors.As(err, &closed) {
		t.Errorf("a closed explainer of a reduction: %v", err)
	}
}

// A cancelled run ends with the cause: before the device is asked, and while
// cells are written out.
func TestCancellation(t *testing.T) {
	cause := errors.New("the reader closed the page")
	cpu := open(t, "cpu")
	for example, input := range map[string]string{
		trace.ExampleProduct:   `{"left": [[1], [2]], "right": [[2, 3]]}`,
		trace.ExampleReduction: `{"input": [[1, 2], [3, 4]], "axis": 0}`,
		trace.ExampleView:      `{"input": [[1, 2], [3, 4]], "ops": [{"op": "transpose"}]}`,
		trace.ExampleDecoder:   `{}`,
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		if out, err := trace.Run(ctx, cpu, cpu, example, json.RawMessage(input)); out != nil || !errors.Is(err, cause) {
			t.Errorf("%s: %v, want the cause", example, err)
		}
	}
	for example, input := range map[string]string{
		trace.ExampleProduct:   `{"left": [[1], [2]], "right": [[2, 3]]}`,
		trace.ExampleReduction: `{"input": [[1, 2], [3, 4]], "axis": 0}`,
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		explainer := &stopping{Explainer: cpu, stop: func() { cancel(cause) }}
		if out, err := trace.Run(ctx, cpu, explainer, example, json.RawMessage(input)); out != nil || !errors.Is(err, cause) || explainer.cells != 1 {
			t.Errorf("%s: %v after %d cells, want the cause after one", example, err, explainer.cells)
		}
	}
}

// stopping is an explainer that calls stop for each cell it writes out.
type stopping struct {
	device.Explainer
	stop  func()
	cells int
}

func (e *stopping) Explain(ctx context.Context, p device.Precision, left, right []float64) (device.Chain, error) {
	e.cells++
	e.stop()
	return e.Explainer.Explain(ctx, p, left, right)
}

// Each view reads the storage that its layout names, at the indices it lists.
func TestViewLayouts(t *testing.T) {
	out := run(t, open(t, "cpu"), trace.ExampleView, `{"input": [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], "ops": [
		{"op": "slice", "axis": 1, "start": 1, "stop": 4, "step": 2}, {"op": "transpose", "axes": [0, 1]}, {"op": "pack"},
		{"op": "slice", "axis": 0, "start": 1}, {"op": "broadcast", "shape": [2, 1, 3]}, {"op": "transpose", "axes": [2, 0]}, {"op": "pack"}, {"op": "reshape", "shape": [6]}, {"op": "column-major", "shape": [3, 2]}]}`)
	last := out.Tensors[out.Result[0]]
	if want := []float64{4, 8, 12, 4, 8, 12}; len(last.Values) != 6 || !slices.Equal(last.Shape, []int{3, 2}) {
		t.Errorf("the result is %v %v, want the values %v in another order", last.Shape, last.Values, want)
	}
	views := 0
	for _, v := range out.Tensors {
		if v.Layout == nil {
			if len(v.Shape) != 1 {
				t.Errorf("%s has no layout and shape %v", v.Name, v.Shape)
			}
			continue
		}
		views++
		storage := out.Tensors[v.Layout.Storage]
		if storage.Layout != nil || len(storage.Shape) != 1 {
			t.Fatalf("%s reads %s, which is no storage", v.Name, storage.Name)
		}
		for q, x := range v.Values {
			at := tensor.Coordinate(v.Shape, q)
			index := v.Layout.Offset
			for axis, c := range at {
				index += c * v.Layout.Strides[axis]
			}
			if v.Layout.Indices[q] != index || storage.Values[index] != x {
				t.Errorf("%s%v reads index %d (listed as %d) of %s and is %v", v.Name, at, index, v.Layout.Indices[q], storage.Name, x)
			}
		}
	}
	if views != 10 {
		t.Errorf("%d views, want the input's and nine more", views)
	}
}
