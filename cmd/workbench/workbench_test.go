package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"workbench/cmd/internal/machine"
	"workbench/engine"
	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/engine/trace"
)

func TestDemoPublishedBits(t *testing.T) {
	o := call(t, "", "demo", "--json")
	if o.status != statusOK || o.stderr != "" {
		t.Fatalf("status %d, %s", o.status, o.stderr)
	}
	var result struct {
		LossBits  string                        `json:"loss_bits"`
		Loss      float64                       `json:"loss"`
		Matrix    trace.ShapedValues            `json:"matrix"`
		Document  []int                         `json:"document"`
		Gradients map[string]trace.ShapedValues `json:"gradients"`
		Scalars   int                           `json:"parameter_scalars"`
		Tensors   int                           `json:"parameter_tensors"`
		Tied      bool                          `json:"tied"`
	}
	if err := json.Unmarshal([]byte(o.stdout), &result); err != nil {
		t.Fatal(err)
	}
	if result.LossBits != "4016ac70bf03b620" || math.Float64bits(result.Loss) != 0x4016ac70bf03b620 {
		t.Errorf("the loss is %v, bits %s", result.Loss, result.LossBits)
	}
	if len(result.Gradients) != 20 || result.Tensors != 20 || result.Scalars != 1372 || !result.Tied {
		t.Errorf("%d gradients, %d tensors of %d parameters, tied %v", len(result.Gradients), result.Tensors, result.Scalars, result.Tied)
	}
	if len(result.Document) != 4 || len(result.Matrix.Values) != 4 || result.Matrix.Values[1] != 64 {
		t.Errorf("document %v, matrix %v", result.Document, result.Matrix)
	}
}

// The seed, the text and each size have to reach the decoder.
func TestDemoFlagsMatter(t *testing.T) {
	loss := func(args ...string) string {
		t.Helper()
		o := call(t, "", append([]string{"demo", "--json"}, args...)...)
		var r struct {
			Bits string `json:"loss_bits"`
		}
		if err := json.Unmarshal([]byte(o.stdout), &r); err != nil || o.status != statusOK {
			t.Fatalf("%v: status %d, %v, %s", args, o.status, err, o.stderr)
		}
		return r.Bits
	}
	fixture := loss()
	for _, args := range [][]string{
		{"--seed", "40"}, {"--seed", "18446744073709551615"}, {"--text", "ba"}, {"--width", "8"}, {"--width", "4", "--heads", "2"},
		{"--feed-forward", "7"}, {"--blocks", "0"}, {"--device", "cpu,fused", "--seed", "7"},
	} {
		if loss(args...) == fixture {
			t.Errorf("demo %v has the fixture's loss: the flag does not reach the decoder", args)
		}
	}
	if got := loss("--positions", "3"); got != fixture {
		t.Errorf("with positions for just this document the loss is %s, and the rest of the table plays no part", got)
	}
}

// flipping is a device that flips the lowest bit of one element of its results
// of one shape.
type flipping struct {
	device.Device
	shape []int
	flat  int
}

func (f *flipping) Multiply(ctx context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	out, stats, err := f.Device.Multiply(ctx, p)
	if err == nil && tensor.FormatShape(out.Shape()) == tensor.FormatShape(f.shape) {
		data := out.Data()
		data[f.flat] = math.Float64frombits(math.Float64bits(data[f.flat]) ^ 1)
	}
	return out, stats, err
}

// A bit that one device flips has to be named, at its coordinate, in every
// form of the report, and to make the command fail.
func TestCompareNamesTheFlippedBit(t *testing.T) {
	flip := func(p *program) {
		p.open = func(ctx context.Context, spec string) (device.Device, error) {
			d, err := engine.Open(ctx, spec)
			if err == nil && spec == "cpu,separate" {
				d = &flipping{Device: d, shape: []int{2, 2}, flat: 1}
			}
			return d, err
		}
	}
	o := callWith(t.Context(), flip, "", "compare", "cpu", "cpu,separate")
	if o.status != statusFailed {
		t.Errorf("status %d, want %d", o.status, statusFailed)
	}
	if !strings.Contains(o.stdout, "matrix[0, 1]") || !strings.Contains(o.stdout, "4050000000000001") {
		t.Errorf("the text does not name matrix[0, 1] and its bits:\n%s", o.stdout)
	}

	o = callWith(t.Context(), flip, "", "compare", "cpu", "cpu,separate", "--json")
	var report compare.Report
	if err := json.Unmarshal([]byte(o.stdout), &report); err != nil {
		t.Fatal(err)
	}
	first := report.Groups[0].First
	if o.status != statusFailed || report.Passed || report.Failures != 1 || first == nil || first.Flat != 1 || first.CandidateBits != "4050000000000001" {
		t.Errorf("status %d, the report's first failure is %+v of %d", o.status, first, report.Failures)
	}

	o = callWith(t.Context(), flip, "", "compare", "cpu", "cpu,separate", "--csv")
	failing := 0
	for _, line := range strings.Split(o.stdout, "\n") {
		if strings.Contains(line, "4050000000000001") {
			failing++
			if !strings.HasPrefix(line, "matrix,") {
				t.Errorf("the flipped bit is in the line %s", line)
			}
		}
	}
	if o.status != statusFailed || failing != 1 {
		t.Errorf("status %d, %d lines with the flipped bit", o.status, failing)
	}
}

// A device that cannot explain its cells is explained by the CPU.
func TestTraceOfAMuteDevice(t *testing.T) {
	type mute struct{ device.Device }
	var opened []string
	o := callWith(t.Context(), func(p *program) {
		p.open = func(ctx context.Context, spec string) (device.Device, error) {
			opened = append(opened, spec)
			d, err := engine.Open(ctx, spec)
			if len(opened) == 1 && err == nil {
				d = mute{d}
			}
			return d, err
		}
	}, "", "trace", "product", "--device", "cpu,fused")
	if o.status != statusOK || !strings.Contains(o.stdout, "computed again by cpu,fused") {
		t.Errorf("status %d, %s%s", o.status, o.stderr, o.stdout)
	}
	if strings.Join(opened, " ") != "cpu,fused cpu,fused" {
		t.Errorf("opened %q: the explanation has to follow the run's contract", opened)
	}
}

// What trace prints is the run's own text and JSON, whose goldens are those of
// engine/trace, on the chapter's input and the device that was asked for.
func TestTracePrintsTheRun(t *testing.T) {
	for _, name := range trace.Examples {
		for _, spec := range []string{"cpu", "cpu,fused"} {
			d, err := engine.Open(t.Context(), spec)
			if err != nil {
				t.Fatal(err)
			}
			run, err := trace.Run(t.Context(), d, d.(device.Explainer), name, json.RawMessage(chapterInputs[name]))
			if err != nil {
				t.Fatalf("%s: the input of its chapter: %v", name, err)
			}
			var text strings.Builder
			if err := run.WriteText(&text); err != nil {
				t.Fatal(err)
			}
			if o := call(t, "", "trace", name, "--device", spec); o != (outcome{statusOK, text.String(), ""}) {
				t.Errorf("trace %s on %s: status %d, %s, not the run's text:\n%.500s", name, spec, o.status, o.stderr, o.stdout)
			}
			var got trace.Trace
			o := call(t, "", "trace", name, "--device", spec, "--json")
			if err := json.Unmarshal([]byte(o.stdout), &got); err != nil || o.status != statusOK {
				t.Fatalf("trace %s on %s: status %d, %v, %s", name, spec, o.status, err, o.stderr)
			}
			if got.Device != spec || len(got.Steps) != len(run.Steps) || len(got.Tensors) != len(run.Tensors) {
				t.Errorf("trace %s on %s: the JSON is of another run", name, spec)
			}
		}
	}
}

func TestTraceReadsAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "my input.json")
	if err := os.WriteFile(path, []byte(`{"left": [[3]], "right": [[5]]}`), 0o666); err != nil {
		t.Fatal(err)
	}
	o := call(t, "", "trace", "product", "--json", "--input", path)
	var got trace.Trace
	if err := json.Unmarshal([]byte(o.stdout), &got); err != nil || o.status != statusOK {
		t.Fatalf("status %d, %v, %s", o.status, err, o.stderr)
	}
	if c := got.Tensors[got.Result[0]]; len(c.Values) != 1 || c.Values[0] != 15 {
		t.Errorf("3·5 is %v", c.Values)
	}
}

// An input that cannot be used is a wrong call, and the error names the field.
func TestTraceInputErrors(t *testing.T) {
	for _, c := range []struct{ example, input, want string }{
		{"product", "", "--input -: left: "},
		{"product", "[1, 2]", "--input -: input: "},
		{"product", `{"left": [[1, 2], [3]], "right": [[1]]}`, "--input -: left: "},
		{"product", `{"left": [[1, 2]], "right": [[1, 2]]}`, "--input -: right: "},
		{"product", `{"left": [[1, 2]], "rihgt": [[1]]}`, "--input -: rihgt: "},
		{"product", `{"left": {"shape": [1000000, 1000000], "values": []}, "right": [[1]]}`, "--input -: left"},
		{"product", strings.Repeat(" ", maxInputBytes+1), "--input: - has more than 1048576 bytes"},
		{"reduction", `{"input": [[]], "axis": 1, "op": "mean"}`, "--input -: axis: "},
		{"reduction", `{"input": [[1, 2]], "axis": 2}`, "--input -: axis: "},
		{"view", `{"input": [[1, 2], [3, 4]], "ops": [{"op": "transpose"}, {"op": "reshape", "shape": [4]}]}`, "--input -: ops[1]"},
		{"decoder", `{"width": 5}`, "--input -: width: "},
		{"decoder", `{"text": "a text of too many bytes"}`, "--input -: text: "},
	} {
		o := call(t, c.input, "trace", c.example, "--input", "-")
		if o.status != statusUsage || o.stdout != "" || !strings.HasPrefix(o.stderr, "workbench trace: "+c.want) {
			t.Errorf("trace %s < %.60s: status %d, %q, want it to begin with %q", c.example, c.input, o.status, o.stderr, c.want)
		}
	}
}

// failing is a device that fails at every request.
type failing struct {
	device.Device
	device.Explainer
}

func (failing) Multiply(ctx context.Context, _ device.Product) (*tensor.Tensor, device.Stats, error) {
	return nil, device.Stats{}, errors.Join(errors.New("out of memory"), ctx.Err())
}

func TestFailedRun(t *testing.T) {
	broken := func(p *program) {
		p.open = func(ctx context.Context, spec string) (device.Device, error) {
			d, err := engine.Open(ctx, spec)
			return failing{d, d.(device.Explainer)}, err
		}
	}
	for _, args := range [][]string{{"demo"}, {"compare", "cpu", "cpu,fused"}, {"trace", "product"}, {"trace", "decoder"}} {
		o := callWith(t.Context(), broken, "", args...)
		if o.status != statusFailed || !strings.Contains(o.stderr, "out of memory") || o.stdout != "" {
			t.Errorf("%v: status %d, %q, %q", args, o.status, o.stderr, o.stdout)
		}
		if strings.Contains(o.stderr, "--help") {
			t.Errorf("%v: %q blames the call", args, o.stderr)
		}
	}
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"demo"}, {"compare", "cpu", "cpu,fused"}, {"trace", "decoder"}} {
		o := callWith(ctx, nil, "", args...)
		if o.status != statusFailed || !strings.Contains(o.stderr, "interrupted") {
			t.Errorf("%v: status %d, %q", args, o.status, o.stderr)
		}
	}
}

// ./course has help speak of ./course.
func TestCommandName(t *testing.T) {
	o := callWith(t.Context(), func(p *program) {
		p.getenv = func(name string) string {
			if name == "COURSE_COMMAND" {
				return "./course"
			}
			return ""
		}
	}, "", "demo", "--width", "0")
	want := "./course demo: --width \"0\": write a whole number from 1 up\nRun `./course demo --help` for what can be written here.\n"
	if o.stderr != want {
		t.Errorf("says %q, want %q", o.stderr, want)
	}
}

func TestVersion(t *testing.T) {
	o := call(t, "", "version", "--json")
	var v map[string]string
	if err := json.Unmarshal([]byte(o.stdout), &v); err != nil || v["commit"] == "" || v["go"] == "" {
		t.Errorf("%q, %v", o.stdout, err)
	}
	if o := call(t, "", "version"); o.status != statusOK || !strings.Contains(o.stdout, v["go"]) {
		t.Errorf("status %d, %q", o.status, o.stdout)
	}
}

func TestFindings(t *testing.T) {
	findings := []machine.Finding{
		{Topic: "machine", Name: "system", Status: machine.Present, Detail: "linux/amd64, 2 processors"},
		{Topic: "machine", Name: "vectors", Status: machine.Note, Detail: "none"},
		{Topic: "devices", Name: "cpu", Status: machine.Present, Detail: "CPU"},
		{Topic: "devices", Name: "cuda:0", Status: machine.Missing, Detail: "no driver", Next: "install one", Tried: []string{"libcuda.so.1: no such file", "/usr/lib/wsl/lib: no such folder"}},
		{Topic: "gpu", Name: "NVRTC", Status: machine.Present, Detail: "12.8 (libnvrtc.so.12)"},
		{Topic: "tests", Name: "chromium", Status: machine.Missing, Detail: "the pages are not tested", Next: "apt-get install chromium"},
	}
	for name, verbose := range map[string]bool{"doctor.txt": false, "doctor-verbose.txt": true} {
		var out bytes.Buffer
		p := &program{stdout: &out}
		if err := p.writeFindings(findings, verbose); err != nil {
			t.Fatal(err)
		}
		golden(t, name, out.String())
	}
}

func TestDoctor(t *testing.T) {
	o := call(t, "", "doctor", "--json")
	var findings []machine.Finding
	if err := json.Unmarshal([]byte(o.stdout), &findings); err != nil || o.status != statusOK {
		t.Fatalf("status %d, %v, %s", o.status, err, o.stderr)
	}
	named := map[string]machine.Finding{}
	for _, f := range findings {
		named[f.Name] = f
	}
	for _, info := range engine.List(t.Context()) {
		f, ok := named[info.Spec]
		if !ok || (f.Status == machine.Present) != info.Available {
			t.Errorf("%s: doctor says %+v, and the front door %+v", info.Spec, f, info)
		}
	}
	if o := call(t, "", "doctor"); o.status != statusOK || !strings.Contains(o.stdout, "Devices\n") {
		t.Errorf("status %d, %q", o.status, o.stdout)
	}
}

// locked is a buffer that a timer may write to.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestProgress(t *testing.T) {
	var out locked
	g := (&program{stderr: &out}).startProgress("first")
	g.Note("second")
	if out.String() != "" {
		t.Errorf("spoke before a second was over: %q", out.String())
	}
	g.overdue()
	g.Note("third")
	if want := "second ...\nthird ...\n"; out.String() != want {
		t.Errorf("said %q, want %q", out.String(), want)
	}
	g.Done()
	g.Note("fourth")
	if strings.Contains(out.String(), "fourth") {
		t.Errorf("spoke after the end: %q", out.String())
	}

	// On a terminal one line is rewritten and in the end removed.
	var screen locked
	g = &progress{w: &screen, terminal: true, note: "waiting", timer: time.NewTimer(time.Hour)}
	g.overdue()
	g.Done()
	if want := "\r\x1b[Kwaiting ...\r\x1b[K"; screen.String() != want {
		t.Errorf("wrote %q, want %q", screen.String(), want)
	}
}

func TestChoose(t *testing.T) {
	o := call(t, "", "test", "everything")
	if o.status != statusUsage || !strings.Contains(o.stderr, `"everything" is not a phase`) || !strings.Contains(o.stderr, "staticcheck") {
		t.Errorf("status %d, %q", o.status, o.stderr)
	}
}

// FuzzArguments calls the commands that compute with any arguments and any
// input: whatever they are, the program answers with one of its statuses.
func FuzzArguments(f *testing.F) {
	f.Add("demo\n--json\n--text\nhello\n--width\n8\n--heads\n2", "")
	f.Add("demo\n--device\ncpu,fused\n--seed\n18446744073709551615", "")
	f.Add("compare\ncpu\ncpu,fused\n--csv", "")
	f.Add("trace\nproduct\n--input\n-", `{"left": [[1, 2]], "right": [[3], [4]]}`)
	f.Add("trace\nreduction\n--input\n-\n--json", `{"input": {"shape": [2, 0], "values": []}, "axis": 1, "op": "sum"}`)
	f.Add("trace\nview\n--input\n-", `{"input": [[1, 2], [3, 4]], "ops": [{"op": "slice", "axis": 0, "step": 2}, {"op": "broadcast", "shape": [3, 1, 2]}]}`)
	f.Add("trace\ndecoder\n--input=-", `{"text": "é", "blocks": 0}`)
	f.Fuzz(func(t *testing.T, line, stdin string) {
		args := strings.Split(line, "\n")
		switch args[0] {
		case "demo", "compare", "trace":
		default:
			return // the other commands act on the machine
		}
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		o := callWith(ctx, nil, stdin, args...)
		switch {
		case o.status == statusOK && o.stdout != "" && o.stderr == "":
		case o.status == statusFailed && (o.stderr != "" || o.stdout != ""):
		case o.status == statusUsage && o.stdout == "" && strings.Contains(o.stderr, "--help"):
		default:
			t.Errorf("%q ends with status %d, %d bytes of output and %q", args, o.status, len(o.stdout), o.stderr)
		}
	})
}
