package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"workbench/engine"
	"workbench/engine/cuda"
	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/session"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/launchfile"
)

// onFake is a program whose cuda:0 is a GPU that tests play, the whole way down
// to its driver.
func onFake(t *testing.T) func(p *program) {
	return func(p *program) {
		p.open = func(ctx context.Context, name string) (device.Device, error) {
			spec, err := device.ParseSpec(name)
			if err != nil || spec.Kind != device.CUDA {
				return engine.Open(ctx, name)
			}
			var printed bytes.Buffer
			m := fake.New(fake.Config{Output: &printed})
			driver, err := m.Driver()
			if err != nil {
				return nil, err
			}
			return cuda.OpenInProcess(ctx, spec, session.Libraries{
				Driver: driver, Compiler: m.Compiler, BLAS: m.BLAS,
				Output: func() string { defer printed.Reset(); return printed.String() },
			})
		}
	}
}

// launchFile writes a launch file beside the source of the kernels that a played
// GPU knows, and returns its name.
func launchFile(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"launch.json": text, "fake.cu": fake.Source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "launch.json")
}

// answer is what other programs read.
type answer struct {
	Outputs      map[string][]any
	Reports      []map[string]any
	Measurements map[string]any
	Printed      string
	ElapsedMS    float64 `json:"elapsed_ms"`
}

func read(t *testing.T, o outcome) answer {
	t.Helper()
	var a answer
	d := json.NewDecoder(strings.NewReader(o.stdout))
	if err := d.Decode(&a); err != nil {
		t.Fatalf("%v in %v", err, o)
	}
	if a.Outputs == nil || a.Reports == nil || a.Measurements == nil {
		t.Errorf("outputs, reports or measurements are not there: %s", o.stdout)
	}
	return a
}

const addOne = `{"source": "fake.cu", "kernel": "add_one", "grid": [1], "block": [32],
	"args": [{"name": "x", "type": "f32", "shape": [2, 2], "values": [0.5, "NaN", 2, "Infinity"], "out": true}, {"type": "i32", "value": 3}]}`

func TestEmulateOnAGPU(t *testing.T) {
	o := callWith(t.Context(), onFake(t), "", "emulate", launchFile(t, addOne), "--device", "cuda:0", "--json")
	if o.status != statusOK || o.stderr != "" {
		t.Fatalf("%v", o)
	}
	a := read(t, o)
	if want := map[string][]any{"x": {1.5, "NaN", 3., "Infinity"}}; !reflect.DeepEqual(a.Outputs, want) || len(a.Reports) != 0 || a.ElapsedMS <= 0 {
		t.Errorf("%+v, want %v", a, want)
	}

	o = callWith(t.Context(), onFake(t), "", "emulate", launchFile(t, addOne), "--device", "cuda:0,fused")
	if want := "x: f32 [2 2]\n  [0]  1.5       NaN\n  [1]    3  Infinity\n\n1 launch on cuda:0,fused in "; o.status != statusOK || !strings.HasPrefix(o.stdout, want) {
		t.Errorf("%v\nwant\n%s", o, want)
	}
}

func TestEmulateSeveralLaunches(t *testing.T) {
	o := callWith(t.Context(), onFake(t), "", "emulate", launchFile(t, `{"source": "fake.cu",
		"buffers": [{"name": "x", "type": "f32", "shape": [5], "fill": "iota"}, {"name": "y", "type": "f32", "values": [7], "out": true}, {"name": "z", "type": "f32", "shape": [5], "fill": "iota", "out": true}],
		"launches": [
			{"kernel": "add_one", "grid": 1, "block": 8, "args": ["z", {"type": "i32", "value": 5}]},
			{"kernel": "prints", "grid": 1, "block": 2, "args": [{"type": "i32", "value": 9}]},
			{"kernel": "add_one", "grid": 1, "block": 8, "args": ["z", {"type": "i32", "value": 2}]},
			{"kernel": "add_one", "grid": 1, "block": 8, "args": ["y", {"type": "i32", "value": 1}]}]}`), "--device", "cuda:0", "--json")
	if o.status != statusOK {
		t.Fatalf("%v", o)
	}
	a := read(t, o)
	if want := map[string][]any{"y": {8.}, "z": {2., 3., 3., 4., 5.}}; !reflect.DeepEqual(a.Outputs, want) || a.Printed != "thread 0 of 9\nthread 1 of 9\n" {
		t.Errorf("%+v, want %v", a, want)
	}
}

func TestEmulateFails(t *testing.T) {
	with := func(old, with string) string { return strings.Replace(addOne, old, with, 1) }
	for _, c := range []struct{ name, text, says string }{
		{"a source that is not there", with("fake.cu", "none.cu"), "source: open "},
		{"a kernel that is not there", with("add_one", "add_two"), "it has add_one, write_outside"},
		{"a fault", with("add_one", "write_outside"), "illegal address"},
		{"an argument too few", with(`, {"type": "i32", "value": 3}`, ""), "1 arguments, and the kernel has 2 parameters"},
		{"a wrong size", with(`"i32"`, `"i64"`), "the value has 8 bytes"},
		{"too large a block", with("[32]", "[2048]"), "2048"},
		{"no threads", with("[32]", "[0]"), "block: x is 0"},
		{"a file that is none", with(`"kernel"`, `"kernels"`), "kernels: is not a field"},
		{"text that is none", "{", "line 1, column"},
		{"a constant", with(`"args"`, `"constants": {"c": {"type": "i32", "value": 1}}, "args"`), "constants: fake.cu has no variable c"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := callWith(t.Context(), onFake(t), "", "emulate", launchFile(t, c.text), "--device", "cuda:0", "--json")
			if o.status != statusUsage || !strings.Contains(o.stderr, c.says) || o.stdout != "" {
				t.Errorf("%v\nwant status 2 and %q", o, c.says)
			}
		})
	}
}

// The source is beside the launch file, wherever that is read from, and in the
// current folder for standard input.
func TestEmulateFindsTheSource(t *testing.T) {
	dir := filepath.Dir(launchFile(t, addOne))
	below := filepath.Join(dir, "below")
	if err := os.Mkdir(below, 0o777); err != nil {
		t.Fatal(err)
	}
	upward := strings.Replace(addOne, "fake.cu", "../fake.cu", 1)
	if err := os.WriteFile(filepath.Join(below, "launch.json"), []byte(upward), 0o666); err != nil {
		t.Fatal(err)
	}
	if o := callWith(t.Context(), onFake(t), "", "emulate", filepath.Join(below, "launch.json"), "--device", "cuda:0"); o.status != statusOK {
		t.Errorf("%v", o)
	}
	t.Chdir(dir)
	for _, text := range []string{addOne, strings.Replace(addOne, "fake.cu", filepath.ToSlash(filepath.Join(dir, "fake.cu")), 1)} {
		if o := callWith(t.Context(), onFake(t), text, "emulate", "-", "--device", "cuda:0"); o.status != statusOK {
			t.Errorf("%v", o)
		}
	}
}

// reporting is a device that finds something wrong with every launch.
type reporting struct {
	device.Device
	measured bool
}

func (r reporting) Launch(ctx context.Context, l *launch.Launch) (*launch.Result, error) {
	return launch.One(r.Sequence(ctx, []*launch.Launch{l}))
}

func (r reporting) Sequence(_ context.Context, launches []*launch.Launch) (results []*launch.Result, err error) {
	for _, l := range launches {
		results = append(results, r.one(l))
	}
	return results, nil
}

func (r reporting) one(l *launch.Launch) *launch.Result {
	result := &launch.Result{
		Buffers: make([][]byte, len(l.Buffers())),
		Reports: []launch.Report{{
			Kind: launch.OutOfBounds, Severity: launch.Fault, Message: "x[4] is beyond the end", Address: "x[4]", Count: 1,
			Place: launch.Place{File: l.Kernel.File, Line: 3, Column: 2, Source: "\tx[i] = 1;", Thread: launch.Index{4, 0, 0}, Lane: 4, Access: "write"},
		}},
	}
	for i, b := range l.Buffers() {
		if b != nil && b.Out {
			result.Buffers[i] = b.Data
		}
	}
	if r.measured {
		result.Measurement = &launch.Measurement{Kernel: l.Kernel.Symbol, Blocks: 7}
	}
	return result
}

// The emulator finds the barrier that is missing, names line, threads and element,
// and finds nothing where it is there.
func TestEmulateFindsAMissingBarrier(t *testing.T) {
	const source = `__global__ void product(const float* a, const float* b, float* c, int n) {
	__shared__ float as[8][8], bs[8][8];
	int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 8 + ty, column = blockIdx.x * 8 + tx;
	float sum = 0;
	for (int k = 0; k < n; k += 8) {
		as[ty][tx] = a[row * n + k + tx];
		bs[ty][tx] = b[(k + ty) * n + column];
		__syncthreads();
		for (int i = 0; i < 8; i++) sum += as[ty][i] * bs[i][tx];
		__syncthreads();
	}
	c[row * n + column] = sum;
}
`
	const file = `{"source": "product.cu", "kernel": "product", "grid": [2, 2], "block": [8, 8], "args": [
		{"name": "a", "type": "f32", "shape": [16, 16], "fill": "iota"}, {"name": "b", "type": "f32", "shape": [16, 16], "fill": "ones"},
		{"name": "c", "type": "f32", "shape": [16, 16], "out": true}, {"type": "i32", "value": 16}]}`
	name := launchFile(t, file)
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(filepath.Dir(name), "product.cu"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(source)
	o := call(t, "", "emulate", name, "--json")
	a := read(t, o)
	if o.status != statusOK || len(a.Reports) != 0 || len(a.Outputs["c"]) != 256 || a.Outputs["c"][17] != 16*16*1.+120 {
		t.Fatalf("%v", o)
	}
	buffers, _ := a.Measurements["buffers"].([]any)
	for i, buffer := range buffers[:2] {
		if got := buffer.(map[string]any)["loads_per_block"]; got != 1. {
			t.Errorf("a value of buffer %d is loaded %v times by a block", i, got)
		}
	}

	write(strings.Replace(source, "\t\t__syncthreads();\n", "", 1))
	o = call(t, "", "emulate", name)
	for _, want := range []string{"product.cu:8:", "error: race: ", "as[0][", "the other access: write by block (0,0,0), thread (", "at product.cu:6:3"} {
		if o.status != statusFailed || !strings.Contains(o.stdout, want) {
			t.Errorf("no %q in\n%v", want, o)
		}
	}
	unchecked := strings.Replace(file, `"kernel"`, `"checks": {"race": false}, "kernel"`, 1)
	if err := os.WriteFile(name, []byte(unchecked), 0o666); err != nil {
		t.Fatal(err)
	}
	if o := call(t, "", "emulate", name); o.status != statusOK || strings.Contains(o.stdout, "race") {
		t.Errorf("%v", o)
	}
}

// The README's first launch: the course's own tiled product, and what becomes of
// it without either of its barriers.
func TestEmulateTheTiledProduct(t *testing.T) {
	const folder = "../../kernels/matmul/"
	o := call(t, "", "emulate", folder+"tiled.json", "--json")
	a := read(t, o)
	if o.status != statusOK || len(a.Reports) != 0 || len(a.Outputs["out"]) != 1024 || a.Outputs["out"][33] != 32*496.+32*1 {
		t.Fatalf("%v", o)
	}
	if o := call(t, "", "emulate", folder+"tiled.json"); !strings.Contains(o.stdout, "right: 1024 elements; each value is loaded once per block that uses it") {
		t.Errorf("%v", o)
	}
	launch, err := os.ReadFile(folder + "tiled.json")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(folder + "tiled.cu")
	if err != nil {
		t.Fatal(err)
	}
	line := func(of string) string {
		n := strings.Count(strings.SplitN(string(text), of, 2)[0], "\n") + 1
		return fmt.Sprint("tiled.cu:", n, ":")
	}
	use, fill := line("sum = left[k]"), line("right_tile[y][x] =")
	for barrier, want := range map[string][2]string{
		"__syncthreads(); // the tiles are complete":     {use, fill},
		"__syncthreads(); // nobody needs them any more": {fill, use},
	} {
		dir := t.TempDir()
		without := strings.Replace(string(text), barrier, "", 1)
		if without == string(text) {
			t.Fatalf("there is no %q", barrier)
		}
		for name, text := range map[string]string{"tiled.json": string(launch), "tiled.cu": without} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		o := call(t, "", "emulate", filepath.Join(dir, "tiled.json"))
		report := ""
		for part := range strings.SplitSeq(o.stdout, "\n\n") {
			if strings.HasPrefix(part, want[0]) && strings.Contains(part, "right_tile[0][0]") {
				report = part
			}
		}
		for _, words := range []string{"error: race: thread (", "the other access: ", "at " + want[1], "likely cause: no __syncthreads() between"} {
			if o.status != statusFailed || !strings.Contains(report, words) {
				t.Errorf("without %s: no %q in\n%v", barrier, words, o)
			}
		}
	}
}

// A report is status 1, and in both forms of the answer.
func TestEmulateReports(t *testing.T) {
	with := func(p *program) {
		p.open = func(ctx context.Context, spec string) (device.Device, error) {
			d, err := engine.Open(ctx, "cpu")
			return reporting{d, true}, err
		}
	}
	o := callWith(t.Context(), with, "", "emulate", launchFile(t, addOne), "--device", "cuda:0", "--json")
	a := read(t, o)
	if o.status != statusFailed || o.stderr != "" || len(a.Reports) != 1 || a.Measurements["blocks"] != 7. {
		t.Fatalf("%v", o)
	}
	r := a.Reports[0]
	if r["kind"] != "out-of-bounds" || r["line"] != 3. || r["file"] != "fake.cu" || !reflect.DeepEqual(r["thread"], []any{4., 0., 0.}) {
		t.Errorf("%v", r)
	}

	o = callWith(t.Context(), with, "", "emulate", launchFile(t, addOne), "--device", "cuda:0")
	for _, want := range []string{
		"fake.cu:3:2: error: out-of-bounds: x[4] is beyond the end\n    3 | \tx[i] = 1;\n      | \t^\n",
		"x: f32 [2 2]\n", "add_one: 7 blocks", "1 launch on cuda:0 in ", ", 1 report\n",
	} {
		if o.status != statusFailed || !strings.Contains(o.stdout, want) {
			t.Errorf("no %q in\n%v", want, o)
		}
	}

	twice := strings.Replace(strings.Replace(addOne, `"kernel"`, `"launches": [{"kernel"`, 1), "]}", "]}, {\"kernel\": \"prints\", \"grid\": 1, \"block\": 1}]}", 1)
	o = callWith(t.Context(), with, "", "emulate", launchFile(t, twice), "--device", "cuda:0", "--json")
	if launches, _ := read(t, o).Measurements["launches"].([]any); len(launches) != 2 {
		t.Errorf("%v", o)
	}
}

// endless is a device whose launches end when somebody ends them.
type endless struct{ device.Device }

func (endless) Launch(ctx context.Context, _ *launch.Launch) (*launch.Result, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (endless) Sequence(ctx context.Context, _ []*launch.Launch) ([]*launch.Result, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestEmulateEnds(t *testing.T) {
	with := func(p *program) {
		p.open = func(ctx context.Context, spec string) (device.Device, error) {
			d, err := engine.Open(ctx, "cpu")
			return endless{d}, err
		}
	}
	limited := strings.Replace(addOne, `"args"`, `"limits": {"seconds": 0.05}, "args"`, 1)
	o := callWith(t.Context(), with, "", "emulate", launchFile(t, limited), "--device", "cuda:0")
	if o.status != statusUsage || !strings.Contains(o.stderr, "longer than the 0.05 seconds of limits.seconds") {
		t.Errorf("%v", o)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	o = callWith(ctx, with, "", "emulate", launchFile(t, addOne), "--device", "cuda:0")
	if o.status != statusUsage || strings.Contains(o.stderr, "limits") {
		t.Errorf("%v", o)
	}
}

func TestWriteBuffer(t *testing.T) {
	for _, c := range []struct{ buffer, want string }{
		{`"type": "i8", "shape": [12], "fill": "iota"`, "x: i8 [12]\n   [0]   0   1  2  3  4  5  6  7  8  9\n  [10]  10  11\n"},
		{`"type": "u8", "shape": [2, 1, 3], "fill": "iota"`, "x: u8 [2 1 3]\n  [0][0]  0  1  2\n  [1][0]  3  4  5\n"},
		{`"type": "u8", "shape": [1, 11], "fill": "zeros"`, "x: u8 [1 11]\n  [0]  0  0  0  0  0  0  0  0  0  0  …\n"},
		{`"type": "u8", "shape": [0, 3]`, "x: u8 [0 3]\n"},
		{`"type": "u8", "shape": [3, 0]`, "x: u8 [3 0]\n"},
		{`"type": "f64", "shape": [], "fill": "ones"`, "x: f64 []\n  [0]  1\n"},
		{`"type": "u8", "shape": [17, 1], "fill": "zeros"`, "x: u8 [17 1]\n" + func() string {
			var b strings.Builder
			for i := range 16 {
				label := "[" + string(rune('0'+i%10)) + "]"
				if i > 9 {
					label = "[1" + string(rune('0'+i%10)) + "]"
				}
				b.WriteString("  " + strings.Repeat(" ", 4-len(label)) + label + "  0\n")
			}
			return b.String()
		}() + "  … 17 elements in all; --json has every one\n"},
	} {
		f, err := launchfile.Parse([]byte(`{"source": "k", "kernel": "k", "grid": 1, "block": 1, "args": [{"name": "x", ` + c.buffer + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		writeBuffer(&b, f.Buffers[0])
		if b.String() != c.want {
			t.Errorf("%s is\n%swant\n%s", c.buffer, b.String(), c.want)
		}
	}
}

// Help shows launch files that can be read, and the files that are kept are they.
func TestEmulateHelpShowsLaunches(t *testing.T) {
	help := call(t, "", "emulate", "--help").stdout
	for _, name := range []string{"scale", "sums"} {
		begin := "  {\"source\": \"" + name + ".cu\""
		_, text, _ := strings.Cut(help, begin)
		text, _, _ = strings.Cut(begin+text, "\n\n")
		shown, err := launchfile.Parse([]byte(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		data, err := os.ReadFile("testdata/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		kept, err := launchfile.Parse(data)
		if err != nil || !reflect.DeepEqual(shown, kept) {
			t.Errorf("%+v, and the file has %+v: %v", shown, kept, err)
		}
	}
	o := call(t, "", "emulate", "testdata/sums.json", "--json")
	want := 0.5*(0.5*999*1000/2+1000) + 4
	if a := read(t, o); o.status != statusOK || len(a.Reports) != 0 || a.Outputs["sum"][0] != want {
		t.Errorf("%v, want %v", o, want)
	}
}

// What ends a launch ends the run: what came out until then is there, and how many
// were not run.
func TestEmulateStopsBehindAFault(t *testing.T) {
	name := launchFile(t, `{"source": "spin.cu", "limits": {"seconds": 0.05}, "buffers": [{"name": "x", "type": "i32", "values": [1], "out": true}],
		"launches": [{"kernel": "add", "grid": 1, "block": 1, "args": ["x"]}, {"kernel": "spin", "grid": 1, "block": 1, "args": ["x"]}, {"kernel": "add", "grid": 1, "block": 1, "args": ["x"]}]}`)
	const source = "__global__ void add(int* x) { x[0]++; }\n__global__ void spin(volatile int* x) { while (x[0]) { } }\n"
	if err := os.WriteFile(filepath.Join(filepath.Dir(name), "spin.cu"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	o := call(t, "", "emulate", name)
	for _, want := range []string{"spin.cu:2:", "endless-loop", "raise limits.seconds", "[0]  2\n", "launch 2 of 3 ended before its time, so that 1 launch behind it did not run: 2 launches on emulator"} {
		if o.status != statusFailed || !strings.Contains(o.stdout, want) {
			t.Errorf("no %q in\n%v", want, o)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, bytes.Replace(text, []byte("0.05"), []byte("600"), 1), 0o666); err != nil {
		t.Fatal(err)
	}
	if o := callWith(ctx, nil, "", "emulate", name); o.status != statusFailed || !strings.Contains(o.stderr, "interrupted") {
		t.Errorf("%v", o)
	}
}
