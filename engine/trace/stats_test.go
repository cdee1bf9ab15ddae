package trace_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/trace"
)

// Each request's step has what that request cost and nothing else, in order, and
// no other step has anything: the steps add up to the run.
func TestStepStats(t *testing.T) {
	for _, c := range []struct {
		example, input string
		requests       int
	}{
		{trace.ExampleProduct, `{"left": [[1, 2, 3], [4, 5, 6]], "right": [[7, 8], [9, 10], [11, 12]]}`, 1},
		{trace.ExampleReduction, `{"input": [[1, 2, 3], [4, 5, 6]], "axis": 1}`, 2},
		{trace.ExampleDecoder, `{}`, 57 + 21},
		{trace.ExampleProduct, `{"left": [[], []], "right": {"shape": [0, 2], "values": []}}`, 0},
		{trace.ExampleView, `{"input": [[1, 2], [3, 4]], "ops": [{"op": "transpose"}, {"op": "pack"}]}`, 0},
	} {
		d := openGPU(t)
		out := run(t, d, c.example, c.input)
		var sum device.Stats
		requests := 0
		for i, s := range out.Steps {
			asked := (s.Product != nil || s.Reduction != nil) && s.Op != "cell" && s.Op != "group" && c.requests > 0
			if asked != (s.Stats != nil) {
				t.Errorf("%s, step %d (%s): asked of the device: %t, statistics %+v", c.example, i, s.Op, asked, s.Stats)
			}
			if s.Stats == nil {
				continue
			}
			if want := (*d.costs)[requests]; *s.Stats != want {
				t.Errorf("%s, step %d is request %d and cost %+v, want %+v", c.example, i, requests, *s.Stats, want)
			}
			requests++
			sum = sum.Add(*s.Stats)
		}
		if requests != c.requests || sum != out.Stats {
			t.Errorf("%s: %d requests in its steps that add up to %+v, want %d and %+v", c.example, requests, sum, c.requests, out.Stats)
		}
	}
}

// The fixture's three tiny operations are 3 requests, 240 bytes in and 64 out;
// the first is the chapter's product.
func TestProductStats(t *testing.T) {
	out := run(t, openGPU(t), trace.ExampleProduct, `{"left": [[1, 2, 3], [4, 5, 6]], "right": [[7, 8], [9, 10], [11, 12]]}`)
	const words = "1 product, 1 launch, 96 bytes in, 32 bytes out; copy in 4.0 µs, kernel 6.0 ms, copy out 5.0 µs"
	for _, want := range []string{
		"product on cuda:0, NVIDIA H200 (separate, float64), 8 steps\ndevice work: " + words + "\n",
		"  2  C = A·B is a 2×2 matrix.  [cuda:0]\n",
		"       cost: " + words + "\n",
		"The result C is a 2×2 matrix, made by cuda:0, NVIDIA H200.",
	} {
		if got := text(t, out); !strings.Contains(got, want) {
			t.Errorf("the text does not say %q:\n%s", want, got)
		}
	}
	if n := strings.Count(text(t, out), "cost:"); n != 1 {
		t.Errorf("%d steps of the text have a cost, want the product's alone", n)
	}
}

// A GPU's run is named and counted in its JSON, and read back the same; the
// CPU's says nothing of either.
func TestStatsJSON(t *testing.T) {
	for name, want := range map[string]bool{"gpu": true, "cpu": false} {
		var out *trace.Trace
		if want {
			out = run(t, openGPU(t), trace.ExampleDecoder, `{}`)
		} else {
			out = run(t, open(t, "cpu"), trace.ExampleDecoder, `{}`)
		}
		text, err := json.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		// The run has statistics of its own, zeros on the CPU.
		if got := bytes.Count(text, []byte(`"stats":{`)) > 1; got != want {
			t.Errorf("%s: steps have statistics: %t", name, got)
		}
		if got := bytes.Contains(text, []byte(`"device_name":"NVIDIA H200"`)); got != want {
			t.Errorf("%s: it has the GPU's name: %t", name, got)
		}
		var back trace.Trace
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if again, err := json.Marshal(&back); err != nil || !bytes.Equal(text, again) {
			t.Errorf("%s: read back and written again it is another text (%v)", name, err)
		}
	}
}

// A result says which hardware made it.
func TestResultsName(t *testing.T) {
	r, err := trace.Results(t.Context(), openGPU(t), trace.DecoderInput{})
	if err != nil || r.Device != "cuda:0" || r.DeviceName != "NVIDIA H200" || r.Stats.KernelNS == 0 {
		t.Errorf("made by %q (%q) with %+v, %v", r.Device, r.DeviceName, r.Stats, err)
	}
	if r, err = trace.Results(t.Context(), open(t, "cpu"), trace.DecoderInput{}); err != nil || r.DeviceName != "" {
		t.Errorf("the CPU is called %q, %v", r.DeviceName, err)
	}
}
