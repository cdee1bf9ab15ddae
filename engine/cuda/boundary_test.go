package cuda_test

import (
	"math"
	"slices"
	"testing"

	"workbench/engine/cpu"
	"workbench/engine/cuda"
	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/session"
	"workbench/engine/device"
	"workbench/engine/trace"
)

// The bytes that a boundary example packs for its reader are those that the GPU's
// own path sends, on a driver that is played: the sizes of every request, and the
// values and counters of the run.
func TestBoundaryThroughTheDriver(t *testing.T) {
	const tiny = `{"left": [[1, 2, 3], [4, 5, 6]], "right": [[7, 8], [9, 10], [11, 12]]}`
	m := fake.New(fake.Config{})
	driver, err := m.Driver()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cuda:0", "cuda:0,fused", "cuda:0,library"} {
		spec, err := device.ParseSpec(name)
		if err != nil {
			t.Fatal(err)
		}
		d, err := cuda.OpenInProcess(t.Context(), spec, session.Libraries{Driver: driver, Compiler: m.Compiler, BLAS: m.BLAS})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
		host, err := cpu.New(device.Spec{Kind: device.CPU, Contract: spec.Contract})
		if err != nil {
			t.Fatal(err)
		}
		for _, input := range []string{
			tiny,
			`{"left": [[1, 4], [2, 5], [3, 6]], "right": [[7, 8], [9, 10], [11, 12]], "transpose_left": true, "precision": "float32"}`,
			`{"left": [[[1, 2, 3]], [[4, 5, 6]]], "right": [[1, 0.5, -2]], "transpose_right": true, "precision": "float16"}`,
		} {
			decoded, err := trace.DecodeInput(trace.ExampleBoundary, []byte(input))
			if err != nil {
				t.Fatal(err)
			}
			in := decoded.(*trace.BoundaryInput)
			out, err := trace.RunBoundary(t.Context(), d, *in)
			if err != nil {
				t.Fatal(err)
			}
			want, err := trace.RunBoundary(t.Context(), host, *in)
			if err != nil {
				t.Fatal(err)
			}
			var sum device.Stats
			for _, s := range out.Steps {
				if s.Stats == nil {
					continue
				}
				c := s.Crossing
				if !c.Crosses || c.Packed != s.Stats.BytesIn || c.Result != s.Stats.BytesOut || s.Stats.Requests != 1 || s.Stats.Launches != 1 {
					t.Errorf("%s, request %d packs %d bytes and gives %d, and the driver was asked for %+v", name, c.Request, c.Packed, c.Result, *s.Stats)
				}
				sum = sum.Add(*s.Stats)
			}
			if sum != out.Stats || out.Stats.Requests != 3 {
				t.Errorf("%s: the requests add up to %+v, and the run to %+v", name, sum, out.Stats)
			}
			if input == tiny && (out.Stats.BytesIn != 240 || out.Stats.BytesOut != 64) {
				t.Errorf("%s: %d bytes in and %d out, want 240 and 64", name, out.Stats.BytesIn, out.Stats.BytesOut)
			}
			for i, r := range out.Result {
				if got, want := out.Tensors[r].Values, want.Tensors[want.Result[i]].Values; !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
					t.Errorf("%s: result %d is %v, and the CPU's %v", name, i, got, want)
				}
			}
		}
	}
}
