package launchfile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
)

// one is a file with these arguments.
func one(args ...string) string {
	return `{"source": "k.cu", "kernel": "k", "grid": [2, 3], "block": 32, "args": [` + strings.Join(args, ", ") + `]}`
}

func read(t *testing.T, text string) *File {
	t.Helper()
	f, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v of\n%s", err, text)
	}
	return f
}

func TestOneLaunch(t *testing.T) {
	f := read(t, `{
		"source": "dir/saxpy.cu", "kernel": "saxpy<float, 4>", "grid": [4, 2, 3], "block": [256], "shared_bytes": 64,
		"args": [
			{"name": "y", "type": "f32", "shape": [2, 2], "values": [[1, 2], [3, "-Infinity"]], "out": true},
			{"type": "i16", "shape": 3, "fill": "iota"},
			{"name": "a", "type": "f64", "value": 2.5},
			{"type": "u8", "value": "255"},
			"y"
		],
		"constants": {"weights": {"type": "f32", "values": [1, 2]}, "n": {"type": "i32", "value": -1}},
		"limits": {"instructions": 1000, "seconds": 0.5}
	}`)
	f.SetSource("text", device.Fused)
	l := f.Launches[0]
	want := launch.Kernel{File: "dir/saxpy.cu", Source: "text", Symbol: "saxpy<float, 4>", Contract: device.Fused}
	if len(f.Launches) != 1 || l.Kernel != want || l.Grid != (launch.Dim3{X: 4, Y: 2, Z: 3}) || l.Block != (launch.Dim3{X: 256, Y: 1, Z: 1}) || l.SharedBytes != 64 {
		t.Errorf("%+v", l)
	}
	y := l.Args[0].Buffer
	if y.Type != "float" || !y.Out || y.Uninitialised || !slices.Equal(y.Shape, []int{2, 2}) || string(F32.AppendJSON(nil, y.Data)) != `[1,2,3,"-Infinity"]` {
		t.Errorf("y is %+v", y)
	}
	if l.Args[4].Buffer != y || l.Args[4].Name != "y" {
		t.Errorf("the second y is %+v", l.Args[4])
	}
	if b := l.Args[1].Buffer; l.Args[1].Name != "arg1" || b.Type != "short" || b.Out || string(b.Data) != "\x00\x00\x01\x00\x02\x00" {
		t.Errorf("%+v, %+v", l.Args[1], b)
	}
	if a := l.Args[2]; a.Name != "a" || F64.Format(a.Value) != "2.5" || a.Buffer != nil {
		t.Errorf("%+v", a)
	}
	if a := l.Args[3]; a.Name != "arg3" || string(a.Value) != "\xff" {
		t.Errorf("%+v", a)
	}
	if c := l.Constants; len(c) != 2 || c[0].Name != "weights" || len(c[0].Value) != 8 || c[1].Name != "n" || string(c[1].Value) != "\xff\xff\xff\xff" {
		t.Errorf("constants %+v", c)
	}
	if f.Instructions != 1000 || f.Seconds != 0.5 || !slices.Equal(f.Checks, launch.ReportKinds) || f.Source != "dir/saxpy.cu" {
		t.Errorf("%+v", f)
	}
	if len(f.Buffers) != 2 || f.Buffers[0].Name != "y" || f.Buffers[0].Memory != y || !f.Buffers[0].Out || f.Buffers[1].Out || f.Buffers[1].Type != I16 {
		t.Errorf("%+v", f.Buffers)
	}
}

func TestFill(t *testing.T) {
	for _, c := range []struct {
		buffer, want  string
		uninitialised bool
	}{
		{`"type": "f32", "shape": [2]`, `[0,0]`, false},
		{`"type": "f32", "shape": [2], "out": true`, `[0,0]`, true},
		{`"type": "f32", "shape": [2], "out": true, "fill": "zeros"`, `[0,0]`, false},
		{`"type": "f32", "shape": [2], "out": true, "fill": "ones", "values": [3, 4]`, `[3,4]`, false},
		{`"type": "bf16", "shape": [2], "fill": "ones"`, `[1,1]`, false},
		{`"type": "u8", "shape": [2], "fill": "ones"`, `[1,1]`, false},
		{`"type": "f16", "shape": [2, 2], "fill": "iota"`, `[0,1,2,3]`, false},
		{`"type": "i64", "shape": [0], "fill": "iota"`, `[]`, false},
		{`"type": "i64", "shape": [], "fill": "ones"`, `[1]`, false},
		{`"type": "f32", "values": []`, `[]`, false},
		{`"type": "f64", "shape": [1], "fill": "nan"`, `["NaN"]`, false},
		{`"type": "f16", "shape": [1], "fill": "nan"`, `["NaN"]`, false},
		{`"type": "i8", "shape": [1], "fill": "nan"`, `[127]`, false},
		{`"type": "u16", "shape": [1], "fill": "nan"`, `[65535]`, false},
		{`"type": "i64", "shape": [1], "fill": "nan"`, `[9223372036854775807]`, false},
		{`"type": "u64", "shape": [1], "fill": "nan"`, `[18446744073709551615]`, false},
		// SplitMix64(0) begins e220a8397b1dcdaf, 6e789e6aa1b965f4.
		{`"type": "u64", "shape": [2], "fill": "random"`, fmt.Sprintf("[%d,%d]", uint64(0xe220a8397b1dcdaf)%100, uint64(0x6e789e6aa1b965f4)%100), false},
		{`"type": "f64", "shape": [2], "fill": "random"`, `[0.7666216164272852,-0.13694400590298006]`, false},
		{`"type": "f32", "shape": [2], "fill": "random", "seed": 0`, `[0.7666216,-0.13694401]`, false},
	} {
		b := read(t, one("{"+c.buffer+"}")).Launches[0].Args[0].Buffer
		of := read(t, one("{"+c.buffer+"}")).Buffers[0].Type
		if got := string(of.AppendJSON(nil, b.Data)); got != c.want || b.Uninitialised != c.uninitialised {
			t.Errorf("%s is %s, uninitialised %v, want %s, %v", c.buffer, got, b.Uninitialised, c.want, c.uninitialised)
		}
	}
	wrapped := read(t, one(`{"type": "u8", "shape": [300], "fill": "iota"}`)).Buffers[0].Memory.Data
	if wrapped[255] != 255 || wrapped[256] != 0 || wrapped[299] != 43 {
		t.Errorf("iota wraps to %d %d %d", wrapped[255], wrapped[256], wrapped[299])
	}
	seeds := map[string]bool{}
	for _, seed := range []string{"0", "1", `"18446744073709551615"`} {
		seeds[string(read(t, one(`{"type": "f16", "shape": [4], "fill": "random", "seed": `+seed+`}`)).Buffers[0].Memory.Data)] = true
	}
	if len(seeds) != 3 {
		t.Error("the seed plays no part")
	}
}

// The first values of the reference numbers' generator, seen from its
// definition: 2·unit − 1 lies in [−1, 1) and is the same in every type up to
// rounding.
func TestRandomIsRounded(t *testing.T) {
	list := func(of string) []float64 {
		b := read(t, one(`{"type": "`+of+`", "shape": [1000], "fill": "random", "seed": 39}`)).Buffers[0]
		var out []float64
		for i := 0; i < len(b.Memory.Data); i += b.Type.Size() {
			x, _ := b.Type.Float(b.Memory.Data[i:])
			out = append(out, x)
		}
		return out
	}
	wide, single := list("f64"), list("f32")
	for i, x := range wide {
		if !(-1 <= x && x < 1) || single[i] != float64(float32(x)) {
			t.Fatalf("element %d is %v, as a float %v", i, x, single[i])
		}
	}
}

func TestStruct(t *testing.T) {
	l := read(t, one(
		`{"name": "x", "type": "f32", "shape": [4]}`,
		`{"name": "s", "struct": [
			{"type": "i8", "value": 1},
			"x",
			{"struct": [{"type": "u16", "value": 2}, {"name": "y", "type": "f64", "shape": [1], "out": true}]},
			{"type": "i8", "value": 3}
		]}`,
		`{"struct": [{"type": "f32", "value": 1}, {"type": "u8", "value": 7}]}`,
	)).Launches[0]
	s := l.Args[1]
	want := "\x01\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00" + "\x02\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00" + "\x03\x00\x00\x00\x00\x00\x00\x00"
	if s.Name != "s" || string(s.Value) != want {
		t.Errorf("%s is %x, want %x", s.Name, s.Value, want)
	}
	if len(s.Pointers) != 2 || s.Pointers[0].Offset != 8 || s.Pointers[0].Buffer != l.Args[0].Buffer || s.Pointers[1].Offset != 24 || s.Pointers[1].Buffer.Type != "double" || !s.Pointers[1].Buffer.Out {
		t.Errorf("pointers %+v", s.Pointers)
	}
	if got := string(l.Args[2].Value); got != "\x00\x00\x80\x3f\x07\x00\x00\x00" {
		t.Errorf("%x", got)
	}
}

const several = `{"source": "sum.cu",
	"buffers": [{"name": "x", "type": "f64", "shape": [8], "fill": "ones"}, {"name": "partial", "type": "f64", "shape": [2]}, {"name": "sum", "type": "f64", "shape": [1], "out": true}],
	"constants": {"scale": {"type": "f32", "value": 2}, "other": {"type": "i32", "value": 3}},
	"launches": [
		{"kernel": "reduce<4>", "grid": [2], "block": [4], "args": ["x", {"buffer": "partial"}]},
		{"kernel": "reduce<2>", "grid": [1], "block": [2], "args": [{"name": "partial"}, "sum"], "constants": {"scale": {"type": "f32", "value": 5}}}]}`

func TestSeveralLaunches(t *testing.T) {
	f := read(t, several)
	if len(f.Launches) != 2 || f.Launches[0].Kernel.Symbol != "reduce<4>" || f.Launches[1].Kernel.Symbol != "reduce<2>" {
		t.Fatalf("%+v", f.Launches)
	}
	x, partial, sum := f.Buffers[0].Memory, f.Buffers[1].Memory, f.Buffers[2].Memory
	if f.Launches[0].Args[1].Buffer != partial || f.Launches[1].Args[0].Buffer != partial || f.Launches[1].Args[1].Buffer != sum {
		t.Error("the launches do not share their buffers")
	}
	if x.Out || partial.Out || !sum.Out || f.Buffers[1].Out || partial.Uninitialised || !sum.Uninitialised {
		t.Errorf("x %+v, partial %+v, sum %+v", x, partial, sum)
	}
	scale := func(i int) string {
		for _, c := range f.Launches[i].Constants {
			if c.Name == "scale" {
				return F32.Format(c.Value)
			}
		}
		return ""
	}
	if scale(0) != "2" || scale(1) != "5" || len(f.Launches[1].Constants) != 2 {
		t.Errorf("the scale is %s, then %s", scale(0), scale(1))
	}
}

// adder adds 1 to the first byte of every buffer, once for each launch that has it.
type adder struct {
	launch.Launcher
	fail int // the launch that fails, from 1
}

func (a *adder) Sequence(_ context.Context, launches []*launch.Launch) (results []*launch.Result, err error) {
	contents := map[*launch.Buffer][]byte{}
	for _, b := range launch.Memories(launches) {
		contents[b] = slices.Clone(b.Data)
	}
	for i, l := range launches {
		if a.fail == i+1 {
			err = launch.At(launches, i, errors.New("broken"))
			break
		}
		for _, b := range launch.Memories([]*launch.Launch{l}) {
			contents[b][0]++
		}
		results = append(results, &launch.Result{})
	}
	launch.Collect(launches, results, contents)
	return results, err
}

func TestRun(t *testing.T) {
	const text = `{"source": "k.cu", "buffers": [{"name": "x", "type": "u8", "values": [5], "out": true}, {"name": "y", "type": "u8", "shape": [1], "out": true}, {"name": "z", "type": "u8", "values": [3]}],
		"launches": [{"kernel": "a", "grid": 1, "block": 1, "args": ["x", {"type": "i32", "value": 1}]},
			{"kernel": "b", "grid": 1, "block": 1, "args": [{"struct": ["x", "y"]}]},
			{"kernel": "c", "grid": 1, "block": 1, "args": ["x", "z", "x"]}]}`
	f := read(t, text)
	results, err := f.Run(t.Context(), &adder{})
	if err != nil || len(results) != 3 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	x, y, z := f.Buffers[0].Memory, f.Buffers[1].Memory, f.Buffers[2].Memory
	if x.Data[0] != 8 || y.Data[0] != 1 || y.Uninitialised || z.Data[0] != 3 {
		t.Errorf("in the end x is %v, y %v and z %v", x, y, z)
	}
	f = read(t, text)
	results, err = f.Run(t.Context(), &adder{fail: 3})
	if len(results) != 2 || err == nil || err.Error() != "launches[2]: broken" || f.Buffers[0].Memory.Data[0] != 7 {
		t.Errorf("%d results, %v", len(results), err)
	}
}

func TestChecks(t *testing.T) {
	all := launch.ReportKinds
	for text, want := range map[string][]launch.ReportKind{
		`true`:                      all,
		`false`:                     nil,
		`[]`:                        nil,
		`["race", "uninitialised"]`: {launch.Race, launch.Uninitialised},
		`{"race": false}`:           all[1:],
		`{"race": true}`:            all,
	} {
		f := read(t, `{"source": "k.cu", "kernel": "k", "grid": 1, "block": 1, "checks": `+text+`}`)
		if !slices.Equal(f.Checks, want) {
			t.Errorf("%s: %v, want %v", text, f.Checks, want)
		}
	}
}

func TestRefuses(t *testing.T) {
	buffer := func(more string) string { return one(`{"name": "x", ` + more + `}`) }
	head := func(more string) string {
		return `{"source": "k.cu", "kernel": "k", "grid": 1, "block": 1, ` + more + `}`
	}
	for _, c := range []struct{ text, path, says string }{
		{``, "", "line 1, column 1"},
		{"{\n  \"source\": \"a\",\n  oops}", "", "line 3, column 3"},
		{"{} {}", "", "line 1, column 4"},
		{`[]`, "", "not an object"},
		{`{"source": "k.cu"}`, "kernel", "is not there: write the name"},
		{`{"kernel": "k", "grid": 1, "block": 1}`, "source", "is not there: write the name of a file"},
		{`{"source": "k.cu", "kernel": "k", "block": 1}`, "grid", "[x, y, z] in blocks"},
		{`{"source": "k.cu", "kernel": "k", "grid": 1}`, "block", "in threads"},
		{head(`"kernl": 1`), "kernl", "is not a field of a launch file: it has source, kernel"},
		{head(`"a b": 1`), `["a b"]`, "is not a field"},
		{head(`"kernel": "q"`), "kernel", "twice"},
		{head(`"limits": {"time": 1}`), "limits.time", "it has instructions, seconds"},
		{head(`"limits": {"instructions": 0}`), "limits.instructions", "from 1 to"},
		{head(`"limits": {"seconds": 0}`), "limits.seconds", "above 0"},
		{head(`"limits": {"seconds": "NaN"}`), "limits.seconds", "above 0"},
		{head(`"shared_bytes": -1`), "shared_bytes", "from 0 to"},
		{head(`"checks": "race"`), "checks", "write true, false"},
		{head(`"checks": ["races"]`), "checks[0]", "the checks are race, out-of-bounds"},
		{head(`"checks": {"race": 1}`), "checks.race", "write true or false"},
		{head(`"args": {}`), "args", "a list of arguments"},
		{head(`"constants": []`), "constants", "is a list"},
		{head(`"constants": {"c": {"type": "f32"}}`), "constants.c.shape", "is not there"},
		{head(`"constants": {"c": {"type": "f32", "value": "x"}}`), "constants.c.value", "not a number"},
		{`{"source": "", "kernel": "k", "grid": 1, "block": 1}`, "source", "empty"},
		{`{"source": "k", "kernel": 7, "grid": 1, "block": 1}`, "kernel", "is 7"},
		{`{"source": "k", "kernel": "k", "grid": [], "block": 1}`, "grid", "empty"},
		{`{"source": "k", "kernel": "k", "grid": [1, 2, 3, 4], "block": 1}`, "grid", "more than 3"},
		{`{"source": "k", "kernel": "k", "grid": [1, -1], "block": 1}`, "grid[1]", "blocks there are along y, a whole number from 0"},
		{`{"source": "k", "kernel": "k", "grid": 1, "block": [1.5]}`, "block[0]", "threads there are along x"},
		{one(`7`), "args[0]", "write an argument"},
		{one(`{}`), "args[0]", "is no argument"},
		{one(`"x"`), "args[0]", "there is no buffer x before: there is none"},
		{one(`{"name": "y", "type": "u8", "shape": 1}`, `{"buffer": "x"}`), "args[1].buffer", "there is no buffer x before: there is y"},
		{one(`{"type": "f32"}`), "args[0]", "neither a value nor a shape"},
		{one(`{"value": 1}`), "args[0].type", "is not there"},
		{one(`{"type": "float", "value": 1}`), "args[0].type", `write "f32"`},
		{one(`{"type": "f33", "value": 1}`), "args[0].type", "write one of f16, bf16"},
		{one(`{"type": "u8", "value": 256}`), "args[0].value", "0 to 255"},
		{one(`{"type": "u8", "value": [1]}`), "args[0].value", "write a number"},
		{one(`{"type": "u8", "value": 1, "out": true}`), "args[0].out", "does not go with a scalar"},
		{one(`{"struct": [], "type": "u8"}`), "args[0].type", "does not go with a struct"},
		{one(`{"struct": []}`), "args[0].struct", "no members"},
		{one(`{"struct": [{"type": "u8", "value": 1}, {"type": "i8", "value": 200}]}`), "args[0].struct[1].value", "-128 to 127"},
		{one(strings.Repeat(`{"struct": [`, 20) + `{"type": "u8", "value": 1}` + strings.Repeat(`]}`, 20)), "args[0]" + strings.Repeat(".struct[0]", 16) + ".struct", "16 is the most"},
		{one(`{"name": "x", "type": "u8", "shape": 1}`, `{"name": "x", "type": "u8", "shape": 1}`), "args[1].name", "there is a buffer x before"},
		{buffer(`"type": "f32", "shape": [2], "values": [1]`), "args[0].values", "has 1 numbers, and the shape has 2"},
		{buffer(`"type": "f32", "shape": [2], "values": [1, 2, 3]`), "args[0].values", "more than the 2 numbers"},
		{buffer(`"type": "f32", "values": [1, [2, true]]`), "args[0].values[2]", "is true: write a number"},
		{buffer(`"type": "f32", "values": [1, {}]`), "args[0].values", "has an object"},
		{buffer(`"type": "f32", "values": [1, "two"]`), "args[0].values[1]", "two is not a number"},
		{buffer(`"type": "f32", "values": ` + strings.Repeat("[", 9) + strings.Repeat("]", 9)), "args[0].values", "deep"},
		{buffer(`"type": "f32", "values": 1`), "args[0].values", "a list of numbers"},
		{buffer(`"type": "f32", "shape": [-1]`), "args[0].shape[0]", "from 0 to"},
		{buffer(`"type": "f32", "shape": [1,1,1,1,1,1,1,1,1]`), "args[0].shape", "more than 8"},
		{buffer(`"type": "f32", "shape": [65536, 65536, 65536, 65536, 65536]`), "args[0].shape", "bytes that buffers have together"},
		{buffer(`"type": "f64", "shape": [268435456]`), "args[0].shape", "needs 2147483648 bytes"},
		{buffer(`"type": "f64", "shape": [134217729]`), "args[0].shape", "needs 1073741832 bytes, and 1073741824 are left"},
		{buffer(`"type": "f32", "shape": [1], "fill": "rand"`), "args[0].fill", "write zeros, ones, iota, random or nan"},
		{buffer(`"type": "f32", "shape": [1], "seed": -1`), "args[0].seed", "0 to 18446744073709551615"},
		{buffer(`"type": "f32", "shape": [1], "out": "yes"`), "args[0].out", "write true or false"},
		{`{"source": "k", "launches": []}`, "launches", "empty"},
		{`{"source": "k", "buffers": []}`, "launches", "is not there"},
		{`{"source": "k", "launches": [], "kernel": "k"}`, "kernel", "a file of several launches"},
		{`{"source": "k", "buffers": [{"type": "f32", "shape": 1}], "launches": []}`, "buffers[0].name", "what arguments call"},
		{`{"source": "k", "buffers": [{"name": "x", "type": "f32"}], "launches": []}`, "buffers[0].shape", "is not there"},
		{`{"source": "k", "buffers": [{"name": "x", "type": "f32", "value": 1}], "launches": []}`, "buffers[0].value", "is not a field of a buffer"},
		{`{"source": "k", "launches": [{"kernel": "k", "grid": 1, "block": 1, "source": "q"}]}`, "launches[0].source", "is not a field of a launch"},
	} {
		_, err := Parse([]byte(c.text))
		var e *Error
		if !errors.As(err, &e) || e.Path != c.path || !strings.Contains(e.Reason, c.says) {
			t.Errorf("%.300s\n  gives %v\n  want %s: %s", c.text, err, c.path, c.says)
		}
	}
}

// Memory is counted over all buffers, and constants.
func TestMemoryIsBounded(t *testing.T) {
	for text, fits := range map[string]bool{
		one(`{"type": "u8", "shape": 10}`):                                                                       true,
		one(`{"type": "u8", "shape": 6}`, `{"type": "f32", "shape": 1}`):                                         true,
		one(`{"type": "u8", "shape": 7}`, `{"type": "f32", "shape": 1}`):                                         false,
		one(`{"type": "u16", "values": [1, 2, 3, 4, 5]}`):                                                        true,
		one(`{"type": "u16", "values": [1, 2, 3, 4, 5, 6]}`):                                                     false,
		one(`{"type": "f32", "values": [1, 2, 3]}`):                                                              false,
		one(`{"type": "u8", "shape": 6}`, `{"type": "u8", "values": [1, 2, 3, 4]}`):                              true,
		one(`{"type": "u8", "shape": 6}`, `{"type": "u8", "values": [1, 2, 3, 4, 5]}`):                           false,
		`{"source": "k", "kernel": "k", "grid": 1, "block": 1, "constants": {"c": {"type": "u8", "shape": 11}}}`: false,
	} {
		if _, err := parse([]byte(text), 10); (err == nil) != fits {
			t.Errorf("%s: %v, want it to fit: %v", text, err, fits)
		}
	}
}

// The examples of the package's description are files.
func TestDescriptionHoldsFiles(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var found int
	for _, part := range strings.Split(string(text), "\n//\n") {
		part = strings.ReplaceAll(strings.ReplaceAll(part, "//\t", ""), "//", "")
		if !json.Valid([]byte(part)) {
			continue
		}
		found++
		if _, err := Parse([]byte(part)); err != nil {
			t.Errorf("%v in\n%s", err, part)
		}
	}
	if found != 2 {
		t.Errorf("%d examples were found", found)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(several))
	f.Add([]byte(one(`{"name": "x", "type": "f16", "shape": [2], "values": [1e5, "NaN"], "out": true}`, `{"struct": ["x", {"type": "u8", "value": 1}]}`, `"x"`)))
	f.Add([]byte(one(`{"type": "i32", "shape": [2, 2], "fill": "random", "seed": "7"}`)))
	f.Add([]byte(`{"source": "k", "kernel": "k", "grid": [1], "block": [1], "checks": ["race"], "limits": {"seconds": 1}, "constants": {"c": {"type": "u8", "value": 1}}}`))
	const room = 1 << 16
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parse(data, room)
		if err != nil {
			if file != nil || err.Reason == "" {
				t.Fatalf("%+v beside %+v", file, err)
			}
			return
		}
		total := 0
		for _, b := range file.Buffers {
			count := 1
			for _, n := range b.Shape {
				count *= n
			}
			if len(b.Memory.Data) != count*b.Type.Size() {
				t.Fatalf("%s of shape %v has %d bytes", b.Name, b.Shape, len(b.Memory.Data))
			}
			total += len(b.Memory.Data)
		}
		if total > room {
			t.Fatalf("%d bytes, and there is room for %d", total, room)
		}
		for _, l := range file.Launches {
			if l.Kernel.Symbol == "" || min(l.Grid.X, l.Grid.Y, l.Grid.Z, l.Block.X, l.Block.Y, l.Block.Z) < 0 {
				t.Fatalf("%+v", l)
			}
			for _, a := range l.Args {
				if (a.Buffer == nil) == (len(a.Value) == 0) {
					t.Fatalf("%+v", a)
				}
				for _, p := range a.Pointers {
					if p.Offset%8 != 0 || p.Offset < 0 || p.Offset+8 > len(a.Value) || p.Buffer == nil {
						t.Fatalf("%+v of %d bytes", p, len(a.Value))
					}
				}
			}
		}
	})
}
