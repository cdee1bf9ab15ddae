package trace_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"workbench/engine/trace"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

type golden struct {
	name, example, device, input string
	json                         bool
}

// goldens are the runs whose text, and where it is small JSON, is kept.
var goldens = []golden{
	{"product", trace.ExampleProduct, "cpu", `{"left": [[1, 2, 3], [4, 5, 6]], "right": [[7, 8], [9, 10], [11, 12]]}`, true},
	// The fused contract, a batch that repeats, both sides transposed, a sum that
	// cancels, and numbers that JSON lacks.
	{"product-batch", trace.ExampleProduct, "cpu,fused", `{"left": [[[0.1, 1e300], [0.2, 1e300]], [[-0.1, "Infinity"], [0.3, "-Infinity"]]], "right": [[3, -7]], "transpose_left": true, "transpose_right": true}`, true},
	{"product-empty", trace.ExampleProduct, "cpu", `{"left": {"shape": [2, 0], "values": []}, "right": {"shape": [0, 2], "values": []}, "precision": "bfloat16"}`, true},
	{"reduction", trace.ExampleReduction, "cpu", `{"input": [[1, 2, 3], [4, 5, 6]], "axis": 1}`, true},
	{"reduction-half", trace.ExampleReduction, "cpu", `{"input": [[[2048, 0.1], [1, 70000], [-3, 1e-9]]], "axis": 1, "keep_dim": true, "op": "mean", "precision": "float16"}`, true},
	{"view", trace.ExampleView, "cpu", `{"input": [[1, 2, 3], [4, 5, 6]], "ops": [{"op": "transpose"}, {"op": "slice", "axis": 0, "start": 0, "step": 2}, {"op": "broadcast", "shape": [2, 2, 2]}, {"op": "pack"}, {"op": "reshape", "shape": [8]}, {"op": "column-major", "shape": [2, 4]}]}`, true},
	{"decoder", trace.ExampleDecoder, "cpu", `{}`, false},
	{"boundary", trace.ExampleBoundary, "cpu", `{"left": [[1, 2, 3], [4, 5, 6]], "right": [[7, 8], [9, 10], [11, 12]]}`, true},
	// A transposed side, a matrix that a batch repeats, and elements of two bytes.
	{"boundary-half", trace.ExampleBoundary, "cpu,fused", `{"left": [[[1, 4], [2, 5], [3, 6]], [[0.1, 2049], [0, -1], [70000, 1]]], "right": [[1], [0.5], [-2]], "transpose_left": true, "precision": "float16"}`, false},
	// Heads are split and merged, and one text position has the size of neither.
	{"decoder-heads", trace.ExampleDecoder, "cpu,fused", `{"text": "é", "heads": 2, "feed_forward": 3, "blocks": 1, "seed": "18446744073709551615"}`, false},
}

func TestGolden(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			out := run(t, open(t, g.device), g.example, g.input)
			var text bytes.Buffer
			if err := out.WriteText(&text); err != nil {
				t.Fatal(err)
			}
			hold(t, g.name+".txt", text.Bytes())
			if g.json {
				data, err := json.MarshalIndent(out, "", " ")
				if err != nil {
					t.Fatal(err)
				}
				hold(t, g.name+".json", append(data, '\n'))
			}
		})
	}
}

func hold(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(g), len(w)) {
		line := func(lines []string) string {
			if i < len(lines) {
				return lines[i]
			}
			return "(no line)"
		}
		if line(g) != line(w) {
			t.Errorf("%s, line %d:\n got %s\nwant %s\nrun this test with -update if the change is meant, and read the diff", path, i+1, line(g), line(w))
			return
		}
	}
}

// A trace read back from its JSON is the same trace: written again, as a value,
// and as text.
func TestJSONRoundTrip(t *testing.T) {
	runs := append(slices.Clone(goldens), golden{name: "NaN", example: trace.ExampleProduct, device: "cpu", input: `{"left": [["NaN", -0.0]], "right": [[0], [1]]}`})
	for _, g := range runs {
		t.Run(g.name, func(t *testing.T) {
			out := run(t, open(t, g.device), g.example, g.input)
			first, err := json.Marshal(out)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(first, []byte("null")) {
				t.Errorf("a list is null: …%s…", around(first, "null"))
			}
			var back trace.Trace
			decoder := json.NewDecoder(bytes.NewReader(first))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&back); err != nil {
				t.Fatal(err)
			}
			second, err := json.Marshal(&back)
			if err != nil || !bytes.Equal(first, second) {
				t.Errorf("written again it is another text (%v)", err)
			}
			if !strings.Contains(g.input, "NaN") && !reflect.DeepEqual(out, &back) {
				t.Error("read back it is another value")
			}
			var one, two bytes.Buffer
			if err := errors.Join(out.WriteText(&one), back.WriteText(&two)); err != nil || one.String() != two.String() {
				t.Errorf("read back it has another text (%v)", err)
			}
		})
	}
}

func around(text []byte, word string) []byte {
	i := bytes.Index(text, []byte(word))
	return text[max(0, i-40):min(len(text), i+40)]
}

// full is a writer that takes a number of bytes and no more.
type full struct{ room int }

var errFull = errors.New("no room left")

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.room {
		return 0, errFull
	}
	f.room -= len(p)
	return len(p), nil
}

func TestWriteTextReturnsErrors(t *testing.T) {
	out := run(t, open(t, "cpu"), trace.ExampleDecoder, `{}`)
	for _, room := range []int{0, 5000, 100_000} {
		if err := out.WriteText(&full{room}); !errors.Is(err, errFull) {
			t.Errorf("a writer with room for %d bytes: %v", room, err)
		}
	}
}

func TestFormatNumber(t *testing.T) {
	for _, g := range []struct {
		x    string // as JSON has it
		want string
	}{
		{"0", "0"}, {"-0", "−0"}, {"58", "58"}, {"-1.5", "−1.5"}, {"0.1", "0.1"},
		{"0.000001", "0.000001"}, {"9.99e-7", "9.99e-07"}, {"1e20", "100000000000000000000"}, {"1e21", "1e+21"},
		{"-5e-324", "−5e-324"}, {"1.7976931348623157e308", "1.7976931348623157e+308"},
		{`"NaN"`, "NaN"}, {`"Infinity"`, "∞"}, {`"-Infinity"`, "−∞"},
	} {
		var a trace.Array
		if err := json.Unmarshal([]byte(g.x), &a); err != nil {
			t.Fatal(err)
		}
		if got := trace.FormatNumber(a.Data()[0]); got != g.want {
			t.Errorf("%s is written %q, want %q", g.x, got, g.want)
		}
	}
}
