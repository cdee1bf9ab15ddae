package trace_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/engine/trace"
)

const tinyBoundary = `{"left": [[1, 2, 3], [4, 5, 6]], "right": [[7, 8], [9, 10], [11, 12]]}`

// stages are the stages of a run's requests, each after its number.
func stages(out *trace.Trace) []string {
	var all []string
	for _, s := range out.Steps {
		if c := s.Crossing; c != nil {
			all = append(all, fmt.Sprintf("%d %s", c.Request, c.Stage))
		}
	}
	return all
}

var everyStage = []string{
	"0 pack", "0 copy-in", "0 launch", "0 complete", "0 copy-out",
	"1 pack", "1 copy-in", "1 launch", "1 complete", "1 copy-out",
	"2 pack", "2 copy-in", "2 launch", "2 complete", "2 copy-out",
}

// The three tiny operations on a GPU: 96 + 72 + 72 bytes are packed and counted
// in, 32 + 16 + 16 out, and every counter stands at the stage that it is of.
func TestBoundaryOnGPU(t *testing.T) {
	d := openGPU(t)
	out := run(t, d, trace.ExampleBoundary, tinyBoundary)
	if got := stages(out); !slices.Equal(got, everyStage) {
		t.Fatalf("stages %q, want %q", got, everyStage)
	}
	in, back := []int64{96, 72, 72}, []int64{32, 16, 16}
	var before device.Stats
	for i, s := range out.Steps {
		c := s.Crossing
		if c == nil {
			continue
		}
		n := c.Request
		cost := (*d.costs)[n]
		if cost.BytesIn != in[n] || cost.BytesOut != back[n] {
			t.Errorf("request %d costs %+v, want %d bytes in and %d out", n, cost, in[n], back[n])
		}
		var want device.Stats
		place := slices.Index(everyStage[:5], "0 "+c.Stage)
		if place >= 1 {
			want.BytesIn, want.CopyInNS = cost.BytesIn, cost.CopyInNS
		}
		if place >= 2 {
			want.Launches = cost.Launches
		}
		if place >= 3 {
			want.KernelNS = cost.KernelNS
		}
		if place >= 4 {
			want = cost
		}
		if !c.Crosses || c.Counted != want || c.Total != before.Add(want) || c.Packed != in[n] {
			t.Errorf("step %d: %+v, want %+v of the request and %+v of the run", i, c, want, before.Add(want))
		}
		if (s.Stats != nil) != (place == 4) || s.Stats != nil && *s.Stats != cost {
			t.Errorf("step %d has the statistics %+v", i, s.Stats)
		}
		// What is where: operands on the host throughout, on the device from the
		// copy on; the result there when it is complete, here when it was copied.
		result := out.Result[n]
		if slices.Contains(c.Host, result) != (place == 4) || slices.Contains(c.Device, result) != (place >= 3) || (len(c.Device) > 0) != (place >= 1) {
			t.Errorf("step %d: host %v, device %v, and the result is %d", i, c.Host, c.Device, result)
		}
		if (c.Result != 0) != (place >= 3) || c.Result != 0 && c.Result != back[n] {
			t.Errorf("step %d: the result has %d bytes", i, c.Result)
		}
		if place == 4 {
			before = before.Add(cost)
		}
	}
	if out.Stats != before || out.Stats.Requests != 3 || out.Stats.BytesIn != 240 || out.Stats.BytesOut != 64 {
		t.Errorf("the run cost %+v, its requests %+v", out.Stats, before)
	}
	for i, want := range [][]float64{{58, 64, 139, 154}, {6, 15}, {2, 5}} {
		if got := out.Tensors[out.Result[i]].Values; !slices.Equal(got, want) {
			t.Errorf("result %d is %v, want %v", i, got, want)
		}
	}
	written := text(t, out)
	for _, want := range []string{
		"Request 0, A·B: the host packs A and B, 48 + 48 = 96 bytes.",
		"Request 1, sums: the host packs R and a column of ones, 48 + 24 = 72 bytes.",
		"96 bytes are copied into the memory of cuda:0.",
		"A kernel is launched, and the host goes on at once.",
		"2 kernels are launched, and the host goes on at once.",
		"16 bytes are copied back: sums are in host memory.",
		"counted so far: 0 products, 0 launches, 96 bytes in, 0 bytes out; copy in 4.0 µs\n",
		"Each sum was divided by 3 when it was finished.",
		"The three results are host tensors, made by cuda:0, NVIDIA H200.",
	} {
		if !strings.Contains(written, want) {
			t.Errorf("the text does not say %q:\n%s", want, written)
		}
	}
}

// On the CPU nothing crosses and nothing is counted, and what would travel is
// packed all the same.
func TestBoundaryOnCPU(t *testing.T) {
	d := open(t, "cpu")
	out := run(t, d, trace.ExampleBoundary, tinyBoundary)
	if got := stages(out); !slices.Equal(got, everyStage) {
		t.Fatalf("stages %q, want %q", got, everyStage)
	}
	packed := []int64{96, 72, 72}
	for i, s := range out.Steps {
		c := s.Crossing
		if s.Stats != nil {
			t.Errorf("step %d has the statistics %+v", i, s.Stats)
		}
		if c == nil {
			continue
		}
		if c.Crosses || len(c.Device) > 0 || c.Counted != (device.Stats{}) || c.Total != (device.Stats{}) || c.Packed != packed[c.Request] {
			t.Errorf("step %d: %+v", i, c)
		}
		if done := c.Stage == trace.StageComplete || c.Stage == trace.StageCopyOut; slices.Contains(c.Host, out.Result[c.Request]) != done {
			t.Errorf("step %d: host memory has %v, and the result is %d", i, c.Host, out.Result[c.Request])
		}
	}
	if out.Stats != (device.Stats{}) {
		t.Errorf("the CPU counted %+v", out.Stats)
	}
	// Each finished request can be written out, cell by cell.
	explained := 0
	for i, s := range out.Steps {
		at := [3]int{0, 1, 0}
		if s.Product != nil {
			at[2] = 1
		}
		if s.Product == nil && s.Reduction == nil {
			continue
		}
		explained++
		if c, err := trace.Explain(t.Context(), out, i, at, d); err != nil || !c.Agrees {
			t.Errorf("step %d: %+v, %v", i, c, err)
		}
	}
	if explained != 3 {
		t.Errorf("%d steps have cells, want one for each request", explained)
	}
}

// The packed operands are what a product reads, in its order and format, and
// their bytes are those values.
func TestBoundaryPacking(t *testing.T) {
	out := run(t, open(t, "cpu"), trace.ExampleBoundary, `{"left": [[1, 4], [2, 5], [3, 6]], "right": [[[7, 9, 11], [8, 10, 12]], [[1, 0, 0.1], [0, 1, 0]]],
		"transpose_left": true, "transpose_right": true, "precision": "float32"}`)
	for name, want := range map[string]struct {
		shape  []int
		values []float64
	}{
		"packed A": {[]int{2, 2, 3}, []float64{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}},
		"packed B": {[]int{2, 3, 2}, []float64{7, 8, 9, 10, 11, 12, 1, 0, 0, 1, 0.1, 0}},
		"R":        {[]int{2, 3}, []float64{1, 2, 3, 4, 5, 6}},
		"ones":     {[]int{3, 1}, []float64{1, 1, 1}},
	} {
		i := slices.IndexFunc(out.Tensors, func(x trace.Tensor) bool { return x.Name == name })
		if i < 0 {
			t.Fatalf("no tensor is called %s", name)
		}
		x := out.Tensors[i]
		if !slices.Equal(x.Shape, want.shape) || !slices.Equal(x.Values, want.values) {
			t.Errorf("%s is %v %v, want %v %v", name, x.Shape, x.Values, want.shape, want.values)
		}
		bytes, err := hex.DecodeString(strings.Join(x.Bytes, ""))
		if whole := device.Float32.AppendBytes(nil, want.values); err != nil || !slices.Equal(bytes, whole) || len(x.Bytes) != len(want.values) {
			t.Errorf("%s has the bytes %q (%v), want %x", name, x.Bytes, err, whole)
		}
	}
	written := text(t, out)
	for _, want := range []string{
		"A is repeated for each product: 6 values become 12.",
		"B is read transposed, and its values are written in the order of reading.",
		", 48 + 48 = 96 bytes", ", 24 + 12 = 36 bytes",
		"bytes 0000e040 00000041 00001041", // 7, 8, 9
	} {
		if !strings.Contains(written, want) {
			t.Errorf("the text does not say %q:\n%s", want, written)
		}
	}

	// Large operands have no bytes written out.
	large := run(t, open(t, "cpu"), trace.ExampleBoundary, fmt.Sprintf(`{"left": %s, "right": %s}`, lists(t, 16, 16), lists(t, 16, 17)))
	for _, x := range large.Tensors {
		if named := strings.HasPrefix(x.Name, "packed"); named && (len(x.Bytes) > 0) != (tensor.FormatShape(x.Shape) == "[16, 16]") {
			t.Errorf("%s %v has %d elements in bytes", x.Name, x.Shape, len(x.Bytes))
		}
	}
}

// A request without arithmetic is never made, and the steps say so.
func TestBoundaryWithoutRequests(t *testing.T) {
	d := openGPU(t)
	out, err := trace.RunBoundary(t.Context(), d, trace.BoundaryInput{Left: array(t, `[[1, 2]]`), Right: array(t, `[[], []]`)})
	if err != nil {
		t.Fatal(err)
	}
	want := append([]string{"0 copy-out"}, everyStage[5:]...)
	if got := stages(out); !slices.Equal(got, want) {
		t.Errorf("stages %q, want %q", got, want)
	}
	if s := out.Steps[2]; s.Device != trace.Host || s.Crossing.Crosses || !strings.Contains(s.Title, "Request 0, A·B, is never made") {
		t.Errorf("the empty product's step is %+v", s)
	}
	if out.Stats.Requests != 2 {
		t.Errorf("the run cost %+v, want the sums and the means alone", out.Stats)
	}
}

// The library says of itself what is its own: its kernels, and its scale.
func TestBoundaryByLibrary(t *testing.T) {
	d := openGPU(t)
	spec := device.Spec{Kind: device.CUDA, Contract: device.Fused, Library: true}
	out, err := trace.RunBoundary(t.Context(), &faulty{Device: d, spec: &spec}, trace.BoundaryInput{Left: array(t, `[[1, 2]]`), Right: array(t, `[[1], [2]]`)})
	if err != nil {
		t.Fatal(err)
	}
	written := text(t, out)
	for _, want := range []string{"boundary on cuda:0,library", "cuBLAS is asked for the product", "are not seen and count as one", "Each sum was scaled by the number nearest to 1/2"} {
		if !strings.Contains(written, want) {
			t.Errorf("the text does not say %q:\n%s", want, written)
		}
	}
}

// Whichever request fails, there is no trace: least of all one of another device.
func TestBoundaryFails(t *testing.T) {
	for n := 1; n <= 3; n++ {
		d := &faulty{Device: open(t, "cpu"), fail: n}
		out, err := trace.RunBoundary(t.Context(), d, trace.BoundaryInput{Left: array(t, `[[1]]`), Right: array(t, `[[2]]`)})
		if out != nil || !errors.Is(err, errBroken) || d.requests != n {
			t.Errorf("request %d of 3 failed: %v after %d requests", n, err, d.requests)
		}
	}
}
