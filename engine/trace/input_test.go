package trace_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"workbench/engine/decoder"
	"workbench/engine/trace"
)

// Every mistake names the field it lies in, by its path, and says what is wrong.
func TestDecodeInputErrors(t *testing.T) {
	const product, reduction, view, model, boundary = trace.ExampleProduct, trace.ExampleReduction, trace.ExampleView, trace.ExampleDecoder, trace.ExampleBoundary
	for _, c := range []struct {
		example, input, field, says string
	}{
		// The example and the JSON as a whole.
		{"matmul", `{}`, "example", `"matmul" is unknown: choose one of product, reduction, view, decoder, boundary`},
		{"", `{}`, "example", `"" is unknown`},
		{strings.Repeat("x", 1000), `{}`, "example", `…" is unknown`},
		{product, `[[1]]`, "input", "is a list where an object is wanted"},
		{product, `"left"`, "input", "is text where an object is wanted"},
		{product, `1`, "input", "is a number where an object is wanted"},
		{product, `true`, "input", "is true or false where an object is wanted"},
		{product, `{"left": [[1]]`, "input", "is not JSON: unexpected end of JSON input (byte 14)"},
		{product, `{"left": [[1]]} {}`, "input", "is not JSON: invalid character '{' after top-level value (byte 17)"},
		{product, `{"left": [[NaN]], "right": [[1]]}`, "input", `write "NaN", "Infinity" or "-Infinity" in quotes (byte 12)`},
		{product, `{"left": [[Infinity]]}`, "input", `write "NaN", "Infinity" or "-Infinity" in quotes`},
		{product, `{"left": [[-Infinity]]}`, "input", "is not JSON: invalid character 'I' in numeric literal"},
		{product, `{"left": ` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`, "input", "exceeded max depth"},
		{product, `{"left": [[1]], "right": [[1]], "middle": 1}`, "middle", "is not a field of this example: choose one of left, right, transpose_left, transpose_right, precision"},
		{product, `{"Left": [[1]], "right": [[1]]}`, "Left", "is not a field of this example"},
		{product, `{"": 1}`, "", "is not a field"},
		{product, `{"` + strings.Repeat("é", 1000) + `": 1}`, strings.Repeat("é", 24) + "…", "is not a field"},
		{product, `{"x` + strings.Repeat("é", 1000) + `": 1}`, "x" + strings.Repeat("é", 23) + "…", "is not a field"},
		{reduction, `{"input": [1], "axis": 0, "shape": [1]}`, "shape", "is not a field of this example: choose one of input, axis, keep_dim, op, precision"},

		// Tensors.
		{product, ``, "left", "is missing: write a list of rows"},
		{model, "\u0085", "input", "is not JSON"}, // a space of Unicode and not of JSON
		{product, `null`, "left", "is missing"},
		{product, `{"right": [[1]]}`, "left", "is missing"},
		{product, `{"left": [[1]]}`, "right", "is missing"},
		{product, `{"left": null, "right": [[1]]}`, "left", "write a list of rows"},
		{product, `{"left": [[1, 2, 3], [4, 5]], "right": [[1]]}`, "left", "row 1 has 2 values and row 0 has 3: every row has the same length"},
		{product, `{"left": [[1, 2], [4, 5, 6]], "right": [[1]]}`, "left", "row 1 has 3 values and row 0 has 2"},
		{product, `{"left": [[[1], [2]], [[3]]], "right": [[1]]}`, "left", "row 1 has 1 value and row 0 has 2"},
		{product, `{"left": [[[1], [2]], [[3], [4, 5]]], "right": [[1]]}`, "left", "element [1, 1] has 2 values and the first of its kind has 1"},
		{product, `{"left": [[1], 2], "right": [[1]]}`, "left", "row 1 is a number where the others are lists"},
		{product, `{"left": [1, [2]], "right": [[1]]}`, "left", "row 1 is a list where the others are numbers"},
		{product, `{"left": [[], 2], "right": [[1]]}`, "left", "row 1 is a number where the others are lists"},
		{product, `{"left": [[], [[]]], "right": [[1]]}`, "left", "row 1 has 1 value and row 0 has 0"},
		{product, `{"left": [["one"]], "right": [[1]]}`, "left", `element [0, 0]: "one" is not a number: write a number, "NaN", "Infinity" or "-Infinity"`},
		{product, `{"left": "NaN", "right": [[1]]}`, "left", "both sides need at least two axes"},
		{product, `{"left": "one", "right": [[1]]}`, "left", `the value: "one" is not a number`},
		{product, `{"left": [[1, null]], "right": [[1]]}`, "left", "element [0, 1]: null is not a number"},
		{product, `{"left": [true], "right": [[1]]}`, "left", "row 0: true is not a number"},
		{product, `{"left": [[1, {"a": 2}]], "right": [[1]]}`, "left", "element [0, 1]"},
		{product, `{"left": [[1e999]], "right": [[1]]}`, "left", "element [0, 0]: 1e999 is not a number a float64 can hold"},
		{product, `{"left": ` + strings.Repeat("[", 17) + "1" + strings.Repeat("]", 17) + `, "right": [[1]]}`, "left", "is nested more than 16 deep"},
		{product, `{"left": ` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`, "left", "is nested more than 16 deep"},
		{product, `{"left": [[` + strings.Repeat("1,", trace.MaxInputElements) + `1]]}`, "left", "has more than 65536 elements"},
		{product, `{"left": {"shape": [1000000, 1000000], "values": []}, "right": [[1]]}`, "left.shape", "has more than 268435456 elements"},
		{product, `{"left": {"shape": [65537], "values": []}, "right": [[1]]}`, "left.shape", "has 65537 elements, and an example takes at most 65536"},
		{product, `{"left": {"shape": [-1, 2], "values": []}}`, "left.shape", "axis 0 is negative"},
		{product, `{"left": {"shape": [9223372036854775807, 9223372036854775807], "values": []}}`, "left.shape", "has more than"},
		{product, `{"left": {"shape": [0, 9223372036854775807], "values": []}}`, "left.shape", "has more than"},
		{product, `{"left": {"shape": [92233720368547758070], "values": []}}`, "left.shape", "where a whole number is wanted"},
		{product, `{"left": {"shape": [1.5], "values": [1]}}`, "left.shape", "is the number 1.5 where a whole number is wanted"},
		{product, `{"left": {"shape": "2", "values": [1]}}`, "left.shape", "is text where a list is wanted"},
		{product, `{"left": {"shape": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1], "values": [1]}}`, "left.shape", "has 17 axes, more than 16"},
		{product, `{"left": {"shape": [2, 2], "values": [1, 2, 3]}}`, "left.values", "has 3 values, and the shape [2, 2] needs 4"},
		{product, `{"left": {}}`, "left.values", "has 0 values, and the shape [] needs 1"},
		{product, `{"left": {"shape": [1], "values": ["x"]}}`, "left.values", `"x" is not a number`},
		{product, `{"left": {"shape": [1], "values": 1}}`, "left.values", "is a number where a list is wanted"},
		{product, `{"left": {"rows": [1]}}`, "left.rows", "is not a field of this example: choose one of shape, values"},

		// Products.
		{product, `{"left": [[1, 2]], "right": [[1, 2]]}`, "right", "the left side has 2 columns and the right side 1 row: they must be equal"},
		{product, `{"left": [[1, 2]], "right": [[1], [2]], "transpose_left": true}`, "right", "the transposed left side has 1 column and"},
		{product, `{"left": [1, 2], "right": [[1], [2]]}`, "left", "both sides need at least two axes"},
		{product, `{"left": [[1, 2]], "right": [1, 2]}`, "right", "both sides need at least two axes"},
		{product, `{"left": [[[1]], [[2]]], "right": [[[1]], [[2]], [[3]]]}`, "right", "leading axes [2] and [3] do not broadcast"},
		{product, `{"left": [[1]], "right": [[1]], "transpose_left": "yes"}`, "transpose_left", "is text where true or false is wanted"},
		{product, `{"left": [[1]], "right": [[1]], "transpose_right": 1}`, "transpose_right", "is a number where true or false is wanted"},
		{product, `{"left": [[1]], "right": [[1]], "precision": "float8"}`, "precision", `"float8" is unknown: write float64, float32, float16 or bfloat16`},
		{product, `{"left": [[1]], "right": [[1]], "precision": 64}`, "precision", "is a number where text in quotes is wanted"},
		{product, `{"left": [[1]], "right": [[1]], "precision": "` + strings.Repeat("x", 100_000) + `"}`, "precision", "…"},
		{product, fmt.Sprintf(`{"left": %s, "right": %s}`, lists(t, 300, 1), lists(t, 1, 300)), "right", "gives a product of 90000 elements, and an example shows at most 65536"},
		{product, fmt.Sprintf(`{"left": %s, "right": %s}`, lists(t, 256, 256), lists(t, 256, 256)), "", ""}, // 2^24 products, the most there can be
		{product, `{"left": {"shape": [100000, 0], "values": []}, "right": {"shape": [0, 100000], "values": []}}`, "right", "has more than 268435456 elements"},
		{product, `{"left": {"shape": [1000, 0], "values": []}, "right": {"shape": [0, 1000], "values": []}}`, "right", "gives a product of 1000000 elements"},

		// Reductions.
		{reduction, `{"axis": 0}`, "input", "is missing"},
		{reduction, `{"input": [1, 2], "axis": 1}`, "axis", "has no axis 1: axes run from 0 to 0"},
		{reduction, `{"input": [1, 2], "axis": -1}`, "axis", "has no axis -1"},
		{reduction, `{"input": 1, "axis": 0}`, "axis", "is a scalar and has no axis to reduce"},
		{reduction, `{"input": [1], "axis": 0.5}`, "axis", "is the number 0.5 where a whole number is wanted"},
		{reduction, `{"input": [1], "axis": "0"}`, "axis", "is text where a whole number is wanted"},
		{reduction, `{"input": [1], "axis": 99999999999999999999999999999999999999999999999999999999999999}`, "axis", "where a whole number is wanted"},
		{reduction, `{"input": [1], "axis": 0, "op": "max"}`, "op", `"max" is unknown: write sum, mean or both`},
		{reduction, `{"input": [1], "axis": 0, "keep_dim": "no"}`, "keep_dim", "is text where true or false is wanted"},
		{reduction, `{"input": [[], []], "axis": 1, "op": "mean"}`, "axis", "a mean of nothing is undefined: sum it, or choose another axis"},
		{reduction, `{"input": [], "axis": 0}`, "axis", "a mean of nothing is undefined"},
		// No elements, and a quarter of a billion sums of them.
		{reduction, `{"input": {"shape": [0, 268435456], "values": []}, "axis": 0, "op": "sum"}`, "axis", "leaves 268435456 groups, and an example shows at most 65536"},

		// Boundaries: a product's mistakes, and those of the means.
		{boundary, `{}`, "left", "is missing: write a list of rows"},
		{boundary, `{"left": [[1, 2]], "right": [[1, 2]]}`, "right", "the left side has 2 columns and the right side 1 row"},
		{boundary, `{"left": [[1]], "right": [[1]], "precision": "float8"}`, "precision", `"float8" is unknown`},
		{boundary, `{"left": [[1]], "right": [[1]], "axis": 1}`, "axis", "is not a field of this example: choose one of left, right, transpose_left, transpose_right, precision"},
		{boundary, `{"left": [[], []], "right": {"shape": [0, 2], "values": []}}`, "left", "a mean of nothing is undefined"},
		{boundary, fmt.Sprintf(`{"left": %s, "right": %s}`, lists(t, 100, 100), lists(t, 100, 100)), "right", "gives a request of 20000 packed values, and this example packs at most 16384"},
		{boundary, fmt.Sprintf(`{"left": %s, "right": %s}`, lists(t, 64, 128), lists(t, 128, 64)), "", ""}, // 16384, the most there can be

		// Views.
		{view, `{}`, "input", "is missing"},
		{view, `{"input": [1], "ops": {"op": "pack"}}`, "ops", "is an object where a list is wanted"},
		{view, `{"input": [1], "ops": ["pack"]}`, "ops[0]", "is text where an object is wanted"},
		{view, `{"input": [1], "ops": [{"op": "pack"}, {"axis": 1}]}`, "ops[1].op", "is missing: write transpose, slice"},
		{view, `{"input": [1], "ops": [null]}`, "ops[0].op", "is missing"},
		{view, `{"input": [1], "ops": [{"op": "flip"}]}`, "ops[0].op", `"flip" is unknown`},
		{view, `{"input": [1], "ops": [{"op": 1}]}`, "ops[0].op", "is a number where text in quotes is wanted"},
		{view, `{"input": [1], "ops": [{"op": "pack"}, {"op": "slice", "from": 1}]}`, "ops[1].from", "is not a field of this example: choose one of op, axes, axis, start, stop, step, shape"},
		{view, `{"input": [1], "ops": [{"op": "slice", "stop": "1"}]}`, "ops[0].stop", "is text where a whole number is wanted"},
		{view, `{"input": [[1]], "ops": [{"op": "transpose", "axes": [0]}]}`, "ops[0].axes", "has 1 number: name the two to exchange, or leave them out"},
		{view, `{"input": [1], "ops": [{"op": "transpose"}]}`, "ops[0].axes", "has no two axes to exchange"},
		{view, `{"input": [[1]], "ops": [{"op": "transpose", "axes": [0, 2]}]}`, "ops[0]", "has no axes 0 and 2"},
		{view, `{"input": [[1]], "ops": [{"op": "transpose", "axes": ["0"]}]}`, "ops[0].axes", "is text where a whole number is wanted"},
		{view, `{"input": [1, 2], "ops": [{"op": "slice", "axis": 1}]}`, "ops[0].axis", "1 is not an axis of shape [2]"},
		{view, `{"input": [1, 2], "ops": [{"op": "slice", "axis": -1}]}`, "ops[0].axis", "-1 is not an axis"},
		{view, `{"input": [1, 2], "ops": [{"op": "slice", "stop": 3}]}`, "ops[0]", "0 ≤ start ≤ stop ≤ 2"},
		{view, `{"input": [1, 2], "ops": [{"op": "slice", "start": 2, "stop": 1}]}`, "ops[0]", "0 ≤ start ≤ stop ≤ 2"},
		{view, `{"input": [1, 2], "ops": [{"op": "slice", "step": -1}]}`, "ops[0].step", "-1 is not positive"},
		{view, `{"input": [1, 2], "ops": [{"op": "pack"}, {"op": "slice", "step": 0}]}`, "ops[1].step", "0 is not positive: write 1 to keep every element"},
		{view, `{"input": [[1]], "ops": [{"op": "transpose", "axes": []}]}`, "ops[0].axes", "has 0 numbers: name the two"},
		{view, `{"input": [1], "ops": [{"op": "reshape"}]}`, "ops[0].shape", "is missing: write the dimensions"},
		{view, `{"input": [1], "ops": [{"op": "pack"}, {"op": "broadcast"}]}`, "ops[1].shape", "is missing"},
		{view, `{"input": [1], "ops": [{"op": "column-major", "shape": null}]}`, "ops[0].shape", "is missing"},
		{view, `{"input": [[1]], "ops": [{"op": "transpose", "axis": 0}]}`, "ops[0].axis", "does not belong to transpose, which takes axes: leave it out"},
		{view, `{"input": [1], "ops": [{"op": "pack", "shape": [1]}]}`, "ops[0].shape", "does not belong to pack, which takes nothing else"},
		{view, `{"input": [1], "ops": [{"op": "pack"}, {"op": "slice", "axes": [0, 1]}]}`, "ops[1].axes", "does not belong to slice, which takes axis, start, stop, step"},
		{view, `{"input": [1], "ops": [{"op": "reshape", "shape": [1], "step": 1}]}`, "ops[0].step", "does not belong to reshape, which takes shape"},
		{view, `{"input": [1], "ops": [{"op": "broadcast", "shape": [1], "start": 0}]}`, "ops[0].start", "does not belong to broadcast"},
		{view, `{"input": [1], "ops": [{"op": "column-major", "shape": [1], "stop": 0}]}`, "ops[0].stop", "does not belong to column-major"},
		// One number, repeated, and copied again and again.
		{view, `{"input": [1], "ops": [{"op": "broadcast", "shape": [65536]}` + strings.Repeat(`, {"op": "pack"}`, 31) + `]}`, "ops[2]", "brings the example to 524291 values and storage indices, and it shows at most 524288: use fewer operations, or a smaller shape"},
		{view, `{"input": [1], "ops": [{"op": "broadcast", "shape": [65536]}, {"op": "pack"}]}`, "", ""},
		{view, `{"input": [1, 1], "ops": [` + strings.Repeat(`{"op": "pack"}, `, 31) + `{"op": "broadcast", "shape": [32768, 2]}]}`, "", ""},
		{view, `{"input": [[1, 2], [3, 4]], "ops": [{"op": "transpose"}, {"op": "reshape", "shape": [4]}]}`, "ops[1]", "pack the view first"},
		{view, `{"input": [1, 2], "ops": [{"op": "reshape", "shape": [3]}]}`, "ops[0]", "has 2 elements and 3 are asked for"},
		{view, `{"input": [1, 2], "ops": [{"op": "broadcast", "shape": [2, 3]}]}`, "ops[0]", "only an axis of length 1 repeats"},
		{view, `{"input": [1], "ops": [{"op": "broadcast", "shape": [65537]}]}`, "ops[0]", "makes a view of 65537 elements, and an example shows at most 65536"},
		{view, `{"input": [1], "ops": [{"op": "broadcast", "shape": [1000000, 1000000]}]}`, "ops[0]", "has more than 268435456 elements"},
		{view, `{"input": [1, 2], "ops": [{"op": "column-major", "shape": [3]}]}`, "ops[0]", "has 2 elements and 3 are asked for"},
		{view, `{"input": [[1, 2], [3, 4]], "ops": [{"op": "transpose"}, {"op": "column-major", "shape": [4]}]}`, "ops[1]", "pack it first"},
		{view, `{"input": [1], "ops": [` + strings.Repeat(`{"op": "pack"},`, trace.MaxViewOps) + `{"op": "pack"}]}`, "ops", "has 33 operations, and an example takes at most 32"},

		// Decoders.
		{model, `{"text": 5}`, "text", "is a number where text in quotes is wanted"},
		{model, "{\"text\": \"a\xffb\"}", "text", "is not valid UTF-8: save it as UTF-8"},
		{model, `{"text": "\ud83d"}`, "text", `has half of a character, \ud83d`},
		{model, `{"text": "a\ude00"}`, "text", `has half of a character, \ude00`},
		{model, `{"text": "\ud83dx"}`, "text", `has half of a character, \ud83d`},
		{model, `{"text": "\ud83d\u0041"}`, "text", `has half of a character, \ud83d`},
		{model, `{"text": "abcdefgh"}`, "text", "has 9 tokens with its begin token, and the model 8 positions: shorten the text or raise positions"},
		{model, `{"text": "` + strings.Repeat("a", 257) + `", "positions": 1024}`, "text", "has 257 bytes, and an example takes at most 256"},
		{model, `{"seed": -1}`, "seed", "-1 is not a whole number from 0 to 18446744073709551615"},
		{model, `{"seed": 18446744073709551616}`, "seed", "is not a whole number"},
		{model, `{"seed": "18446744073709551616"}`, "seed", "is not a whole number"},
		{model, `{"seed": 1.5}`, "seed", "1.5 is not a whole number"},
		{model, `{"seed": "0x10"}`, "seed", "is not a whole number"},
		{model, `{"seed": ""}`, "seed", "is not a whole number"},
		{model, `{"seed": [1]}`, "seed", "is not a whole number"},
		{model, `{"width": 3}`, "width", "odd"},
		{model, `{"width": -4}`, "width", "-4 lies outside 1 to 256"},
		{model, `{"width": 1e9}`, "width", "where a whole number is wanted"},
		{model, `{"width": 258}`, "width", "258 lies outside"},
		{model, `{"heads": 3}`, "heads", "3 does not divide width 4"},
		{model, `{"feed_forward": 1025}`, "feed_forward", "1025 lies outside 1 to 1024"},
		{model, `{"feed-forward": 8}`, "feed-forward", "is not a field of this example: choose one of text, seed, width, heads, feed_forward, blocks, positions, precision"},
		{model, `{"blocks": -1}`, "blocks", "-1 lies outside 0 to 16"},
		{model, `{"blocks": 17}`, "blocks", "17 lies outside"},
		{model, `{"positions": 1025}`, "positions", "1025 lies outside 1 to 1024"},
		{model, `{"width": 256, "heads": 2, "feed_forward": 1024, "blocks": 16}`, "width", "parameters with these blocks, and an example takes at most 131072"},
		{model, `{"width": 64, "feed_forward": 256}`, "width", "gives a model of 147904 parameters"},
		{model, `{"text": "` + strings.Repeat("a", 256) + `", "positions": 257, "width": 128, "heads": 64, "blocks": 1}`, "text", "values, and an example shows at most 1048576: shorten it to 17 bytes, or use fewer heads or blocks or a smaller width"},
		{model, `{"text": "` + strings.Repeat("a", 256) + `", "positions": 257}`, "text", "has 256 bytes, for which this model computes some 2840882 values, and an example shows at most 1048576: shorten it to 138 bytes"},
		{model, `{"text": "` + strings.Repeat("a", 138) + `", "positions": 257}`, "", ""},
		{model, `{"text": "` + strings.Repeat("a", 139) + `", "positions": 257}`, "text", "shorten it to 138 bytes"},
		{model, `{"precision": "double"}`, "precision", `"double" is unknown: write float64, float32, float16 or bfloat16`},
		{model, `{"precision": 32}`, "precision", "is a number where text in quotes is wanted"},
		{model, `{"width": 0}`, "width", "0 lies outside 1 to 256"},
		{model, `{"heads": 0}`, "heads", "0 lies outside 1 to 256"},
		{model, `{"feed_forward": 0}`, "feed_forward", "0 lies outside 1 to 1024"},
		{model, `{"positions": 0}`, "positions", "0 lies outside 1 to 1024"},

		// A name twice, however it is spelt.
		{product, `{"left": 1, "left": [[1]], "right": [[1]]}`, "left", "is given twice: keep one"},
		{product, `{"left": [[1]], "right": [[1]], "\u006ceft": [[1]]}`, "left", "is given twice"},
		{product, `{"left": {"shape": [1, 1], "values": [1], "shape": [1, 1]}, "right": [[1]]}`, "left.shape", "is given twice"},
		{view, `{"input": [1], "ops": [{"op": "pack"}, {"op": "pack", "op": "pack"}]}`, "ops[1].op", "is given twice"},
		{model, `{"text": "a", "text": "a"}`, "text", "is given twice"},
		// What a terminal would obey is written out.
		{model, `{"te\u001b[31mxt": "a"}`, `te\x1b[31mxt`, "is not a field"},
		{product, "{\"left\": [[\"\u009b1m\"]], \"right\": [[1]]}", "left", `"\u009b1m" is not a number`},
	} {
		t.Run(fmt.Sprintf("%.20s/%.60s", c.example, c.input), func(t *testing.T) {
			in, err := trace.DecodeInput(c.example, json.RawMessage(c.input))
			if c.says == "" {
				if in == nil || err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			var field *trace.FieldError
			if in != nil || !errors.As(err, &field) || field != err {
				t.Fatalf("%v, %v, want a *trace.FieldError and nothing else", in, err)
			}
			if field.Field != c.field || !strings.Contains(field.Reason, c.says) {
				t.Errorf("%q: %q, want %q: … %s …", field.Field, field.Reason, c.field, c.says)
			}
			if len(err.Error()) > 600 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

// What is left out has its usual value, and every field is read.
func TestDecodeInput(t *testing.T) {
	for _, c := range []struct{ example, input, want string }{
		{trace.ExampleProduct, `{"left": [[1, -2.5e-3]], "right": [["NaN"], ["-Infinity"]], "transpose_left": false, "precision": "bfloat16"}`,
			`{"left":[[1,-0.0025]],"right":[["NaN"],["-Infinity"]],"precision":"bfloat16"}`},
		{trace.ExampleProduct, ` {"left": [[1], [2]], "right": [[1], [2]], "transpose_left": true, "transpose_right": false} `,
			`{"left":[[1],[2]],"right":[[1],[2]],"transpose_left":true}`},
		{trace.ExampleProduct, `{"left": [[1]], "right": [[1]], "transpose_right": true}`, `{"left":[[1]],"right":[[1]],"transpose_right":true}`},
		{trace.ExampleReduction, `{"input": [[[1, 2]]], "axis": 2, "keep_dim": true, "op": "both", "precision": "float32"}`,
			`{"input":[[[1,2]]],"axis":2,"keep_dim":true,"op":"both","precision":"float32"}`},
		{trace.ExampleView, `{"input": {"values": [1, 2], "shape": [2, 1]}, "ops": [{"op": "slice", "axis": 0, "start": 1, "stop": 2, "step": 3}, {"op": "transpose", "axes": [0, 1]}, {"op": "broadcast", "shape": [5, 1]}]}`,
			`{"input":[[1],[2]],"ops":[{"op":"slice","axis":0,"start":1,"stop":2,"step":3},{"op":"transpose","axes":[0,1]},{"op":"broadcast","shape":[5,1]}]}`},
		{trace.ExampleView, `{"input": [[], []], "ops": null}`, `{"input":{"shape":[2,0],"values":[]}}`},
		{trace.ExampleDecoder, ``, `{}`},
		{trace.ExampleDecoder, `null`, `{}`},
		{trace.ExampleDecoder, ` {"text": null, "seed": null, "blocks": null, "width": null} `, `{}`},
		{trace.ExampleDecoder, `{"text": "", "seed": 0, "blocks": 0}`, `{"text":"","seed":"0","blocks":0}`},
		{trace.ExampleDecoder, `{"text": "\ud83d\ude00\\ud83d\n", "positions": 16}`, `{"text":"😀\\ud83d\n","positions":16}`},
		{trace.ExampleDecoder, `{"seed": "18446744073709551615", "width": 8, "heads": 2, "feed_forward": 3, "positions": 9, "precision": "float32"}`,
			`{"seed":"18446744073709551615","width":8,"heads":2,"feed_forward":3,"positions":9,"precision":"float32"}`},
		{trace.ExampleDecoder, `{"text": "` + strings.Repeat("a", 138) + `", "positions": 139}`, `{"text":"` + strings.Repeat("a", 138) + `","positions":139}`},
		{trace.ExampleView, `{"input": [1], "ops": [{"op": "reshape", "shape": []}, {"op": "column-major", "shape": [1], "step": null}]}`,
			`{"input":[1],"ops":[{"op":"reshape","shape":[]},{"op":"column-major","shape":[1]}]}`},
	} {
		in, err := trace.DecodeInput(c.example, json.RawMessage(c.input))
		if err != nil {
			t.Errorf("%s: %v", c.input, err)
			continue
		}
		if got := asJSON(t, in); got != c.want {
			t.Errorf("%s is read as\n%s, want\n%s", c.input, got, c.want)
		}
		// What it was read as is read as the same.
		again, err := trace.DecodeInput(c.example, json.RawMessage(c.want))
		if err != nil || asJSON(t, again) != c.want {
			t.Errorf("%s is read as\n%s (%v)", c.want, asJSON(t, again), err)
		}
	}
	if !slices.Equal(trace.Examples, []string{"product", "reduction", "view", "decoder", "boundary"}) {
		t.Errorf("examples %v", trace.Examples)
	}
}

// Each field of a decoder's input reaches the model; what is left out is the
// fixture's.
func TestDecoderConfig(t *testing.T) {
	in, err := trace.DecodeInput(trace.ExampleDecoder, []byte(`{"seed": 7, "width": 12, "heads": 3, "feed_forward": 5, "blocks": 0, "positions": 20}`))
	if err != nil {
		t.Fatal(err)
	}
	want := decoder.DefaultConfig()
	want.Seed, want.Width, want.Heads, want.FeedForward, want.Blocks, want.Positions = 7, 12, 3, 5, 0, 20
	if got := in.(*trace.DecoderInput).Config(); got != want {
		t.Errorf("the model is %+v, want %+v", got, want)
	}
	for _, input := range []string{`{}`, `{"width": null, "heads": null, "feed_forward": null, "blocks": null, "positions": null, "seed": null}`} {
		in, err := trace.DecodeInput(trace.ExampleDecoder, []byte(input))
		if err != nil {
			t.Fatal(err)
		}
		if got := in.(*trace.DecoderInput).Config(); got != decoder.DefaultConfig() {
			t.Errorf("%s: the model is %+v, want the fixture's", input, got)
		}
	}
}

// The fields of an input are those of its struct: a field without a name in
// JSON could not be written.
func TestInputFieldsHaveNames(t *testing.T) {
	for _, in := range []any{trace.ProductInput{}, trace.ReductionInput{}, trace.ViewInput{}, trace.ViewOp{}, trace.DecoderInput{}} {
		kind := reflect.TypeOf(in)
		for i := range kind.NumField() {
			if name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ","); name == "" || name == "-" {
				t.Errorf("%s.%s has no name in JSON", kind.Name(), kind.Field(i).Name)
			}
		}
	}
}
