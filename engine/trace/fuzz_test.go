package trace_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"testing"
	"unicode/utf8"

	"workbench/engine/cpu"
	"workbench/engine/tensor"
	"workbench/engine/trace"
)

// FuzzDecodeInput reads inputs of every example. What is refused is refused
// with the field it lies in; what is accepted runs, within the bounds of an
// example, explains itself and prints.
func FuzzDecodeInput(f *testing.F) {
	for _, g := range goldens {
		f.Add(uint8(slices.Index(trace.Examples, g.example)), []byte(g.input))
	}
	f.Add(uint8(0), []byte(`{"left": [[1, 2], [3]], "right": [["NaN"]]}`))
	f.Add(uint8(0), []byte(`{"left": {"shape": [3, 0, 2], "values": []}, "right": [[1], [2]], "precision": "float32"}`))
	f.Add(uint8(1), []byte(`{"input": {"shape": [0, 268435456], "values": []}, "axis": 0, "op": "sum"}`))
	f.Add(uint8(2), []byte(`{"input": [[[1, 2]]], "ops": [{"op": "transpose", "axes": [0, 2]}, {"op": "slice", "stop": 0}, {"op": "reshape", "shape": [0, 9]}]}`))
	f.Add(uint8(3), []byte(`{"text": "é\ud83d\ude00", "seed": 7, "width": 8, "heads": 4, "feed_forward": 2, "blocks": 1, "positions": 9}`))
	f.Add(uint8(3), []byte("{\"text\": \"\xff\"}"))
	f.Add(uint8(4), []byte(`{"left": {"shape": [0, 2], "values": []}, "right": [[1], [2]]}`))
	f.Add(uint8(4), []byte(`{"left": [[[1, 2]], [[3, 4]]], "right": [[5, 6]], "transpose_right": true, "precision": "bfloat16"}`))
	f.Add(uint8(4), []byte(`{"left": [[], []], "right": {"shape": [0, 2], "values": []}}`))
	d := open(f, "cpu")
	f.Fuzz(func(t *testing.T, which uint8, raw []byte) {
		checkInput(t, d, trace.Examples[int(which)%len(trace.Examples)], raw)
	})
}

// FuzzShapes makes inputs that are JSON and mostly sensible from a few bytes:
// shapes with axes of 0 to 4 elements, transpositions, axes and operations that
// fit or nearly do. Where FuzzDecodeInput explores what can be written, this
// explores what can be meant.
func FuzzShapes(f *testing.F) {
	f.Add(uint8(0), []byte{2, 3}, []byte{3, 2}, uint8(0), []byte{})
	f.Add(uint8(0), []byte{2, 1, 3, 2}, []byte{4, 3, 2}, uint8(1+4), []byte{})
	f.Add(uint8(0), []byte{0, 2, 3}, []byte{3, 0}, uint8(8+16), []byte{})
	f.Add(uint8(1), []byte{2, 0, 3}, []byte{}, uint8(1), []byte{1})
	f.Add(uint8(1), []byte{4}, []byte{}, uint8(4), []byte{0})
	f.Add(uint8(2), []byte{3, 4}, []byte{4, 3}, uint8(0), []byte{0, 0, 0, 0, 1, 1, 1, 2, 4, 0, 0, 0, 5, 0, 0, 0})
	f.Add(uint8(2), []byte{1, 2}, []byte{2, 1, 2}, uint8(0), []byte{2, 0, 0, 0, 0, 0, 2, 0, 4, 0, 0, 0, 3, 0, 0, 0})
	f.Add(uint8(3), []byte{2, 4, 3}, []byte{'h', 0xc3, 0xa9}, uint8(1), []byte{})
	f.Add(uint8(4), []byte{2, 4, 3}, []byte{2, 4}, uint8(1+2+12), []byte{})
	d := open(f, "cpu")
	f.Fuzz(func(t *testing.T, which uint8, first, second []byte, flags uint8, rest []byte) {
		example := trace.Examples[int(which)%len(trace.Examples)]
		precisions := []string{"", "float64", "float32", "float16", "bfloat16"}
		precision := precisions[int(flags>>2)%len(precisions)]
		in := map[string]any{}
		switch example {
		case trace.ExampleProduct, trace.ExampleBoundary:
			in["left"], in["right"] = small(first), small(second)
			in["transpose_left"], in["transpose_right"], in["precision"] = flags&1 != 0, flags&2 != 0, precision
		case trace.ExampleReduction:
			in["input"], in["axis"], in["keep_dim"], in["precision"] = small(first), len(rest), flags&1 != 0, precision
			in["op"] = []string{"", "sum", "mean", "both"}[len(second)%4]
		case trace.ExampleView:
			in["input"] = small(first)
			ops := []any{}
			for ; len(rest) >= 4; rest = rest[4:] {
				a, b, c := int(rest[1]%5), int(rest[2]%5), int(rest[3]%5)
				op := map[string]any{"op": []string{"transpose", "slice", "broadcast", "reshape", "pack", "column-major"}[rest[0]%6]}
				switch op["op"] {
				case "transpose":
					op["axes"] = []int{a, b}
				case "slice":
					op["axis"], op["start"], op["step"] = a, b, c
				case "broadcast", "reshape", "column-major":
					op["shape"] = shapeOf(second)
				}
				ops = append(ops, op)
			}
			in["ops"] = ops
		case trace.ExampleDecoder:
			in["text"] = string(second)
			size := func(i int) int {
				if i < len(first) {
					return int(first[i] % 9)
				}
				return 0
			}
			for name, n := range map[string]int{"width": 2 * size(0), "heads": size(1), "feed_forward": size(2), "positions": 4 * size(4)} {
				if n > 0 { // 0 is refused
					in[name] = n
				}
			}
			in["blocks"], in["seed"] = size(3)%4, int(flags)
		}
		raw, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		checkInput(t, d, example, raw)
	})
}

// shapeOf makes a shape of up to five axes, small enough that its tensor is.
func shapeOf(bytes []byte) []int {
	shape := []int{}
	for _, b := range bytes[:min(len(bytes), 5)] {
		shape = append(shape, int(b%5))
	}
	return shape
}

func small(bytes []byte) trace.Array {
	a := tensor.Must(tensor.New(shapeOf(bytes)...))
	for i := range a.Data() {
		a.Data()[i] = float64((i*7+3)%11-5) / 3
	}
	return trace.Array{Tensor: a}
}

// checkInput holds one input to what FuzzDecodeInput says.
func checkInput(t *testing.T, d *cpu.Device, example string, raw []byte) {
	in, err := trace.DecodeInput(example, raw)
	if err != nil {
		var field *trace.FieldError
		if in != nil || !errors.As(err, &field) || field.Reason == "" {
			t.Fatalf("refused with %v, %v", in, err)
		}
		if len(err.Error()) > 1000 || !utf8.ValidString(err.Error()) {
			t.Fatalf("the error is %d bytes: %q", len(err.Error()), err)
		}
		return
	}
	// Read, written and read again it is the same input.
	written, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	again, err := trace.DecodeInput(example, written)
	if err != nil || asJSON(t, again) != string(written) {
		t.Fatalf("%s is read as %v (%v)", written, again, err)
	}

	if decoder, ok := in.(*trace.DecoderInput); ok {
		// The largest models take seconds under the fuzzer's instrumentation.
		if trace.DecoderValues(decoder.Config(), len(decoder.Document())+1) > 1<<18 {
			return
		}
	}
	out, err := trace.Run(context.Background(), d, d, example, raw)
	if err != nil {
		t.Fatalf("accepted, and the run failed: %v", err)
	}
	for _, v := range out.Tensors {
		n, err := tensor.Elements(v.Shape)
		if err != nil || n != len(v.Values) || n > max(trace.MaxOutputElements, trace.MaxScalars) {
			t.Fatalf("%s has shape %v and %d values (%v)", v.Name, v.Shape, len(v.Values), err)
		}
	}
	for i, s := range out.Steps {
		if s.Cell != nil && s.Cell.Device != "" && !s.Cell.Agrees {
			t.Fatalf("step %d: %+v", i, s.Cell)
		}
		if s.Product != nil && s.Product.B*s.Product.M*s.Product.N > 0 {
			last := [3]int{s.Product.B - 1, s.Product.M - 1, s.Product.N - 1}
			if c, err := trace.Explain(t.Context(), out, i, last, d); err != nil || !c.Agrees {
				t.Fatalf("step %d, cell %v: %+v, %v", i, last, c, err)
			}
		}
		if i > 200 {
			break // cells of one product
		}
	}
	if err := out.WriteText(io.Discard); err != nil {
		t.Fatal(err)
	}
}

// FuzzArray reads tensors in both spellings. What is accepted has as many
// values as its shape says, and is the same tensor when written and read again.
func FuzzArray(f *testing.F) {
	for _, seed := range []string{
		`[[1, 2], [3, 4]]`, `5`, `[]`, `[[], []]`, `[[[]]]`, `"NaN"`, `[["Infinity", -0.0], [1e-320, 1e308]]`,
		`{"shape": [2, 0], "values": []}`, `{"shape": [2, 2], "values": [1, 2, 3, "-Infinity"]}`, `{"shape": [], "values": [7]}`,
		`[[1], 2]`, `[1, [2]]`, `[[1, 2], [3]]`, `[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]`, `{"shape": [1000000, 1000000]}`, `null`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var a trace.Array
		if err := json.Unmarshal(raw, &a); err != nil {
			return
		}
		if a.Tensor == nil {
			t.Fatalf("%s is accepted and is no tensor", raw)
		}
		n, err := tensor.Elements(a.Shape())
		if err != nil || n != a.Len() || n > trace.MaxInputElements {
			t.Fatalf("shape %v and %d values (%v)", a.Shape(), a.Len(), err)
		}
		written, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		var b trace.Array
		if err := json.Unmarshal(written, &b); err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		if !slices.Equal(a.Shape(), b.Shape()) || !slices.EqualFunc(a.Data(), b.Data(), sameBits) {
			t.Fatalf("%s is %v %v, and read again %v %v", written, a.Shape(), a.Data(), b.Shape(), b.Data())
		}
	})
}
