package experiment_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"workbench/engine/cpu"
	"workbench/engine/device"
	"workbench/engine/experiment"
	"workbench/engine/launch"
	"workbench/engine/simt"
)

func on(t *testing.T, spec string) experiment.On {
	t.Helper()
	parsed, err := device.ParseSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	host, err := cpu.New(device.Spec{Kind: device.CPU, Contract: parsed.Contract})
	if err != nil {
		t.Fatal(err)
	}
	return experiment.On{Spec: parsed, Launcher: new(simt.Emulator), Host: host}
}

const product = `
extern "C" __global__ void product(const float* a, const float* b, float* c, int m, int k, int n) {
	int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i < m && j < n) {
		float sum = 0;
		for (int t = 0; t < k; t++) sum += a[i * k + t] * b[t * n + j];
		c[i * n + j] = sum;
	}
}`

const productLaunch = `{"source": "product.cu", "kernel": "product", "grid": [2, 2], "block": [4, 4], "args": [
	{"name": "a", "type": "f32", "shape": [5, 7], "fill": "random", "seed": 1},
	{"name": "b", "type": "f32", "shape": [7, 6], "fill": "random", "seed": 2},
	{"name": "c", "type": "f32", "shape": [5, 6], "out": true},
	{"name": "m", "type": "i32", "value": 5}, {"name": "k", "type": "i32", "value": 7}, {"name": "n", "type": "i32", "value": 6}]}`

// A product on the emulator has the CPU's bits under both contracts, and one of its
// blocks can be stepped.
func TestProduct(t *testing.T) {
	e, err := experiment.Read(experiment.Input{
		Source: product, Launch: json.RawMessage(productLaunch),
		Reference: &experiment.Reference{Of: "product", Left: "a", Right: "b", Out: "c"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range []string{"emulator", "emulator,fused"} {
		for _, record := range [][]launch.Index{nil, {{1, 1, 0}}} {
			o, err := e.Run(context.Background(), on(t, spec), experiment.Options{Record: record})
			if err != nil {
				t.Fatal(err)
			}
			c := o.Comparison
			if c == nil || !c.Passed || c.Differing != 0 || c.Count != 30 || len(o.Reports) != 0 || len(o.Measurements) != 1 {
				t.Errorf("%s, recording %v: %+v, %v", spec, record, c.Groups, o.Reports)
			}
			if len(o.Outputs) != 1 || o.Outputs[0].Count != 30 {
				t.Errorf("%s: outputs %+v", spec, o.Outputs)
			}
			var values []float64
			if err := json.Unmarshal(o.Outputs[0].Values, &values); err != nil || len(values) != 30 || values[7] == 0 || float32(values[7]) != float32(c.Entries[7].Candidate) {
				t.Errorf("%s, recording %v: the output is %v (%v)", spec, record, values, err)
			}
			if rest, err := o.Values("c", 28); err != nil || !strings.Contains(string(o.Outputs[0].Values), strings.Trim(string(rest.Values), "[]")) {
				t.Errorf("the last values are %s (%v)", rest.Values, err)
			}
			if record == nil {
				continue
			}
			r := o.Recording(0)
			if r == nil || len(o.Tapes) != 1 || o.Tapes[0].Steps < 10 {
				t.Fatalf("tapes %+v", o.Tapes)
			}
			if _, err := r.At(context.Background(), 3, launch.View{Shared: true}); err != nil {
				t.Error(err)
			}
			if _, err := json.Marshal(o); err != nil {
				t.Error(err)
			}
		}
	}
}

// A kernel that is wrong does not pass.
func TestWrongProductFails(t *testing.T) {
	e, err := experiment.Read(experiment.Input{
		Source: strings.Replace(product, "t < k", "t < k - 1", 1), Launch: json.RawMessage(productLaunch),
		Reference: &experiment.Reference{Of: "product", Left: "a", Right: "b", Out: "c"},
	})
	if err != nil {
		t.Fatal(err)
	}
	o, err := e.Run(context.Background(), on(t, "emulator"), experiment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if o.Comparison.Passed || o.Comparison.Failures == 0 {
		t.Errorf("%+v", o.Comparison.Groups)
	}
}

// Every operation, on a kernel of one thread that carries it out, in every type of
// floats that it may be of: what is right passes, and one element that is off by a
// hundredth does not.
func TestOperations(t *testing.T) {
	for name, tc := range map[string]struct {
		reference experiment.Reference
		args      string
		body      string
	}{
		"add": {experiment.Reference{Of: "add", Left: "x", Right: "y", Out: "out"}, buffers("x [3,4]", "y [3,4]", "out [3,4]"),
			"for (int i = 0; i < 12; i++) out[i] = x[i] + y[i];"},
		"sum": {experiment.Reference{Of: "sum", In: "x", Out: "out"}, buffers("x [9]", "y [1]", "out [2]"),
			"T s = 0; for (int i = 8; i > 4; i--) s += x[i]; out[0] = s; s = 0; for (int i = 0; i < 5; i++) s += x[i]; out[1] = s;"},
		"squares": {experiment.Reference{Of: "squares", In: "x", Out: "out"}, buffers("x [9]", "y [1]", "out [1]"),
			"T s = 0; for (int i = 8; i >= 0; i--) s += x[i] * x[i]; out[0] = s;"},
		"softmax": {experiment.Reference{Of: "softmax", In: "x", Out: "out"}, buffers("x [2,3]", "y [1]", "out [2,3]"),
			`for (int r = 0; r < 2; r++) { T m = x[3*r]; for (int i = 1; i < 3; i++) m = m < x[3*r+i] ? x[3*r+i] : m;
			 T s = 0; for (int i = 0; i < 3; i++) s += exp(x[3*r+i] - m);
			 for (int i = 0; i < 3; i++) out[3*r+i] = exp(x[3*r+i] - m) / s; }`},
		"rmsnorm": {experiment.Reference{Of: "rmsnorm", In: "x", Gain: "y", Out: "out", Epsilon: 1e-5}, buffers("x [2,3]", "y [3]", "out [2,3]"),
			`for (int r = 0; r < 2; r++) { T s = 0; for (int i = 0; i < 3; i++) s += x[3*r+i] * x[3*r+i];
			 T scale = 1 / sqrt(s / 3 + (T)1e-5); for (int i = 0; i < 3; i++) out[3*r+i] = x[3*r+i] * scale * y[i]; }`},
	} {
		for ctype, fileType := range map[string]string{"float": "f32", "double": "f64"} {
			for _, off := range []string{"", "out[0] = out[0] + (T)0.01;"} {
				t.Run(name+"/"+fileType+"/"+off, func(t *testing.T) {
					e, err := experiment.Read(experiment.Input{
						Source:    "typedef " + ctype + " T;\n__global__ void k(const T* x, const T* y, T* out) { " + tc.body + off + " }",
						Launch:    json.RawMessage(`{"source": "k.cu", "kernel": "k", "grid": [1], "block": [1], "args": [` + strings.ReplaceAll(tc.args, "TYPE", fileType) + `]}`),
						Reference: &tc.reference,
					})
					if err != nil {
						t.Fatal(err)
					}
					o, err := e.Run(context.Background(), on(t, "emulator"), experiment.Options{})
					if err != nil {
						t.Fatal(err)
					}
					if o.Comparison.Passed != (off == "") || len(o.Reports) > 0 {
						t.Errorf("%+v %v", o.Comparison.Groups, o.Reports)
					}
				})
			}
		}
	}
}

// buffers writes arguments of random values: "x [3,4]"; out is read back.
func buffers(list ...string) string {
	var args []string
	for _, b := range list {
		name, shape, _ := strings.Cut(b, " ")
		fill := `"fill": "random", "seed": ` + string('0'+rune(len(args)+1))
		if name == "out" {
			fill = `"out": true`
		}
		args = append(args, `{"name": "`+name+`", "type": "TYPE", "shape": `+shape+`, `+fill+`}`)
	}
	return strings.Join(args, ",")
}

// What cannot be read names the field.
func TestRead(t *testing.T) {
	good := experiment.Reference{Of: "product", Left: "a", Right: "b", Out: "c"}
	change := func(f func(*experiment.Reference)) *experiment.Reference { r := good; f(&r); return &r }
	for _, tc := range []struct {
		launch    string
		reference *experiment.Reference
		field     string
	}{
		{`{`, nil, "launch"},
		{strings.Replace(productLaunch, "[5, 7]", "[-5, 7]", 1), nil, "launch.args[0].shape[0]"},
		{strings.Replace(productLaunch, "[5, 7]", "[5000, 70000]", 1), nil, "launch.args[0]"},
		{productLaunch, change(func(r *experiment.Reference) { r.Of = "quotient" }), "reference.of"},
		{productLaunch, change(func(r *experiment.Reference) { r.Left = "nobody" }), "reference.left"},
		{productLaunch, change(func(r *experiment.Reference) { r.Right = "" }), "reference.right"},
		{productLaunch, change(func(r *experiment.Reference) { r.Right = "a" }), "reference.left"},
		{productLaunch, change(func(r *experiment.Reference) { r.Gain = "a" }), "reference.gain"},
		{productLaunch, change(func(r *experiment.Reference) { r.TransposeLeft = true }), "reference.left"},
		{productLaunch, change(func(r *experiment.Reference) { r.Of, r.TransposeRight = "add", true }), "reference.transpose_right"},
		{productLaunch, change(func(r *experiment.Reference) { r.Out = "a" }), "reference.out"},
	} {
		_, err := experiment.Read(experiment.Input{Source: product, Launch: json.RawMessage(tc.launch), Reference: tc.reference})
		var bad *experiment.InputError
		if !errors.As(err, &bad) || !strings.HasPrefix(bad.Field, tc.field) {
			t.Errorf("%v: %v, want the field %s", tc.reference, err, tc.field)
		}
	}
}

// A GPU does not record, and nothing is run in its place.
func TestRecordNeedsARecorder(t *testing.T) {
	e, err := experiment.Read(experiment.Input{Source: product, Launch: json.RawMessage(productLaunch)})
	if err != nil {
		t.Fatal(err)
	}
	where := on(t, "emulator")
	where.Launcher = struct{ launch.Launcher }{where.Launcher}
	var bad *experiment.InputError
	if _, err := e.Run(context.Background(), where, experiment.Options{Record: []launch.Index{{}}}); !errors.As(err, &bad) || bad.Field != "record" {
		t.Error(err)
	}
	where = on(t, "emulator")
	if _, err := e.Run(context.Background(), where, experiment.Options{Record: []launch.Index{{9, 0, 0}}}); !errors.As(err, &bad) || bad.Field != "record" {
		t.Error(err)
	}
}
